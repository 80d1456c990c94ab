"""``quire check``: what in a corpus would make the scores of models untrue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from quire._shared.how_many import how_many
from quire.cli import _arguments as given
from quire.cli import _typer as typer
from quire.cli._document_options import DocumentsOut
from quire.cli._reading import KEEP_EMPTY, Reading
from quire.cli._show import as_text, new_table, show, show_json, working
from quire.cli._tables import check_places, write_table
from quire.cli._tell import tell, tell_written
from quire.cli._wording import in_options

if TYPE_CHECKING:
    from quire.checks import Findings
    from quire.io import Corpus

__all__ = ["check"]

_STYLES = {"error": "bold red", "warning": "yellow", "note": "dim"}
_FOUND = 1  # the exit code of --strict


def check(
    file: given.File,
    text: given.Text = None,
    label: given.Label = None,
    split: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column that says train or test; 'split' if there."),
    ] = None,
    folds: given.Folds = 5,
    groups: given.Groups = None,
    silence: given.Silence = "",
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 if there are errors or warnings.")
    ] = False,
    documents_out: DocumentsOut = None,
    threads: given.Threads = None,
    reading: Reading = KEEP_EMPTY,
    as_json: given.Json = False,
) -> None:
    """Look for what would make scores untrue: copies, leaks, labels, languages, damaged texts.

    Each finding has a code, and says what is there, why it matters and what to do. Rows count from
    0. Labels are optional; columns beside them are looked at, too.
    """
    check_places(None, documents_out, inputs=[file])
    corpus = _read(file, text, label, **reading.options())
    with working(f"Checking {how_many(len(corpus), 'document')}"):
        from quire.checks import check_texts

        found = check_texts(
            corpus,
            split=split,
            folds=None if split is not None or folds == 5 else folds,
            groups=groups,
            silence=silence,
            n_jobs=threads,
        )
    for note in found.notes:
        tell(in_options(note))
    if documents_out is not None:
        write_table(found.rows(), documents_out)
    if as_json:
        show_json({"file": file, **found.to_dict()})
    else:
        show(*_shown(found))
    tell_written(documents_out)
    if strict and found.count("error") + found.count("warning"):
        raise typer.Exit(_FOUND)


def _read(file: str, text: list[str] | None, label: str | None, **options: Any) -> Corpus:
    with working(f"Reading {file}"):
        from quire.io import read_corpus

        corpus = read_corpus(file, text=text or None, label=label, **options)
    given.check_texts(corpus)
    return corpus


def _shown(found: Findings) -> list[Any]:
    shown: list[Any] = [found.summary]
    if not len(found):
        return shown
    table = new_table()
    table.add_column("code", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("what, and what to do", overflow="fold")
    for number, finding in enumerate(found):
        if number:
            table.add_row("", "", "")
        table.add_row(
            finding.code,
            as_text(finding.severity, style=_STYLES[finding.severity]),
            as_text(finding.what),
        )
        table.add_row("", "", as_text(in_options(finding.why), style="dim"))
        table.add_row("", "", as_text(in_options(finding.advice), style="dim"))
    return [*shown, table]
