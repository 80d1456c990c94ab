"""MixedNB: which columns are of which kind, in whatever holds them."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.compose import make_column_selector
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline

from quire.feature_extraction.select import SelectTerms
from quire.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from quire.naive_bayes import MixedNB

DATA = {
    "age": [31.0, None, 52.5, 18.0, 44.0, 29.0],
    "visits": [1, 4, 2, 8, 5, 7],
    "member": [True, False, None, True, False, True],
    "city": ["New York", "Oslo", "New York", None, "Oslo", "Rome"],
    "review": ["too cold", "very good food", None, "good and cheap", "cold food", "slow staff"],
}
FRAME = pl.DataFrame(DATA)
Y = ["bad", "good", "bad", "good", "bad", "bad"]
KINDS = {"categorical": ["member", "city"], "continuous": ["age", "visits"], "text": "review"}
EXPECTED = MixedNB(KINDS).fit(FRAME, Y).predict_joint_log_proba(FRAME)


def pandas_frames():
    plain = pd.DataFrame(DATA)
    return {
        "object": plain.astype({"city": object, "review": object, "member": object}),
        "strings": plain.astype({"city": "string", "review": "string", "member": "boolean"}),
        "nullable": plain.astype({"age": "Float64", "visits": "Int64", "city": "category"}),
        "arrow": plain.convert_dtypes(dtype_backend="pyarrow"),
    }


CONTAINERS = {
    "polars": FRAME,
    "categories": FRAME.with_columns(pl.col("city").cast(pl.Categorical)),
    "arrow table": FRAME.to_arrow(),
    "chunks": pl.concat([FRAME[:2], FRAME[2:]], rechunk=False),
    **{f"pandas {name}": frame for name, frame in pandas_frames().items()},
}


@pytest.mark.parametrize("name", CONTAINERS)
@pytest.mark.parametrize("columns", [KINDS, "auto"], ids=["named", "auto"])
def test_every_data_frame_gives_the_same(name, columns):
    X = CONTAINERS[name]
    model = MixedNB(columns).fit(X, Y)
    assert {kind: set(names) for _, kind, names in model.columns_} == {
        "categorical": {"member", "city"}, "continuous": {"age", "visits"}, "text": {"review"}
    }  # fmt: skip
    np.testing.assert_allclose(model.predict_joint_log_proba(X), EXPECTED, rtol=1e-12)
    np.testing.assert_allclose(model.predict_joint_log_proba(FRAME), EXPECTED, rtol=1e-12)
    np.testing.assert_array_equal(model.feature_names_in_, list(DATA))
    assert model.n_features_in_ == 5


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
def test_arrays_of_objects(missing):
    rows = [[missing if v is None else v for v in row] for row in FRAME.rows()]
    X = np.empty((6, 5), dtype=object)
    X[:] = rows
    model = MixedNB().fit(X, Y)
    assert model.columns_ == [
        ("categorical", "categorical", [2, 3]), ("continuous", "continuous", [0, 1]),
        ("text", "text", [4]),
    ]  # fmt: skip
    np.testing.assert_allclose(model.predict_joint_log_proba(X), EXPECTED, rtol=1e-12)
    assert not hasattr(model, "feature_names_in_")
    from_lists = MixedNB().fit(rows, Y)
    np.testing.assert_allclose(from_lists.predict_joint_log_proba(rows), EXPECTED, rtol=1e-12)


def test_arrays_of_strings_and_booleans():
    X = np.array([["a", "x"], ["b", "x"], ["a", "y"]])
    assert MixedNB().fit(X, [0, 1, 0]).columns_ == [("categorical", "categorical", [0, 1])]
    assert MixedNB().fit(X == "a", [0, 1, 0]).columns_[0][1] == "categorical"
    assert MixedNB().fit(np.eye(3, dtype=np.float16), [0, 1, 0]).columns_[0][1] == "continuous"


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int8, np.uint64, np.bool_, "U3"])
def test_categories_of_any_type_in_arrays(dtype):
    codes = np.array([[0], [1], [1], [0], [1]])
    X = codes.astype(dtype)
    found = MixedNB({"categorical": [0]}).fit(X, [0, 0, 1, 1, 1]).predict_joint_log_proba(X)
    theirs = CategoricalNB().fit(codes, [0, 0, 1, 1, 1])
    np.testing.assert_allclose(found, theirs.predict_joint_log_proba(codes))


def test_categories_of_mixed_types_and_dates():
    day = datetime.date(2024, 5, 1)
    X = np.array([["a", day], [1, day], [2.5, None], ["a", day]], dtype=object)
    model = MixedNB({"categorical": [0, 1]}).fit(X, [0, 1, 1, 0])
    assert model.parts_[0].categories_ == [[2.5, 1, "a"], [day]]
    assert MixedNB({"categorical": ["d"]}).fit(pl.DataFrame({"d": [day, day]}), [0, 1])
    with pytest.raises(TypeError, match=r"Column 'x0' is categorical, .*unhashable"):
        MixedNB({"categorical": [0]}).fit(np.array([[{}], [{}]], dtype=object), [0, 1])


def test_automatic_kinds_of_strings():
    n = 40
    X = pl.DataFrame({
        "many_words": [f"word{i} and more" for i in range(n)],
        "identifiers": [f"A{i}" for i in range(n)],
        "few": ["New York", "Old York"] * (n // 2),
        "nothing": [None] * n,
    })  # fmt: skip
    model = MixedNB().fit(X, [0, 1] * (n // 2))
    assert model.columns_ == [
        ("categorical", "categorical", ["identifiers", "few", "nothing"]),
        ("text", "text", ["many_words"]),
    ]


@pytest.mark.parametrize(
    "values", [[datetime.date(2024, 1, i + 1) for i in range(2)], [datetime.timedelta(1)] * 2]
)
def test_automatic_kinds_refuse_dates(values):
    frame = pd.DataFrame({"when": values}, dtype=object)
    exact = frame.astype("datetime64[ns]" if hasattr(values[0], "year") else "timedelta64[ns]")
    for X in (pl.DataFrame({"when": values}), frame, exact):
        with pytest.raises(ValueError, match="Column 'when' holds dates or times"):
            MixedNB().fit(X, [0, 1])


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ("age", ["age"]),
        (["visits", "age"], ["visits", "age"]),
        (1, ["visits"]),
        ([0, -4], ["age", "visits"]),
        (slice(0, 2), ["age", "visits"]),
        (slice("age", "visits"), ["age", "visits"]),
        ([True, False, False, False, False], ["age"]),
        (np.array([False, True, False, False, False]), ["visits"]),
        (lambda X: [name for name in X.columns if name.startswith("a")], ["age"]),
    ],
)
@pytest.mark.parametrize("X", [FRAME, FRAME.to_pandas()], ids=["polars", "pandas"])
def test_ways_to_choose_columns(X, chosen, expected):
    model = MixedNB([("numbers", "continuous", chosen)]).fit(X, Y)
    assert model.columns_ == [("numbers", "continuous", expected)]


def test_column_selector_and_slices_of_arrays():
    X = FRAME.to_pandas()[["age", "visits"]]
    model = MixedNB([("n", "continuous", make_column_selector(dtype_include="number"))]).fit(X, Y)
    assert model.columns_ == [("n", "continuous", ["age", "visits"])]
    array = np.arange(12.0).reshape(3, 4)
    assert MixedNB([("n", "continuous", slice(1, 3))]).fit(array, [0, 1, 1]).columns_[0][2] == [
        1,
        2,
    ]
    with pytest.raises(ValueError, match="only supported for dataframes"):
        MixedNB([("n", "continuous", ["a"])]).fit(array, [0, 1, 1])


def test_columns_are_found_by_name():
    model = MixedNB(KINDS).fit(FRAME, Y)
    turned = FRAME.select(reversed(list(DATA))).with_columns(extra=pl.lit(1))
    np.testing.assert_array_equal(model.predict_joint_log_proba(turned), EXPECTED)
    np.testing.assert_array_equal(model.predict_joint_log_proba(turned.to_pandas()), EXPECTED)
    with pytest.raises(ValueError, match=r"columns are missing: \['city', 'review'\]"):
        model.predict(FRAME.drop("city", "review"))
    few = MixedNB({"continuous": ["visits"]}).fit(FRAME, Y)
    np.testing.assert_array_equal(few.predict(FRAME), few.predict(FRAME.select("visits")))
    grown = MixedNB({"continuous": ["visits"]}).partial_fit(FRAME, Y, classes=["bad", "good"])
    grown.partial_fit(FRAME.select(reversed(list(DATA))), Y)
    np.testing.assert_allclose(grown.parts_[0].theta_, few.parts_[0].theta_)


def test_columns_without_names_go_by_place():
    numbers = FRAME.select("visits", "age")
    model = MixedNB().fit(numbers, Y)
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        found = model.predict_joint_log_proba(numbers.to_numpy())
    np.testing.assert_allclose(found, model.predict_joint_log_proba(numbers))
    model.fit(numbers.to_numpy(), Y)
    with pytest.warns(UserWarning, match="X has feature names, but MixedNB was fitted without"):
        np.testing.assert_allclose(model.predict_joint_log_proba(numbers), found)
    with pytest.raises(ValueError, match="X has 1 features, but MixedNB is expecting 2"):
        model.predict(numbers.to_numpy()[:, :1])
    integers = pd.DataFrame(numbers.to_numpy())  # names that are not strings
    np.testing.assert_allclose(MixedNB().fit(integers, Y).predict_joint_log_proba(integers), found)


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csr_array, sparse.coo_array])
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_sparse_matrices_hold_counts(kind, dtype):
    X = np.random.default_rng(0).poisson(0.7, (50, 8)).astype(dtype)
    y = np.arange(50) % 3
    model = MixedNB().fit(kind(X), y)
    assert model.columns_ == [("counts", "counts", list(range(8)))]
    expected = MultinomialNB().fit(X, y).predict_joint_log_proba(X)
    np.testing.assert_allclose(model.predict_joint_log_proba(kind(X)), expected, rtol=1e-10)
    np.testing.assert_allclose(
        model.evidence(kind(X)).log_odds(0, 1), expected[:, 0] - expected[:, 1], atol=1e-9
    )
    flags = MixedNB({"presence": slice(0, 4)}).fit(kind(X), y)
    theirs = BernoulliNB().fit(X[:, :4], y)
    found = flags.predict_joint_log_proba(kind(X))
    np.testing.assert_allclose(found, theirs.predict_joint_log_proba(X[:, :4]), rtol=1e-10)
    odds = flags.evidence(kind(X)).log_odds(0, 2)
    np.testing.assert_allclose(odds, found[:, 0] - found[:, 2], atol=1e-9)


def test_stored_zeros_count_for_nothing():
    X = sparse.csr_array((np.array([0.0, 1.0]), [0, 1], [0, 1, 2]), shape=(2, 2))
    model = MixedNB(alpha=0).fit(X, [0, 1])
    assert not np.isnan(model.predict_proba(X)).any()


def test_estimators_give_their_settings():
    X = np.abs(np.random.default_rng(0).normal(size=(60, 3)))
    X[:, 0] = X[:, 0].round()
    y = np.arange(60) % 2
    for j in range(3):
        gaussian = GaussianNB(var_smoothing=0.1)
        model = MixedNB([("one", gaussian, [j])]).fit(X, y)
        expected = gaussian.fit(X[:, [j]], y).predict_joint_log_proba(X[:, [j]])
        np.testing.assert_allclose(model.predict_joint_log_proba(X), expected, rtol=1e-10)
    for estimator in (
        MultinomialNB(alpha=0.3),
        MultinomialNB(alpha=[0.1, 2, 3]),
        BernoulliNB(alpha=0.3, binarize=0.7),
    ):
        model = MixedNB([("all", estimator, [0, 1, 2])]).fit(X, y)
        expected = estimator.fit(X, y).predict_joint_log_proba(X)
        np.testing.assert_allclose(model.predict_joint_log_proba(X), expected, rtol=1e-10)
    model = MixedNB([("one", CategoricalNB(alpha=7), [0])], alpha=1).fit(X, y)
    expected = CategoricalNB(alpha=7).fit(X[:, :1], y).predict_joint_log_proba(X[:, :1])
    np.testing.assert_allclose(model.predict_joint_log_proba(X), expected, rtol=1e-10)


def test_columns_are_smoothed_alike_wherever_they_are_named():
    X = np.random.default_rng(0).normal(size=(60, 2)) * [1, 100]
    y = np.arange(60) % 2
    apart = MixedNB([("a", "continuous", [0]), ("b", "continuous", [1])], var_smoothing=0.1)
    together = MixedNB(var_smoothing=0.1).fit(X, y)
    np.testing.assert_allclose(
        apart.fit(X, y).predict_joint_log_proba(X), together.predict_joint_log_proba(X), rtol=1e-12
    )


@pytest.mark.parametrize(
    "steps",
    [
        [CountVectorizer(binary=True)],
        [TfidfVectorizer()],
        [CountVectorizer(), SelectTerms(k=4)],
        [HashingVectorizer(n_features=64, alternate_sign=False)],
    ],
)
def test_vectorizers_and_pipelines_for_texts(steps):
    X = FRAME.drop_nulls("review")
    y = [label for label, text in zip(Y, DATA["review"], strict=True) if text is not None]
    pipeline = make_pipeline(*steps, MultinomialNB(alpha=0.5))
    model = MixedNB([("review", pipeline, "review")]).fit(X, y)
    pipeline.fit(X["review"], y)
    expected = pipeline[-1].predict_joint_log_proba(pipeline[:-1].transform(X["review"]))
    np.testing.assert_allclose(model.predict_joint_log_proba(X), expected, rtol=1e-10)
    assert len(model.evidence(X).feature_names) == model.parts_[0].n_words
    if len(steps) == 1:
        short = MixedNB([("review", steps[0], "review")], alpha=0.5).fit(X, y)
        np.testing.assert_allclose(short.predict_joint_log_proba(X), expected, rtol=1e-10)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ([("a", "ordinal", ["age"])], "'a' has the kind 'ordinal'; expected one of categorical"),
        ({"ordinal": ["age"]}, "has the kind 'ordinal'"),
        ([("a", ComplementNB(), ["visits"])], "has the kind ComplementNB"),
        ([("a", MultinomialNB(fit_prior=False), ["visits"])], "sets fit_prior=False"),
        ([("a", make_pipeline(CountVectorizer(), GaussianNB()), "review")], "ends in GaussianNB"),
        ([("a", "continuous", ["city"])], "Column 'city' is continuous, and not all"),
        ([("a", "counts", ["age"])], "Column 'age' has missing values"),
        ([("a", "presence", ["age"])], "Column 'age' has missing values"),
        ([("a", "continuous", ["nowhere"])], "not columns of the dataframe: {'nowhere'}"),
        ([("a", "continuous", [])], "columns names no column"),
        ([("a", "continuous", ["age"]), ("a", "counts", ["visits"])], "not unique"),
        ([("alpha", "continuous", ["age"])], "conflict with constructor arguments"),
        ([("a", "continuous")], r"should be a tuple \(name, kind, columns\)"),
        ("automatic", "'columns' parameter of MixedNB"),
    ],
)
def test_specifications_that_cannot_be(columns, message):
    with pytest.raises(ValueError, match=message):
        MixedNB(columns).fit(FRAME, Y)


def test_values_that_cannot_be():
    with pytest.raises(ValueError, match="Negative values in the table of counts"):
        MixedNB({"counts": ["n"]}).fit(pl.DataFrame({"n": [1, -1]}), [0, 1])
    signed = [("review", HashingVectorizer(n_features=8), "review")]
    with pytest.raises(ValueError, match="Negative values in the matrix of the texts of column"):
        MixedNB(signed).fit(FRAME, Y)
    with pytest.raises(ValueError, match="infinity in column 'x'"):
        MixedNB().fit(pl.DataFrame({"x": [1.0, np.inf]}), [0, 1])
    with pytest.raises(ValueError, match="All texts of column 't' are missing"):
        MixedNB({"text": "t"}).fit(pl.DataFrame({"t": [None, None]}), [0, 1])
    with pytest.raises(ValueError, match="can be 'counts' or"):
        MixedNB({"continuous": [0]}).fit(sparse.eye_array(3).tocsr(), [0, 1, 1])
    with pytest.raises(ValueError, match="Input X contains NaN in the matrix X"):
        MixedNB().fit(sparse.csr_array([[np.nan, 1.0], [1, 0]]), [0, 1])
    with pytest.raises(ValueError, match="alpha is an array"):
        MixedNB([("a", MultinomialNB(alpha=[1, 2, 3]), ["visits"])]).fit(FRAME, Y)


@pytest.mark.parametrize("empty", [FRAME[:0], FRAME[:0].to_pandas(), pa.table({"a": pa.array([])})])
def test_tables_without_rows(empty):
    with pytest.raises(ValueError, match=r"Found array with 0 sample\(s\)"):
        MixedNB().fit(empty, [])


def test_summary():
    model = MixedNB({**KINDS, "continuous": ["age"]})
    assert str(model) == repr(model)
    assert str(model.fit(FRAME, Y)).splitlines() == [
        "MixedNB with 2 classes: bad, good",
        "  categorical  member (2 categories), city (3 categories)",
        "  continuous   age",
        "  text         review (9 terms)",
        "  left out     visits",
    ]
    wide = MixedNB().fit(np.eye(30), np.arange(30) % 2)
    assert "x7, and 22 more" in wide.summary()


@pytest.mark.parametrize("method", ["predict", "partial_fit", "evidence"])
def test_a_model_of_numbers_refuses_sparse_rows(method):
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20) % 2
    model = MixedNB().fit(X, y)
    given = (sparse.csr_array(X), y) if method == "partial_fit" else (sparse.csr_array(X),)
    with pytest.raises(ValueError, match=r"X is sparse.*is continuous.*toarray"):
        getattr(model, method)(*given)
