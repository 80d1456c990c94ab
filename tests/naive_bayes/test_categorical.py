"""CategoricalNB: scikit-learn's results, and what it adds to them."""

import pickle
import warnings

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import CategoricalNB as SklearnCategoricalNB

from quire._shared.evidence import GivesEvidence
from quire.naive_bayes import CategoricalNB

ARRAYS = ["class_count_", "class_log_prior_"]
LISTS = ["category_count_", "feature_log_prob_"]


def sample(seed=0, n=200, n_classes=3, widths=(2, 5, 1, 9)):
    rng = np.random.default_rng(seed)
    X = np.stack([rng.integers(0, width, n) for width in widths], axis=1)
    y = np.array(["ant", "bee", "cat", "dog"])[rng.integers(0, n_classes, n)]
    return X, y, rng.uniform(0, 3, n)


def assert_same_model(ours, theirs):
    for name in ARRAYS:
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-10)
    for name in LISTS:
        for left, right in zip(getattr(ours, name), getattr(theirs, name), strict=True):
            assert left.dtype == right.dtype
            np.testing.assert_allclose(left, right, rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"alpha": 0.3, "fit_prior": False},
        {"alpha": 1e-12},
        {"class_prior": [0.2, 0.3, 0.5]},
        {"min_categories": 12},
        {"min_categories": [2, 6, 3, 4]},
    ],
)
def test_equal_to_scikit_learn(settings, weighted):
    X, y, weights = sample()
    weights = weights if weighted else None
    ours = CategoricalNB(**settings).fit(X, y, weights)
    theirs = SklearnCategoricalNB(**settings).fit(X, y, weights)
    assert_same_model(ours, theirs)
    np.testing.assert_array_equal(ours.n_categories_, theirs.n_categories_)
    assert ours.n_categories_.dtype == theirs.n_categories_.dtype
    for method in ("predict_joint_log_proba", "predict_log_proba", "predict_proba"):
        np.testing.assert_allclose(
            getattr(ours, method)(X), getattr(theirs, method)(X), rtol=1e-10, atol=1e-12
        )
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.score(X, y) == theirs.score(X, y)


def test_rows_of_several_blocks_at_any_number_of_threads():
    X, y, _ = sample(n=30_000)
    expected = SklearnCategoricalNB().fit(X, y).predict_joint_log_proba(X)
    for n_jobs in (1, 2, 5):
        model = CategoricalNB(n_jobs=n_jobs).fit(X, y)
        np.testing.assert_array_equal(model.predict_joint_log_proba(X), expected)


def test_one_class():
    X, _, _ = sample()
    np.testing.assert_array_equal(
        CategoricalNB().fit(X, [7] * len(X)).predict_proba(X), np.ones((len(X), 1))
    )


def test_partial_fit_on_batches_is_fit_on_all():
    X, y, weights = sample(n_classes=4)
    X = X[np.argsort(-X[:, 1])]  # the later batches have smaller categories
    whole = CategoricalNB().fit(X, y, weights)
    ours, theirs = CategoricalNB(), SklearnCategoricalNB()
    for rows in np.array_split(np.arange(len(X)), 5):
        ours.partial_fit(X[rows], y[rows], np.unique(y), weights[rows])
        theirs.partial_fit(X[rows], y[rows], np.unique(y), weights[rows])
        assert_same_model(ours, theirs)
    assert_same_model(ours, whole)
    np.testing.assert_array_equal(ours.n_categories_, whole.n_categories_)
    np.testing.assert_allclose(ours.predict_joint_log_proba(X), whole.predict_joint_log_proba(X))


def test_partial_fit_refuses_a_label_that_is_not_among_the_classes():
    model = CategoricalNB().partial_fit([[0], [1]], ["a", "b"], classes=["a", "b"])
    with pytest.raises(ValueError, match=r"'c'.* in y do not exist in the initial classes"):
        model.partial_fit([[0]], ["c"])
    np.testing.assert_array_equal(model.class_count_, [1, 1])


