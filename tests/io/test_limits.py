"""`quire.io`: reading ends, whatever it is given; limits have defaults, options and errors."""

import gzip
import io
import os
import socket
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.helpers.processes import LONG, run_python

from quire.exceptions import CorpusError
from quire.io import Limits, read_batches, read_corpus

MIB = 2**20


def test_limits_are_read_from_text() -> None:
    assert Limits.parse("record=2GiB, columns=7") == Limits(record=2**31, columns=7)
    assert Limits.parse("") == Limits()
    for text in ("rows=7", "record", "record=x", "record=1TBB", "record=-1"):
        with pytest.raises(ValueError, match=r"is no limit. There are record, columns, expansion"):
            Limits.parse(text)
    with pytest.raises(ValueError, match="the limit record must be a whole number"):
        Limits(record=0)


def test_many_columns_take_time_by_their_number() -> None:
    out = run_python(
        "import io\nfrom quire.io import read_corpus\nn = 5_000\n"
        "row = ','.join(['1'] * n)\n"
        "data = ','.join(f'c{i}' for i in range(n)) + ',text\\n' + f'{row},some words\\n' * 3\n"
        "corpus = read_corpus(io.StringIO(data), format='csv')\n"
        "print(corpus.frame.width, corpus.texts[0])\n"
    )
    assert out == "5001 some words\n"


def test_too_many_columns() -> None:
    data = ",".join(f"c{i}" for i in range(11)) + "\n" + ",".join("1" * 11) + "\n"
    message = r"header names 11 columns; at most 10 are read.*limits='columns=20'"
    with pytest.raises(CorpusError, match=message):
        read_corpus(io.StringIO(data), format="csv", limits="columns=10")
    assert read_corpus(io.StringIO(data), format="csv", text="c0", limits={"columns": 11})
    with pytest.raises(CorpusError, match="more than 10,000 fields; at most 10,000 are read"):
        read_corpus(io.BytesIO(b"," * 5 * MIB), format="csv")


RECORDS: dict[str, Callable[[int], bytes]] = {
    "csv": lambda n: b"text,label\n" + b"x" * n + b",a\n",
    "tsv": lambda n: b"text\tlabel\nshort\tb\n" + b"x" * n + b"\ta\n",
    "ndjson": lambda n: b'{"text": "' + b"x" * n + b'"}\n',
    "lines": lambda n: b"short\n" + b"x" * n + b"\nshort\n",
    "mbox": lambda n: b"From a b\nSubject: s\n\n" + b"x" * n + b"\n",
}


@pytest.mark.parametrize("format", RECORDS)
@pytest.mark.parametrize("size", [5 * MIB, 9 * MIB])
def test_long_records(format: str, size: int) -> None:
    data = RECORDS[format](size)
    with pytest.raises(CorpusError, match=r"is longer than 4,194,304 bytes\..*limits='record=9MB'"):
        read_corpus(io.BytesIO(data), format=format, limits=Limits(record=4 * MIB))
    corpus = read_corpus(io.BytesIO(data), format=format, limits={"record": 10 * MIB})
    assert max(map(len, corpus.texts)) >= size
    parts = read_batches(io.BytesIO(data), format=format, limits="record=10MiB", batch_size=1)
    assert max(max(map(len, part.texts)) for part in parts) >= size


def test_text_of_a_folder_past_the_limit(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"x" * 100)
    with pytest.raises(CorpusError, match=r"a\.txt: this text is longer than 99 bytes"):
        read_corpus(tmp_path, limits="record=99")
    for name in ("cur", "new"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "1").write_bytes(b"Subject: x\n\n" + b"x" * 100)
    with pytest.raises(CorpusError, match="this mail is longer than 99 bytes"):
        read_corpus(tmp_path, limits="record=99")


def test_one_long_record_takes_time_by_its_length() -> None:
    out = run_python(
        "import io\nfrom quire.io import read_corpus\nn = 60 * 2**20\n"
        "for encoding in ('utf-8', 'latin-1'):\n"
        "    for data in (b'text,label\\n' + b'x' * n + b',a\\n',\n"
        "                 b'text,label\\n\"' + b'x\\n' * (n // 2) + b'\",a\\n'):\n"
        "        corpus = read_corpus(io.BytesIO(data), format='csv', encoding=encoding)\n"
        "        print(len(corpus.texts[0]) == n)\n"
    )
    assert out == "True\n" * 4


def test_a_quote_that_is_never_closed_stops_at_the_limit() -> None:
    data = b'text,label\na,b\n"open,c\n' + b"more,d\n" * MIB
    with pytest.raises(
        CorpusError, match=r"line 3: .* longer than 1,048,576 bytes\. Most likely a"
    ):
        read_corpus(io.BytesIO(data), format="csv", limits=Limits(record=MIB))


