"""From a source of any kind to frames: the one place that knows all formats."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from quire.exceptions import CorpusError
from quire.io._csv import csv_frames
from quire.io._encoding import BLOCK_SIZE, Utf8Blocks
from quire.io._folders import folder_frames, guess_folder_format
from quire.io._json import json_frames, line_frames, ndjson_frames
from quire.io._mail import TEXT_COLUMNS, mail_frames, maildir_messages, mbox_messages
from quire.io._memory import warn_if_too_large
from quire.io._options import Format, Notes, Options
from quire.io._origin import Hashed, Origin
from quire.io._streams import (
    Bytes,
    Readable,
    as_bytes,
    check_ends,
    guess_format,
    open_bytes,
    source_name,
)
from quire.io._tables import excel_frames, frame_of, is_frame, parquet_frames

_FOLDER_FORMATS = ("folders", "texts", "maildir")
_USED_BY: dict[str, tuple[Format, ...]] = {
    "delimiter": ("csv", "tsv"),
    "names": ("csv", "tsv"),
    "sheet": ("excel",),
    "pattern": ("folders", "texts"),
}
_BINARY: tuple[str, ...] = ("parquet", "excel", "frame")


@dataclass(frozen=True, slots=True)
class Table:
    """A source as frames, not read yet, and what is known about its columns beforehand."""

    frames: Iterator[pl.DataFrame]
    notes: Notes
    untyped: bool = False  # all columns are strings, because the format has no types
    text: tuple[str, ...] | None = None  # the texts, where the format says it
    label: str | None = None
    origin: Origin | None = None


def open_table(source: object, options: Options, batch_size: int | None) -> Table:
    """Recognise the source and prepare to read it; nothing but its first bytes is read yet.

    Raises
    ------
    FileNotFoundError, TypeError, CorpusError
        If the source does not exist, is of no known kind, or does not go with an option.
    """
    if is_frame(source):
        _check_options("frame", options)
        name = "the data frame"
        return Table(iter([frame_of(source)]), Notes(name))
    name = source_name(source)
    notes = Notes(name)
    hashed = None if batch_size is not None else _hashed(source)
    data = as_bytes(source if hashed is None else hashed, options.limits)
    origin = Origin.of(data) if isinstance(data, Path) else Origin(_last(name), _stream=hashed)
    if isinstance(data, Path) and data.is_dir():
        return replace(_open_folder(data, options, batch_size, notes), origin=origin)
    kind = options.format or _guess(data, name, options, notes)
    if isinstance(data, Path):
        check_ends(data, name)
    if kind in _FOLDER_FORMATS:
        raise CorpusError(f"{name}: format={kind!r} reads a folder, and this is a file")
    _check_options(kind, options)
    if batch_size is None and isinstance(data, Path):
        warn_if_too_large(data)
    return Table(
        _file_frames(data, kind, options, batch_size, notes),
        notes,
        untyped=kind in ("csv", "tsv"),
        text=TEXT_COLUMNS if kind == "mbox" else None,
        origin=origin,
    )


def _hashed(source: object) -> Hashed | None:
    """Return what can be read only once, so that its bytes are hashed on their way."""
    if isinstance(source, str) and source == "-":
        return Hashed(getattr(sys.stdin, "buffer", sys.stdin))
    is_path = isinstance(source, str | os.PathLike)
    return None if is_path or not isinstance(source, Readable) else Hashed(source)


def _last(name: str) -> str:
    return "-" if name == "<stdin>" else name.rpartition("/")[2]


def _guess(data: Bytes, name: str, options: Options, notes: Notes) -> Format:
    """Tell the format: as the name or the first bytes say, or as options that are for CSV do."""
    is_table = options.delimiter is not None or options.names is not None or not options.header
    kind, is_guessed = guess_format(data, name, otherwise="csv" if is_table else None)
    if is_guessed:
        notes.add(f"read as {kind}, by its first line (pass format= to choose)")
    return kind


def _open_folder(folder: Path, options: Options, batch_size: int | None, notes: Notes) -> Table:
    kind = options.format or guess_folder_format(folder, options)
    if kind not in _FOLDER_FORMATS:
        raise CorpusError(f"{folder}: format={kind!r} reads a file, and this is a folder")
    _check_options(kind, options)
    if kind == "maildir":
        messages = maildir_messages(folder, options.limits)
        frames = mail_frames(messages, options.encoding, batch_size, notes)
        return Table(frames, notes, text=TEXT_COLUMNS)
    classes = kind == "folders"
    frames = folder_frames(folder, options, classes, batch_size, notes)
    return Table(frames, notes, text=("text",), label="label" if classes else None)


def _file_frames(
    data: Bytes, kind: Format, options: Options, batch_size: int | None, notes: Notes
) -> Iterator[pl.DataFrame]:
    name = notes.source
    if kind == "parquet":
        yield from parquet_frames(data, batch_size, name, options.limits)
    elif kind == "excel":
        yield from excel_frames(data, options.sheet, name, notes, options.limits)
    elif kind == "mbox":
        with open_bytes(data, name, options.limits) as stream:
            messages = mbox_messages(stream, name, options.limits)
            yield from mail_frames(messages, options.encoding, batch_size, notes)
    else:
        with _open_text(data, options, name, notes) as blocks:
            if kind == "ndjson":
                yield from ndjson_frames(iter(blocks), options, name)
            elif kind == "json":
                yield from json_frames(iter(blocks), options, name, notes)
            elif kind == "lines":
                yield from line_frames(iter(blocks), options, name)
            else:
                yield from csv_frames(blocks, options, "\t" if kind == "tsv" else ",", name, notes)


@contextmanager
def _open_text(data: Bytes, options: Options, name: str, notes: Notes) -> Iterator[Utf8Blocks]:
    with open_bytes(data, name, options.limits) as stream:
        yield Utf8Blocks(stream, options.encoding, name, notes, BLOCK_SIZE)


def _check_options(kind: str, options: Options) -> None:
    """Refuse an option that this kind of source would ignore."""
    for parameter, kinds in _USED_BY.items():
        if getattr(options, parameter) is not None and kind not in kinds:
            raise CorpusError(
                f"{parameter}= is for {' and '.join(kinds)} sources; this one is {kind}"
            )
    if not options.header and kind not in _USED_BY["names"]:
        raise CorpusError(f"header=False is for csv and tsv sources; this one is {kind}")
    if kind in _BINARY and options.encoding not in ("utf-8", "auto"):
        raise CorpusError(f"encoding= is for text files; a {kind} source carries its own")
