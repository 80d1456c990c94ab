"""Files that are damaged or made to harm: Parquet, JSON and Excel end in an error that says why.

Such files end the process that reads them, take all memory, or raise what is no `Exception`.
"""

import io
import json
import os
import re
import struct
import sys
import zipfile
from pathlib import Path

import polars as pl
import pytest
from fuzz.sources import workbook
from tests.helpers.processes import run_python

from quire import _core
from quire._shared.parquet import DamagedParquetError, check_parquet
from quire._shared.thrift import NotThriftError, Reader
from quire.exceptions import CorpusError
from quire.io import read_batches, read_corpus
from quire.io._apart import can_read_apart
from quire.io._json_shape import DEEPEST, check_shape

FRAME = pl.DataFrame(
    {
        "text": ["one two", "three", None, "four five six"] * 10,
        "label": ["a", "b"] * 20,
        "tags": [["x", "y"], [], None, ["z"]] * 10,
        "who": [{"name": "n", "age": 1}] * 40,
        "n": range(40),
    }
)


def parquet(frame: pl.DataFrame = FRAME, **options: object) -> bytes:
    file = io.BytesIO()
    frame.write_parquet(file, **options)  # type: ignore[arg-type]
    return file.getvalue()


def with_description(data: bytes, change) -> bytes:  # type: ignore[no-untyped-def]
    """Return a Parquet file with another description of what is in it."""
    length = int.from_bytes(data[-8:-4], "little")
    description = change(data[-8 - length : -8])
    return data[: -8 - length] + description + struct.pack("<I", len(description)) + b"PAR1"


@pytest.mark.parametrize("how", ["uncompressed", "snappy", "zstd"])
@pytest.mark.parametrize("rows", [None, 7])
def test_sound_parquet_is_sound(how: str, rows: int | None) -> None:
    data = parquet(compression=how, row_group_size=rows)
    found = check_parquet(data)
    assert (found.n_rows, found.is_simple) == (40, True)
    assert found.n_values >= 40 * 6
    assert found.n_bytes > 0
    corpus = read_corpus(io.BytesIO(data), format="parquet", text="text", missing="empty")
    assert corpus.frame.drop("text").equals(FRAME.drop("text"))


@pytest.mark.parametrize("frame", [FRAME[:0], pl.DataFrame({"text": pl.Series([], dtype=pl.Null)})])
def test_parquet_without_rows_is_sound(frame: pl.DataFrame) -> None:
    assert check_parquet(parquet(frame)).n_rows == 0


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("batch_size", [None, 30])
def test_other_encodings_are_read_by_another_process(
    version: str, batch_size: int | None, tmp_path: Path
) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "delta.parquet"
    encodings = {"text": "DELTA_BYTE_ARRAY", "n": "DELTA_BINARY_PACKED"}
    table = FRAME.select("text", "n").to_arrow()
    pq.write_table(
        table, path, data_page_version=version, use_dictionary=False, column_encoding=encodings
    )
    assert not check_parquet(path).is_simple
    options = {"text": "text", "missing": "empty"}
    if batch_size is None:
        numbers = read_corpus(path, **options).frame["n"]  # type: ignore[arg-type]
    else:
        parts = read_batches(path, batch_size=batch_size, **options)  # type: ignore[arg-type]
        numbers = pl.concat([part.frame["n"] for part in parts])
    assert numbers.to_list() == list(range(40))
    path.write_bytes(path.read_bytes()[:4] + bytes(40) + path.read_bytes()[44:])
    with pytest.raises(CorpusError, match="not a Parquet file, or a damaged one"):
        read_corpus(path)


