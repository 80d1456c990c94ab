"""Files of word vectors as people have them: packed, mapped, copied, with odd words and endings."""

import gzip
import os
import pickle

import numpy as np
import pytest

import quire
from quire.alignment import VectorMap, WordVectors
from quire.alignment import _text_files as text_files
from quire.alignment._mapped_rows import MappedRows

WORDS = ["the", "naïve", "🎉", "New_York", "x"]
VECTORS = np.random.default_rng(0).normal(size=(5, 7)).astype(np.float32)


def binary_bytes(words, vectors, end=b"\n"):
    lines = [
        word.encode() + b" " + vector.astype("<f4").tobytes() + end
        for word, vector in zip(words, vectors, strict=True)
    ]
    return f"{len(words)} {vectors.shape[1]}\n".encode() + b"".join(lines)


@pytest.mark.parametrize("end", [b"\n", b""])
@pytest.mark.parametrize("mmap", [False, True])
def test_binary_with_and_without_line_breaks(end, mmap, tmp_path):
    (tmp_path / "a.bin").write_bytes(binary_bytes(WORDS, VECTORS, end))
    found = WordVectors.load(tmp_path / "a.bin", mmap=mmap)
    assert found.words == WORDS
    np.testing.assert_array_equal(np.asarray(found.vectors), VECTORS)
    np.testing.assert_array_equal(found["🎉"], VECTORS[2])
    np.testing.assert_array_equal(found[["x", "the"]], VECTORS[[4, 0]])
    few = WordVectors.load(tmp_path / "a.bin", mmap=mmap, limit=3)
    assert few.words == WORDS[:3]
    np.testing.assert_array_equal(few.vectors[1:], VECTORS[1:3])


@pytest.mark.parametrize("mmap", [False, True])
def test_binary_words_with_blanks(mmap, tmp_path):
    words = ["one", ". . .", "New York", "last one"]
    path = tmp_path / "a.bin"
    path.write_bytes(binary_bytes(words, VECTORS[:4]))
    found = WordVectors.load(path, mmap=mmap)
    assert found.words == words
    np.testing.assert_array_equal(found["New York"], VECTORS[2])
    path.write_bytes(binary_bytes(["a", "b", "c"], VECTORS[:3]).replace(b"\nc ", b"?c "))
    with pytest.raises(ValueError, match=r"word 2"):
        WordVectors.load(path, mmap=mmap)


def test_mapped_binary_is_small_and_works_in_a_map(tmp_path):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 6)).astype(np.float32)
    words = [f"w{i}" for i in range(199)] + ["w0"]  # one comes twice
    (tmp_path / "a.bin").write_bytes(binary_bytes(words, X))
    mapped = WordVectors.load(tmp_path / "a.bin", mmap=True)
    assert isinstance(mapped.vectors, MappedRows)
    assert mapped.vectors.shape == (199, 6)
    np.testing.assert_array_equal(mapped.vectors[10:20], X[10:20])
    np.testing.assert_array_equal(mapped.vectors[np.arange(199) % 7 == 0], X[:199:7])
    with pytest.raises(ValueError, match="without a copy"):
        np.array(mapped.vectors, copy=False)
    pairs = [(f"w{i}", f"w{i}") for i in range(50)]
    whole = WordVectors(words, X)
    for options in ({}, {"center": True, "n_refinements": 1}):
        a = VectorMap(**options).fit(mapped, mapped, pairs)
        b = VectorMap(**options).fit(whole, whole, pairs)
        np.testing.assert_array_equal(a.R_, b.R_)
        assert a.translate(["w150", "w7"]) == b.translate(["w150", "w7"])
    again = pickle.loads(pickle.dumps(mapped))
    np.testing.assert_array_equal(again.vectors, X[:199])
    saved = quire.load(quire.save(a, tmp_path / "map.quire"))
    assert saved.translate("w3") == a.translate("w3")
    mapped.save(tmp_path / "again.vec")
    np.testing.assert_array_equal(WordVectors.load(tmp_path / "again.vec").vectors, X[:199])


