"""Bias, variance and noise add up to the loss, and are what formulas and hand counts say."""

import os
import pickle
import signal
import time
from dataclasses import FrozenInstanceError

import matplotlib
import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import RandomForestRegressor
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import quire.linear_model as ours
from quire.datasets import make_text_classification
from quire.model_selection import bias_variance

matplotlib.use("Agg")
from matplotlib import pyplot

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 4))
TRUTH = np.sin(2 * X[:, 0]) + X[:, 1]
Y = TRUTH + RNG.normal(size=120)
XC, YC = make_classification(160, 6, n_informative=4, n_classes=3, flip_y=0.2, random_state=0)
TREE = DecisionTreeRegressor()
KNOWN = [{}, {"y_true": TRUTH}, {"noise": 1.0}, {"y_true": TRUTH, "noise": np.ones(120)}]


def assert_adds_up(result):
    total = sum(result.parts().values())
    np.testing.assert_allclose(total, result.loss_by_document, rtol=0, atol=1e-12)
    assert abs(sum(part.mean() for part in result.parts().values()) - result.loss) < 1e-12


@pytest.mark.parametrize("known", KNOWN)
@pytest.mark.parametrize("unbiased", [False, True])
@pytest.mark.parametrize("cv", [None, 3])
def test_squared_error_adds_up(known, unbiased, cv):
    result = bias_variance(
        TREE, X, Y, n_resamples=7, cv=cv, unbiased=unbiased, random_state=0, **known
    )
    assert_adds_up(result)
    assert result.loss_name == "squared error"
    assert (result.noise is None) == (not known)
    assert len(result.rows) == (30 if cv is None else 120)
    assert result.n_training == (90 if cv is None else 80)


def test_loss_is_the_mean_squared_error_on_the_test_documents():
    """The same samples, fitted by hand."""
    samples = []

    def draw(rng):
        rows = rng.integers(0, 90, size=60)
        samples.append(rows)
        return X[rows], Y[rows]

    result = bias_variance(LinearRegression(), X[90:], Y[90:], resampling=draw, n_resamples=9)
    predictions = np.array([LinearRegression().fit(X[r], Y[r]).predict(X[90:]) for r in samples])
    np.testing.assert_allclose(
        result.loss_by_document, ((predictions - Y[90:]) ** 2).mean(axis=0), atol=1e-12
    )
    np.testing.assert_allclose(result.variance_by_document, predictions.var(axis=0), atol=1e-12)
    np.testing.assert_allclose(result.main_prediction, predictions.mean(axis=0), atol=1e-12)
    np.testing.assert_array_equal(result.rows, np.arange(30))
    assert result.n_training == 60


@pytest.mark.parametrize("alpha", [0.1, 30.0])
def test_ridge_on_a_fixed_design_equals_the_formulas(alpha):
    """With H = X0 (X'X + a I)^-1 X', bias is H X b - X0 b and variance s^2 diag(H H')."""
    rng = np.random.default_rng(3)
    design, new = rng.normal(size=(30, 6)), rng.normal(size=(40, 6))
    weights, sigma, n = rng.normal(size=6), 0.7, 500
    hat = new @ np.linalg.solve(design.T @ design + alpha * np.eye(6), design.T)
    bias = (hat @ design @ weights - new @ weights) ** 2
    variance = sigma**2 * (hat**2).sum(axis=1)

    result = bias_variance(
        Ridge(alpha, fit_intercept=False),
        new,
        new @ weights + sigma * rng.normal(size=40),
        resampling=lambda rng: (design, design @ weights + sigma * rng.normal(size=30)),
        y_true=new @ weights,
        noise=sigma**2,
        unbiased=True,
        n_resamples=n,
        random_state=0,
    )
    assert_adds_up(result)
    assert result.noise == pytest.approx(sigma**2)
    # normal predictions: the variance of s^2 is 2 variance^2 / (n - 1)
    assert (abs(result.variance_by_document - variance) < 5 * variance * np.sqrt(2 / n)).all()
    off = np.sqrt(variance / n)
    allowed = 5 * (2 * np.sqrt(bias) * off + off**2)
    assert (abs(result.bias_by_document - bias) < allowed).all()


def test_ridge_trades_bias_for_variance():
    results = [
        bias_variance(ours.Ridge(alpha), X, Y, n_resamples=20, y_true=TRUTH, random_state=0)
        for alpha in (0.1, 10, 100, 1000)
    ]
    assert (np.diff([one.bias for one in results]) > 0).all()
    assert (np.diff([one.variance for one in results]) < 0).all()


