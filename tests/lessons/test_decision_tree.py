"""The lesson on decision trees: impurity by hand, and the divisions of the estimator."""

import numpy as np
import polars as pl
import pytest
from tests.helpers.lessons import lesson, numbers

from quire.datasets import load_icu
from quire.lessons import decision_tree
from quire.tree import DecisionTreeClassifier


def gini(labels):
    _, counts = np.unique(labels, return_counts=True)
    shares = counts / counts.sum()
    return float(np.sum(shares * (1 - shares)))


def test_impurity_by_hand():
    made = lesson("decision_tree")
    X, y = made.given["X"], made.given["y"]
    steps = made.start.steps
    assert steps[0].numbers["impurity"] == pytest.approx(gini(y))
    first = steps[1].numbers
    left = X[:, first["feature"]] <= first["threshold"]
    by_hand = left.mean() * gini(y[left]) + (~left).mean() * gini(y[~left])
    assert first["impurity"] == pytest.approx(by_hand)
    worse = [
        (X[:, j] <= t).mean() * gini(y[X[:, j] <= t]) + (X[:, j] > t).mean() * gini(y[X[:, j] > t])
        for j in (0, 1)
        for t in np.unique(X[:, j])[:-1]
    ]
    assert by_hand <= min(worse) + 1e-12


def test_the_divisions_are_those_of_the_estimator():
    made = lesson("decision_tree")
    for run in made.runs:
        model = DecisionTreeClassifier(
            max_depth=run.values["max_depth"], criterion=run.values["criterion"], random_state=0
        ).fit(made.given["X"], made.given["y"])
        assert run.result["Leaves"] == model.get_n_leaves()
        asked = [step.numbers["node"] for step in run.steps[1:]]
        assert sorted(asked) == np.flatnonzero(model.tree_.children_left >= 0).tolist()
        impurities = [step.numbers["impurity"] for step in run.steps]
        assert impurities == sorted(impurities, reverse=True)
    assert numbers("decision_tree", "Ask", max_depth=1)["n_leaves"] == 2


def test_a_file_with_three_classes_and_missing_values(tmp_path):
    icu = load_icu().with_columns(
        ward=pl.when(pl.col("age") > 70).then(pl.lit("old")).otherwise("risk")
    )
    path = tmp_path / "icu.csv"
    icu.write_csv(path)
    made = decision_tree(path, columns=["heart_rate", "creatinine"], label="ward")
    assert "rows without a number or a class" in made.html
    assert "heart_rate ≤" in made.html
    assert made.runs[-1].result["Right, of those kept out"].endswith("%")
