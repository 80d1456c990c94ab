"""A finished curve: what it says, as numbers, text, table and picture."""

import sys
from dataclasses import FrozenInstanceError

import matplotlib
import numpy as np
import pytest
from sklearn.naive_bayes import BernoulliNB, MultinomialNB

from quire.datasets import make_text_classification
from quire.model_selection import VocabularyCurve, vocabulary_curve

matplotlib.use("Agg")
from matplotlib import pyplot

MODELS = {"multinomial": MultinomialNB(), "bernoulli": BernoulliNB()}
DATA = make_text_classification(120, n_classes=3, n_words=300, n_informative=20, mean_length=20)
TEXTS, Y = DATA.texts, DATA.y


def curve_of(texts=TEXTS, y=Y, **options):
    return vocabulary_curve(texts, y, **{"models": MODELS, **options})


def made_curve(multinomial, bernoulli, sizes=(10, 100, 1000)):
    """A curve whose scores are known, from one list of means for each model."""
    means = np.array([multinomial, bernoulli], dtype=float)
    scores = means[:, :, None] + np.array([-0.1, 0.0, 0.1])
    folds = np.array([1000, 900, 800])
    return VocabularyCurve(
        values=np.array(sizes),
        models=("multinomial", "bernoulli"),
        test_scores=scores,
        vocabulary_sizes=folds,
        scoring="accuracy",
        test_ratio=0.5,
    )


def test_mean_and_standard_error():
    curve = made_curve([0.3, 0.5, 0.8], [0.4, 0.5, 0.6])
    np.testing.assert_allclose(curve.mean(), [[0.3, 0.5, 0.8], [0.4, 0.5, 0.6]])
    np.testing.assert_allclose(curve.standard_error(), 0.1 / np.sqrt(3))
    one_fold = curve_of(cv=[(np.arange(60), np.arange(60, 120))], sizes=[5, 50])
    assert np.isnan(one_fold.standard_error()).all()


def test_best():
    model, size, score = made_curve([0.3, 0.5, 0.7], [0.4, 0.8, 0.6]).best()
    assert (model, size) == ("bernoulli", 100)
    assert score == pytest.approx(0.8)
    assert made_curve([0.5, 0.5, 0.5], [0.5, 0.5, 0.5]).best()[:2] == ("multinomial", 10)
    assert made_curve([0.5, np.nan, 0.5], [0.5, 0.6, 0.5]).best()[:2] == ("bernoulli", 100)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([0.3, 0.5, 0.8], [0.4, 0.4, 0.6], 100),
        ([0.5, 0.3, 0.8], [0.4, 0.4, 0.6], 1000),  # ahead, behind, ahead again
        ([0.5, 0.6, 0.8], [0.4, 0.4, 0.6], 10),
        ([0.5, 0.6, 0.6], [0.4, 0.4, 0.6], None),  # level is not ahead
        ([0.5, 0.6, 0.5], [0.4, 0.4, 0.6], None),
    ],
)
def test_crossing(a, b, expected):
    assert made_curve(a, b).crossing("multinomial", "bernoulli") == expected


def test_crossing_of_models_that_are_not_there():
    with pytest.raises(ValueError, match="no model 'forest' in this curve; there are: multinomial"):
        made_curve([1, 1, 1], [1, 1, 1]).crossing("multinomial", "forest")


def test_frame_has_every_score():
    curve = curve_of(sizes=[5, "all"], cv=3)
    frame = curve.to_frame()
    assert frame.columns == ["model", "size", "fold", "test", "n_terms"]
    assert frame.height == 2 * 2 * 3
    for (m, s, f), score in np.ndenumerate(curve.test_scores):
        row = frame.filter(model=curve.models[m], size=int(curve.sizes[s]), fold=f)
        assert row["test"].to_list() == [score]
        assert row["n_terms"].to_list() == [min(curve.sizes[s], curve.vocabulary_sizes[f])]


def test_text():
    assert str(made_curve([0.3, 0.5, 0.8], [0.4, 0.5, 0.6])).splitlines() == [
        "accuracy by vocabulary size, mean ± standard error over 3 folds",
        "",
        "terms    multinomial      bernoulli",
        "   10  0.300 ± 0.058  0.400 ± 0.058",
        "  100  0.500 ± 0.058  0.500 ± 0.058",
        "1,000  0.800 ± 0.058  0.600 ± 0.058",
        "",
        "best: multinomial with 1,000 terms, 0.800",
        "the folds have 800 to 1,000 terms",
    ]
    one_fold = curve_of(cv=[(np.arange(60), np.arange(60, 120))], sizes=[5])
    assert "±" not in str(one_fold)
    assert str(one_fold).endswith(f"the fold has {one_fold.vocabulary_sizes[0]} terms")
    assert repr(one_fold) == (
        "VocabularyCurve(param='vocabulary size', n_values=1, n_folds=1, scoring='accuracy')"
    )


def test_the_result_is_frozen():
    with pytest.raises(FrozenInstanceError):
        made_curve([1, 1, 1], [1, 1, 1]).scoring = "f1"


# The plot ----------------------------------------------------------------------------------------


@pytest.fixture
def ax():
    figure, ax = pyplot.subplots()
    yield ax
    pyplot.close(figure)


def test_plot_has_labels_legend_and_a_logarithmic_axis(ax):
    curve = made_curve([0.3, 0.5, 0.8], [0.4, 0.5, 0.6])
    assert curve.plot(ax) is ax
    ax.figure.canvas.draw()
    assert ax.get_xscale() == "log"
    assert ax.get_xlabel() == "Vocabulary size (terms)"
    assert ax.get_ylabel() == "Accuracy, mean of 3 folds"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list(curve.models)
    assert "1,000" in [tick.get_text() for tick in ax.get_xticklabels()]
    for line, mean in zip(ax.get_lines(), curve.mean(), strict=True):
        np.testing.assert_array_equal(line.get_xdata(), curve.sizes)
        np.testing.assert_array_equal(line.get_ydata(), mean)
    assert len({(line.get_marker(), line.get_linestyle()) for line in ax.get_lines()}) == 2
    for band, mean in zip(ax.collections, curve.mean(), strict=True):
        heights = band.get_paths()[0].vertices[:, 1]
        assert heights.min() == pytest.approx(mean.min() - 0.1 / np.sqrt(3))
        assert heights.max() == pytest.approx(mean.max() + 0.1 / np.sqrt(3))


def test_plot_makes_a_figure_of_its_own():
    before = pyplot.get_fignums()
    ax = made_curve([0.3, 0.5, 0.8], [0.4, 0.5, 0.6]).plot()
    assert len(pyplot.get_fignums()) == len(before) + 1
    pyplot.close(ax.figure)


def test_plot_of_few_sizes_and_of_one_fold(ax):
    curve = curve_of(cv=[(np.arange(60), np.arange(60, 120))], sizes=[20, 30], scoring="f1_macro")
    curve.plot(ax)
    ax.figure.canvas.draw()
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["20", "30"]
    assert ax.get_ylabel() == "F1 macro"
    assert len(ax.collections) == 0
    curve_of(sizes=[20]).plot(ax)
    ax.figure.canvas.draw()


def test_plot_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'quire\[plot\]'"):
        made_curve([0.3, 0.5, 0.8], [0.4, 0.5, 0.6]).plot()
