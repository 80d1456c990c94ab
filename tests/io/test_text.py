"""`quire.io`: encodings, paths, missing values, options and their errors."""

import io
import logging
from pathlib import Path

import polars as pl
import pytest

from quire.io import _memory, read_batches, read_corpus
from quire.io._encoding import Utf8Blocks
from quire.io._options import Notes

WORDS = "naïve café — 🎈 Ελληνικά"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("asked", ["utf-8", "auto"])
def test_byte_order_marks(tmp_path: Path, encoding: str, asked: str) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(f"text,n\n{WORDS},1\n".encode(encoding))
    corpus = read_corpus(path, encoding=asked)
    assert corpus.frame.rows() == [(WORDS, 1)]
    assert corpus.frame.columns == ["text", "n"]
    assert any("byte order mark" in note for note in corpus.notes) == (encoding != "utf-8-sig")


@pytest.mark.parametrize("encoding", ["utf-16-be", "utf-16-le", "utf-16", "utf-8-sig", "utf8"])
def test_unicode_encodings_given(encoding: str) -> None:
    data = f"text,n\n{WORDS},1\n".encode(encoding)
    assert read_corpus(io.BytesIO(data), format="csv", encoding=encoding).texts.to_list() == [WORDS]


@pytest.mark.parametrize(
    ("encoding", "text"),
    [("cp1252", "café “quoted” €"), ("shift_jis", "日本語"), ("koi8-r", "Привет")],
)
@pytest.mark.parametrize("format", ["csv", "ndjson", "json", "lines"])
def test_other_encodings_given(encoding: str, text: str, format: str) -> None:
    data = {"csv": f"text\n{text}\n", "lines": text, "json": f'[{{"text": "{text}"}}]'}
    raw = data.get(format, f'{{"text": "{text}"}}\n').encode(encoding)
    corpus = read_corpus(io.BytesIO(raw), format=format, encoding=encoding)
    assert corpus.texts.to_list() == [text]


def test_encoding_is_detected() -> None:
    text = "Der große Bär fährt über die Brücke, und die Mädchen hören schöne Lieder. " * 20
    corpus = read_corpus(io.BytesIO(text.encode("cp1252")), format="lines", encoding="auto")
    assert corpus.texts.to_list() == [text]
    assert corpus.notes[0].endswith("(detected)")


def test_auto_leaves_utf8_alone() -> None:
    corpus = read_corpus(io.BytesIO(WORDS.encode()), format="lines", encoding="auto")
    assert corpus.texts.to_list() == [WORDS]
    assert not any("read as" in note for note in corpus.notes)


def test_detection_failure_is_an_error() -> None:
    with pytest.raises(ValueError, match="encoding could not be detected"):
        read_corpus(io.BytesIO(bytes(range(256)) * 40), format="lines", encoding="auto")


@pytest.mark.parametrize("format", ["csv", "ndjson", "json", "lines"])
def test_not_utf8_says_where(tmp_path: Path, format: str) -> None:
    path = tmp_path / f"x.{format}"
    path.write_bytes(b"text\n\xc3\xa9t\xc3\xa9\ncaf\xe9!\n")
    message = (
        rf"x\.{format}, line 3: byte 0xe9 at offset 14 is not valid utf-8\. Pass encoding= .*"
        r"encoding='cp1252', or encoding='auto'"
    )
    with pytest.raises(ValueError, match=message):
        read_corpus(path, format=format)


