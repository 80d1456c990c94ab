"""How sure scores on one set of held-out documents are."""

import numpy as np
import pytest
from scipy.stats import binom

from quire.datasets import make_text_classification
from quire.model_selection import compare, evaluate
from quire.model_selection._compare.one_split import p_of_draws, p_of_shares

DATA = make_text_classification(500, n_classes=2, separation=4.0, random_state=0)
SPLIT = ["train"] * 300 + ["test"] * 200
MODELS = ["logistic", "multinomial-nb", "linear-svm", "majority"]


@pytest.fixture(scope="module")
def found():
    return compare(DATA.texts, DATA.y, MODELS, split=SPLIT, features="words")


def test_accuracy_is_compared_by_the_documents_that_only_one_has_right(found):
    rows = found.folds[0][1]
    best, worst = found.best, found["majority"]
    right = [trial.predicted[rows] == found.codes[rows] for trial in (best, worst)]
    n = int((right[0] != right[1]).sum())
    less = min(int((right[0] & ~right[1]).sum()), int((right[1] & ~right[0]).sum()))
    assert found.p_value(worst) == pytest.approx(min(1.0, 2 * binom.cdf(less, n, 0.5)))
    assert found.p_value(worst) < 0.001
    assert found.p_value(best) == 1.0


@pytest.mark.parametrize("metric", ["f1_macro", "roc_auc", "neg_log_loss", "neg_brier_score"])
def test_other_scores_are_drawn_again(metric):
    found = compare(DATA.texts, DATA.y, MODELS, split=SPLIT, features="words", metric=metric)
    value, low, high = found.interval(found.best)
    assert low < value < high
    assert value == found.best.scores[metric][0] == found.mean(found.best)
    assert found.p_value(found["majority"]) < 0.05
    assert found.p_value(found.best) == 1.0


def test_intervals_are_those_of_evaluate(found):
    trial = found["logistic"]
    rows = found.folds[0][1]
    model = trial.estimator.fit([DATA.texts[k] for k in range(300)], DATA.y[:300])
    other = evaluate(model, [DATA.texts[k] for k in rows], DATA.y[rows])
    for metric in ("accuracy", "f1_macro", "roc_auc"):
        score = other.scores[metric]
        # F1 has an interval of its own there; elsewhere draws are the same.
        tolerance = 0.02 if metric == "f1_macro" else 1e-9
        np.testing.assert_allclose(found.interval(trial, metric), score, atol=tolerance)


def test_a_support_vector_machine_has_a_ranking(found):
    trial = found["linear-svm"]
    assert trial.probabilities is None
    low, high = found.interval(trial, "roc_auc")[1:]
    assert low < trial.scores["roc_auc"][0] < high
    assert np.isnan(found.interval(trial, "neg_log_loss").low)


def test_it_is_the_same_each_time(found):
    again = compare(DATA.texts, DATA.y, MODELS, split=SPLIT, features="words")
    for trial in found:
        assert again.interval(again[trial.name], "roc_auc") == found.interval(trial, "roc_auc")
    assert again.to_frame()["p_value"].to_list() == found.to_frame()["p_value"].to_list()


def test_folds_are_compared_as_before():
    found = compare(DATA.texts, DATA.y, MODELS[:2], features="words", cv=3)
    assert all(trial.ranking is None for trial in found)
    assert 0 < found.p_value(found.trials[1]) <= 1


def test_models_that_agree_everywhere():
    right = np.array([True, False, True])
    assert p_of_shares(right, right) == 1.0
    assert p_of_draws(np.ones(9), np.ones(9)) == 1.0
    assert np.isnan(p_of_draws(np.full(9, np.nan), np.ones(9)))


def test_the_p_value_is_right_under_no_difference():
    rng = np.random.default_rng(0)
    p = [p_of_shares(*(rng.random((2, 400)) < 0.8)) for _ in range(2000)]
    assert 0.025 < np.mean(np.array(p) < 0.05) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 2000)


def test_numbers_have_intervals_too():
    rng = np.random.default_rng(0)
    y = np.array([text.count("a") for text in DATA.texts]) + rng.normal(size=500)
    found = compare(DATA.texts, y, ["ridge", "mean"], split=SPLIT, features="words")
    value, low, high = found.interval(found.best)
    assert low < value < high
    assert np.isfinite(found.p_value(found.trials[1]))
