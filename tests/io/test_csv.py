"""`quire.io`: delimited text and JSON, well-formed and not."""

import csv
import io
import json
import re
from collections.abc import Iterable
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quire.io import read_batches, read_corpus
from quire.io._csv import csv_frames
from quire.io._options import Notes, Options


def read(data: str, format: str = "csv", **options: object) -> pl.DataFrame:
    return read_corpus(io.StringIO(data), format=format, **options).frame


class Blocks:
    """Given blocks as a stream would give them: what was not used goes before the next."""

    def __init__(self, blocks: Iterable[bytes]) -> None:
        self._blocks = iter(blocks)
        self._following = next(self._blocks, b"")

    @property
    def at_end(self) -> bool:
        return not self._following

    def read(self, before: bytes = b"") -> bytes:
        block, self._following = self._following, next(self._blocks, b"")
        return before + block


def in_blocks(data: bytes, size: int, **options: str | None) -> pl.DataFrame:
    blocks = Blocks(data[i : i + size] for i in range(0, len(data), size))
    checked = Options(**options)
    frames = list(csv_frames(blocks, checked, ",", "x.csv", Notes("x.csv")))
    return pl.concat(frames) if frames else pl.DataFrame()


# Any text but a lone surrogate; carriage returns only where quotes keep them from ending a line.
fields = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.text(
    ',"\n\r ax', max_size=8
)
rows = st.lists(st.tuples(fields, fields, fields), min_size=1, max_size=8)


@settings(max_examples=150, deadline=None)
@given(rows=rows, size=st.integers(1, 40), newline=st.sampled_from(["\n", "\r\n"]))
def test_quoted_fields_come_back_exactly(
    rows: list[tuple[str, str, str]], size: int, newline: str
) -> None:
    buffer = io.StringIO()
    writer = csv.writer(buffer, quoting=csv.QUOTE_ALL, lineterminator=newline)
    writer.writerows([("a", "b", "c"), *rows])
    data = buffer.getvalue().encode()
    if size < 4:
        size = len(data)  # blocks end between characters, which a tiny size would not respect
    blocks = list(_between_characters(data, size))
    frames = list(csv_frames(Blocks(blocks), Options(), ",", "x.csv", Notes("x.csv")))
    assert pl.concat(frames).rows() == rows


def _between_characters(data: bytes, size: int) -> list[bytes]:
    text = data.decode()
    return [text[i : i + size].encode() for i in range(0, len(text), size)]


@settings(max_examples=150, deadline=None)
@given(rows=rows)
def test_minimal_quoting_agrees_with_the_csv_module(rows: list[tuple[str, str, str]]) -> None:
    rows = [tuple(field.replace("\r", "") for field in row) for row in rows]
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows([("a", "b", "c"), *rows])
    found = in_blocks(buffer.getvalue().encode(), len(buffer.getvalue().encode()))
    assert found.fill_null("").rows() == rows


@settings(max_examples=300, deadline=None)
@given(data=st.text(',"\nab', max_size=30), size=st.integers(1, 10))
def test_any_text_is_read_as_the_csv_module_reads_it_or_refused(data: str, size: int) -> None:
    """Whatever is accepted means what the csv module says, however it is cut into blocks."""
    try:
        found = in_blocks(f"x,y\n{data}".encode(), size)
    except ValueError as error:
        assert str(error).startswith("x.csv, line")  # noqa: PT017
        return
    expected = [tuple(row) for row in csv.reader(io.StringIO(data, newline="")) if row]
    assert found.fill_null("").rows() == expected


def test_empty_field_is_null_and_quoted_empty_field_is_text() -> None:
    frame = read('text,note\na,\nb,""\n')
    assert frame["note"].to_list() == [None, ""]


def test_blank_lines_are_skipped() -> None:
    assert read("\n\ntext,n\n\na,1\n\r\n\nb,2\n\n").rows() == [("a", 1), ("b", 2)]


def test_windows_line_ends_and_no_last_line_end() -> None:
    assert read("text,n\r\na,1\r\nb,2").rows() == [("a", 1), ("b", 2)]


def test_quotes_inside_an_unquoted_field() -> None:
    assert read('text,n\nHe said "no" to me,1\n').rows() == [('He said "no" to me', 1)]


def test_no_header() -> None:
    frame = read("ham\tsee you\nspam\twin now\n", "tsv", names=["label", "message"])
    assert frame.to_dict(as_series=False) == {
        "label": ["ham", "spam"],
        "message": ["see you", "win now"],
    }