@pytest.mark.parametrize("format", ["csv", "lines", "json"])
def test_a_little_that_becomes_a_lot(format: str, tmp_path: Path) -> None:
    path = tmp_path / "bomb.gz"
    with gzip.open(path, "wb") as file:
        file.write(b"text,label\n")
        for _ in range(100):
            file.write(b"word,a\n" * (MIB // 7))
    with pytest.raises(CorpusError, match=r"becomes more than 200 times as large.*expansion=2000'"):
        read_corpus(path, format=format)
    if format in ("csv", "lines"):
        corpus = read_corpus(path, format=format, limits="expansion=2000")
        assert len(corpus) >= 100 * (MIB // 7)


def test_a_workbook_that_becomes_a_lot() -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", b" " * (200 * MIB))
    with pytest.raises(CorpusError, match="becomes more than 200 times as large"):
        read_corpus(io.BytesIO(data.getvalue()), format="excel")


def test_pipe_in_a_folder(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "1.txt").write_text("words")
    os.mkfifo(tmp_path / "a" / "2.txt")
    message = r"2\.txt is not a file but a pipe, a socket or a device.*pattern="
    with pytest.raises(CorpusError, match=message):
        read_corpus(tmp_path)
    for name in ("cur", "new"):
        (tmp_path / name).mkdir()
    os.mkfifo(tmp_path / "cur" / "1")
    with pytest.raises(CorpusError, match="1 is not a file but a pipe"):
        read_corpus(tmp_path)


@pytest.mark.parametrize("format", ["csv", None])
def test_devices_and_sockets(tmp_path: Path, format: str) -> None:
    with pytest.raises(CorpusError, match="/dev/zero is a device, not a file or a pipe"):
        read_corpus("/dev/zero", format=format)
    path = tmp_path / "socket.csv"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
        with pytest.raises(CorpusError, match=r"socket\.csv is a socket"):
            read_corpus(path, format=format)


def test_links_that_lead_to_each_other(tmp_path: Path) -> None:
    (tmp_path / "a.txt").symlink_to(tmp_path / "b.txt")
    (tmp_path / "b.txt").symlink_to(tmp_path / "a.txt")
    with pytest.raises(OSError, match=r"a\.txt cannot be read"):
        read_corpus(tmp_path / "a.txt", format="lines")
    with pytest.raises(CorpusError, match=r"a\.txt cannot be read"):
        read_corpus(tmp_path)


def test_link_to_the_folder_above(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "1.txt").write_text("words")
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    assert read_corpus(tmp_path).frame["file"].to_list() == ["a/1.txt"]


def test_output_of_a_command_as_a_file(tmp_path: Path) -> None:
    reading, writing = os.pipe()

    def write() -> None:
        with os.fdopen(writing, "wb") as file:
            file.write(b"text,label\nwords,a\n" + b"more,b\n" * 100_000)

    writer = threading.Thread(target=write)
    writer.start()
    corpus = read_corpus(f"/dev/fd/{reading}", format="csv")
    writer.join()
    os.close(reading)
    assert len(corpus) == 100_001


def test_unreadable_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "1.txt").write_text("words")
    scandir = os.scandir

    def refuse(path: object) -> object:
        if str(path).endswith("b"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)  # type: ignore[call-overload]

    monkeypatch.setattr(os, "scandir", refuse)
    message = r"/b: this folder cannot be read \(Permission denied\)"
    for options in ({}, {"format": "folders"}, {"format": "texts"}, {"label": False}):
        with pytest.raises(CorpusError, match=message):
            read_corpus(tmp_path, **options)  # type: ignore[arg-type]
        with pytest.raises(CorpusError, match=message):
            list(read_batches(tmp_path, batch_size=1, **options))  # type: ignore[arg-type]
    for name in ("cur", "new"):
        (tmp_path / "mail_b" / name).mkdir(parents=True)
    (tmp_path / "mail_b" / "new" / "1").write_text("Subject: x\n\nwords")
    monkeypatch.setattr(os, "scandir", lambda path: refuse("b" if "cur" in str(path) else path))
    with pytest.raises(CorpusError, match=r"/cur: this folder cannot be read"):
        list(read_batches(tmp_path / "mail_b"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_unreadable_folder_as_somebody_else(tmp_path: Path) -> None:
    script = (
        "import os, sys\nfrom quire.io import read_batches, read_corpus\n"
        "os.chdir(sys.argv[1])\n"
        "os.setuid(65534)\n"
        "for read in (lambda: read_corpus('.'), lambda: list(read_batches('.')),\n"
        "             lambda: read_corpus('a'), lambda: read_corpus('c')):\n"
        "    try:\n        print(read())\n"
        "    except (OSError, ValueError) as error:\n        print(error)\n"
    )
    for name in ("a", "b"):
        (tmp_path / name).mkdir(mode=0o755)
        (tmp_path / name / "1.txt").write_text("words")
    tmp_path.chmod(0o755)
    (tmp_path / "b").chmod(0o700)
    (tmp_path / "a" / "1.txt").chmod(0o600)
    (tmp_path / "c").mkdir(mode=0o755)
    (tmp_path / "c" / "1.txt").write_text("words")
    (tmp_path / "c").chmod(0o744)  # it can be listed, and what lies in it cannot be opened
    done = subprocess.run(
        [sys.executable, "-c", script, tmp_path], capture_output=True, text=True, timeout=LONG
    )
    lines = done.stdout.splitlines()
    assert len(lines) == 4, done.stderr
    assert all("b: this folder cannot be read (Permission denied)" in line for line in lines[:2])
    assert all("1.txt cannot be read" in line for line in lines[2:]), lines
