"""`TableEncoder`: numbers and categories as columns, against the same by hand."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

from quire.feature_extraction.table import TableEncoder

TABLE = pl.DataFrame(
    {
        "home": ["own", "rent", None, "own", "family", ""],
        "age": [20, 40, None, 60, 40, 80],
        "card": [True, False, True, None, True, True],
    }
)
NAMES = [
    "home=own", "home=family", "home=rent", "home is missing",
    "age", "age is missing", "card=true", "card=false", "card is missing",
]  # fmt: skip


def test_scaled_by_hand():
    encoder = TableEncoder().fit(TABLE)
    assert encoder.get_feature_names_out().tolist() == NAMES
    assert encoder.kinds_ == ["category", "number", "category"]
    ages = np.array([20, 40, 40, 60, 40, 80.0])  # the median of those there is 40
    expected = np.array(
        [
            [1, 0, 0, 0, 0, 0, 1, 0, 0],
            [0, 0, 1, 0, 0, 0, 0, 1, 0],
            [0, 0, 0, 1, 0, 1, 1, 0, 0],
            [1, 0, 0, 0, 0, 0, 0, 0, 1],
            [0, 1, 0, 0, 0, 0, 1, 0, 0],
            [0, 0, 0, 1, 0, 0, 1, 0, 0],
        ],
        dtype=float,
    )
    expected[:, 4] = (ages - ages.mean()) / ages.std()
    np.testing.assert_allclose(encoder.transform(TABLE), expected)


def test_plain_numbers_stay_as_they_are():
    encoder = TableEncoder("plain").fit(TABLE)
    assert encoder.get_feature_names_out().tolist() == [n for n in NAMES if n != "age is missing"]
    np.testing.assert_array_equal(encoder.transform(TABLE)[:, 4], [20, 40, np.nan, 60, 40, 80])


def test_a_table_keeps_kinds_and_gaps():
    made = TableEncoder("table").fit(TABLE).transform(TABLE)
    assert made["home"].to_list() == ["own", "rent", None, "own", "family", None]
    assert made["age"].to_list() == [20, 40, None, 60, 40, 80]
    assert made.schema["age"] == pl.Float64
    assert isinstance(made.schema["home"], pl.Enum)
    assert made["card"].to_list() == ["true", "false", "true", None, "true", "true"]


def test_what_was_not_there_in_training():
    encoder = TableEncoder().fit(pl.DataFrame({"home": ["own", "rent"], "age": [1.0, 3.0]}))
    new = pl.DataFrame({"age": [None, 5.0], "home": ["boat", None], "more": [1, 2]})
    np.testing.assert_array_equal(encoder.transform(new), [[0, 0, 0], [0, 0, 3]])
    as_table = clone(encoder).set_params(form="table").fit(TABLE[["home"]])
    assert as_table.transform(new)["home"].to_list() == [None, None]


def test_rare_categories_share_a_column():
    values = ["a"] * 4 + ["b"] * 3 + ["c", "d"]
    encoder = TableEncoder(max_categories=2).fit(pl.DataFrame({"x": values}))
    assert encoder.get_feature_names_out().tolist() == ["x=a", "x=b", "x=(other)"]
    new = pl.DataFrame({"x": ["c", "z", "a", None]})
    np.testing.assert_array_equal(
        encoder.transform(new), [[0, 0, 1], [0, 0, 1], [1, 0, 0], [0, 0, 0]]
    )


def test_pandas_is_as_polars():
    frame = pd.DataFrame(
        {
            "home": pd.Categorical(["own", "rent", None, "own", "family", None]),
            "age": [20, 40, np.nan, 60, 40, 80],
            "card": [True, False, True, None, True, True],
        }
    )
    mine = TableEncoder().fit(frame)
    np.testing.assert_allclose(mine.transform(frame), TableEncoder().fit(TABLE).transform(TABLE))
    assert [name.lower() for name in mine.get_feature_names_out()] == NAMES


def test_a_new_file_may_have_other_types():
    encoder = TableEncoder().fit(pl.DataFrame({"code": ["1", "x", "1"], "n": [1, 2, 3]}))
    new = pl.DataFrame({"code": [1, 1], "n": ["2", None]})
    np.testing.assert_array_equal(encoder.transform(new), [[1, 0, 0], [1, 0, 0]])
    with pytest.raises(ValueError, match=r"'n' holds numbers, and row 1 \(from 0\) has 'two'"):
        encoder.transform(pl.DataFrame({"code": ["1", "x"], "n": ["1", "two"]}))


def test_what_cannot_be_encoded_is_said():
    with pytest.raises(ValueError, match=r"columns are missing: \['n'\]"):
        TableEncoder().fit(pl.DataFrame({"n": [1]})).transform(pl.DataFrame({"m": [1]}))
    with pytest.raises(ValueError, match="contains infinity in column 'n'"):
        TableEncoder().fit(pl.DataFrame({"n": [1.0, np.inf]}))
    with pytest.raises(ValueError, match="'n' holds List"):
        TableEncoder().fit(pl.DataFrame({"n": [[1], [2]]}))
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        TableEncoder().fit(pl.DataFrame({"n": []}))
    with pytest.raises(ValueError, match="number of features"):
        TableEncoder().fit(TABLE).get_feature_names_out(["a"])
    with pytest.raises(ValueError, match="not equal to feature_names_in_"):
        TableEncoder().fit(TABLE).get_feature_names_out(["a", "b", "c"])


def test_a_column_of_gaps_or_of_one_value():
    encoder = TableEncoder().fit(pl.DataFrame({"a": [None, None], "b": [7.0, 7.0]}, strict=False))
    assert np.isfinite(encoder.transform(pl.DataFrame({"a": [None], "b": [8.0]}))).all()
