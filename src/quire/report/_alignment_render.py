"""From the data of a report on a map between word vectors to one HTML file."""

from __future__ import annotations

from quire.report._alignment_charts import pairs_chart, precision_chart
from quire.report._alignment_data import AlignmentReportData, TranslatedWord
from quire.report._charts import Chart
from quire.report._html import (
    boxed_table,
    count,
    esc,
    figure,
    section,
    sorted_cell,
    sorting_head,
    table,
)
from quire.report._page_parts import facts, repeat_section, warning_box
from quire.report._render import asset, whole_page

__all__ = ["render_alignment"]

_NAMED = 40  # missing words that are named


def render_alignment(data: AlignmentReportData) -> str:
    """Return a report on a map between word vectors as HTML.

    Parameters
    ----------
    data : AlignmentReportData
        From :func:`summarise_alignment`.

    Returns
    -------
    str
        A whole page: no other file and no network is needed to read it.

    Raises
    ------
    ImportError
        If vl-convert-python is not installed; the message names the command that installs it.
    """
    charts: list[Chart] = []
    sections = [
        ("short", "In short", _in_short(data)),
        ("precision", "Precision", _precision(data, charts)),
        ("words", "Words asked for", _asked(data)),
        ("examples", "Examples", _examples(data)),
        ("picture", "Pairs in the plane", _picture(data, charts)),
        ("missing", "Missing words", _missing(data)),
        ("repeat", "To repeat it", repeat_section(data.settings, data.versions)),
    ]
    about = f"{count(data.n_train)} pairs to learn from, {count(data.n_test)} to judge by. "
    return whole_page(
        data.title, esc(about + data.created + "."), sections, charts, style=asset("neighbors.css")
    )


def _in_short(data: AlignmentReportData) -> str:
    best = next(one for one in data.scores if one.is_best)
    lead = (
        f'<p class="lead">The best map is <strong>{esc(_method(best.method))}</strong> with '
        f"retrieval by <strong>{esc(best.retrieval)}</strong>: of {count(data.n_judged)} held-out "
        f"words {count(data.n_right)} find their partner first ({data.n_right / data.n_judged:.0%})"
        ".</p>"
    )
    size = "×".join(dict.fromkeys(map(str, data.dimensions)))
    shown = [
        ("Words of the source", count(data.n_source)),
        ("Words of the target", count(data.n_target)),
        ("Dimensions", size),
        ("Pairs learned from", count(data.n_train)),
        ("Pairs held out", count(data.n_test)),
        *[(f"Precision at {k}", f"{v:.1%}") for k, v in zip(data.ks, best.precision, strict=True)],
    ]
    if data.dictionary_size > data.n_train:
        shown.append(("Pairs after refining", count(data.dictionary_size)))
    notes = list(data.notes)
    lost = len(data.missing_source) + len(data.missing_target)
    if lost:
        notes.append(f"{count(lost)} words of pairs have no vector; their pairs were left out.")
    return section("short", "In short", lead, facts(shown), warning_box(notes))


def _method(name: str) -> str:
    return name.replace("_", " ")


def _precision(data: AlignmentReportData, charts: list[Chart]) -> str:
    head = '<th scope="col">Method</th><th scope="col">Retrieval</th>'
    head += "".join(sorting_head(f"At {k}") for k in data.ks)
    rows = []
    for one in data.scores:
        badge = ' <span class="badge">best</span>' if one.is_best else ""
        cells = "".join(map(sorted_cell, one.precision))
        rows.append(
            f'<tr><th scope="row">{esc(_method(one.method))}{badge}</th>'
            f"<td>{esc(one.retrieval)}</td>{cells}</tr>"
        )
    caption = "Precision of every method and retrieval"
    body = boxed_table(head, rows, caption, kind="sortable")
    note = (
        '<p class="note">Precision at k: the share of held-out words with a right partner among '
        "the first k. CSLS takes from a cosine what both words have on average with their nearest "
        "neighbours, which holds back words that are near everything.</p>"
    )
    chart = precision_chart(data)
    charts.append(chart)
    return section("precision", "Precision", body, note, figure(chart))


def _asked(data: AlignmentReportData) -> str:
    if not data.words:
        return ""
    return section("words", "Words asked for", _words(data.words, "Words asked for"))


def _examples(data: AlignmentReportData) -> str:
    parts = []
    wrong = data.n_judged - data.n_right
    scale = f"Scores are {'CSLS' if data.best[1] == 'csls' else 'cosines'} of the best map."
    if data.right:
        parts.append(f"<h3>Right ({count(data.n_right)})</h3>")
        parts.append(_words(data.right, "Words that found their partner first", data.ks[-1]))
    if data.wrong:
        parts.append(f"<h3>Wrong ({count(wrong)})</h3>")
        parts.append(_words(data.wrong, "Words that did not find their partner first", data.ks[-1]))
    return section("examples", "Examples", f"<p>Held-out words. {scale}</p>", *parts)


def _words(words: list[TranslatedWord], caption: str, most: int = 0) -> str:
    is_judged = any(one.right for one in words)
    heads = ["Word", "Found, with scores", *(["Right", "Place"] if is_judged else [])]
    rows = []
    for one in words:
        found = ", ".join(_found(word, score, one.right) for word, score in one.found)
        cells = f"<td>{found}</td>"
        if is_judged:
            place = f"&gt; {most}" if one.rank is None else str(one.rank)
            cells += f'<td dir="auto">{esc(", ".join(one.right))}</td><td>{place}</td>'
        rows.append(f'<tr><th scope="row" dir="auto">{esc(one.word)}</th>{cells}</tr>')
    head = "".join(f'<th scope="col">{name}</th>' for name in heads)
    return boxed_table(head, rows, caption, kind="example")


def _found(word: str, value: float, right: list[str]) -> str:
    shown = (
        f'<mark class="for2">{esc(word)}</mark>' if word in right else f"<span>{esc(word)}</span>"
    )
    return f'<bdi>{shown}</bdi> <span class="n">{value:.2f}</span>'


def _picture(data: AlignmentReportData, charts: list[Chart]) -> str:
    if len(data.points) < 2:
        return ""
    own = [pairs_chart(data, "before"), pairs_chart(data, "after")]
    charts.extend(own)
    intro = (
        f"<p>{len(data.points)} held-out pairs, seen along the two directions in which partners "
        f"differ most. These show {data.variance:.0%} of what they differ by; the map is judged in "
        "all dimensions.</p>"
    )
    both = f'<div class="pair">{figure(own[0])}{figure(own[1])}</div>'
    return section("picture", "Pairs in the plane", intro, both)


def _missing(data: AlignmentReportData) -> str:
    rows = [
        [side, len(words), ", ".join(words[:_NAMED]) + (" …" if len(words) > _NAMED else "")]
        for side, words in (("Source", data.missing_source), ("Target", data.missing_target))
        if words
    ]
    if not rows:
        return ""
    intro = "<p>Words of pairs that have no vector; their pairs were left out.</p>"
    found = table(["Vectors", "Words", "Which"], rows, "Words without a vector")
    return section("missing", "Missing words", intro, found)
