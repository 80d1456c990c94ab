"use strict";
/* Columns that sort, and tables that are wider than a phone: their rows become cards. */
(function () {
  const NARROW = 620;

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

  /* Cells say what they are, and keep the roles that they lose when they are no table any more. */
  function label(table) {
    const heads = Array.from(table.tHead.rows[0].cells);
    const rest = heads.length;
    table.setAttribute("role", "table");
    for (const row of table.tBodies[0].rows) {
      row.setAttribute("role", "row");
      Array.from(row.cells).forEach(function (cell, k) {
        cell.setAttribute("role", cell.tagName === "TH" ? "rowheader" : "cell");
        if (k > 0) cell.dataset.label = cell.colSpan > 1 || k >= rest ? "" : heads[k].textContent.trim();
        if (k > 0 && (cell.textContent.length > 60 || cell.colSpan > 1)) cell.dataset.long = "";
      });
    }
    table.dataset.labelled = "";
  }

  function stack(box) {
    const table = box.querySelector("table");
    if (!table || !table.tHead || !table.tBodies.length || table.matches(".cross, .matrix")) return;
    table.classList.remove("stacked");
    if (!box.clientWidth || box.clientWidth > NARROW || table.scrollWidth <= box.clientWidth + 1) return;
    if (!("labelled" in table.dataset)) label(table);
    table.classList.add("stacked");
  }

  for (const box of document.querySelectorAll(".box")) {
    stack(box);
    if (!window.ResizeObserver) continue;
    let width = box.clientWidth;
    function fit() {
      const now = box.clientWidth;
      if (Math.abs(now - width) < 2 || "printing" in document.documentElement.dataset) return;
      width = now;
      stack(box);
    }
    new ResizeObserver(function () { requestAnimationFrame(fit); }).observe(box);
  }
})();
