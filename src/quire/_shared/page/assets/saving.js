"use strict";
/* Figures become files: as SVG and PNG in the light colours of the page, as CSV with the numbers of
   their table. What is saved is made here; nothing leaves the computer. */
(function () {
  const root = document.documentElement;
  const SHARP = 2;
  const DRAWN = [
    "fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-dasharray",
    "stroke-linecap", "stroke-linejoin", "opacity", "font-family", "font-size", "font-style",
    "font-weight", "text-anchor", "dominant-baseline", "paint-order", "visibility", "display",
  ];
  const USUAL = {
    "fill-opacity": "1", "stroke-opacity": "1", "stroke-dasharray": "none", "stroke-linecap": "butt",
    "stroke-linejoin": "miter", "opacity": "1", "font-style": "normal", "dominant-baseline": "auto",
    "paint-order": "normal", "visibility": "visible", "display": "inline", "text-anchor": "start",
  };
  const TEXT = new Set(["font-family", "font-size", "font-style", "font-weight", "text-anchor", "dominant-baseline"]);

  /* Colours and fonts as they are computed, since variables and style sheets stay behind. */
  function inLight(make) {
    const was = "light" in root.dataset;
    root.dataset.light = "";
    try { return make(); } finally { if (!was) delete root.dataset.light; }
  }

  /* A colour that shines through as two attributes: not all programs know the other way. */
  function paint(own, name, value) {
    const parts = value.match(/^rgba\((\d+), (\d+), (\d+), ([\d.]+)\)$/);
    if (!parts) return own.setAttribute(name, value);
    own.setAttribute(name, Number(parts[4]) ? "rgb(" + parts.slice(1, 4).join(", ") + ")" : "none");
    own.setAttribute("data-alpha-" + name, parts[4]);
  }

  function copied(svg, title) {
    const copy = svg.cloneNode(true);
    const from = [svg].concat(Array.from(svg.querySelectorAll("*")));
    const to = [copy].concat(Array.from(copy.querySelectorAll("*")));
    from.forEach(function (one, k) {
      if (!(one instanceof SVGElement)) return;
      const computed = getComputedStyle(one), isText = one.closest("text") !== null;
      const own = to[k];
      for (const name of DRAWN) {
        if (TEXT.has(name) && !isText) continue;
        const value = computed.getPropertyValue(name);
        if (!value || value === USUAL[name] || (name === "stroke-width" && computed.stroke === "none")) {
          own.removeAttribute(name);
        } else if (name === "fill" || name === "stroke") paint(own, name, value);
        else own.setAttribute(name, value);
      }
      for (const name of ["fill", "stroke"]) {
        const alpha = own.getAttribute("data-alpha-" + name);
        if (alpha === null) continue;
        own.removeAttribute("data-alpha-" + name);
        if (Number(alpha)) own.setAttribute(name + "-opacity", Number(alpha) * Number(computed.getPropertyValue(name + "-opacity")));
      }
      for (const name of ["style", "class", "tabindex", "role", "aria-label", "aria-roledescription", "aria-pressed", "aria-hidden"]) {
        own.removeAttribute(name);
      }
      for (const name of Object.keys(one.dataset || {})) delete own.dataset[name];
    });
    const box = svg.viewBox.baseVal, size = svg.getBoundingClientRect();
    const width = Math.round(box && box.width || size.width), height = Math.round(box && box.height || size.height);
    copy.removeAttribute("display");
    copy.setAttribute("xmlns", svg.namespaceURI);
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    if (!svg.hasAttribute("viewBox")) copy.setAttribute("viewBox", "0 0 " + width + " " + height);
    const name = document.createElementNS(svg.namespaceURI, "title");
    name.textContent = title;
    copy.prepend(name);
    return { text: new XMLSerializer().serializeToString(copy), width: width, height: height };
  }

  /* A table of coloured cells, drawn where they stand. */
  function drawnTable(table, title) {
    const edge = table.getBoundingClientRect(), parts = [];
    const plain = function (text) {
      return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
    };
    for (const cell of table.querySelectorAll("th, td")) {
      const box = cell.getBoundingClientRect(), own = getComputedStyle(cell);
      const x = box.left - edge.left, y = box.top - edge.top;
      if (cell.tagName === "TD") {
        const alpha = /^rgba\((.*), ([\d.]+)\)$/.exec(own.backgroundColor);
        parts.push('<rect x="' + x.toFixed(1) + '" y="' + y.toFixed(1) + '" width="' + box.width.toFixed(1) + '" height="' +
          box.height.toFixed(1) + '" fill="' + (alpha ? "rgb(" + alpha[1] + ")" : own.backgroundColor) + '"' +
          (alpha ? ' fill-opacity="' + alpha[2] + '"' : "") + "/>");
      }
      const text = cell.textContent.trim().replace(/\s+/g, " "), span = cell.querySelector("span") || cell;
      const isUp = getComputedStyle(span).writingMode.startsWith("vertical");
      const align = { right: "end", end: "end", center: "middle" }[own.textAlign] || "start";
      const anchor = isUp ? "start" : align;
      const left = isUp ? x + box.width / 2 : anchor === "end" ? x + box.width - 6 : anchor === "middle" ? x + box.width / 2 : x + 2;
      const top = isUp ? y + box.height - 5 : y + box.height / 2;
      const link = cell.querySelector("a");
      parts.push('<text x="' + left.toFixed(1) + '" y="' + top.toFixed(1) + '" font-size="' + own.fontSize + '" fill="' +
        getComputedStyle(link || cell).color + '" text-anchor="' + anchor + '" dominant-baseline="central"' +
        (isUp ? ' transform="rotate(-90 ' + left.toFixed(1) + " " + top.toFixed(1) + ')"' : "") + ">" + plain(text) + "</text>");
    }
    const width = Math.ceil(edge.width), height = Math.ceil(edge.height);
    const text = '<svg xmlns="' + new DOMParser().parseFromString("<svg></svg>", "text/html").querySelector("svg").namespaceURI +
      '" width="' + width + '" height="' + height + '" viewBox="0 0 ' + width + " " + height +
      '" font-family="system-ui, sans-serif"><title>' + plain(title) + "</title>" + parts.join("") + "</svg>";
    return { text: text, width: width, height: height };
  }

  function pngOf(drawn) {
    return new Promise(function (done, failed) {
      const image = new Image();
      image.onload = function () {
        const canvas = document.createElement("canvas");
        canvas.width = SHARP * drawn.width;
        canvas.height = SHARP * drawn.height;
        const ink = canvas.getContext("2d");
        ink.fillStyle = "#ffffff";
        ink.fillRect(0, 0, canvas.width, canvas.height);
        ink.drawImage(image, 0, 0, canvas.width, canvas.height);
        canvas.toBlob(done, "image/png");
      };
      image.onerror = failed;
      image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(drawn.text);
    });
  }

  function field(value) {
    const text = String(value);
    return /[",\r\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
  }

  /* A list whose items say their numbers. */
  function csvOfItems(figure) {
    const rows = Array.from(figure.querySelectorAll("[data-row]"), function (item) {
      return JSON.parse(item.dataset.row).map(field).join(",");
    });
    return [figure.dataset.heads.split("|").map(field).join(",")].concat(rows).join("\r\n") + "\r\n";
  }

  function csvOf(table) {
    return Array.from(table.rows, function (row) {
      return Array.from(row.cells, function (cell) {
        const exact = cell.dataset.exact;
        return field(exact === undefined ? cell.textContent.trim() : exact);
      }).join(",");
    }).join("\r\n") + "\r\n";
  }

  function fileName(title, suffix) {
    const words = (document.title + " " + title).toLowerCase().match(/[\p{L}\p{N}]+/gu) || ["figure"];
    return words.join("-").slice(0, 80) + "." + suffix;
  }

  function give(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(function () { URL.revokeObjectURL(link.href); }, 60000);
  }

  /* What can be saved of a figure: a function that gives a blob, for each kind of file. */
  function kindsOf(figure, title) {
    const kinds = {};
    const scope = function () { return figure.querySelector(".step.current") || figure; };
    const svg = function () { return scope().querySelector(".chart svg, svg.map, svg.picture"); };
    const canvas = figure.querySelector("canvas");
    if (canvas && window.quireMap) {
      kinds.SVG = function () { return new Blob([inLight(window.quireMap.svg).text], { type: "image/svg+xml" }); };
      kinds.PNG = function () { return pngOf(inLight(window.quireMap.svg)); };
      kinds.CSV = function () { return new Blob([window.quireMap.csv()], { type: "text/csv" }); };
      return kinds;
    }
    if (figure.querySelector(".chart svg, svg.map, svg.picture")) {
      const drawn = function () { return inLight(function () { return copied(svg(), title()); }); };
      kinds.SVG = function () { return new Blob([drawn().text], { type: "image/svg+xml" }); };
      kinds.PNG = function () { return pngOf(drawn()); };
    }
    const matrix = figure.querySelector("table.matrix");
    if (matrix && !kinds.SVG) {
      const drawn = function () { return inLight(function () { return drawnTable(matrix, title()); }); };
      kinds.SVG = function () { return new Blob([drawn().text], { type: "image/svg+xml" }); };
      kinds.PNG = function () { return pngOf(drawn()); };
    }
    const table = function () {
      const other = figure.dataset.numbers && document.getElementById(figure.dataset.numbers);
      return (other || scope()).querySelector("table");
    };
    if (figure.dataset.heads) {
      kinds.CSV = function () { return new Blob(["\ufeff" + csvOfItems(figure)], { type: "text/csv" }); };
    } else if (table() || figure.querySelector("table")) {
      kinds.CSV = function () { return new Blob(["\ufeff" + csvOf(table())], { type: "text/csv" }); };
    }
    return kinds;
  }

  function addButtons(figure) {
    const title = function () {
      if (figure.dataset.saved) return figure.dataset.saved;
      const head = (figure.querySelector(".step.current") || figure).querySelector("h3, h4");
      return head ? head.textContent.trim() : figure.getAttribute("aria-label") || "Figure";
    };
    const label = figure.getAttribute("aria-label") || title();
    const kinds = kindsOf(figure, title);
    if (!Object.keys(kinds).length) return;
    const line = document.createElement("div");
    line.className = "save";
    line.setAttribute("role", "group");
    line.setAttribute("aria-label", "Save " + label);
    line.append("Save as");
    for (const kind of Object.keys(kinds)) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = kind;
      button.dataset.kind = kind;
      button.setAttribute("aria-label", "Save " + label + " as " + kind);
      button.addEventListener("click", function () {
        Promise.resolve(kinds[kind]()).then(function (blob) {
          give(blob, fileName(title(), kind.toLowerCase()));
        });
      });
      line.append(button);
    }
    const below = figure.querySelector(".below");
    (below || figure).append(line);
  }

  window.quirePage.drawn.then(function () {
    for (const figure of document.querySelectorAll("figure, [data-saved]")) addButtons(figure);
    root.dataset.saving = "ready";
  });
})();
