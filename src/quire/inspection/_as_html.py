"""An explanation as HTML for notebooks and reports: the coloured text and the table beside it.

The piece brings its style and needs no script and no network. Blue, underlined words speak for the
target; orange words with a dotted line speak against it, so that hue is not the only difference.
Each coloured word has its number as a title.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from quire._shared.page.html import NOTHING, Html, html, join
from quire._shared.terminal import visible
from quire.inspection._as_text import headline, largest_score, runs, sides, term_label

if TYPE_CHECKING:
    from quire.inspection._explanation import Explanation, Passage

__all__ = ["to_html"]

_LEAST = 0.02  # below this share of the largest score a word has no colour

_NEW_LINE = html("\n")
_STYLE = html("""<style>
.quire-explanation{{--qe-back:#fff;--qe-ink:#111;--qe-line:#767676;--qe-for:0,114,178;
--qe-against:213,94,0;background:var(--qe-back);color:var(--qe-ink);padding:.75em 1em;
font:inherit;line-height:1.6;overflow-wrap:anywhere}}
.quire-explanation .qe-text{{white-space:pre-wrap;max-height:24em;overflow:auto;margin:0 0 .75em}}
.quire-explanation .qe-legend{{margin:0 0 .5em;font-size:.85em}}
.quire-explanation mark{{color:inherit;background:rgba(var(--qe-for),var(--qe-a));
border-bottom:2px solid rgb(var(--qe-for));border-radius:2px}}
.quire-explanation mark.qe-against{{background:rgba(var(--qe-against),var(--qe-a));
border-bottom:2px dotted rgb(var(--qe-against))}}
.quire-explanation table{{border-collapse:collapse;color:inherit;background:none}}
.quire-explanation caption{{text-align:left;font-weight:bold;padding:.2em 0}}
.quire-explanation th,.quire-explanation td{{padding:.1em .8em .1em 0;text-align:left;
font-weight:normal;color:inherit;background:none;border:0}}
.quire-explanation td.qe-number{{text-align:right;font-variant-numeric:tabular-nums}}
.quire-explanation thead th{{border-bottom:1px solid var(--qe-line)}}
@media (prefers-color-scheme:dark){{.quire-explanation{{--qe-back:#16181c;--qe-ink:#f4f4f4;
--qe-line:#8f959e;--qe-for:40,150,220;--qe-against:235,110,20}}}}
</style>""")


def to_html(explanation: Explanation, n_terms: int | None, max_chars: int | None = None) -> str:
    """Return a piece of HTML.

    Parameters
    ----------
    explanation : Explanation
        What to show.
    n_terms : int or None
        How many terms the table has.
    max_chars : int, default=None
        About how much is shown of each text.

    Returns
    -------
    str
        One ``div``.
    """
    largest = largest_score(explanation)
    parts = [_STYLE]
    if any(passage.words for passage in explanation.passages):
        parts.append(_legend(explanation))
    parts += [_text(passage, largest, max_chars) for passage in explanation.passages]
    parts.append(_table(explanation, n_terms))
    parts += [html("<p>{}</p>", note) for note in explanation.notes]
    whole = html('<div class="quire-explanation">\n{}\n</div>', join(parts, _NEW_LINE))
    return str(whole)


def _legend(explanation: Explanation) -> Html:
    for_it, against_it = sides(explanation)
    return html(
        '<p class="qe-legend"><mark style="--qe-a:.3">{}</mark> '
        '<mark class="qe-against" style="--qe-a:.3">{}</mark></p>',
        for_it,
        against_it,
    )


def _text(passage: Passage, largest: float, max_chars: int | None) -> Html:
    name = "Text" if passage.field is None else str(passage.field)
    label = NOTHING if passage.field is None else html("<strong>{}:</strong> ", name)
    words = join(_word(piece, score, largest) for piece, score in runs(passage, max_chars))
    return html(
        '<div class="qe-text" role="region" tabindex="0" aria-label="{}">{}{}</div>',
        name,
        label,
        words,
    )


def _word(piece: str, score: float | None, largest: float) -> Html:
    shown = visible(piece)
    if score is None or math.isnan(score) or score == 0 or abs(score) < _LEAST * largest:
        return html("{}", shown)
    return html(
        '<mark{kind} style="--qe-a:{depth:.2f}" title="{score:+.4g}">{shown}</mark>',
        kind=NOTHING if score > 0 else html(' class="qe-against"'),
        depth=0.08 + 0.42 * min(abs(score) / largest, 1.0),
        score=score,
        shown=shown,
    )


def _table(explanation: Explanation, n_terms: int | None) -> Html:
    terms, n_rest, rest = explanation.shown(n_terms)
    rows = [_row(explanation.offset, "before anything is read")]
    rows += [_row(term.contribution, term_label(term)) for term in terms]
    if n_rest:
        rows.append(
            _row(rest, f"{n_rest} other {explanation.part_noun}{'s' if n_rest > 1 else ''}")
        )
    return html(
        "<table><caption>{}</caption>\n"
        '<thead><tr><th scope="col">contribution</th><th scope="col">term</th></tr></thead>\n'
        "<tbody>\n{}\n</tbody></table>",
        f"{explanation.score:+.4f} {headline(explanation)}",
        join(rows, _NEW_LINE),
    )


def _row(number: float, label: str) -> Html:
    return html('<tr><td class="qe-number">{:+.4f}</td><th scope="row">{}</th></tr>', number, label)
