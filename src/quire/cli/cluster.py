"""``quire cluster``: documents of a corpus grouped by their words."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from quire.cli import _arguments as given
from quire.cli import _document_options as shared
from quire.cli._clusters import clusters_found, show_clusters, write_clusters
from quire.cli._show import show, show_json, working
from quire.cli._tables import check_places
from quire.cli._tell import tell_seconds, tell_written
from quire.cli._words import read_stop_words, words_in_words

__all__ = ["cluster"]

_METRICS = ("cosine", "euclidean")
_MOST_TRIED = 12  # of a range


def _numbers(text: str) -> list[int]:
    """Read "20", "5,10,20" and "5-30"; of a long range, twelve numbers that cover it.

    Examples
    --------
    >>> _numbers("5,10"), _numbers("2-5"), _numbers("5-30")
    ([5, 10], [2, 3, 4, 5], [5, 7, 10, 12, 14, 16, 19, 21, 23, 25, 28, 30])
    """
    found: set[int] = set()
    try:
        for part in text.replace(" ", "").split(","):
            low, dash, high = part.partition("-")
            first, last = int(low), int(high) if dash else int(low)
            if not 1 <= first <= last:
                raise ValueError
            n = min(last - first + 1, _MOST_TRIED)
            found |= {first + round(k * (last - first) / max(n - 1, 1)) for k in range(n)}
    except ValueError:
        raise typer.BadParameter(
            f"expected a number (20), several (5,10,20) or a range (5-30); got {text!r}."
        ) from None
    return sorted(found)


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
    stop_words: shared.StopWords = "english",
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
    encoding: given.Encoding = "utf-8",
    format: given.FileFormat = None,
    missing: given.Missing = "error",
    as_json: given.Json = False,
) -> None:
    """Group the documents of a corpus by their words: k-means on tf-idf.

    Of several numbers of clusters the one with the largest silhouette is taken. Documents without
    words stay, in no cluster. A saved model gives clusters to other documents: quire predict.
    """
    given.check_choice(metric, _METRICS, "--metric")
    check_places(report, documents_out, model)
    left_out = read_stop_words(stop_words)
    options = {"encoding": encoding, "format": format, "missing": missing}
    corpus = shared.read_documents(file, text, label, **options)
    with working("Loading"):
        from quire.cluster import cluster_documents
    vectorizer = shared.tfidf(left_out, min_df, max_df, ngrams, len(corpus))
    with shared.timed() as watch:
        found = cluster_documents(
            corpus.texts,
            clusters,
            metric=metric,
            vectorizer=vectorizer,
            n_init=starts,
            max_iter=iterations,
            random_state=seed,
            n_jobs=threads,
            progress=sys.stderr.isatty(),
        )
    with working("Reading clusters"):
        said = clusters_found(found, corpus, top=top, seconds=watch.seconds)
    given.tell_notes(corpus)
    wrote = write_clusters(
        found, corpus, said, report=report, model=model, documents_out=documents_out
    )
    if as_json:
        show_json({"file": file, **said})
    else:
        show(*show_clusters(said, words_in_words(vectorizer.min_df, max_df, stop_words, ngrams)))
    tell_seconds("clustered", watch.seconds)
    tell_written(*wrote)
