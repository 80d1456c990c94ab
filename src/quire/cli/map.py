"""``quire map``: documents of a corpus on a plane, by their words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from quire._shared.how_many import how_many
from quire._shared.terminal import is_terminal
from quire.cli import _arguments as given
from quire.cli import _document_options as shared
from quire.cli import _typer as typer
from quire.cli._loading import loading
from quire.cli._provenance import data_of, this_command, where_from
from quire.cli._reading import READING, Reading, StopWords, read_documents, read_stop_words
from quire.cli._show import axis_table, show, show_json, working
from quire.cli._tables import check_escape, check_places, dates_if_dates, write_columns
from quire.cli._tell import tell_seconds, tell_written

if TYPE_CHECKING:
    from quire.decomposition import DocumentMap, MapAxis
    from quire.io import Corpus

__all__ = ["map_documents"]

_LAYOUTS = ("auto", "pca", "tsne")


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
    layout: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="pca (two axes), tsne (by neighbours; pip install 'quire[map]') or auto.",
        ),
    ] = "auto",
    perplexity: Annotated[
        float,
        typer.Option(min=2, metavar="N", help="Neighbours that count in a map by neighbours."),
    ] = 30.0,
    clusters: Annotated[
        int | None,
        typer.Option("--clusters", "-k", min=1, metavar="K", help="Colour by so many clusters."),
    ] = None,
    stop_words: StopWords = "english",
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
    drop_duplicates: given.DropDuplicates = False,
    reading: Reading = READING,
    escape_formulas: given.EscapeFormulas = False,
    as_json: given.Json = False,
) -> None:
    """Draw the documents of a corpus on a map: by neighbours, or by two principal components.

    The page names what is where, shows a document that is pointed at, finds words, hides classes
    and zooms. Documents without words stay, without a place. With auto, 30 to 20,000 documents are
    placed by neighbours (t-SNE) if openTSNE is installed and no model is saved. The model of a map
    by components gives places to other documents: quire predict.
    """
    given.check_choice(layout, _LAYOUTS, "--layout")
    if layout == "tsne" and model is not None:
        raise typer.BadParameter(
            "a map by neighbours has no places for other documents; use --layout pca with --model.",
            param_hint="--layout",
        )
    if report is None and not as_json:
        report = _default_page(file)
    check_places(None, documents_out, report, model, inputs=[file])
    check_escape(escape_formulas, documents_out)
    left_out = read_stop_words(stop_words)
    corpus = read_documents(file, text, None, reading, drop_duplicates=drop_duplicates)
    colours = _colours_of(corpus, label or [], by or [])
    with loading():
        from quire import decomposition
    vectorizer = shared.tfidf(left_out, min_df, max_df, ngrams, len(corpus))
    with shared.timed() as watch, working("Placing documents"):
        document_map = decomposition.map_documents(
            corpus.texts,
            layout="pca" if model is not None else layout,
            perplexity=perplexity,
            vectorizer=vectorizer,
            random_state=seed,
            n_jobs=threads,
        )
    if clusters is not None:
        colours |= _cluster_colour(corpus, clusters, vectorizer, seed, threads)
    said = _as_plain(
        document_map, corpus, colours, top=top, seconds=watch.seconds, with_points=as_json
    )
    given.tell_notes(corpus)
    page = {"max_points": points, "n_characters": characters, "n_terms": top, "random_state": seed}
    wrote, notes = _write(
        document_map,
        corpus,
        colours,
        said,
        page=page,
        report=report,
        model=model,
        documents_out=documents_out,
        escape=escape_formulas,
    )
    if as_json:
        show_json({"file": file, **said})
    else:
        counted = shared.words_in_words(vectorizer.min_df, max_df, stop_words, ngrams)
        axes = document_map.axes(top) if document_map.layout == "pca" else []
        show(*_shown(said, axes, counted, notes))
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
        clusters = cluster_documents(
            corpus.texts,
            n_clusters,
            vectorizer=vectorizer,
            random_state=seed,
            n_jobs=threads,
            progress=is_terminal(stderr=True),
        )
    names = {
        number: " ".join([f"{number}:", *(str(one.term) for one in terms)])
        for number, terms in clusters.top_terms(3).items()
    }
    return {"cluster": [names.get(number) for number in clusters.labels.tolist()]}


def _colours_of(corpus: Corpus, labels: list[str], by: list[str]) -> dict[str, Any]:
    """Return the columns to colour by.

    Parameters
    ----------
    corpus : Corpus
        Documents.
    labels : list of str
        Columns of classes: whole numbers in them are names.
    by : list of str
        Columns of anything: numbers are a scale.
    """
    import polars as pl

    columns = {}
    for name in labels:
        column = given.column_of(corpus, name)
        if column.dtype.is_nested():
            raise ValueError(
                f"{corpus.source}: column {name!r} has several values for a row, and a document "
                "has one colour. Choose another column with --label."
            )
        is_named = column.dtype.is_integer()
        columns[name] = column.cast(pl.String) if is_named else dates_if_dates(column)
    return columns | {name: dates_if_dates(given.column_of(corpus, name)) for name in by}


def _as_plain(
    document_map: DocumentMap,
    corpus: Corpus,
    colours: dict[str, Any],
    *,
    top: int,
    seconds: float,
    with_points: bool,
) -> dict[str, Any]:
    """Return what the command shows, ready for JSON.

    Parameters
    ----------
    document_map : DocumentMap
        Of the texts of the corpus.
    corpus : Corpus
        Documents.
    colours : dict
        What documents are coloured by.
    top : int
        Terms at each end of an axis.
    seconds : float
        What it took.
    with_points : bool
        Whether the place of every document is wanted.
    """
    axes = document_map.axes(top) if document_map.layout == "pca" else []
    said: dict[str, Any] = {
        "documents": len(corpus),
        "empty": document_map.n_empty,
        "terms": document_map.pca.n_features_in_,
        "layout": document_map.layout,
        "variance": sum(axis.share for axis in axes) if axes else None,
        "seconds": seconds,
        "colours": list(colours),
        "axes": [{"axis": name, **asdict(axis)} for name, axis in zip("xy", axes, strict=False)],
        "settings": _settings(document_map),
    }
    if with_points:
        said["points"] = [
            None if math.isnan(x) else [float(f"{x:.6g}"), float(f"{y:.6g}")]
            for x, y in document_map.points.tolist()
        ]
    return said


def _settings(document_map: DocumentMap) -> dict[str, Any]:
    vectorizer = document_map.vectorizer
    return {
        "min_df": vectorizer.min_df,
        "max_df": vectorizer.max_df,
        "ngrams": list(vectorizer.ngram_range),
        "stop_words": len(vectorizer.stop_words or ()),
    }


def _write(
    document_map: DocumentMap,
    corpus: Corpus,
    colours: dict[str, Any],
    said: dict[str, Any],
    *,
    page: dict[str, Any],
    report: str | None,
    model: str | None,
    documents_out: str | None,
    escape: bool,
) -> tuple[list[str], list[str]]:
    """Write what was asked for; return the paths, and what there is to say about the page."""
    source = shared.source_name(corpus)
    notes: list[str] = []
    if report is not None:
        with working(f"Writing {report}"):
            from quire.report import map_report

            made = map_report(
                document_map,
                corpus.texts,
                colours=colours,
                path=report,
                title=f"Map of {source}" if source else None,
                settings={
                    "command": this_command(),
                    "data": data_of(corpus, _of_corpus(colours, corpus)),
                    "seconds": said["seconds"],
                    "seed": page["random_state"],
                },
                **page,
            )
            notes = made.data.notes
    if model is not None:
        with working(f"Saving {model}"):
            import quire

            quire.save(
                document_map.model,
                model,
                settings=said["settings"],
                metadata={
                    "title": "map of documents",
                    "task": "map",
                    "documents": len(corpus),
                    "source": source,
                    "text": list(corpus.text_columns),
                    "variance": said["variance"],
                    "provenance": where_from(
                        data_of(corpus, _of_corpus(colours, corpus)), page["random_state"]
                    ),
                },
            )
    if documents_out is not None:
        with working(f"Writing {documents_out}"):
            from quire._shared.tables import place_columns

            added = place_columns(document_map.points)
            if "cluster" in colours and "cluster" not in corpus.frame.columns:
                import polars as pl

                added["cluster"] = pl.Series(colours["cluster"], dtype=pl.String)
            write_columns(corpus, added, documents_out, escape=escape)
    return [path for path in (report, model, documents_out) if path is not None], notes


def _of_corpus(colours: dict[str, Any], corpus: Corpus) -> dict[str, Any]:
    """Return the columns to colour by, without clusters, which are no data."""
    return {name: corpus.frame[name] for name in colours if name in corpus.frame.columns}


def _shown(
    said: dict[str, Any], axes: Sequence[MapAxis], counted: str, notes: list[str]
) -> list[Any]:
    """Return what to print: a title, the axes with the terms at their ends, and notes.

    Parameters
    ----------
    said : dict
        From :func:`_as_plain`.
    axes : sequence of MapAxis
        The two axes.
    counted : str
        Which words were counted.
    notes : list of str
        What there is to say about the page.
    """
    empty = f", {said['empty']:,} without words" if said["empty"] else ""
    title = f"{how_many(said['documents'], 'document')}{empty}, {how_many(said['terms'], 'term')}; "
    if not axes:
        return [title + "placed by neighbours (t-SNE)", counted, "\n".join(notes)]
    title += f"two axes with {said['variance']:.2%} of the variance"
    return [title, counted, axis_table(axes), "\n".join(notes)]
