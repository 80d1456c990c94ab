"""Calibration in reports: intervals of bins, what is said of bad ones, before and after."""

import dataclasses

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import PredefinedSplit, cross_val_predict
from tests.helpers.comparisons import classified, corpus

from quire._shared.shares import wilson
from quire.datasets import make_text_classification
from quire.model_selection import compare
from quire.report import render, report, summarise
from quire.report._comparison import calibration as subject


def _with_probabilities(P, truth):
    texts, y = corpus(40, 2)
    comparison = classified(texts, y)
    n, n_classes = P.shape
    names = np.array([f"c{k}" for k in range(n_classes)])
    trial = dataclasses.replace(
        comparison.best, predicted=P.argmax(axis=1).astype(np.int32), probabilities=P, classes=names
    )
    rows = np.arange(n)
    folds = [(rows[rows % 4 != k], rows[rows % 4 == k]) for k in range(4)]
    task = "binary" if n_classes == 2 else "multiclass"
    return dataclasses.replace(
        comparison, task=task, y=names[truth], classes=names, folds=folds, trials=(trial,)
    )


def _two_classes(n, sharpness, seed=0):
    """Return probabilities whose log-odds are too large by a factor, and what is true."""
    rng = np.random.default_rng(seed)
    f = rng.normal(size=n) * 1.5
    truth = (rng.random(n) < 1 / (1 + np.exp(-f))).astype(int)
    p = 1 / (1 + np.exp(-sharpness * f))
    return np.column_stack([1 - p, p]), truth


def test_shares_of_bins_have_wilsons_interval():
    P, truth = _two_classes(500, 1.0)
    found = summarise(_with_probabilities(P, truth), ["x"] * 500).calibration[0]
    order = np.argsort(P[:, 1])
    for k, rows in enumerate(np.split(order, 10)):
        share = wilson(int(truth[rows].sum()), 50)
        assert (found.observed[k], found.low[k], found.high[k]) == pytest.approx(share)
    assert found.claimed == pytest.approx(P.max(axis=1).mean())
    assert found.came == pytest.approx((P.argmax(axis=1) == truth).mean())
    page = render(summarise(_with_probabilities(P, truth), ["x"] * 500))
    assert f"{found.ece:.3f} ({found.ece_low:.3f} to {found.ece_high:.3f})" in page


def test_right_probabilities_are_not_blamed():
    P, truth = _two_classes(3000, 1.0)
    data = summarise(_with_probabilities(P, truth), ["x"] * 3000)
    assert not data.calibration[0].is_bad
    assert data.calibrated is None
    assert subject.calibration_warnings(data) == []
    assert "cannot be taken at their word" not in render(data)


@pytest.mark.parametrize(("sharpness", "word"), [(4.0, "too sure"), (0.3, "too careful")])
def test_wrong_probabilities_are_said_with_the_remedy(sharpness, word):
    P, truth = _two_classes(3000, sharpness)
    data = summarise(_with_probabilities(P, truth), ["x"] * 3000)
    assert data.calibration[0].is_bad
    (says,) = subject.calibration_warnings(data)
    assert word in says
    assert f"--calibrate {data.calibrated.method}" in says
    assert render(data).count("cannot be taken at their word") == 2  # in short, and where it is
    assert data.calibrated.is_estimate
    assert data.calibrated.before == data.calibration[0]
    assert data.calibrated.after.ece < 0.25 * data.calibrated.before.ece
    assert not data.calibrated.after.is_bad


def test_the_estimate_is_what_maps_of_the_other_folds_make():
    P, truth = _two_classes(800, 4.0)
    comparison = _with_probabilities(P, truth)
    f = np.log(P[:, 1]) - np.log(P[:, 0])
    parts = subject._parts(comparison, np.ones(800, dtype=bool), truth)
    folds = PredefinedSplit(np.arange(800) % 4)

    # Platt's sigmoid is a logistic regression on the score, but for his targets.
    model = LogisticRegression(C=np.inf)
    expected = cross_val_predict(model, f[:, None], truth, cv=folds, method="predict_proba")
    found = subject._mapped("sigmoid", P, truth, parts)
    np.testing.assert_allclose(found, expected, atol=0.02)
    assert log_loss(truth, found) == pytest.approx(log_loss(truth, expected), abs=2e-3)


def test_several_classes_and_one_split():
    rng = np.random.default_rng(0)
    F = rng.normal(size=(2000, 4))
    Q = np.exp(F) / np.exp(F).sum(axis=1, keepdims=True)
    truth = np.array([rng.choice(4, p=q) for q in Q])
    P = Q**3 / (Q**3).sum(axis=1, keepdims=True)
    comparison = _with_probabilities(P, truth)
    data = summarise(comparison, ["x"] * 2000)
    assert data.calibrated.after.ece < 0.3 * data.calibrated.before.ece
    np.testing.assert_allclose(
        subject._mapped("temperature", P, truth, subject._parts(comparison, truth >= 0, truth)),
        Q,
        atol=0.03,
    )
    rows = np.arange(2000)
    split = dataclasses.replace(comparison, folds=[(rows[:500], rows[500:])])
    score = {name: values[:1] for name, values in comparison.best.scores.items()}
    split = dataclasses.replace(split, trials=(dataclasses.replace(comparison.best, scores=score),))
    data = summarise(split, ["x"] * 2000)
    assert sum(data.calibrated.after.counts) == 1500
    assert data.calibrated.after.ece < 0.3 * data.calibrated.before.ece


def test_a_model_that_was_calibrated_is_shown_before_and_after():
    data = make_text_classification(600, n_classes=2, separation=2.0, random_state=0)
    found = compare(data.texts, data.y, ["multinomial-nb"], cv=3, tune=False, calibrate="sigmoid")
    made = report(found, data.texts)
    shown, own = made.data.calibrated, found.model[-1].reliability_
    assert not shown.is_estimate
    assert shown.method == "sigmoid"
    assert shown.before.ece == own["before"]["calibration_error"]
    assert shown.after.log_loss == own["after"]["log_loss"]
    assert "By the map that was chosen, sigmoid" in made.html
    with_threshold = compare(
        data.texts, data.y, ["multinomial-nb"], cv=3, tune=False, calibrate="sigmoid", threshold=0.4
    )
    assert summarise(with_threshold, data.texts).calibrated.method == "sigmoid"


def test_a_model_without_probabilities_is_told_how_to_have_some():
    data = make_text_classification(200, n_classes=2, random_state=0)
    found = compare(data.texts, data.y, ["linear-svm", "majority"], cv=3, tune=False)
    assert "gives no probabilities; --calibrate sigmoid" in report(found, data.texts).html
