"use strict";
(function () {
  const data = JSON.parse(document.getElementById("map-data").textContent);
  const at = function (id) { return document.getElementById(id); };
  const canvas = at("map-canvas"), box = at("map-box"), card = at("map-card");
  const ink = canvas.getContext("2d");
  const count = data.x.length, STEPS = 65535, MARGIN = 16, REACH = 14, HITS = 20, ROUNDS = 8;
  const X = new Float64Array(count), Y = new Float64Array(count);
  let high = 0, wide = 0;
  for (let i = 0; i < count; i++) {
    X[i] = data.x[i] / STEPS; Y[i] = data.y[i] / STEPS;
    wide = Math.max(wide, X[i]); high = Math.max(high, Y[i]);
  }
  window.quireMap = {};
  const view = { scale: 1, left: 0, top: 0, width: 0, height: 0, zoom: 1 };
  let colour = data.colours.length ? data.colours[0] : null;
  let hidden = new Set();
  let found = null;         /* documents that a search found: a byte each, or null */
  let lit = null;           /* the class whose name is pointed at, or null */
  let current = -1, kept = false, waiting = false, palette = {};

  /* ---- places ---- */
  const screenX = function (i) { return view.left + X[i] * view.scale; };
  const screenY = function (i) { return view.top - Y[i] * view.scale; };

  function fit() {
    view.scale = Math.min((view.width - 2 * MARGIN) / (wide || 1), (view.height - 2 * MARGIN) / (high || 1));
    view.left = (view.width - wide * view.scale) / 2;
    view.top = (view.height + high * view.scale) / 2;
    view.zoom = 1;
    ask();
  }

  function zoom(factor, x, y) {
    const next = Math.min(Math.max(view.zoom * factor, 0.5), 400);
    factor = next / view.zoom;
    view.zoom = next;
    view.scale *= factor;
    view.left = x + (view.left - x) * factor;
    view.top = y + (view.top - y) * factor;
    ask();
  }

  function middle(factor) { zoom(factor, view.width / 2, view.height / 2); }

  function move(x, y) { view.left += x; view.top += y; ask(); }

  /* Documents by cells of a grid, so that the one under the pointer is found at once. */
  const CELLS = Math.max(1, Math.min(128, Math.round(Math.sqrt(count / 4))));
  const cells = new Map();
  const cellOf = function (value) { return Math.min(CELLS - 1, Math.max(0, Math.floor(value * CELLS))); };
  for (let i = 0; i < count; i++) {
    const key = cellOf(X[i]) * CELLS + cellOf(Y[i]);
    if (cells.has(key)) cells.get(key).push(i); else cells.set(key, [i]);
  }

  function nearest(x, y) {
    const u = (x - view.left) / view.scale, v = (view.top - y) / view.scale, reach = REACH / view.scale;
    let best = -1, least = REACH * REACH;
    for (let a = cellOf(u - reach); a <= cellOf(u + reach); a++) {
      for (let b = cellOf(v - reach); b <= cellOf(v + reach); b++) {
        for (const i of cells.get(a * CELLS + b) || []) {
          if (!shown(i)) continue;
          const dx = screenX(i) - x, dy = screenY(i) - y, d = dx * dx + dy * dy;
          if (d < least || (d === least && best < 0)) { least = d; best = i; }
        }
      }
    }
    return best;
  }

  /* ---- colours ---- */
  function groupOf(i) { return colour && colour.kind === "groups" ? colour.codes[i] : -1; }
  function shown(i) { return !hidden.has(groupOf(i)) && (found === null || found[i] === 1); }

  function readPalette() {
    const style = getComputedStyle(document.documentElement);
    const of = function (name) { return style.getPropertyValue(name).trim(); };
    palette = { ink: of("--ink"), line: of("--line"), soft: of("--soft"), paper: of("--paper"), c: [] };
    for (let k = 1; k <= 8; k++) palette.c.push(of("--c" + k));
    const rgb = function (hex) {
      return [1, 3, 5].map(function (k) { return parseInt(hex.slice(k, k + 2), 16); });
    };
    const stops = [palette.c[0], palette.c[3], palette.c[1]].map(rgb);
    palette.ramp = [];
    for (let k = 0; k < 64; k++) {
      const t = k / 63 * 2, from = stops[Math.min(1, Math.floor(t))], to = stops[Math.min(1, Math.floor(t)) + 1];
      const part = t - Math.min(1, Math.floor(t));
      palette.ramp.push("rgb(" + from.map(function (a, j) {
        return Math.round(a + (to[j] - a) * part);
      }).join(",") + ")");
    }
  }

  function classOf(i) {
    if (!colour) return 0;
    if (colour.kind === "groups") return colour.codes[i];
    const value = colour.values[i];
    if (value === null) return -1;
    const part = colour.high > colour.low ? (value - colour.low) / (colour.high - colour.low) : 0.5;
    return Math.round(Math.min(1, Math.max(0, part)) * 63);
  }

  function fillOf(code) {
    if (code < 0) return palette.soft;
    return colour && colour.kind !== "groups" ? palette.ramp[code] : palette.c[code % 8];
  }

  /* Four shapes, so that more than eight classes can be told apart, and without colours, too. */
  function mark(x, y, r, shape) {
    if (shape === 0) { ink.moveTo(x + r, y); ink.arc(x, y, r, 0, 6.2832); }
    else if (shape === 1) ink.rect(x - r * 0.9, y - r * 0.9, r * 1.8, r * 1.8);
    else if (shape === 2) {
      ink.moveTo(x, y - r * 1.2); ink.lineTo(x + r * 1.1, y + r * 0.9); ink.lineTo(x - r * 1.1, y + r * 0.9);
      ink.closePath();
    } else {
      ink.moveTo(x, y - r * 1.3); ink.lineTo(x + r * 1.3, y); ink.lineTo(x, y + r * 1.3);
      ink.lineTo(x - r * 1.3, y); ink.closePath();
    }
  }
  const shapeOf = function (code) {
    return colour && colour.kind === "groups" && code >= 0 ? Math.floor(code / 8) % 4 : 0;
  };

  /* ---- drawing ---- */
  function ask() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(function () { waiting = false; draw(); });
  }

  function radius() {
    const base = count > 20000 ? 1.6 : count > 5000 ? 2.2 : count > 800 ? 3 : 4.5;
    return Math.min(7, base * Math.sqrt(Math.sqrt(Math.max(1, view.zoom))));
  }

  /* Points of one look are drawn at once, in several rounds, so that no class covers all others. */
  function layered() {
    const layers = new Map();
    for (let i = 0; i < count; i++) {
      if (hidden.has(groupOf(i))) continue;
      const x = screenX(i), y = screenY(i);
      if (x < -9 || y < -9 || x > view.width + 9 || y > view.height + 9) continue;
      const code = classOf(i), round = i % ROUNDS;
      const faint = Boolean(found && !found[i]) || (lit !== null && groupOf(i) !== lit);
      const key = (faint ? 0 : 1e6) + round * 1000 + code + 1;
      if (layers.has(key)) layers.get(key).rows.push(i);
      else layers.set(key, { key: key, code: code, faint: faint, rows: [i] });
    }
    return Array.from(layers.values()).sort(function (a, b) { return a.key - b.key; });
  }

  function drawLayer(layer, size) {
    const strong = !layer.faint && (found || lit !== null), shape = shapeOf(layer.code);
    ink.globalAlpha = layer.faint ? 0.1 : strong ? 0.9 : count > 5000 ? 0.55 : 0.75;
    ink.fillStyle = fillOf(layer.code);
    ink.beginPath();
    for (const i of layer.rows) mark(screenX(i), screenY(i), strong ? size * 1.25 : size, shape);
    ink.fill();
    if (found && !layer.faint && layer.rows.length < 1000) {
      ink.strokeStyle = palette.ink; ink.lineWidth = 0.8; ink.stroke();
    }
  }

  /* ---- names of places: larger ones first, none over another; nearer views have smaller places ---- */
  const named = at("map-names");

  function levelNow() {
    const deepest = data.names.reduce(function (most, one) { return Math.max(most, one.level); }, 0);
    return Math.min(deepest, view.zoom < 2 ? 0 : view.zoom < 5 ? 1 : 2);
  }

  function nameBox(one, size) {
    const wide = ink.measureText(one.words).width + 10, x = view.left + one.x * view.scale;
    const left = Math.max(2, Math.min(x - wide / 2, view.width - wide - 2));
    const top = Math.max(2, Math.min(view.top - one.y * view.scale - size * 0.7, view.height - size * 1.4 - 2));
    return { left: left, top: top, right: left + wide, bottom: top + size * 1.4 };
  }

  function apart(a, b) {
    return a.right < b.left || b.right < a.left || a.bottom < b.top || b.bottom < a.top;
  }

  function drawNames() {
    const taken = [];
    canvas.dataset.names = "0";
    if (!named || !named.checked) return;
    const size = view.width < 500 ? 11 : 13, level = levelNow();
    ink.font = "600 " + size + "px system-ui, sans-serif";
    ink.textBaseline = "top";
    ink.lineJoin = "round";
    for (const one of data.names) {
      const x = view.left + one.x * view.scale, y = view.top - one.y * view.scale;
      if (one.level !== level || x < 0 || y < 0 || x > view.width || y > view.height) continue;
      const wanted = nameBox(one, size), step = size * 1.5;
      /* where it belongs, or a little above or below, or not at all */
      const box = [0, -step, step, -2 * step, 2 * step].map(function (by) {
        return { left: wanted.left, right: wanted.right, top: wanted.top + by, bottom: wanted.bottom + by };
      }).find(function (box) {
        return box.top >= 0 && box.bottom <= view.height &&
          taken.every(function (other) { return apart(box, other); });
      });
      if (!box) continue;
      box.words = one.words;
      box.size = size;
      taken.push(box);
      ink.globalAlpha = 0.85;
      ink.strokeStyle = palette.paper;
      ink.lineWidth = 4;
      ink.strokeText(one.words, box.left + 5, box.top + size * 0.2);
      ink.globalAlpha = 1;
      ink.fillStyle = palette.ink;
      ink.fillText(one.words, box.left + 5, box.top + size * 0.2);
    }
    canvas.dataset.names = String(taken.length);
    window.quireMap.names = taken;
  }
  if (named) named.addEventListener("change", ask);

  /* A place in the list is shown in the middle, as near as its documents need. */
  for (const button of document.querySelectorAll("[data-place]")) {
    button.addEventListener("click", function () {
      const one = data.names[Number(button.dataset.place)];
      fit();
      zoom(2.5, view.left + one.x * view.scale, view.top - one.y * view.scale);
      move(view.width / 2 - view.left - one.x * view.scale, view.height / 2 - view.top + one.y * view.scale);
      canvas.focus();
      canvas.scrollIntoView({ block: "center" });
    });
  }

  function draw() {
    const ratio = window.devicePixelRatio || 1;
    ink.setTransform(ratio, 0, 0, ratio, 0, 0);
    ink.clearRect(0, 0, view.width, view.height);
    if (data.zero) {
      ink.strokeStyle = palette.line;
      ink.lineWidth = 1;
      ink.beginPath();
      const zeroX = view.left + data.zero[0] * view.scale, zeroY = view.top - data.zero[1] * view.scale;
      ink.moveTo(zeroX, 0); ink.lineTo(zeroX, view.height);
      ink.moveTo(0, zeroY); ink.lineTo(view.width, zeroY);
      ink.stroke();
    }
    const layers = layered();
    for (const layer of layers) drawLayer(layer, radius());
    ink.globalAlpha = 1;
    drawNames();
    if (current >= 0) {
      ink.beginPath();
      mark(screenX(current), screenY(current), radius() + 3, 0);
      ink.strokeStyle = palette.ink; ink.lineWidth = 2; ink.stroke();
    }
    place();
    canvas.classList.toggle("zoomed", view.zoom > 1.01);
    canvas.dataset.zoom = view.zoom.toFixed(3);
    canvas.dataset.drawn = String(layers.reduce(function (sum, layer) {
      return sum + (layer.faint ? 0 : layer.rows.length);
    }, 0));
  }

  function resize() {
    const size = canvas.getBoundingClientRect(), ratio = window.devicePixelRatio || 1;
    const first = view.width === 0;
    const dx = (size.width - view.width) / 2, dy = (size.height - view.height) / 2;
    view.width = size.width; view.height = size.height;
    canvas.width = Math.round(size.width * ratio); canvas.height = Math.round(size.height * ratio);
    if (first || view.zoom === 1) fit(); else move(dx, dy);
    draw();
  }

  /* ---- the document that is pointed at ---- */
  function valueIn(one, i) {
    if (one.kind === "groups") return one.codes[i] < 0 ? "–" : one.groups[one.codes[i]];
    const value = one.values[i];
    if (value === null) return "–";
    return one.kind === "dates" ? day(value) : String(value);
  }
  function day(value) { return new Date(value * 86400000).toISOString().slice(0, 10); }

  function facts(i) {
    const parts = data.colours.map(function (one) { return one.name + ": " + valueIn(one, i); });
    parts.push("row " + data.rows[i].toLocaleString("en"));
    return parts.join("; ");
  }

  function choose(i, keep, aloud) {
    current = i;
    kept = keep && i >= 0;
    card.hidden = i < 0;
    card.classList.toggle("kept", kept);
    if (i >= 0) {
      const text = document.createElement("div"), about = document.createElement("div");
      text.dir = about.dir = "auto";
      text.textContent = data.texts.length ? data.texts[i] : "";
      about.className = "soft";
      about.textContent = facts(i);
      card.replaceChildren(text, about);
      if (aloud) at("map-said").textContent = text.textContent + " " + about.textContent;
    }
    ask();
  }

  function place() {
    if (current < 0 || card.hidden) return;
    const x = screenX(current), y = screenY(current);
    const w = card.offsetWidth, h = card.offsetHeight;
    const left = x + 14 + w < view.width ? x + 14 : x - 14 - w;
    const top = y + 14 + h < view.height ? y + 14 : y - 14 - h;
    card.style.left = Math.max(4, Math.min(left, view.width - w - 4)) + "px";
    card.style.top = Math.max(4, top) + "px";
  }

  function pointerAt(event) {
    const edge = canvas.getBoundingClientRect();
    return [event.clientX - edge.left, event.clientY - edge.top];
  }

  let from = null, moved = 0;
  canvas.addEventListener("pointerdown", function (event) {
    from = pointerAt(event); moved = 0;
    if (event.pointerId !== undefined && canvas.setPointerCapture && event.isTrusted) {
      canvas.setPointerCapture(event.pointerId);
    }
  });
  canvas.addEventListener("pointermove", function (event) {
    const now = pointerAt(event);
    if (from) {
      moved += Math.abs(now[0] - from[0]) + Math.abs(now[1] - from[1]);
      if (moved > 4) { canvas.classList.add("moving"); move(now[0] - from[0], now[1] - from[1]); }
      from = now;
      return;
    }
    const i = nearest(now[0], now[1]);
    canvas.classList.toggle("at", i >= 0);
    if (!kept && i !== current) choose(i, false, false);
  });
  canvas.addEventListener("pointerup", function (event) {
    const now = pointerAt(event);
    if (from && moved <= 4) {
      const i = nearest(now[0], now[1]);
      choose(i, !(kept && i === current), false);
    }
    from = null;
    canvas.classList.remove("moving");
  });
  canvas.addEventListener("pointercancel", function () { from = null; canvas.classList.remove("moving"); });
  canvas.addEventListener("pointerleave", function () { if (!kept && !from) choose(-1, false, false); });
  canvas.addEventListener("dblclick", function (event) {
    const now = pointerAt(event);
    zoom(2, now[0], now[1]);
  });
  canvas.addEventListener("wheel", function (event) {
    if (document.activeElement !== canvas && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const now = pointerAt(event);
    zoom(Math.exp(-Math.max(-50, Math.min(50, event.deltaY)) * 0.006), now[0], now[1]);
  }, { passive: false });

  /* ---- keys ---- */
  const order = Array.from({ length: count }, function (_, i) { return i; })
    .sort(function (a, b) { return X[a] - X[b] || a - b; });

  function step(by) {
    const visible = order.filter(shown);
    if (!visible.length) return;
    const now = visible.indexOf(current);
    const next = now < 0 ? (by > 0 ? 0 : visible.length - 1) : (now + by + visible.length) % visible.length;
    show(visible[next]);
  }

  function show(i) {
    const x = screenX(i), y = screenY(i);
    if (x < 8 || y < 8 || x > view.width - 8 || y > view.height - 8) move(view.width / 2 - x, view.height / 2 - y);
    choose(i, true, true);
  }

  const keys = {
    ArrowLeft: function () { move(40, 0); }, ArrowRight: function () { move(-40, 0); },
    ArrowUp: function () { move(0, 40); }, ArrowDown: function () { move(0, -40); },
    "+": function () { middle(1.5); }, "=": function () { middle(1.5); }, "-": function () { middle(1 / 1.5); },
    "0": fit, n: function () { step(1); }, p: function () { step(-1); },
    Escape: function () { choose(-1, false, false); },
  };
  canvas.addEventListener("keydown", function (event) {
    if (!(event.key in keys) || event.ctrlKey || event.metaKey || event.altKey) return;
    keys[event.key]();
    event.preventDefault();
  });
  at("map-in").addEventListener("click", function () { middle(1.5); });
  at("map-out").addEventListener("click", function () { middle(1 / 1.5); });
  at("map-all").addEventListener("click", fit);

  /* ---- search ---- */
  const bytes = Uint8Array.from(atob(data.places), function (letter) { return letter.charCodeAt(0); });
  const starts = [0];
  for (const length of data.lengths) starts.push(starts[starts.length - 1] + length);
  const numbers = new Map(data.terms.map(function (term, number) { return [term, number]; }));

  function addDocuments(number, into) {
    let document_ = 0, value = 0, shift = 0;
    for (let k = starts[number]; k < starts[number + 1]; k++) {
      value |= (bytes[k] & 127) << shift;
      if (bytes[k] & 128) { shift += 7; continue; }
      document_ += value;
      into[document_] = 1;
      value = shift = 0;
    }
  }

  /* A word that the index has; or words that start with it; or the starts of texts, as they are. */
  function withWord(word) {
    const into = new Uint8Array(count);
    let how = "";
    if (numbers.has(word)) addDocuments(numbers.get(word), into);
    else {
      const longer = word.length < 3 ? [] : data.terms.filter(function (term) { return term.startsWith(word); });
      if (longer.length) {
        longer.forEach(function (term) { addDocuments(numbers.get(term), into); });
        how = longer.length === 1 ? " (as " + longer[0] + ")" : " (words that start so)";
      } else {
        data.texts.forEach(function (text, i) { if (text.toLowerCase().includes(word)) into[i] = 1; });
        how = " (not a term that counts: looked for in what is shown of the texts)";
      }
    }
    return [into, how];
  }

  function search(query) {
    const words = query.toLowerCase().trim().replace(/\s+/g, " ");
    const said = at("map-found"), hits = at("map-hits");
    hits.replaceChildren();
    if (!words) { found = null; said.textContent = ""; choose(-1, false, false); return; }
    let how = "";
    const parts = numbers.has(words) ? [words] : words.split(" ");
    found = null;
    for (const part of parts) {
      const own = withWord(part);
      how = how || own[1];
      found = found === null ? own[0] : found.map(function (value, i) { return value & own[0][i]; });
    }
    const list = [];
    found.forEach(function (value, i) { if (value) list.push(i); });
    said.textContent = list.length.toLocaleString("en") + (list.length === 1 ? " document contains " : " documents contain ") +
      "“" + words + "”" + how + (list.length > HITS ? "; the first " + HITS + " are listed below the map" : "");
    for (const i of list.slice(0, HITS)) {
      const item = document.createElement("li"), button = document.createElement("button");
      button.type = "button";
      button.dir = "auto";
      button.textContent = data.texts[i] || "row " + data.rows[i];
      button.addEventListener("click", function () { show(i); });
      button.addEventListener("focus", function () { choose(i, false, false); });
      item.append(button);
      hits.append(item);
    }
    choose(-1, false, false);
  }
  const field = at("map-search");
  if (field) field.addEventListener("input", function () { search(field.value); });

  /* ---- legend ---- */
  const SHAPES = ["M14 8a6 6 0 1 1-12 0a6 6 0 1 1 12 0", "M3 3h10v10h-10z", "M8 1l6.5 12h-13z", "M8 .5l7 7.5l-7 7.5l-7-7.5z"];

  function legendButton(name, code, size) {
    const item = document.createElement("li"), button = document.createElement("button");
    const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    picture.setAttribute("viewBox", "0 0 16 16");
    picture.setAttribute("aria-hidden", "true");
    path.setAttribute("d", SHAPES[shapeOf(code)]);
    path.setAttribute("fill", code < 0 ? "var(--soft)" : "var(--c" + (code % 8 + 1) + ")");
    picture.append(path);
    const label = document.createElement("span"), n = document.createElement("span");
    label.textContent = name;
    label.dir = "auto";
    n.className = "n";
    n.textContent = size.toLocaleString("en");
    button.type = "button";
    button.dataset.code = code;
    button.setAttribute("aria-pressed", "true");
    button.append(picture, label, n);
    button.addEventListener("click", function () {
      if (hidden.has(code)) hidden.delete(code); else hidden.add(code);
      button.setAttribute("aria-pressed", String(!hidden.has(code)));
      lit = null;
      if (current >= 0 && !shown(current)) choose(-1, false, false);
      ask();
    });
    for (const name of ["pointerenter", "focus"]) {
      button.addEventListener(name, function () { lit = hidden.has(code) ? null : code; ask(); });
    }
    for (const name of ["pointerleave", "blur"]) {
      button.addEventListener(name, function () { lit = null; ask(); });
    }
    item.append(button);
    return item;
  }

  function allButtons(list) {
    const row = document.createElement("div");
    row.className = "controls";
    for (const pair of [["All", true], ["None", false]]) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = pair[0];
      button.addEventListener("click", function () {
        for (const one of list.querySelectorAll("button")) {
          const code = Number(one.dataset.code);
          if (pair[1]) hidden.delete(code); else hidden.add(code);
          one.setAttribute("aria-pressed", String(pair[1]));
        }
        if (!pair[1]) choose(-1, false, false);
        ask();
      });
      row.append(button);
    }
    return row;
  }

  function legend() {
    const place_ = at("map-legend");
    if (!place_ || !colour) return;
    const title = document.createElement("h3");
    title.textContent = colour.name;
    title.dir = "auto";
    if (colour.kind === "groups") {
      const list = document.createElement("ul");
      colour.groups.forEach(function (name, code) { list.append(legendButton(name, code, colour.sizes[code])); });
      const missing = count - colour.sizes.reduce(function (a, b) { return a + b; }, 0);
      if (missing) list.append(legendButton("missing", -1, missing));
      place_.replaceChildren(title, allButtons(list), list);
    } else {
      const ramp = document.createElement("div"), ends = document.createElement("div");
      ramp.className = "ramp"; ends.className = "ends";
      for (const value of [colour.low, colour.high]) {
        const end = document.createElement("span");
        end.textContent = colour.kind === "dates" ? day(value) : String(Number(value.toPrecision(4)));
        ends.append(end);
      }
      place_.replaceChildren(title, ramp, ends);
    }
  }
  const chooser = at("map-colour");
  if (chooser) {
    chooser.addEventListener("change", function () {
      colour = data.colours[Number(chooser.value)];
      hidden = new Set();
      legend();
      ask();
    });
  }

  /* ---- files: what is seen as a picture, all documents as numbers ---- */
  const OUTLINES = [
    function (x, y, r) { return '<circle cx="' + x + '" cy="' + y + '" r="' + r + '"/>'; },
    function (x, y, r) { return path([[x - r * 0.9, y - r * 0.9], [x + r * 0.9, y - r * 0.9], [x + r * 0.9, y + r * 0.9], [x - r * 0.9, y + r * 0.9]]); },
    function (x, y, r) { return path([[x, y - r * 1.2], [x + r * 1.1, y + r * 0.9], [x - r * 1.1, y + r * 0.9]]); },
    function (x, y, r) { return path([[x, y - r * 1.3], [x + r * 1.3, y], [x, y + r * 1.3], [x - r * 1.3, y]]); },
  ];
  function short(value) { return Math.round(value * 10) / 10; }
  function path(corners) {
    return '<path d="M' + corners.map(function (one) { return short(one[0]) + " " + short(one[1]); }).join("L") + 'Z"/>';
  }
  function plain(text) {
    return String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;")
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
  }

  /* The names of the classes beside the points, since a picture in a paper has no page around it. */
  function keyOf(left) {
    if (!colour || colour.kind !== "groups") return "";
    const size = Math.min(20, (view.height - 30) / Math.max(1, colour.groups.length));
    return '<text x="' + left + '" y="16" font-weight="600">' + plain(colour.name) + "</text>" +
      colour.groups.map(function (name, code) {
        if (hidden.has(code)) return "";
        const y = short(34 + code * size);
        return '<g fill="' + fillOf(code) + '">' + OUTLINES[shapeOf(code)](left + 5, y - 4, 5) + "</g>" +
          '<text x="' + (left + 16) + '" y="' + y + '" font-size="' + Math.min(12, size) + '">' + plain(name) + "</text>";
      }).join("");
  }

  function asSvg() {
    readPalette();
    const key = keyOf(view.width + 12), wide_ = Math.round(view.width + (key ? 200 : 0));
    const size = radius(), parts = [];
    for (const layer of layered()) {
      const alpha = layer.faint ? 0.1 : count > 5000 ? 0.55 : 0.75, outline = OUTLINES[shapeOf(layer.code)];
      parts.push('<g fill="' + fillOf(layer.code) + '" fill-opacity="' + alpha + '">' + layer.rows.map(function (i) {
        return outline(short(screenX(i)), short(screenY(i)), size);
      }).join("") + "</g>");
    }
    let axes = "";
    if (data.zero) {
      axes = '<path d="M' + short(view.left + data.zero[0] * view.scale) + " 0V" + Math.round(view.height) + "M0 " +
        short(view.top - data.zero[1] * view.scale) + "H" + Math.round(view.width) + '" stroke="' + palette.line + '"/>';
    }
    const words = (canvas.dataset.names === "0" ? [] : window.quireMap.names).map(function (one) {
      return '<text x="' + short(one.left + 5) + '" y="' + short(one.top + one.size) + '" font-size="' + one.size +
        '" font-weight="600" stroke="#ffffff" stroke-width="4" stroke-linejoin="round" paint-order="stroke">' +
        plain(one.words) + "</text>";
    }).join("");
    const text = '<svg xmlns="http://www.w3.org/2000/svg" width="' + wide_ + '" height="' + Math.round(view.height) +
      '" viewBox="0 0 ' + wide_ + " " + Math.round(view.height) + '" font-family="system-ui, sans-serif" font-size="12">' +
      "<title>" + plain(document.title) + "</title>" +
      axes + parts.join("") + '<g fill="' + palette.ink + '">' + words + key + "</g></svg>";
    return { text: text, width: wide_, height: Math.round(view.height) };
  }

  function asCsv() {
    const field = function (value) {
      const text = value === null || value === undefined ? "" : String(value);
      return /[",\r\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
    };
    const heads = ["row", "x", "y"].concat(data.colours.map(function (one) { return one.name; }));
    const lines = [heads.map(field).join(",")];
    for (let i = 0; i < count; i++) {
      const own = [data.rows[i], X[i] * data.span + data.least[0], Y[i] * data.span + data.least[1]];
      lines.push(own.map(function (value, k) { return k ? Number(value.toPrecision(6)) : value; })
        .concat(data.colours.map(function (one) { return valueIn(one, i); })).map(field).join(","));
    }
    return "\ufeff" + lines.join("\r\n") + "\r\n";
  }

  /* ---- start ---- */
  function repaint() { readPalette(); draw(); }
  document.documentElement.dataset.js = "on";
  readPalette();
  legend();
  resize();
  if (window.ResizeObserver) new ResizeObserver(resize).observe(box);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  document.addEventListener("quire-colours", function () { readPalette(); resize(); });
  window.quireMap.draw = draw;
  window.quireMap.placeOf = function (i) { return [screenX(i), screenY(i)]; };
  window.quireMap.svg = function () { const found = asSvg(); setTimeout(repaint, 0); return found; };
  window.quireMap.csv = asCsv;
})();
