"""Models in a page and in Python: the same texts through both, in a browser."""

import html
import json
import random
import re
from collections import Counter

import numpy as np
from tests.helpers.browser import open_page
from tests.helpers.text_strategies import AWKWARD

from quire._shared.page.html import script_json
from quire._shared.page.shell import asset
from quire.report._try_it.packing import packed
from quire.report._try_it.parts import parts_of

__all__ = ["check_models", "in_browser", "wild_texts"]

_WORDS = (
    "not don't good bad film a I the ISN\u2019T can't 3.14 #tag @you http://x.y/z? "
    "\u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2 \u03a3\u038a\u03a3\u03a5\u03a6\u039f\u03a3 "
    "\u0130stanbul stra\u00dfe \ufb01ne \u0939\u093f\u0928\u094d\u0926\u0940 \u65e5\u672c\u8a9e "
    "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35 \U0001f600 \U0001f469\u200d\U0001f469\u200d\U0001f467 "
    "\U0001f1e9\U0001f1ea \u00e9 e\u0301 \ud55c\uad6d\uc5b4 " + "x" * 20
).split()
_BLANKS = ["", " ", " ", " ", "  ", "\n", "\u00a0", "\u2003", ", ", "."]
_PAGE = """<!DOCTYPE html><meta charset="utf-8"><title>texts</title><pre id="found"></pre>
<script>{engine}</script>
<script type="application/json" id="data">{data}</script>
<script>
const data = JSON.parse(document.getElementById("data").textContent);
Promise.all(data.payloads.map(quireClassifier.unpack)).then(function (models) {{
  const found = models.map(function (model) {{
    return data.texts.map(function (text) {{
      const one = quireClassifier.scored(model, text, true);
      const all = new Array(one.scores.length).fill(1);
      const parts = quireClassifier.contributions(model, one, all);
      return {{
        scores: Array.from(one.scores), off: Array.from(one.off),
        decided: quireClassifier.decided(model.answer, one.scores),
        probabilities: quireClassifier.probabilities(model.answer, one.scores),
        terms: data.terms ? quireClassifier.terms(model, text) : null,
        sum: parts.reduce((a, one) => a + Array.from(one.values()).reduce((b, c) => b + c, 0),
          model.offset.reduce((a, b) => a + b, 0)),
      }};
    }});
  }});
  document.getElementById("found").textContent = JSON.stringify(found);
}}).catch(function (error) {{ document.getElementById("found").textContent = String(error); }});
</script>"""


def wild_texts(n, seed=0):
    """Return texts of all of Unicode, with the places where it goes wrong.

    Two surrogates in a row are one character to a browser, and so they are here.
    """
    drawn = random.Random(seed)
    return [_as_typed(_wild(drawn)) for _ in range(n)]


def _wild(drawn):
    pieces = []
    for _ in range(drawn.randrange(1, 14)):
        kind = drawn.random()
        if kind < 0.45:
            pieces.append(drawn.choice(_WORDS))
        elif kind < 0.75:
            pieces += drawn.choices(AWKWARD, k=drawn.randrange(1, 5))
        elif kind < 0.85:
            pieces += [chr(drawn.randrange(0x110000)) for _ in range(drawn.randrange(1, 3))]
        elif kind < 0.92:
            pieces.append(
                drawn.choice("abc\u03a3\u03c3'\u2019\u02bc.,!?_-") * drawn.randrange(1, 4)
            )
        pieces.append(drawn.choice(_BLANKS))
    return "".join(pieces)


def _as_typed(text):
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def in_browser(folder, payloads, texts, *, terms=False):
    """Return what a page makes of texts, for each of several models."""
    data = {"payloads": payloads, "texts": list(texts), "terms": terms}
    engine = str(asset("quire.report._try_it", "classify.js"))
    page = _PAGE.format(engine=engine, data=str(script_json(data)))
    dom, console, _ = open_page(folder, page)
    assert console == []
    inside = re.search(r'<pre id="found">(.*?)</pre>', dom, re.DOTALL)
    return json.loads(html.unescape(inside.group(1)))


def check_models(folder, models, sample, texts, *, limit=20_000_000, terms=True):
    """Check that a page says what models say of texts: terms, scores, probabilities, labels.

    Returns the widest bound and the largest difference of scores of each model.
    """
    parts = [parts_of(model, sample) for model in models]
    made = [packed(one, sample, limit) for one in parts]
    found = in_browser(folder, [one.payload for one in made], texts, terms=terms)
    widths = []
    for model, own, answers in zip(models, parts, found, strict=True):
        expected = parts_of(model, texts).scores  # which were tried against the model
        scores = np.array([one["scores"] for one in answers])
        off = np.array([one["off"] for one in answers])
        differ = np.abs(scores - expected)
        wrong = np.flatnonzero((differ > off + 1e-12).any(axis=1))
        assert not len(wrong), ascii(texts[wrong[0]])
        assert np.allclose([one["sum"] for one in answers], scores.sum(axis=1), atol=1e-8)
        _check_answers(model, texts, own, answers, off)
        if terms:
            for block, place in zip(own.blocks, _cuts(own), strict=True):
                analyze = block.counter.build_analyzer()
                if block.cutting.ngram_range == _range(own, place):
                    for text, one in zip(texts, answers, strict=True):
                        assert Counter(analyze(text)) == Counter(one["terms"][place]), ascii(text)
        widths.append((float(off.max()), float(differ.max())))
    return widths


def _cuts(parts):
    keys = list(dict.fromkeys(block.key for block in parts.blocks))
    return [keys.index(block.key) for block in parts.blocks]


def _range(parts, place):
    cuts = _cuts(parts)
    ranges = [
        b.cutting.ngram_range for b, cut in zip(parts.blocks, cuts, strict=True) if cut == place
    ]
    return min(low for low, _ in ranges), max(high for _, high in ranges)


def _check_answers(model, texts, parts, answers, off):
    if hasattr(model, "predict_proba") and parts.answer.probability:
        P = model.predict_proba(texts)
        shown = np.array([one["probabilities"] for one in answers])
        assert np.abs(P - shown).max() <= 2 * off.max() + 1e-6
    if parts.answer.kind == "number":
        return
    predicted = model.predict(texts)
    for text, one, label in zip(texts, answers, predicted, strict=True):
        if parts.answer.kind == "labels":
            assert np.flatnonzero(label).tolist() == one["decided"], ascii(text)
        elif model.classes_[one["decided"]] != label:  # a tie, as far as can be told
            own = one["probabilities"] or [-one["scores"][0], *one["scores"]]
            place = model.classes_.tolist().index(label)
            assert abs(own[place] - own[one["decided"]]) <= 4 * max(one["off"]), ascii(text)
