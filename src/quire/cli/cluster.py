"""``quire cluster``: documents of a corpus grouped by their words."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from quire._shared.how_many import how_many
from quire._shared.terminal import is_terminal, width
from quire.cli import _arguments as given
from quire.cli import _document_options as shared
from quire.cli import _typer as typer
from quire.cli._loading import loading
from quire.cli._provenance import data_of, this_command, where_from
from quire.cli._reading import READING, Reading, StopWords, read_documents, read_stop_words
from quire.cli._show import as_text, new_table, percent, show, show_json, working
from quire.cli._tables import check_escape, check_places, write_columns
from quire.cli._tell import tell_seconds, tell_written

if TYPE_CHECKING:
    from quire.cluster import DocumentClusters
    from quire.io import Corpus

__all__ = ["cluster"]

_METRICS = ("cosine", "euclidean")
_MOST_TRIED = 12  # of a range
_CUT = 160  # characters of a central document
_NARROW, _WIDE = 80, 100  # columns of a terminal: without shares, and with central documents
_NO_LIMIT = 10_000  # columns where there is no screen
_DOCUMENTS, _FEW, _MANY = 3, 1, 100  # documents of a cluster in a report; fewer of many clusters


def _numbers(text: str) -> list[int]:
    """Read "20", "5,10,20" and "5-30"; of a long range, twelve numbers that cover it.

    Examples
    --------
    >>> _numbers("5,10"), _numbers("2-5"), _numbers("5-30")
    ([5, 10], [2, 3, 4, 5], [5, 7, 10, 12, 14, 16, 19, 21, 23, 25, 28, 30])
    """
    numbers: set[int] = set()
    try:
        for part in text.replace(" ", "").split(","):
            low, dash, high = part.partition("-")
            first, last = int(low), int(high) if dash else int(low)
            if not 1 <= first <= last:
                raise ValueError
            n = min(last - first + 1, _MOST_TRIED)
            numbers |= {first + round(k * (last - first) / max(n - 1, 1)) for k in range(n)}
    except ValueError:
        raise typer.BadParameter(
            f"expected a number (20), several (5,10,20) or a range (5-30); got {text!r}."
        ) from None
    return sorted(numbers)


ClusterNumbers = Annotated[
    Any,
    typer.Option(
        "--clusters",
        "-k",
        parser=_numbers,
        metavar="K",
        help="How many: 20; or several to compare: 5,10,20 or 5-30. By the size of the corpus.",
    ),
]
ClusterMetric = Annotated[str, typer.Option(metavar="NAME", help="Distance: cosine or euclidean.")]
Starts = Annotated[int, typer.Option(min=1, metavar="N", help="Starts of k-means; the best wins.")]


def cluster(
    file: given.File,
    clusters: ClusterNumbers = None,
    text: given.Text = None,
    label: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Compare the clusters with the classes of this column."
        ),
    ] = None,
    metric: ClusterMetric = "cosine",
    starts: Starts = 3,
    iterations: Annotated[
        int, typer.Option(min=1, metavar="N", help="Most iterations from a start.")
    ] = 300,
    stop_words: StopWords = "english",
    min_df: given.MinDf = None,
    max_df: shared.MaxDf = "0.5",
    ngrams: given.Ngrams = "1",
    top: Annotated[
        int, typer.Option(min=1, metavar="N", help="Number of terms for each cluster.")
    ] = 8,
    seed: shared.RandomSeed = 0,
    threads: shared.ThreadCount = None,
    report: shared.ReportPath = None,
    model: shared.ModelPath = None,
    documents_out: shared.DocumentsOut = None,
    drop_duplicates: given.DropDuplicates = False,
    reading: Reading = READING,
    escape_formulas: given.EscapeFormulas = False,
    as_json: given.Json = False,
) -> None:
    """Group the documents of a corpus by their words: k-means on tf-idf.

    Of several numbers of clusters the one with the largest silhouette is taken. Documents without
    words stay, in no cluster. A saved model gives clusters to other documents: quire predict.
    """
    given.check_choice(metric, _METRICS, "--metric")
    check_places(report, documents_out, model, inputs=[file])
    check_escape(escape_formulas, documents_out)
    left_out = read_stop_words(stop_words)
    corpus = read_documents(file, text, label, reading, drop_duplicates=drop_duplicates)
    with loading():
        from quire.cluster import cluster_documents
    vectorizer = shared.tfidf(left_out, min_df, max_df, ngrams, len(corpus))
    with shared.timed() as watch:
        clustered = cluster_documents(
            corpus.texts,
            clusters,
            metric=metric,
            vectorizer=vectorizer,
            n_init=starts,
            max_iter=iterations,
            random_state=seed,
            n_jobs=threads,
            progress=is_terminal(stderr=True),
        )
    with working("Reading clusters"):
        said = _as_plain(clustered, corpus, top=top, seconds=watch.seconds)
    given.tell_notes(corpus)
    wrote = _write(
        clustered,
        corpus,
        said,
        report=report,
        model=model,
        documents_out=documents_out,
        seed=seed,
        escape=escape_formulas,
    )
    if as_json:
        show_json({"file": file, **said})
    else:
        counted = shared.words_in_words(vectorizer.min_df, max_df, stop_words, ngrams)
        show(*_shown(said, counted))
    tell_seconds("clustered", watch.seconds)
    tell_written(*wrote)


def _as_plain(
    clusters: DocumentClusters, corpus: Corpus, *, top: int, seconds: float
) -> dict[str, Any]:
    """Return what the command shows, ready for JSON.

    Parameters
    ----------
    clusters : DocumentClusters
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

    data = summarise_clusters(clusters, labels=corpus.labels, n_terms=top)
    central = clusters.central_documents(1)
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
        "settings": _settings(clusters),
    }


