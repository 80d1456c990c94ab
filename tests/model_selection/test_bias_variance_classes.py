"""The 0/1 loss in parts: counted by hand, and against a plain reading of Domingos (2000)."""

import matplotlib
import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from quire.model_selection import bias_variance
from quire.model_selection._experiments.parts import SumOfErrors

matplotlib.use("Agg")
from matplotlib import pyplot


def summed(predictions, labels, truth=None):
    """The parts of the predictions, one row for each resample."""
    total = SumOfErrors(np.array(labels), None if truth is None else np.array(truth))
    for row in predictions:
        total.add(np.array(row))
    return total.parts()


def test_two_classes_by_hand():
    # three documents: always right; right in 3 of 4; right in 1 of 4
    parts = summed(
        [["a", "b", "b"], ["a", "b", "b"], ["a", "b", "a"], ["a", "a", "b"]],
        ["a", "b", "a"],
    )
    assert parts.main.tolist() == ["a", "b", "b"]
    assert parts.bias.tolist() == [0, 0, 1]
    assert parts.variance.tolist() == [0, 0.25, 0.25]
    assert parts.net_variance.tolist() == [0, 0.25, -0.25]
    assert parts.loss.tolist() == [0, 0.25, 0.75]
    assert parts.noise is None


def test_three_classes_by_hand():
    # the truth is "c"; the main prediction "a" is wrong, and of the differing ones 1 in 3 is right
    parts = summed([["a"], ["a"], ["a"], ["b"], ["b"], ["c"]], ["c"])
    assert parts.main.tolist() == ["a"]
    assert parts.bias.tolist() == [1]
    assert parts.variance.tolist() == [0.5]
    np.testing.assert_allclose(parts.net_variance, -0.5 / 3)
    np.testing.assert_allclose(parts.loss, 5 / 6)


def test_noise_by_hand():
    # the best class is 1 for both; the second was observed as 0; each is predicted 1 in 3 of 4
    parts = summed([[1, 1], [1, 1], [1, 1], [0, 0]], [1, 0], [1, 1])
    assert parts.bias.tolist() == [0, 0]
    assert parts.variance.tolist() == [0.25, 0.25]
    np.testing.assert_allclose(parts.noise, [0, 2 * 0.75 - 1])  # (2 P(f = y*) - 1) N
    np.testing.assert_allclose(parts.loss, [0.25, 0.75])


def test_ties_go_to_the_first_class_in_order():
    parts = summed([["b"], ["a"]], ["b"])
    assert parts.main.tolist() == ["a"]
    np.testing.assert_allclose(parts.bias + parts.net_variance, parts.loss)


def test_classes_that_no_test_document_has():
    parts = summed([[7, 1], [7, 1], [1, 3]], [1, 2])
    assert parts.main.tolist() == [7, 1]
    np.testing.assert_allclose(parts.loss, [2 / 3, 1])
    np.testing.assert_allclose(parts.bias + parts.net_variance, parts.loss)


def domingos(predictions, label, best):
    """Expected loss as c1 N + B + c2 V for one document, with the paper's coefficients."""
    values, counts = np.unique(predictions, return_counts=True)
    main = values[counts.argmax()]
    bias, variance = float(main != best), np.mean(predictions != main)
    c2 = 1.0
    if main != best:
        differing = predictions[predictions != main]
        c2 = -np.mean(differing == best) if len(differing) else 0.0
    c1 = 0.0
    if label != best:
        wrong = predictions[predictions != best]
        c1 = np.mean(predictions == best)
        c1 -= np.mean(predictions != best) * (np.mean(wrong == label) if len(wrong) else 0.0)
    return c1 * (label != best), bias, variance, c2 * variance


