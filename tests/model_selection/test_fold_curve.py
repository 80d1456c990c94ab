"""What all curves share: means, one standard error, the rule of one of them, tables and text."""

from dataclasses import fields

import numpy as np
import pytest

from quire import model_selection
from quire.model_selection import (
    ComplexityCurve,
    FoldCurve,
    LearningCurve,
    PruningCurve,
    RiskCurve,
    VocabularyCurve,
)
from quire.model_selection._fold_statistics import mean_interval

KINDS = (FoldCurve, LearningCurve, ComplexityCurve, RiskCurve, PruningCurve, VocabularyCurve)
MEANS = np.array([0.6, 0.8, 0.78])
FOLDS = 0.1 * np.array([-1.0, 0.0, 1.0])
MORE = {
    FoldCurve: {"param": "depth"},
    ComplexityCurve: {"param": "depth"},
    RiskCurve: {"param": "depth"},
    PruningCurve: {"n_leaves": np.array([1, 2, 3])},
    VocabularyCurve: {"models": ("one", "two"), "vocabulary_sizes": np.array([9, 9, 9])},
}


def made(kind, means=MEANS, **more):
    scores = np.asarray(means)[:, None] + FOLDS
    if kind is VocabularyCurve:
        scores = np.stack([scores, scores - 0.3])
    given = {"values": np.array([1, 2, 3]), "scoring": "accuracy", "test_ratio": 0.5}
    return kind(test_scores=scores, **{**given, **MORE.get(kind, {}), **more})


def test_every_curve_is_one():
    names = {name for name in model_selection.__all__ if name.endswith("Curve")}
    assert names == {kind.__name__ for kind in KINDS}
    assert all(issubclass(kind, FoldCurve) for kind in KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_one_meaning_of_standard_error(kind):
    curve = made(kind, scoring="a score of one's own")
    np.testing.assert_allclose(curve.standard_error(), 0.1 / np.sqrt(3))
    low, high = curve.interval()
    wider = np.sqrt(1 / 3 + 0.5) / np.sqrt(1 / 3)  # the folds share training documents
    half = 4.302653 * wider * curve.standard_error()  # Student's quantile, two degrees of freedom
    np.testing.assert_allclose(high - low, 2 * half, rtol=1e-6)
    np.testing.assert_allclose(curve.table()["standard_error"], 0.1 / np.sqrt(3))


def test_intervals_stay_inside_the_scale_of_a_known_score():
    near = np.array([0.9, 0.5, 0.1])
    for scoring, scale in {
        "accuracy": (0, 1),
        "f1 macro": (0, 1),
        "share of errors": (0, 1),
        "squared error": (0, np.inf),
        "log loss": (0, np.inf),
    }.items():
        curve = made(FoldCurve, near, scoring=scoring)
        low, high = curve.interval()
        assert (low >= scale[0]).all()
        assert (high <= scale[1]).all()
        assert ((low < curve.mean()) & (curve.mean() < high)).all()
    _, low, high = mean_interval(near[0] + FOLDS, [(np.arange(10), np.arange(5))] * 3, scale=(0, 1))
    ends = made(FoldCurve, near, scoring="accuracy").interval()
    assert (ends[0][0], ends[1][0]) == pytest.approx((low, high))
    r2 = made(FoldCurve, near, scoring="R²").interval()
    assert (r2[1] < 1).all()
    # Scores that are outside are of something else by this name.
    other = made(FoldCurve, near + 0.2, scoring="accuracy").interval()
    assert other[1][0] > 1
    changed = np.array([[0.5, np.nan], [0.5, 0.6]])
    curve = FoldCurve(
        param="depth", values=np.arange(2), scoring="accuracy", test_scores=changed, test_ratio=0.5
    )
    low, high = curve.interval()
    assert np.isnan([low[0], high[0]]).all()
    assert np.isfinite([low[1], high[1]]).all()


@pytest.mark.parametrize("kind", KINDS)
def test_tables_have_a_row_for_each_point_and_fold(kind):
    curve = made(kind)
    points = 6 if kind is VocabularyCurve else 3
    assert curve.table().height == points
    frame = curve.to_frame()
    assert frame.height == points * 3
    np.testing.assert_array_equal(frame["test"], curve.test_scores.ravel())
    assert curve._repr_html_().startswith("<table>")
    assert "± 0.058" in str(curve)
    assert repr(curve).startswith(f"{kind.__name__}(param=")


@pytest.mark.parametrize("kind", [LearningCurve, ComplexityCurve, VocabularyCurve])
def test_the_smallest_value_near_the_best_score(kind):
    curve = made(kind, [0.77, 0.8, 0.79])
    assert curve.best()[-2:] == (2, pytest.approx(0.8))
    assert curve.one_standard_error()[-2:] == (1, pytest.approx(0.77))


def test_losses_and_penalties_are_the_other_way_round():
    curve = made(RiskCurve, [0.8, 0.77, 0.79], simpler="larger")
    assert curve.best() == (2, pytest.approx(0.77))
    assert curve.one_standard_error() == (3, pytest.approx(0.79))
    assert made(RiskCurve, [0.5, 0.5, 0.5]).best()[0] == 1  # the simplest of equal ones
    assert made(RiskCurve, [0.5, 0.5, 0.5], simpler="larger").best()[0] == 3


def test_numbers_are_shown_as_the_best_one_needs():
    text = str(made(RiskCurve, [0.25, 30.0, 2e7]))
    assert [line.split()[1] for line in text.splitlines()[3:]] == ["0.250", "30.000", "2.00e+07"]


def test_training_scores_may_be_missing():
    curve = made(FoldCurve)
    assert "training" not in str(curve)
    assert "train" not in curve.table().columns
    with pytest.raises(ValueError, match="no training scores"):
        curve.mean("train")
    with pytest.raises(ValueError, match="of is 'all'; expected 'test' or 'train'"):
        curve.mean("all")


def test_bands_show_a_standard_error_or_an_interval():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    curve = made(ComplexityCurve)
    for level, (low, high) in {
        None: (0.6 - 0.1 / np.sqrt(3), 0.8 + 0.1 / np.sqrt(3)),
        0.9: (curve.interval(level=0.9)[0].min(), curve.interval(level=0.9)[1].max()),
    }.items():
        heights = curve.plot(level=level).collections[0].get_paths()[0].vertices[:, 1]
        assert (heights.min(), heights.max()) == (pytest.approx(low), pytest.approx(high))
    pyplot.close("all")


def test_fields_have_one_name():
    shared = {field.name for field in fields(FoldCurve)}
    own = {kind: {field.name for field in fields(kind)} - shared for kind in KINDS}
    assert own == {
        FoldCurve: set(),
        LearningCurve: set(),
        RiskCurve: set(),
        ComplexityCurve: {"decompositions"},
        PruningCurve: {"n_leaves"},
        VocabularyCurve: {"models", "vocabulary_sizes"},
    }
