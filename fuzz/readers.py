"""Damaged and made-up sources for `read_corpus`: CSV, JSON, mail, Parquet, workbooks, folders.

Reading returns a corpus or raises a documented error. An input is a line of JSON (the name of the
file and the options of the call) and what is in the file; a folder is packed as a zip archive.
`fuzz.readers:Mail` and the like are the same for one kind of file.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import socket
import warnings
import zipfile
from pathlib import Path
from random import Random
from typing import Any, ClassVar

from fuzz.sources import compressed, content, folder
from fuzz.target import Finding, Target
from quire.exceptions import QuireError
from quire.io import read_batches, read_corpus

__all__ = ["Csv", "Folders", "Json", "Mail", "Parquet", "Readers", "Workbooks"]

_OPTIONS: list[dict[str, Any]] = [
    {}, {}, {}, {"missing": "drop"}, {"missing": "empty"}, {"encoding": "auto"}, {"label": False},
    {"encoding": "latin-1"}, {"encoding": "utf-16"}, {"text": "text"}, {"text": ["text", "label"]},
    {"columns": ["stars"]}, {"encoding": "utf-7"}, {"text": "nosuch"}, {"limits": "record=100"},
]  # fmt: skip
_CSV_OPTIONS: list[dict[str, Any]] = [
    {"delimiter": ";"}, {"delimiter": "\t"}, {"quotechar": None}, {"quotechar": "'"},
    {"names": ["a", "text", "c"]},
]  # fmt: skip


def _unpack(packed: bytes, place: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        for info in archive.infolist():
            path = place / info.filename
            if path.exists() or path.is_symlink() or any(part.is_file() for part in path.parents):
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            if info.comment == b"fifo":
                os.mkfifo(path)
            elif info.comment == b"link":
                path.symlink_to(place / "nowhere.txt")
            elif info.comment == b"loop":
                path.symlink_to(place)
            elif info.comment == b"self":
                path.symlink_to(path)
            elif info.comment == b"zero":
                path.symlink_to("/dev/zero")
            elif info.comment == b"socket":
                _listen(path)
            else:
                path.write_bytes(archive.read(info))
                if info.comment == b"locked":
                    path.chmod(0)


def _listen(path: Path) -> None:
    before = Path.cwd()
    os.chdir(path.parent)  # the name of a socket is short
    try:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(path.name)
    finally:
        os.chdir(before)


class Readers(Target):
    """`read_corpus` and `read_batches`."""

    unit = "sources"
    kinds: ClassVar[tuple[str, ...]] = (
        *(("csv", "tsv", "json", "ndjson", "lines", "folder") * 30),
        *(("mbox", "parquet", "csv") * 80),
        "xlsx",  # another process reads it, which takes a while
    )

    def prepare(self, folder: Path) -> None:
        """Keep the folder."""
        self.folder = folder

    def make(self, random: Random) -> bytes:
        """Return the options in a line, and the file."""
        kind = random.choice(self.kinds)
        options = dict(random.choice(_OPTIONS))
        if kind == "csv" and random.random() < 0.3:
            options |= random.choice(_CSV_OPTIONS)
        name = "folder" if kind == "folder" else f"source.{kind}"
        if kind == "lines":
            name, options["format"] = "source.dat", "lines"
        data = folder(random) if kind == "folder" else content(random, kind)
        if kind != "folder" and random.random() < 0.1:
            name += ".gz"
            data = compressed(random, data)
        head = {"name": name, "options": options, "batches": random.random() < 0.2}
        return json.dumps(head).encode() + b"\n" + data

    def describe(self, content: bytes) -> str:
        """Return the name of the file, which tells the format."""
        return str(json.loads(content.partition(b"\n")[0])["name"])

    def memory_bound(self, content: bytes) -> int:
        """Return what the guide says: some 25 times a record, which may be all of the source."""
        unfolded = 64 << 20 if b".gz" in content[:100] else 0
        return 25 * (len(content) + unfolded)

    def check(self, content: bytes) -> int:
        """Read the source."""
        line, _, raw = content.partition(b"\n")
        head = json.loads(line)
        place = self.folder / "sources"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        path = place / head["name"]
        if head["name"] == "folder":
            path.mkdir()
            _unpack(raw, path)
        else:
            path.write_bytes(raw)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                if head["batches"]:
                    size = 1_000 if ".gz" in head["name"] else 2  # a little may be many rows
                    for part in read_batches(path, batch_size=size, **head["options"]):
                        part.texts.to_list()
                else:
                    corpus = read_corpus(path, **head["options"])
                    corpus.texts.to_list()
                    repr(corpus)
            except (QuireError, OSError):
                pass  # a documented error
            except Exception as error:
                raise Finding(f"{type(error).__name__}: {error}") from error
        return 1


class Csv(Readers):
    """Tables of text."""

    kinds = ("csv", "csv", "tsv")


class Mail(Readers):
    """Mailboxes."""

    kinds = ("mbox",)


class Parquet(Readers):
    """Parquet files."""

    kinds = ("parquet",)


class Json(Readers):
    """Arrays of objects, and an object in each line."""

    kinds = ("json", "ndjson")


class Workbooks(Readers):
    """Excel files."""

    seconds = 30.0  # of waiting: the process that reads them has a limit of its own
    kinds = ("xlsx",)


class Folders(Readers):
    """Folders of texts, and of mail."""

    kinds = ("folder",)
