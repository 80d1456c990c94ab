"""Bagging by majority vote: counted by hand, ties, out-of-bag votes, any model."""

import numpy as np
import pytest
import sklearn.ensemble
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import RidgeClassifier

import quire
from quire.ensemble import BaggingClassifier
from quire.inspection import explain
from quire.linear_model import LogisticRegression
from quire.tree import DecisionTreeClassifier

X, CODES = make_classification(
    200, 6, n_informative=4, n_classes=3, n_clusters_per_class=1, flip_y=0.3, random_state=0
)
Y = np.array(["low", "mid", "top"])[CODES]
SHALLOW = DecisionTreeClassifier(max_depth=2, random_state=0)
MODELS = [
    {},
    {"estimator": SHALLOW},
    {"estimator": SHALLOW, "max_features": 3},
    {"estimator": LogisticRegression()},
    {"estimator": RidgeClassifier()},  # has no probabilities
]


def counted(model, rows, asked=None):
    """Count the votes one by one."""
    votes = np.zeros((len(rows), len(model.classes_)))
    for number, (one, columns) in enumerate(
        zip(model.estimators_, model.estimators_features_, strict=True)
    ):
        for i, code in enumerate(one.predict(rows[:, columns])):
            if asked is None or asked[number][i]:
                votes[i, int(code)] += 1
    return votes


@pytest.mark.parametrize("settings", MODELS)
def test_the_majority_wins_and_probabilities_are_shares_of_votes(settings) -> None:
    model = BaggingClassifier(n_estimators=15, voting="hard", random_state=0, **settings).fit(X, Y)
    votes = counted(model, X)
    np.testing.assert_allclose(model.predict_proba(X), votes / 15)
    np.testing.assert_array_equal(model.predict(X), model.classes_[votes.argmax(axis=1)])
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(model.predict_log_proba(X), np.log(votes / 15))


def test_soft_and_hard_votes_differ_and_soft_is_as_before() -> None:
    settings = {"n_estimators": 15, "random_state": 0}
    soft = BaggingClassifier(SHALLOW, **settings).fit(X, Y)
    hard = BaggingClassifier(SHALLOW, voting="hard", **settings).fit(X, Y)
    assert not np.array_equal(soft.predict(X), hard.predict(X))
    theirs = sklearn.ensemble.BaggingClassifier(SHALLOW, **settings).fit(X, Y)
    np.testing.assert_allclose(soft.predict_proba(X), theirs.predict_proba(X))


def test_of_equally_many_votes_the_first_class_wins() -> None:
    model = BaggingClassifier(SHALLOW, n_estimators=2, voting="hard", random_state=1).fit(X, Y)
    votes = counted(model, X)
    tied = (votes == 1).sum(axis=1) == 2
    assert tied.any()
    first = [model.classes_[np.flatnonzero(row)[0]] for row in votes[tied]]
    assert model.predict(X[tied]).tolist() == first


@pytest.mark.parametrize("settings", MODELS)
def test_out_of_bag_votes_are_of_models_that_have_not_seen_the_row(settings) -> None:
    model = BaggingClassifier(
        n_estimators=40, voting="hard", oob_score=True, random_state=0, **settings
    ).fit(X, Y)
    unseen = [~np.isin(np.arange(len(X)), drawn) for drawn in model.estimators_samples_]
    votes = counted(model, X, unseen)
    shares = votes / votes.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.oob_decision_function_, shares)
    assert model.oob_score_ == np.mean(votes.argmax(axis=1) == CODES)
    with pytest.warns(UserWarning, match="Some inputs do not have OOB scores"):
        BaggingClassifier(n_estimators=2, voting="hard", oob_score=True, random_state=0).fit(X, Y)


def test_votes_are_explained_and_saved(tmp_path) -> None:
    model = BaggingClassifier(SHALLOW, n_estimators=7, voting="hard", random_state=0).fit(X, Y)
    found = explain(model, X[0])
    total = found.offset + sum(term.contribution for term in found.terms)
    best = model.predict(X[:1])[0]
    share = model.predict_proba(X[:1])[0][list(model.classes_).index(best)]
    assert total + getattr(found, "rest", 0.0) == pytest.approx(share)
    loaded = quire.load(quire.save(model, tmp_path / "bag.quire"))
    assert np.array_equal(loaded.predict_proba(X), model.predict_proba(X))


def test_voting_is_checked() -> None:
    with pytest.raises(ValueError, match="The 'voting' parameter of BaggingClassifier"):
        BaggingClassifier(voting="loud").fit(*load_iris(return_X_y=True))
