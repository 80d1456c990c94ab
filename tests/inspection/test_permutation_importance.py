"""Permutation importance: sparse rows against whole matrices, dense rows against scikit-learn."""

import numpy as np
import pandas as pd
import pytest
import sklearn.inspection
from scipy import sparse
from sklearn.metrics import get_scorer
from sklearn.pipeline import make_pipeline

from quire.datasets import make_text_classification
from quire.ensemble import RandomForestClassifier, RandomForestRegressor
from quire.feature_extraction.text import CountVectorizer
from quire.inspection import permutation_importance
from quire.inspection._permutation_importance import shuffled
from quire.linear_model import LogisticRegression, Ridge
from quire.svm import LinearSVC

RNG = np.random.default_rng(0)
X = sparse.csr_array(RNG.poisson(0.4, size=(150, 12)).astype(np.float64))
CODES = (X[:, [0]].toarray().ravel() + 2 * X[:, [3]].toarray().ravel()).astype(int) % 3
LABELS = np.array(["a", "b", "c"])[CODES]
WEIGHTS = RNG.uniform(0.5, 2, 150)
SEED = 5


def whole(model, rows, y, scoring, n_repeats, weights=None):
    """Return the same by scoring whole matrices, with the same draws."""
    scorer = get_scorer(scoring)
    more = {} if weights is None else {"sample_weight": weights}
    seed = np.random.RandomState(SEED).randint(np.iinfo(np.int32).max)
    before, dense = scorer(model, rows, y, **more), rows.toarray()
    result = np.zeros((rows.shape[1], n_repeats))
    for column in range(rows.shape[1]):
        rng = np.random.default_rng([int(seed), column])
        stored = np.flatnonzero(dense[:, column])
        for repeat in range(n_repeats):
            changed, values = shuffled(stored, dense[stored, column], len(dense), rng)
            other = dense.copy()
            other[changed, column] = values
            np.testing.assert_array_equal(np.sort(other[:, column]), np.sort(dense[:, column]))
            result[column, repeat] = before - scorer(model, sparse.csr_array(other), y, **more)
    return result


@pytest.mark.parametrize(
    ("model", "y", "scoring"),
    [
        (RandomForestClassifier(10, random_state=0), LABELS, "accuracy"),
        (LogisticRegression(), LABELS, "neg_log_loss"),
        (LogisticRegression(), LABELS, "f1_macro"),
        (LinearSVC(), CODES > 0, "roc_auc"),
        (Ridge(), CODES.astype(float), "r2"),
        (RandomForestRegressor(10, random_state=0), CODES.astype(float), "neg_mean_squared_error"),
    ],
    ids=["forest", "loss", "f1", "auc", "ridge", "numbers"],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_only_changed_rows_are_asked_again_and_scores_are_the_same(model, y, scoring, weighted):
    model = model.fit(X, y)
    weights = WEIGHTS if weighted else None
    found = permutation_importance(
        model, X, y, scoring=scoring, n_repeats=3, random_state=SEED, sample_weight=weights
    )
    expected = whole(model, X, y, scoring, 3, weights)
    np.testing.assert_allclose(found.importances, expected, atol=1e-12)
    np.testing.assert_allclose(found.importances_mean, expected.mean(axis=1), atol=1e-12)
    np.testing.assert_allclose(found.importances_std, expected.std(axis=1), atol=1e-12)


def test_the_default_score_and_the_columns_that_matter():
    model = RandomForestClassifier(30, random_state=0).fit(X, LABELS)
    found = permutation_importance(model, X, LABELS, random_state=SEED)
    same = permutation_importance(model, X, LABELS, random_state=SEED, scoring="accuracy")
    np.testing.assert_array_equal(found.importances, same.importances)
    assert {term.term for term in found.top(2)} == {0, 3}
    assert found["importances_mean"] is found.importances_mean


def test_a_shuffle_is_as_likely_as_any_other():
    rng = np.random.default_rng(0)
    where = np.zeros(5)
    for _ in range(2000):
        changed, values = shuffled(np.array([1, 4]), np.array([7.0, 9.0]), 5, rng)
        assert {1, 4} <= set(changed)
        assert sorted(values[values > 0]) == [7, 9]
        where[changed[values == 9]] += 1
    assert where.min() > 300
    assert where.max() < 500


def test_dense_rows_have_scikit_learns_numbers():
    dense = X.toarray()
    frame = pd.DataFrame(dense, columns=[f"c{j}" for j in range(12)])
    model = RandomForestClassifier(10, random_state=0).fit(frame, LABELS)
    options = {"n_repeats": 2, "random_state": 1}
    ours = permutation_importance(model, frame, LABELS, **options)
    theirs = sklearn.inspection.permutation_importance(model, frame, LABELS, **options)
    np.testing.assert_array_equal(ours.importances, theirs.importances)
    assert ours.top(1)[0].term in ("c0", "c3")
    several = permutation_importance(model, frame, LABELS, scoring=["accuracy", "f1_macro"])
    assert set(several) == {"accuracy", "f1_macro"}


def test_texts_are_shuffled_by_term():
    data = make_text_classification(160, n_classes=2, separation=8.0, random_state=0)
    model = make_pipeline(CountVectorizer(), RandomForestClassifier(20, random_state=0))
    model.fit(data.texts[:100], data.y[:100])
    texts, y = data.texts[100:], data.y[100:]
    found = permutation_importance(model, texts, y, random_state=SEED)
    matrix = model[0].transform(texts)
    same = permutation_importance(model[1], matrix, y, random_state=SEED)
    np.testing.assert_array_equal(found.importances, same.importances)
    assert list(found.feature_names) == list(model[0].get_feature_names_out())
    assert isinstance(found.top(1)[0].term, str)
    unused = np.setdiff1d(np.arange(matrix.shape[1]), model[1]._packed["nodes"]["feature"])
    assert len(unused)
    assert not found.importances[unused].any()


def test_what_does_not_fit_is_refused():
    model = RandomForestClassifier(3, random_state=0).fit(X, LABELS)
    with pytest.raises(ValueError, match="n_repeats=0"):
        permutation_importance(model, X, LABELS, n_repeats=0)
    with pytest.raises(ValueError, match="max_samples is for dense rows"):
        permutation_importance(model, X, LABELS, max_samples=0.5)
    with pytest.raises(ValueError, match="no vectorizer"):
        permutation_importance(model, ["a text"], ["a"])
    with pytest.raises(ValueError, match="inconsistent numbers"):
        permutation_importance(model, X, LABELS[:5])
    with pytest.raises(AttributeError, match="predict_proba"):
        permutation_importance(LinearSVC().fit(X, LABELS), X, LABELS, scoring="neg_log_loss")