def test_mapped_nan_is_found_when_it_is_used(tmp_path):
    X = VECTORS.copy()
    X[3, 2] = np.nan
    (tmp_path / "a.bin").write_bytes(binary_bytes(WORDS, X))
    mapped = WordVectors.load(tmp_path / "a.bin", mmap=True)
    model = VectorMap().fit(mapped, mapped, [("the", "the"), ("x", "x")])
    with pytest.raises(ValueError, match="Row 3 of the target's vectors holds NaN"):
        model.translate("the")


@pytest.mark.parametrize("name", ["a.vec.gz", "a.bin.gz", "a.txt.gz"])
def test_packed_files(name, tmp_path):
    format = "glove" if name == "a.txt.gz" else "auto"
    path = WordVectors(WORDS, VECTORS).save(tmp_path / name, format=format)
    assert path.read_bytes()[:2] == b"\x1f\x8b"
    found = WordVectors.load(path)
    assert found.words == WORDS
    np.testing.assert_array_equal(found.vectors, VECTORS)
    assert WordVectors.load(path, limit=2).words == WORDS[:2]
    with pytest.raises(ValueError, match="cache=True"):
        WordVectors.load(path, mmap=True)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(ValueError, match=r"damaged or was cut off.*Fetch it again"):
        WordVectors.load(path)


def test_archives_and_models_that_are_no_vectors(tmp_path):
    (tmp_path / "glove.txt").write_bytes(b"PK\x03\x04rest")
    with pytest.raises(ValueError, match="zip archive"):
        WordVectors.load(tmp_path / "glove.txt")
    (tmp_path / "cc.bin").write_bytes(b"\xba\x16\x4f\x2f\x0c\x00\x00\x00")
    with pytest.raises(ValueError, match=r"model of fastText.*\.vec"):
        WordVectors.load(tmp_path / "cc.bin")
    (tmp_path / "empty.bin").write_bytes(b"")
    with pytest.raises(ValueError, match="no binary file"):
        WordVectors.load(tmp_path / "empty.bin")
    (tmp_path / "none.bin").write_bytes(b"0 5\n")
    with pytest.raises(ValueError, match="no word vectors"):
        WordVectors.load(tmp_path / "none.bin", mmap=True)
    (tmp_path / "huge.bin").write_bytes(b"999999999999 300\nx ")
    with pytest.raises(ValueError, match=r"word 1 of 999999999999.*cut off"):
        WordVectors.load(tmp_path / "huge.bin")
    with pytest.raises(ValueError, match=r"Leave \.gz away"):
        WordVectors(WORDS, VECTORS).save(tmp_path / "a.npy.gz")


@pytest.mark.parametrize(
    "text",
    [
        b"\xef\xbb\xbf2 2\na 1 2\nb 3 4\n",
        b"\xef\xbb\xbfa 1 2\nb 3 4\n",
        b"2 2\r\na 1 2\r\nb 3 4\r\n",
        b"a 1 2\r\nb 3 4",
        b"2 2\na 1 2 \nb 3 4 \n\n\n",
        b"a\t1\t2\nb\t3\t4\n",
        b"2\t2\na\t1\t2\nb\t3\t4\n",
    ],
)
@pytest.mark.parametrize("name", ["a.vec", "a.txt"])
def test_endings_marks_and_tabs(text, name, tmp_path):
    (tmp_path / name).write_bytes(text)
    found = WordVectors.load(tmp_path / name)
    assert found.words == ["a", "b"]
    np.testing.assert_array_equal(found.vectors, [[1, 2], [3, 4]])


def test_words_with_blanks_numbers_and_none(tmp_path):
    path = tmp_path / "a.vec"
    path.write_text("5 2\n. . . 1 2\n1999 3 4\nx1 2x 5 6\n 7 8\nto me@x.org 9 0\n", "utf-8")
    found = WordVectors.load(path)
    assert found.words == [". . .", "1999", "x1 2x", "", "to me@x.org"]
    np.testing.assert_array_equal(found.vectors.ravel(), [1, 2, 3, 4, 5, 6, 7, 8, 9, 0])
    path.write_text("2 2\na 1 2\ncatch 22 5 6\n", "utf-8")
    with pytest.raises(ValueError, match="line 3"):
        WordVectors.load(path)


