"""Negative weights of samples: a model of numbers, or an error that says why; no stray warnings."""

import inspect

import numpy as np
import pytest
from scipy import sparse
from tests.test_estimators import ESTIMATORS, MEMBERS, SETTINGS

from quire import ensemble

LEARNERS = [cls for cls in ESTIMATORS if "sample_weight" in inspect.signature(cls.fit).parameters]
LINEAR = ["Ridge", "RidgeCV", "LinearRegression", "Lasso", "LassoCV", "ElasticNet", "ElasticNetCV"]


def data():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (30, 3)).astype(float), rng.integers(0, 2, 30)
    some = rng.uniform(0.1, 1, 30)
    some[3] = -1
    return X, y, {"some": some, "all": -np.ones(30)}


@pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning", "ignore:.*default value:FutureWarning"
)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("which", ["some", "all"])
@pytest.mark.parametrize("cls", LEARNERS)
def test_a_finite_model_or_an_error_about_weights(cls, which, form):
    X, y, weights = data()
    small = {"n_estimators": 3} if cls.__name__ in ensemble.__all__ else {}
    if cls is ensemble.AveragedClassifier:
        small = {"estimators": MEMBERS}
    model = cls(**small, **{k: [0, 1] for k in SETTINGS.get(cls, {})})
    said = ""
    try:
        model.fit(form(X), y, sample_weight=weights[which])
    except (ValueError, TypeError) as error:
        said = str(error)
    if said:
        about_sparse = form is not np.asarray and "sparse" in said.lower()
        assert about_sparse or "weight" in said or "negative" in said
        return
    for name in ("coef_", "intercept_", "class_log_prior_", "feature_log_prob_"):
        values = np.asarray(getattr(model, name, 0.0), dtype=object).ravel()
        assert np.isfinite([float(v) for part in values for v in np.ravel(part)]).all()


@pytest.mark.parametrize("name", LINEAR)
def test_least_squares_says_it_in_scikit_learns_words(name):
    cls = next(cls for cls in ESTIMATORS if cls.__name__ == name)
    X, y, weights = data()
    for form in (np.asarray, sparse.csr_array):
        with pytest.raises(ValueError, match="Negative values in data passed to `sample_weight`"):
            cls().fit(form(X), y, sample_weight=weights["some"])


@pytest.mark.parametrize("name", ["MultinomialNB", "BernoulliNB", "ComplementNB"])
def test_counts_can_be_taken_back_but_not_below_zero(name):
    cls = next(cls for cls in ESTIMATORS if cls.__name__ == name)
    X, y, _ = data()
    model = cls().fit(X, y)
    model.partial_fit(X[20:], y[20:], sample_weight=-np.ones(10))
    fewer = cls().fit(X[:20], y[:20])
    np.testing.assert_allclose(model.feature_count_, fewer.feature_count_)
    with pytest.raises(ValueError, match="negative count"):
        model.partial_fit(X, y, sample_weight=-np.ones(30))
    np.testing.assert_allclose(model.feature_count_, fewer.feature_count_)
    fresh = cls()
    with pytest.raises(ValueError, match="negative count"):
        fresh.partial_fit(X, y, classes=[0, 1], sample_weight=-np.ones(30))
    assert not hasattr(fresh, "classes_")
    assert fresh.partial_fit(X, y, classes=[0, 1]).class_count_.sum() == 30
