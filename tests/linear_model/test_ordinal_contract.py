"""OrdinalRegression: labels and their order, weights, types, scikit-learn's contract."""

import pickle

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline

from quire.feature_extraction.text import TfidfVectorizer
from quire.linear_model import OrdinalRegression

NAMES = np.array(["poor", "fair", "good"])


def ratings(n=200, p=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, np.digitize(X @ rng.normal(size=p) + rng.logistic(size=n), [-1, 1])


def test_order_of_strings():
    X, codes = ratings()
    numbers = OrdinalRegression().fit(X, codes)
    named = OrdinalRegression(categories=NAMES).fit(X, NAMES[codes])
    np.testing.assert_array_equal(named.classes_, NAMES)
    np.testing.assert_array_equal(named.coef_, numbers.coef_)
    np.testing.assert_array_equal(named.predict(X), NAMES[numbers.predict(X)])
    with pytest.warns(UserWarning, match="alphabetical order, fair < good < poor"):
        alphabetical = OrdinalRegression().fit(X, NAMES[codes])
    assert alphabetical.classes_.tolist() == ["fair", "good", "poor"]
    two = OrdinalRegression().fit(X, np.where(codes > 0, "b", "a"))  # no order to get wrong
    assert two.classes_.tolist() == ["a", "b"]


def test_order_that_comes_with_the_labels():
    pandas = pytest.importorskip("pandas")
    X, codes = ratings()
    expected = OrdinalRegression().fit(X, codes)
    ordered = pandas.Categorical(NAMES[codes], categories=NAMES, ordered=True)
    for y in (pandas.Series(ordered), pl.Series(NAMES[codes], dtype=pl.Enum(NAMES.tolist()))):
        model = OrdinalRegression().fit(X, y)
        assert model.classes_.tolist() == NAMES.tolist()
        np.testing.assert_array_equal(model.coef_, expected.coef_)
        assert set(model.predict(X)) <= set(NAMES)
    reverse = OrdinalRegression(categories=NAMES[::-1]).fit(X, pandas.Series(ordered))
    np.testing.assert_allclose(reverse.coef_, -expected.coef_, atol=1e-3)
    unordered = pandas.Series(pandas.Categorical(NAMES[codes], categories=NAMES))
    with pytest.warns(UserWarning, match="alphabetical"):
        OrdinalRegression().fit(X, unordered)


def test_labels_that_categories_do_not_have():
    X, codes = ratings()
    with pytest.raises(ValueError, match=r"y has the label\(s\) \['good'\]"):
        OrdinalRegression(categories=["poor", "fair"]).fit(X, NAMES[codes])
    with pytest.raises(ValueError, match="more than once"):
        OrdinalRegression(categories=["poor", "fair", "good", "fair"]).fit(X, NAMES[codes])


@pytest.mark.parametrize("link", ["logit", "probit"])
def test_categories_that_no_row_has(link):
    X, codes = ratings()
    full = OrdinalRegression(link=link).fit(X, codes)
    model = OrdinalRegression(link=link, categories=[-1, 0, 1, 1.5, 2, 3]).fit(X, codes)
    a, b = full.thresholds_
    np.testing.assert_array_equal(model.thresholds_, [-np.inf, a, b, b, np.inf])
    P = model.predict_proba(X)
    np.testing.assert_array_equal(P[:, [1, 2, 4]], full.predict_proba(X))
    assert (P[:, [0, 3, 5]] == 0).all()
    np.testing.assert_array_equal(model.predict(X), full.predict(X))
    np.testing.assert_array_equal(model.predict_median(X), full.predict_median(X))
    again = OrdinalRegression(link=link, categories=model.categories, warm_start=True).fit(X, codes)
    again.fit(X, codes)
    assert again.n_iter_ <= 1


def test_a_class_without_weight_is_a_class_without_rows():
    X, codes = ratings()
    weights = np.where(codes == 1, 0.0, 1.0)
    model = OrdinalRegression().fit(X, codes, sample_weight=weights)
    rest = OrdinalRegression().fit(X[codes != 1], codes[codes != 1])
    np.testing.assert_allclose(model.coef_, rest.coef_, atol=1e-12)
    assert model.thresholds_[0] == model.thresholds_[1]
    assert (model.predict_proba(X)[:, 1] == 0).all()


def test_one_class():
    X, codes = ratings()
    with pytest.raises(ValueError, match="at least 2 classes"):
        OrdinalRegression().fit(X, np.ones(len(X)))
    with pytest.raises(ValueError, match="at least 2 classes"):
        OrdinalRegression().fit(X, codes, sample_weight=codes == 0)
    with pytest.raises(ValueError, match="at least one non-zero"):
        OrdinalRegression().fit(X, codes, sample_weight=np.zeros(len(X)))


def test_weights_and_weights_of_classes():
    X, codes = ratings()
    counts = np.random.default_rng(0).integers(0, 3, len(X))
    weighted = OrdinalRegression(tol=1e-9).fit(X, codes, sample_weight=counts)
    repeated = OrdinalRegression(tol=1e-9).fit(np.repeat(X, counts, 0), np.repeat(codes, counts))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-8)
    by_class = OrdinalRegression(tol=1e-9, class_weight={0: 2.0, 2: 0.5}).fit(X, codes)
    by_row = OrdinalRegression(tol=1e-9).fit(X, codes, np.array([2.0, 1.0, 0.5])[codes])
    np.testing.assert_allclose(by_class.coef_, by_row.coef_, atol=1e-10)
    shares = len(X) / (3 * np.bincount(codes))
    balanced = OrdinalRegression(tol=1e-9, class_weight="balanced").fit(X, codes)
    by_row = OrdinalRegression(tol=1e-9).fit(X, codes, shares[codes])
    np.testing.assert_allclose(balanced.coef_, by_row.coef_, atol=1e-10)


