"""GaussianNB: what goes in, good and bad."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import naive_bayes
from sklearn.exceptions import NotFittedError
from tests.helpers.gaussian_models import METHODS, assert_posterior, assert_same_model, blobs

from quire.naive_bayes import GaussianNB


def test_one_class_and_one_row():
    X, y, _ = blobs()
    one_class = GaussianNB().fit(X, np.zeros(len(X)))
    np.testing.assert_array_equal(one_class.predict_proba(X), np.ones((len(X), 1)))
    one_row = GaussianNB().fit(X[:1], [3])
    np.testing.assert_array_equal(one_row.predict(X[:2]), [3, 3])
    np.testing.assert_array_equal(one_row.predict_proba(X[:2]), [[1], [1]])
    assert_same_model(
        GaussianNB().fit(X, y).partial_fit(X[:1], y[:1]),
        naive_bayes.GaussianNB().fit(X, y).partial_fit(X[:1], y[:1]),
        X,
    )


def test_empty_input():
    for method in ("fit", "partial_fit"):
        with pytest.raises(ValueError, match="Found array with 0 sample"):
            getattr(GaussianNB(), method)(
                np.empty((0, 2)), [], **({} if method == "fit" else {"classes": [0, 1]})
            )
    with pytest.raises(ValueError, match="0 feature"):
        GaussianNB().fit(np.empty((2, 0)), [0, 1])
    model = GaussianNB().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="Found array with 0 sample"):
        model.predict(np.empty((0, 1)))


@pytest.mark.parametrize(
    ("bad", "message"), [(np.nan, "contains NaN"), (np.inf, "infinity"), (-np.inf, "infinity")]
)
@pytest.mark.parametrize("weighted", [False, True])
def test_input_that_is_not_finite(bad, message, weighted):
    X, y, w = blobs()
    broken = X.copy()
    broken[7, 3] = bad
    w[y == y[7]] = 0  # also in rows and classes that do not count
    weights = w if weighted else None
    with pytest.raises(ValueError, match=f"Input X .*{message}") as ours:
        GaussianNB().fit(broken, y, weights)
    with pytest.raises(ValueError, match=message) as theirs:
        naive_bayes.GaussianNB().fit(broken, y, weights)
    assert str(ours.value) == str(theirs.value)
    model = GaussianNB().fit(X, y)
    with pytest.raises(ValueError, match=message):
        model.partial_fit(broken, y, sample_weight=weights)
    assert_same_model(model, GaussianNB().fit(X, y), rtol=0)
    methods = [*METHODS, "predict", "log_likelihood", "evidence"]
    for priors in (None, [1, 0, 0]):
        model = GaussianNB(priors=priors).fit(X, y)
        for name in methods:
            with pytest.raises(ValueError, match=message):
                getattr(model, name)(broken)


def test_wrong_shapes():
    X, y, _ = blobs()
    model = GaussianNB().fit(X, y)
    message = "X has 2 features, but GaussianNB is expecting 6 features as input"
    for name in [*METHODS, "predict", "log_likelihood", "evidence"]:
        with pytest.raises(ValueError, match=message):
            getattr(model, name)(X[:, :2])
    with pytest.raises(ValueError, match=message):
        model.partial_fit(X[:, :2], y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.fit(X, y[:-1])
    with pytest.raises(ValueError, match="Expected 2D array, got 1D array"):
        model.fit(X[:, 0], y)
    with pytest.raises(TypeError, match="Sparse data was passed"):
        model.fit(sparse.csr_array(X), y)
    with pytest.raises(ValueError, match="target y is None"):
        model.fit(X, None)
    with pytest.raises(ValueError, match="Unknown label type"):
        model.fit(X, X[:, 0])


def test_not_fitted():
    X, y, _ = blobs()
    model = GaussianNB()
    for name in [*METHODS, "predict", "log_likelihood", "evidence"]:
        with pytest.raises(NotFittedError):
            getattr(model, name)(X)
    with pytest.raises(ValueError, match="inconsistent"):
        model.fit(X, y[:-1])
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_weights():
    X, y, w = blobs()
    model = GaussianNB()
    with pytest.raises(ValueError, match="at least one non-zero number"):
        model.fit(X, y, np.zeros(len(X)))
    with pytest.raises(ValueError, match=r"sample_weight.shape == \(3,\)"):
        model.fit(X, y, np.ones(3))
    with pytest.raises(ValueError, match="sample_weight contains NaN"):
        model.fit(X, y, np.full(len(X), np.nan))
    with pytest.raises(ValueError, match="negative values in sample_weight"):
        model.fit(X, y, -np.ones(len(X)))
    few = w.copy()
    few[:5] = -0.01  # as in scikit-learn, while there is a variance
    assert_same_model(model.fit(X, y, few), naive_bayes.GaussianNB().fit(X, y, few), X)
    assert_same_model(model.fit(X, y, 2.0), naive_bayes.GaussianNB().fit(X, y, 2.0), X)


def test_weights_of_zero_take_rows_away():
    X, y, w = blobs()
    w[::3] = 0
    ours, kept = GaussianNB(var_smoothing=0).fit(X, y, w), w > 0
    expected = GaussianNB(var_smoothing=0).fit(X[kept], y[kept], w[kept])
    assert_same_model(ours, expected, X, rtol=1e-12)
    w[y == 1] = 0
    ours.fit(X, y, w)
    assert ours.class_count_[1] == ours.class_prior_[1] == 0
    assert (assert_posterior(ours, X)[:, 1] == 0).all()


def test_weights_of_any_size():
    X, y, w = blobs()
    ours, small = GaussianNB().fit(X, y, w), GaussianNB().fit(X, y, w * 2.0**-60)
    np.testing.assert_allclose(small.theta_, ours.theta_, rtol=1e-12)
    np.testing.assert_allclose(small.var_, ours.var_, rtol=1e-12)


def test_partial_fit_and_its_classes():
    X, y, _ = blobs()
    model = GaussianNB()
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        model.partial_fit(X, y)
    with pytest.raises(ValueError, match=r"label\(s\) \[2\] in y do not exist in the initial"):
        model.partial_fit(X, y, classes=[0, 1])
    model.partial_fit(X, y, classes=[0, 1, 2])  # the call that failed has left nothing
    assert_same_model(model, GaussianNB().fit(X, y), X, rtol=0)
    with pytest.raises(ValueError, match="is not the same as on last call to partial_fit"):
        model.partial_fit(X, y, classes=[0, 1, 2, 3])
    with pytest.raises(ValueError, match=r"label\(s\) \[5\] in y do not exist"):
        model.partial_fit(X[:1], [5])
    assert_same_model(model, GaussianNB().fit(X, y), X, rtol=0)


@pytest.mark.parametrize(
    "parameters", [{"var_smoothing": -1}, {"var_smoothing": "a"}, {"n_jobs": 1.5}, {"n_jobs": 0}]
)
def test_bad_parameters(parameters):
    X, y, _ = blobs()
    with pytest.raises(ValueError, match=next(iter(parameters))):
        GaussianNB(**parameters).fit(X, y)
