"""Learning curves: nested sets with all classes, scikit-learn's scores, the same bits by seed."""

import os
import pickle
import signal
import time
from itertools import pairwise

import matplotlib
import numpy as np
import polars as pl
import pytest
from scipy import sparse, stats
from sklearn.datasets import make_classification, make_regression
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import get_scorer
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit, StratifiedKFold, cross_validate
from sklearn.pipeline import make_pipeline

from quire.datasets import make_text_classification
from quire.ensemble import AveragedClassifier
from quire.feature_extraction.text import CountVectorizer, TfidfVectorizer
from quire.model_selection import LearningCurve, learning_curve
from quire.naive_bayes import MultinomialNB

matplotlib.use("Agg")
from matplotlib import pyplot

X, Y = make_regression(100, 5, noise=20.0, random_state=0)
XC, YC = make_classification(200, 6, n_informative=4, n_classes=3, random_state=0)


def made(test, *, sizes=(10, 100), spread=0.1):
    """A curve with known means and deviations."""
    test = np.array(test)[:, None] + spread * np.array([-1.0, 1.0])
    seconds = np.full(test.shape, 0.5)
    return LearningCurve(
        values=np.array(sizes),
        train_scores=1 - test / 10,
        test_scores=test,
        fit_times=seconds,
        score_times=seconds,
        scoring="accuracy",
        test_ratio=0.5,
    )


@pytest.mark.parametrize("scoring", [None, "neg_mean_squared_error", get_scorer("r2")])
def test_all_documents_equal_cross_validate(scoring):
    curve = learning_curve(Ridge(), X, Y, sizes=["all"], scoring=scoring, random_state=1)
    expected = cross_validate(
        Ridge(),
        X,
        Y,
        scoring=scoring,
        cv=KFold(5, shuffle=True, random_state=1),
        return_train_score=True,
    )
    np.testing.assert_allclose(curve.test_scores[0], expected["test_score"])
    np.testing.assert_allclose(curve.train_scores[0], expected["train_score"])
    assert curve.sizes.tolist() == [80]
    assert curve.test_ratio == 0.25


def test_folds_of_classifiers():
    curve = learning_curve(LogisticRegression(), XC, YC, sizes=[1.0], cv=4)
    expected = cross_validate(LogisticRegression(), XC, YC, cv=StratifiedKFold(4))
    np.testing.assert_allclose(curve.test_scores[0], expected["test_score"])
    assert curve.scoring == "accuracy"
    groups = np.arange(100) // 5
    curve = learning_curve(Ridge(), X, Y, sizes=["all"], groups=groups, cv=4)
    expected = cross_validate(Ridge(), X, Y, groups=groups, cv=GroupKFold(4))
    np.testing.assert_allclose(curve.test_scores[0], expected["test_score"])
    assert curve.scoring == "R²"


def seen_by(kind, X, y, **arguments):
    """The rows, by fold, that each fit saw; X holds their numbers."""

    class Seen(kind):
        def fit(self, X, y):
            seen.append(np.asarray(X)[:, 0])
            return super().fit(X, y)

    seen = []
    curve = learning_curve(Seen(), X, y, **arguments)
    n = len(curve.sizes)
    return curve, [seen[start : start + n] for start in range(0, len(seen), n)]


def test_sets_are_nested():
    rows = np.arange(100)[:, None]
    curve, folds = seen_by(DummyRegressor, rows, Y, sizes=[60, 5, 0.25, 20, "all"])
    assert curve.sizes.tolist() == [5, 20, 60, 80]
    for (_, test), sets in zip(KFold(5).split(rows), folds, strict=True):
        assert [len(one) for one in sets] == [5, 20, 60, 80]
        for small, large in pairwise(sets):
            assert set(small) < set(large)
        assert not set(sets[-1]) & set(test)
        assert sets[0].max() > 20  # not just the first ones


