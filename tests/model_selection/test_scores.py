"""Scores of predictions against scikit-learn, by name, and what is said of each."""

import numpy as np
import polars as pl
import pytest
from sklearn import metrics

from quire._shared.reliability import calibration_bins, calibration_error
from quire.model_selection import metric_names
from quire.model_selection._scores.catalogue import (
    held_out_scores,
    measures_of,
    metric_of,
    metrics_of,
    needs_probabilities,
    needs_ranking,
    scale_of,
    trials_behind,
)
from quire.model_selection._scores.costs import cost_matrix
from quire.model_selection._scores.held_out import HeldOut


def drawn(n_classes, n=120, seed=0):
    """Draw labels, tied probabilities, decisions of another order and predictions."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_classes, n)
    shares = rng.dirichlet(np.ones(n_classes), n) + np.eye(n_classes)[codes] / 2
    P = rng.multinomial(100, shares / 1.5) / 100
    ranking = P[:, 1].round(1) if n_classes == 2 else P.round(1)
    predicted = np.where(rng.random(n) < 0.2, 0, P.argmax(axis=1))
    return codes, predicted, P, ranking


def of_labels(name):
    for kind in ("precision", "recall", "f1", "jaccard"):
        if name.startswith(kind):
            average = name.removeprefix(kind).removeprefix("_") or "binary"
            score = getattr(metrics, f"{kind}_score")
            return lambda y, p, P, r: score(y, p, average=average, zero_division=0)
    return {
        "accuracy": lambda y, p, P, r: metrics.accuracy_score(y, p),
        "balanced_accuracy": lambda y, p, P, r: metrics.balanced_accuracy_score(y, p),
        "matthews_corrcoef": lambda y, p, P, r: metrics.matthews_corrcoef(y, p),
        "cohen_kappa": lambda y, p, P, r: metrics.cohen_kappa_score(y, p),
        "quadratic_kappa": lambda y, p, P, r: metrics.cohen_kappa_score(y, p, weights="quadratic"),
        "roc_auc": lambda y, p, P, r: roc(y, P, r, "macro"),
        "roc_auc_ovr": lambda y, p, P, r: roc(y, P, r, "macro"),
        "roc_auc_ovr_weighted": lambda y, p, P, r: roc(y, P, r, "weighted"),
        "average_precision": lambda y, p, P, r: metrics.average_precision_score(y, r),
        "neg_log_loss": lambda y, p, P, r: -metrics.log_loss(y, P),
        "neg_brier_score": lambda y, p, P, r: -metrics.brier_score_loss(y, P),
        "roc_auc_ovo": lambda y, p, P, r: metrics.roc_auc_score(
            y, P if P.shape[1] > 2 else P[:, 1], multi_class="ovo"
        ),
        "top_k_accuracy": lambda y, p, P, r: metrics.top_k_accuracy_score(y, r, k=2),
        "fowlkes_mallows_score": lambda y, p, P, r: metrics.fowlkes_mallows_score(y, p),
    }[name]


def roc(y, P, r, average):
    if P.shape[1] == 2:
        return metrics.roc_auc_score(y, r)
    return metrics.roc_auc_score(y, P, multi_class="ovr", average=average)


NAMES = [
    *(
        f"{kind}_{average}"
        for kind in ("precision", "recall", "f1", "jaccard")
        for average in ("macro", "micro", "weighted")
    ),
    "accuracy", "balanced_accuracy", "matthews_corrcoef", "cohen_kappa", "quadratic_kappa",
    "roc_auc", "roc_auc_ovr", "roc_auc_ovr_weighted", "average_precision", "neg_log_loss",
    "neg_brier_score", "roc_auc_ovo", "fowlkes_mallows_score",
]  # fmt: skip


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("name", NAMES)
def test_scores_are_those_of_scikit_learn(name, n_classes):
    held = drawn(n_classes)
    found = held_out_scores((name,), *held)[name]
    assert found == pytest.approx(of_labels(name)(*held), rel=1e-10)


@pytest.mark.parametrize("name", ["precision", "recall", "f1", "jaccard"])
def test_scores_of_the_second_of_two_classes(name):
    held = drawn(2)
    assert held_out_scores((name,), *held)[name] == pytest.approx(of_labels(name)(*held))
    assert "binary" in metric_of(name).tasks
    nothing = held_out_scores((name,), held[0], np.zeros_like(held[0]), *held[2:])
    assert nothing[name] == 0.0


def test_scores_of_numbers():
    rng = np.random.default_rng(0)
    truth = rng.gamma(2.0, size=60)
    predicted = truth * rng.uniform(0.5, 1.5, 60)
    expected = {
        "neg_mean_absolute_error": -metrics.mean_absolute_error(truth, predicted),
        "neg_mean_squared_error": -metrics.mean_squared_error(truth, predicted),
        "neg_root_mean_squared_error": -metrics.root_mean_squared_error(truth, predicted),
        "r2": metrics.r2_score(truth, predicted),
        "explained_variance": metrics.explained_variance_score(truth, predicted),
        "neg_max_error": -metrics.max_error(truth, predicted),
        "neg_median_absolute_error": -metrics.median_absolute_error(truth, predicted),
        "neg_mean_gamma_deviance": -metrics.mean_gamma_deviance(truth, predicted),
    }
    found = held_out_scores(tuple(expected), truth, predicted)
    assert found == pytest.approx(expected)
    same = held_out_scores(("r2",), np.ones(4), np.ones(4))
    assert same["r2"] == metrics.r2_score(np.ones(4), np.ones(4)) == 1.0


@pytest.mark.parametrize("task", ["binary", "multiclass", "ordered", "continuous"])
def test_every_name_is_a_number_or_says_that_it_is_not_known(task):
    """Every name that fits a task can be computed, with and without probabilities."""
    names = tuple(metric_names(task))
    assert set(metrics_of(task, None)) <= set(names)
    if task == "continuous":
        truth = np.linspace(1, 2, 20)
        found = held_out_scores(names, truth, truth + 0.1)
        assert all(np.isfinite(value) for value in found.values())
        return
    n_classes = 2 if task == "binary" else 4
    codes, predicted, P, ranking = drawn(n_classes)
    costs = np.ones((n_classes, n_classes)) - np.eye(n_classes)
    names = tuple(name for name in names if not (name == "top_k_accuracy" and n_classes == 2))
    found = held_out_scores(names, codes, predicted, P, ranking, costs)
    for name, value in found.items():
        least, most = scale_of(name, costs, n_classes)
        assert least <= value <= most, name
        assert scale_of(name)[0] <= value <= scale_of(name)[1]
    bare = held_out_scores(names, codes, predicted, costs=costs)
    for name in names:
        unknown = needs_probabilities([name]) or needs_ranking([name])
        assert np.isnan(bare[name]) == unknown, name


def test_weights_are_repeated_documents():
    for n_classes in (2, 4):
        codes, predicted, P, ranking = drawn(n_classes)
        w = np.random.default_rng(1).integers(0, 4, len(codes))
        rows = np.repeat(np.arange(len(codes)), w)
        costs = np.arange(n_classes**2).reshape(n_classes, n_classes) / 3
        names = [name for name in metric_names("binary" if n_classes == 2 else "ordered")
                 if name != "top_k_accuracy"]  # fmt: skip
        held = HeldOut(codes, predicted, P, ranking, costs)
        again = HeldOut(codes[rows], predicted[rows], P[rows], ranking[rows], costs)
        weighted, repeated = measures_of(names, held), measures_of(names, again)
        for name in names:
            expected = repeated[name](np.ones(len(rows)))
            assert weighted[name](w.astype(float)) == pytest.approx(expected), name


def test_a_class_that_does_not_occur_has_no_area():
    codes, predicted, P, ranking = drawn(4)
    codes = np.where(codes == 3, 0, codes)
    each = [metrics.roc_auc_score(codes == k, P[:, k]) for k in range(3)]
    found = held_out_scores(("roc_auc", "average_precision"), codes, predicted, P, ranking)
    assert found["roc_auc"] == pytest.approx(np.mean(each))
    each = [metrics.average_precision_score(codes == k, ranking[:, k]) for k in range(3)]
    assert found["average_precision"] == pytest.approx(np.mean(each))
    one = np.zeros(5, dtype=int)
    assert np.isnan(held_out_scores(("roc_auc",), one, one, None, np.ones(5))["roc_auc"])


def test_calibration_error_by_hand():
    p = np.array([0.1, 0.2, 0.3, 0.3, 0.3, 0.9, 0.95, 1.0])
    is_so = np.array([0, 0, 1, 0, 1, 1, 1, 1]) == 1
    # Two bins: the three equal ones have their middle at 3.5 of 8, so that they are in the first.
    first, second = calibration_bins(p, is_so, 2)
    assert (first.low, first.high, first.documents) == (0.1, 0.3, 5)
    assert (first.predicted, first.observed) == pytest.approx((0.24, 0.4))
    assert (second.low, second.high, second.documents, second.observed) == (0.9, 1.0, 3, 1.0)
    assert calibration_error(p, is_so, 2) == pytest.approx((5 * 0.16 + 3 * 0.05) / 8)
    order = np.random.default_rng(0).permutation(8)
    assert calibration_error(p[order], is_so[order], 2) == pytest.approx(0.11875)
    assert calibration_error(np.full(6, 0.5), np.arange(6) < 3) == 0
    assert len(calibration_bins(np.full(6, 0.5), np.arange(6) < 3)) == 1
    P = np.column_stack([1 - p, p])
    found = held_out_scores(("neg_calibration_error",), is_so.astype(int), is_so.astype(int), P)
    assert found["neg_calibration_error"] == pytest.approx(-calibration_error(p, is_so, 10))


def test_costs_are_read():
    classes = np.array(["a", "b"])
    expected = [[0, 2], [5, -1]]
    ways = [
        expected,
        np.array(expected),
        {("a", "b"): 2, ("b", "a"): 5, ("b", "b"): -1},
        {"a": {"b": 2}, "b": {"a": 5, "b": -1}},
        pl.DataFrame({"b": [2, -1], "a": [0, 5]}),
    ]
    for costs in ways:
        assert cost_matrix(costs, classes).tolist() == expected
    assert cost_matrix({("1", "0"): 3}, np.array([0, 1])).tolist() == [[0, 1], [3, 0]]
    for costs, message in [
        ({("a", "c"): 1}, "names 'c', which is no class; there are: 'a', 'b'"),
        ({"a": 1}, "expected pairs of a true and a predicted class"),
        ({("a", "b"): "x"}, r"'x' for \('a', 'b'\)"),
        ({("a", "b"): float("nan")}, "expected a number"),
        ([[0, 1]], r"shape \(1, 2\); 2 classes need \(2, 2\)"),
        ([[0, np.inf], [1, 0]], "missing or infinite"),
        ("cheap", "expected a mapping such as"),
        (pl.DataFrame({"a": [0, 1]}), "columns for 1 of 2 classes"),
    ]:
        with pytest.raises(ValueError, match=message):
            cost_matrix(costs, classes)


def test_names():
    assert metrics_of("binary", "pr_auc")[0] == "average_precision"
    assert metrics_of("continuous", "rmse")[0] == "neg_root_mean_squared_error"
    assert metrics_of("multiclass", None)[0] == "accuracy"
    assert len(set(metrics_of("binary", "roc_auc"))) == len(metrics_of("binary", None))
    for name, message in [
        ("f1_makro", "Did you mean 'f1_macro' or"),
        ("nothing like it at all", "^There is no metric called .*[^?] For the task 'binary' there"),
        ("r2", "does not fit the task 'binary'; these do: accuracy,"),
        ("f1_samples", "for several labels of one document; choose 'f1_macro'"),
    ]:
        with pytest.raises(ValueError, match=message):
            metrics_of("binary", name)
    with pytest.raises(TypeError, match="expected the name of a score"):
        metrics_of("binary", metrics.f1_score)
    with pytest.raises(ValueError, match="task must be one of binary"):
        metric_names("both")


def test_what_a_score_counts():
    codes = np.repeat([0, 1, 2], [10, 20, 70])
    assert trials_behind("accuracy", codes) == (100, True)
    assert trials_behind("roc_auc", codes) == (10, False)
    n, is_share = trials_behind("balanced_accuracy", codes)
    assert n == pytest.approx(9 / (1 / 10 + 1 / 20 + 1 / 70))
    assert not is_share
    assert trials_behind("neg_log_loss", codes) == trials_behind("r2", None) == (0, False)
