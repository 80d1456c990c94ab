"""From the data of a report on nearest documents to one HTML file that needs nothing else."""

from __future__ import annotations

from quire.report._charts import COLOURS, Chart, base, quantity
from quire.report._data import EvidenceTerm
from quire.report._excerpts import quoted
from quire.report._html import bar_item, count, esc, figure, score, section
from quire.report._neighbors_data import (
    NeighborCurve,
    NeighborDocument,
    NeighborQuery,
    NeighborsReportData,
)
from quire.report._page_parts import facts, repeat_section, warning_box
from quire.report._render import asset, whole_page

__all__ = ["render_neighbors"]

_STEPS = (0.33, 0.66)  # shares of the heaviest term from which on a mark is stronger


def render_neighbors(data: NeighborsReportData) -> str:
    """Return a report on nearest documents as HTML.

    Parameters
    ----------
    data : NeighborsReportData
        From :func:`summarise_neighbors`.

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
    sections = [("short", "In short", _in_short(data))]
    for number, query in enumerate(data.queries, start=1):
        name = "Query" if len(data.queries) == 1 else f"Query {number}"
        sections.append((f"query-{number}", name, _query(data, query, number, name)))
    sections.append(("how-many", "How many neighbours", _how_many(data, charts)))
    sections.append(("repeat", "To repeat it", repeat_section(data.settings, data.versions)))
    asked = "1 query" if data.n_queries == 1 else f"{count(data.n_queries)} queries"
    about = f"{asked} in {count(data.n_documents)} documents. {data.created}."
    return whole_page(data.title, esc(about), sections, charts, style=asset("neighbors.css"))


def _in_short(data: NeighborsReportData) -> str:
    lead = ""
    if len(data.queries) == 1 and data.queries[0].neighbors:
        near = data.queries[0].neighbors[0]
        words = ", ".join(term.term for term in near.terms[:3])
        lead = (
            f"The nearest of {count(data.n_documents)} documents is <strong>row "
            f"{count(near.row)}</strong>, with a similarity of {near.similarity:.3f}. Most of it "
            f"comes from {esc(words)}."
        )
        lead += _outcome(data.queries[0])
    shown = [
        ("Documents", count(data.n_documents)),
        ("Distinct terms", count(data.n_terms)),
        ("Metric", data.metric),
        ("Neighbours", count(data.n_neighbors)),
        ("Queries", count(data.n_queries)),
    ]
    if data.curve is not None:
        shown.append(("Best k for a vote", count(data.curve.best_k)))
    notes = list(data.notes)
    alone = sum(not query.neighbors for query in data.queries)
    if alone:
        said = "1 query shares" if alone == 1 else f"{alone} queries share"
        notes.insert(0, f"{said} no term with any document.")
    paragraph = f'<p class="lead">{lead}</p>' if lead else ""
    return section("short", "In short", paragraph, facts(shown), warning_box(notes))


def _outcome(query: NeighborQuery) -> str:
    """Say which label has most votes, or which ones have equally many."""
    if not query.votes:
        return ""
    most, share = query.votes[0][1:]
    first = [label for label, n, _ in query.votes if n == most]
    names = " and ".join(f'<strong dir="auto">{esc(label)}</strong>' for label in first[:3])
    names += f" and {len(first) - 3} more" if len(first) > 3 else ""
    each = " each" if len(first) > 1 else ""
    has = "have" if len(first) > 1 else "has"
    return (
        f" {names} {has} {most} of {sum(n for _, n, _ in query.votes)} votes{each} ({share:.0%})."
    )


def _query(data: NeighborsReportData, query: NeighborQuery, number: int, name: str) -> str:
    where = "" if query.row is None else f'<p class="soft">Row {count(query.row)} of the corpus</p>'
    text = quoted(query.pieces, query.before, query.after, steps=_STEPS)
    if not query.neighbors:
        alone = "<p>No document shares a term with it.</p>"
        return section(f"query-{number}", name, where, text, alone)
    key = (
        '<p class="note">Marked words are in both texts; the stronger the mark, the larger their '
        "part in the similarity. The bars add up to it; words with a small part are not marked.</p>"
    )
    items = "".join(f"<li>{_neighbor(data, one)}</li>" for one in query.neighbors)
    return section(
        f"query-{number}",
        name,
        where,
        text,
        _votes(query),
        "<h3>Nearest documents</h3>",
        key,
        f'<ol class="mistakes neighbors">{items}</ol>',
    )


def _votes(query: NeighborQuery) -> str:
    if not query.votes:
        return ""
    items = "".join(
        bar_item(label, share, f'{share:.0%}<span class="hidden"> ({n} votes)</span>')
        for label, n, share in query.votes
    )
    return f'<h3>Vote</h3><ul class="terms votes">{items}</ul>'


def _neighbor(data: NeighborsReportData, one: NeighborDocument) -> str:
    label = "" if one.label is None else f' <strong dir="auto">{esc(one.label)}</strong>'
    far = "" if data.metric == "cosine" else f", distance {score(one.distance)}"
    head = (
        f'<p class="verdict"><strong>{one.similarity:.3f}</strong>{far}{label} '
        f'<span class="soft">row {count(one.row)}</span></p>'
    )
    text = quoted(one.pieces, one.before, one.after, steps=_STEPS)
    return f'<div class="two">{head}{text}{_bars(one.terms, one.rank)}</div>'


def _bars(terms: list[EvidenceTerm], rank: int) -> str:
    if not terms:
        return ""
    largest = max(term.weight for term in terms) or 1.0
    items = "".join(
        bar_item(term.term, term.weight / largest, f"{term.weight:.3f}") for term in terms
    )
    return f'<ul class="terms" aria-label="Shared terms of neighbour {rank}">{items}</ul>'


def _how_many(data: NeighborsReportData, charts: list[Chart]) -> str:
    if data.curve is None:
        return ""
    chart = _curve_chart(data.curve)
    charts.append(chart)
    place = data.curve.ks.index(data.curve.best_k)
    intro = (
        "<p>Each document is left out in turn and given the label that most of its k nearest "
        f"others have. With k = <strong>{data.curve.best_k}</strong> the share of errors is "
        f"lowest, {data.curve.errors[place]:.3f}; up to k = {data.curve.within_k} it is within one "
        "standard error of that.</p>"
    )
    return section("how-many", "How many neighbours", intro, figure(chart))


def _curve_chart(curve: NeighborCurve) -> Chart:
    values = [
        {"k": k, "error": error, "low": max(error - spread, 0.0), "high": error + spread}
        for k, error, spread in zip(curve.ks, curve.errors, curve.standard_errors, strict=True)
    ]
    caption = (
        f"Share of errors by k, {curve.scheme}. The band is one standard error to either side; the "
        "upright line is the best k."
    )
    spec = base(values, caption, 280)
    x = quantity("k", "Neighbours that vote (k)", axis={"tickMinStep": 1, "format": "d"})
    limits = {"zero": False, "nice": True}
    spec["layer"] = [
        {
            "mark": {"type": "area", "color": COLOURS[0], "opacity": 0.2},
            "encoding": {"x": x, "y": quantity("low", "", scale=limits), "y2": {"field": "high"}},
        },
        {
            "mark": {"type": "line", "color": COLOURS[0], "strokeWidth": 2, "point": False},
            "encoding": {"x": x, "y": quantity("error", "Share of errors", scale=limits)},
        },
        {
            "mark": {"type": "point", "filled": True, "color": COLOURS[0], "size": 30},
            "encoding": {
                "x": x,
                "y": quantity("error", "Share of errors", scale=limits),
                "tooltip": [quantity("k", "k"), quantity("error", "Error", format=".4f")],
            },
        },
        {
            "data": {"values": [{"k": curve.best_k}]},
            "mark": {"type": "rule", "color": COLOURS[1], "strokeDash": [4, 3], "strokeWidth": 2},
            "encoding": {"x": x},
        },
    ]
    rows = [[v["k"], round(v["error"], 4), round(v["low"], 4), round(v["high"], 4)] for v in values]
    heads = ["k", "Error", "Low", "High"]
    return Chart("chart-k", "Leave-one-out error", caption, spec, heads, rows, 720)
