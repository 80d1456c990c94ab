"""``quire predict``: label the documents of a file, part by part."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from quire._shared.how_many import how_many
from quire._shared.terminal import output_for_programs
from quire.cli import _typer as typer
from quire.cli._arguments import EscapeFormulas, File, Text
from quire.cli._loading import loading
from quire.cli._reading import KEEP_EMPTY, Reading
from quire.cli._tables import check_escape, check_is_other, check_table, encode, ending, write_parts
from quire.cli._tell import tell

__all__ = ["predict"]

_LINES = replace(KEEP_EMPTY, format="lines")
_FORMS = {".csv": "csv", ".ndjson": "ndjson", ".jsonl": "ndjson"}  # of a few lines
_KEPT_IN_MEMORY = 64 * 2**20  # bytes of an output that somebody will read in a moment


def predict(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A .quire file.")],
    file: File,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="CSV, TSV, NDJSON, JSON, Parquet or Excel, by its ending; - for CSV on stdout.",
        ),
    ] = "-",
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--id",
            metavar="COLUMN",
            help="Write this column, or row for the row's number, beside predictions, not all; "
            "repeatable.",
        ),
    ] = None,
    text: Text = None,
    probabilities: Annotated[
        bool, typer.Option(help="Add the probability of every class, or the share of every topic.")
    ] = True,
    threshold: Annotated[
        float | None,
        typer.Option(
            metavar="P",
            help="Of two classes, predict the second from this probability on (a score of models "
            "without), such as 0.3; the report of quire compare shows what each would do.",
        ),
    ] = None,
    batch: Annotated[
        int, typer.Option(min=1, metavar="N", help="Documents to work on at a time.")
    ] = 10_000,
    reading: Reading = KEEP_EMPTY,
    escape_formulas: EscapeFormulas = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write a JSON object for each document.")
    ] = False,
) -> None:
    """Predict the documents of a file with a saved model.

    The columns of the input stay; the predicted label and its probabilities are added, or of a
    topic model the main topic and the shares of all, of clusters the nearest one and its distance,
    of a map the place. Files of any size are read, predicted and written part by part. Rows count
    from 0.
    """
    suffix = _suffix_of(output, as_json=as_json)
    check_escape(escape_formulas, f"x{suffix}")
    check_is_other(output, file, model)
    with loading():
        from quire.scoring import load_model, predict_lines
    loaded, info = load_model(model)
    form = _FORMS.get(suffix)
    is_plain = threshold is None and not (text or keep or escape_formulas)
    if reading == _LINES and form and is_plain:
        written = predict_lines(loaded, file, form=form, probabilities=probabilities)
        if written is not None:
            _write_lines(written, output)
            return
    with loading():
        from quire.prediction import predict_batches
    parts = predict_batches(
        loaded,
        file,
        batch_size=batch,
        probabilities=probabilities,
        keep=keep,
        threshold=threshold,
        text=text,
        default_text=(info.metadata or {}).get("text"),
        label=False,
        **reading.options(),
    )
    if output == "-":
        with closing(parts):
            _write(parts, output_for_programs(), suffix, escape=escape_formulas)
        return
    with closing(parts):
        n_documents = _write_file(parts, Path(output), suffix, escape=escape_formulas)
    _tell_written(n_documents, output)


def _tell_written(n_documents: int, output: str) -> None:
    tell(f"wrote {how_many(n_documents, 'document')} to {output}")


def _write_lines(written: bytes, output: str) -> None:
    """Write what a few lines became."""
    from quire._shared.replaced_file import replaced_file

    if output == "-":
        stream = output_for_programs()
        _write_all(stream, memoryview(written))
        stream.flush()
        return
    with replaced_file(Path(output)) as file:
        file.write(written)
    n_documents = written.count(b"\n") - (_FORMS[Path(output).suffix.lower()] == "csv")
    _tell_written(n_documents, output)


def _suffix_of(output: str, *, as_json: bool) -> str:
    """Return what to write; CSV where nothing says it."""
    suffix = Path(output).suffix.lower()
    if as_json:
        return suffix if suffix in (".ndjson", ".jsonl") else ".ndjson"
    if output == "-" or not suffix:
        return ".csv"
    check_table(output, "--output")
    return suffix


def _write_file(parts: Any, path: Path, suffix: str, *, escape: bool) -> int:
    """Write a file, all of it or nothing."""
    from quire._shared.replaced_file import replaced_file

    with replaced_file(path) as stream:
        if suffix == ".parquet":
            return _write_parquet(parts, stream, path.absolute().parent)
        if suffix == ".xlsx":
            return write_parts(parts, stream, suffix)
        return _write(parts, stream, suffix, escape=escape)


def _write_parquet(parts: Any, stream: Any, folder: Path) -> int:
    """Write Parquet with memory for one part: parts become files beside it, and those one."""
    import polars as pl

    n_documents = 0
    with TemporaryDirectory(prefix=".quire-", dir=folder) as written:
        files = []
        for number, part in enumerate(parts):
            files.append(Path(written) / f"{number:06d}.parquet")
            part.write_parquet(files[-1])
            n_documents += part.height
        if len(files) == 1:
            stream.write(files[0].read_bytes())
        else:
            pl.scan_parquet(files).sink_parquet(stream)
    return n_documents


def _write(parts: Any, stream: Any, suffix: str, *, escape: bool) -> int:
    """Write the parts as they come; a thread writes one while the next is predicted."""
    is_stored = _is_stored(stream)
    buffer = BytesIO()  # of all parts: new memory for each took three times as long as writing

    def write(part: Any, is_first: bool) -> int:
        # Python's streams say when the reader has gone; polars' own writing does not.
        buffer.seek(0)
        encode(part, buffer, suffix, is_first=is_first, escape=escape)
        with buffer.getbuffer() as text:
            _write_all(stream, text[: buffer.tell()])
        if is_stored:
            _let_go(stream)
        return int(part.height)

    n_documents = 0
    if is_stored:
        with ThreadPoolExecutor(1, thread_name_prefix="quire-write") as pool:
            written = None
            for number, part in enumerate(parts):
                if written is not None:
                    n_documents += written.result()
                written = pool.submit(write, part, number == 0)
            if written is not None:
                n_documents += written.result()
    else:
        n_documents = sum(write(part, number == 0) for number, part in enumerate(parts))
    _write_all(stream, memoryview(ending(suffix, n_documents)))
    stream.flush()
    return n_documents


def _let_go(stream: Any) -> None:
    """Have the system put a large file on the disk as it grows, and keep none of it in memory.

    New memory for all of a gigabyte costs more than the writing, and pushes out what others use.
    """
    if hasattr(os, "posix_fadvise") and stream.tell() > _KEPT_IN_MEMORY:
        stream.flush()
        with suppress(OSError):  # only advice
            os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _is_stored(stream: Any) -> bool:
    """Return whether writing never waits for somebody: a thread that does cannot be stopped."""
    try:
        return stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except (AttributeError, OSError):  # not a file at all
        return False


def _write_all(stream: Any, data: memoryview) -> None:
    """Write everything: a standard output without a buffer may take less at a time."""
    while data:
        data = data[stream.write(data) :]