def test_maximum_likelihood():
    X = [[0, 0], [0, 1], [1, 1], [2, 1]]
    y = ["a", "a", "b", "b"]
    model = CategoricalNB(alpha=0).fit(X, y)
    np.testing.assert_array_equal(np.exp(model.feature_log_prob_[0]), [[1, 0, 0], [0, 0.5, 0.5]])
    np.testing.assert_array_equal(np.exp(model.feature_log_prob_[1]), [[0.5, 0.5], [0, 1]])
    np.testing.assert_array_equal(model.predict_proba([[0, 1], [2, 1]]), [[1, 0], [0, 1]])
    assert np.isneginf(model.predict_joint_log_proba([[1, 0]])).all()
    weighted = CategoricalNB(alpha=0, class_prior=[0.3, 0.7]).fit(X, y)
    np.testing.assert_allclose(weighted.predict_proba([[1, 0]]), [[0.3, 0.7]])
    assert weighted.predict([[1, 0]]) == ["b"]


@pytest.mark.parametrize("class_prior", [None, "uniform", [0, 0.5, 0.5]])
def test_a_class_without_documents(class_prior):
    model = CategoricalNB(alpha=0, class_prior=class_prior)
    model.partial_fit([[0, 2], [1, 0]], ["a", "b"], classes=["a", "b", "z"])
    np.testing.assert_allclose(np.exp(model.feature_log_prob_[1][2]), [1 / 3] * 3)
    proba = model.predict_proba([[0, 2], [1, 1]])
    np.testing.assert_allclose(proba.sum(axis=1), 1)


def test_priors_by_name():
    X, y, _ = sample()
    shares = CategoricalNB(class_prior="documents", fit_prior=False).fit(X, y)
    np.testing.assert_array_equal(shares.class_log_prior_, CategoricalNB().fit(X, y)._log_prior())
    uniform = CategoricalNB(class_prior="uniform").fit(X, y)
    np.testing.assert_allclose(np.exp(uniform.class_log_prior_), 1 / 3)
    with pytest.raises(ValueError, match="Number of priors must match number of classes"):
        CategoricalNB(class_prior=[0.5, 0.5]).fit(X, y)
    with pytest.raises(ValueError, match="'class_prior' parameter"):
        CategoricalNB(class_prior="tokens").fit(X, y)


def test_a_class_of_weight_zero_gives_no_nan():
    model = CategoricalNB(alpha=0).fit([[0], [1]], [0, 1], sample_weight=[0, 2])
    np.testing.assert_array_equal(model.predict_proba([[0], [1]]), [[0, 1], [0, 1]])


def test_an_unseen_category_is_named():
    X = pl.DataFrame({"size": [0, 1], "colour": [2, 0]})
    model = CategoricalNB().fit(X, [0, 1])
    message = r"Column 1 \('colour'\) of X holds category 5; .* 3 categories .* min_categories"
    with pytest.raises(IndexError, match=message):
        model.predict(X.with_columns(colour=pl.Series([1, 5])))
    with pytest.raises(IndexError, match="Column 0 of X"):
        CategoricalNB().fit([[0], [1]], [0, 1]).predict([[2]])
    covered = CategoricalNB(min_categories=6).fit(X.to_numpy(), [0, 1])
    np.testing.assert_allclose(covered.predict_proba([[1, 5]])[0, 1], 2 / 3)


@pytest.mark.parametrize(
    "X", [[[-1], [0]], [[np.nan], [0]], [["a"], ["b"]], [[np.inf], [1]], np.zeros((0, 2)), [0, 1]]
)
def test_the_same_errors_as_scikit_learn(X):
    with pytest.raises(ValueError, match=r".") as theirs:
        SklearnCategoricalNB().fit(X, [0, 1])
    with pytest.raises(ValueError, match=r".") as ours:
        CategoricalNB().fit(X, [0, 1])
    assert str(ours.value) == str(theirs.value)


@pytest.mark.parametrize("min_categories", [0, 1.5, [1.5, 2], [[1, 2]]])
def test_bad_min_categories_as_in_scikit_learn(min_categories):
    messages = []
    for model in (SklearnCategoricalNB, CategoricalNB):
        with pytest.raises(ValueError, match="min_categories") as error:
            model(min_categories=min_categories).fit([[0, 1], [1, 0]], [0, 1])
        messages.append(str(error.value))
    assert messages[0] == messages[1]


def test_force_alpha_warns_as_scikit_learn():
    with pytest.warns(UserWarning, match="alpha too small"):
        model = CategoricalNB(alpha=0, force_alpha=False).fit([[0], [1]], [0, 1])
    assert np.isfinite(model.feature_log_prob_[0]).all()