def test_each_number_of_a_parquet_file_may_be_wrong() -> None:
    """Every byte of a small file, changed: read as it is, or refused; nothing else is raised."""
    sound = parquet(FRAME.select("text", "label")[:4], compression="uncompressed")
    n_refused = 0
    for place in range(len(sound)):
        data = bytearray(sound)
        data[place] ^= 0x55
        try:
            read_corpus(io.BytesIO(data), format="parquet", text="text", missing="empty")
        except CorpusError:
            n_refused += 1
    assert n_refused > len(sound) // 3


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda text: b"", "number is missing|cut short"),
        (lambda text: text[: len(text) // 2], "cut short|longer than the bytes"),
        (lambda text: text.replace(b"\x16\x50", b"\x16\x52", 1), "more or fewer"),
        (lambda text: b"\x19\xfc\xff\xff\xff\xff\x0f" + text, "longer than the bytes"),
        (lambda text: b"\x1c" * 100 + text, "too deep"),
        (lambda text: b"\x19" + b"\x19" * 5_000 + text, "too deep"),
        (lambda text: b"\x1b" + b"\x01\xbb" * 5_000 + text, "too deep"),
    ],
)
def test_descriptions_that_contradict_themselves(change, reason: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(DamagedParquetError, match=reason):
        check_parquet(with_description(parquet(), change))


def test_what_is_no_parquet_file() -> None:
    for data in (b"", b"PAR1", b"PAR1PAR1", b"PAR1" + b"\xff" * 8 + b"PAR1", b"x" * 100):
        with pytest.raises(
            CorpusError, match=r"not a Parquet file, or a damaged one .* save it as"
        ):
            read_corpus(io.BytesIO(data), format="parquet")


def test_a_little_parquet_that_becomes_a_lot() -> None:
    data = parquet(pl.DataFrame({"text": ["same"] * 30_000_000}), compression="zstd")
    assert len(data) < 1_000_000
    with pytest.raises(CorpusError, match=r"becomes more than 200 times as large"):
        read_corpus(io.BytesIO(data), format="parquet")


def test_numbers_of_thrift() -> None:
    assert Reader(b"\x15\x02\x16\x03\x00", 0, 5).struct() == {1: 1, 2: -2}
    assert Reader(b"\x11\x12\x28\x01a\x00", 0, 6).struct() == {1: True, 2: False, 4: b"a"}
    wrong = {
        "cut short": b"\x15",
        "too long": b"\x16" + b"\xff" * 11,
        "too large": b"\x15\xff\xff\xff\xff\x7f\x00",
        "twice": b"\x15\x02\x05\x02\x02\x00",
        "there is not": b"\x1f\x00",
    }
    for reason, data in wrong.items():
        with pytest.raises(NotThriftError, match=reason):
            Reader(data, 0, len(data)).struct()


BOMBS = {
    "keys": 'b\'\'.join(b\'{"text":"a","k%d":1}\\n\' % i for i in range(100_000))',
    "inner keys": 'b\'\'.join(b\'{"text":"a","o":{"k%d":1}}\\n\' % i for i in range(12_000))',
    "long keys": "b''.join(b'{\"%s%d%s\":1}\\n' % (b'x' * 9, i, b'y' * 9) for i in range(50_000))",
    "arrays": "b'{\"text\":' + b'[' * 2_000 + b']' * 2_000 + b'}'",
    "objects": "b'{\"text\":' + b'{\"a\":' * 2_000 + b'1' + b'}' * 2_000 + b'}'",
    "open": "b'{\"text\":' + b'[' * 1_000_000",
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_json_that_becomes_a_lot(bomb: str) -> None:
    out = run_python(
        "import io\nfrom quire.exceptions import CorpusError\nfrom quire.io import read_corpus\n"
        f"data = {BOMBS[bomb]}\n"
        "as_array = b'[' + b','.join(data.splitlines()) + b']'\n"
        "for given, format in ((data, 'ndjson'), (as_array, 'json')):\n"
        "    try:\n        read_corpus(io.BytesIO(given), format=format)\n"
        "    except CorpusError as error:\n        print(error)\n",
        memory=2 * 2**30,
    ).splitlines()
    assert len(out) == 2
    for message in out:
        assert "nested more than 64 deep" in message or "nearly all cells" in message, message


def test_objects_with_a_few_hundred_keys_are_read() -> None:
    lines = "".join(json.dumps({"text": "a b", f"k{i % 300}": i}) + "\n" for i in range(3_000))
    corpus = read_corpus(io.StringIO(lines), format="ndjson")
    assert corpus.frame.shape == (3_000, 301)


def test_blocks_that_make_a_sparse_table_together() -> None:
    block = [json.dumps({"text": "x" * 3_000, f"k{{}}{i % 7}": i}) for i in range(1_500)]
    lines = "\n".join("\n".join(one.replace("{}", str(b)) for one in block) for b in range(3))
    assert read_corpus(io.StringIO(lines), format="ndjson").frame.height == 4_500


@pytest.mark.parametrize(
    ("text", "n_keys", "depth"),
    [
        (r'{"a": 1, "b" : 2, "a": 3}', 2, 1),
        (r'{"a\"b": "c:d", "e\\": "f\\\"g: {"}', 2, 1),
        (r'[{"a": [[1]], "long key of many letters": {}}, {"long key of many letterz": 1}]', 3, 4),
        (r'{"abcdefghi": 1, "abcdefgxi": 2, "abcdefgh": 3, "abcdefg": 4, "": 5, "x": 6}', 6, 1),
        (r'{"text": ":) {[{[ \\"}', 1, 1),
        ("", 0, 0),
        (":", 0, 0),
        ('":', 0, 0),
        ("[" * 9, 0, 9),
        ("]]][[", 0, -1),
    ],
)
def test_keys_and_depth_without_parsing(text: str, n_keys: int, depth: int) -> None:
    data = text.encode()
    n_open = len(re.findall(r"[{[]", re.sub(r'"(\\.|[^"\\])*"', "", text)))
    assert _core.text.json_shape(data) == (max(depth, 0), n_open, n_keys)
    check_shape(data, "x")


def test_values_may_be_nested_as_deep_as_is_said() -> None:
    deep = "[" * (DEEPEST - 1) + "]" * (DEEPEST - 1)
    line = f'{{"text": "some words", "deep": {deep}}}'
    assert read_corpus(io.StringIO(line), format="ndjson")[0] == "some words"
    with pytest.raises(CorpusError, match="nested more than 64 deep"):
        read_corpus(io.StringIO(line.replace("[", "[[").replace("]", "]]")), format="ndjson")


def packed(parts: dict[str, str]) -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    file.seek(0)
    return file


def test_a_workbook_whose_cells_lie_far_apart() -> None:
    pytest.importorskip("fastexcel")
    near = [("A1", "text"), ("B1", "label"), ("A2", "words"), ("B2", "a")]
    assert read_corpus(packed(workbook(near)), format="excel")[0] == "words"
    far = [("A1", "text"), ("XFD1048576", "x")]
    with pytest.raises(CorpusError, match=r"not an Excel file.*GB of memory.*save it as CSV"):
        read_corpus(packed(workbook(far, "A1:XFD1048576")), format="excel")


def test_a_workbook_without_sheets() -> None:
    pytest.importorskip("fastexcel")
    parts = {n: t for n, t in workbook([("A1", "text")]).items() if "worksheets" not in n}
    with pytest.raises(CorpusError, match="Excel file"):
        read_corpus(packed(parts), format="excel")


def test_the_process_apart_imports_nothing_of_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fastexcel")
    for name in ("json", "polars", "fastexcel", "io"):
        (tmp_path / f"{name}.py").write_text("open('was here', 'w').close()\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path, ""])
    near = [("A1", "text"), ("A2", "some words"), ("A3", "more words")]
    assert len(read_corpus(packed(workbook(near)), format="excel")) == 2
    assert not (tmp_path / "was here").exists()


def test_without_another_process_workbooks_are_read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fastexcel")
    monkeypatch.setattr(sys, "executable", "")
    assert not can_read_apart()
    near = [("A1", "text"), ("A2", "some words"), ("A3", "more words")]
    assert len(read_corpus(packed(workbook(near)), format="excel")) == 2
    with pytest.raises(CorpusError, match="not an Excel file"):
        read_corpus(io.BytesIO(b"PK\x03\x04 and so on"), format="excel")


@pytest.mark.parametrize("format", ["csv", "lines", "texts"])
@pytest.mark.parametrize(
    ("data", "encoding"), [(b"a\n+2D0-b\n", "utf-7"), (b"text\nwords\n\n", "utf-16")]
)
def test_encodings_that_give_no_characters(
    format: str, data: bytes, encoding: str, tmp_path: Path
) -> None:
    if (format, encoding) == ("texts", "utf-16"):  # a file by itself may have no mark of its order
        data += b"!"
    (tmp_path / "x.txt").write_bytes(data)
    path = tmp_path if format == "texts" else tmp_path / "x.txt"
    with pytest.raises(CorpusError, match="encoding"):
        read_corpus(path, format=format, encoding=encoding)


def test_a_panic_of_polars_is_an_error_of_the_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    def panic(*args: object, **options: object) -> None:
        raise pl.exceptions.PanicException("index out of bounds")

    for name in ("read_csv", "read_ndjson", "read_json", "read_parquet"):
        monkeypatch.setattr(pl, name, panic)
    for format, data in {
        "csv": b"text,label\nsome words,a\n",
        "ndjson": b'{"text": "some words"}\n',
        "json": b'[{"text": "some words"}]',
        "parquet": parquet(),
    }.items():
        with pytest.raises(CorpusError, match="index out of bounds"):
            read_corpus(io.BytesIO(data), format=format)


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("words")
    opening = Path.open

    def refuse(self: Path, *args: object, **options: object) -> object:
        if self.name == "a.txt":
            raise PermissionError(13, os.strerror(13), str(self))
        return opening(self, *args, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(OSError, match=r"a\.txt cannot be read: Permission denied"):
        read_corpus(tmp_path / "a.txt", format="lines")
    with pytest.raises(OSError, match=r"a\.txt cannot be read: Permission denied"):
        read_corpus(tmp_path)


def test_a_workbook_with_more_columns_than_there_are() -> None:
    pytest.importorskip("fastexcel")
    near = [("A1", "text"), ("A2", "words"), ("ZZ1", "x"), ("XFD1", "y")]
    assert read_corpus(packed(workbook(near)), format="excel", text="text")[0] == "words"
    wide = [("A1", "text"), ("ZZZZ9", "x")]
    with pytest.raises(CorpusError, match="a cell stands behind XFD, the last column"):
        read_corpus(packed(workbook(wide)), format="excel")


def test_a_workbook_that_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fastexcel")
    monkeypatch.setattr("quire.io._apart._SECONDS", 1)
    monkeypatch.setattr("quire.io._tables._PAST_LAST_COLUMN", re.compile(b"nowhere"))
    with pytest.raises(CorpusError, match=r"not an Excel file.*and 1 seconds\)"):
        read_corpus(packed(workbook([("A1", "text"), ("ZZZZ9", "x")])), format="excel")
