"""Word vectors: every format comes back as it went, and bad files are told by line."""

from pathlib import Path

import numpy as np
import pytest

from quire.alignment import WordVectors, read_pairs

WORDS = ["the", "naïve", "🎉", "New_York", "x"]
VECTORS = np.random.default_rng(0).normal(size=(5, 7)).astype(np.float32)


@pytest.mark.parametrize("name", ["a.vec", "a.bin", "a.parquet", "a.npy", "a.txt"])
def test_round_trip(name, tmp_path):
    format = "glove" if name == "a.txt" else "auto"
    path = WordVectors(WORDS, VECTORS).save(tmp_path / name, format=format)
    again = WordVectors.load(path)
    assert again.words == WORDS
    np.testing.assert_array_equal(again.vectors, VECTORS)
    few = WordVectors.load(path, limit=2)
    assert few.words == WORDS[:2]
    np.testing.assert_array_equal(few.vectors, VECTORS[:2])


def test_memory_mapping(tmp_path):
    path = WordVectors(WORDS, VECTORS).save(tmp_path / "a.npy")
    mapped = WordVectors.load(path, mmap=True)
    assert isinstance(mapped.vectors, np.memmap)
    np.testing.assert_array_equal(mapped["🎉"], VECTORS[2])
    few = WordVectors.load(path, mmap=True, limit=2)
    assert isinstance(few.vectors, np.memmap)
    assert few.words == WORDS[:2]
    text = WordVectors(WORDS, VECTORS).save(tmp_path / "a.vec")
    with pytest.raises(ValueError, match=r"Give cache=True to keep a copy"):
        WordVectors.load(text, mmap=True)


def test_glove_words_with_blanks(tmp_path):
    path = tmp_path / "glove.txt"
    path.write_text("one 1.5 2\n. . . 3 4\ntwo 5 6\n", encoding="utf-8")
    found = WordVectors.load(path)
    assert found.words == ["one", ". . .", "two"]
    np.testing.assert_array_equal(found[". . ."], [3, 4])


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("3 2\na 1 2\nb 1\nc 1 2\n", "line 3: expected a word and 2 numbers, found 1"),
        ("2 2\na 1 2\nb 1 2 3\n", "line 3: expected a word and 2 numbers"),
        ("2 2\na 1 2\nb 1 x\n", "line 3: .*'x' is not a finite number"),
        ("2 2\na 1 2\nb 1 nan\n", "line 3"),
        ("9 2\na 1 2\n", "announces 9 words in line 1 and has 1"),
        ("a 1 2\nb 1\n", "line 2"),
        ("nothing\n", "line 1: expected a word and its numbers"),
        ("", "holds no word vectors"),
        ("\n\n", "holds no word vectors"),
        ("a 1 2\n\nb 1\n", "line 3"),
        ("5 2\n", "holds no word vectors"),
    ],
)
def test_ragged_and_broken_lines(text, match, tmp_path):
    path = tmp_path / "bad.vec"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=match):
        WordVectors.load(path)


def test_bytes_that_are_not_utf8(tmp_path):
    path = tmp_path / "bad.vec"
    path.write_bytes(b"1 2\n\xff\xfe 1 2\n")
    with pytest.raises(ValueError, match=r"line 2.*errors='replace'"):
        WordVectors.load(path)
    assert len(WordVectors.load(path, errors="replace")) == 1


def test_binary_that_was_cut_off(tmp_path):
    path = WordVectors(WORDS, VECTORS).save(tmp_path / "a.bin")
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ValueError, match=r"word 5 of 5.*cut off"):
        WordVectors.load(path)
    path.write_bytes(b"hello world again\n")
    with pytest.raises(ValueError, match="no binary file of word2vec"):
        WordVectors.load(path)


def test_tables_that_are_not_of_vectors(tmp_path):
    import polars as pl

    (tmp_path / "a.parquet").write_bytes(b"PAR1" + bytes(99) + b"PAR1")
    with pytest.raises(ValueError, match=r"a\.parquet is not a Parquet file, or a damaged one"):
        WordVectors.load(tmp_path / "a.parquet")
    pl.DataFrame({"word": ["a"], "x": [1]}).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match="expected 'word' and 'vector'"):
        WordVectors.load(tmp_path / "a.parquet")
    ragged = pl.DataFrame({"word": ["a", "b"], "vector": [[1.0, 2.0], [1.0]]})
    ragged.write_parquet(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match="row 2 has a vector of 1 numbers, the first one 2"):
        WordVectors.load(tmp_path / "a.parquet")


def test_missing_words_come_with_suggestions():
    vectors = WordVectors(["Paris", "London", "Londres"], np.eye(3))
    with pytest.raises(KeyError, match="'paris' is not among the 3 words; close to it are 'Paris'"):
        vectors["paris"]
    with pytest.raises(KeyError, match=r"'Londn'.*'London'"):
        vectors[["Paris", "Londn"]]
    with pytest.raises(KeyError, match=r"words'?$|words\"$"):
        vectors["zzz"]


def test_the_first_of_repeated_words_counts():
    vectors = WordVectors(["a", "b", "a"], [[1, 0], [0, 1], [9, 9]])
    assert vectors.words == ["a", "b"]
    np.testing.assert_array_equal(vectors["a"], [1, 0])


@pytest.mark.parametrize(
    ("words", "vectors", "match"),
    [
        (["a"], np.eye(2), "one row for each of the 1 words"),
        (["a", "b"], [[1, 2], [np.nan, 1]], "The vector of 'b' holds NaN"),
    ],
)
def test_bad_vectors(words, vectors, match):
    with pytest.raises(ValueError, match=match):
        WordVectors(words, vectors)


def test_bad_arguments(tmp_path):
    vectors = WordVectors(["a b"], np.eye(1))
    with pytest.raises(ValueError, match="holds a blank"):
        vectors.save(tmp_path / "a.bin")
    with pytest.raises(ValueError, match="does not say its format"):
        vectors.save(tmp_path / "a.xyz")
    with pytest.raises(ValueError, match="format is 'tsv'"):
        vectors.save(tmp_path / "a.vec", format="tsv")
    with pytest.raises(ValueError, match="limit is 0"):
        WordVectors.load(tmp_path / "a.vec", limit=0)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs a device that never ends")
@pytest.mark.parametrize("format_", ["auto", "text", "binary", "glove", "parquet", "npy"])
def test_devices_are_refused(format_):
    with pytest.raises(ValueError, match="is a device"):
        WordVectors.load("/dev/zero", format=format_)
    with pytest.raises(ValueError, match="is a device"):
        read_pairs("/dev/zero")


def test_rare_encodings_are_refused(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.table({"word": ["a", "b"], "vector": [[1.0, 2.0], [3.0, 4.0]]})
    parquet.write_table(table, tmp_path / "a.parquet")
    assert WordVectors.load(tmp_path / "a.parquet").vectors.tolist() == [[1, 2], [3, 4]]
    parquet.write_table(
        table,
        tmp_path / "b.parquet",
        use_dictionary=False,
        column_encoding={"word": "DELTA_BYTE_ARRAY", "vector.list.element": "PLAIN"},
    )
    with pytest.raises(ValueError, match="encoding of Parquet that is rare"):
        WordVectors.load(tmp_path / "b.parquet")