@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix, sparse.csc_array])
def test_types(l1_ratio, kind):
    X, codes = ratings()
    exact = OrdinalRegression(l1_ratio=l1_ratio, C=0.1).fit(X, codes)
    single = OrdinalRegression(l1_ratio=l1_ratio, C=0.1).fit(kind(X.astype(np.float32)), codes)
    assert single.coef_.dtype == single.thresholds_.dtype == np.float32
    np.testing.assert_allclose(single.coef_, exact.coef_, atol=1e-3)
    whole = OrdinalRegression(l1_ratio=l1_ratio, C=0.1).fit(kind(np.round(X).astype(int)), codes)
    assert whole.coef_.dtype == np.float64


def test_long_indices_and_entries_in_pieces():
    X, codes = ratings()
    exact = OrdinalRegression(l1_ratio=0.5, C=0.1).fit(sparse.csr_array(X), codes)
    rows, columns = np.indices(X.shape).reshape(2, -1)
    pieces = sparse.csr_array(
        (
            np.repeat(X.ravel() / 2, 2),
            np.repeat(columns, 2).astype(np.int64),
            np.arange(0, 2 * X.size + 1, 2 * X.shape[1], dtype=np.int64),
        ),
        shape=X.shape,
    )
    assert len(pieces.data) == 2 * X.size
    model = OrdinalRegression(l1_ratio=0.5, C=0.1).fit(pieces, codes)
    np.testing.assert_allclose(model.coef_, exact.coef_, atol=1e-10)
    assert len(pieces.data) == 2 * X.size  # the input is as it was
    assert len(rows) == X.size


def test_empty_rows_and_columns():
    X, codes = ratings()
    X[::10], X[:, 1] = 0.0, 0.0
    for l1_ratio in (0.0, 1.0):
        model = OrdinalRegression(l1_ratio=l1_ratio).fit(sparse.csr_array(X), codes)
        assert model.coef_[1] == 0
    nothing = OrdinalRegression().fit(np.zeros((200, 2)), codes)
    np.testing.assert_allclose(nothing.predict_proba(np.zeros((1, 2)))[0], np.bincount(codes) / 200)


def test_warm_start():
    X, codes = ratings()
    model = OrdinalRegression(warm_start=True).fit(X, codes)
    assert model.n_iter_ > 1
    assert model.fit(X, codes).n_iter_ == 0
    model.fit(X[:, :2], codes)  # another shape: from the beginning
    assert model.coef_.shape == (2,)
    with pytest.warns(UserWarning, match="alphabetical"):
        model.fit(X[:, :2], NAMES[codes])
    assert model.coef_.shape == (2,)


def test_with_scikit_learns_tools():
    X, codes = ratings()
    search = GridSearchCV(OrdinalRegression(), {"C": [0.01, 1.0], "link": ["logit", "probit"]})
    assert search.fit(X, codes).best_score_ > 0.5
    assert cross_val_score(OrdinalRegression(), X, codes, scoring="roc_auc_ovr").mean() > 0.6
    assert OneVsRestClassifier(OrdinalRegression()).fit(X, codes).score(X, codes) > 0.5
    model = OrdinalRegression(categories=[0, 1, 2]).fit(X, codes)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    assert clone(model).categories == [0, 1, 2]
    before = set(vars(model))
    model.predict_proba(X)
    assert set(vars(model)) == before


def test_texts():
    texts = ["awful dull film", "dull film", "fine film", "fine and warm", "great warm film"] * 8
    y = np.array([1, 1, 2, 2, 3] * 8)
    model = make_pipeline(TfidfVectorizer(), OrdinalRegression(C=10)).fit(texts, y)
    assert model.predict(["awful dull", "fine", "great warm film"]).tolist() == [1, 2, 3]
    weights = dict(zip(model[0].get_feature_names_out(), model[1].coef_, strict=True))
    assert weights["awful"] < weights["fine"] < weights["great"]


def test_verbose_prints_the_objective(capsys):
    X, codes = ratings()
    OrdinalRegression(verbose=1).fit(X, codes)
    assert "iteration 1, mean objective" in capsys.readouterr().out
