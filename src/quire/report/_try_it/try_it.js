"use strict";
(function () {
  const engine = window.quireClassifier;
  const data = JSON.parse(document.getElementById("try-data").textContent);
  const at = function (name) { return document.getElementById("try-" + name); };
  const box = document.querySelector(".try"), field = at("text"), list = at("words");
  const MOST_CLASSES = 8, MOST_TERMS = 12, MOST_WORDS = 3000, MOST_SHOWN = 30000, LONGEST = 300000;
  const MOST_STEPS = 200, MOST_SINGLE = 600, MOST_TRIED = 8000, SLICE = 12;
  let model = null, loading = null, off = new Set(), asked = null, timer = 0, speaking = 0;
  let search = 0, shownText = "", shownUnits = [];

  function element(name, className, text) {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function load() {
    if (loading) return loading;
    if (!("DecompressionStream" in window)) {
      problem("This box needs a newer browser: Chrome 80, Firefox 113, Safari 16.4 or later.");
      loading = new Promise(function () {});
      return loading;
    }
    loading = engine.unpack(data.payload).then(function (made) {
      model = made;
      window.quireTried = { engine: engine, model: model };
      fillChoice();
    }, function (error) {
      problem("The model could not be read: " + error);
      throw error;
    });
    return loading;
  }

  function problem(text) {
    at("problem").textContent = text;
    at("problem").hidden = text === "";
  }

  function names() {
    if (model.answer.kind === "number") return [];
    return data.names;
  }

  /* Numbers --------------------------------------------------------------------------------------- */

  function percent(share) {
    if (share > 0 && share < 0.0005) return "< 0.1%";
    if (share < 1 && share > 0.9995) return "> 99.9%";
    return (100 * share).toFixed(1) + "%";
  }

  function signed(value) {
    const size = Math.abs(value) >= 100 ? 1 : Math.abs(value) >= 10 ? 2 : 3;
    const text = Math.abs(value).toFixed(size);
    return (value < 0 && Number(text) !== 0 ? "\u2212" : "+") + text;
  }

  function small(value) {
    if (!isFinite(value)) return "any size";
    if (value === 0) return "0";
    const power = Math.floor(Math.log10(value));
    if (power >= 2) return String(Math.ceil(value));
    const digits = Math.max(0, 1 - power), unit = Math.pow(10, digits);
    return power < -6 ? "0.000001" : (Math.ceil(value * unit) / unit).toFixed(digits);
  }

  /* Which words ------------------------------------------------------------------------------------ */

  function blanked(text, units, which) {
    let made = "", last = 0;
    units.forEach(function (unit, i) {
      if (!which.has(i)) return;
      made += text.slice(last, unit[0]) + " ".repeat(unit[1] - unit[0]);
      last = unit[1];
    });
    return made + text.slice(last);
  }

  function unitAt(units, place) {
    let low = 0, high = units.length;
    while (low < high) {
      const middle = low + high >> 1;
      if (units[middle][1] <= place) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /* What each word gets of the terms that it is in. */
  function sharesOf(units, result, parts) {
    const shares = new Float64Array(units.length);
    result.cuts.forEach(function (cut, k) {
      const counts = new Map(cut.ids.map(function (id, i) { return [id, cut.counts[i]]; }));
      for (const one of cut.where) {
        const weight = parts[k].get(one[0]);
        if (!weight) continue;
        const first = unitAt(units, one[1]);
        let last = first;
        while (last < units.length && units[last][0] < one[2]) last++;
        for (let i = first; i < last; i++) shares[i] += weight / counts.get(one[0]) / (last - first);
      }
    });
    return shares;
  }

  /* What is asked about ----------------------------------------------------------------------------- */

  /* The score that is explained: a factor for each score, and what it is for and against. */
  function question(scores, decided) {
    const kind = model.answer.kind, n = model.offset.length;
    const factors = new Array(n).fill(0);
    if (kind === "number") return { factors: [1], about: "the number", sides: ["a larger number", "a smaller one"] };
    if (kind === "ordered") {
      return { factors: [1], about: "the place on the scale", sides: ["a higher class", "a lower one"] };
    }
    let target = asked;
    if (kind === "labels") {
      if (target === null) target = decided.length ? decided[0] : best(scores, -1);
      factors[target] = 1;
      return { factors: factors, target: target, sides: [data.names[target], "not having it"],
        about: data.names[target] + " rather than not" };
    }
    if (target === null) target = decided;
    let other;
    if (n === 1) {
      other = 1 - target;
      factors[0] = target === 1 ? 1 : -1;
    } else {
      other = target === decided ? best(scores, target) : decided;
      factors[target] = 1;
      factors[other] = -1;
    }
    return { factors: factors, target: target, sides: [data.names[target], data.names[other]],
      about: data.names[target] + " rather than " + data.names[other] };
  }

  function best(scores, without) {
    let found = -1;
    scores.forEach(function (score, k) {
      if (k !== without && (found < 0 || score > scores[found])) found = k;
    });
    return found;
  }

  function sumOf(factors, values) {
    return factors.reduce(function (sum, factor, r) { return sum + (factor ? factor * values[r] : 0); }, 0);
  }

  /* Whether the model itself decides so, too, wherever in their bounds scores are. */
  function isSure(result, decided) {
    const answer = model.answer, move = function (up) {
      return Array.from(result.scores, function (s, r) { return s + up(r) * result.off[r]; });
    };
    if (answer.kind === "labels") {
      return result.scores.every(function (s, r) { return Math.abs(s) > result.off[r]; });
    }
    if (result.scores.length > 1) {
      return engine.decided(answer, move(function (r) { return r === decided ? -1 : 1; })) === decided;
    }
    return [-1, 1].every(function (sign) {
      return engine.decided(answer, move(function () { return sign; })) === decided;
    });
  }

  function ends(result, k) {
    const answer = model.answer;
    return [-1, 1].map(function (sign) {
      const own = result.scores.length === 1 ? (k === 1 ? sign : -sign) : 0;
      const moved = Array.from(result.scores, function (s, r) {
        // Without some of the terms: as far off as scores are as a rule.
        const off = data.error === null ? result.off[r] : Math.min(data.error, result.off[r]);
        return s + off * (own || (r === k ? sign : -sign));
      });
      return engine.probabilities(answer, moved)[k];
    });
  }

  /* The page ------------------------------------------------------------------------------------------ */

  function update() {
    const text = field.value.slice(0, LONGEST);
    search++;
    if (text !== shownText) off = new Set();
    shownText = text;
    problem(field.value.length > LONGEST ? "Only the first 300,000 characters are read." : "");
    at("result").hidden = text.trim() === "";
    if (text.trim() === "") { at("said").textContent = ""; return; }
    shownUnits = engine.units(model, text);
    const result = engine.scored(model, blanked(text, shownUnits, off), true);
    const decided = engine.decided(model.answer, result.scores);
    const about = question(result.scores, decided);
    const parts = engine.contributions(model, result, about.factors);
    verdict(result, decided, about);
    classes(result, decided);
    marked(text, sharesOf(shownUnits, result, parts), about);
    table(result, parts, about);
    unknown(result);
    at("all").hidden = off.size === 0;
    at("flip").textContent = "";
    if (model.answer.kind !== "number") look(text, result, decided, about, parts);
    say();
  }

  function nameOf(decided) {
    const kind = model.answer.kind;
    if (kind !== "labels") return data.names[decided];
    return decided.map(function (k) { return data.names[k]; }).join(", ") || "no label";
  }

  function verdict(result, decided, about) {
    const place = at("verdict"), P = engine.probabilities(model.answer, result.scores);
    place.textContent = "";
    if (model.answer.kind === "number") {
      place.append(element("strong", "", result.scores[0].toPrecision(5)));
    } else {
      const strong = element("strong", "", nameOf(decided));
      strong.dir = "auto";
      place.append(strong);
      if (P && model.answer.kind !== "labels") place.append(" ", percent(P[decided]));
    }
    const bound = Math.max.apply(null, Array.from(result.off));
    const least = "Scores are those of the model up to \u00b1" + small(bound);
    let said;
    if (model.answer.kind === "number") said = "This is the number of the model up to \u00b1" + small(bound) + ".";
    else if (isSure(result, decided)) said = least + ", too little to change what is decided.";
    else if (data.error === null) said = least + ": so close that the model itself may decide otherwise.";
    else {
      const likely = isSure({ scores: result.scores, off: result.scores.map(function (_, r) {
        return Math.min(data.error, result.off[r]);
      }) }, decided);
      said = likely ? "The model with all its terms is likely to decide so, too; it is not certain. " :
        "This is so close that the model with all its terms may decide otherwise. ";
      said += "Scores are off by less than " + small(data.error) + " as a rule, by " + small(bound) +
        " at the very most.";
    }
    at("bound").textContent = said;
  }

  function classes(result, decided) {
    const place = at("classes"), P = engine.probabilities(model.answer, result.scores);
    place.textContent = "";
    if (model.answer.kind === "number") return;
    const scores = result.scores.length === 1 && model.answer.kind === "classes" ?
      [-result.scores[0], result.scores[0]] : Array.from(result.scores);
    const shown = P || (model.answer.kind === "ordered" ? null : scores);
    if (!shown) return;
    const order = shown.map(function (_, k) { return k; });
    if (model.answer.kind !== "ordered") order.sort(function (a, b) { return shown[b] - shown[a] || a - b; });
    const widest = Math.max.apply(null, shown.map(Math.abs)) || 1;
    const items = order.map(function (k) {
      const item = element("li"), name = element("span", "", data.names[k]);
      name.dir = "auto";
      const is = model.answer.kind === "labels" ? decided.includes(k) : decided === k;
      if (is) { name.className = "chosen"; item.setAttribute("aria-current", "true"); }
      const bar = element("span", "bar");
      bar.setAttribute("aria-hidden", "true");
      bar.style.setProperty("--w", P ? P[k] : Math.max(0, shown[k] / widest));
      let number = P ? percent(P[k]) : signed(shown[k]);
      if (P && model.answer.kind === "classes") {
        const range = ends(result, k);
        const wide = Math.max(range[1] - P[k], P[k] - range[0]);
        if (wide > 0.0005) {
          number = percent(range[0]).replace("%", "") + "\u2013" + percent(range[1]);
        }
      }
      item.append(name, bar, element("span", "n", number));
      return item;
    });
    const first = element("ul", "classes");
    first.append.apply(first, items.slice(0, MOST_CLASSES));
    place.append(first);
    if (items.length > MOST_CLASSES) {
      const more = element("details"), rest = element("ul", "classes");
      more.append(element("summary", "", (items.length - MOST_CLASSES) + " more"), rest);
      rest.append.apply(rest, items.slice(MOST_CLASSES));
      place.append(more);
    }
    if (!P) {
      place.append(element("p", "soft", "These are scores; this model has no probabilities."));
    }
  }

  function marked(text, shares, about) {
    const beyond = shownUnits.findIndex(function (unit, i) {
      return i >= MOST_WORDS || unit[1] > MOST_SHOWN;
    });
    const n_shown = beyond < 0 ? shownUnits.length : beyond;
    const heaviest = Math.max.apply(null, [1e-12].concat(Array.from(shares.subarray(0, n_shown), Math.abs)));
    const pieces = document.createDocumentFragment(), focused = focusedWord();
    let last = 0;
    shownUnits.slice(0, n_shown).forEach(function (unit, i) {
      if (unit[0] > last) pieces.append(text.slice(last, unit[0]));
      const word = element("mark", "", text.slice(unit[0], unit[1]));
      const size = Math.abs(shares[i]) / heaviest, side = shares[i] > 0 ? 0 : 1;
      word.dataset.word = i;
      word.tabIndex = i === (focused < 0 ? 0 : focused) ? 0 : -1;
      word.setAttribute("role", "button");
      word.setAttribute("aria-pressed", String(off.has(i)));
      if (off.has(i)) {
        word.className = "off";
        word.title = "left out";
      } else if (size >= 0.05) {
        word.className = (side ? "against" : "for") + (size < 0.33 ? 1 : size < 0.66 ? 2 : 3);
        word.title = signed(shares[i]) + ", for " + about.sides[side];
      }
      pieces.append(word);
      last = unit[1];
    });
    const rest = shownUnits.length - n_shown;
    pieces.append(rest > 0 ? " \u2026 and " + rest.toLocaleString("en") + (rest === 1 ? " word more, which counts" : " more words, which count") + " as well" :
      text.slice(last, last + MOST_SHOWN));
    list.replaceChildren(pieces);
    if (focused >= 0) {
      const again = list.querySelector('[data-word="' + focused + '"]');
      if (again) again.focus();
    }
    const key = at("key"), left = element("mark", "for3", "solid underline");
    const right = element("mark", "against3", "dotted underline");
    const names = about.sides.map(function (side) {
      const name = element("bdi", "", side);
      return name;
    });
    key.replaceChildren(left, " speaks for ", names[0], ", ", right, " for ", names[1],
      ". A word that is clicked is left out.");
  }

  function focusedWord() {
    const active = document.activeElement;
    return active && active.parentNode === list ? Number(active.dataset.word) : -1;
  }

  function table(result, parts, about) {
    const rows = [], many = model.cuts.length > 1;
    result.cuts.forEach(function (cut, k) {
      const counts = new Map(cut.ids.map(function (id, i) { return [id, cut.counts[i]]; }));
      parts[k].forEach(function (weight, id) {
        const own = model.cuts[k], term = own.terms[id];
        rows.push([own.analyzer ? term.replace(/ /g, "\u2423") : term, counts.get(id), weight]);
      });
    });
    rows.sort(function (a, b) { return Math.abs(b[2]) - Math.abs(a[2]); });
    const body = at("terms"), offset = sumOf(about.factors, model.offset);
    const line = function (name, times, adds, kind) {
      const row = element("tr", kind), head = element("th");
      head.scope = "row";
      head.dir = "auto";
      head.textContent = name;
      row.append(head, element("td", "n", times), element("td", "n", adds));
      return row;
    };
    const lines = [line("before anything is read", "", signed(offset), "soft")];
    rows.slice(0, MOST_TERMS).forEach(function (row) {
      lines.push(line(row[0], String(row[1]), signed(row[2]), ""));
    });
    const rest = rows.slice(MOST_TERMS);
    if (rest.length) {
      const sum = rest.reduce(function (total, row) { return total + row[2]; }, 0);
      lines.push(line(rest.length.toLocaleString("en") + " other terms", "", signed(sum), "soft"));
    }
    const total = rows.reduce(function (sum, row) { return sum + row[2]; }, offset);
    lines.push(line("together: " + about.about, "", signed(total), "sum"));
    body.replaceChildren.apply(body, lines);
    body.dataset.total = total;
    body.dataset.cuts = many ? "several" : "one";
  }

  function unknown(result) {
    const known = result.cuts[0];
    const what = model.cuts[0].analyzer ? "terms" : "words";
    const n = known.terms - known.known;
    at("unknown").textContent = n === 0 ? "" : n.toLocaleString("en") + " of " +
      known.terms.toLocaleString("en") + " " + what + (n === 1 ? " is" : " are") + " not known here.";
  }

  function fillChoice() {
    const choice = at("asked"), kind = model.answer.kind;
    at("asked-control").hidden = kind === "number" || kind === "ordered";
    if (at("asked-control").hidden) return;
    const what = kind === "labels" ? "the first label" : "what is decided";
    choice.append(new Option(what, ""));
    names().forEach(function (name, k) { choice.append(new Option(name, String(k))); });
    choice.addEventListener("change", function () {
      asked = choice.value === "" ? null : Number(choice.value);
      update();
    });
  }

  /* A screen reader is told once the writer pauses. */
  function say() {
    clearTimeout(speaking);
    speaking = setTimeout(function () { at("said").textContent = at("verdict").textContent; }, 900);
  }

  /* The fewest words without which the decision is another one --------------------------------------- */

  function look(text, result, decided, about, parts) {
    const run = search, units = shownUnits, place = at("flip");
    const isLabels = model.answer.kind === "labels";
    const ask = function (which) {
      const together = new Set(off);
      which.forEach(function (i) { together.add(i); });
      return engine.decided(model.answer, engine.scored(model, blanked(text, units, together), false).scores);
    };
    const has = function (answer) { return isLabels ? answer.includes(about.target) : answer; };
    const before = has(decided);
    if (!isLabels && about.target !== undefined && about.target !== decided) { place.textContent = ""; return; }
    const flips = function (which) { return has(ask(which)) !== before; };
    const shares = sharesOf(units, result, parts);
    const sign = isLabels && !before ? -1 : model.answer.kind === "ordered" ? 0 : 1;
    const able = units.map(function (_, i) { return i; }).filter(function (i) { return !off.has(i); });
    const cost = Math.max(1, text.length);
    if (cost > 60000) { place.textContent = "The text is too long to look for the words that decide."; return; }
    place.textContent = "Looking for the words that decide \u2026";
    const steps = fewest(able, shares, sign, flips, cost);
    const go = function () {
      if (run !== search) return;
      const until = performance.now() + SLICE;
      let step;
      do step = steps.next(); while (!step.done && performance.now() < until);
      if (!step.done) { setTimeout(go, 0); return; }
      tell(step.value, text, units, ask, has, about);
    };
    setTimeout(go, 0);
  }

  function* fewest(able, shares, sign, flips, cost) {
    const singles = cost * able.length <= 2e7 && able.length <= MOST_SINGLE;
    for (const i of singles ? able : []) {
      if (flips([i])) return { words: [i], least: 1 };
      yield;
    }
    let order = able.slice();
    if (sign) {
      order = able.filter(function (i) { return sign * shares[i] > 0; });
      order.sort(function (a, b) { return sign * (shares[b] - shares[a]); });
    }
    let found = null;
    for (const way of sign ? [1] : [1, -1]) {
      if (!sign) {
        order = able.filter(function (i) { return way * shares[i] > 0; });
        order.sort(function (a, b) { return way * (shares[b] - shares[a]); });
      }
      const most = Math.min(order.length, Math.max(10, Math.min(MOST_STEPS, Math.floor(2e7 / cost))));
      for (let n = 1; n <= most; n++) {
        if (found && n >= found.length) break;
        if (flips(order.slice(0, n))) { found = order.slice(0, n); break; }
        yield;
      }
    }
    if (found === null) return { words: null, least: singles ? 2 : 1 };
    for (const i of found.slice()) { // words that were not needed after all
      const rest = found.filter(function (j) { return j !== i; });
      if (rest.length && flips(rest)) found = rest;
      yield;
    }
    let least = singles ? 2 : 1;
    for (let size = 2; singles && size < found.length && size <= 3; size++) {
      if (combinations(able.length, size) > Math.min(MOST_TRIED, 2e7 / cost)) break;
      for (const some of choices(able, size)) {
        if (flips(some)) return { words: some, least: size };
        yield;
      }
      least = size + 1;
    }
    return { words: found, least: Math.min(least, found.length) };
  }

  function combinations(n, size) {
    let number = 1;
    for (let k = 0; k < size; k++) number = number * (n - k) / (k + 1);
    return number;
  }

  function* choices(from, size, start) {
    if (size === 0) { yield []; return; }
    for (let i = start || 0; i + size <= from.length; i++) {
      for (const rest of choices(from, size - 1, i + 1)) yield [from[i]].concat(rest);
    }
  }

  function tell(found, text, units, ask, has, about) {
    const place = at("flip");
    if (found.words === null) {
      place.dataset.least = found.least;
      place.textContent = found.least > 1 ?
        "Leaving out any single word, or all that speak for it, does not change what is decided." :
        "Leaving out the words that speak most for it does not change what is decided.";
      place.dataset.words = "";
      return;
    }
    const words = found.words.slice().sort(function (a, b) { return a - b; });
    const after = ask(words);
    const label = model.answer.kind === "labels" ?
      (has(after) ? "with " : "without ") + data.names[about.target] : data.names[after];
    const together = new Set([...off, ...words]);
    const again = engine.scored(model, blanked(text, units, together), false);
    let doubt = "";
    if (data.error !== null) doubt = ", by the terms that are in this page";
    else if (!isSure(again, after)) doubt = ", as close as can be told";
    const button = element("button", "", "Leave " + (words.length === 1 ? "it" : "them") + " out");
    button.type = "button";
    button.addEventListener("click", function () {
      words.forEach(function (i) { off.add(i); });
      update();
    });
    const listed = words.slice(0, 12).map(function (i) { return text.slice(units[i][0], units[i][1]); });
    const named = element("bdi", "", "\u201c" + listed.join("\u201d, \u201c") + "\u201d" +
      (words.length > 12 ? " \u2026" : ""));
    const which = element("strong", "", label);
    which.dir = "auto";
    const none = ["", "", "No single word does that", "No two words do that", "No three words do that"];
    let claim = ". ";
    if (words.length > 1 && found.least === words.length) claim += none[found.least] + ". ";
    else if (words.length > 1) {
      claim += found.least > 1 ? none[found.least] + "; perhaps fewer than these do. " :
        "Perhaps fewer words do that. ";
    }
    place.replaceChildren("Without " + (words.length === 1 ? "one word" : words.length + " words") + " (",
      named, ") it would be ", which, doubt, claim, button);
    place.dataset.words = JSON.stringify(words.map(function (i) { return units[i]; }));
    place.dataset.least = found.least;
  }

  /* Hands ------------------------------------------------------------------------------------------------ */

  function soon() {
    clearTimeout(timer);
    timer = setTimeout(function () { load().then(update, function () {}); },
      field.value.length > 20000 ? 400 : 120);
  }

  function toggle(word) {
    const i = Number(word.dataset.word);
    if (off.has(i)) off.delete(i);
    else off.add(i);
    for (const other of list.querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
    word.tabIndex = 0;
    word.focus();
    update();
  }

  field.addEventListener("input", soon);
  field.addEventListener("focus", function () { load().catch(function () {}); }, { once: true });
  list.addEventListener("click", function (event) {
    const word = event.target.closest("[data-word]");
    if (word) toggle(word);
  });
  list.addEventListener("keydown", function (event) {
    const word = event.target.closest("[data-word]");
    if (!word) return;
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) {
      const next = list.querySelector('[data-word="' + (Number(word.dataset.word) + step) + '"]');
      if (next) { word.tabIndex = -1; next.tabIndex = 0; next.focus(); }
    } else if (event.key === "Enter" || event.key === " ") toggle(word);
    else return;
    event.preventDefault();
  });
  at("all").addEventListener("click", function () {
    off = new Set();
    update();
    field.focus();
  });
  for (const button of document.querySelectorAll("[data-example]")) {
    button.addEventListener("click", function () {
      const one = data.examples[Number(button.dataset.example)];
      field.value = one.text;
      load().then(update, function () {});
    });
  }
  box.hidden = false;
})();
