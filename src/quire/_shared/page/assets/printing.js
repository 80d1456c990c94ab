"use strict";
/* A page that is printed shows all that it has: closed parts are opened, tables that are wider than
   the paper are made smaller, charts are drawn as wide as it is. Afterwards all is as it was. */
(function () {
  const root = document.documentElement, page = window.quirePage;
  const PAPER = 700;
  let opened = [], smaller = [];

  function tell() { document.dispatchEvent(new Event("quire-colours")); }

  function before() {
    if ("printing" in root.dataset) return;
    root.dataset.printing = "";
    root.dataset.light = "";
    document.getElementById("print-style").media = "all";
    opened = Array.from(document.querySelectorAll("details:not([open])"));
    for (const one of opened) one.open = true;
    for (const box of document.querySelectorAll(".box")) {
      const table = box.querySelector("table");
      if (table && table.offsetWidth > box.clientWidth + 1) {
        table.style.zoom = Math.max(0.3, Math.floor(96 * box.clientWidth / table.offsetWidth) / 100);
        smaller.push(table);
      }
    }
    for (const place of document.querySelectorAll("[data-chart]")) {
      if (page.views[place.dataset.chart]) page.setWidth(place.dataset.chart, place.clientWidth || PAPER);
    }
    tell();
  }

  function after() {
    if (!("printing" in root.dataset)) return;
    for (const one of opened) one.open = false;
    for (const table of smaller) table.style.zoom = "";
    opened = [];
    smaller = [];
    document.getElementById("print-style").media = "print";
    delete root.dataset.printing;
    delete root.dataset.light;
    for (const place of document.querySelectorAll("[data-chart]")) {
      if (page.views[place.dataset.chart] && place.clientWidth) page.setWidth(place.dataset.chart, place.clientWidth);
    }
    tell();
  }

  window.addEventListener("beforeprint", before);
  window.addEventListener("afterprint", after);
})();
