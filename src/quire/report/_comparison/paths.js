"use strict";
/* Weights by penalty of the class that is chosen; the chart stays, its lines change. */
(function () {
  const data = JSON.parse(document.getElementById("path-data").textContent);
  const list = document.getElementById("path-class");
  const title = document.getElementById("chart-path-title");
  const name = title.textContent.split(":")[0];

  function show() {
    const one = data.classes[Number(list.value)], view = (window.quireViews || {})["chart-path"];
    title.textContent = name + ": " + one.name;
    if (!view) return;
    const lines = [], ends = [];
    one.terms.forEach(function (term, place) {
      data.penalties.forEach(function (penalty, k) {
        lines.push({ line: String(place), term: term, penalty: penalty, coef: one.coefs[place][k] });
      });
      ends.push({
        line: String(place), term: term, penalty: data.penalties[data.penalties.length - 1],
        height: one.labels[place],
      });
    });
    view.data("lines", lines).data("ends", ends).runAsync();
  }

  list.addEventListener("change", show);
  document.documentElement.dataset.js = "on";
})();