def test_sizes_are_a_word_where_the_format_says_so(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("5 1\n6 2\n", "utf-8")
    found = WordVectors.load(path, format="glove")
    assert found.words == ["5", "6"]
    np.testing.assert_array_equal(found.vectors, [[1], [2]])


@pytest.mark.parametrize("name", ["a.vec", "a.bin", "a.vec.gz", "a.parquet"])
def test_a_copy_is_made_only_when_asked_for(name, tmp_path):
    path = WordVectors(WORDS, VECTORS).save(tmp_path / name)
    WordVectors.load(path)
    assert [p.name for p in tmp_path.iterdir()] == [name]
    seen = []
    first = WordVectors.load(path, cache=True, progress=lambda *a: seen.append(a))
    assert seen
    names = {name, f"{name}.npy", f"{name}.words.txt", f"{name}.cache.json"}
    assert {p.name for p in tmp_path.iterdir()} == names
    del seen[:]
    again = WordVectors.load(path, cache=True, mmap=True, progress=lambda *a: seen.append(a))
    assert not seen
    assert isinstance(again.vectors, np.memmap)
    assert again.words == first.words == WORDS
    np.testing.assert_array_equal(again.vectors, first.vectors)
    assert WordVectors.load(path, cache=True, limit=2).words == WORDS[:2]
    WordVectors(WORDS[::-1], VECTORS).save(path)
    os.utime(path, ns=(1, 1))  # older than the copy, and still another file
    assert WordVectors.load(path, cache=True).words == WORDS[::-1]
    (tmp_path / f"{name}.words.txt").unlink()
    assert WordVectors.load(path, cache=True).words == WORDS[::-1]


def test_a_copy_of_some_words_serves_no_more(tmp_path):
    path = tmp_path / "a.vec"
    path.write_text("4 1\na 1\na 2\nb 3\nc 4\n", "utf-8")
    assert WordVectors.load(path, cache=True, limit=3).words == ["a", "b"]
    assert WordVectors.load(path, cache=True, limit=2).words == ["a"]
    assert WordVectors.load(path, cache=True).words == ["a", "b", "c"]
    (tmp_path / "a.vec.cache.json").write_text("{", "utf-8")
    assert WordVectors.load(path, cache=True, mmap=True).words == ["a", "b", "c"]


def test_a_limit_ends_the_reading_and_progress_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(text_files, "_LINES", 2)
    path = tmp_path / "a.vec"
    path.write_text("9 1\na 1\nb 2\nc 3\nbroken\n", "utf-8")
    seen = []
    assert len(WordVectors.load(path, limit=3, progress=lambda *a: seen.append(a))) == 3
    assert seen == [(2, 3), (3, 3)]

    def stop(n_read, n_words):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        WordVectors.load(path, limit=3, cache=True, progress=stop)
    assert [p.name for p in tmp_path.iterdir()] == ["a.vec"]


def test_bytes_that_are_not_utf8_in_a_binary_file(tmp_path):
    data = binary_bytes(["a?"], VECTORS[:1]).replace(b"a? ", b"\xff\xfe ")
    (tmp_path / "a.bin").write_bytes(data)
    for mmap in (False, True):
        with pytest.raises(ValueError, match=r"word 1.*errors='replace'"):
            WordVectors.load(tmp_path / "a.bin", mmap=mmap)
        assert len(WordVectors.load(tmp_path / "a.bin", mmap=mmap, errors="replace")) == 1
    odd = WordVectors.load(tmp_path / "a.bin", errors="surrogateescape")
    for name in ("b.vec", "b.npy", "b.bin"):
        with pytest.raises(ValueError, match="half a character"):
            odd.save(tmp_path / name)


def test_one_file_can_be_read_by_plain_gzip(tmp_path):
    path = WordVectors(WORDS, VECTORS).save(tmp_path / "a.vec.gz")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        assert file.readline() == "5 7\n"
