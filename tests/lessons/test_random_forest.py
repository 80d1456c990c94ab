"""The lesson on random forests: votes and out-of-bag error counted by hand from the trees."""

import warnings

import numpy as np
import pytest
from tests.helpers.lessons import lesson

from quire.datasets import load_icu
from quire.ensemble import RandomForestClassifier
from quire.lessons import random_forest


@pytest.mark.parametrize("max_features", [1, 2])
def test_votes_and_out_of_bag_error_by_hand(max_features):
    made = lesson("random_forest")
    X, y = made.given["X"], made.given["y"]
    codes = np.searchsorted(np.unique(y), y)
    whole = RandomForestClassifier(25, max_features=max_features, random_state=0).fit(X, y)
    run = next(
        r for r in made.runs if r.values == {"n_estimators": 25, "max_features": max_features}
    )
    middle = np.mean([X[codes == k].mean(axis=0) for k in (0, 1)], axis=0)
    for step in run.steps[1:]:
        number = int(step.title.split()[-1])
        trees = whole.estimators_[:number]
        votes = np.bincount([int(tree.predict([middle])[0]) for tree in trees], minlength=2)
        assert step.numbers["votes"] == votes.tolist()
        shares = np.zeros((len(y), 2))
        for tree, sample in zip(trees, whole.estimators_samples_, strict=False):
            unseen = np.setdiff1d(np.arange(len(y)), sample)
            shares[unseen] += tree.predict_proba(X[unseen])
        judged = shares.sum(axis=1) > 0
        wrong = np.mean(shares[judged].argmax(axis=1) != codes[judged])
        assert step.numbers["out_of_bag_error"] == pytest.approx(wrong)
        assert step.numbers["judged"] == judged.sum()
        assert step.numbers["times"].sum() == len(y)


def test_the_forest_is_the_estimator():
    made = lesson("random_forest")
    forest = RandomForestClassifier(25, max_features=1, oob_score=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # every point is out of some bag
        forest.fit(made.given["X"], made.given["y"])
    last = made.start.steps[-1].numbers
    assert last["out_of_bag_error"] == pytest.approx(1 - forest.oob_score_)


def test_a_file():
    made = random_forest(load_icu(), columns=["heart_rate", "creatinine"], label="risk")
    assert "heart_rate" in made.html
    assert made.start.result["Right, of those kept out"].endswith("%")
