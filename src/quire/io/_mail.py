"""Mail from mbox files and Maildir folders: headers and the readable text of the body.

Mail in the wild breaks its own rules, so nothing here raises on a single bad message: bytes that do
not fit the declared character set are replaced by U+FFFD and counted in a note.
"""

import io
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import polars as pl

from quire.exceptions import CorpusError
from quire.io._folders import files_in, natural_key
from quire.io._limits import Limits, too_long
from quire.io._mime import MOST_NESTED, Mail
from quire.io._options import Notes
from quire.io._streams import check_regular, open_bytes

SCHEMA: dict[str, pl.DataType] = {
    "message_id": pl.String(),
    "date": pl.Datetime("us", "UTC"),
    "from": pl.String(),
    "to": pl.String(),
    "subject": pl.String(),
    "body": pl.String(),
}
TEXT_COLUMNS = ("subject", "body")
_BLOCK_BYTES = 1 << 22


def mail_frames(
    messages: Iterable[bytes], fallback: str, batch_size: int | None, notes: Notes
) -> Iterator[pl.DataFrame]:
    """Yield frames with one row a message; ``fallback`` is tried where no character set fits."""
    rows: list[tuple[object, ...]] = []
    size = n_replaced = n_cut = 0
    for raw in messages:
        mail = Mail(raw, "utf-8" if fallback == "auto" else fallback)
        row = _row(mail)
        rows.append(row)
        size += len(raw)
        n_replaced += _is_replaced(row, raw)
        n_cut += mail.is_cut
        if size > _BLOCK_BYTES or len(rows) == batch_size:
            yield pl.DataFrame(rows, schema=SCHEMA, orient="row")
            rows, size = [], 0
    if n_replaced:
        notes.add(
            f"bytes outside the declared character set were replaced by U+FFFD in {n_replaced:,} "
            "messages (pass encoding= to try another where none fits)"
        )
    if n_cut:
        notes.add(f"parts nested more than {MOST_NESTED} deep were left out of {n_cut:,} messages")
    if rows:
        yield pl.DataFrame(rows, schema=SCHEMA, orient="row")


def mbox_messages(stream: io.BufferedReader, name: str, limits: Limits) -> Iterator[bytes]:
    """Split an mbox stream at its ``From `` lines.

    Raises
    ------
    CorpusError
        If the stream does not begin with such a line, or a mail is too long.
    """
    lines: list[bytes] = []
    started, after_blank = False, True
    size = 0
    for number, line in enumerate(iter(lambda: stream.readline(limits.record + 1), b""), 1):
        size += len(line)
        if size > limits.record and not (line.startswith(b"From ") and after_blank):
            raise CorpusError(too_long(f"{name}, line {number:,}", "the mail there", limits))
        if line.startswith(b"From ") and after_blank:
            if started:
                yield _message(lines)
            lines, started, size = [], True, 0
        elif started:
            lines.append(line)
        elif line.strip():
            raise CorpusError(
                f"{name}, line {number:,}: an mbox file begins with a line 'From address date'; "
                f"found {line[:40]!r}. Pass format= if this is no mbox file."
            )
        after_blank = not line.strip()
    if started:
        yield _message(lines)


def maildir_messages(folder: Path, limits: Limits) -> Iterator[bytes]:
    """Yield the messages of a Maildir (``cur`` and ``new``) in natural order of their names.

    Raises
    ------
    CorpusError
        If there are none.
    """
    found = [
        path
        for part in ("cur", "new")
        if os.path.isdir(folder / part)
        for path in files_in(folder / part)
    ]
    if not found:
        raise CorpusError(f"{folder}: expected a Maildir with messages in cur or new; found none.")
    for path in sorted(found, key=lambda path: natural_key(path.name)):
        check_regular(path)
        with open_bytes(path, str(path), limits) as file:
            raw = file.read(limits.record + 1)
        if len(raw) > limits.record:
            raise CorpusError(too_long(str(path), "this mail", limits))
        yield raw


def _message(lines: list[bytes]) -> bytes:
    """Join the lines of a message, less the blank line that the format puts after it."""
    return b"".join(lines if lines and lines[-1].strip() else lines[:-1])


def _row(mail: Mail) -> tuple[object, ...]:
    names = ("from", "to", "subject")
    headers = (mail.header(name) for name in names)
    return mail.header("message-id"), mail.date(), *headers, mail.body


def _is_replaced(row: tuple[object, ...], raw: bytes) -> bool:
    """Whether decoding put a replacement character where the mail itself has none."""
    is_held = any(isinstance(value, str) and "\ufffd" in value for value in row)
    return is_held and "\ufffd".encode() not in raw
