"""Scores of several labels: each against scikit-learn's function, and as sums over documents."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import metrics

from quire.model_selection import metric_names
from quire.model_selection._scores.catalogue import (
    held_out_scores,
    measures_of,
    metric_of,
    metrics_of,
    scale_of,
)
from quire.model_selection._scores.held_out import HeldOut

RNG = np.random.default_rng(0)
TRUE = (RNG.random((80, 7)) < [0.5, 0.4, 0.3, 0.2, 0.1, 0.1, 0.0]).astype(int)
PREDICTED = (RNG.random((80, 7)) < 0.2 + 0.5 * TRUE).astype(int)
PREDICTED[:, 6] = 0  # a label that is neither there nor predicted
TRUE[:3] = PREDICTED[:3] = PREDICTED[3] = 0
RANKING = np.round(RNG.normal(size=(80, 7)) + TRUE, 1)  # with ties


def ours(name):
    codes, predicted = sparse.csr_array(TRUE), sparse.csr_array(PREDICTED)
    return held_out_scores((name,), codes, predicted, None, RANKING)[name]


@pytest.mark.parametrize("kind", ["f1", "precision", "recall", "jaccard"])
@pytest.mark.parametrize("average", ["micro", "macro", "weighted", "samples"])
def test_scores_of_labels_are_those_of_scikit_learn(kind, average):
    function = getattr(metrics, f"{kind}_score")
    true, predicted = TRUE[:, :6], PREDICTED[:, :6]
    options = {"average": average, "zero_division": 0}
    expected = function(true, predicted, **options)
    if average == "samples":
        nothing = (true.sum(axis=1) == 0) & (predicted.sum(axis=1) == 0)
        expected += nothing.mean()  # none, and none predicted: all right
    assert ours(f"{kind}_{average}") == pytest.approx(expected)


def test_other_scores_are_those_of_scikit_learn():
    assert ours("accuracy") == pytest.approx(metrics.accuracy_score(TRUE, PREDICTED))
    assert ours("neg_hamming_loss") == pytest.approx(-metrics.hamming_loss(TRUE, PREDICTED))
    assert ours("average_precision") == pytest.approx(
        metrics.average_precision_score(TRUE[:, :6], RANKING[:, :6], average="macro")
    )
    assert ours("average_precision_micro") == pytest.approx(
        metrics.average_precision_score(TRUE, RANKING, average="micro")
    )
    assert ours("label_ranking_average_precision") == pytest.approx(
        metrics.label_ranking_average_precision_score(TRUE, RANKING)
    )


@pytest.mark.parametrize("name", metric_names("multilabel"))
def test_a_document_that_counts_twice_is_there_twice(name):
    weights = RNG.integers(0, 3, 80)
    rows = np.repeat(np.arange(80), weights)

    def measure(rows):
        held = HeldOut(
            sparse.csr_array(TRUE[rows]), sparse.csr_array(PREDICTED[rows]), None, RANKING[rows]
        )
        return measures_of((name,), held)[name]

    once = measure(rows)(np.ones(len(rows)))
    assert measure(np.arange(80))(weights.astype(float)) == pytest.approx(once)
    low, high = scale_of(name)
    assert low <= once <= high
    assert np.isnan(measure(np.arange(80))(np.zeros(80)))


def test_without_a_ranking_a_score_of_ranks_is_not_known():
    codes = sparse.csr_array(TRUE)
    for name in ("average_precision", "average_precision_micro", "label_ranking_average_precision"):
        assert np.isnan(held_out_scores((name,), codes, codes)[name])


def test_names_of_the_task():
    assert metrics_of("multilabel", None)[:3] == ("f1_micro", "f1_macro", "f1_samples")
    assert metrics_of("multilabel", "lrap")[0] == "label_ranking_average_precision"
    assert metric_of("hamming_loss", "multilabel").name == "neg_hamming_loss"
    assert metric_of("f1_samples", "multilabel").name == "f1_samples"
    with pytest.raises(ValueError, match="several labels of one document"):
        metric_of("f1_samples", "multiclass")
    with pytest.raises(ValueError, match=r"no metric called 'roc_auc'.*f1_micro"):
        metric_of("roc_auc", "multilabel")