@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize("known", [False, True])
def test_random_predictions_equal_the_paper(n_classes, known):
    rng = np.random.default_rng(n_classes)
    predictions = rng.integers(n_classes, size=(11, 50))
    labels, best = rng.integers(n_classes, size=(2, 50))
    parts = summed(predictions, labels, best if known else None)
    expected = np.array(
        [
            domingos(column, label, right)
            for column, label, right in zip(
                predictions.T, labels, best if known else labels, strict=True
            )
        ]
    )
    if known:
        np.testing.assert_allclose(parts.noise, expected[:, 0], atol=1e-12)
    np.testing.assert_allclose(parts.bias, expected[:, 1])
    np.testing.assert_allclose(parts.variance, expected[:, 2], atol=1e-12)
    np.testing.assert_allclose(parts.net_variance, expected[:, 3], atol=1e-12)
    np.testing.assert_allclose(expected[:, [0, 1, 3]].sum(axis=1), parts.loss, atol=1e-12)
    np.testing.assert_allclose(parts.loss, (predictions != labels).mean(axis=0), atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("names", [np.array, lambda y: np.array([f"c{k}" for k in y])])
def test_classifiers_add_up(n_classes, names):
    X, y = make_classification(200, 8, n_informative=5, n_classes=n_classes, random_state=0)
    y = names(y)
    result = bias_variance(DecisionTreeClassifier(), X, y, cv=4, n_resamples=10, random_state=0)
    assert result.loss_name == "share of errors"
    assert sum(part.mean() for part in result.parts().values()) == pytest.approx(
        result.loss, abs=1e-12
    )
    assert result.bias + result.net_variance == pytest.approx(result.loss, abs=1e-12)
    assert list(result.parts()) == ["bias", "unbiased variance", "biased variance"]
    assert result.bias == np.mean(result.main_prediction != y[result.rows])
    assert (result.parts()["biased variance"] <= 0).all()
    if n_classes == 2:
        np.testing.assert_allclose(
            abs(result.net_variance_by_document), result.variance_by_document, atol=1e-12
        )


def test_labels_flipped_at_random_are_noise():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    best = X[:, 0] > 0
    y = best ^ (rng.uniform(size=400) < 0.2)
    result = bias_variance(LogisticRegression(), X, y, y_true=best, n_resamples=20, random_state=0)
    assert next(iter(result.parts())) == "noise"
    assert sum(part.mean() for part in result.parts().values()) == pytest.approx(
        result.loss, abs=1e-12
    )
    assert 0.1 < result.noise < 0.3
    assert result.bias < 0.1
    unknown = bias_variance(LogisticRegression(), X, y, n_resamples=20, random_state=0)
    assert unknown.noise is None
    assert unknown.bias > 0.1


def test_best_class_may_be_the_same_for_all():
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = [0, 0, 1] * 20
    result = bias_variance(LogisticRegression(), X, y, y_true=np.zeros(60, int), n_resamples=5)
    assert result.noise + result.bias + result.net_variance == pytest.approx(result.loss)


class Missing(ClassifierMixin, BaseEstimator):
    """Learns only the classes it happened to see, and is sure of the first."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)[::-1]
        return self

    def predict_proba(self, X):
        sure = np.zeros((len(X), len(self.classes_)))
        sure[:, 0] = 1
        return sure

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def test_brier_score():
    X, y = make_classification(150, 6, n_informative=4, n_classes=3, random_state=0)
    result = bias_variance(
        LogisticRegression(), X, y, loss="squared", n_resamples=6, random_state=0
    )
    assert result.loss_name == "Brier score"
    np.testing.assert_allclose(
        sum(result.parts().values()), result.loss_by_document, rtol=0, atol=1e-12
    )
    np.testing.assert_allclose(result.main_prediction.sum(axis=1), 1)
    truth = np.full((150, 3), 1 / 3)
    known = bias_variance(
        LogisticRegression(), X, y, loss="squared", y_true=truth, n_resamples=6, random_state=0
    )
    np.testing.assert_allclose(known.noise_by_document, 2 / 3)
    assert known.loss == result.loss
    with pytest.raises(ValueError, match="expected a column for each of 3 classes"):
        bias_variance(LogisticRegression(), X, y, loss="squared", y_true=y)


def test_brier_score_of_classes_that_come_and_go():
    X, y = np.zeros((4, 1)), ["a", "b", "b", "c"]
    # sure of "b" each time: wrong by 2 for "a" and "c", right for "b"
    result = bias_variance(
        Missing(), X, y, loss="squared", n_resamples=3, resampling=lambda rng: (X[:2], ["a", "b"])
    )
    assert result.loss_by_document.tolist() == [2, 0, 0, 2]
    with pytest.raises(ValueError, match="has class 'd', which y does not have"):
        bias_variance(Missing(), X, y, loss="squared", resampling=lambda rng: (X[:2], ["a", "d"]))
    fresh = bias_variance(Missing(), X, y, resampling=lambda rng: (X[:2], ["a", "d"]))
    assert fresh.main_prediction.tolist() == ["d"] * 4
    assert fresh.loss == 1


def test_plot_steps_down_for_biased_variance():
    X, y = make_classification(200, 8, flip_y=0.3, random_state=0)
    result = bias_variance(DecisionTreeClassifier(), X, y, random_state=0)
    bars = result.plot().patches
    assert bars[2].get_width() < 0
    assert bars[2].get_x() + bars[2].get_width() == pytest.approx(result.loss)
    assert "biased variance" in str(result)
    pyplot.close("all")
