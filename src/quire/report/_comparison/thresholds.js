"use strict";
/* What another threshold would do: counts of held-out documents at exact steps, looked up; shares,
   intervals and costs are made from them here, as thresholds.py makes those of its table. */
(function () {
  const data = JSON.parse(document.getElementById("threshold-data").textContent);
  const Z = 1.959963984540054; // of 95 % intervals
  const at = function (name) { return document.getElementById("threshold-" + name); };
  const slider = at("place"), finds = at("question"), miss = at("miss"), alarm = at("alarm");
  const buttons = Array.from(document.querySelectorAll("[data-threshold]"));
  let side = 0;

  /* The two sides of a question: the class, and what is left where it is not flagged. */
  const sides = [];
  data.questions.forEach(function (question) {
    sides.push({ question: question, isRest: false });
    if (question.rest) sides.push({ question: question, isRest: true });
  });

  function counts(one, k) {
    const of = one.question, right = of.right[k], wrong = of.wrong[k];
    if (!one.isRest) return { right: right, wrong: wrong, own: of.documents, all: of.documents + of.others };
    return { right: of.others - wrong, wrong: of.documents - right, own: of.others, all: of.documents + of.others };
  }

  function threshold(one, k) {
    const value = one.question.thresholds[k];
    if (!one.isRest) return value;
    return data.probabilities ? Number((1 - value).toPrecision(12)) : -value;
  }

  function wilson(right, n) {
    if (!n) return null;
    const p = right / n, square = Z * Z;
    const middle = (p + square / (2 * n)) / (1 + square / n);
    const half = Z / (1 + square / n) * Math.sqrt(p * (1 - p) / n + square / (4 * n * n));
    return {
      value: p, low: right === 0 ? 0 : Math.max(0, middle - half), high: right === n ? 1 : Math.min(1, middle + half),
    };
  }

  function f1(found) {
    const joint = wilson(found.right, found.wrong + found.own);
    if (!joint) return null;
    const of = function (share) { return 2 * share / (1 + share); };
    return { value: of(joint.value), low: of(joint.low), high: of(joint.high) };
  }

  function costOf(one, k, prices) {
    const found = counts(one, k), missed = found.own - found.right;
    const [first, second] = one.isRest ? [prices.alarm, prices.miss] : [prices.miss, prices.alarm];
    return (data.fixed + first * missed + second * found.wrong) / found.all;
  }

  function price(input, usual) {
    const value = Number(input.value), isFine = input.value.trim() !== "" && isFinite(value) && value >= 0;
    input.setAttribute("aria-invalid", String(!isFine));
    return isFine ? value : usual;
  }

  function prices() { return { miss: price(miss, data.miss), alarm: price(alarm, data.alarm) }; }

  function bestOf(one, worth) {
    const usual = one.question.usual;
    let best = usual, most = worth(usual);
    one.question.thresholds.forEach(function (_, k) {
      const value = worth(k);
      if (value > most + 1e-12 || (value > most - 1e-12 && Math.abs(k - usual) < Math.abs(best - usual))) {
        best = k;
        most = Math.max(most, value);
      }
    });
    return best;
  }

  function marks(one) {
    const found = { usual: one.question.usual };
    if (one.question.chosen !== null) found.chosen = one.question.chosen;
    found.f1 = bestOf(one, function (k) { const score = f1(counts(one, k)); return score ? score.value : 0; });
    const now = prices();
    found.cost = bestOf(one, function (k) { return -costOf(one, k, now); });
    return found;
  }

  const share = function (value) { return value.toFixed(3); };
  function plain(value) {
    if (value === Math.floor(value) || Math.abs(value) >= 1000) {
      return value.toLocaleString("en", { maximumFractionDigits: 0 });
    }
    return value.toPrecision(3);
  }
  const written = function (value) { return String(Number(value.toPrecision(15))); };

  function show(name, text, interval) {
    const place = at(name);
    place.textContent = text;
    const small = place.nextElementSibling;
    if (small) small.textContent = interval || "";
  }

  function shareOf(name, found) {
    if (!found) show(name, "–", "nothing is flagged");
    else show(name, share(found.value), share(found.low) + " to " + share(found.high));
  }

  function tell(one, k) {
    const found = counts(one, k), per = 1000 / found.all, value = threshold(one, k);
    const missed = found.own - found.right, flagged = found.right + found.wrong;
    at("now").textContent = at("from").textContent = written(value);
    const precision = wilson(found.right, flagged), recall = wilson(found.right, found.own);
    shareOf("precision", precision);
    shareOf("recall", recall);
    shareOf("f1", f1(found));
    const volume = wilson(flagged, found.all);
    show("flagged", plain(flagged * per), "of 1,000 (" + plain(1000 * volume.low) + " to " + plain(1000 * volume.high) + ")");
    show("wrong", plain(found.wrong * per), "of 1,000 (" + found.wrong.toLocaleString("en") + " in all)");
    show("missed", plain(missed * per), "of 1,000 (" + missed.toLocaleString("en") + " in all)");
    const cost = 1000 * costOf(one, k, prices()), now = prices();
    const [first, second] = one.isRest ? [now.alarm, now.miss] : [now.miss, now.alarm];
    show("cost", plain(cost), "a miss " + plain(first) + ", a false alarm " + plain(second));
    slider.setAttribute("aria-valuetext", written(value) + ": precision " +
      (precision ? share(precision.value) : "not known") + ", recall " + share(recall.value));
    command(one, k);
  }

  function command(one, k) {
    const place = at("command");
    if (!place) return;
    const value = written(one.question.thresholds[k]);
    const option = " --threshold" + (value[0] === "-" ? "=" : " ") + value;
    place.textContent = data.commands.map(function (parts) { return parts[0] + option + parts[1]; }).join("\n");
    at("turned").hidden = !one.isRest;
    at("turned-own").textContent = written(threshold(one, k));
    at("turned-other").textContent = value;
  }

  function stretched(value) {
    if (!data.stretched) return value;
    return Math.max(-data.reach, Math.min(data.reach, Math.log(value) - Math.log1p(-value)));
  }

  function views() { return (window.quireViews || {})["chart-threshold"]; }

  function drawSide(one) {
    const view = views();
    if (!view) return;
    const rows = [];
    one.question.thresholds.forEach(function (_, k) {
      const found = counts(one, k), flagged = found.right + found.wrong, value = threshold(one, k);
      const lines = { Precision: flagged ? found.right / flagged : null, Recall: found.right / found.own, Flagged: flagged / found.all };
      for (const line of Object.keys(lines)) {
        if (lines[line] !== null) rows.push({ line: line, share: lines[line], threshold: value, x: stretched(value) });
      }
    });
    view.data("steps", rows);
  }

  function drawMarks(one, found) {
    const view = views();
    if (!view) return;
    const said = {};
    for (const name of ["usual", "chosen", "f1", "cost"]) {
      if (!(name in found)) continue;
      const x = stretched(threshold(one, found[name]));
      const there = said[found[name]];
      if (there) there.name += ", " + data.names[name];
      else said[found[name]] = { x: x, name: data.names[name] };
    }
    view.data("marks", Object.values(said));
    view.data("now", [{ x: stretched(threshold(one, Number(slider.value))) }]);
    view.runAsync();
  }

  function update() {
    const one = sides[side], found = marks(one), k = Number(slider.value);
    for (const button of buttons) {
      const name = button.dataset.threshold;
      button.hidden = !(name in found);
      if (button.hidden) continue;
      button.querySelector("span").textContent = written(threshold(one, found[name]));
      button.setAttribute("aria-pressed", String(found[name] === k));
    }
    tell(one, k);
    drawMarks(one, found);
  }

  function choose(number, k) {
    side = number;
    const one = sides[side];
    slider.max = one.question.thresholds.length - 1;
    // What is flagged grows to the left for the one side, to the right for the other.
    slider.dir = one.isRest ? "rtl" : "ltr";
    slider.value = k;
    for (const place of document.querySelectorAll("[data-flagged]")) {
      place.textContent = one.isRest ? one.question.rest : one.question.name;
    }
    const title = document.getElementById("chart-threshold-title");
    title.textContent = "Thresholds for " + (one.isRest ? one.question.rest : one.question.name);
    drawSide(one);
    update();
  }

  function first(one) { return one.question.chosen === null ? one.question.usual : one.question.chosen; }

  slider.addEventListener("input", update);
  for (const input of [miss, alarm]) input.addEventListener("input", update);
  finds.addEventListener("change", function () {
    const was = sides[side].question, number = Number(finds.value);
    choose(number, sides[number].question === was ? Number(slider.value) : first(sides[number]));
  });
  for (const button of buttons) {
    button.addEventListener("click", function () {
      slider.value = marks(sides[side])[button.dataset.threshold];
      update();
    });
  }

  function clicked(view) {
    view.addEventListener("click", function (event) {
      const svg = view.container().querySelector("svg").getBoundingClientRect();
      const x = view.scale("x").invert(event.clientX - svg.left - view.origin()[0]);
      const one = sides[side];
      let best = 0, least = Infinity;
      one.question.thresholds.forEach(function (_, k) {
        const away = Math.abs(stretched(threshold(one, k)) - x);
        if (away < least) { least = away; best = k; }
      });
      slider.value = best;
      update();
    });
  }

  document.documentElement.dataset.js = "on";
  choose(0, first(sides[0]));
  function whenDrawn() {
    if (document.documentElement.dataset.charts !== "drawn") return false;
    const view = views();
    if (view) {
      clicked(view);
      drawSide(sides[side]);
      update();
    }
    return true;
  }
  if (!whenDrawn()) {
    const watch = new MutationObserver(function () { if (whenDrawn()) watch.disconnect(); });
    watch.observe(document.documentElement, { attributes: true, attributeFilter: ["data-charts"] });
  }
})();
