"""``quire verify``: a report or a model made again, and every number compared."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from quire._shared.how_many import how_many
from quire.cli import _arguments as given
from quire.cli import _typer as typer
from quire.cli._repeat import (
    CANNOT,
    CannotRepeatError,
    Parsed,
    assigned,
    parsed,
    run_again,
    without_form,
)
from quire.cli._show import as_text, new_table, show, show_json
from quire.cli._tell import tell
from quire.cli._wording import in_options

if TYPE_CHECKING:
    from quire.io import Corpus
    from quire.report import Verification

__all__ = ["verify"]

_MODEL_MARK = b"PK\x03\x04"
_SHOWN = 40  # differences


def verify(
    file: Annotated[
        str, typer.Argument(metavar="REPORT", help="A report (.html), or a model (.quire).")
    ],
    data: Annotated[
        list[str] | None,
        typer.Argument(metavar="DATA", help="The corpus, and other files that the command read."),
    ] = None,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Run it on other rows than those of then, too.")
    ] = False,
    threads: given.Threads = None,
    as_json: given.Json = False,
) -> None:
    """Make a report or a model again, as it says it was made, and compare every number.

    Values have to be the same to the last bit; times, memory, title and date are not compared. The
    file is not trusted: its command is taken apart by quire itself, no file is read but those
    named here, and none is written. Exit code: 0 the same, 1 not the same, 2 cannot be run.
    """
    try:
        found, notes = _verified(file, data or [], anyway, threads)
    except (CannotRepeatError, OSError, ValueError, ImportError) as error:
        reason = in_options(" ".join(str(error).split()))
        if as_json:
            show_json({"file": file, "same": None, "reason": reason})
        else:
            tell(f"cannot be run again: {reason}")
        raise typer.Exit(CANNOT) from None
    if as_json:
        show_json({"file": file, **found.to_dict(), "data": notes})
    else:
        for note in [*notes, *found.notes]:
            tell(note)
        show(*_shown(found))
    if not found.same:
        raise typer.Exit(1)


def _verified(
    file: str, data: list[str], anyway: bool, threads: int | None
) -> tuple[Verification, list[str]]:
    kind, said = _said(file)
    for path in data:
        if not Path(path).exists():
            raise FileNotFoundError(f"{path} is not there.")
    if said["command"] is None:
        raise CannotRepeatError(_of_python(said, data, kind))
    from typer.main import get_command

    from quire.cli import app

    command = parsed(said["command"], get_command(app))
    files = assigned(command, said["inputs"], data)
    notes = _limits_of(command, said)
    notes += _bytes_in_words(said["inputs"], files)
    names = {one["role"]: one["name"] for one in said["inputs"]}
    if "file" in files:
        dropped = without_form(command, files["file"], names.get("file"))
        if dropped:
            notes.append(f"{files['file']} has another format: {', '.join(dropped)} left out.")
    rows = _Rows(said["rows"], anyway, notes)
    tell(f"runs again: {said['command']}")
    with tempfile.TemporaryDirectory(prefix="quire-verify-") as folder:
        made = run_again(
            command, files, Path(folder), kind=kind, threads=threads, on_corpus=rows.check
        )
        return _compared(kind, file, str(made), said), notes


def _said(file: str) -> tuple[str, dict[str, Any]]:
    """Return what kind of file it is, and where it says that it comes from."""
    path = Path(file)
    if not path.is_file():
        raise FileNotFoundError(f"{file} is not there, or is no file.")
    with path.open("rb") as stream:
        is_model = stream.read(4) == _MODEL_MARK
    if not is_model:
        from quire.report import read_page

        return "page", read_page(file).provenance
    from quire.persistence import read_info

    said = read_info(file).provenance
    if said is None:
        raise CannotRepeatError(
            f"{file} does not say where it comes from: it was saved in Python, or by an earlier "
            "version."
        )
    return "model", said


def _compared(kind: str, then: str, now: str, said: dict[str, Any]) -> Verification:
    from quire.report import Verification
    from quire.report import verify as compared_pages

    if kind == "page":
        return compared_pages(then, now)
    from quire.persistence import compare_files, read_info

    before, after = read_info(then), read_info(now)
    notes = []
    for name, version in before.versions.items():
        if after.versions[name] != version:
            notes.append(f"{name} was {version} then, and is {after.versions[name]} now.")
    return Verification.of(compare_files(then, now), tuple(notes))


def _limits_of(command: Parsed, said: dict[str, Any]) -> list[str]:
    """Say what of a command depends on more than data, settings and seed."""
    notes = []
    if command.options.get("minutes") is not None:
        notes.append("made with --minutes: which models went on depends on the machine.")
    if command.options.get("memory") is not None:
        notes.append("made with --memory: what is counted may depend on the machine.")
    return notes


def _bytes_in_words(inputs: list[dict[str, Any]], files: dict[str, str]) -> list[str]:
    from quire.io import Origin

    notes = []
    for one in inputs:
        path = files.get(one["role"])
        if path is None or one["sha256"] is None:
            continue
        if Origin.of(path).sha256() != one["sha256"] and Path(path).is_file():
            notes.append(f"{path} has other bytes than {one['name']} had.")
    return notes


class _Rows:
    """Looks at rows when they are read, before any work is done with them."""

    def __init__(self, then: dict[str, Any] | None, anyway: bool, notes: list[str]) -> None:
        self._then, self._anyway, self._notes = then, anyway, notes

    def check(self, role: str, corpus: Corpus) -> None:
        """Refuse other rows than those of then, or note what differs."""
        if role != "file" or self._then is None:
            return
        from quire._shared.digests import rows_digest
        from quire.cli._provenance import rows_of
        from quire.report import rows_in_words

        now, then = rows_of(corpus), dict(self._then)
        columns = then["columns"].keys() & now["columns"].keys()
        then["columns"] = {name: then["columns"][name] for name in columns}
        now["columns"] = {name: now["columns"][name] for name in columns}
        parts = ("n", "texts", "labels", "columns")
        if all(then[name] == now[name] for name in parts):
            if self._notes:
                self._notes.append("The rows are the same.")
            return
        words = rows_in_words(then, now)
        if then["texts"] is not None and 0 < then["n"] < now["n"]:
            first = rows_digest(texts=corpus.texts[: then["n"]])["texts"]
            if first == then["texts"]:
                words += f". The first {then['n']:,} texts are the same"
        if not self._anyway:
            raise CannotRepeatError(
                f"the rows are not those of then: {words}. With --anyway it runs on them."
            )
        self._notes.append(f"The rows are not those of then: {words}.")


def _of_python(said: dict[str, Any], data: list[str], kind: str) -> str:
    """Say why what was made in Python cannot be made again, and what can be said of the data."""
    words = "it was made in Python, and which program that was is not known"
    if kind == "page":
        words += "; there, quire.report.verify(page, again) compares it with the page made again"
    words += "."
    if not data:
        return words
    from quire._shared.digests import rows_digest
    from quire.io import Origin, read_corpus

    if any(Origin.of(data[0]).sha256() == one["sha256"] for one in said["inputs"]):
        return f"{words} {data[0]} has the bytes that it was made of."
    if said["rows"] is None:
        return f"{words} It does not say of which rows."
    corpus = read_corpus(data[0])
    now = rows_digest(texts=corpus.texts, labels=corpus.labels)
    then = said["rows"]
    parts = [
        f"the {name} are {'the same' if then[name] == now[name] else 'others'}"
        for name in ("texts", "labels")
        if then[name] is not None and now[name] is not None
    ]
    return f"{words} {data[0]}: {how_many(now['n'], 'row')} (then {then['n']:,}); " + (
        f"{', '.join(parts)}."
    )


def _shown(found: Verification) -> list[Any]:
    shown: list[Any] = [found.summary]
    if found.differences:
        table = new_table()
        table.add_column("where", overflow="fold")
        for name in ("then", "now"):
            table.add_column(name, overflow="fold")
        for one in found.differences[:_SHOWN]:
            table.add_row(as_text(one.place), as_text(one.then), as_text(one.now))
        shown.append(table)
        if len(found.differences) > _SHOWN:
            shown.append(f"and {len(found.differences) - _SHOWN:,} more; --json has all of them")
    left_out = ", ".join(found.left_out)
    shown.append(f"Not compared: {left_out}." if left_out else "")
    return shown
