"""CalibratedClassifier against scikit-learn's, by hand, and what it says of itself."""

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from scipy.special import expit
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression as SklearnLogistic
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier as SklearnTree

import quire
from quire._shared.reliability import calibration_error
from quire._shared.score_maps import Maps, fit_maps
from quire.calibration import CalibratedClassifier
from quire.datasets import make_text_classification
from quire.feature_extraction.text import CountVectorizer, TfidfVectorizer
from quire.inspection import explain
from quire.linear_model import LogisticRegression
from quire.model_selection import compare, evaluate
from quire.naive_bayes import MultinomialNB
from quire.svm import SVC, LinearSVC

METHODS = ("sigmoid", "isotonic", "temperature")


@pytest.fixture(scope="module", params=[2, 3], ids=["two", "three"])
def counted(request):
    data = make_text_classification(500, n_classes=request.param, separation=4.0, random_state=0)
    X = CountVectorizer(min_df=2).fit_transform(data.texts)
    return X, np.array(["b", "a", "c"])[data.y], data.texts


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "base",
    [LogisticRegression(C=30.0), SklearnTree(max_depth=3, random_state=0)],
    ids=lambda base: type(base).__name__,
)
def test_probabilities_are_those_of_scikit_learn(counted, base, method):
    X, y, _ = counted
    ours = CalibratedClassifier(base, method=method).fit(X, y)
    theirs = CalibratedClassifierCV(base, method=method, ensemble=False).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=2e-5)
    agree = ours.predict(X) == theirs.predict(X)
    assert agree.mean() > 0.99
    assert ours.classes_.tolist() == theirs.classes_.tolist()
    assert ours.n_features_in_ == X.shape[1]


def test_weights_and_folds_are_those_of_scikit_learn(counted):
    X, y, _ = counted
    w = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    cv = KFold(3, shuffle=True, random_state=1)
    base = LogisticRegression(tol=1e-8)
    for method in METHODS:
        ours = CalibratedClassifier(base, method=method, cv=cv).fit(X, y, w)
        theirs = CalibratedClassifierCV(base, method=method, ensemble=False, cv=cv)
        expected = theirs.fit(X, y, sample_weight=w).predict_proba(X)
        np.testing.assert_allclose(ours.predict_proba(X), expected, atol=1e-3)


class OddsNB(MultinomialNB):
    """Naive Bayes with its log-odds as decisions."""

    def decision_function(self, X):
        logs = self.predict_log_proba(X)
        if len(self.classes_) == 2:
            return logs[:, 1] - logs[:, 0]
        rest = np.log1p(-np.exp(np.minimum(logs, -1e-12)))
        return logs - rest


def test_naive_bayes_is_mapped_from_its_log_odds(counted):
    X, y, texts = counted
    for method in ("sigmoid", "isotonic"):
        ours = CalibratedClassifier(MultinomialNB(), method=method).fit(X, y)
        theirs = CalibratedClassifierCV(OddsNB(), method=method, ensemble=False).fit(X, y)
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-3)
    pipeline = make_pipeline(CountVectorizer(min_df=2), MultinomialNB())
    inside, outside = (
        make_pipeline(CountVectorizer(min_df=2), CalibratedClassifier(MultinomialNB())),
        CalibratedClassifier(pipeline),
    )
    one, other = (model.fit(texts, y).predict_proba(texts) for model in (inside, outside))
    assert np.abs(one - other).mean() < 0.05  # the words of each fold are its own there
    long = ["a good film " * 400, "a bad film " * 400] * 10
    labels = ["pos", "neg"] * 10
    model = CalibratedClassifier(pipeline.set_params(countvectorizer__min_df=1)).fit(long, labels)
    assert np.isfinite(model.predict_proba([*long, "film"])).all()


