"use strict";
/* Charts are drawn with the room that their names need, measured in the font of the page, and get it
   anew when the page becomes wider or narrower, or is printed. */
(function () {
  const FONT = "system-ui, sans-serif";
  const style = {
    background: "transparent",
    font: "inherit",
    view: { stroke: "transparent" },
    axis: {
      labelColor: "var(--soft)", titleColor: "var(--ink)", gridColor: "var(--line)",
      domainColor: "var(--line)", tickColor: "var(--line)", labelFontSize: 12, titleFontSize: 12,
      titleFontWeight: "normal", labelFont: FONT, titleFont: FONT,
    },
    legend: {
      labelColor: "var(--ink)", titleColor: "var(--ink)", labelFontSize: 12, labelFont: FONT, titleFont: FONT,
    },
    text: { font: FONT },
  };
  const LEAST = 90, PART = 0.42, SYMBOL = 34, GAP = 16, TALL = 190, SIDE = 64;

  const views = window.quireViews = {};
  const rooms = {};
  const page = window.quirePage = { views: views };
  const ink = document.createElement("canvas").getContext("2d");

  function widthOf(name) {
    ink.font = "12px " + FONT;
    return ink.measureText(String(name)).width;
  }

  /* All parts of a specification, each with the data that it draws. */
  function unitsOf(spec, values, into) {
    const own = (spec.data && spec.data.values) || values;
    into.push([spec, own || []]);
    for (const parts of [spec.layer, spec.hconcat, spec.vconcat, spec.concat]) {
      for (const part of parts || []) unitsOf(part, own, into);
    }
    return into;
  }

  function isNames(channel) {
    return channel && channel.field && (channel.type === "nominal" || channel.type === "ordinal");
  }

  function namesOf(channel, values) {
    const listed = channel.scale && channel.scale.domain;
    if (Array.isArray(listed)) return listed;
    return Array.from(new Set(values.map(function (one) { return one[channel.field]; })));
  }

  /* Puts signals where a specification limits names; returns what they depend on. */
  function fitted(spec) {
    const room = { y: 0, x: 0, legend: 0, entries: 0, names: [] };
    for (const [unit, values] of unitsOf(spec, [], [])) {
      const encoding = unit.encoding || {};
      for (const side of ["y", "x"]) {
        const channel = encoding[side];
        if (!isNames(channel) || channel.axis === null) continue;
        const shown = namesOf(channel, values);
        const longest = Math.max.apply(null, [0].concat(shown.map(widthOf))) + 3;
        room[side] = Math.max(room[side], longest);
        channel.axis = Object.assign({}, channel.axis, { labelLimit: { expr: side === "y" ? "roomLeft" : "roomBelow" } });
        if (side === "x") {
          room.across = Math.max(room.across || 0, shown.length);
          room.turned = Boolean(channel.axis.labelAngle);
          if (room.turned) continue;
          room.x = longest;
        }
      }
      for (const name of ["color", "fill", "stroke", "shape", "strokeDash", "opacity", "size"]) {
        const channel = encoding[name];
        if (!isNames(channel) || channel.legend === null) continue;
        const shown = namesOf(channel, values);
        room.legend = Math.max.apply(null, [room.legend].concat(shown.map(widthOf)));
        room.entries = Math.max(room.entries, shown.length);
        room.names = room.names.concat(shown);
        channel.legend = Object.assign({ orient: "bottom" }, channel.legend, {
          columns: { expr: "legendColumns" }, labelLimit: { expr: "legendRoom" },
          labelExpr: "legendLines[datum.label] || datum.label",
        });
      }
    }
    spec.params = (spec.params || []).concat(["roomLeft", "roomBelow", "legendColumns", "legendRoom", "legendLines"].map(
      function (name) { return { name: name, value: LEAST }; }));
    return room;
  }

  /* Names that are longer than a legend is wide, in lines between their words. */
  function linesOf(names, most) {
    const found = {};
    for (const name of names) {
      if (widthOf(name) <= most) continue;
      const lines = [];
      for (const word of String(name).split(" ")) {
        const longer = lines.length ? lines[lines.length - 1] + " " + word : word;
        if (lines.length && widthOf(longer) <= most) lines[lines.length - 1] = longer;
        else lines.push(word);
      }
      found[name] = lines;
    }
    return found;
  }

  function limits(room, width) {
    const entry = room.legend + SYMBOL + GAP;
    const left = Math.min(room.y, Math.max(LEAST, PART * width));
    const free = width - (room.y ? left + 10 : SIDE);  // legends begin where the axis is
    const step = (width - left - 40) / Math.max(1, room.across || 1);
    return {
      roomLeft: Math.ceil(left),
      roomBelow: Math.ceil(room.turned ? Math.min(room.x, TALL) : Math.max(24, Math.min(room.x, step - 4))),
      legendColumns: Math.max(1, Math.min(room.entries, Math.floor(free / entry))),
      legendRoom: Math.max(LEAST, Math.floor(free - SYMBOL)),
      legendLines: linesOf(room.names, Math.max(LEAST, Math.floor(free - SYMBOL))),
    };
  }

  /* Gives a chart another width at once, and its names the room that this leaves. */
  page.setWidth = function (name, width) {
    const view = views[name], found = limits(rooms[name], width);
    for (const key of Object.keys(found)) view.signal(key, found[key]);
    view.width(width);
    return view.runAsync();
  };

  function draw() {
    const specs = JSON.parse(document.getElementById("chart-specs").textContent);
    const drawn = [];
    for (const place of document.querySelectorAll("[data-chart]")) {
      const name = place.dataset.chart, spec = specs[name];
      if (!spec) continue;
      const room = rooms[name] = fitted(spec);
      const found = limits(room, place.clientWidth || 600);
      for (const param of spec.params) if (param.name in found) param.value = found[param.name];
      const options = {
        mode: "vega-lite", renderer: "svg", actions: false, ast: true, config: style, logLevel: 1,
      };
      drawn.push(window.quireEmbed(place, spec, options).then(function (result) {
        views[name] = result.view;
        watch(place, name);
      }).catch(function (error) {
        place.textContent = "This chart could not be drawn; its data is below.";
        console.error(name, error);
      }));
    }
    return Promise.all(drawn).then(function () {
      document.documentElement.dataset.charts = "drawn";
    });
  }

  /* Places become wider when a page does, and when something is opened. */
  function watch(place, name) {
    let width = place.clientWidth;
    if (!window.ResizeObserver) return;
    function fit() {
      const now = place.clientWidth;
      if (now === width || now === 0 || "printing" in document.documentElement.dataset) return;
      width = now;
      page.setWidth(name, now);
    }
    /* In the next frame: what changes sizes while they are looked at makes a loop. */
    new ResizeObserver(function () { requestAnimationFrame(fit); }).observe(place);
  }

  page.drawn = draw();
})();
