"""``quire map``: documents of a corpus on a plane, by their words."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from quire.cli import _arguments as given
from quire.cli import _document_options as shared
from quire.cli._map import colours_of, map_found, show_map, write_map
from quire.cli._show import show, show_json, working
from quire.cli._tables import check_places
from quire.cli._tell import tell_seconds, tell_written
from quire.cli._words import read_stop_words, words_in_words

__all__ = ["map_documents"]


def map_documents(
    file: given.File,
    text: given.Text = None,
    label: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Colour by the classes of this column; repeatable."),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Colour by these numbers or dates; repeatable."),
    ] = None,
    clusters: Annotated[
        int | None,
        typer.Option("--clusters", "-k", min=1, metavar="K", help="Colour by so many clusters."),
    ] = None,
    stop_words: shared.StopWords = "english",
    min_df: given.MinDf = None,
    max_df: shared.MaxDf = "0.5",
    ngrams: given.Ngrams = "1",
    top: Annotated[
        int, typer.Option(min=1, metavar="N", help="Number of terms at each end of an axis.")
    ] = 8,
    points: Annotated[
        int,
        typer.Option(
            min=1, max=100_000, metavar="N", help="Most documents to draw; a sample of more."
        ),
    ] = 20_000,
    characters: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Characters to show of a document; 0 for no texts. Fewer of many documents.",
        ),
    ] = None,
    seed: shared.RandomSeed = 0,
    threads: shared.ThreadCount = None,
    report: Annotated[
        str | None,
        typer.Option(
            "--report",
            "--out",
            "-o",
            metavar="PATH",
            help="The HTML file; NAME-map.html in this folder, and none with --json.",
        ),
    ] = None,
    model: shared.ModelPath = None,
    documents_out: shared.DocumentsOut = None,
    encoding: given.Encoding = "utf-8",
    format: given.FileFormat = None,
    missing: given.Missing = "error",
    as_json: given.Json = False,
) -> None:
    """Draw the documents of a corpus on a map: the first two principal components of tf-idf.

    The page shows a document that is pointed at, finds words, hides classes and zooms. Documents
    without words stay, without a place. A saved model gives places to other documents: quire
    predict.
    """
    if report is None and not as_json:
        report = _default_page(file)
    check_places(None, documents_out, report, model)
    left_out = read_stop_words(stop_words)
    options = {"encoding": encoding, "format": format, "missing": missing}
    corpus = shared.read_documents(file, text, None, **options)
    colours = colours_of(corpus, label or [], by or [])
    with working("Loading"):
        from quire import decomposition
    vectorizer = shared.tfidf(left_out, min_df, max_df, ngrams, len(corpus))
    with shared.timed() as watch, working("Finding the two axes"):
        found = decomposition.map_documents(
            corpus.texts, vectorizer=vectorizer, random_state=seed, n_jobs=threads
        )
    if clusters is not None:
        colours |= _cluster_colour(corpus, clusters, vectorizer, seed, threads)
    said = map_found(found, corpus, colours, top=top, seconds=watch.seconds, with_points=as_json)
    given.tell_notes(corpus)
    page = {"max_points": points, "n_characters": characters, "n_terms": top, "random_state": seed}
    wrote, notes = write_map(
        found,
        corpus,
        colours,
        said,
        page=page,
        report=report,
        model=model,
        documents_out=documents_out,
    )
    if as_json:
        show_json({"file": file, **said})
    else:
        show(*show_map(said, words_in_words(vectorizer.min_df, max_df, stop_words, ngrams), notes))
    tell_seconds("mapped", watch.seconds)
    tell_written(*wrote)


def _default_page(file: str) -> str:
    """Return the name of the page: that of the corpus, in the folder where the command runs."""
    name = "" if file == "-" else Path(file).resolve().name.split(".")[0]
    return f"{name}-map.html" if name else "map.html"


def _cluster_colour(
    corpus: Any, n_clusters: int, vectorizer: Any, seed: int, threads: int | None
) -> dict[str, Any]:
    """Return clusters as something to colour by: numbers with their first terms."""
    from quire.cluster import cluster_documents

    with shared.timed():
        found = cluster_documents(
            corpus.texts,
            n_clusters,
            vectorizer=vectorizer,
            random_state=seed,
            n_jobs=threads,
            progress=sys.stderr.isatty(),
        )
    names = {
        number: " ".join([f"{number}:", *(str(one.term) for one in terms)])
        for number, terms in found.top_terms(3).items()
    }
    return {"cluster": [names.get(number) for number in found.labels.tolist()]}
