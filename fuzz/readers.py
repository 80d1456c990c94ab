"""Damaged and made-up sources for `read_corpus`: CSV, JSON, mail, Parquet, folders.

Reading returns a corpus or raises a documented error. An input is a line of JSON (the name of the
file and the options of the call) and what is in the file; a folder is packed as a zip archive.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import warnings
import zipfile
from pathlib import Path
from random import Random
from typing import Any

import polars as pl

from fuzz.mutations import mutated
from fuzz.target import Finding, Target
from quire.exceptions import QuireError
from quire.io import read_batches, read_corpus

__all__ = ["Readers"]

_TEXTS = [
    "A fine,\nquiet film.",
    'He said "no".',
    "  spaces \t",
    "nul \0 and \U0001f388",
    "na\u00efve",
]
_FRAME = pl.DataFrame(
    {"text": _TEXTS, "label": ["pos", "neg", "pos", "neg", "pos"], "stars": [5, 1, 4, 2, 3]}
)
_MAIL = b"""From a@b Thu Jan  1 00:00:00 2026
Subject: =?utf-8?q?caf=C3=A9?= one
From: A <a@b.example>
MIME-Version: 1.0
Content-Type: multipart/alternative; boundary="cut"

--cut
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

A text of =E9 letters.
--cut
Content-Type: text/html; charset="utf-8"
Content-Transfer-Encoding: base64

PGh0bWw+PGI+Ym9sZDwvYj48IS0tIG5vIC0tPjwvaHRtbD4=
--cut--

From c@d Thu Jan  1 00:00:00 2026
Subject: two

Second.
>From here on.
"""
_MAIL_TOKENS = [
    b"<!--", b"-->", b"<", b">", b"&#x110000;", b"&amp", b"<![CDATA[", b"<script>", b"\nFrom ",
    b"charset*0=", b"charset*=x;", b"; charset=\xff", b'boundary="cut"', b"--cut\n", b"--cut--\n",
    b"Content-Type: multipart/mixed; boundary=cut\n", b"Content-Type: message/rfc822\n\n",
    b"Content-Transfer-Encoding: base64\n", b"Content-Transfer-Encoding: uuencode\n", b"=?x?b?",
    b"=?utf-8?q?=", b"?=", b"\n\n", b"\n ", b"\r", b"charset=utf-7", b"charset=idna", b":",
]  # fmt: skip
_CSV_TOKENS = [b",", b'"', b'""', b"\n", b"\r\n", b"\r", b";", b"\t", b"\x00", b"\xef\xbb\xbf",
               b"\xff\xfe", b",,,,,", b'"\n', b'",', b"NA", b"1e999", b"text,label\n",
               b"|"]  # fmt: skip
_JSON_TOKENS = [b"{", b"}", b"[", b"]", b",", b":", b'"', b"null", b"NaN", b"1e999", b"\\ud800",
                b'"text":', b"[" * 50, b'{"a":' * 30, b"\n", b"-", b"\\u0000",
                b"9" * 40]  # fmt: skip
_PARQUET_TOKENS = [b"PAR1", b"\x15\x00", b"\x00" * 8, b"\xff" * 8, b"\x80\x80\x80\x80\x08"]
_OPTIONS: list[dict[str, Any]] = [
    {}, {}, {}, {"missing": "drop"}, {"missing": "empty"}, {"encoding": "auto"}, {"label": False},
    {"encoding": "latin-1"}, {"encoding": "utf-16"}, {"text": "text"}, {"text": ["text", "label"]},
    {"columns": ["stars"]}, {"encoding": "utf-7"}, {"text": "nosuch"},
]  # fmt: skip
_CSV_OPTIONS: list[dict[str, Any]] = [
    {"delimiter": ";"}, {"delimiter": "\t"}, {"quotechar": None}, {"quotechar": "'"},
    {"names": ["a", "text", "c"]},
]  # fmt: skip


def _parquet() -> bytes:
    file = io.BytesIO()
    _FRAME.write_parquet(file)
    return file.getvalue()


_SOUND = {
    "csv": _FRAME.write_csv().encode(),
    "tsv": _FRAME.write_csv(separator="\t").encode(),
    "json": _FRAME.write_json().encode(),
    "ndjson": _FRAME.write_ndjson().encode(),
    "mbox": _MAIL,
    "parquet": _parquet(),
    "lines": "\n".join(_TEXTS).encode(),
}
_TOKENS = {"csv": _CSV_TOKENS, "tsv": _CSV_TOKENS, "json": _JSON_TOKENS, "ndjson": _JSON_TOKENS,
           "mbox": _MAIL_TOKENS, "parquet": _PARQUET_TOKENS, "lines": _CSV_TOKENS}  # fmt: skip


def _content(random: Random, kind: str) -> bytes:
    """Return a file: a sound one with damage, or words of its grammar in any order."""
    if kind == "parquet" or random.random() < 0.6:
        return mutated(random, _SOUND[kind], _TOKENS[kind])
    words = [*_TOKENS[kind], b"a", b"film", b" ", b"1", b"2.5", b"\xc3\xa9", b"x" * 70]
    chosen = random.choices(words, k=random.choice([1, 5, 30, 200]))
    if random.random() < 0.15:  # one thing again and again
        chosen = [random.choice(words)] * random.choice([300, 3_000, 30_000])
    start = b"text,label\n" if kind == "csv" and random.random() < 0.5 else b""
    if kind == "mbox":
        start = b"From a@b Thu Jan  1 00:00:00 2026\n"
    return start + b"".join(chosen)


def _folder(random: Random) -> bytes:
    """Return a folder as a zip archive; an odd comment of an entry says what else it is."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for i in range(random.randrange(7)):
            parts = [random.choice(["pos", "neg", "cur", "new", ".hidden", "p\u00f6s", "a" * 200])
                     for _ in range(random.randrange(3))]  # fmt: skip
            ending = random.choice([".txt", ".txt", ".txt.gz", ".eml", "", ".csv"])
            info = zipfile.ZipInfo("/".join([*parts, f"{i}{ending}"]))
            info.comment = random.choice([b"", b"", b"", b"", b"link", b"loop", b"fifo", b"locked"])
            content = _content(random, random.choice(["lines", "mbox"]))
            archive.writestr(info, gzip.compress(content) if ending == ".txt.gz" else content)
    return file.getvalue()


