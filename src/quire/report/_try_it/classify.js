"use strict";
/* A model of texts in a page: cuts a text as quire does, and makes of its terms what the model makes
   of them. The tables of characters are those of the Python that fitted the model; nothing here asks
   the browser what a letter is. */
window.quireClassifier = (function () {
  const EVERY = 0x110000, SIGMA = 0x3A3, SMALL_SIGMA = 0x3C3, FINAL_SIGMA = 0x3C2, DOTTED_I = 0x130;
  const CASED = 1, IGNORABLE = 2, SPACE = 4, WORD = 8;
  const SINGLE = 1e-6, ROUNDED_SCALES = 2e-7, DOUBLE = 1e-12; // what arithmetic may be off, relatively
  const ENDS = new Set([0x2E, 0x2C, 0x3A, 0x3B, 0x21, 0x3F, 0x28, 0x29, 0x60C, 0x61B, 0x61F, 0x964,
    0x2026, 0x3001, 0x3002, 0xFF01, 0xFF0C, 0xFF1A, 0xFF1B, 0xFF1F]);

  /* From letters to tables ---------------------------------------------------------------------- */

  function bytesOf(letters) {
    const packed = atob(letters), bytes = new Uint8Array(packed.length);
    for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
    return bytes;
  }

  function inflated(bytes) {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).arrayBuffer().then(function (buffer) {
      return new Uint8Array(buffer);
    });
  }

  function varints(bytes, n) {
    const found = new Float64Array(n);
    let at = 0;
    for (let i = 0; i < n; i++) {
      let value = 0, unit = 1, byte;
      do {
        byte = bytes[at++];
        value += (byte & 127) * unit;
        unit *= 128;
      } while (byte > 127);
      found[i] = value;
    }
    return found;
  }

  /* Strings of UTF-8 that may hold lone surrogates, as Python writes them with "surrogatepass". */
  function textOf(bytes, n) {
    const units = [];
    for (let i = 0; i < n;) {
      const b = bytes[i];
      let c;
      if (b < 0x80) { c = b; i += 1; }
      else if (b < 0xE0) { c = (b & 31) << 6 | bytes[i + 1] & 63; i += 2; }
      else if (b < 0xF0) {
        c = (b & 15) << 12 | (bytes[i + 1] & 63) << 6 | bytes[i + 2] & 63;
        i += 3;
      } else {
        c = (b & 7) << 18 | (bytes[i + 1] & 63) << 12 | (bytes[i + 2] & 63) << 6 | bytes[i + 3] & 63;
        i += 4;
      }
      if (c < 0x10000) units.push(c);
      else units.push(0xD800 + (c - 0x10000 >> 10), 0xDC00 + (c & 0x3FF));
    }
    return String.fromCharCode.apply(null, units);
  }

  function termsOf(shared, rest, n) {
    const terms = new Array(n);
    let term = new Uint8Array(1024), at = 0;
    for (let i = 0; i < n; i++) {
      let size = shared[i];
      while (rest[at] !== 255) {
        if (size === term.length) {
          const longer = new Uint8Array(2 * size);
          longer.set(term);
          term = longer;
        }
        term[size++] = rest[at++];
      }
      at++;
      terms[i] = size < 30000 ? textOf(term, size) : longText(term, size);
    }
    return terms;
  }

  function longText(bytes, n) {
    let text = "";
    for (let i = 0; i < n;) {
      let end = Math.min(n, i + 9000);
      while (end < n && (bytes[end] & 0xC0) === 0x80) end++;
      text += textOf(bytes.subarray(i, end), end - i);
      i = end;
    }
    return text;
  }

  function charactersOf(tables, accents) {
    const flags = new Uint8Array(EVERY), lower = new Int32Array(tables.lower ? EVERY : 0);
    [["space", SPACE], ["word", WORD], ["cased", CASED], ["ignorable", IGNORABLE]].forEach(
      function (pair) {
        let at = 0, inside = false;
        for (const step of tables[pair[0]] || []) {
          if (inside) for (let c = at; c < at + step; c++) flags[c] |= pair[1];
          at += step;
          inside = !inside;
        }
      });
    let at = 0;
    const runs = tables.lower || [];
    for (let i = 0; i < runs.length; i += 4) {
      at += runs[i];
      for (let k = 0; k < runs[i + 1]; k++) lower[at + k * runs[i + 2]] = runs[i + 3];
      at += (runs[i + 1] - 1) * runs[i + 2];
    }
    let forms = null;
    if (tables.forms) {
      forms = new Map();
      for (const run of tables.forms) {
        run[1].split("\n").forEach(function (form, k) {
          forms.set(run[0] + k, Array.from(form, function (c) { return c.codePointAt(0); }));
        });
      }
    }
    return { flags: flags, lower: lower, dotted: tables.dotted, forms: forms, accents: accents };
  }

  function automatonOf(given) {
    const classes = new Uint8Array(EVERY);
    let at = 0;
    given.starts.forEach(function (step, i) {
      at += step;
      const end = i + 1 < given.starts.length ? at + given.starts[i + 1] : EVERY;
      classes.fill(given.classes[i], at, end);
    });
    return {
      classes: classes, n: given.n, next: Uint16Array.from(given.next),
      accepts: Uint8Array.from(given.accepts), first: Uint16Array.from(given.first),
      part: given.part,
    };
  }

  function unpack(letters) {
    return inflated(bytesOf(letters)).then(function (bytes) {
      const size = bytes[0] | bytes[1] << 8 | bytes[2] << 16 | bytes[3] << 24;
      const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + size)));
      const piece = function (place) {
        return bytes.subarray(4 + size + place[0], 4 + size + place[0] + place[1]);
      };
      const characters = new Map(Object.keys(header.characters).map(function (how) {
        return [how, charactersOf(header.characters[how], how)];
      }));
      const cuts = header.cuts.map(function (cut) {
        const terms = termsOf(piece(cut.shared), piece(cut.rest), cut.terms);
        const place = new Map();
        terms.forEach(function (term, i) { place.set(term, i); });
        return {
          analyzer: cut.analyzer, lower: cut.lower, terms: terms, place: place,
          characters: characters.get(cut.accents), stop: new Set(cut.stop),
          negations: cut.negations === null ? null : new Set(cut.negations),
          automaton: cut.automaton ? automatonOf(cut.automaton) : null,
          least: Infinity, most: 0, keepsLoose: false, counts: new Float64Array(cut.terms),
        };
      });
      const blocks = header.blocks.map(function (block) { return blockOf(block, cuts, piece, header.offset.length); });
      return { answer: header.answer, offset: header.offset, cuts: cuts, blocks: blocks };
    });
  }

  function blockOf(block, cuts, piece, n_scores) {
    const cut = cuts[block.cut], n = block.terms;
    const steps = piece(block.steps), column = new Int32Array(cut.terms.length).fill(-1);
    const gaps = varints(piece(block.places), n);
    let at = 0;
    for (let i = 0; i < n; i++) {
      at += gaps[i];
      column[at] = i;
    }
    const step = Float64Array.from(steps, function (e) { return block.base * Math.pow(2, e); });
    const packed = piece(block.weights), weights = [];
    let start = 0;
    for (let r = 0; r < n_scores; r++) {
      const row = new Float64Array(n);
      for (let i = 0; i < n; i++) {
        let value = 0, unit = 1, byte;
        do {
          byte = packed[start++];
          value += (byte & 127) * unit;
          unit *= 128;
        } while (byte > 127);
        row[i] = (value % 2 ? -(value + 1) / 2 : value / 2) * step[i];
      }
      weights.push(row);
    }
    let scale = null;
    if (block.norm) {
      const bytes = piece(block.scales).slice();
      const values = new Float32Array(bytes.buffer, 0, bytes.length / 4);
      scale = Float64Array.from(varints(piece(block.scale), n), function (k) { return values[k]; });
    }
    cut.least = Math.min(cut.least, block.ngrams[0]);
    cut.most = Math.max(cut.most, block.ngrams[1]);
    if (block.missing) cut.keepsLoose = true;
    return Object.assign({}, block, {
      cut: cut, column: column, step: step, weights: weights, scale: scale,
      means: new Map(block.missing ? block.missing.means : []),
    });
  }

  /* From a text to terms -------------------------------------------------------------------------- */

  /* A text as numbers: the characters, where each came from in the text (begin and end), and the
     same as a string with the place of each character in it. */
  function normalised(text, cut) {
    const table = cut.characters, points = [], from = [], to = [];
    const original = [], places = [];
    for (let i = 0; i < text.length;) {
      const c = text.codePointAt(i);
      original.push(c);
      places.push(i);
      i += c > 0xFFFF ? 2 : 1;
    }
    places.push(text.length);
    let at = 0;
    const put = function (c) {
      points.push(c);
      from.push(places[at]);
      to.push(places[at + 1]);
    };
    const strip = table.accents === "" ? put : function (c) {
      if (c < 0x80) { put(c); return; }
      const form = table.forms.get(c);
      if (form !== undefined) form.forEach(put);
      else if (table.accents === "ascii") return;
      else if (c >= 0xAC00 && c < 0xD7A4) {
        const k = c - 0xAC00;
        put(0x1100 + Math.floor(k / 588));
        put(0x1161 + Math.floor(k % 588 / 28));
        if (k % 28) put(0x11A7 + k % 28);
      } else put(c);
    };
    for (; at < original.length; at++) {
      const c = original[at];
      if (!cut.lower) strip(c);
      else if (c === SIGMA) strip(isFinal(original, at, table) ? FINAL_SIGMA : SMALL_SIGMA);
      else if (c === DOTTED_I) table.dotted.forEach(strip);
      else strip(c + table.lower[c]);
    }
    return withText({ points: points, from: from, to: to });
  }

  function isFinal(original, at, table) {
    let i = at - 1;
    while (i >= 0 && table.flags[original[i]] & IGNORABLE) i--;
    if (i < 0 || !(table.flags[original[i]] & CASED)) return false;
    for (i = at + 1; i < original.length && table.flags[original[i]] & IGNORABLE;) i++;
    return i === original.length || !(table.flags[original[i]] & CASED);
  }

  function withText(normal) {
    const n = normal.points.length, at = new Int32Array(n + 1), units = new Uint16Array(2 * n);
    let size = 0;
    for (let i = 0; i < n; i++) {
      const c = normal.points[i];
      at[i] = size;
      if (c > 0xFFFF) {
        units[size++] = 0xD800 + (c - 0x10000 >> 10);
        units[size++] = 0xDC00 + (c & 0x3FF);
      } else units[size++] = c;
    }
    at[n] = size;
    normal.at = at;
    let text = "";
    for (let i = 0; i < size; i += 8192) {
      text += String.fromCharCode.apply(null, units.subarray(i, Math.min(size, i + 8192)));
    }
    normal.text = text;
    return normal;
  }

  /* Where tokens begin and end: what a backtracking matcher would take. */
  function tokens(normal, automaton) {
    const points = normal.points, n = points.length, width = automaton.n + 1, found = [];
    const classes = automaton.classes, part = automaton.part;
    for (let start = 0; start < n;) {
      let state = automaton.first[start ? classes[points[start - 1]] : automaton.n];
      let at = start, end = start;
      for (;;) {
        const c = at < n ? classes[points[at]] : automaton.n;
        if (automaton.accepts[state * width + c]) end = at;
        state = automaton.next[state * width + c];
        if (state === 0 || at >= n) break;
        at++;
      }
      if (end === start) { start++; continue; }
      const begin = Math.min(end, start + part[0]);
      const stop = part[1] ? Math.min(end, begin + part[1]) : Math.max(begin, end - part[2]);
      if (stop > begin) found.push([begin, stop]);
      start = end;
    }
    return found;
  }

  /* Which tokens stand behind a negation that still holds. */
  function marks(normal, spans, cut) {
    const points = normal.points, n = points.length, flags = cut.characters.flags;
    const isRest = function (at, end) {
      return at + 1 < end && (points[at] === 0x27 || points[at] === 0x2019) &&
        (points[at + 1] === 0x74 || points[at + 1] === 0x54);
    };
    const isN = function (at) { return points[at] === 0x6E || points[at] === 0x4E; };
    let at = 0, begins = -1;
    return spans.map(function (span) {
      for (; at < span[0]; at++) if (ENDS.has(points[at])) begins = -1;
      if (span[1] - span[0] === 1 && ENDS.has(points[span[0]])) begins = -1;
      const marked = begins >= 0 && span[0] >= begins && (flags[points[span[0]]] & WORD) > 0;
      const end = span[1];
      let over = -1;
      if (isN(end - 1) && isRest(end, n) && (end + 2 === n || !(flags[points[end + 2]] & WORD))) {
        over = end + 2;
      } else if (end - span[0] > 2 && isRest(end - 2, end) && isN(end - 3)) over = end;
      else if (cut.negations.has(normal.text.slice(normal.at[span[0]], normal.at[end]))) over = end;
      if (over >= 0) begins = over;
      at = Math.max(at, end);
      return marked;
    });
  }

  /* Calls f(term, length, begin, end) for each term of a text, by its characters in `normal`. */
  function eachTerm(normal, cut, f) {
    if (cut.analyzer === 0) wordTerms(normal, cut, f);
    else if (cut.analyzer === 1) characterTerms(normal, cut, f);
    else spacedTerms(normal, cut, f);
  }

  function wordTerms(normal, cut, f) {
    const spans = words(normal, cut), n = spans.length;
    for (let i = 0; i < n; i++) {
      let term = spans[i].word;
      if (cut.least === 1) f(term, 1, spans[i].begin, spans[i].end);
      for (let k = 2; k <= cut.most && i + k <= n; k++) {
        term += " " + spans[i + k - 1].word;
        if (k >= cut.least) f(term, k, spans[i].begin, spans[i + k - 1].end);
      }
    }
  }

  function words(normal, cut) {
    const spans = tokens(normal, cut.automaton);
    const marked = cut.negations === null ? null : marks(normal, spans, cut);
    const kept = [];
    spans.forEach(function (span, i) {
      let word = normal.text.slice(normal.at[span[0]], normal.at[span[1]]);
      if (marked && marked[i]) word = "not_" + word;
      if (!cut.stop.has(word)) kept.push({ word: word, begin: span[0], end: span[1] });
    });
    return kept;
  }

  function slices(normal, begins, points, least, most, f) {
    const inner = withText({ points: points });
    for (let n = least; n <= most && n <= points.length; n++) {
      for (let i = 0; i + n <= points.length; i++) {
        f(inner.text.slice(inner.at[i], inner.at[i + n]), n, begins[i], begins[i + n]);
      }
    }
  }

  function characterTerms(normal, cut, f) {
    const flags = cut.characters.flags, points = [], begins = [], n = normal.points.length;
    for (let i = 0; i < n;) {
      begins.push(i);
      let end = i;
      while (end < n && flags[normal.points[end]] & SPACE) end++;
      if (end > i + 1) { points.push(0x20); i = end; }
      else points.push(normal.points[i++]);
    }
    begins.push(n);
    slices(normal, begins, points, cut.least, cut.most, f);
  }

  function spacedTerms(normal, cut, f) {
    const flags = cut.characters.flags, n = normal.points.length;
    for (let i = 0; i < n;) {
      if (flags[normal.points[i]] & SPACE) { i++; continue; }
      const points = [0x20], begins = [i];
      while (i < n && !(flags[normal.points[i]] & SPACE)) {
        begins.push(i);
        points.push(normal.points[i++]);
      }
      begins.push(i, i);
      points.push(0x20);
      const inner = withText({ points: points });
      for (let k = cut.least; k <= cut.most; k++) {
        if (k >= points.length) { f(inner.text, points.length, begins[0], i); break; }
        for (let j = 0; j + k <= points.length; j++) {
          f(inner.text.slice(inner.at[j], inner.at[j + k]), k, begins[j], begins[j + k]);
        }
      }
    }
  }

  /* The words of a text as a reader sees them, begin and end: what any way of cutting takes for a word,
     or what stands between blanks. */
  function units(model, text) {
    const found = [];
    for (const cut of model.cuts) {
      if (cut.analyzer !== 0) continue;
      const normal = normalised(text, cut);
      for (const span of tokens(normal, cut.automaton)) {
        found.push([normal.from[span[0]], normal.to[span[1] - 1]]);
      }
    }
    if (!found.length) {
      const flags = model.cuts[0].characters.flags;
      let begin = -1;
      for (let i = 0; i <= text.length;) {
        const c = i < text.length ? text.codePointAt(i) : 0x20;
        if (flags[c] & SPACE) {
          if (begin >= 0) found.push([begin, i]);
          begin = -1;
        } else if (begin < 0) begin = i;
        i += c > 0xFFFF ? 2 : 1;
      }
    }
    found.sort(function (a, b) { return a[0] - b[0] || a[1] - b[1]; });
    const apart = [];
    for (const one of found) {
      const last = apart[apart.length - 1];
      if (last && one[0] < last[1]) last[1] = Math.max(last[1], one[1]);
      else apart.push(one.slice());
    }
    return apart;
  }

  /* From terms to scores -------------------------------------------------------------------------- */

  /* What a text is made of: for each way of cutting the counts of terms that are known and, where
     some were left out, of the others; with `where`, also where they stand. */
  function counted(model, text, where) {
    return model.cuts.map(function (cut) {
      const normal = normalised(text, cut), touched = [], loose = new Map(), found = [];
      let n_terms = 0, n_known = 0;
      eachTerm(normal, cut, function (term, length, begin, end) {
        const id = cut.place.get(term);
        if (length === cut.least || cut.analyzer === 0 && length === 1) n_terms++;
        if (id === undefined) {
          if (!cut.keepsLoose) return;
          const known = loose.get(term);
          if (known === undefined) loose.set(term, [length, 1]);
          else known[1]++;
          return;
        }
        if (length === cut.least || cut.analyzer === 0 && length === 1) n_known++;
        if (cut.counts[id]++ === 0) touched.push(id);
        if (where) found.push([id, begin < normal.from.length ? normal.from[begin] : text.length,
          end > 0 ? normal.to[end - 1] : 0, length]);
      });
      touched.sort(function (a, b) { return a - b; });
      const counts = touched.map(function (id) {
        const count = cut.counts[id];
        cut.counts[id] = 0;
        return count;
      });
      return { ids: touched, counts: counts, loose: loose, where: found, terms: n_terms,
        known: n_known };
    });
  }

  function valueOf(block, count) {
    if (block.presence !== null) return (block.binary ? 1 : count) > block.presence ? 1 : 0;
    if (block.binary) return 1;
    return block.log ? 1 + Math.log(count) : count;
  }

  /* The scores of a text; by how much each can differ from that of the model at most (`off`); and
     the value of each term in each block. */
  function scored(model, text, where) {
    const cuts = counted(model, text, where), n = model.offset.length;
    const scores = Float64Array.from(model.offset), off = new Float64Array(n);
    for (let r = 0; r < n; r++) off[r] = DOUBLE * Math.abs(scores[r]);
    const values = model.blocks.map(function (block) {
      const own = cuts[model.cuts.indexOf(block.cut)], columns = [], ids = [], at = [];
      let total = 0;
      own.ids.forEach(function (id, i) {
        const column = block.column[id];
        if (column < 0) return;
        columns.push(column);
        ids.push(id);
        at.push(valueOf(block, own.counts[i]));
        total += own.counts[i];
      });
      if (block.bm25) {
        const k1 = block.bm25[0], b = block.bm25[1], mean = block.bm25[2];
        if (block.binary) total = columns.length;
        const damp = k1 * (1 - b + b * (mean > 0 ? total / mean : total));
        for (let i = 0; i < at.length; i++) at[i] = at[i] * (k1 + 1) / (at[i] + damp);
      }
      let power = 0, usual = 0, most = 0, largest = 0;
      if (block.norm) {
        for (let i = 0; i < at.length; i++) power += Math.pow(at[i] * block.scale[columns[i]], block.norm);
      }
      if (block.missing) {
        own.loose.forEach(function (known) {
          if (known[0] < block.ngrams[0] && !(block.cut.analyzer === 2) || known[0] > block.ngrams[1]) return;
          const g = valueOf(block, known[1]);
          largest += g;
          if (!block.norm) return;
          usual += Math.pow(g, block.norm) * (block.means.get(known[0]) || 0);
          most += Math.pow(g * block.missing.most, block.norm);
        });
      }
      const root = function (x) { return block.norm === 2 ? Math.sqrt(x) : x; };
      const norm = block.norm ? root(power + usual) || 1 : 1;
      const lowest = block.norm ? root(power) || 1 : 1;
      const highest = block.norm ? root(power + most) || 1 : 1;
      const relative = block.single ? SINGLE : block.norm ? ROUNDED_SCALES : DOUBLE;
      for (let r = 0; r < n; r++) {
        const W = block.weights[r];
        let sum = 0, size = 0, half = 0;
        for (let i = 0; i < at.length; i++) {
          const part = at[i] * W[columns[i]];
          sum += part;
          size += Math.abs(part);
          half += at[i] * block.step[columns[i]] / 2;
        }
        scores[r] += sum / norm;
        let unsure = (half + relative * size) / lowest;
        if (block.missing) {
          const low = sum - half + largest * block.missing.low[r];
          const high = sum + half + largest * block.missing.high[r];
          for (const end of [low, high]) {
            for (const by of [lowest, highest]) {
              unsure = Math.max(unsure, Math.abs(end / by - sum / norm) + relative * size / lowest);
            }
          }
        }
        off[r] += unsure;
      }
      return { block: block, ids: ids, columns: columns, values: at.map(function (g) { return g / norm; }) };
    });
    return { scores: scores, off: off, cuts: cuts, values: values };
  }

  /* What each term adds to a sum of scores, each score times a factor: a map for each cut. */
  function contributions(model, result, factors) {
    const found = model.cuts.map(function () { return new Map(); });
    result.values.forEach(function (own) {
      const terms = found[model.cuts.indexOf(own.block.cut)];
      own.ids.forEach(function (id, i) {
        let sum = 0;
        factors.forEach(function (factor, r) {
          if (factor) sum += factor * own.block.weights[r][own.columns[i]];
        });
        terms.set(id, (terms.get(id) || 0) + sum * own.values[i]);
      });
    });
    return found;
  }

  /* From scores to answers ------------------------------------------------------------------------ */

  function sigmoid(x) { return 1 / (1 + Math.exp(-x)); }

  function softmax(scores) {
    const most = Math.max.apply(null, Array.from(scores));
    const parts = Array.from(scores, function (s) { return Math.exp(s - most); });
    const total = parts.reduce(function (a, b) { return a + b; }, 0);
    return parts.map(function (p) { return p / total; });
  }

  /* The normal distribution: a series near its middle, a continued fraction in its tails. */
  function normal(x) {
    const size = Math.abs(x);
    if (size > 38) return x > 0 ? 1 : 0;
    const density = Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI);
    if (size < 3) {
      let sum = x, part = x;
      for (let k = 3; Math.abs(part) > 1e-17 * Math.abs(sum) && k < 400; k += 2) {
        part *= x * x / k;
        sum += part;
      }
      return 0.5 + density * sum;
    }
    let fraction = 0;
    for (let k = 120; k > 0; k--) fraction = k / (size + fraction);
    const tail = density / (size + fraction);
    return x > 0 ? 1 - tail : tail;
  }

  function between(x, xs, ys) {
    if (!(x > xs[0])) return ys[0];
    const last = xs.length - 1;
    if (x >= xs[last]) return ys[last];
    let low = 0, high = last;
    while (high - low > 1) {
      const middle = low + high >> 1;
      if (xs[middle] <= x) low = middle;
      else high = middle;
    }
    return ys[low] + (ys[high] - ys[low]) / (xs[high] - xs[low]) * (x - xs[low]);
  }

  function mapped(maps, scores) {
    if ("factor" in maps) {
      return logistic(Array.from(scores, function (s) { return maps.factor * s; }));
    }
    let asked = Array.from(scores);
    if (maps.of === "against the rest") {
      asked = asked.map(function (own, k) {
        const most = Math.max.apply(null, asked.filter(function (_, j) { return j !== k; }));
        let sum = 0;
        scores.forEach(function (other, j) { if (j !== k) sum += Math.exp(other - most); });
        return own - most - Math.log(sum);
      });
    }
    const shares = asked.map(function (s, k) {
      return maps.slopes ? sigmoid(s * maps.slopes[k] + maps.intercepts[k])
        : between(s, maps.scores[k], maps.shares[k]);
    });
    if (shares.length === 1) return [1 - shares[0], shares[0]];
    const total = shares.reduce(function (a, b) { return a + b; }, 0);
    return shares.map(function (p) { return total > 0 ? p / total : 1 / shares.length; });
  }

  function logistic(scores) {
    return scores.length === 1 ? [sigmoid(-scores[0]), sigmoid(scores[0])] : softmax(scores);
  }

  function probabilities(answer, scores) {
    if (answer.kind === "ordered") {
      const below = answer.cutoffs.map(function (cut) {
        return answer.link === "probit" ? normal(cut - scores[0]) : sigmoid(cut - scores[0]);
      });
      return [...below, 1].map(function (p, k) { return p - (k ? below[k - 1] : 0); });
    }
    if (!answer.probability) return null;
    if (answer.kind === "labels") {
      return Array.from(scores, function (s, k) { return sigmoid(s + answer.cutoffs[k]); });
    }
    if (answer.probability === "maps") return mapped(answer.maps, scores);
    if (answer.probability === "logistic" || scores.length === 1) return logistic(scores);
    const shares = Array.from(scores, sigmoid);
    const total = shares.reduce(function (a, b) { return a + b; }, 0);
    return shares.map(function (p) { return p / total; });
  }

  function largest(values) {
    let best = 0;
    values.forEach(function (value, k) { if (value > values[best]) best = k; });
    return best;
  }

  /* The class that scores are decided for; of several labels, all that are above zero. */
  function decided(answer, scores) {
    if (answer.kind === "labels") {
      return Array.from(scores.keys()).filter(function (k) { return scores[k] > 0; });
    }
    if (answer.threshold && "place" in answer.threshold) {
      const asked = answer.threshold, shares = asked.share ? probabilities(answer, scores) : null;
      let score = shares ? shares[1] : scores[0];
      if (asked.place === 0) score = 2 * asked.usual - score;
      return score >= asked.best ? asked.place : 1 - asked.place;
    }
    if (answer.kind === "ordered" && answer.cutoffs.length === 1) {
      return scores[0] > answer.cutoffs[0] ? 1 : 0;
    }
    if (answer.kind === "ordered" || answer.probability === "maps") {
      return largest(probabilities(answer, scores));
    }
    return scores.length === 1 ? (scores[0] > 0 ? 1 : 0) : largest(scores);
  }

  return {
    unpack: unpack, scored: scored, contributions: contributions, probabilities: probabilities,
    decided: decided, units: units,
    /* The terms of a text, of each way of cutting: for tests. */
    terms: function (model, text) {
      return model.cuts.map(function (cut) {
        const found = [];
        eachTerm(normalised(text, cut), cut, function (term) { found.push(term); });
        return found;
      });
    },
  };
})();
