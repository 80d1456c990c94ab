"""A corpus knows the bytes that it was read from."""

import gzip
import hashlib
import io
import os
import time

import polars as pl
import pytest

from quire.io import read_corpus

SHORT = b"text,label\ngood film,a\nbad film,b\n"
LONG = b"text,label\n" + b"good film,a\nbad film,b\n" * 300_000


def sha(data):
    return hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize(
    "data", [SHORT, LONG, gzip.compress(SHORT), gzip.compress(LONG)], ids=range(4)
)
def test_streams_are_hashed_as_they_are_read(data):
    corpus = read_corpus(io.BytesIO(data), format="csv")
    assert corpus.origin.sha256() == sha(data)
    assert corpus[:1].origin.sha256() == sha(data)


def test_files_are_hashed_when_asked(tmp_path):
    path = tmp_path / "reviews.csv"
    path.write_bytes(SHORT)
    origin = read_corpus(path).origin
    assert origin.to_dict() == {"name": "reviews.csv", "sha256": sha(SHORT)}
    frame = read_corpus(path).frame
    frame.write_parquet(tmp_path / "reviews.parquet")
    stored = (tmp_path / "reviews.parquet").read_bytes()
    assert read_corpus(tmp_path / "reviews.parquet").origin.sha256() == sha(stored)
    assert read_corpus(io.BytesIO(stored), format="parquet").origin.sha256() == sha(stored)


def test_a_file_that_changed_has_no_digest(tmp_path):
    path = tmp_path / "reviews.csv"
    path.write_bytes(SHORT)
    origin = read_corpus(path).origin
    path.write_bytes(SHORT.replace(b"good", b"fine"))
    status = path.stat()
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    assert origin.sha256() is None
    path.unlink()
    assert origin.sha256() is None


def test_folders_are_their_files(tmp_path):
    for name, text in (("a/1.txt", "one"), ("b/1.txt", "two")):
        path = tmp_path / "texts" / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    first = read_corpus(tmp_path / "texts").origin
    assert first.name == "texts"
    digest = first.sha256()
    assert len(digest) == 64
    (tmp_path / "texts" / "notes.md").write_text("not read")
    assert read_corpus(tmp_path / "texts").origin.sha256() == digest
    (tmp_path / "texts" / "b" / "1.txt").write_text("new")
    os.utime(tmp_path / "texts" / "b" / "1.txt", ns=(time.time_ns() - 1, time.time_ns() - 1))
    other = read_corpus(tmp_path / "texts").origin
    assert other.sha256() != digest
    os.utime(tmp_path / "texts" / "b" / "1.txt", ns=(2**62, 2**62))
    assert other.sha256() is None


def test_pipes_and_frames_have_none(tmp_path):
    assert read_corpus(pl.DataFrame({"text": ["one"]})).origin is None
    read_end, write_end = os.pipe()
    os.write(write_end, SHORT)
    os.close(write_end)
    corpus = read_corpus(f"/dev/fd/{read_end}", format="csv")
    os.close(read_end)
    assert corpus.origin.sha256() is None
