"""Tf-idf times relevance frequency: worked numbers, and the formula in plain Python."""

import math

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from quire.feature_extraction.text import CountVectorizer, RelevanceTransformer, TfidfTransformer
from quire.inspection import explain
from quire.linear_model import LogisticRegression

X4 = np.array([[1, 0, 1, 0], [2, 0, 1, 0], [1, 1, 0, 0], [1, 3, 0, 0]])
Y4 = ["a", "a", "b", "c"]


def counts(n=60, p=20, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.5, (n, p))
    X[2] = 0
    return X, rng.choice(["a", "b", "c"], n)


def plain(X, y, alpha=0.5):
    """Return the relevance of each column, count by count."""
    found = []
    for column in X.T:
        ratios = []
        for label in set(y):
            ours = sum(1 for c, k in zip(column, y, strict=True) if c > 0 and k == label)
            others = sum(1 for c, k in zip(column, y, strict=True) if c > 0 and k != label)
            ratios.append((ours + alpha) / (others + alpha))
        found.append(math.log2(2 + max(ratios)))
    return found


def test_worked_numbers():
    """In 2 of 2 others; in one each of two classes; in 2 of one class alone; nowhere."""
    model = RelevanceTransformer(alpha=1.0, norm=None, use_idf=False).fit(X4, Y4)
    relevance = [math.log2(3), math.log2(3), math.log2(5), math.log2(3)]
    np.testing.assert_allclose(model.relevance_, relevance)
    found = model.transform(X4).toarray()
    np.testing.assert_allclose(found[1], [(1 + math.log(2)) * relevance[0], 0, relevance[2], 0])
    np.testing.assert_allclose(found[3], [relevance[0], (1 + math.log(3)) * relevance[1], 0, 0])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csc_matrix])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"alpha": 2.0},
        {"norm": None},
        {"norm": "l1", "smooth_idf": False},
        {"sublinear_tf": False},
    ],
)
def test_it_is_tfidf_times_relevance(form, settings):
    X, y = counts()
    new, _ = counts(seed=1)
    model = RelevanceTransformer(**settings).fit(form(X), y)
    np.testing.assert_allclose(model.relevance_, plain(X, y, model.alpha))
    own = {"sublinear_tf": True, **settings, "norm": None}
    own.pop("alpha", None)
    expected = TfidfTransformer(**own).fit(X).transform(new).toarray() * model.relevance_
    norm = settings.get("norm", "l2")
    if norm is not None:
        sizes = np.linalg.norm(expected, 1 if norm == "l1" else 2, axis=1, keepdims=True)
        expected = np.divide(expected, sizes, out=np.zeros_like(expected), where=sizes > 0)
    np.testing.assert_allclose(model.transform(form(new)).toarray(), expected, atol=1e-12)


def test_labels_of_any_kind():
    X, y = counts()
    numbers = np.array([{"a": 7, "b": -1, "c": 3}[label] for label in y])
    np.testing.assert_array_equal(
        RelevanceTransformer().fit(X, numbers).relevance_,
        RelevanceTransformer().fit(X, y).relevance_,
    )


def test_single_precision_stays_and_x_is_left_alone():
    X, y = counts()
    X = sparse.csr_array(X.astype(np.float32))
    kept = X.copy()
    model = RelevanceTransformer().fit(X, y)
    assert model.relevance_.dtype == model.idf_.dtype == model.transform(X).dtype == np.float32
    assert (X != kept).nnz == 0


def test_a_second_fit_forgets_the_first():
    X, y = counts()
    model = RelevanceTransformer().fit(X, y)
    model.set_params(use_idf=False).fit(X, y)
    assert not hasattr(model, "idf_")


def test_what_it_refuses():
    with pytest.raises(ValueError, match="requires y to be passed"):
        RelevanceTransformer().fit(X4, None)
    with pytest.raises(ValueError, match=r"at least 2 classes.*only one class: 'a'"):
        RelevanceTransformer().fit(X4, ["a"] * 4)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        RelevanceTransformer().fit(X4, Y4[:3])
    with pytest.raises(ValueError, match="Negative values in data passed to RelevanceTransformer"):
        RelevanceTransformer().fit(-X4, Y4)
    with pytest.raises(ValueError, match="4 features"):
        RelevanceTransformer().fit(X4, Y4).transform(X4[:, :3])
    with pytest.raises(ValueError, match="'alpha' parameter"):
        RelevanceTransformer(0.0).fit(X4, Y4)
    with pytest.raises(NotFittedError):
        RelevanceTransformer().transform(X4)


def test_a_model_of_weights_is_explained():
    pipeline = make_pipeline(CountVectorizer(), RelevanceTransformer(), LogisticRegression())
    pipeline.fit(["good film", "a good plot", "bad film", "a bad plot"], ["p", "p", "n", "n"])
    explanation = explain(pipeline, ["good"])[0]
    assert [term.term for term in explanation.terms] == ["good"]
