"""ThresholdClassifier: the best threshold by looking at all of them, and what it says of it."""

import numpy as np
import pytest
from sklearn import metrics
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.model_selection import (
    FixedThresholdClassifier,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.pipeline import make_pipeline

import quire
from quire.calibration import CalibratedClassifier
from quire.datasets import make_text_classification
from quire.feature_extraction.text import CountVectorizer, TfidfVectorizer
from quire.inspection import explain
from quire.linear_model import LogisticRegression
from quire.model_selection import ThresholdClassifier, compare
from quire.model_selection._scores.held_out import HeldOut
from quire.model_selection._scores.labels import class_score
from quire.model_selection._threshold import _choose
from quire.naive_bayes import MultinomialNB
from quire.svm import LinearSVC
from quire.tree import DecisionTreeClassifier


@pytest.fixture(scope="module")
def rare():
    data = make_text_classification(600, n_classes=2, separation=5.0, random_state=0)
    keep = np.flatnonzero((data.y == 0) | (np.arange(600) % 4 == 0))
    texts = [data.texts[k] for k in keep]
    X = CountVectorizer(min_df=2).fit_transform(texts)
    return X, np.array(["usual", "very rare"])[data.y[keep]], texts


SCORES = {
    "f1": metrics.f1_score,
    "balanced_accuracy": metrics.balanced_accuracy_score,
    "matthews_corrcoef": metrics.matthews_corrcoef,
    "accuracy": metrics.accuracy_score,
}


@pytest.mark.parametrize("scoring", SCORES)
@pytest.mark.parametrize("base", [LogisticRegression(), MultinomialNB()], ids=["logit", "nb"])
def test_no_other_threshold_is_better(rare, base, scoring):
    X, y, _ = rare
    model = ThresholdClassifier(base, scoring=scoring).fit(X, y)
    has_decisions = hasattr(base, "decision_function")
    method = "decision_function" if has_decisions else "predict_log_proba"
    f = cross_val_predict(base, X, y, cv=StratifiedKFold(5), method=method)
    f = f if has_decisions else f[:, 1] - f[:, 0]
    is_so = y == "very rare"
    score = SCORES[scoring]
    best = max(score(is_so, f >= t) for t in np.append(np.unique(f), np.inf))
    assert model.best_score_ == pytest.approx(best)
    assert score(is_so, f >= model.best_threshold_) == pytest.approx(best)
    assert model.default_threshold_ == 0.0
    assert model.default_score_ == pytest.approx(score(is_so, f >= 0))
    assert model.held_out_score_ <= model.best_score_
    logs = model.estimator_.predict_log_proba(X)
    g = model.decision_function(X) if has_decisions else logs[:, 1] - logs[:, 0]
    expected = np.where(g >= model.best_threshold_, "very rare", "usual")
    np.testing.assert_array_equal(model.predict(X), expected)


def test_costs_have_the_threshold_of_bayes():
    """Where probabilities are right, a class is worth saying from C_fp / (C_fp + C_fn) on."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=6000)
    y = np.where(rng.random(6000) < 1 / (1 + np.exp(-2 * x)), "yes", "no")
    costs = {("no", "yes"): 1, ("yes", "no"): 9}
    base = CalibratedClassifier(LogisticRegression(C=np.inf), cv=3)
    model = ThresholdClassifier(base, costs=costs).fit(x[:, None], y)
    assert model.best_threshold_ == pytest.approx(0.1, abs=0.05)
    cost = model.best_score_
    predicted = model.predict(x[:, None])
    real = (
        9 * ((y == "yes") & (predicted == "no")).mean()
        + ((y == "no") & (predicted == "yes")).mean()
    )
    assert -cost == pytest.approx(real, rel=0.05)
    assert model.default_score_ < model.held_out_score_


def test_the_class_that_is_meant(rare):
    X, y, _ = rare
    first = ThresholdClassifier(LogisticRegression(), pos_label="usual").fit(X, y)
    f = cross_val_predict(
        LogisticRegression(), X, y, cv=StratifiedKFold(5), method="decision_function"
    )
    best = max(metrics.f1_score(y == "usual", -f >= t) for t in np.append(np.unique(-f), np.inf))
    assert first.best_score_ == pytest.approx(best)
    expected = np.where(-first.decision_function(X) >= first.best_threshold_, "usual", "very rare")
    np.testing.assert_array_equal(first.predict(X), expected)
    swapped = {("usual", "very rare"): 1, ("very rare", "usual"): 5}
    one, other = (
        ThresholdClassifier(LogisticRegression(), costs=swapped, pos_label=label).fit(X, y)
        for label in ("usual", "very rare")
    )
    assert one.best_score_ == pytest.approx(other.best_score_)
    tree = DecisionTreeClassifier(min_samples_leaf=20)
    by_share = ThresholdClassifier(tree, pos_label="usual").fit(X, y)
    assert by_share.default_threshold_ == 0.5
    share = by_share.predict_proba(X)[:, 0]
    expected = np.where(share >= by_share.best_threshold_, "usual", "very rare")
    np.testing.assert_array_equal(by_share.predict(X), expected)


def test_many_scores_are_searched_around_the_best():
    rng = np.random.default_rng(1)
    scores = rng.normal(size=20_000)
    is_so = rng.random(20_000) < 1 / (1 + np.exp(3 - 2 * scores))
    pairs = HeldOut(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))
    found = _choose(scores, is_so, np.ones(20_000), 0.0, class_score("f1", "binary")(pairs))
    order = np.argsort(-scores)
    right = np.cumsum(is_so[order])
    every = 2 * right / (np.arange(1, 20_001) + is_so.sum())
    assert found.score == pytest.approx(every.max(), abs=2e-4)
    assert found.score == pytest.approx(metrics.f1_score(is_so, scores >= found.threshold))


def test_weights_are_repetitions_where_folds_are_given(rare):
    X, y, _ = rare
    w = np.random.default_rng(0).integers(1, 4, len(y))
    rows = np.repeat(np.arange(len(y)), w)
    folds = np.arange(len(y)) % 3
    cv = [(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in range(3)]
    again = [(np.flatnonzero(folds[rows] != k), np.flatnonzero(folds[rows] == k)) for k in range(3)]
    one = ThresholdClassifier(MultinomialNB(), cv=cv).fit(X, y, w)
    other = ThresholdClassifier(MultinomialNB(), cv=again).fit(X[rows], y[rows])
    assert one.best_threshold_ == pytest.approx(other.best_threshold_)
    assert one.best_score_ == pytest.approx(other.best_score_)


def test_it_is_explained_saved_and_compared(rare, tmp_path):
    _, y, texts = rare
    inside = ThresholdClassifier(LogisticRegression())
    model = make_pipeline(TfidfVectorizer(min_df=2), inside).fit(texts, y)
    plain = make_pipeline(TfidfVectorizer(min_df=2), LogisticRegression()).fit(texts, y)
    ours, theirs = (explain(one, texts[:1])[0] for one in (model, plain))
    assert ours.terms == theirs.terms
    quire.save(model, tmp_path / "m.quire")
    np.testing.assert_array_equal(
        quire.load(tmp_path / "m.quire").predict(texts), model.predict(texts)
    )
    damaged = ThresholdClassifier(LogisticRegression()).fit(rare[0], y)
    damaged.pos_label_ = "none of them"
    with pytest.raises(ValueError, match="pos_label_ is not among the classes"):
        quire.save(damaged, tmp_path / "d.quire")
    models = {"plain": LogisticRegression(), "threshold": ThresholdClassifier(LogisticRegression())}
    found = compare(texts, y, models, metric="f1", cv=3)
    assert found.best.name == "threshold"


def test_the_threshold_is_said(rare):
    from quire.kinds import look_inside

    X, y, _ = rare
    model = ThresholdClassifier(LogisticRegression()).fit(X, y)
    (note,) = look_inside(model).notes
    assert f"'very rare' from a score for it of {model.best_threshold_:.4g} on" in note
    both = ThresholdClassifier(CalibratedClassifier(LogisticRegression()), pos_label="usual")
    notes = look_inside(both.fit(X, y)).notes
    assert "before calibration" in notes[0]
    assert f"'usual' from a probability for it of {both.best_threshold_:.4g} on" in notes[1]


def test_plot(rare):
    import matplotlib

    matplotlib.use("Agg")
    X, y, _ = rare
    ax = ThresholdClassifier().fit(X, y).plot()
    assert [text.get_text().split(":")[0] for text in ax.get_legend().get_texts()] == [
        "chosen",
        "usual",
    ]


def test_what_does_not_fit_is_said(rare):
    X, y, _ = rare
    for options, message in [
        ({"scoring": "roc_auc"}, "is no score of a threshold"),
        ({"scoring": "f1_makro"}, "Did you mean 'f1_macro'"),
        ({"scoring": "neg_mean_cost"}, "needs costs"),
        ({"pos_label": "often"}, "'often' is not among"),
        ({"costs": [[1, 2, 3]]}, "2 classes need"),
    ]:
        with pytest.raises(ValueError, match=message):
            ThresholdClassifier(MultinomialNB(), **options).fit(X, y)
    with pytest.raises(ValueError, match="y has 3 classes, and a threshold is for two"):
        ThresholdClassifier(MultinomialNB()).fit(np.eye(6), np.arange(6) % 3)
    with pytest.raises(ValueError, match="No document could be held out"):
        ThresholdClassifier(cv=[([0, 1], [2])]).fit(np.eye(6), [0, 0, 1, 1, 0, 1])


GIVEN = {
    "decisions with probabilities": LogisticRegression(),
    "log-odds": MultinomialNB(),
    "shares": DecisionTreeClassifier(min_samples_leaf=20, random_state=0),
    "calibrated": CalibratedClassifier(MultinomialNB(), cv=3),
}


@pytest.mark.parametrize("name", GIVEN)
@pytest.mark.parametrize("threshold", [0.03, 0.5, 0.9])
def test_a_threshold_that_is_given_is_a_probability(rare, name, threshold):
    X, y, _ = rare
    model = ThresholdClassifier(GIVEN[name], threshold=threshold).fit(X, y)
    p = model.predict_proba(X)[:, 1]
    expected = np.where(p >= threshold, "very rare", "usual")
    np.testing.assert_array_equal(model.predict(X), expected)
    peer = FixedThresholdClassifier(
        model.estimator_, threshold=threshold, pos_label="very rare"
    ).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), peer.predict(X))
    assert np.isnan([model.best_score_, model.held_out_score_, model.default_score_]).all()
    other = ThresholdClassifier(GIVEN[name], threshold=threshold, pos_label="usual").fit(X, y)
    expected = np.where(other.predict_proba(X)[:, 0] >= threshold, "usual", "very rare")
    np.testing.assert_array_equal(other.predict(X), expected)


def test_a_threshold_that_is_given_is_a_score_without_probabilities(rare):
    X, y, _ = rare
    model = ThresholdClassifier(LinearSVC(), threshold=-0.4).fit(X, y)
    expected = np.where(model.decision_function(X) >= -0.4, "very rare", "usual")
    np.testing.assert_array_equal(model.predict(X), expected)
    with pytest.raises(ValueError, match="was given"):
        model.plot()


def test_a_threshold_that_does_not_fit(rare):
    X, y, _ = rare
    with pytest.raises(ValueError, match=r"threshold=1.5 is no probability"):
        ThresholdClassifier(LogisticRegression(), threshold=1.5).fit(X, y)
    boosted = GradientBoostingClassifier(n_estimators=2, loss="exponential")
    with pytest.raises(ValueError, match="put a CalibratedClassifier around it"):
        ThresholdClassifier(boosted, threshold=0.3).fit(X[:, :20], y)


def test_compare_takes_a_threshold_that_is_given(rare):
    _, y, texts = rare
    plain = compare(texts, y, ["logistic", "linear-svm"], cv=3, tune=False)
    found = compare(texts, y, ["logistic", "linear-svm"], cv=3, tune=False, threshold="0.2")
    P = plain["logistic"].probabilities
    np.testing.assert_array_equal(found["logistic"].probabilities, P)
    np.testing.assert_array_equal(found["logistic"].predicted, P[:, 1] >= 0.2)
    scores = plain["linear-svm"].decisions
    np.testing.assert_array_equal(plain["linear-svm"].predicted, scores > 0)
    np.testing.assert_array_equal(found["linear-svm"].decisions, scores)
    np.testing.assert_array_equal(found["linear-svm"].predicted, scores >= 0.2)
    assert plain["logistic"].decisions is None
    with pytest.raises(ValueError, match=r"threshold=0.2 is for two classes"):
        compare(texts, np.arange(len(y)) % 3, ["logistic"], task="multiclass", threshold=0.2)