def test_merge_of_parts_is_fit_on_all():
    X, y, weights = sample(n_classes=4)
    order = np.lexsort((X[:, 3], y))  # parts differ in classes and in categories
    X, y, weights = X[order], y[order], weights[order]
    left = CategoricalNB().fit(X[:70], y[:70], weights[:70])
    right = CategoricalNB().fit(X[70:], y[70:], weights[70:])
    before = pickle.dumps(right)
    assert left.merge(right) is left
    assert pickle.dumps(right) == before
    whole = CategoricalNB().fit(X, y, weights)
    assert_same_model(left, whole)
    np.testing.assert_array_equal(left.n_categories_, whole.n_categories_)
    np.testing.assert_allclose(left.predict_proba(X), whole.predict_proba(X))


def test_merge_refuses_what_does_not_fit():
    model = CategoricalNB().fit([[0, 1], [1, 0]], ["a", "b"])
    with pytest.raises(TypeError, match="got CategoricalNB"):
        model.merge(SklearnCategoricalNB())
    with pytest.raises(NotFittedError):
        model.merge(CategoricalNB())
    with pytest.raises(ValueError, match="Models of 2 and 1 columns"):
        model.merge(CategoricalNB().fit([[0], [1]], ["a", "b"]))
    with pytest.raises(ValueError, match="different types"):
        model.merge(CategoricalNB().fit([[0, 1], [1, 0]], [1, 2]))
    one = CategoricalNB().fit(pl.DataFrame({"x": [0, 1]}), ["a", "b"])
    two = CategoricalNB().fit(pl.DataFrame({"y": [0, 1]}), ["a", "b"])
    with pytest.raises(ValueError, match="different names"):
        one.merge(two)


def test_log_likelihood_is_the_joint_without_the_prior():
    X, y, _ = sample()
    model = CategoricalNB(class_prior=[0.2, 0.3, 0.5]).fit(X, y)
    np.testing.assert_allclose(
        model.log_likelihood(X) + model.class_log_prior_, model.predict_joint_log_proba(X)
    )


@pytest.mark.parametrize("alpha", [1.0, 0.0])
def test_evidence_adds_up(alpha):
    X, y, _ = sample(n=60, widths=(3, 9, 20))
    model = CategoricalNB(alpha=alpha).fit(X[:30], y[:30])
    rows = X[(X < model.n_categories_).all(axis=1)]
    joint = model.predict_joint_log_proba(rows)
    evidence = model.evidence(rows)
    assert isinstance(model, GivesEvidence)
    for a, left in enumerate(model.classes_):
        for b, right in enumerate(model.classes_):
            if a == b:
                continue
            both = np.isneginf(joint[:, a]) & np.isneginf(joint[:, b])
            prior = model.class_log_prior_[a] - model.class_log_prior_[b]
            with np.errstate(invalid="ignore"):
                expected = np.where(both, prior, joint[:, a] - joint[:, b])
            np.testing.assert_allclose(evidence.log_odds(left, right), expected, atol=1e-9)
    assert alpha > 0 or np.isneginf(joint).any()


def test_evidence_names_columns_and_categories():
    X = pl.DataFrame({"colour": [0, 1, 2], "size": [1, 0, 1]})
    model = CategoricalNB().fit(X, ["a", "b", "b"])
    assert {term.term for term in model.evidence(X)[2].terms} == {"colour=2", "size=1"}
    named = model.evidence(X, feature_names=["c", "s"])
    assert {term.term for term in named[0].terms} == {"c=0", "s=1"}
    assert model.top_terms(1)["a"][0].term == "colour=0"
    with pytest.raises(ValueError, match="feature_names has 1 names"):
        model.evidence(X, feature_names=["c"])


def test_pickle_and_clone():
    X, y, _ = sample()
    model = CategoricalNB(alpha=0.5, n_jobs=1).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert clone(model).get_params() == model.get_params()


def test_no_warnings_without_smoothing():
    X, y, _ = sample(n=40, widths=(9, 9))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = CategoricalNB(alpha=0).fit(X, y)
        assert not np.isnan(model.predict_log_proba(X)).any()