def test_forest_has_less_variance_than_a_tree():
    tree, forest = (
        bias_variance(model, X, Y, n_resamples=10, random_state=0)
        for model in (TREE, RandomForestRegressor(20))
    )
    assert forest.variance < tree.variance / 2
    assert forest.loss < tree.loss


def test_unbiased_moves_the_error_of_the_mean():
    plain, unbiased = (
        bias_variance(TREE, X, Y, n_resamples=5, unbiased=flag, random_state=0)
        for flag in (False, True)
    )
    np.testing.assert_allclose(
        unbiased.variance_by_document, plain.variance_by_document * 5 / 4, atol=1e-12
    )
    np.testing.assert_array_equal(unbiased.loss_by_document, plain.loss_by_document)


def test_constant_model_is_all_bias():
    result = bias_variance(DummyRegressor(strategy="constant", constant=1.0), X, Y, random_state=0)
    assert result.variance == 0
    np.testing.assert_allclose(result.bias_by_document, (Y[result.rows] - 1) ** 2)


def test_several_targets_are_averaged():
    targets = np.column_stack([Y, 2 * Y])
    both = bias_variance(LinearRegression(), X, targets, n_resamples=5, random_state=0)
    one = bias_variance(LinearRegression(), X, Y, n_resamples=5, random_state=0)
    assert_adds_up(both)
    np.testing.assert_allclose(both.loss_by_document, one.loss_by_document * 2.5)
    assert both.main_prediction.shape == (30, 2)


def test_bootstrap_and_subsample_draw_what_they_say():
    class Seen(DummyRegressor):
        def fit(self, X, y):
            seen.append(np.asarray(X)[:, 0])
            return super().fit(X, y)

    numbers = np.arange(100.0)[:, None]
    for resampling, size, expected in [
        ("bootstrap", None, 75),
        ("bootstrap", 0.4, 30),
        ("bootstrap", 200, 200),
        ("subsample", None, 38),
        ("subsample", 0.8, 60),
    ]:
        seen = []
        result = bias_variance(
            Seen(), numbers, numbers[:, 0], resampling=resampling, sample_size=size, n_resamples=4
        )
        assert {len(rows) for rows in seen} == {expected}
        assert not set(np.concatenate(seen)) & set(result.rows)
        distinct = [len(np.unique(rows)) for rows in seen]
        assert all((n == expected) == (resampling == "subsample") for n in distinct)
        assert result.n_training == expected


@pytest.mark.parametrize("loss", ["auto", "squared"])
@pytest.mark.parametrize("resampling", ["bootstrap", "subsample"])
def test_rare_classes_are_in_every_sample(loss, resampling):
    class Strict(LogisticRegression):
        def fit(self, X, y):
            assert set(y) == {"a", "b", "c"}
            return super().fit(X, y)

    y = np.array(["a"] * 80 + ["b"] * 36 + ["c"] * 4)
    assert_adds_up(bias_variance(Strict(), X, y, loss=loss, resampling=resampling, n_resamples=8))


def test_groups_stay_together():
    class Seen(DummyRegressor):
        def fit(self, X, y):
            seen.append(np.asarray(X)[:, 0])
            return super().fit(X, y)

    seen = []
    groups = np.arange(120) // 6
    result = bias_variance(
        Seen(), groups[:, None], Y, groups=groups, resampling="subsample", n_resamples=5
    )
    tested = set(groups[result.rows])
    for rows in seen:
        assert not set(rows) & tested
        assert set(np.bincount(rows.astype(int))) <= {0, 6}
    labels = (groups % 2).astype(bool)
    assert_adds_up(bias_variance(DecisionTreeClassifier(), X, labels, groups=groups, cv=4))
    with pytest.raises(ValueError, match="groups had one class only"):
        bias_variance(
            DecisionTreeClassifier(), X, groups < 1, groups=groups, test_size=0.5, random_state=1
        )


@pytest.mark.parametrize(
    ("model", "X", "y", "more"),
    [
        (TREE, X, Y, {}),
        (RandomForestRegressor(5), X, Y, {"cv": 2}),
        (DecisionTreeClassifier(max_features=1), XC, YC, {}),
        (DecisionTreeClassifier(max_features=1), XC, YC, {"loss": "squared"}),
    ],
)
def test_seed_decides_and_threads_do_not(model, X, y, more):
    one, two, other = (
        bias_variance(model, X, y, n_resamples=6, n_jobs=jobs, random_state=seed, **more)
        for jobs, seed in [(None, 5), (3, 5), (None, 6)]
    )
    assert one.to_frame().equals(two.to_frame())
    assert not one.to_frame().equals(other.to_frame())