def test_sets_have_all_classes_in_their_shares():
    y = np.array(["a"] * 150 + ["b"] * 40 + ["c"] * 10)  # sorted, as files often are
    rows = np.arange(200)[:, None]
    for seed in range(5):
        _, folds = seen_by(DummyClassifier, rows, y, sizes=[3, 20, 80], random_state=seed, cv=5)
        for small, middle, large in folds:
            assert sorted(y[small.astype(int)]) == ["a", "b", "c"]
            counts = [(y[middle.astype(int)] == name).sum() for name in "abc"]
            np.testing.assert_allclose(counts, [15, 4, 1], atol=2)
            counts = [(y[large.astype(int)] == name).sum() for name in "abc"]
            np.testing.assert_allclose(counts, [60, 16, 4], atol=2)


def test_default_sizes():
    assert learning_curve(Ridge(), X, Y).sizes.tolist() == [2, 5, 10, 20, 40, 80]
    curve = learning_curve(DummyClassifier(), XC[:30], np.arange(30) % 10, cv=3)
    assert curve.sizes.tolist() == [10, 20]


def test_more_documents_help():
    data = make_text_classification(200, n_classes=3, separation=3.0, random_state=1)
    model = make_pipeline(CountVectorizer(), MultinomialNB())
    for texts in (data.texts, pl.Series(data.texts)):
        curve = learning_curve(model, texts, data.y, sizes=[10, "all"], cv=3, random_state=0)
        assert curve.mean()[1] > curve.mean()[0]
        assert curve.gap()[1] < curve.gap()[0]
        assert (curve.fit_times > 0).all()
        assert (curve.score_times > 0).all()


def test_kinds_of_input():
    pandas = pytest.importorskip("pandas")
    plain = learning_curve(Ridge(), X, Y, random_state=0)
    for documents, targets in [
        (sparse.csr_array(X), Y),
        (pandas.DataFrame(X), pandas.Series(Y)),
        (pl.DataFrame(X), pl.Series(Y)),
    ]:
        curve = learning_curve(Ridge(), documents, targets, random_state=0)
        np.testing.assert_allclose(curve.test_scores, plain.test_scores, rtol=1e-3)


def test_seed_decides_and_threads_do_not():
    one, two, other = (
        learning_curve(
            RandomForestClassifier(5), XC, YC, sizes=[30, 100], n_jobs=jobs, random_state=seed
        )
        for jobs, seed in [(None, 5), (3, 5), (None, 6)]
    )
    np.testing.assert_array_equal(one.test_scores, two.test_scores)
    np.testing.assert_array_equal(one.train_scores, two.train_scores)
    assert (one.test_scores != other.test_scores).any()


def test_interval():
    curve = made([0.6, 0.8])
    error = np.sqrt(2) * 0.1 * np.sqrt(1 / 2 + 0.5)  # Nadeau and Bengio
    np.testing.assert_allclose(curve.standard_error(), 0.1)  # of the mean, without it
    low, high = curve.interval(level=0.9)
    t = stats.t.ppf(0.95, 1)
    for mean, *ends in zip([0.6, 0.8], low, high, strict=True):  # the means that fit the folds
        n = mean * (1 - mean) / error**2
        for end in ends:
            assert abs(mean - end) == pytest.approx(t * np.sqrt(end * (1 - end) / n))
    with pytest.raises(ValueError, match="level is 95; expected a number between 0 and 1"):
        curve.interval(level=95)
    with pytest.raises(ValueError, match="of is 'all'; expected 'test' or 'train'"):
        curve.mean("all")


def test_one_fold_has_no_interval():
    curve = learning_curve(Ridge(), X, Y, cv=ShuffleSplit(1, random_state=0), sizes=[10, 50])
    assert np.isnan(curve.standard_error()).all()
    assert np.isnan(curve.interval()).all()
    assert "±" not in str(curve)
    assert curve.plot().get_ylabel() == "R²"
    pyplot.close("all")