def test_temperature_has_the_least_loss_and_changes_no_decision(counted):
    X, y, _ = counted
    model = CalibratedClassifier(MultinomialNB(), method="temperature").fit(X, y)
    held_out = cross_val_predict(
        MultinomialNB(), X, y, cv=StratifiedKFold(5), method="predict_log_proba"
    )

    def loss(beta):
        logs = beta * held_out - np.log(np.exp(beta * held_out).sum(axis=1, keepdims=True))
        return -logs[np.arange(len(y)), np.searchsorted(model.classes_, y)].sum()

    best = model.inverse_temperature_
    assert best < 1
    assert loss(best) <= min(loss(best * 1.01), loss(best * 0.99))
    plain = MultinomialNB().fit(X, y)
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))


def test_maps_by_hand():
    scores = np.array([-1.0, 0.0, 2.0])
    sigmoid = Maps(slopes=np.array([2.0]), intercepts=np.array([-1.0]))
    np.testing.assert_allclose(sigmoid.probabilities(scores)[:, 1], expit([-3, -1, 3]))
    steps = Maps(scores=[np.array([-0.5, 0.5])], shares=[np.array([0.2, 0.6])])
    np.testing.assert_allclose(steps.probabilities(scores)[:, 1], [0.2, 0.4, 0.6])
    several = Maps(slopes=np.zeros(3), intercepts=np.log([1.0, 1 / 3, 1 / 3]))
    np.testing.assert_allclose(several.probabilities(np.zeros((1, 3))), [[0.5, 0.25, 0.25]])
    nothing = Maps(scores=[np.zeros(1)] * 3, shares=[np.zeros(1)] * 3)
    np.testing.assert_allclose(nothing.probabilities(np.zeros((1, 3))), [[1 / 3] * 3])
    rises = fit_maps("isotonic", np.arange(4.0), np.array([0, 1, 0, 1]), np.ones(4))
    np.testing.assert_allclose(rises.probabilities(np.arange(4.0))[:, 1], [0, 0.5, 0.5, 1])


def test_reliability_before_and_after(counted):
    X, y, _ = counted
    model = CalibratedClassifier(MultinomialNB(), method="temperature").fit(X, y)
    before, after = model.reliability_["before"], model.reliability_["after"]
    P = cross_val_predict(MultinomialNB(), X, y, cv=StratifiedKFold(5), method="predict_proba")
    assert before["log_loss"] == pytest.approx(log_loss(y, P))
    codes = np.searchsorted(model.classes_, y)
    if P.shape[1] == 2:
        assert before["brier"] == pytest.approx(brier_score_loss(codes, P[:, 1]))
        expected = calibration_error(P[:, 1], codes == 1)
    else:
        assert before["brier"] == pytest.approx(brier_score_loss(y, P))
        expected = calibration_error(P.max(axis=1), codes == P.argmax(axis=1))
    assert before["calibration_error"] == pytest.approx(expected)
    assert before["documents"].sum() == len(y)
    assert after["calibration_error"] < before["calibration_error"]
    assert after["log_loss"] < before["log_loss"]
    machine = CalibratedClassifier(LinearSVC(random_state=0)).fit(X, y)
    assert list(machine.reliability_) == ["after"]