@pytest.mark.parametrize("block_size", [1, 2, 3, 7, 1000])
def test_position_does_not_depend_on_blocks(
    block_size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quire.io._encoding._SAMPLE_SIZE", 2)
    stream = io.BufferedReader(io.BytesIO("été\n🎈\n".encode() + b"\xf0\x9f\x8e\n"))
    with pytest.raises(ValueError, match=r"line 3: byte 0xf0 at offset 11 is not valid utf-8"):
        list(Utf8Blocks(stream, "utf-8", "x", Notes("x"), block_size))
    data = "été\n🎈\n".encode("utf-16-le") + b"\x00\xd8\x0a\x00"
    stream = io.BufferedReader(io.BytesIO(data))
    with pytest.raises(ValueError, match=r"line 3: byte 0x00 at offset 14 is not valid utf-16-le"):
        list(Utf8Blocks(stream, "utf-16-le", "x", Notes("x"), block_size))


@pytest.mark.parametrize("block_size", [1, 2, 3, 7, 1000])
def test_blocks_end_between_characters(block_size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quire.io._encoding._SAMPLE_SIZE", 1)
    monkeypatch.setattr("quire.io._encoding._SLICE_SIZE", 5)
    for encoding in ("utf-8", "utf-16-le", "gb18030"):
        stream = io.BufferedReader(io.BytesIO(WORDS.encode(encoding)))
        blocks = list(Utf8Blocks(stream, encoding, "x", Notes("x"), block_size))
        assert "".join(block.decode() for block in blocks) == WORDS


def test_file_ends_inside_a_character() -> None:
    with pytest.raises(ValueError, match=r"line 2: byte 0xc3 at offset 3 is not valid utf-8"):
        read_corpus(io.BytesIO(b"ab\n\xc3"), format="lines")


def test_unknown_encoding() -> None:
    for encoding in ("utf-9", "base64"):
        with pytest.raises(ValueError, match=f"encoding '{encoding}' is not one that Python knows"):
            read_corpus(io.StringIO("a"), format="lines", encoding=encoding)


def test_path_not_found(tmp_path: Path) -> None:
    for read in (read_corpus, read_batches):
        with pytest.raises(FileNotFoundError, match=r"nowhere.csv does not exist \(looked in"):
            read(tmp_path / "nowhere.csv")


def test_format_not_told(tmp_path: Path) -> None:
    path = tmp_path / "x.dat"
    path.write_text("What is this?\na,b\n")
    with pytest.raises(ValueError, match=r"the extension '.dat' does not tell the format. Pass"):
        read_corpus(path)
    path.write_text("text,label\na,b\n")  # a first line as tables have it
    assert read_corpus(path).texts.to_list() == ["a"]
    assert read_corpus(path, format="csv").texts.to_list() == ["a"]
    with pytest.raises(ValueError, match="name without a known extension does not tell the format"):
        read_corpus(io.BytesIO(b"text\na\n"))


def test_txt_file_is_not_guessed(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("{a}\n")
    with pytest.raises(ValueError, match="'lines' when every line is one text"):
        read_corpus(path)


@pytest.mark.parametrize("format", ["csv", "ndjson", "frame"])
def test_missing_texts(format: str) -> None:
    frame = pl.DataFrame({"text": ["a", None, "c", None], "n": [0, 1, 2, 3]})

    def source() -> object:
        if format == "frame":
            return frame
        return io.StringIO(frame.write_csv() if format == "csv" else frame.write_ndjson())

    kind = None if format == "frame" else format
    message = (
        r"the text is missing \(null\) in 2 of 4 rows of column 'text': row 1, 3 \(from 0\)\. "
        r"Pass missing='drop' .* missing='empty'"
    )
    with pytest.raises(ValueError, match=message):
        read_corpus(source(), format=kind)
    dropped = read_corpus(source(), format=kind, missing="drop")
    assert dropped.texts.to_list() == ["a", "c"]
    assert dropped.frame["n"].to_list() == [0, 2]
    assert "rows without text are left out (the first is row 1, from 0)" in dropped.notes
    filled = read_corpus(source(), format=kind, missing="empty")
    assert filled.texts.to_list() == ["a", "", "c", ""]
    assert filled.frame["text"].to_list() == ["a", None, "c", None]


def test_all_texts_missing() -> None:
    frame = pl.DataFrame({"text": [None, None]})
    with pytest.raises(ValueError, match="in 2 of 2 rows"):
        read_corpus(frame, text="text")
    with pytest.raises(ValueError, match="all texts are missing"):
        read_corpus(frame, text="text", missing="drop")
    assert read_corpus(frame, text="text", missing="empty").texts.to_list() == ["", ""]


def test_missing_labels_are_noted() -> None:
    corpus = read_corpus(pl.DataFrame({"text": ["a", "b"], "label": ["x", None]}))
    assert corpus.labels is not None
    assert corpus.labels.to_list() == ["x", None]
    assert "some labels are missing (null) in column 'label'" in corpus.notes


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"format": "xml"}, ValueError, "format must be one of .*; got 'xml'"),
        ({"missing": "ignore"}, ValueError, "missing must be one of 'error', 'drop', 'empty'; got"),
        ({"label": True}, TypeError, "label must be a column name, None .* got True"),
        ({"text": []}, ValueError, r"text must name one or more different columns; got \[\]"),
        ({"text": ["a", "a"]}, ValueError, "text must name one or more different columns"),
        ({"delimiter": "ab"}, ValueError, "delimiter must be one ASCII character; got 'ab'"),
        ({"quotechar": "«"}, ValueError, "quotechar must be one ASCII character; got '«'"),
        ({"delimiter": '"'}, ValueError, "delimiter and quotechar are both"),
        ({"names": ["a", "a"]}, ValueError, "names holds a column name twice"),
        ({"sheet": 1}, ValueError, "sheet= is for excel sources; this one is csv"),
        ({"pattern": "*"}, ValueError, "pattern= is for folders and texts sources"),
        ({"format": "maildir"}, ValueError, "format='maildir' reads a folder, and this is a file"),
    ],
)
def test_options(
    tmp_path: Path, options: dict[str, object], error: type[Exception], message: str
) -> None:
    path = tmp_path / "x.csv"
    path.write_text("text,label\na,b\n")
    for read in (read_corpus, read_batches):
        with pytest.raises(error, match=message):
            read(path, **options)


def test_options_of_other_sources() -> None:
    frame = pl.DataFrame({"text": ["a"]})
    with pytest.raises(
        ValueError, match="delimiter= is for csv and tsv sources; this one is frame"
    ):
        read_corpus(frame, delimiter=";")
    with pytest.raises(ValueError, match="encoding= is for text files; a frame source carries its"):
        read_corpus(frame, encoding="cp1252")


def test_guesses_are_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    frame = pl.DataFrame({"text": ["a", "b"], "label": [1, 2]})
    with caplog.at_level(logging.INFO, logger="quire.io"):
        batches = list(read_batches(frame, batch_size=1))
    assert caplog.messages == [f"the data frame: {note}" for note in batches[-1].notes]
    assert len(caplog.messages) == 2


def test_warning_before_a_file_larger_than_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.csv"
    path.write_text("text\na\n")
    assert (_memory.available_memory() or 1) > 0
    monkeypatch.setattr(_memory, "available_memory", lambda: 3)
    with pytest.warns(UserWarning, match="x.csv is 0.0 GB and 0.0 GB of memory are free. quire.io"):
        read_corpus(path)
    assert len(list(read_batches(path))) == 1