def test_tables_and_text():
    curve = made([0.6, 0.8], sizes=(10, 1500))
    table = curve.table()
    assert table["size"].to_list() == [10, 1500]
    np.testing.assert_allclose(table["test"], [0.6, 0.8])
    np.testing.assert_allclose(table["low"], curve.interval()[0])
    frame = curve.to_frame()
    assert frame.columns == ["size", "fold", "train", "test", "fit_seconds", "score_seconds"]
    assert frame.filter(size=1500, fold=1)["test"].to_list() == [curve.test_scores[1, 1]]
    lines = str(curve).splitlines()
    assert lines[0] == "accuracy by training documents, mean ± standard error over 2 folds"
    assert lines[-1].split() == ["1,500", "0.920", "0.800", "±", "0.100", "0.500"]
    assert curve._repr_html_().count("<tr>") == 3
    assert repr(curve) == (
        "LearningCurve(param='training documents', n_values=2, n_folds=2, scoring='accuracy')"
    )
    assert str(pickle.loads(pickle.dumps(curve))) == str(curve)


def test_plot():
    curve = made([0.6, 0.8])
    ax = curve.plot()
    assert ax.get_xscale() == "log"
    assert ax.get_xlabel() == "Training documents"
    train, test = ax.get_lines()
    np.testing.assert_array_equal(test.get_ydata(), curve.mean())
    np.testing.assert_array_equal(train.get_ydata(), curve.mean("train"))
    _, mine = pyplot.subplots()
    assert curve.plot(mine) is mine
    pyplot.close("all")


def test_interrupt_ends_it():
    class Slow(DummyRegressor):
        def fit(self, X, y):
            time.sleep(0.01)
            begun.append(self)
            if len(begun) == 5:
                os.kill(os.getpid(), signal.SIGINT)
            return super().fit(X, y)

    begun = []
    with pytest.raises(KeyboardInterrupt):
        learning_curve(Slow(), X, Y, sizes=range(2, 81), n_jobs=2)
    time.sleep(0.1)  # threads end with their step
    assert len(begun) < 20


def test_progress_is_shown(capsys):
    learning_curve(Ridge(), X, Y, verbose=True)
    assert "Documents" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("sizes", "error", "message"),
    [
        ([81], ValueError, "sizes has 81, but the smallest fold has 80 documents"),
        ([], ValueError, "sizes is empty"),
        ([0], ValueError, "sizes contains 0"),
        ([1.5], ValueError, r"sizes contains 1\.5"),
        ([True], ValueError, "sizes contains True"),
        (["some"], ValueError, "sizes contains 'some'"),
        ("all", TypeError, "sizes is 'all'; expected a list"),
        (10, TypeError, "sizes is 10; expected a list"),
    ],
)
def test_sizes_that_do_not_fit(sizes, error, message):
    with pytest.raises(error, match=message):
        learning_curve(Ridge(), X, Y, sizes=sizes)


def test_errors():
    with pytest.raises(ValueError, match="sizes has 2 documents for 3 classes"):
        learning_curve(DummyClassifier(), XC, YC, sizes=[2, 50])
    with pytest.raises(ValueError, match="one class only"):
        learning_curve(DummyClassifier(), XC, np.zeros(200))
    with pytest.raises(ValueError, match="y has no finite number at row 0"):
        learning_curve(Ridge(), X, np.append(np.nan, Y[1:]))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        learning_curve(Ridge(), X, Y[:-1])
    with pytest.raises(ValueError, match="cv gives no folds"):
        learning_curve(Ridge(), X, Y, cv=[])
    with pytest.raises(ValueError, match="'scoring' parameter of"):
        learning_curve(Ridge(), X, Y, scoring="r3")


def test_texts_for_a_model_of_numbers_are_refused_without_printing_them():
    with pytest.raises(TypeError, match="MultinomialNB takes rows of numbers") as raised:
        learning_curve(MultinomialNB(), ["a long text of the corpus"] * 40, ["a", "b"] * 20)
    assert "make_pipeline(CountVectorizer(), MultinomialNB())" in str(raised.value)
    assert "corpus" not in str(raised.value)


def test_an_average_of_pipelines_takes_texts():
    texts, y = ["good film", "bad film"] * 30, ["pos", "neg"] * 30
    members = [(str(n), make_pipeline(TfidfVectorizer(), MultinomialNB())) for n in range(2)]
    average = AveragedClassifier(members)
    curve = learning_curve(average, texts, y, sizes=[0.5, 1.0], cv=3, random_state=0)
    np.testing.assert_array_equal(curve.test_scores[-1], 1.0)
