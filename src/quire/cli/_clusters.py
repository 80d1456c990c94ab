"""What ``quire cluster`` found: as data, in files and on the screen."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from quire.cli._document_options import source_name
from quire.cli._show import new_table, percent, working
from quire.cli._tables import write_columns
from quire.cli._tell import this_command

if TYPE_CHECKING:
    from quire.cluster import DocumentClusters
    from quire.io import Corpus

__all__ = ["clusters_found", "show_clusters", "write_clusters"]

_CUT = 160  # characters of a central document
_NARROW, _WIDE = 80, 100  # columns of a terminal: without shares, and with central documents
_NO_LIMIT = 10_000  # columns where there is no screen
_DOCUMENTS, _FEW, _MANY = 3, 1, 100  # documents of a cluster in a report; fewer of many clusters


def clusters_found(
    found: DocumentClusters, corpus: Corpus, *, top: int, seconds: float
) -> dict[str, Any]:
    """Return what the command shows, ready for JSON.

    Parameters
    ----------
    found : DocumentClusters
        Of the texts of the corpus.
    corpus : Corpus
        Documents, with labels if there are any to compare with.
    top : int
        Terms for each cluster.
    seconds : float
        What it took.
    """
    from quire._shared.excerpts import cut
    from quire.report import summarise_clusters

    data = summarise_clusters(found, labels=corpus.labels, n_terms=top)
    central = found.central_documents(1)
    listed = []
    for one in data.clusters:
        rows = central[one.cluster]
        listed.append(
            {
                "cluster": one.cluster,
                "documents": one.documents,
                "share": one.share,
                "distance": one.distance,
                "silhouette": one.silhouette,
                "terms": one.terms,
                "central": cut(corpus.texts[int(rows[0])], _CUT) if len(rows) else None,
                "central_row": int(rows[0]) if len(rows) else None,
                **({"label": one.label, "label_share": one.label_share} if data.labels else {}),
            }
        )
    agreement = None
    if data.labels is not None:
        own = data.labels
        agreement = {
            "column": corpus.label_column,
            "documents": own.n_documents,
            "adjusted_rand": own.adjusted_rand,
            "normalized_mutual_info": own.normalized_mutual_info,
            "purity": own.purity,
        }
    return {
        "documents": data.n_documents,
        "empty": data.n_empty,
        "terms": data.n_terms,
        "metric": data.metric,
        "chosen": data.reason,
        "iterations": data.n_iterations,
        "converged": data.converged,
        "inertia": data.inertia,
        "silhouette": data.silhouette,
        "seconds": seconds,
        "notes": data.notes,
        "tried": [asdict(one) for one in data.trials],
        "clusters": listed,
        "agreement": agreement,
        "settings": _settings(found),
    }


def _settings(found: DocumentClusters) -> dict[str, Any]:
    vectorizer, model = found.vectorizer, found.k_means
    return {
        "clusters": found.n_clusters,
        "metric": model.metric,
        "starts": model.n_init,
        "iterations": model.max_iter,
        "min_df": vectorizer.min_df,
        "max_df": vectorizer.max_df,
        "ngrams": list(vectorizer.ngram_range),
        "stop_words": len(vectorizer.stop_words or ()),
    }


def write_clusters(
    found: DocumentClusters,
    corpus: Corpus,
    said: dict[str, Any],
    *,
    report: str | None,
    model: str | None,
    documents_out: str | None,
) -> list[str]:
    """Write what was asked for; return the paths."""
    if report is not None:
        with working(f"Writing {report}"):
            from quire.report import cluster_report

            source = source_name(corpus)
            cluster_report(
                found,
                corpus.texts,
                labels=corpus.labels,
                label_name=corpus.label_column or "label",
                path=report,
                title=f"Clusters of {source}" if source else None,
                n_documents=_DOCUMENTS if found.n_clusters <= _MANY else _FEW,
                settings={
                    "command": this_command(),
                    "seconds": said["seconds"],
                },
            )
    if model is not None:
        with working(f"Saving {model}"):
            _save(found, corpus, said, model)
    if documents_out is not None:
        with working(f"Writing {documents_out}"):
            from quire._shared.tables import cluster_columns

            write_columns(corpus, cluster_columns(found.labels, found.distances), documents_out)
    return [path for path in (report, model, documents_out) if path is not None]


def _save(found: DocumentClusters, corpus: Corpus, said: dict[str, Any], path: str) -> None:
    """Save the pipeline with what its card says."""
    import quire

    quire.save(
        found.model,
        path,
        settings=said["settings"],
        metadata={
            "title": f"{found.n_clusters} clusters",
            "task": "clusters",
            "documents": len(corpus),
            "source": source_name(corpus),
            "text": list(corpus.text_columns),
            "sizes": {str(one["cluster"]): one["documents"] for one in said["clusters"]},
            "silhouette": said["silhouette"],
            "inertia": said["inertia"],
            "metric": said["metric"],
            "agreement": said["agreement"],
        },
    )


def show_clusters(said: dict[str, Any], counted: str) -> list[Any]:
    """Return what to print: a title, what was tried, the clusters, and how good they are.

    Parameters
    ----------
    said : dict
        From :func:`clusters_found`.
    counted : str
        Which words were counted.
    """
    return [_title(said), counted, *_tried(said), _table(said), _verdict(said)]


def _title(said: dict[str, Any]) -> str:
    ended = "" if said["converged"] else " (not settled: allow more with --iterations)"
    return (
        f"{said['documents']:,} documents, {said['terms']:,} terms, {len(said['clusters'])} "
        f"clusters ({said['chosen']}), {said['iterations']} iterations{ended}"
    )


def _tried(said: dict[str, Any]) -> list[Any]:
    if len(said["tried"]) < 2:
        return []
    table = new_table()
    for head in ("clusters", "inertia", "silhouette", "smallest", ""):
        table.add_column(head, justify="right", no_wrap=True)
    for one in said["tried"]:
        value = "" if one["silhouette"] is None else f"{one['silhouette']:.4f}"
        mark = "taken" if one["n_clusters"] == len(said["clusters"]) else ""
        cells = (f"{one['n_clusters']}", f"{one['inertia']:,.1f}", value, f"{one['smallest']:,}")
        table.add_row(*cells, mark)
    return [table]


def _table(said: dict[str, Any]) -> Any:
    """Return the clusters, the largest first; central documents where there is room for them."""
    from rich.console import Console
    from rich.text import Text

    console = Console()
    width = console.width if console.is_terminal else _WIDE
    room = width if console.is_terminal else _NO_LIMIT
    with_shares, with_documents = width >= _NARROW, width >= _WIDE
    with_labels = said["agreement"] is not None
    table = new_table()
    table.add_column("cluster", justify="right", no_wrap=True)
    table.add_column("documents", justify="right", no_wrap=True)
    if with_shares:
        table.add_column("share", justify="right", no_wrap=True)
    if with_labels:
        table.add_column(said["agreement"]["column"], overflow="fold", max_width=room // 5)
    table.add_column("terms", overflow="fold")
    if with_documents:
        table.add_column("central document", no_wrap=True, overflow="ellipsis", max_width=room // 3)
    for one in said["clusters"]:
        cells = [str(one["cluster"]), f"{one['documents']:,}"]
        if with_shares:
            cells.append(percent(one["share"]))
        if with_labels:
            known = one["label"] is not None
            cells.append(f"{one['label']} {one['label_share']:.0%}" if known else "")
        cells.append(" ".join(one["terms"]))
        if with_documents:
            cells.append(one["central"] or "")
        # Words are data: Text keeps square brackets in them from being read as markup.
        table.add_row(*map(Text, cells))
    return table


def _verdict(said: dict[str, Any]) -> str:
    parts = []
    if said["silhouette"] is not None:
        parts.append(f"mean silhouette {said['silhouette']:.3f}")
    parts.append(f"inertia {said['inertia']:,.1f}")
    own = said["agreement"]
    if own is not None:
        parts.append(
            f"agreement with {own['column']}: adjusted Rand {own['adjusted_rand']:.3f}, normalised "
            f"mutual information {own['normalized_mutual_info']:.3f}, purity {own['purity']:.3f}"
        )
    return "; ".join([", ".join(parts[:2]), *parts[2:], *said["notes"]])
