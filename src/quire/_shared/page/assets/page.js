"use strict";
(function () {
  const style = {
    background: "transparent",
    font: "inherit",
    view: { stroke: "transparent" },
    axis: {
      labelColor: "var(--soft)", titleColor: "var(--ink)", gridColor: "var(--line)",
      domainColor: "var(--line)", tickColor: "var(--line)", labelFontSize: 12, titleFontSize: 12,
      titleFontWeight: "normal", labelFont: "system-ui, sans-serif", titleFont: "system-ui, sans-serif",
    },
    legend: {
      labelColor: "var(--ink)", titleColor: "var(--ink)", labelFontSize: 12,
      labelFont: "system-ui, sans-serif",
    },
    text: { font: "system-ui, sans-serif" },
  };

  const views = window.quireViews = {};

  function draw() {
    const specs = JSON.parse(document.getElementById("chart-specs").textContent);
    const drawn = [];
    for (const place of document.querySelectorAll("[data-chart]")) {
      const spec = specs[place.dataset.chart];
      if (!spec) continue;
      const options = {
        mode: "vega-lite", renderer: "svg", actions: false, ast: true, config: style,
        logLevel: 1,
      };
      drawn.push(window.quireEmbed(place, spec, options).then(function (result) {
        views[place.dataset.chart] = result.view;
      }).catch(function (error) {
        place.textContent = "This chart could not be drawn; its data is below.";
        console.error(place.dataset.chart, error);
      }));
    }
    return Promise.all(drawn).then(function () {
      document.documentElement.dataset.charts = "drawn";
    });
  }

  function valueOf(row, column) {
    const cell = row.cells[column];
    const value = cell && "value" in cell.dataset ? cell.dataset.value : "";
    return value === "" ? null : Number(value);
  }

  function sortBy(table, column, upward) {
    const body = table.tBodies[0];
    const rows = Array.from(body.rows);
    rows.sort(function (a, b) {
      const x = valueOf(a, column), y = valueOf(b, column);
      if (x === null || y === null) return (x === null) - (y === null);
      return upward ? x - y : y - x;
    });
    rows.forEach(function (row) { body.appendChild(row); });
    Array.from(table.tHead.rows[0].cells).forEach(function (head, k) {
      if (k === column) head.setAttribute("aria-sort", upward ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
  }

  for (const table of document.querySelectorAll("table.sortable")) {
    Array.from(table.tHead.rows[0].cells).forEach(function (head, column) {
      const button = head.querySelector("button");
      if (!button) return;
      button.addEventListener("click", function () {
        const now = head.getAttribute("aria-sort");
        sortBy(table, column, now === null ? column === 0 : now === "descending");
      });
    });
  }

  draw();
})();
