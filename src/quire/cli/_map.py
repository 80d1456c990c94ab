"""What ``quire map`` found: as data, in files and on the screen."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from quire.cli._document_options import source_name
from quire.cli._results import column_of
from quire.cli._show import new_table, working
from quire.cli._tables import dates_if_dates, write_columns
from quire.cli._tell import this_command

if TYPE_CHECKING:
    from quire.decomposition import DocumentMap
    from quire.io import Corpus

__all__ = ["axis_table", "colours_of", "map_found", "show_map", "write_map"]

_AXES = (("x", "left", "right"), ("y", "lower", "upper"))


def colours_of(corpus: Corpus, labels: list[str], by: list[str]) -> dict[str, Any]:
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

    found = {}
    for name in labels:
        column = column_of(corpus, name)
        is_named = column.dtype.is_integer()
        found[name] = column.cast(pl.String) if is_named else dates_if_dates(column)
    return found | {name: dates_if_dates(column_of(corpus, name)) for name in by}


def map_found(
    found: DocumentMap,
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
    found : DocumentMap
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
    axes = []
    for (name, _, _), axis in zip(_AXES, found.axes(top), strict=True):
        ends = {
            end: [{"term": one.term, "weight": one.weight} for one in terms]
            for end, terms in (("low", axis.low), ("high", axis.high))
        }
        axes.append({"axis": name, "share": axis.share, **ends})
    said: dict[str, Any] = {
        "documents": len(corpus),
        "empty": found.n_empty,
        "terms": found.pca.n_features_in_,
        "variance": sum(axis["share"] for axis in axes),
        "seconds": seconds,
        "colours": list(colours),
        "axes": axes,
        "settings": _settings(found),
    }
    if with_points:
        said["points"] = [
            None if math.isnan(x) else [float(f"{x:.6g}"), float(f"{y:.6g}")]
            for x, y in found.points.tolist()
        ]
    return said


def _settings(found: DocumentMap) -> dict[str, Any]:
    vectorizer = found.vectorizer
    return {
        "min_df": vectorizer.min_df,
        "max_df": vectorizer.max_df,
        "ngrams": list(vectorizer.ngram_range),
        "stop_words": len(vectorizer.stop_words or ()),
    }


def write_map(
    found: DocumentMap,
    corpus: Corpus,
    colours: dict[str, Any],
    said: dict[str, Any],
    *,
    page: dict[str, Any],
    report: str | None,
    model: str | None,
    documents_out: str | None,
) -> tuple[list[str], list[str]]:
    """Write what was asked for; return the paths, and what there is to say about the page."""
    source = source_name(corpus)
    notes: list[str] = []
    if report is not None:
        with working(f"Writing {report}"):
            from quire.report import map_report

            command = this_command()
            made = map_report(
                found,
                corpus.texts,
                colours=colours,
                path=report,
                title=f"Map of {source}" if source else None,
                settings={"command": command, "seconds": said["seconds"]},
                **page,
            )
            notes = made.data.notes
    if model is not None:
        with working(f"Saving {model}"):
            import quire

            quire.save(
                found.model,
                model,
                settings=said["settings"],
                metadata={
                    "title": "map of documents",
                    "task": "map",
                    "documents": len(corpus),
                    "source": source,
                    "text": list(corpus.text_columns),
                    "variance": said["variance"],
                },
            )
    if documents_out is not None:
        with working(f"Writing {documents_out}"):
            from quire._shared.tables import place_columns

            added = place_columns(found.points)
            if "cluster" in colours and "cluster" not in corpus.frame.columns:
                import polars as pl

                added["cluster"] = pl.Series(colours["cluster"], dtype=pl.String)
            write_columns(corpus, added, documents_out)
    return [path for path in (report, model, documents_out) if path is not None], notes


def show_map(said: dict[str, Any], counted: str, notes: list[str]) -> list[Any]:
    """Return what to print: a title, the axes with the terms at their ends, and notes.

    Parameters
    ----------
    said : dict
        From :func:`map_found`.
    counted : str
        Which words were counted.
    notes : list of str
        What there is to say about the page.
    """
    empty = f", {said['empty']:,} without words" if said["empty"] else ""
    title = (
        f"{said['documents']:,} documents{empty}, {said['terms']:,} terms; two axes with "
        f"{said['variance']:.2%} of the variance"
    )
    return [title, counted, axis_table(said["axes"]), "\n".join(notes)]


def axis_table(axes: list[dict[str, Any]]) -> Any:
    """Return a table of axes: a line for each end, with its terms.

    Parameters
    ----------
    axes : list of dict
        With ``"share"``, ``"low"`` and ``"high"``.
    """
    from rich.text import Text

    table = new_table()
    table.add_column("axis", no_wrap=True)
    table.add_column("variance", justify="right", no_wrap=True)
    table.add_column("end", no_wrap=True)
    table.add_column("terms", overflow="fold")
    for axis, (name, low, high) in zip(axes, _AXES, strict=False):
        for number, (end, terms) in enumerate(((low, axis["low"]), (high, axis["high"]))):
            words = Text(" ".join(str(one["term"]) for one in terms))
            first = (name, f"{axis['share']:.2%}") if number == 0 else ("", "")
            table.add_row(*first, end, words)
    return table