def test_file_without_quoting() -> None:
    assert read('text\tn\n"open\t1\n5" pipe\t2\n', "tsv", quotechar=None)["text"].to_list() == [
        '"open',
        '5" pipe',
    ]


def test_header_in_quotes() -> None:
    frame = read('"text","a ""b"",\nc"\nx,y\n')
    assert frame.columns == ["text", 'a "b",\nc']


def test_header_without_quoting() -> None:
    assert read('"text"\tn\nx\t1\n', "tsv", quotechar=None).columns == ['"text"', "n"]


def test_lines_that_end_with_a_carriage_return() -> None:
    with pytest.raises(
        ValueError, match=r"header cannot be read .* lines that end with a line feed"
    ):
        read_corpus(io.BytesIO(b"text,n\ra,1\rb,2\r"), format="csv")


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_other_delimiter_is_noticed(delimiter: str) -> None:
    data = "text,n\na,1\n".replace(",", delimiter)
    corpus = read_corpus(io.StringIO(data), format="csv")
    assert corpus.frame.rows() == [("a", 1)]
    assert corpus.notes[0].startswith(f"fields are separated by {delimiter!r}")


def test_delimiter_given() -> None:
    assert read("text,a;n\nx;1\n", delimiter=";").columns == ["text,a", "n"]


@pytest.mark.parametrize(
    ("column", "dtype"),
    [
        (["1", "-2", "0"], pl.Int64),
        (["1", "2.5", "-1e3"], pl.Float64),
        (["True", "false", "TRUE"], pl.Boolean),
        (["1", "x", "3"], pl.String),
        (["007", "8", "9"], pl.String),
        (["12345678901234567890", "1", "2"], pl.String),
        (["2020-01-01", "2020-01-02", "2020-01-03"], pl.String),
        (["NA", "1", "2"], pl.Int64),
        (["NA", "x", "2"], pl.String),
        (["1", "", "3"], pl.Int64),
    ],
)
def test_types_are_inferred_without_loss(column: list[str], dtype: type[pl.DataType]) -> None:
    data = "text,value\n" + "".join(f"a,{value}\n" for value in column)
    assert read(data).schema["value"] == dtype


def test_inferred_values() -> None:
    frame = read("text,i,f,b\na,-3,2.5,true\nb,,,\n")
    assert frame.rows() == [("a", -3, 2.5, True), ("b", None, None, None)]


def test_named_text_column_keeps_its_digits() -> None:
    assert (
        read_corpus(io.StringIO("code,n\n007,1\n12,2\n"), format="csv", text="code").texts[0]
        == "007"
    )
    assert read("text,n\n7,1\n")["text"].to_list() == ["7"]


