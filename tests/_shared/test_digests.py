"""Digests of rows depend on values and their order, and on nothing else."""

import datetime
import hashlib

import numpy as np
import polars as pl
import pytest

from quire._shared.digests import column_digest, file_digest, files_digest, rows_digest

TEXTS = ["a film", "", None, "ein Märchen", "🎬" * 40, "last"]


def test_cuts_of_memory_do_not_count():
    whole = pl.Series(TEXTS * 30_000)
    parts = pl.concat([whole[:1], whole[1:70_000], whole[70_000:]], rechunk=False)
    assert column_digest(parts) == column_digest(whole)
    numbers = pl.Series([1, None, 3] * 50_000)
    pieces = pl.concat([numbers[:7], numbers[7:]], rechunk=False)
    assert column_digest(pieces) == column_digest(numbers)


@pytest.mark.parametrize(
    "other",
    [
        ["a film", None, "", "ein Märchen", "🎬" * 40, "last"],
        ["a fil", "m", None, "ein Märchen", "🎬" * 40, "last"],
        [*TEXTS, ""],
        TEXTS[:-1],
        TEXTS[::-1],
    ],
)
def test_other_texts_have_other_digests(other):
    assert column_digest(pl.Series(other)) != column_digest(pl.Series(TEXTS))


@pytest.mark.parametrize(
    ("one", "same"),
    [
        (pl.Series([1, 2, None], dtype=pl.Int8), pl.Series([1, 2, None], dtype=pl.UInt32)),
        (pl.Series([0.5, None]), pl.Series([0.5, float("nan")], dtype=pl.Float32)),
        (pl.Series(["a", "b"]), pl.Series(["a", "b"], dtype=pl.Categorical)),
        (pl.Series(["2026-01-31"]), pl.Series([datetime.date(2026, 1, 31)])),
        (pl.Series([["a"], []]), pl.Series([["a"], []], dtype=pl.List(pl.Categorical))),
    ],
)
def test_types_of_columns_do_not_count(one, same):
    assert column_digest(one) == column_digest(same)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([1, 2], ["1", "2"]),
        ([1, 0], [True, False]),
        ([0.0], [-0.0]),
        ([None, 0], [0, None]),
        ([["a", "b"], []], [["a"], ["b"]]),
        ([["a", "b"], []], [["a", "b"], None]),
        ([{"a": 1}], [{"a": 2}]),
        ([datetime.timedelta(1)], [datetime.timedelta(2)]),
        ([b"\xff"], [b"\xfe"]),
    ],
)
def test_values_count(one, other):
    assert column_digest(pl.Series(one)) != column_digest(pl.Series(other))


def test_rows_are_the_same_from_lists_arrays_and_columns():
    table = pl.DataFrame({"text": ["x", "y"], "label": [1, 0]})
    found = rows_digest(texts=table["text"], labels=table["label"])
    assert found == rows_digest(texts=["x", "y"], labels=np.array([1, 0]))
    assert found == rows_digest(texts=table["text"].to_pandas(), labels=table["label"].to_pandas())
    assert found["n"] == 2
    assert found["sha256"] != rows_digest(texts=["x", "y"])["sha256"]
    sets = rows_digest(labels=[("a", "b"), ()])
    assert sets == rows_digest(labels=pl.Series([["a", "b"], []]))
    assert rows_digest(labels=[1, "a", 2.5])["n"] == 3


def test_names_and_order_of_columns_count():
    one = rows_digest(columns={"a": [1], "b": [2]})
    assert one != rows_digest(columns={"b": [2], "a": [1]})
    assert one["columns"] == {
        "a": column_digest(pl.Series([1])),
        "b": column_digest(pl.Series([2])),
    }
    assert one["sha256"] != rows_digest(columns={"a": [1], "c": [2]})["sha256"]


def test_digests_stay_what_they_are():
    found = rows_digest(texts=["good", "bad"], labels=[1, 0], columns={"year": [2001.5, None]})
    assert found == {
        "n": 2,
        "texts": "7613117095d69635cbc6946dd16ada50373daae09712f22ee7c26343a2cbcc89",
        "labels": "6cdd4c33fd98c1bfbb4ee79462e5da0428b1291b6dda069789a9ef7f865f3217",
        "columns": {"year": "fdbd202d57aa857f5d96375fe2dd627ba2be430c27217d285f456b75f85b0ca5"},
        "sha256": "419d04f2c88bec1066f5c73da787248adb1908a8840ecb52b62338d766a0b276",
    }


def test_files(tmp_path):
    path = tmp_path / "one.bin"
    path.write_bytes(b"bytes" * 100_000)
    assert file_digest(path) == hashlib.sha256(b"bytes" * 100_000).hexdigest()
    assert files_digest([("a", "1"), ("b", "2")]) != files_digest([("a", "2"), ("b", "1")])
    assert files_digest([("a 1", "2")]) != files_digest([("a", "1 2")])