def test_kinds_of_input():
    plain = bias_variance(Ridge(), X, Y, n_resamples=4, random_state=0)
    pandas = pytest.importorskip("pandas")
    for documents, targets in [
        (sparse.csr_array(X), Y),
        (pandas.DataFrame(X), pandas.Series(Y, index=np.arange(120) + 7)),
        (pl.DataFrame(X), pl.Series(Y)),
        (X.tolist(), Y.tolist()),
    ]:
        result = bias_variance(Ridge(), documents, targets, n_resamples=4, random_state=0)
        np.testing.assert_allclose(result.loss_by_document, plain.loss_by_document, rtol=1e-3)
        np.testing.assert_array_equal(result.rows, plain.rows)


def test_texts():
    data = make_text_classification(80, n_classes=2, n_words=200, n_informative=20, mean_length=20)
    texts = [*data.texts[:-2], "", "🙂"]
    model = make_pipeline(CountVectorizer(), LogisticRegression())
    for documents in (texts, np.array(texts, dtype=object), pl.Series(texts)):
        result = bias_variance(model, documents, data.y, n_resamples=3, random_state=0)
        assert_adds_up(result)
        assert result.model == "LogisticRegression"


def test_given_folds_are_tested_in_order():
    folds = KFold(4, shuffle=True, random_state=1)
    result = bias_variance(Ridge(), X, Y, cv=folds, n_resamples=2)
    np.testing.assert_array_equal(result.rows, np.concatenate([t for _, t in folds.split(X)]))


def test_table_and_frame():
    result = bias_variance(TREE, X, Y, y_true=TRUTH, n_resamples=5, random_state=0)
    table = result.table()
    assert table["part"].to_list() == ["noise", "bias²", "variance", "chance", "squared error"]
    assert table["mean"][:-1].sum() == pytest.approx(result.loss, abs=1e-12)
    assert table["share"][:-1].sum() == pytest.approx(1)
    np.testing.assert_allclose(
        table["standard_error"][-1], result.loss_by_document.std(ddof=1) / np.sqrt(30)
    )
    frame = result.to_frame()
    np.testing.assert_array_equal(frame["row"], result.rows)
    np.testing.assert_array_equal(frame["noise"], (Y - TRUTH)[result.rows] ** 2)
    assert bias_variance(TREE, X, Y, n_resamples=2).to_frame()["noise"].null_count() == 30


def test_text_html_and_plot():
    result = bias_variance(TREE, X, Y, n_resamples=5, random_state=0)
    lines = str(result).splitlines()
    assert lines[0] == (
        "squared error of DecisionTreeRegressor on 30 documents, 5 bootstrap samples of 90"
    )
    assert lines[3].startswith("bias² + noise")
    assert lines[5].split()[-1] == "100.0%"
    html = result._repr_html_()
    assert ">squared error of DecisionTreeRegressor on 30 documents" in html
    assert html.count("<tr>") == 4
    assert "n_resamples=5)" in repr(result)
    ax = result.plot()
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(
        [result.bias, result.variance, result.loss]
    )
    assert [label.get_text() for label in ax.get_yticklabels()][-1] == "squared error"
    _, mine = pyplot.subplots()
    assert result.plot(mine) is mine
    pyplot.close("all")


def test_pickle_and_frozen():
    result = bias_variance(TREE, X, Y, n_resamples=2)
    assert str(pickle.loads(pickle.dumps(result))) == str(result)
    with pytest.raises(FrozenInstanceError):
        result.n_resamples = 3


def test_noise_of_repeated_documents():
    rng = np.random.default_rng(0)
    pandas = pytest.importorskip("pandas")
    once = rng.normal(size=(300, 2)).round(1)
    documents = np.repeat(once, 2, axis=0)
    y = documents[:, 0] + rng.normal(size=600)
    pairs = pandas.DataFrame(documents).assign(y=y).groupby([0, 1])["y"]
    expected = (pairs.var(ddof=0) * pairs.size()).sum() / (pairs.size() - 1).sum()
    for X in (documents, sparse.csr_array(documents), pandas.DataFrame(documents)):
        result = bias_variance(LinearRegression(), X, y, noise="repeats", cv=3, n_resamples=5)
        assert_adds_up(result)
        assert result.noise == pytest.approx(expected)
    texts = ["good", "bad", "good", "bad", "fine"] * 4
    model = make_pipeline(CountVectorizer(), LogisticRegression())
    labels = [1, 0, 1, 0, 1, 1, 0, 0, 0, 1] * 2
    brier = bias_variance(model, texts, labels, loss="squared", noise="repeats", n_resamples=5)
    # of 8 "good" 6 are 1; all 8 "bad" are 0; all 4 "fine" are 1
    assert brier.noise == pytest.approx(2 * 8 * 0.75 * 0.25 / (20 - 3))
    with pytest.raises(ValueError, match="all are different"):
        bias_variance(Ridge(), X=np.arange(9.0)[:, None], y=np.arange(9.0), noise="repeats")
    with pytest.raises(ValueError, match="noise is 'neighbours'; expected variances"):
        bias_variance(Ridge(), np.arange(9.0)[:, None], np.arange(9.0), noise="neighbours")


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_interrupt_ends_it(n_jobs):
    class Slow(DummyRegressor):
        def fit(self, X, y):
            time.sleep(0.01)
            begun.append(self)
            if len(begun) == 5:
                os.kill(os.getpid(), signal.SIGINT)
            return super().fit(X, y)

    begun = []
    with pytest.raises(KeyboardInterrupt):
        bias_variance(Slow(), X, Y, n_resamples=1000, n_jobs=n_jobs)
    time.sleep(0.1)  # threads end with their step
    assert len(begun) < 20