def _unpack(content: bytes, folder: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for info in archive.infolist():
            path = folder / info.filename
            if path.exists() or any(part.is_file() for part in path.parents):
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            if info.comment == b"fifo":
                os.mkfifo(path)
            elif info.comment == b"link":
                path.symlink_to(folder / "nowhere.txt")
            elif info.comment == b"loop":
                path.symlink_to(folder)
            else:
                path.write_bytes(archive.read(info))
                if info.comment == b"locked":
                    path.chmod(0)


class Readers(Target):
    """`read_corpus` and `read_batches`."""

    unit = "sources"

    def prepare(self, folder: Path) -> None:
        """Keep the folder."""
        self.folder = folder

    def make(self, random: Random) -> bytes:
        """Return the options in a line, and the file."""
        kind = random.choice(["csv", "csv", "tsv", "json", "ndjson", "mbox", "mbox", "mbox",
                              "parquet", "parquet", "lines", "folder"])  # fmt: skip
        options = dict(random.choice(_OPTIONS))
        if kind == "csv" and random.random() < 0.3:
            options |= random.choice(_CSV_OPTIONS)
        name = "folder" if kind == "folder" else f"source.{kind}"
        if kind == "lines":
            name, options["format"] = "source.dat", "lines"
        content = _folder(random) if kind == "folder" else _content(random, kind)
        if kind != "folder" and random.random() < 0.1:
            name += ".gz"
            content = gzip.compress(content)
            if random.random() < 0.3:
                content = mutated(random, content, [b"\x1f\x8b\x08"])
        head = {"name": name, "options": options, "batches": random.random() < 0.2}
        return json.dumps(head).encode() + b"\n" + content

    def describe(self, content: bytes) -> str:
        """Return the name of the file, which tells the format."""
        return str(json.loads(content.partition(b"\n")[0])["name"])

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
                    for part in read_batches(path, batch_size=2, **head["options"]):
                        part.texts.to_list()
                else:
                    corpus = read_corpus(path, **head["options"])
                    corpus.texts.to_list()
                    repr(corpus)
            except (QuireError, OSError, ValueError):
                pass  # a documented error
            except AttributeError as error:  # a table without texts has none
                if "texts" not in str(error) and "to_list" not in str(error):
                    raise
            except Exception as error:
                raise Finding(f"{type(error).__name__}: {error}") from error
        return 1
