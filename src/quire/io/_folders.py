"""Folders of text files, with one sub-folder per class or without classes."""

import os
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path

import polars as pl

from quire.exceptions import CorpusError
from quire.io._encoding import decode
from quire.io._limits import too_long
from quire.io._options import Format, Notes, Options, listing
from quire.io._streams import check_regular, open_bytes

PATTERNS = ("*.txt", "*.txt.gz", "*.txt.zst")
_BLOCK_BYTES = 1 << 22


def guess_folder_format(folder: Path, options: Options) -> Format:
    """Tell maildir, a folder of classes and a flat folder of texts apart.

    Raises
    ------
    CorpusError
        If texts lie both beside and inside sub-folders, so that the classes are in doubt.
    """
    if all(os.path.isdir(folder / name) for name in ("cur", "new")):  # an error is no Maildir
        return "maildir"
    files = _matching(folder, options.pattern)
    inside = sum(len(file.relative_to(folder).parts) > 1 for file in files)
    if options.label is False or not inside:
        return "texts"
    if inside < len(files):
        raise CorpusError(
            f"{folder}: {inside:,} text files lie in sub-folders and {len(files) - inside:,} "
            "beside them. Pass format='folders' to take the sub-folders as classes and leave the "
            "others out, or format='texts' to read all without labels."
        )
    return "folders"


def folder_frames(
    folder: Path, options: Options, classes: bool, batch_size: int | None, notes: Notes
) -> Iterator[pl.DataFrame]:
    """Yield frames with the columns ``file`` and ``text``, and ``label`` if there are classes.

    Files come in natural order of their paths (``2.txt`` before ``10.txt``), so the result does
    not depend on the file system. Hidden files and folders are left out.
    """
    files = _matching(folder, options.pattern)
    if classes:
        files = [file for file in files if len(file.relative_to(folder).parts) > 1]
    if not files:
        raise CorpusError(_nothing_found(folder, options.pattern, classes))
    schema: dict[str, type[pl.DataType]] = {"file": pl.String, "text": pl.String}
    if classes:
        schema["label"] = pl.String
        labels = list(dict.fromkeys(_printable(f.relative_to(folder).parts[0]) for f in files))
        notes.add(f"labels are the names of {len(labels)} sub-folders: {listing(labels)}")
    rows: list[tuple[str, ...]] = []
    size = 0
    for file in files:
        path = _printable(file.relative_to(folder).as_posix())
        text, codec = _read_text(file, options)
        if codec != "utf-8" and options.encoding in ("utf-8", "auto"):
            notes.add(f"some files are read as {codec} (detected)")
        rows.append((path, text, path.partition("/")[0]) if classes else (path, text))
        size += len(text)
        if size > _BLOCK_BYTES or len(rows) == batch_size:
            yield pl.DataFrame(rows, schema=schema, orient="row")
            rows, size = [], 0
    if rows:
        yield pl.DataFrame(rows, schema=schema, orient="row")


def natural_key(path: str) -> tuple[list[tuple[list[tuple[int, str]], str]], str]:
    """Key that sorts numbers inside names by their value, folder by folder.

    Examples
    --------
    >>> sorted(["b/1.txt", "a/10.txt", "a/9.txt"], key=natural_key)
    ['a/9.txt', 'a/10.txt', 'b/1.txt']
    """
    parts = [
        (
            [(int(run), "") if run.isdecimal() else (-1, run) for run in re.split(r"(\d+)", part)],
            part,
        )
        for part in path.split("/")
    ]
    return parts, path


def _matching(folder: Path, pattern: str | None) -> list[Path]:
    patterns = PATTERNS if pattern is None else (pattern.lower(),)
    found = [
        path
        for path in _visible_files(folder)
        if any(fnmatchcase(path.name.lower(), pattern) for pattern in patterns)
    ]
    return sorted(found, key=lambda path: natural_key(path.relative_to(folder).as_posix()))


def _visible_files(folder: Path) -> Iterator[Path]:
    waiting = [folder]
    while waiting:
        with entries_of(waiting.pop()) as entries:
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(Path(entry.path))
                elif not _is_folder(entry):  # a link to a folder may lead back to where it stands
                    yield Path(entry.path)


@contextmanager
def entries_of(folder: Path) -> Iterator[Iterator["os.DirEntry[str]"]]:
    """Go through a folder; an error names one that cannot be read, for its texts would be missing.

    Raises
    ------
    CorpusError
        If the folder cannot be read.
    """
    try:
        with os.scandir(folder) as entries:
            yield entries
    except OSError as error:
        raise CorpusError(
            f"{_printable(str(folder))}: this folder cannot be read ({error.strerror}), and its "
            "texts would be missing. Make it readable, or move it away."
        ) from error


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:  # links that lead to each other: an error when it is to be read
        return False


def files_in(folder: Path) -> Iterator[Path]:
    """Give the files of one folder that are not hidden."""
    with entries_of(folder) as entries:
        for entry in entries:
            if not entry.name.startswith(".") and not _is_folder(entry):
                yield Path(entry.path)


def _read_text(file: Path, options: Options) -> tuple[str, str]:
    name, limits = _printable(str(file)), options.limits
    check_regular(file)
    with open_bytes(file, name, limits) as stream:
        data = stream.read(limits.record + 1)
    if len(data) > limits.record:
        raise CorpusError(too_long(name, "this text", limits))
    return decode(data, options.encoding, name)


def _printable(path: str) -> str:
    """Write a path that is not valid Unicode with escapes, since Arrow strings are UTF-8."""
    return os.fsencode(path).decode("utf-8", errors="backslashreplace")


def _nothing_found(folder: Path, pattern: str | None, classes: bool) -> str:
    wanted = f"files that match {pattern!r}" if pattern else "text files (*.txt)"
    where = "sub-folders with " if classes else ""
    kinds = Counter(path.suffix or "no extension" for path in _visible_files(folder))
    if not kinds:
        return f"{folder}: expected {where}{wanted}; the folder holds no files."
    held = ", ".join(f"{count:,} with {kind}" for kind, count in kinds.most_common(5))
    return (
        f"{folder}: expected {where}{wanted}; it holds files {held}. Pass pattern= for other "
        "names, for example pattern='*' for all files, or the path of one table, say a .csv file."
    )