def test_schema_overrides() -> None:
    frame = read("text,zip,n\na,10,1\n", schema_overrides={"zip": pl.String, "n": pl.Float32})
    assert frame.schema == {"text": pl.String, "zip": pl.String, "n": pl.Float32}
    with pytest.raises(ValueError, match=r"'n' is read as Int8, and row 1 \(from 0\) holds '400'"):
        read("text,n\na,1\nb,400\n", schema_overrides={"n": pl.Int8()})
    with pytest.raises(ValueError, match="schema_overrides='m' is not a column"):
        read("text,n\na,1\n", schema_overrides={"m": pl.Int8})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("text,n\na,1\nb\n", r"line 3: 1 field where 2 \('text', 'n'\) were expected"),
        ('text,n\n"a\nb",1\nc,2,3\n', "line 4: 3 fields where 2"),
        ('text,n\na,1\n"b,2\nc,3\n', 'line 3: the field opened by " here is never closed'),
        ('text,n\n"no" he said,1\n', 'line 2: text follows the " that closes a field'),
        ('text,n\na,1\n5" pipe, 6" pipe,2\n', 'line 3: a " stands inside a field'),
        ('text,n\n5" pipe,1\nb,2\n', 'line 2: a " stands inside a field'),
        ("text,text\na,b\n", r"the header names a column more than once \('text'\)"),
    ],
)
def test_malformed_csv(data: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read(data)


def test_line_number_past_the_first_block() -> None:
    lines = "".join(f'"row\n{i}",{i}\n' for i in range(200))
    data = f"text,n\n{lines}bad\n".encode()
    with pytest.raises(ValueError, match="line 402: 1 field where 2"):
        in_blocks(data, 100)


def test_stray_quote_is_reported_before_the_whole_file_is_in_memory() -> None:
    def blocks() -> "list[bytes]":
        yield b'text,n\n5" pipe,1\n'
        yield b"a,1\n" * 10
        pytest.fail("read on after the bad quote")

    with pytest.raises(ValueError, match="line 2: a"):
        list(csv_frames(Blocks(blocks()), Options(), ",", "x.csv", Notes("x.csv")))


def test_a_quoted_record_over_several_blocks_of_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quire.io._encoding._SAMPLE_SIZE", 16)
    monkeypatch.setattr("quire.io._sources.BLOCK_SIZE", 8)
    rows = [("é\n" * 20 + str(i), str(i)) for i in range(5)]
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows([("text", "n"), *rows])
    parts = read_batches(io.BytesIO(buffer.getvalue().encode()), batch_size=2, format="csv")
    texts = [text for part in parts for text in part.texts]
    assert texts == [text for text, _ in rows]


NDJSON_PROBLEMS = [
    ('{"text": "a"}\n{"text": \n', r"line 2: expected one JSON object a line; Expecting value at"),
    ('{"text": "a"}\n\n{"text": "b"} x\n', "line 3: expected one JSON object a line; Extra data"),
    ('{"text": "a"}\n[1, 2]\n', "line 2: .* the line holds a JSON array"),
    ('{"text": "a"}\n5\n', "line 2: .* the line holds a JSON number"),
    ('{"text": "a"}\nnull\n', "line 2: .* the line holds a JSON null"),
    ('{"text": "a"}\n{"text": NaN}\n', "line 2: .* NaN is not a JSON value"),
    ('{"text": "a"}\n{"text": "\\ud800"}\n', r"line 2: '\\ud800' is half of a surrogate pair"),
]


@pytest.mark.parametrize(("data", "message"), NDJSON_PROBLEMS)
def test_malformed_ndjson(data: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read(data, "ndjson")


def test_escaped_surrogate_pairs_are_characters() -> None:
    data = json.dumps({"text": "🎈 \\ud800 \0"}) + "\n"
    assert "\\ud83c" in data
    assert read(data, "ndjson")["text"].to_list() == ["🎈 \\ud800 \0"]
    assert read(f"[{data}]", "json")["text"].to_list() == ["🎈 \\ud800 \0"]


def test_ndjson_keys_may_be_missing() -> None:
    frame = read('{"text": "a", "n": 1}\n{"text": "b", "m": 2.5}\n', "ndjson")
    assert frame.rows() == [("a", 1, None), ("b", None, 2.5)]


def test_ndjson_schema_overrides() -> None:
    data = '{"text": "a", "id": 1}\n{"text": "b"}\n'
    assert read(data, "ndjson", schema_overrides={"id": pl.String})["id"].to_list() == ["1", None]
    array = '[{"text": "a", "id": 1}, {"text": "b"}]'
    assert read(array, "json", schema_overrides={"id": pl.String})["id"].to_list() == ["1", None]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ('[{"text": "a"},\n{"text": }]', "x.json, line 2, column 10: Expecting value"),
        ('["a", "b"]', r"expected an array of objects, .* whose item 0 \(from 0\) is a string"),
        ('[{"text": "a"}, 5]', r"whose item 1 \(from 0\) is a number"),
        ('"a"', "expected an array of objects, .* it holds a string"),
        ('[{"text": "\\ud800"}]', "half of a surrogate pair"),
        ('[{"text": NaN}]', "NaN is not a JSON value"),
        ('{"data": [\n{"text": "a"}]}', "x.json, line 1: expected one JSON object a line"),
        ("[]", "x.json: expected texts; it is empty"),
    ],
)
def test_malformed_json(tmp_path: Path, data: str, message: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(data)
    with pytest.raises(ValueError, match=message):
        read_corpus(path)


def test_json_file_with_an_object_a_line(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"text": "a"}\n{"text": "b"}\n')
    corpus = read_corpus(path)
    assert corpus.texts.to_list() == ["a", "b"]
    assert "read as NDJSON" in corpus.notes[0]


@pytest.mark.parametrize("format", ["csv", "tsv", "ndjson", "json", "lines", "parquet", "excel"])
def test_empty_source(format: str) -> None:
    with pytest.raises(ValueError, match=re.escape("<BytesIO>")):
        read_corpus(io.BytesIO(b""), format=format)


@pytest.mark.parametrize("data", ["text,n\n", "text,n", "\ntext,n\n\n"])
def test_header_without_rows(data: str) -> None:
    with pytest.raises(ValueError, match="it has the columns 'text', 'n' but no rows"):
        read(data)
    with pytest.raises(ValueError, match="it has the columns 'text', 'n' but no rows"):
        next(read_batches(io.StringIO(data), format="csv"))