def test_each_fold_is_judged_by_the_others():
    """Labels at random: a map that had seen a document would know more than half of them."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 1)), rng.integers(0, 2, 300)
    model = CalibratedClassifier(LogisticRegression(), method="isotonic").fit(X, y)
    assert model.reliability_["after"]["brier"] > 0.25
    seen = ((model.predict_proba(X)[:, 1] - y) ** 2).mean()
    assert seen < 0.25


def test_texts_pipelines_and_labels_of_columns(counted):
    X, y, texts = counted
    pipeline = make_pipeline(TfidfVectorizer(min_df=2), LogisticRegression())
    model = CalibratedClassifier(pipeline, cv=3).fit(texts, y)
    again = CalibratedClassifier(pipeline, cv=3).fit(pl.Series(texts), pl.Series(y))
    np.testing.assert_array_equal(model.predict_proba(texts), again.predict_proba(texts))
    assert evaluate(model, texts, y).scores["accuracy"].value > 0.8
    inside = make_pipeline(TfidfVectorizer(min_df=2), CalibratedClassifier(SklearnLogistic(), cv=3))
    theirs = make_pipeline(
        TfidfVectorizer(min_df=2), CalibratedClassifierCV(SklearnLogistic(), cv=3, ensemble=False)
    )
    ours, expected = (one.fit(texts, y).predict_proba(texts) for one in (inside, theirs))
    np.testing.assert_allclose(ours, expected, atol=2e-5)
    csc = sparse.csc_array(X)
    one, other = (CalibratedClassifier(MultinomialNB(), cv=3).fit(rows, y) for rows in (X, csc))
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(csc))


def test_words_explain_the_score_before_calibration(counted):
    _, y, texts = counted
    base = LogisticRegression()
    model = make_pipeline(CountVectorizer(min_df=2), CalibratedClassifier(base)).fit(texts, y)
    plain = make_pipeline(CountVectorizer(min_df=2), base).fit(texts, y)
    ours, theirs = (explain(one, texts[:1])[0] for one in (model, plain))
    assert ours.terms == theirs.terms
    assert "before calibration" in str(ours) or any("before calibration" in n for n in ours.notes)


def test_a_model_that_is_saved_answers_the_same(counted, tmp_path):
    X, y, _ = counted
    for method in METHODS:
        model = CalibratedClassifier(LogisticRegression(), method=method).fit(X, y)
        quire.save(model, tmp_path / "m.quire")
        loaded = quire.load(tmp_path / "m.quire")
        np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
        assert loaded.reliability_["after"]["brier"] == model.reliability_["after"]["brier"]
        damaged = CalibratedClassifier(LogisticRegression(), method=method).fit(X, y)
        damaged.slopes_ = np.ones(7)
        with pytest.raises(ValueError, match="CalibratedClassifier"):
            quire.save(damaged, tmp_path / "d.quire")


def test_another_method_leaves_nothing_of_the_one_before(counted):
    X, y, _ = counted
    model = CalibratedClassifier(MultinomialNB()).fit(X, y)
    model.set_params(method="temperature").fit(X, y)
    fresh = CalibratedClassifier(MultinomialNB(), method="temperature").fit(X, y)
    assert vars(model).keys() == vars(fresh).keys()
    np.testing.assert_array_equal(model.predict_proba(X), fresh.predict_proba(X))


def test_a_class_with_one_document_stops_nothing(counted):
    X, y, _ = counted
    labels = y.astype(object)
    labels[0] = "seldom"
    for method in METHODS:
        model = CalibratedClassifier(MultinomialNB(), method=method).fit(X, labels)
        P = model.predict_proba(X)
        assert model.classes_.tolist()[-1] == "seldom"
        np.testing.assert_allclose(P.sum(axis=1), 1)
        assert np.isfinite(P).all()


def test_it_takes_part_in_a_comparison(counted):
    _, y, texts = counted
    models = {"plain": MultinomialNB(), "calibrated": CalibratedClassifier(MultinomialNB(), cv=3)}
    found = compare(texts, y, models, metric="neg_calibration_error", cv=3)
    assert found.best.name == "calibrated"


def test_plot(counted):
    import matplotlib

    matplotlib.use("Agg")
    X, y, _ = counted
    ax = CalibratedClassifier(MultinomialNB()).fit(X, y).plot_reliability()
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert [label.split()[0] for label in labels] == ["before", "after"]


def test_what_does_not_fit_is_said():
    X, y = np.eye(8), np.array([0, 1] * 4)
    with pytest.raises(ValueError, match="'method' parameter of CalibratedClassifier"):
        CalibratedClassifier(method="platt").fit(X, y)
    with pytest.raises(ValueError, match="two classes or more"):
        CalibratedClassifier().fit(X, np.zeros(8))
    pairs = CalibratedClassifier(SVC(decision_function_shape="ovo"), cv=2)
    with pytest.raises(ValueError, match="set decision_function_shape='ovr'"):
        pairs.fit(np.vstack([X, X]), np.arange(16) // 2 % 4)
    with pytest.raises(ValueError, match="No document could be held out"):
        CalibratedClassifier(cv=[(np.array([0, 2]), np.array([1]))]).fit(X, y)
    model = CalibratedClassifier(make_pipeline(LogisticRegression()), cv=2)
    with pytest.raises(TypeError, match="takes no sample_weight"):
        model.fit(X, y, np.ones(8))