def _settings(clusters: DocumentClusters) -> dict[str, Any]:
    vectorizer, model = clusters.vectorizer, clusters.k_means
    return {
        "clusters": clusters.n_clusters,
        "metric": model.metric,
        "starts": model.n_init,
        "iterations": model.max_iter,
        "min_df": vectorizer.min_df,
        "max_df": vectorizer.max_df,
        "ngrams": list(vectorizer.ngram_range),
        "stop_words": len(vectorizer.stop_words or ()),
    }


def _write(
    clusters: DocumentClusters,
    corpus: Corpus,
    said: dict[str, Any],
    *,
    report: str | None,
    model: str | None,
    documents_out: str | None,
    seed: int,
    escape: bool,
) -> list[str]:
    """Write what was asked for; return the paths."""
    origin = {} if report is None and model is None else data_of(corpus)
    if report is not None:
        with working(f"Writing {report}"):
            from quire.report import cluster_report

            source = shared.source_name(corpus)
            cluster_report(
                clusters,
                corpus.texts,
                labels=corpus.labels,
                label_name=corpus.label_column or "label",
                path=report,
                title=f"Clusters of {source}" if source else None,
                n_documents=_DOCUMENTS if clusters.n_clusters <= _MANY else _FEW,
                settings={
                    "command": this_command(),
                    "data": origin,
                    "seed": seed,
                    "seconds": said["seconds"],
                },
            )
    if model is not None:
        with working(f"Saving {model}"):
            _save(clusters, corpus, said, where_from(origin, seed), model)
    if documents_out is not None:
        with working(f"Writing {documents_out}"):
            from quire._shared.tables import cluster_columns

            found = cluster_columns(clusters.labels, clusters.distances)
            write_columns(corpus, found, documents_out, escape=escape)
    return [path for path in (report, model, documents_out) if path is not None]


def _save(
    clusters: DocumentClusters,
    corpus: Corpus,
    said: dict[str, Any],
    provenance: dict[str, Any],
    path: str,
) -> None:
    """Save the pipeline with what its card says."""
    import quire

    quire.save(
        clusters.model,
        path,
        settings=said["settings"],
        metadata={
            "title": how_many(clusters.n_clusters, "cluster"),
            "task": "clusters",
            "documents": len(corpus),
            "source": shared.source_name(corpus),
            "text": list(corpus.text_columns),
            "sizes": {str(one["cluster"]): one["documents"] for one in said["clusters"]},
            "silhouette": said["silhouette"],
            "inertia": said["inertia"],
            "metric": said["metric"],
            "agreement": said["agreement"],
            "provenance": provenance,
        },
    )


def _shown(said: dict[str, Any], counted: str) -> list[Any]:
    """Return what to print: a title, what was tried, the clusters, and how good they are.

    Parameters
    ----------
    said : dict
        From :func:`_as_plain`.
    counted : str
        Which words were counted.
    """
    return [_title(said), counted, *_tried(said), _table(said), _verdict(said)]


def _title(said: dict[str, Any]) -> str:
    ended = "" if said["converged"] else " (not settled: allow more with --iterations)"
    return (
        f"{how_many(said['documents'], 'document')}, {how_many(said['terms'], 'term')}, "
        f"{how_many(len(said['clusters']), 'cluster')} ({said['chosen']}), "
        f"{how_many(said['iterations'], 'iteration')}{ended}"
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
    columns = width() if is_terminal() else _WIDE
    room = columns if is_terminal() else _NO_LIMIT
    with_shares, with_documents = columns >= _NARROW, columns >= _WIDE
    with_labels = said["agreement"] is not None
    table = new_table()
    table.add_column("cluster", justify="right", no_wrap=True)
    table.add_column("documents", justify="right", no_wrap=True)
    if with_shares:
        table.add_column("share", justify="right", no_wrap=True)
    if with_labels:
        table.add_column(as_text(said["agreement"]["column"]), overflow="fold", max_width=room // 5)
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
        table.add_row(*map(as_text, cells))
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
    return "\n".join(["; ".join([", ".join(parts[:2]), *parts[2:]]), *said["notes"]])
