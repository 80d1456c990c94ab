"""From the data of a report on clusters to one HTML file that needs nothing else."""

from __future__ import annotations

from quire.cluster._documents import AS_ASKED
from quire.report._charts import Chart
from quire.report._clusters_charts import inertia_chart, silhouette_chart, trace_chart
from quire.report._clusters_data import ClusterReportData, ClusterSummary
from quire.report._excerpts import quoted
from quire.report._html import (
    bar_item,
    boxed_table,
    cell,
    count,
    esc,
    figure,
    number,
    score,
    section,
    sorted_cell,
    sorting_head,
    table,
)
from quire.report._page_parts import facts, repeat_section, time_fact, warning_box
from quire.report._render import asset, whole_page

__all__ = ["render_clusters"]

_WORDS = 8  # of a cluster in the table
_STRONGEST = 0.55  # shade of a cell with all documents of its cluster


def render_clusters(data: ClusterReportData) -> str:
    """Return a report on clusters as HTML.

    Parameters
    ----------
    data : ClusterReportData
        From :func:`summarise_clusters`.

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
        ("table", "All clusters", _table(data)),
        ("number", "How many clusters", _number(data, charts)),
        ("labels", "Known labels", _labels(data)),
        ("clusters", "Words and documents", _clusters(data)),
        ("near", "Near each other", _near(data)),
        ("convergence", "Convergence", _convergence(data, charts)),
        ("repeat", "To repeat it", repeat_section(data.settings, data.versions)),
    ]
    about = f"{len(data.clusters)} clusters of {count(data.n_documents)} documents. {data.created}."
    return whole_page(data.title, esc(about), sections, charts, style=asset("clusters.css"))


def _in_short(data: ClusterReportData) -> str:
    largest = data.clusters[0]
    how = "" if data.reason == AS_ASKED else f" The number of clusters: {esc(data.reason)}."
    lead = (
        f'<p class="lead"><strong>{len(data.clusters)} clusters</strong> of '
        f"{count(data.n_documents)} documents. The largest, cluster {largest.cluster} "
        f'(<span dir="auto">{esc(", ".join(largest.terms[:4]))}</span>), has '
        f"{largest.share:.1%} of them.{how}</p>"
    )
    shown = [
        ("Documents", count(data.n_documents)),
        ("Distinct terms", count(data.n_terms)),
        ("Distance", data.metric),
        ("Iterations", count(data.n_iterations)),
        ("Mean silhouette", score(data.silhouette)),
        ("Smallest cluster", count(min(one.documents for one in data.clusters))),
    ]
    if data.labels is not None:
        shown.append(("Adjusted Rand", score(data.labels.adjusted_rand)))
    shown += time_fact(data.settings)
    careful = list(data.notes)
    if not data.converged:
        careful.insert(0, "The iterations ran out before the clusters had settled; allow more.")
    return section("short", "In short", lead, facts(shown), warning_box(careful))


def _table(data: ClusterReportData) -> str:
    with_labels = data.labels is not None
    head = sorting_head("Cluster", is_number=False) + sorting_head("Documents")
    head += '<th scope="col">Terms</th>'
    head += "".join(map(sorting_head, ("Share", "Mean distance", "Silhouette")))
    if with_labels:
        head += '<th scope="col">Most frequent label</th>'
    rows = []
    for one in data.clusters:
        cells = [
            f'<th scope="row" data-value="{one.cluster}">'
            f'<a href="#cluster-{one.cluster}">{one.cluster}</a></th>',
            sorted_cell(one.documents, count(one.documents)),
            f'<td class="words" dir="auto">{esc(" ".join(one.terms[:_WORDS]))}</td>',
            sorted_cell(one.share, f"{one.share:.1%}"),
            sorted_cell(one.distance),
            sorted_cell(one.silhouette),
        ]
        if with_labels:
            cells.append(f'<td dir="auto">{_label(one)}</td>')
        rows.append(f"<tr>{''.join(cells)}</tr>")
    note = (
        '<p class="note">Numbers are those of the model, from 0. Share: of all documents. '
        f"Distance: {esc(data.metric)}, to the centre. Silhouettes, from a sample of "
        "documents: near 1 apart from all other clusters, near 0 between them. Terms: those that "
        "are heavier in this cluster than in the mean of the others.</p>"
    )
    body = boxed_table(head, rows, "All clusters", kind="sortable clusters")
    return section("table", "All clusters", body, note)


def _label(one: ClusterSummary) -> str:
    if one.label is None or one.label_share is None:
        return cell(None)
    return f'{esc(one.label)} <span class="soft">({one.label_share:.0%})</span>'


def _number(data: ClusterReportData, charts: list[Chart]) -> str:
    if len(data.trials) < 2:
        return ""
    found = [chart for chart in (silhouette_chart(data), inertia_chart(data)) if chart]
    charts.extend(found)
    heads = ["Clusters", "Inertia", "Mean silhouette", "Smallest cluster", "Iterations"]
    rows = [
        [one.n_clusters, number(one.inertia), score(one.silhouette), one.smallest, one.n_iter]
        for one in data.trials
    ]
    intro = (
        f"<p>Of the numbers that were tried, <strong>{len(data.clusters)}</strong> has the largest "
        "mean silhouette. Silhouettes of texts are small, and differences between neighbours say "
        "little: read the clusters before you settle for a number.</p>"
    )
    pair = f'<div class="pair">{"".join(map(figure, found))}</div>'
    return section(
        "number",
        "How many clusters",
        intro,
        pair,
        table(heads, rows, "Numbers of clusters that were tried"),
    )


def _labels(data: ClusterReportData) -> str:
    found = data.labels
    if found is None:
        return ""
    shown = [
        ("Adjusted Rand index", score(found.adjusted_rand)),
        ("Normalised mutual information", score(found.normalized_mutual_info)),
        ("Purity", score(found.purity)),
    ]
    intro = (
        f"<p>Clusters beside <strong>{esc(found.name)}</strong>, in {count(found.n_documents)} "
        "documents. The clusters do not know it. Adjusted Rand: 1 is equality, 0 chance. Purity is "
        "the share of documents that have the most frequent label of their cluster.</p>"
    )
    head = '<th scope="col">Cluster</th>' + "".join(
        f'<th scope="col"><span title="{esc(name)}">{esc(name)}</span></th>'
        for name in found.labels
    )
    words = {one.cluster: " ".join(one.terms[:2]) for one in data.clusters}
    rows = []
    for cluster, counts in zip(found.clusters, found.table, strict=True):
        total = sum(counts) or 1
        cells = "".join(
            f'<td style="--part:{_STRONGEST * value / total:.3f}">{value or ""}</td>'
            for value in counts
        )
        name = f"{cluster}: {words[cluster]}"
        rows.append(f'<tr><th scope="row" dir="auto">{esc(name)}</th>{cells}</tr>')
    caption = f"Documents by cluster and {found.name}"
    cross = boxed_table(head, rows, caption, kind="cross")
    cross += '<p class="note">Shades are shares of the cluster.</p>'
    return section("labels", "Known labels", intro, facts(shown), cross)


def _clusters(data: ClusterReportData) -> str:
    has_documents = any(one.central for one in data.clusters)
    intro = "<p>The terms that mark each cluster"
    if has_documents:
        intro += ", and the documents nearest to its centre. Its heaviest terms are marked in them"
    cards = "".join(_card(one) for one in data.clusters)
    return section("clusters", "Words and documents", f"{intro}.</p>", cards)


def _card(one: ClusterSummary) -> str:
    most = max(one.weights, default=1.0)
    terms = "".join(
        bar_item(term, weight / most, f"{weight:.3f}")
        for term, weight in zip(one.terms, one.weights, strict=True)
    )
    documents = "".join(
        f'<li><p class="verdict"><span class="soft">row {count(document.row)}, distance '
        f"{score(document.distance)}</span></p>"
        f"{quoted(document.pieces, document.before, document.after)}</li>"
        for document in one.central
    )
    inside = f'<ol class="terms">{terms}</ol>' if terms else '<p class="soft">No documents.</p>'
    if documents:
        inside = f'<div class="two">{inside}<ol class="mistakes">{documents}</ol></div>'
    name = f"cluster-{one.cluster}"
    title = f"Cluster {one.cluster}"
    about = f"{count(one.documents)} documents, {one.share:.1%}"
    return (
        f'<article class="cluster" id="{name}" aria-labelledby="{name}-title">'
        f'<h3 id="{name}-title">{title} <span class="soft">{about}</span></h3>{inside}</article>'
    )


def _near(data: ClusterReportData) -> str:
    if not data.pairs:
        return ""
    words = {one.cluster: f"{one.cluster}: {' '.join(one.terms[:4])}" for one in data.clusters}
    rows = [[words[one.one], words[one.other], f"{one.cosine:.2f}"] for one in data.pairs]
    intro = (
        "<p>Pairs of clusters whose centres are most alike, by the cosine between them. Near 1 "
        "they are about the same things: fewer clusters would join them.</p>"
    )
    heads = ["Cluster", "Cluster", "Cosine"]
    return section("near", "Near each other", intro, table(heads, rows, "Clusters that are alike"))


def _convergence(data: ClusterReportData, charts: list[Chart]) -> str:
    chart = trace_chart(data)
    if chart is None:
        return ""
    charts.append(chart)
    return section("convergence", "Convergence", figure(chart))
