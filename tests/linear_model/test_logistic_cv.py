"""LogisticRegressionCV against scikit-learn's."""

import numpy as np
import pytest
import sklearn
import sklearn.linear_model
from scipy import sparse
from sklearn.datasets import make_classification

from quire.linear_model import LogisticRegression, LogisticRegressionCV

QUIET = {"l1_ratios": (0,), "scoring": "neg_log_loss", "use_legacy_attributes": False}


def data(n_classes=3, n=240, form=np.asarray):
    X, y = make_classification(
        n, 12, n_informative=6, n_classes=n_classes, flip_y=0.2, random_state=0
    )
    return form(X), np.array(["a", "b", "c", "d"])[y]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("refit", [True, False])
@pytest.mark.parametrize("legacy", [True, False])
def test_all_attributes_are_those_of_scikit_learn(n_classes, form, refit, legacy):
    X, y = data(n_classes, form=form)
    options = {**QUIET, "Cs": [10.0, 0.01, 1.0], "cv": 3, "refit": refit}
    options["use_legacy_attributes"] = legacy
    ours = LogisticRegressionCV(**options, tol=1e-10).fit(X, y)
    theirs = sklearn.linear_model.LogisticRegressionCV(
        **options, tol=1e-9, max_iter=2000, solver="newton-cg"
    ).fit(X, y)
    for name in ("coef_", "intercept_", "C_", "l1_ratio_", "Cs_", "l1_ratios_"):
        left, right = (np.asarray(getattr(model, name)) for model in (ours, theirs))
        assert left.shape == right.shape, name
        np.testing.assert_allclose(left, right, rtol=1e-4, atol=1e-5, err_msg=name)
    assert np.shape(ours.n_iter_) == np.shape(theirs.n_iter_)
    for name in ("scores_", "coefs_paths_"):
        left, right = getattr(ours, name), getattr(theirs, name)
        if legacy:
            assert list(left) == list(right)
            left, right = np.stack(list(left.values())), np.stack(list(right.values()))
        np.testing.assert_allclose(left, right, rtol=1e-4, atol=1e-5, err_msg=name)
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), rel=1e-4)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_elastic_net_grid():
    X, y = data(2)
    options = {**QUIET, "Cs": [0.1, 1.0], "l1_ratios": (0.0, 0.5, 1.0), "cv": 3}
    ours = LogisticRegressionCV(**options, solver="auto", tol=1e-7).fit(X, y)
    theirs = sklearn.linear_model.LogisticRegressionCV(
        **options, solver="saga", tol=1e-7, max_iter=20_000, random_state=0
    ).fit(X, y)
    np.testing.assert_allclose(ours.scores_, theirs.scores_, atol=1e-4)
    assert (ours.C_, ours.l1_ratio_) == (theirs.C_, theirs.l1_ratio_)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)


def test_refit_is_a_fit_of_the_best_penalty():
    X, y = data(3)
    weights = np.random.default_rng(0).random(len(y))
    chosen = LogisticRegressionCV(Cs=5, class_weight="balanced", tol=1e-8, **QUIET)
    chosen.fit(X, y, sample_weight=weights)
    plain = LogisticRegression(C=chosen.C_, class_weight="balanced", tol=1e-8).fit(X, y, weights)
    np.testing.assert_allclose(chosen.coef_, plain.coef_, atol=1e-5)
    np.testing.assert_allclose(chosen.predict_log_proba(X), plain.predict_log_proba(X), atol=1e-4)


def test_one_class_is_refused():
    with pytest.raises(ValueError, match=r"only one class: 1\.$"):
        LogisticRegressionCV(**QUIET).fit(np.eye(12), np.ones(12, dtype=int))


@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
def test_the_number_of_threads_changes_nothing(l1_ratio):
    X, y = data(3, form=sparse.csr_array)
    options = {**QUIET, "Cs": 4, "cv": 3, "l1_ratios": (l1_ratio,), "solver": "auto"}
    one, many = (LogisticRegressionCV(**options, n_jobs=n).fit(X, y) for n in (1, 3))
    for name in ("coef_", "intercept_", "scores_", "coefs_paths_", "n_iter_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(many, name), err_msg=name)


def test_a_scorer_sees_the_configuration_of_the_caller():
    X, y = data(2)
    seen = []

    def score(model, X, y):
        seen.append(sklearn.get_config()["assume_finite"])
        return 0.0

    with sklearn.config_context(assume_finite=True):
        LogisticRegressionCV(**{**QUIET, "Cs": 2, "cv": 3, "scoring": score}, n_jobs=2).fit(X, y)
    assert seen == [True] * 6