def test_errors_of_models_come_through():
    class Broken(DummyRegressor):
        def fit(self, X, y):
            raise RuntimeError("no luck")

    for n_jobs in (None, 2):
        with pytest.raises(RuntimeError, match="no luck"):
            bias_variance(Broken(), X, Y, n_jobs=n_jobs)


def test_progress_is_shown(capsys):
    bias_variance(Ridge(), X, Y, n_resamples=3, verbose=True)
    assert "Samples" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"loss": "hinge"}, "loss is 'hinge'; expected 'auto', 'squared' or 'zero-one'"),
        ({"loss": "zero-one"}, "is for classifiers; Ridge is none"),
        ({"n_resamples": 1}, "'n_resamples' parameter of bias_variance"),
        ({"resampling": "jackknife"}, "'resampling' parameter of bias_variance"),
        ({"cv": 3, "test_size": 0.2}, "give one of them"),
        ({"cv": []}, "cv gives no folds"),
        ({"resampling": "subsample", "sample_size": 90}, "every subsample would be the same"),
        ({"resampling": lambda rng: (X, Y), "cv": 3}, "cv cannot be used with a function"),
        ({"y_true": TRUTH[:5]}, r"y_true has shape \(5,\); expected the shape of y, \(120,\)"),
        ({"y_true": TRUTH * np.nan}, "y_true has entries that are not finite"),
        ({"noise": -1.0}, "noise has entries below zero"),
        ({"noise": [1.0, 2.0]}, "one for each of the 120 documents"),
        ({"groups": [1, 2]}, "groups has 2 entries for 120 documents"),
        ({"test_size": 120}, "test_size=120"),
    ],
)
def test_arguments_that_do_not_fit(more, message):
    with pytest.raises(ValueError, match=message):
        bias_variance(Ridge(), X, Y, **more)


def test_data_that_does_not_fit():
    missing = np.where(np.arange(120) == 4, np.nan, Y)
    with pytest.raises(ValueError, match=r"y has no finite number at row 4 \(1 in all\)"):
        bias_variance(Ridge(), X, missing)
    with pytest.raises(ValueError, match="y is not numeric, but the estimator is a regressor"):
        bias_variance(Ridge(), X, ["a"] * 120)
    for nothing in ((X, None), ([], [])):
        with pytest.raises(ValueError, match="y has no targets"):
            bias_variance(Ridge(), *nothing)
    with pytest.raises(ValueError, match="there are 3 documents"):
        bias_variance(Ridge(), X[:3], Y[:3])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        bias_variance(Ridge(), X, Y[:-1])
    with pytest.raises(ValueError, match="class 2 has one document"):
        bias_variance(RidgeClassifier(), X, [0] * 60 + [1] * 59 + [2])
    with pytest.raises(ValueError, match="one class only"):
        bias_variance(RidgeClassifier(), X, [0] * 120)
    with pytest.raises(ValueError, match="y has no class at row 0"):
        bias_variance(RidgeClassifier(), X, [None, *"ab" * 59, "a"])
    with pytest.raises(ValueError, match="gives no probabilities"):
        bias_variance(RidgeClassifier(), XC, YC, loss="squared")
    with pytest.raises(ValueError, match="noise is a variance, which 0/1 loss does not have"):
        bias_variance(RidgeClassifier(), XC, YC, noise=0.1)
    with pytest.raises(ValueError, match="y_true has 3 entries for 160 documents"):
        bias_variance(RidgeClassifier(), XC, YC, y_true=[0, 1, 1])
    with pytest.raises(TypeError, match="returned ndarray; expected a pair"):
        bias_variance(Ridge(), X, Y, resampling=lambda rng: X)
