"""Where the best model errs: parts of the documents, and how good it is on each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from quire._shared.how_many import how_many
from quire._shared.page.html import NOTHING, Html, html
from quire._shared.page.numbers import count, finite, number, score
from quire._shared.page.sections import Section, note, paragraph, section
from quire._shared.page.tables import boxed_table, column_head
from quire.model_selection import Comparison, ErrorSlice, error_slices

if TYPE_CHECKING:
    from quire.report._comparison.report import ReportData

__all__ = ["Slice", "Slices", "slices_of", "slices_section", "worse_in_words"]

_MOST_ROWS = 40
_SENTENCES = 3
_TITLE = "Where it errs"


@dataclass(frozen=True)
class Slice:
    """A part of the documents, from :class:`~quire.model_selection.ErrorSlice`."""

    column: str
    value: str
    documents: int
    score: float
    low: float | None
    high: float | None
    rest: float
    difference: float
    p_corrected: float
    is_worse: bool


@dataclass(frozen=True)
class Slices:
    """Parts of the documents, the worst first; `score` is that of all documents."""

    measure: str
    larger_is_better: bool
    score: float
    rows: list[Slice]


def slices_of(comparison: Comparison, data: Any, slices: Any) -> Slices | None:
    """Return how good the best model is on parts of the documents; ``None`` if there are none.

    Parameters
    ----------
    comparison : Comparison
        Its best model.
    data : Corpus, DataFrame or sequence of str
        As the report was given it.
    slices : bool, list of str, mapping or DataFrame
        Which columns; all that make sense if ``True``, and none if ``False``.
    """
    if slices is False or slices is None:
        return None
    columns = None if slices is True else slices
    found = error_slices(comparison, data, columns=columns)
    if not found.slices:
        return None
    rows = [_plain(one) for one in found]
    return Slices(found.measure, found.larger_is_better, float(found.score.value), rows)


def _plain(one: ErrorSlice) -> Slice:
    return Slice(
        one.column,
        one.value,
        one.documents,
        one.score,
        finite(one.low),
        finite(one.high),
        one.rest,
        one.difference,
        one.p_corrected,
        one.is_worse,
    )


def worse_in_words(slices: Slices | None) -> list[str]:
    """Return a sentence on the parts where the best model is clearly worse, if there are some."""
    worse = [] if slices is None else [one for one in slices.rows if one.is_worse]
    if slices is None or not worse:
        return []
    parts = [
        f"{one.column}: {one.value}, {slices.measure} {_shown(one.score, slices)} against "
        f"{_shown(one.rest, slices)} on the others ({how_many(one.documents, 'document')})"
        for one in worse[:_SENTENCES]
    ]
    more = len(worse) - len(parts)
    rest = f"; and {more} more under “{_TITLE}”" if more else ""
    what = "a part" if len(worse) == 1 else "parts"
    return [f"Clearly worse on {what} of the documents: {'; '.join(parts)}{rest}."]


def _shown(value: float, slices: Slices) -> str:
    return score(value) if slices.larger_is_better else number(value)


def slices_section(report: ReportData) -> Section:
    """Return a table of the parts of the documents."""
    slices = report.slices
    if slices is None:
        return section("slices", _TITLE)
    n_worse = sum(one.is_worse for one in slices.rows)
    said = f"On none of {len(slices.rows)} parts of the documents is it clearly worse"
    if n_worse:
        parts = "1 part" if n_worse == 1 else f"{n_worse} parts"
        said = f"On {parts} of {len(slices.rows)} it is clearly worse than on the other documents"
    intro = paragraph(
        f"The {slices.measure} of {report.best} is {_shown(slices.score, slices)} on all documents "
        f"while they were held out. {said}."
    )
    shown = slices.rows[:_MOST_ROWS]
    every = [end for one in shown for end in (one.low, one.high, one.score) if end is not None]
    scale = (min([slices.score, *every]), max([slices.score, *every]))
    rows = [_row(one, slices, scale) for one in shown]
    heads = [
        column_head("Part"),
        *(
            html('<th scope="col" class="n">{}</th>', head)
            for head in ("Documents", slices.measure.capitalize(), "95% interval")
        ),
        html('<th scope="col" class="range-head"><span class="hidden">Interval, drawn</span></th>'),
        *(html('<th scope="col" class="n">{}</th>', head) for head in ("Others", "p")),
    ]
    cut = NOTHING
    if len(slices.rows) > _MOST_ROWS:
        cut = note(f"The first {_MOST_ROWS} of {len(slices.rows)} parts.")
    about = note(
        "Worst first. p is the probability of so large a difference to all other documents by "
        "chance, corrected for the number of parts (Benjamini and Hochberg). The vertical line is "
        "the score on all documents. Numbers and lengths are in bins of about as many documents "
        "each."
    )
    table = boxed_table(heads, rows, "Parts of the documents", kind="slices")
    return section("slices", _TITLE, intro, table, cut, about)


def _row(one: Slice, slices: Slices, scale: tuple[float, float]) -> Html:
    interval = ""
    if one.low is not None and one.high is not None:
        interval = f"{_shown(one.low, slices)} to {_shown(one.high, slices)}"
    badge = html(' <span class="badge worse">worse</span>') if one.is_worse else NOTHING
    low, width = scale[0], (scale[1] - scale[0]) or 1.0
    ends = (one.low, one.high, one.score, slices.score)
    low_end, high_end, middle, whole = (
        ((one.score if end is None else end) - low) / width for end in ends
    )
    drawn = html(
        '<span class="range" style="--l:{:.3f};--h:{:.3f};--v:{:.3f};--o:{:.3f}" '
        'aria-hidden="true"><i></i><b></b></span>',
        low_end,
        high_end,
        middle,
        whole,
    )
    return html(
        '<tr><th scope="row"><span class="soft" dir="auto">{column}:</span> '
        '<span dir="auto">{value}</span>{badge}</th><td class="n">{n}</td>'
        '<td class="n">{score}</td><td class="n">{interval}</td><td class="range-cell">{drawn}</td>'
        '<td class="n">{others}</td><td class="n">{p}</td></tr>',
        column=one.column,
        value=one.value,
        badge=badge,
        n=count(one.documents),
        score=_shown(one.score, slices),
        interval=interval,
        drawn=drawn,
        others=_shown(one.rest, slices),
        p="< 0.001" if one.p_corrected < 0.001 else f"{one.p_corrected:.3f}",
    )
