"use strict";
(function () {
  const data = JSON.parse(document.getElementById("topic-data").textContent);
  const byNumber = new Map(data.topics.map(function (topic, place) { return [topic.topic, place]; }));
  const find = function (selector) { return Array.from(document.querySelectorAll(selector)); };
  const circles = new Map(find(".map .topic").map(function (g) { return [Number(g.dataset.topic), g]; }));
  const slider = document.getElementById("relevance");
  const list = document.getElementById("topic-terms");
  const said = document.getElementById("topic-said");
  let chosen = data.topics[0].topic;
  let pinned = null;

  function shown(value) {
    if (value >= 99.5) return Math.round(value).toLocaleString("en");
    return value >= 9.95 ? value.toFixed(0) : value.toFixed(1);
  }

  /* lambda log p(word | topic) + (1 - lambda) log(p(word | topic) / p(word)), the largest first. */
  function relevant(topic, lambda) {
    const total = topic.frequencies.length && topic.share * data.tokens;
    const scored = topic.terms.map(function (word, i) {
      const own = topic.frequencies[i] / total, all = data.frequencies[word] / data.tokens;
      return [Math.log(own) - (1 - lambda) * Math.log(all), word, topic.frequencies[i]];
    });
    scored.sort(function (a, b) { return b[0] - a[0] || a[1] - b[1]; });
    return scored.slice(0, data.shown);
  }

  function spreadOf(word) {
    const parts = new Map(), flat = data.spread[word];
    for (let i = 0; i < flat.length; i += 2) parts.set(flat[i], flat[i + 1]);
    return parts;
  }

  function resize(word) {
    const parts = word === null ? null : spreadOf(word);
    const largest = Math.max.apply(null, data.topics.map(function (topic) { return topic.radius; }));
    for (const topic of data.topics) {
      const g = circles.get(topic.topic);
      const part = parts ? parts.get(topic.topic) || 0 : 1;
      const radius = parts ? Math.max(1.4 * largest * Math.sqrt(part), 3) : topic.radius;
      g.querySelector("circle").setAttribute("r", radius.toFixed(1));
      g.classList.toggle("absent", part === 0);
    }
  }

  function row(found, most) {
    const word = found[1], item = document.createElement("li");
    const name = document.createElement("button"), bar = document.createElement("span");
    const numbers = document.createElement("span");
    name.type = "button";
    name.textContent = name.title = data.words[word];
    name.dir = "auto";
    name.setAttribute("aria-pressed", String(pinned === word));
    name.dataset.word = word;
    bar.className = "two";
    bar.setAttribute("aria-hidden", "true");
    bar.style.setProperty("--all", data.frequencies[word] / most);
    bar.style.setProperty("--own", Math.min(found[2], data.frequencies[word]) / most);
    numbers.className = "n";
    numbers.textContent = shown(found[2]) + " of " + shown(data.frequencies[word]);
    item.dataset.row = JSON.stringify([data.words[word], found[2], data.frequencies[word]]);
    item.append(name, bar, numbers);
    return item;
  }

  function draw() {
    const topic = data.topics[byNumber.get(chosen)];
    const found = relevant(topic, Number(slider.value));
    const most = Math.max.apply(null, found.map(function (one) { return data.frequencies[one[1]]; }));
    list.replaceChildren.apply(list, found.map(function (one) { return row(one, most); }));
    document.getElementById("relevance-now").textContent = Number(slider.value).toFixed(2);
    document.getElementById("topic-words-title").textContent = "Words of topic " + topic.label;
    document.getElementById("topic-facts").textContent = topic.facts;
    return found;
  }

  function choose(number, focus) {
    chosen = number;
    pinned = null;
    resize(null);
    const found = draw();
    circles.forEach(function (g, topic) {
      g.setAttribute("aria-pressed", String(topic === number));
      g.setAttribute("tabindex", topic === number ? "0" : "-1");
    });
    if (focus) circles.get(number).focus();
    for (const select of find(".topic-choice")) select.value = String(number);
    for (const group of find("[data-documents]")) {
      group.hidden = Number(group.dataset.documents) !== number;
    }
    said.textContent = "Topic " + data.topics[byNumber.get(number)].label + ": " +
      found.slice(0, 8).map(function (one) { return data.words[one[1]]; }).join(", ");
    showShares(number);
  }

  /* The chart of shares by a column is drawn by Vega; it may not be there yet. */
  function showShares(number) {
    for (const figure of find("figure[id=chart-selected], figure[id^=chart-curve-]")) {
      const view = (window.quireViews || {})[figure.id];
      if (view) view.signal("topic", number).runAsync();
      const title = document.getElementById(figure.id + "-title");
      title.dataset.text = title.dataset.text || title.textContent;
      title.textContent = title.dataset.text.replace("The chosen topic",
        "Topic " + data.topics[byNumber.get(number)].label);
      const table = figure.querySelector("table");
      if (table) table.closest("details").hidden = number !== data.topics[0].topic;
    }
  }

  for (const select of find(".forest-choice")) {
    select.addEventListener("change", function () {
      const view = (window.quireViews || {})[select.dataset.of];
      if (view) view.signal("comparison", select.value).runAsync();
    });
  }

  function move(step, focus) {
    const size = data.topics.length;
    const place = (byNumber.get(chosen) + step + size) % size;
    choose(data.topics[place].topic, focus);
  }

  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  circles.forEach(function (g, topic) {
    g.addEventListener("click", function () { choose(topic, true); });
    g.addEventListener("keydown", function (event) {
      if (event.key in steps) move(steps[event.key], true);
      else if (event.key === "Home") choose(data.topics[0].topic, true);
      else if (event.key === "End") choose(data.topics[data.topics.length - 1].topic, true);
      else if (event.key === "Enter" || event.key === " ") choose(topic, true);
      else return;
      event.preventDefault();
    });
  });
  for (const select of find(".topic-choice")) {
    select.addEventListener("change", function () { choose(Number(select.value), false); });
  }
  for (const link of find("[data-pick]")) {
    link.addEventListener("click", function () { choose(Number(link.dataset.pick), false); });
  }
  document.getElementById("topic-back").addEventListener("click", function () { move(-1, false); });
  document.getElementById("topic-on").addEventListener("click", function () { move(1, false); });
  slider.addEventListener("input", draw);

  function wordAt(event) {
    const button = event.target.closest && event.target.closest("button[data-word]");
    return button ? Number(button.dataset.word) : null;
  }
  for (const name of ["mouseover", "focusin"]) {
    list.addEventListener(name, function (event) {
      const word = wordAt(event);
      if (word !== null) resize(word);
    });
  }
  for (const name of ["mouseleave", "focusout"]) {
    list.addEventListener(name, function () { resize(pinned); });
  }
  list.addEventListener("click", function (event) {
    const word = wordAt(event);
    if (word === null) return;
    pinned = pinned === word ? null : word;
    for (const button of list.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(Number(button.dataset.word) === pinned));
    }
    resize(pinned === null ? word : pinned);
  });

  /* ---- the topic of every token ---- */
  function wordsOf(number) {
    const topic = data.topics[byNumber.get(number)];
    return relevant(topic, 0.6).slice(0, 8).map(function (one) { return data.words[one[1]]; }).join(" ");
  }

  function tell(item, token) {
    for (const one of item.querySelectorAll(".at")) one.classList.remove("at");
    const place = item.querySelector(".token-said");
    if (!token) { place.textContent = ""; return; }
    token.classList.add("at");
    const number = Number(token.dataset.t), word = token.firstChild.textContent;
    place.textContent = word + ": topic " + data.topics[byNumber.get(number)].label + ", " +
      token.dataset.p + " % (" + wordsOf(number) + ")";
  }

  function light(item, number) {
    const text = item.querySelector("blockquote");
    text.classList.toggle("one-topic", number !== null);
    for (const token of text.querySelectorAll(".t")) {
      token.classList.toggle("lit", Number(token.dataset.t) === number);
    }
  }

  for (const text of find("blockquote.tokens")) {
    const item = text.closest("li");
    text.addEventListener("mouseover", function (event) {
      const token = event.target.closest(".t");
      if (token) tell(item, token);
    });
    text.addEventListener("mouseleave", function () { tell(item, null); });
    text.addEventListener("blur", function () { tell(item, null); });
    text.addEventListener("click", function (event) { tell(item, event.target.closest(".t")); });
    text.addEventListener("keydown", function (event) {
      const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (!by) return;
      const tokens = Array.from(text.querySelectorAll(".t"));
      if (!tokens.length) return;
      const now = tokens.findIndex(function (one) { return one.classList.contains("at"); });
      tell(item, tokens[now < 0 ? (by > 0 ? 0 : tokens.length - 1) : (now + by + tokens.length) % tokens.length]);
      event.preventDefault();
    });
  }
  for (const button of find(".token-legend button")) {
    const item = button.closest(".mistakes > li"), number = Number(button.dataset.t);
    for (const name of ["mouseenter", "focus"]) {
      button.addEventListener(name, function () { light(item, number); });
    }
    for (const name of ["mouseleave", "blur"]) {
      button.addEventListener(name, function () { light(item, null); });
    }
    button.addEventListener("click", function () {
      light(item, null);
      choose(number, false);
      document.getElementById("explore").scrollIntoView();
    });
  }

  document.documentElement.dataset.js = "on";
  choose(chosen, false);
})();
