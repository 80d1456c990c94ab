"""``quire terms``: read a labelled corpus and show the terms that mark each class."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from quire.cli._show import new_table, percent, show, show_json, working

__all__ = ["terms"]


def _ngram_range(text: str) -> tuple[int, int]:
    """Read "2" as (2, 2) and "1,2" as (1, 2)."""
    try:
        sizes = [int(part) for part in text.split(",")]
    except ValueError:
        sizes = []
    if len(sizes) not in {1, 2} or sizes[0] < 1 or sizes[-1] < sizes[0]:
        raise typer.BadParameter(f"expected a number or two, such as 1,2; got {text!r}.")
    return sizes[0], sizes[-1]


def _frequency(text: str) -> int | float:
    """Read a whole number as a number of documents and a fraction as a share of them."""
    try:
        value = int(text) if text.isdigit() else float(text)
    except ValueError:
        value = -1
    if value < 0 or (isinstance(value, float) and not value <= 1):
        raise typer.BadParameter(f"expected documents (5) or a share of them (0.01); got {text!r}.")
    return value


def terms(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="Corpus: CSV, Parquet, JSON, Excel, a folder; - for stdin."
        ),
    ],
    text: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN", help="Column with the text; repeat to join several; guessed if clear."
        ),
    ] = None,
    label: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column with the class; guessed if clear.")
    ] = None,
    top: Annotated[
        int, typer.Option(min=1, metavar="N", help="Number of terms for each class.")
    ] = 10,
    ngrams: Annotated[
        Any,
        typer.Option(
            parser=_ngram_range, metavar="N[,M]", help="Words in a term: 1; 2; 1,2 for both."
        ),
    ] = "1",
    stop_words: Annotated[
        str | None, typer.Option(metavar="NAME", help="Leave out stop words: english.")
    ] = None,
    min_df: Annotated[
        Any,
        typer.Option(
            parser=_frequency,
            metavar="N",
            help="Leave out terms in fewer documents: 5, or a share such as 0.01.",
        ),
    ] = "1",
    encoding: Annotated[
        str, typer.Option(metavar="NAME", help="Encoding of the file; auto detects it.")
    ] = "utf-8",
    format: Annotated[
        str | None, typer.Option(metavar="NAME", help="Format of the file; from its name.")
    ] = None,
    missing: Annotated[
        str, typer.Option(metavar="WHAT", help="Rows without text: error, drop or empty.")
    ] = "error",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Show the terms that mark each class of a corpus.

    Terms are ranked by the chi-squared statistic of term and class over documents, among those
    that are more frequent in the class than elsewhere.
    """
    with working("Loading"):
        from quire.feature_extraction.text import CountVectorizer
        from quire.inspection import top_terms
        from quire.io import read_corpus
    with working(f"Reading {file}"):
        options: dict[str, Any] = {"encoding": encoding, "format": format, "missing": missing}
        corpus = read_corpus(file, text=text or None, label=label, **options)
    if corpus.labels is None:
        raise ValueError(
            f"{file} has no classes to compare. Name the column that holds them with --label."
        )
    with working("Counting terms"):
        vectorizer = CountVectorizer(ngram_range=ngrams, stop_words=stop_words, min_df=min_df)
        X = vectorizer.fit_transform(corpus.texts)
        found = top_terms(X, corpus.labels, vectorizer.get_feature_names_out(), n_terms=top)
    for note in corpus.notes:
        typer.echo(f"quire: {note}", err=True)
    sizes = dict(corpus.labels.value_counts().iter_rows())
    result = {
        "file": file,
        "documents": X.shape[0],
        "terms": X.shape[1],
        "classes": [
            {"label": key, "documents": sizes[key], "top_terms": [asdict(s) for s in scores]}
            for key, scores in found.items()
        ],
    }
    if as_json:
        show_json(result)
    else:
        _show(result)


def _show(result: dict[str, Any]) -> None:
    from rich.text import Text

    title = (
        f"{result['documents']:,} documents, {result['terms']:,} terms, "
        f"{len(result['classes'])} classes"
    )
    table = new_table()
    table.add_column("class", overflow="fold")
    table.add_column("term", overflow="fold")
    table.add_column("in class", justify="right", no_wrap=True)
    table.add_column("elsewhere", justify="right", no_wrap=True)
    table.add_column("chi2", justify="right", no_wrap=True)
    for entry in result["classes"]:
        # Labels and terms are data: Text keeps square brackets in them from being read as markup.
        name = Text(f"{entry['label']} ({entry['documents']:,})")
        for score in entry["top_terms"]:
            table.add_row(
                name,
                Text(score["term"]),
                percent(score["share_in_class"]),
                percent(score["share_elsewhere"]),
                f"{score['score']:,.1f}",
            )
            name = Text("")
        table.add_section()
    show(title, table)
