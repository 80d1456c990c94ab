"""`quire.io`: every format, plain and compressed, from paths, pipes and frames."""

import gzip
import io
import json
import os
import sys
import threading
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from quire.io import Corpus, _streams, read_batches, read_corpus

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

TEXTS = ["A fine,\nquiet film.", 'He said "no".', "  spaces \t", "nul \0 and 🎈", "naïve"]
LABELS = ["pos", "neg", "pos", "neg", "pos"]
STARS = [5, 1, 4, 2, 3]
TABLE = pl.DataFrame({"text": TEXTS, "label": LABELS, "stars": STARS})


def excel_bytes(sheets: dict[str, list[list[object]]]) -> bytes:
    """The smallest workbook that holds these rows."""
    part = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"

    def cell(value: object) -> str:
        if value is None:
            return "<c/>"
        if isinstance(value, str):
            return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'
        return f"<c><v>{value}</v></c>"

    ids = range(1, len(sheets) + 1)
    entries = "".join(
        f'<sheet name="{name}" sheetId="{i}" r:id="rId{i}"/>'
        for i, name in zip(ids, sheets, strict=True)
    )
    links = "".join(
        f'<Relationship Id="rId{i}" Type="{office}/worksheet" Target="worksheets/sheet{i}.xml"/>'
        for i in ids
    )
    types = "".join(
        f'<Override PartName="/xl/worksheets/sheet{i}.xml" ContentType="{kind}.worksheet+xml"/>'
        for i in ids
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(
            "[Content_Types].xml",
            f'{part}<Types xmlns="{package}/content-types">'
            '<Default Extension="rels" ContentType="application/'
            'vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>{types}'
            "</Types>",
        )
        archive.writestr(
            "_rels/.rels",
            f'{part}<Relationships xmlns="{package}/relationships"><Relationship Id="rId1" '
            f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        archive.writestr(
            "xl/workbook.xml",
            f'{part}<workbook xmlns="{main}" xmlns:r="{office}"><sheets>{entries}</sheets>'
            "</workbook>",
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f'{part}<Relationships xmlns="{package}/relationships">{links}</Relationships>',
        )
        for i, rows in zip(ids, sheets.values(), strict=True):
            body = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
            archive.writestr(
                f"xl/worksheets/sheet{i}.xml",
                f'{part}<worksheet xmlns="{main}"><sheetData>{body}</sheetData></worksheet>',
            )
    return buffer.getvalue()


def encoded(format: str) -> bytes:
    """The table in a format, written by something other than quire."""
    buffer = io.BytesIO()
    if format == "csv":
        TABLE.write_csv(buffer)
    elif format == "tsv":
        TABLE.write_csv(buffer, separator="\t")
    elif format == "parquet":
        TABLE.write_parquet(buffer)
    elif format == "json":
        buffer.write(json.dumps(TABLE.to_dicts(), indent=1).encode())
    elif format in ("ndjson", "jsonl"):
        buffer.write("".join(json.dumps(row) + "\n" for row in TABLE.to_dicts()).encode())
    else:
        rows = [TABLE.columns, *map(list, TABLE.rows())]
        buffer.write(excel_bytes({"Sheet1": [row for row in rows if "\0" not in str(row[0])]}))
    return buffer.getvalue()


COMPRESS = {"": bytes, ".gz": gzip.compress, ".zst": zstd.compress}


def assert_is_table(corpus: Corpus, format: str) -> None:
    rows = [i for i, text in enumerate(TEXTS) if format != "xlsx" or "\0" not in text]
    assert corpus.texts.to_list() == [TEXTS[i] for i in rows]
    assert corpus.labels is not None
    assert corpus.labels.to_list() == [LABELS[i] for i in rows]
    assert [int(value) for value in corpus.frame["stars"]] == [STARS[i] for i in rows]
    assert corpus.frame.columns == ["text", "label", "stars"]
    assert corpus.frame.schema["stars"].is_numeric()


@pytest.mark.parametrize("compression", COMPRESS)
@pytest.mark.parametrize("format", ["csv", "tsv", "ndjson", "jsonl", "json", "parquet", "xlsx"])
def test_file(tmp_path: Path, format: str, compression: str) -> None:
    path = tmp_path / f"reviews.{format}{compression}"
    path.write_bytes(COMPRESS[compression](encoded(format)))
    assert_is_table(read_corpus(path), format)
    assert_is_table(read_corpus(str(path)), format)
    batches = list(read_batches(path, batch_size=2))
    assert [len(batch) for batch in batches] == ([2, 2] if format == "xlsx" else [2, 2, 1])
    texts = [text for batch in batches for text in batch]
    assert texts == read_corpus(path).texts.to_list()
    with path.open("rb") as file:
        assert_is_table(read_corpus(file), format)
        assert not file.closed


@pytest.mark.parametrize("compression", COMPRESS)
@pytest.mark.parametrize("format", ["csv", "tsv", "ndjson", "json", "parquet", "excel"])
def test_standard_input(monkeypatch: pytest.MonkeyPatch, format: str, compression: str) -> None:
    data = COMPRESS[compression](encoded("xlsx" if format == "excel" else format))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    corpus = read_corpus("-", format=format)
    assert_is_table(corpus, "xlsx" if format == "excel" else format)
    assert corpus.source == "<stdin>"


@pytest.mark.parametrize("format", ["ndjson", "json", "parquet", "xlsx"])
def test_format_from_first_bytes(format: str) -> None:
    assert_is_table(read_corpus(io.BytesIO(gzip.compress(encoded(format)))), format)


def test_text_file_object() -> None:
    assert_is_table(read_corpus(io.StringIO(encoded("csv").decode()), format="csv"), "csv")


def test_object_that_can_only_read() -> None:
    class Socket:
        def __init__(self) -> None:
            self.buffer = io.BytesIO(encoded("csv"))

        def read(self, size: int = -1, /) -> bytes:
            return self.buffer.read(min(size, 7))

    assert_is_table(read_corpus(Socket(), format="csv"), "csv")


@pytest.mark.parametrize("compression", COMPRESS)
def test_lines(tmp_path: Path, compression: str) -> None:
    path = tmp_path / f"texts.txt{compression}"
    path.write_bytes(COMPRESS[compression](b"one\r\n\n {three} \nfour"))
    assert read_corpus(path, format="lines").texts.to_list() == ["one", "", " {three} ", "four"]
    batches = read_batches(path, format="lines", batch_size=3)
    assert [batch.texts.to_list() for batch in batches] == [["one", "", " {three} "], ["four"]]


def test_polars_frames_share_memory() -> None:
    corpus = read_corpus(TABLE)
    assert_is_table(corpus, "frame")
    assert corpus.frame is TABLE
    assert_is_table(read_corpus(TABLE.lazy()), "frame")
    assert [len(batch) for batch in read_batches(TABLE, batch_size=3)] == [3, 2]


def test_pandas_frame_without_its_index() -> None:
    frame = pd.DataFrame(TABLE.to_dict(as_series=False), index=list("vwxyz"))
    assert_is_table(read_corpus(frame), "frame")


def test_pandas_nan_is_missing_text() -> None:
    frame = pd.DataFrame({"text": ["a", float("nan"), None], "label": [1, 2, 3]})
    with pytest.raises(
        ValueError, match=r"missing \(null\) in 2 of 3 rows of column 'text': row 1"
    ):
        read_corpus(frame)
    corpus = read_corpus(frame, missing="drop")
    assert corpus.labels is not None
    assert corpus.labels.to_list() == [1]


def test_pandas_column_of_mixed_objects() -> None:
    frame = pd.DataFrame({"text": pd.Series(["a", 1, b"c"], dtype=object)})
    with pytest.raises(TypeError, match="values of different types"):
        read_corpus(frame)


def test_pandas_columns_of_the_same_name() -> None:
    frame = pd.DataFrame([["a", "b"]], columns=["text", "text"])
    with pytest.raises(ValueError, match="columns of the same name: 'text'"):
        read_corpus(frame)


def test_arrow_table() -> None:
    assert_is_table(read_corpus(pa.table(TABLE.to_dict(as_series=False))), "frame")


@pytest.mark.skipif(sys.platform == "win32", reason="needs named pipes")
@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_named_pipe(tmp_path: Path, format: str) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(
        ValueError, match=r"a pipe or device does not tell its format. Pass format="
    ):
        read_corpus(path)
    writer = threading.Thread(target=path.write_bytes, args=(encoded(format),))
    writer.start()
    corpus = read_corpus(path, format=format)
    writer.join()
    assert_is_table(corpus, format)


@pytest.mark.parametrize("source", [["a", "b"], pl.Series(["a"]), 3, None])
def test_source_of_no_known_kind(source: object) -> None:
    with pytest.raises(TypeError, match=f"source must be a path.*got {type(source).__name__}"):
        read_corpus(source)


def test_categorical_text_and_original_label_type() -> None:
    frame = pl.DataFrame({"text": ["a", "b"], "label": [True, False]})
    corpus = read_corpus(frame.with_columns(pl.col("text").cast(pl.Categorical)))
    assert corpus.texts.dtype == pl.String
    assert corpus.labels is not None
    assert corpus.labels.dtype == pl.Boolean


def test_excel_sheets(tmp_path: Path) -> None:
    path = tmp_path / "book.xlsx"
    path.write_bytes(excel_bytes({"First": [["text"], ["a"]], "Second": [["text"], ["b"]]}))
    first = read_corpus(path)
    assert first.texts.to_list() == ["a"]
    assert first.notes[0] == "read the first sheet, 'First', of 'First', 'Second'"
    assert read_corpus(path, sheet="Second").texts.to_list() == ["b"]
    assert read_corpus(path, sheet=1).texts.to_list() == ["b"]
    with pytest.raises(ValueError, match=r"no sheet 'Third'. The sheets are 'First', 'Second'"):
        read_corpus(path, sheet="Third")
    with pytest.raises(ValueError, match="no sheet 2"):
        read_corpus(path, sheet=2)


def test_excel_without_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "book.xlsx"
    path.write_bytes(encoded("xlsx"))
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    with pytest.raises(ImportError, match=r"pip install quire\[excel\]"):
        read_corpus(path)


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="zstd is in the standard library")
def test_zstd_without_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "reviews.csv.zst"
    path.write_bytes(zstd.compress(encoded("csv")))
    monkeypatch.setitem(sys.modules, "backports.zstd", None)
    monkeypatch.delattr("backports.zstd", raising=False)
    with pytest.raises(ImportError, match=r"pip install quire\[zstd\]"):
        read_corpus(path)


@pytest.mark.parametrize("format", ["parquet", "xlsx"])
def test_damaged_binary_file(tmp_path: Path, format: str) -> None:
    path = tmp_path / f"reviews.{format}"
    path.write_bytes(b"these are not the bytes that you are looking for")
    with pytest.raises(ValueError, match=rf"reviews.{format}: not an? \w+ file, or a damaged one"):
        read_corpus(path)
    with pytest.raises(ValueError, match="damaged one"):
        list(read_batches(path))


@pytest.mark.parametrize("compression", [".gz", ".zst"])
def test_truncated_compression(tmp_path: Path, compression: str) -> None:
    path = tmp_path / f"reviews.csv{compression}"
    data = COMPRESS[compression](encoded("csv") * 100)
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(ValueError, match="compressed data is cut short or damaged"):
        read_corpus(path)


def test_corrupt_zstd(tmp_path: Path) -> None:
    path = tmp_path / "reviews.csv.zst"
    path.write_bytes(_streams.ZSTD_MAGIC + b"\xff" * 50)
    with pytest.raises(ValueError, match="compressed data is cut short or damaged"):
        read_corpus(path)
