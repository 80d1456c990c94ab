"use strict";
(function () {
  const figure = document.getElementById("confusion");
  if (!figure) return;
  document.documentElement.dataset.js = "";
  const table = figure.querySelector("table.matrix");
  const box = figure.querySelector(".box");
  const head = table.tHead.rows[0], body = table.tBodies[0];
  const columns = new Map(), rows = new Map();  // by the place of their class
  const unit = figure.querySelector(".unit");
  let order = [];

  Array.from(head.cells).slice(1).forEach(function (cell) {
    columns.set(cell.dataset.place, cell);
    order.push(cell.dataset.place);
  });
  for (const row of body.rows) {
    const cells = new Map();
    Array.from(row.cells).slice(1).forEach(function (cell, k) { cells.set(order[k], cell); });
    rows.set(row.cells[0].dataset.place, { row: row, head: row.cells[0], cells: cells });
  }

  function arrange(places) {
    order = places;
    for (const a of places) {
      head.appendChild(columns.get(a));
      body.appendChild(rows.get(a).row);
      for (const b of places) rows.get(a).row.appendChild(rows.get(a).cells.get(b));
    }
  }

  // Counts, or shares of the row or of the column; each kind of cell has its own scale.
  function show(what) {
    const most = { right: 0, wrong: 0 }, shown = [];
    for (const [a, row] of rows) {
      for (const [b, cell] of row.cells) {
        const count = Number(cell.dataset.count), kind = a === b ? "right" : "wrong";
        const of = what === "true" ? row.head : columns.get(b);
        const total = Math.max(1, Number(of.dataset.total));
        const value = what === "counts" ? count : 100 * count / total;
        most[kind] = Math.max(most[kind], value);
        shown.push({ cell: cell, kind: kind, count: count, value: value });
      }
    }
    for (const one of shown) {
      const s = one.count ? 0.08 + 0.92 * one.value / (most[one.kind] || 1) : 0;
      const place = one.cell.querySelector("a") || one.cell;
      place.textContent = what === "counts" ? one.count.toLocaleString("en-US") : percent(one.value);
      one.cell.style.setProperty("--s", s.toFixed(3));
      one.cell.classList.toggle("deep", s >= 0.68);
      one.cell.classList.toggle("deeper", s >= 0.8);
    }
    for (const kind of ["right", "wrong"]) {
      const value = most[kind];
      figure.querySelector(".scale." + kind + " .most").textContent =
        what === "counts" ? value.toLocaleString("en-US") : percent(value);
    }
    unit.textContent = { counts: "documents", true: "% of the true class",
      predicted: "% of the predicted class" }[what];
    measure();
  }

  function percent(value) {
    return value > 0 && value < 0.5 ? "<1" : value.toFixed(0);
  }

  function measure() {
    figure.classList.toggle("is-wide", box.scrollWidth > box.clientWidth + 1);
  }

  function choose(link) {
    const cell = link && document.getElementById(link.getAttribute("href").slice(1));
    for (const one of figure.querySelectorAll(".cell.shown, td.chosen")) {
      one.classList.remove("shown", "chosen");
    }
    if (!cell) return;
    cell.classList.add("shown");
    link.closest("td").classList.add("chosen");
    cell.focus({ preventScroll: true });
    cell.scrollIntoView({ block: "nearest" });
  }

  table.addEventListener("click", function (event) {
    const link = event.target.closest("a") || event.target.querySelector && event.target.matches("td") &&
      event.target.querySelector("a");
    if (!link) return;
    event.preventDefault();
    enter(link);
    choose(link);
  });

  // One cell is in the order of the tabulator; arrows lead to the others.
  function enter(link) {
    for (const one of table.querySelectorAll("a")) one.tabIndex = one === link ? 0 : -1;
  }

  function beside(link, across, down) {
    const cell = link.closest("td");
    let x = cell.cellIndex, y = cell.parentElement.sectionRowIndex;
    for (;;) {
      x += across; y += down;
      if (x < 1 || y < 0 || x > order.length || y >= order.length) return null;
      const found = body.rows[y].cells[x].querySelector("a");
      if (found) return found;
    }
  }

  const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  table.addEventListener("keydown", function (event) {
    const way = arrows[event.key], link = event.target.closest("a");
    if (!way || !link) return;
    event.preventDefault();
    const next = beside(link, way[0], way[1]);
    if (next) { enter(next); next.focus(); }
  });

  function back() {
    const link = figure.querySelector("td.chosen a");
    choose(null);
    if (link) link.focus();
  }
  for (const link of figure.querySelectorAll("a.back")) {
    link.addEventListener("click", function (event) { event.preventDefault(); back(); });
  }
  figure.addEventListener("keydown", function (event) {
    if (event.key === "Escape" && figure.querySelector(".cell.shown")) back();
  });

  const shows = figure.querySelector("select.shows"), orders = figure.querySelector("select.order");
  shows.addEventListener("change", function () { show(shows.value); });
  if (orders) orders.addEventListener("change", function () { arrange(orders.value.split(" ")); });
  window.addEventListener("resize", measure);
  measure();
  const first = table.querySelector("a");
  if (first) enter(first);
  const asked = /^#cell-\d+-\d+$/.test(window.location.hash) &&
    table.querySelector('a[href="' + window.location.hash + '"]');
  if (asked) { enter(asked); choose(asked); }
})();
