"""``quire audit``: which labels of a corpus are probably wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from quire._shared.how_many import how_many
from quire.cli import _arguments as given
from quire.cli import _typer as typer
from quire.cli._document_options import DocumentsOut
from quire.cli._label_sets import check_one_label
from quire.cli._reading import KEEP_EMPTY, Reading
from quire.cli._show import as_text, new_table, show, show_json, working
from quire.cli._tables import check_escape, check_places, write_columns
from quire.cli._tell import tell, tell_written
from quire.cli._wording import in_options

if TYPE_CHECKING:
    from quire.io import Corpus
    from quire.model_selection import LabelAudit

__all__ = ["audit"]

_MODELS = ("naive-bayes", "logistic", "least-squares")
_METHODS = ("auto", "leave-one-out", "folds")
_START = 60  # characters of a text that are shown


def audit(
    file: given.File,
    text: given.Text = None,
    label: given.Label = None,
    model: Annotated[
        str,
        typer.Option(metavar="NAME", help="What judges: naive-bayes, logistic or least-squares."),
    ] = "naive-bayes",
    method: Annotated[
        str,
        typer.Option(metavar="NAME", help="auto, leave-one-out or folds."),
    ] = "auto",
    top: Annotated[int, typer.Option(min=1, metavar="N", help="Documents to show.")] = 20,
    folds: given.Folds = 5,
    groups: given.Groups = None,
    seed: given.Seed = 0,
    documents_out: DocumentsOut = None,
    escape_formulas: given.EscapeFormulas = False,
    reading: Reading = KEEP_EMPTY,
    as_json: given.Json = False,
) -> None:
    """Rank documents by how strongly a model that has not seen them speaks against their label.

    The words are those that speak for the other class. Rows count from 0; --documents-out writes
    all rows of the file in their order, with what was found beside the columns that are not texts.
    """
    given.check_choice(model, _MODELS, "--model")
    given.check_choice(method, _METHODS, "--method")
    check_places(None, documents_out, inputs=[file])
    check_escape(escape_formulas, documents_out)
    corpus = _read(file, text, label, **reading.options())
    with working(f"Auditing {how_many(len(corpus), 'label')}"):
        from quire.model_selection import audit_labels

        try:
            found = audit_labels(
                corpus,
                model=model,
                method=method,
                cv=folds,
                groups=None if groups is None else given.column_of(corpus, groups),
                n_explained=max(top, 100),
                random_state=seed,
            )
        except TypeError as error:  # a model that documents cannot be taken from
            raise ValueError(str(error)) from error
    for note in found.notes:
        tell(in_options(note))
    if documents_out is not None:
        write_columns(corpus, _columns(found, len(corpus)), documents_out, escape=escape_formulas)
    if as_json:
        show_json({"file": file, **found.to_dict(top)})
    else:
        show(found.summary, _table(found, corpus, top))
    tell_written(documents_out)


def _read(file: str, text: list[str] | None, label: str | None, **options: Any) -> Corpus:
    """Read a corpus with labels; marks of missing ones are none."""
    import polars as pl

    with working(f"Reading {file}"):
        from quire.io import read_corpus

        corpus = read_corpus(file, text=text or None, label=label, **options)
    given.check_texts(corpus)
    if corpus.labels is None:
        raise ValueError(
            f"{file} has no column that is clearly the label. Name it with --label; there are: "
            f"{', '.join(corpus.frame.columns)}."
        )
    check_one_label(corpus)
    if corpus.labels.dtype == pl.String:
        from dataclasses import replace

        empty = corpus.labels.str.strip_chars().is_in(["", "?"])
        labels = corpus.labels.set(empty.fill_null(True), None)
        return replace(corpus, labels=labels)
    return corpus


def _columns(found: LabelAudit, n: int) -> dict[str, Any]:
    """Return columns beside those of the file: a value for each of its rows."""
    import polars as pl

    frame = found.to_frame()
    rows = pl.int_range(n, eager=True, dtype=pl.Int64).alias("row")
    every = pl.DataFrame([rows]).join(frame, on="row", how="left")
    every = every.sort("row")
    names = ("rank", "suggested", "against", "probability", "suspected", "words")
    return {name: every[name] for name in names}


def _table(found: LabelAudit, corpus: Corpus, top: int) -> Any:
    table = new_table()
    for name in ("row", "against"):
        table.add_column(name, justify="right", no_wrap=True)
    for name in ("label", "suggested", "words", "text"):
        table.add_column(name, overflow="fold")
    for rank in range(min(top, len(found))):
        one = found[rank]
        words = " ".join(term for term, _ in one.words or ())
        start = " ".join(corpus.texts[one.row][: 4 * _START].split())
        start = start if len(start) <= _START else f"{start[: _START - 3]}..."
        table.add_row(
            f"{corpus.rows[one.row]:,}",
            f"{one.against:+.2f}",
            as_text(one.label),
            as_text(one.suggested),
            as_text(words),
            as_text(start, style="dim"),
        )
    return table
