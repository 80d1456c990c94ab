"""``quire terms``: read a labelled corpus and show the terms that mark each class."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from quire._shared.how_many import how_many
from quire.cli import _arguments as given
from quire.cli import _typer as typer
from quire.cli._export import ExportFolder, check_export, export_result
from quire.cli._loading import loading
from quire.cli._reading import READING, ROWS, Reading, Rows, Terms, read
from quire.cli._show import as_text, new_table, percent, show, show_json, working
from quire.cli._tell import tell
from quire.cli._wording import in_options

if TYPE_CHECKING:
    import polars as pl

    from quire.io import Corpus

__all__ = ["terms"]

EVERY_TERM = Terms(min_df="1")


def terms(
    file: given.File,
    text: given.Text = None,
    label: given.Label = None,
    top: Annotated[
        int, typer.Option(min=1, metavar="N", help="Number of terms for each class.")
    ] = 10,
    least: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="N",
            help="Leave out terms in fewer documents of a class; small ones keep all.",
        ),
    ] = 2,
    task: given.Task = "auto",
    counting: Terms = EVERY_TERM,
    rows: Rows = ROWS,
    export: ExportFolder = None,
    reading: Reading = READING,
    as_json: given.Json = False,
) -> None:
    """Show the terms that mark each class of a corpus.

    Terms are ranked by the chi-squared statistic of term and class over documents, among those
    that are more frequent in the class than elsewhere.
    """
    with loading():
        from quire.feature_extraction.text import CountVectorizer
        from quire.inspection import top_terms
    check_export(export)
    corpus = read(file, text, label, reading, rows, needs_texts=True)
    _check_classes(corpus, task)
    with working("Counting terms"):
        vectorizer = CountVectorizer(**counting.options())
        X = vectorizer.fit_transform(corpus.texts)
        names = vectorizer.get_feature_names_out()
        by_class = top_terms(X, corpus.labels, top, feature_names=names, min_documents=least)
    sizes = dict(corpus.labels.value_counts().iter_rows()) if corpus.labels is not None else {}
    result = {
        "file": file,
        "documents": X.shape[0],
        "terms": X.shape[1],
        "classes": [
            {"label": key, "documents": sizes[key], "top_terms": [asdict(s) for s in scores]}
            for key, scores in by_class.items()
        ],
    }
    if export is not None:
        export_result({"terms": _as_frame(by_class)}, export)
    if as_json:
        show_json(result)
    else:
        _show(result)


def _as_frame(by_class: dict[Any, Any]) -> pl.DataFrame:
    import polars as pl

    rows = [
        {"class": str(label), **asdict(score)}
        for label, scores in by_class.items()
        for score in scores
    ]
    return pl.DataFrame([{**row, "term": str(row["term"])} for row in rows])


def _check_classes(corpus: Corpus, task: str) -> None:
    """Raise an error if the labels are measures, as `compare` would take them; say codes."""
    given.check_choice(task, ("auto", "binary", "multiclass", "ordered"), "--task")
    if task != "auto":
        return
    from quire.model_selection import guess_task

    found, reason = guess_task(corpus.labels, corpus.label_column)
    if found == "continuous":
        raise ValueError(
            f"Terms mark classes, and column {corpus.label_column!r} holds numbers ({reason})."
        )
    if reason:
        tell(in_options(reason))


def _show(result: dict[str, Any]) -> None:
    title = (
        f"{how_many(result['documents'], 'document')}, {how_many(result['terms'], 'term')}, "
        f"{how_many(len(result['classes']), 'class')}"
    )
    table = new_table()
    table.add_column("class", overflow="fold")
    table.add_column("term", overflow="fold")
    table.add_column("in class", justify="right", no_wrap=True)
    table.add_column("elsewhere", justify="right", no_wrap=True)
    table.add_column("chi2", justify="right", no_wrap=True)
    for entry in result["classes"]:
        # Labels and terms are data: Text keeps square brackets in them from being read as markup.
        name = as_text(f"{entry['label']} ({entry['documents']:,})")
        for score in entry["top_terms"]:
            table.add_row(
                name,
                as_text(score["term"]),
                percent(score["share_in_class"]),
                percent(score["share_elsewhere"]),
                f"{score['score']:,.1f}",
            )
            name = as_text("")
        table.add_section()
    show(title, table)
