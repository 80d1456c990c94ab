"""compare: the same folds for all models, nothing learned from held-out documents."""

import json
import os
import signal
import time
import warnings
from threading import Event

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression as SklearnLogistic
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
)
from sklearn.naive_bayes import MultinomialNB as SklearnNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from quire.calibration import CalibratedClassifier
from quire.datasets import make_text_classification
from quire.feature_extraction.text import CountVectorizer, TfidfVectorizer
from quire.io import read_corpus
from quire.linear_model import LeastSquaresClassifier, LogisticRegression, Ridge
from quire.model_selection import (
    Candidate,
    ThresholdClassifier,
    compare,
    model_names,
    register_model,
)
from quire.model_selection._compare import folds as folds_module
from quire.model_selection._compare.features import Features
from quire.model_selection._compare.models import _KNOWN
from quire.model_selection._compare.task import target_of
from quire.naive_bayes import BernoulliNB, MultinomialNB


@pytest.fixture(scope="module")
def corpus():
    data = make_text_classification(240, n_classes=3, separation=5.0, random_state=0)
    return list(data.texts), np.array(["a", "b", "c"])[data.y]


def test_scores_equal_those_of_pipelines_that_are_fitted_on_each_fold(corpus):
    texts, y = corpus
    models = {
        "nb": MultinomialNB(alpha=0.3),
        "logistic": LogisticRegression(C=10.0, tol=1e-8),
        "theirs": SklearnNB(alpha=0.3),
        "pipeline": make_pipeline(TfidfVectorizer(), SklearnLogistic()),
    }
    found = compare(texts, y, models, min_df=3, refit=False)
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    whole = {
        "nb": make_pipeline(CountVectorizer(min_df=3), MultinomialNB(alpha=0.3)),
        "theirs": make_pipeline(CountVectorizer(min_df=3), SklearnNB(alpha=0.3)),
        "logistic": make_pipeline(
            TfidfVectorizer(min_df=3, sublinear_tf=True), LogisticRegression(C=10.0, tol=1e-8)
        ),
        "pipeline": models["pipeline"],
    }
    for name, pipeline in whole.items():
        expected = cross_val_predict(pipeline, texts, y, cv=cv, method="predict_proba")
        np.testing.assert_allclose(found[name].probabilities, expected, atol=1e-7)
        np.testing.assert_array_equal(found[name].predictions, found.classes[expected.argmax(1)])
        accuracies = [(found[name].predictions[test] == y[test]).mean() for _, test in found.folds]
        np.testing.assert_allclose(found[name].scores["accuracy"], accuracies)


def test_default_models_are_ranked_and_the_best_one_is_fitted(corpus):
    texts, y = corpus
    found = compare(texts, y)
    means = [trial.scores["accuracy"].mean() for trial in found]
    assert means == sorted(means, reverse=True)
    assert found[-1].name == "majority"
    assert {trial.name for trial in found} <= set(model_names("multiclass"))
    assert found.best is found[0]
    assert (found.model.predict(texts) == y).mean() > 0.9
    known = {"alpha", "C", "features", "of"}
    assert all(set(one) <= known for trial in found for one in trial.settings)
    assert found.interval(found.best).low < means[0] < found.interval(found.best).high
    assert found.p_value(found["majority"]) < 0.01
    frame = found.to_frame()
    assert frame["model"].to_list() == [trial.name for trial in found]
    assert frame["p_value"][0] is None
    json.dumps(found.to_dict())
    assert str(found).count("\n") >= len(found)
    assert "<table>" in found._repr_html_()


def test_settings_are_those_of_a_grid_search_over_the_pipeline(corpus):
    texts, y = corpus
    tf = TfidfVectorizer(min_df=2, sublinear_tf=True)
    pipelines = {
        "multinomial-nb": (make_pipeline(CountVectorizer(min_df=2), MultinomialNB()), "alpha"),
        "bernoulli-nb": (make_pipeline(CountVectorizer(min_df=2), BernoulliNB()), "alpha"),
        "logistic": (make_pipeline(tf, LogisticRegression()), "C"),
        "least-squares": (make_pipeline(tf, LeastSquaresClassifier()), "alpha"),
    }
    found = compare(
        texts, y, list(pipelines), metric="f1_macro", cv=3, refit=False, features="words"
    )
    inner = StratifiedKFold(3, shuffle=True, random_state=0)
    for name, (pipeline, setting) in pipelines.items():
        values = list(_KNOWN[name].grid[setting])
        step = pipeline.steps[-1][0]
        grid = {f"{step}__{setting}": values}
        for (train, _), chosen in zip(found.folds, found[name].settings, strict=True):
            search = GridSearchCV(pipeline, grid, cv=inner, scoring="f1_macro")
            search.fit([texts[row] for row in train], y[train])
            scores = search.cv_results_["mean_test_score"]
            assert scores[values.index(chosen[setting])] >= scores.max() - 1e-3, name


def test_the_same_seed_gives_the_same_bits_with_any_number_of_threads(corpus):
    texts, y = corpus
    one, two = (compare(texts, y, ["logistic", "complement-nb"], n_jobs=n) for n in (1, 2))
    for a, b in zip(one, two, strict=True):
        assert a.name == b.name
        np.testing.assert_array_equal(a.probabilities, b.probabilities)
    other = compare(texts, y, ["complement-nb"], random_state=1)
    assert not np.array_equal(other.folds[0][1], one.folds[0][1])


def test_tables_with_texts_categories_and_numbers(corpus):
    texts, y = corpus
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=len(y)) + 3 * (y == "a")
    table = pl.DataFrame(
        {
            "body": [None, *texts[1:]],
            "kind": np.where(y == "b", "x", "z"),
            "age": [None, *numbers[1:].tolist()],
            "flag": [None, *(y[1:] == "c").tolist()],
            "label": y,
        }
    )
    models = ["logistic", "majority"]
    found = compare(table, "label", models)
    assert found.settings["texts"] == ["body"]
    assert found.settings["categories"] == ["kind", "flag"]
    assert found.settings["numbers"] == ["age"]
    assert (
        found.best.scores["accuracy"].mean()
        > compare(texts, y, models).best.scores["accuracy"].mean()
    )
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    data = table.drop("label").with_columns(
        pl.col("body").fill_null(""), pl.col("flag").cast(pl.String).fill_null("(missing)")
    )
    pipeline = compare(table, "label", [("one", LogisticRegression(C=10.0, tol=1e-8))]).best
    expected = cross_val_predict(pipeline.estimator, data, y, cv=cv, method="predict_proba")
    np.testing.assert_allclose(pipeline.probabilities, expected, atol=1e-6)
    pandas = compare(table.to_pandas(), "label", models)
    np.testing.assert_allclose(pandas[0].probabilities, found[0].probabilities, atol=1e-7)
    assert any("takes texts alone" in n or "take texts alone" in n for n in _notes(table))


def _notes(table):
    return compare(table, "label", cv=2, refit=False, tune=False).notes


def test_a_corpus_brings_its_labels(corpus):
    texts, y = corpus
    read = read_corpus(pl.DataFrame({"text": texts, "label": y}))
    np.testing.assert_array_equal(
        compare(read, models="complement-nb").best.predictions,
        compare(texts, y, models="complement-nb").best.predictions,
    )


def test_groups_are_held_out_together(corpus):
    texts, y = corpus
    groups = np.arange(len(y)) // 4
    found = compare(texts, y, "complement-nb", groups=groups, refit=False)
    for train, test in found.folds:
        assert not set(groups[train]) & set(groups[test])


def test_numbers_and_ordered_labels(corpus):
    texts, y = corpus
    score = np.array([len(text) for text in texts]) / 100 + (y == "a")
    found = compare(texts, score, ["ridge", "mean"])
    assert (found.task, found.metric, found.classes) == ("continuous", "r2", None)
    assert found["mean"].scores["r2"].mean() < 0.01
    ordered = pl.Series("grade", y).cast(pl.Enum(["c", "a", "b"]))
    found = compare(texts, ordered, ["ordered-logit", "majority"])
    assert (found.task, found.metric) == ("ordered", "neg_mean_absolute_error")
    assert found.classes.tolist() == ["c", "a", "b"]
    assert found.best.name == "ordered-logit"
    assert set(found.model.predict(texts)) == {"a", "b", "c"}


@pytest.mark.parametrize(
    "metric",
    ["f1_weighted", "jaccard_macro", "matthews_corrcoef", "roc_auc_ovr", "average_precision",
     "roc_auc_ovo", "neg_brier_score", "neg_log_loss", "top_k_accuracy", "v_measure_score"],
)  # fmt: skip
def test_any_scorer_of_scikit_learn(corpus, metric):
    texts, y = corpus
    model = make_pipeline(TfidfVectorizer(), SklearnLogistic())
    found = compare(texts, y, {"mine": model}, metric=metric, cv=3, refit=False)
    assert (found.metric, found.metrics[0]) == (metric, metric)
    cv = StratifiedKFold(3, shuffle=True, random_state=0)
    expected = cross_val_score(model, texts, y, cv=cv, scoring=metric)
    np.testing.assert_allclose(found["mine"].scores[metric], expected)
    least, mean, most = found.interval(found.best)[1], *found.interval(found.best)[::2]
    assert least <= mean <= most


def test_costs_are_a_score(corpus):
    texts, y = corpus
    costs = {"a": {"b": 4}, "c": {"a": 2.5, "c": -1}}
    names = ["multinomial-nb", "majority"]
    found = compare(texts, y, names, costs=costs, cv=3, refit=False)
    assert found.metric == "neg_mean_cost"
    assert found.costs.tolist() == [[0, 4, 1], [1, 0, 1], [2.5, 1, -1]]
    for trial in found:
        each = found.costs[found.codes, trial.predicted]
        np.testing.assert_allclose(
            trial.scores["neg_mean_cost"], [-each[test].mean() for _, test in found.folds]
        )
        mean, low, high = found.interval(trial)
        assert -4 <= low < mean < high <= 1
    assert found.to_dict()["costs"] == found.costs.tolist()
    again = compare(texts, y, names, costs=found.costs, metric="accuracy", cv=3, refit=False)
    assert again.metrics[:2] == ("accuracy", "neg_mean_cost")
    with pytest.raises(ValueError, match="needs costs"):
        compare(texts, y, metric="neg_mean_cost")
    with pytest.raises(ValueError, match="costs are for classes"):
        compare(texts, np.arange(len(y)) / 7, costs=costs)


@pytest.fixture(scope="module")
def rare():
    data = make_text_classification(500, n_classes=2, separation=6.0, random_state=3)
    keep = np.flatnonzero((data.y == 0) | (np.arange(500) % 4 == 0))
    return [data.texts[k] for k in keep], np.array(["usual", "rare"])[data.y[keep]]


def test_weights_of_classes_are_told(rare):
    texts, y = rare
    names = ["logistic", "linear-svm", "multinomial-nb"]
    found = compare(texts, y, names, class_weight="balanced", cv=3, metric="f1_macro")
    assert "without weights of classes, which they do not take: multinomial-nb" in found.notes
    assert found["logistic"].estimator[-1].class_weight == "balanced"
    plain = compare(texts, y, names, cv=3, metric="f1_macro", refit=False)
    for name in names:
        ours, before = (one[name].scores["balanced_accuracy"] for one in (found, plain))
        assert (ours == before).all() if name == "multinomial-nb" else ours.mean() > before.mean()
    by_hand = {"rare": (y == "usual").sum() / (y == "rare").sum()}
    told = compare(texts, y, "logistic", class_weight=by_hand, cv=3, tune=False)
    assert told.model[-1].class_weight == {**by_hand, "usual": 1.0}
    assert told.settings["class_weight"] == by_hand
    model = make_pipeline(
        TfidfVectorizer(min_df=2, sublinear_tf=True),
        LogisticRegression(class_weight=by_hand, tol=1e-8),
    )
    for train, test in told.folds:
        model.fit([texts[k] for k in train], y[train])
        guess = model.predict([texts[k] for k in test])
        assert (guess == told.best.predictions[test]).mean() > 0.99


def test_weights_of_classes_are_chosen_inside_the_folds(rare):
    texts, y = rare
    found = compare(texts, y, "logistic", class_weight="choose", cv=3, metric="balanced_accuracy")
    assert [one["class_weight"] for one in found.best.settings] == ["balanced"] * 3
    assert found.model[-1].class_weight == "balanced"
    told = compare(texts, y, "logistic", class_weight="balanced", cv=3, metric="balanced_accuracy")
    assert [one["C"] for one in found.best.settings] == [one["C"] for one in told.best.settings]
    plain = compare(texts, y, "logistic", cv=3, metric="accuracy")
    chosen = compare(texts, y, "logistic", class_weight="choose", cv=3, metric="accuracy")
    for one, other in zip(chosen.best.settings, plain.best.settings, strict=True):
        assert one["class_weight"] == "balanced" or one["C"] == other["C"]
    for weight, message in [
        ("even", "expected 'balanced', 'choose' or a mapping"),
        ({"many": 2}, "'many', which is no class; there are: 'rare', 'usual'"),
        ({"rare": -1}, "-1 for 'rare'; expected 0 or more"),
    ]:
        with pytest.raises(ValueError, match=message):
            compare(texts, y, class_weight=weight)
    with pytest.raises(ValueError, match="class_weight is for classes"):
        compare(texts, np.arange(len(y)) / 7, class_weight="balanced")


def test_calibration_and_thresholds_inside_the_folds(rare):
    texts, y = rare
    names = ["logistic", "multinomial-nb", "majority"]
    plain = compare(texts, y, names, metric="ece", cv=3, refit=False)
    calibrated = compare(texts, y, names, metric="ece", calibrate="temperature", cv=3)
    name = "neg_calibration_error"
    ours, before = (one["multinomial-nb"].scores[name].mean() for one in (calibrated, plain))
    assert ours > before
    assert calibrated["majority"].scores[name].tolist() == plain["majority"].scores[name].tolist()
    assert calibrated["logistic"].settings == plain["logistic"].settings
    assert calibrated.settings["calibrate"] == "temperature"

    told = compare(texts, y, "logistic", metric="balanced_accuracy", tune=False, cv=3,
                   threshold="balanced_accuracy", calibrate="sigmoid")  # fmt: skip
    expected = make_pipeline(
        TfidfVectorizer(min_df=2, sublinear_tf=True),
        ThresholdClassifier(
            CalibratedClassifier(LogisticRegression()), scoring="balanced_accuracy"
        ),
    )
    cv = StratifiedKFold(3, shuffle=True, random_state=0)
    by_hand = cross_val_score(expected, texts, y, cv=cv, scoring="balanced_accuracy")
    np.testing.assert_allclose(told.best.scores["balanced_accuracy"], by_hand, atol=0.02)
    assert told.model[-1].best_threshold_ != 0.5
    first = compare(texts, y, "logistic", metric="balanced_accuracy", tune=False, cv=3)
    assert by_hand.mean() > first.best.scores["balanced_accuracy"].mean()
    costs = {("rare", "usual"): 8}
    cheap = compare(texts, y, "logistic", costs=costs, threshold="cost", cv=3, refit=False)
    assert cheap.best.scores["neg_mean_cost"].mean() > -0.5
    for options, message in [
        ({"calibrate": "platt"}, "expected 'sigmoid', 'isotonic', 'temperature'"),
        ({"threshold": "roc_auc"}, "is no score of a threshold"),
        ({"threshold": "f2"}, "Did you mean 'f1"),
        ({"threshold": "cost"}, "needs costs"),
        ({"threshold": "f1", "task": "ordered"}, "for two classes"),
        ({"calibrate": "sigmoid", "task": "ordered"}, "classes without an order"),
    ]:
        with pytest.raises(ValueError, match=message):
            compare(texts, y, **options)


def test_a_class_that_is_not_learned_in_a_fold_is_ranked_last():
    data = make_text_classification(90, n_classes=3, separation=5.0, random_state=0)
    y = np.array(["a", "b", "c"])[data.y]
    rows = np.arange(90)
    folds = [(rows[(rows < 60) & (y != "c")], rows[60:]), (rows[30:], rows[:30])]
    found = compare(data.texts, y, ["logistic", "linear-svm"], metric="roc_auc", cv=folds)
    for trial in found:
        assert 0.5 < trial.scores["roc_auc"][0] < trial.scores["roc_auc"][1]


def test_decisions_rank_documents_where_there_are_no_probabilities():
    data = make_text_classification(120, n_classes=2, separation=2.0, random_state=0)
    texts, y = list(data.texts), np.array(["b", "a"])[data.y]
    given = {"svm": make_pipeline(TfidfVectorizer(), LinearSVC())}
    found = compare(texts, y, given, metric="roc_auc", refit=False)["svm"].scores["roc_auc"]
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    expected = cross_val_score(given["svm"], texts, y, cv=cv, scoring="roc_auc")
    np.testing.assert_allclose(found, expected)
    known = compare(texts, y, ["linear-svm", "kernel-svm", "least-squares"], metric="roc_auc", cv=3)
    for trial in known:
        assert 0.5 < trial.scores["roc_auc"].mean() <= 1
        assert trial.probabilities is None


@pytest.mark.parametrize(
    ("y", "name", "task"),
    [
        (["x", "y"] * 3, None, "binary"),
        ([True, False] * 3, None, "binary"),
        (["x", "y", "z"] * 2, None, "multiclass"),
        ([1, 2, 3] * 2, None, "multiclass"),
        ([1, 2, 3] * 2, "star_rating", "ordered"),
        ([0.5, 1.5, 2.0], None, "continuous"),
        (list(range(30)), None, "continuous"),
        (
            pd.Series(pd.Categorical(["lo", "hi", "mid"], ["lo", "mid", "hi"], ordered=True)),
            None,
            "ordered",
        ),
    ],
)
def test_the_task_is_found(y, name, task):
    assert target_of(y, name=name).task == task


def test_ctrl_c_keeps_the_folds_that_are_finished(corpus, monkeypatch):
    texts, y = corpus
    calls = []
    original = folds_module._run_one

    def run(outcome, *arguments, **options):
        calls.append(outcome)
        if len(calls) == 8:
            raise KeyboardInterrupt
        original(outcome, *arguments, **options)

    monkeypatch.setattr(folds_module, "_run_one", run)
    models = ["multinomial-nb", "majority"]
    found = compare(texts, y, models, n_jobs=1)
    assert found.interrupted
    assert len(found.folds) == 3
    assert all(len(trial.scores["accuracy"]) == 3 for trial in found)
    assert sum(label is None for label in found.best.predictions) == 96
    assert found.model is None
    calls[:] = [None] * 7
    with pytest.raises(KeyboardInterrupt):
        compare(texts, y, models, n_jobs=1)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_in_the_first_fold_keeps_the_models_that_are_finished(corpus, monkeypatch, n_jobs):
    texts, y = corpus
    finished = Event()
    original = folds_module._run_one

    def run(outcome, *arguments, **options):
        if outcome.candidate.name == "majority":  # the last in the table is begun first
            original(outcome, *arguments, **options)
            finished.set()
            return
        assert finished.wait(60)
        if n_jobs == 1:
            raise KeyboardInterrupt
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.3)  # until the main thread has seen it
        raise KeyboardInterrupt

    monkeypatch.setattr(folds_module, "_run_one", run)
    split = ["train"] * (len(y) - 40) + ["test"] * 40
    names = ["majority", "multinomial-nb"]
    found = compare(texts, y, names, n_jobs=n_jobs, split=split)
    assert found.interrupted
    assert len(found.folds) == 1
    assert found["majority"].error is None
    assert found["multinomial-nb"].error == "stopped before it was finished"
    assert found.best.name == "majority"
    assert "stopped before" in str(found)


def test_ctrl_c_while_folds_run_side_by_side(corpus, monkeypatch):
    texts, y = corpus
    calls = []
    original = folds_module._run_one

    def run(outcome, *arguments, **options):
        calls.append(outcome)
        if len(calls) >= 6:
            if len(calls) == 6:
                os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.3)  # until the main thread has seen it
        original(outcome, *arguments, **options)

    monkeypatch.setattr(folds_module, "_run_one", run)
    found = compare(texts, y, ["multinomial-nb", "majority"], n_jobs=2)
    assert found.interrupted
    assert 1 <= len(found.folds) < 5
    assert all(len(trial.scores["accuracy"]) == len(found.folds) for trial in found)


def test_a_model_that_fails_does_not_end_the_others(corpus):
    class Broken(SklearnNB):
        def fit(self, X, y):
            raise ValueError("no luck\nat all")

    texts, y = corpus
    found = compare(texts, y, {"broken": Broken(), "nb": MultinomialNB()})
    assert found[1].error == "ValueError: no luck at all"
    assert found.best.name == "nb"
    assert "failed" in str(found)
    with pytest.raises(ValueError, match="Every model failed; broken: ValueError: no luck"):
        compare(texts, y, {"broken": Broken()})


def test_models_join_by_registration(corpus):
    texts, y = corpus
    register_model(
        Candidate("mine", "My model", lambda: MultinomialNB(alpha=0.5), ("multiclass",), "counts")
    )
    try:
        assert "mine" in model_names("multiclass")
        assert compare(texts, y, "mine").best.title == "My model"
        assert "mine" in {trial.name for trial in compare(texts, y, cv=2, tune=False)}
    finally:
        del _KNOWN["mine"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": ["a"] * 240}, "All 240 labels are 'a'"),
        ({"y": ["a"] * 239 + [None]}, "1 of 240 documents have no label, the first at row 239"),
        ({"y": ["a", "b"]}, "240 documents and 2 labels"),
        ({"data": [""] * 240}, "All 240 texts are empty"),
        ({"models": "logistik"}, "Did you mean 'logistic'"),
        ({"models": "ridge"}, "cannot do the task"),
        ({"models": []}, "models is empty"),
        ({"models": [Ridge()]}, "does not fit the task"),
        ({"metric": "r2"}, "does not fit the task 'multiclass'"),
        ({"task": "continuous"}, "needs numbers, but a label is 'a'"),
        ({"task": "wrong"}, "task must be"),
        ({"cv": 1}, "at least two folds"),
        ({"min_df": 10_000}, "Every model failed; complement-nb: ValueError: max_df"),
    ],
)
def test_what_does_not_fit_is_said(corpus, change, message):
    arguments = {"data": corpus[0], "y": corpus[1], "models": "complement-nb", **change}
    with pytest.raises(ValueError, match=message):
        compare(**arguments)


def test_a_class_smaller_than_the_folds_is_noted(corpus):
    texts, y = corpus
    y = np.where(np.arange(len(y)) < 2, "rare", y)
    found = compare(texts, y, ["complement-nb", "logistic"])
    assert found.notes == (
        "1 class with fewer documents than the 5 folds, not learned or not held out in some of "
        "them: 'rare' (2)",
    )
    assert all(trial.error is None for trial in found)
    assert sum(len(test) for _, test in found.folds) == len(y)


def test_fewer_documents_than_folds_are_held_out_one_by_one():
    """Of the worked example one class has one document: without it, there is one class only."""
    texts = ["Chinese Beijing Chinese", "Chinese Chinese Shanghai", "Chinese Macao",
             "Tokyo Japan Chinese"]  # fmt: skip
    found = compare(texts, ["yes", "yes", "yes", "no"], ["multinomial-nb", "logistic", "majority"])
    assert [test.tolist() for _, test in found.folds] == [[0], [1], [2], [3]]
    assert all(trial.error is None for trial in found)
    assert found["multinomial-nb"].predictions.tolist() == ["yes"] * 4
    np.testing.assert_array_equal(found["multinomial-nb"].probabilities[3], [0, 1])
    assert "each of the 4 documents is held out by itself" in found.notes[0]
    joint = [1 / 4 * (2 / 9) ** 5, 3 / 4 * (3 / 7) ** 3 * (1 / 14) ** 2]
    model = compare(texts, ["yes", "yes", "yes", "no"], "multinomial-nb").model
    np.testing.assert_allclose(
        model.predict_proba(["Chinese Chinese Chinese Tokyo Japan"])[0], joint / np.sum(joint)
    )


def test_intervals_stay_inside_the_scale(corpus):
    texts, y = corpus
    found = compare(texts, y, ["majority", "complement-nb"], cv=2, refit=False)
    for trial in found:
        for metric in ("accuracy", "f1_macro", "balanced_accuracy"):
            mean, low, high = found.interval(trial, metric)
            assert 0 <= low <= mean <= high <= 1
        assert found.interval(trial, "neg_log_loss").high <= 0
        assert -2 <= found.interval(trial, "neg_brier_score").low <= 0
    texts = ["good film", "bad film"] * 40
    for cv in (5, [(np.arange(40), np.arange(40, 80))]):
        found = compare(texts, ["pos", "neg"] * 40, "multinomial-nb", cv=cv, refit=False)
        n = sum(len(test) for _, test in found.folds)
        assert found.interval(found.best) == pytest.approx((1, 1 / (1 + 1.959964**2 / n), 1))


def test_what_is_no_list_of_texts_is_said(corpus):
    with pytest.raises(TypeError, match="y is missing"):
        compare(corpus[0])
    with pytest.raises(TypeError, match="one string"):
        compare("text", ["a", "b"])
    with pytest.raises(ValueError, match="There is no column 'lable'"):
        compare(pl.DataFrame({"text": ["x"], "label": ["a"]}), "lable")
    with pytest.raises(TypeError, match="texts must be strings"):
        compare([1, 2], ["a", "b"])


def test_plot(corpus):
    import matplotlib

    matplotlib.use("Agg")
    texts, y = corpus
    ax = compare(texts, y, ["complement-nb", "majority"], cv=2, refit=False).plot()
    assert len(ax.get_yticklabels()) == 2


def test_logistic_regression_is_fitted_as_it_is_by_hand():
    data = make_text_classification(400, n_classes=3, separation=4.0, random_state=0)
    comparison = compare(data.texts, data.y, ["logistic"])
    vectorizer, model = comparison.model[0], comparison.model[-1]
    X = vectorizer.transform(data.texts)
    by_hand = LogisticRegression(C=model.C, tol=1e-8).fit(X, data.y)
    assert np.abs(by_hand.coef_).max() > 1
    np.testing.assert_allclose(model.coef_, by_hand.coef_, atol=0.02 * np.abs(by_hand.coef_).max())


# Checks


def test_checks_leave_notes_and_can_be_silenced():
    data = make_text_classification(100, n_classes=2, separation=5.0, random_state=1)
    texts, y = list(data.texts), np.where(data.y == data.y[0], "yes", "no").astype(object)
    texts[60:64], y[60:64] = texts[:4], y[:4]
    y[10] = "No"
    options = {"models": ["multinomial-nb"], "cv": 2, "refit": False, "tune": False}
    found = compare(texts, y, **options)
    codes = {finding.code for finding in found.checks}
    assert {"QT001", "QT009"} <= codes
    for code in ("QT001", "QT009"):
        assert any(note.startswith(f"{code}: ") for note in found.notes)
    assert found.to_dict()["checks"]["findings"]
    quiet = compare(texts, y, silence="QT001", **options)
    assert not any(note.startswith("QT001") for note in quiet.notes)
    assert any(note.startswith("QT009") for note in quiet.notes)
    none = compare(texts, y, checks=False, **options)
    assert none.checks is None
    assert none.notes == tuple(note for note in found.notes if not note.startswith("QT"))
    for metric, scores in found.best.scores.items():
        np.testing.assert_array_equal(scores, none.best.scores[metric])


def test_a_column_that_tells_the_label_is_said():
    data = make_text_classification(100, n_classes=2, separation=5.0, random_state=1)
    table = pl.DataFrame({"text": list(data.texts), "y": data.y, "stars": 1 + 4 * data.y})
    found = compare(table, "y", ["logistic"], text="text", cv=2, refit=False, tune=False)
    assert any(note.startswith("QT005: Column 'stars'") for note in found.notes)
    alone = table.select("y", "stars")
    assert compare(alone, "y", ["logistic"], cv=2, refit=False, tune=False).checks is None


class Grumbling(SklearnNB):
    """Warns of something else than its convergence."""

    def fit(self, X, y):
        warnings.warn("these are not counts", UserWarning, stacklevel=2)
        return super().fit(X, y)


@pytest.mark.parametrize("is_small", [True, False])
def test_fits_that_do_not_converge_are_a_note(is_small, monkeypatch):
    monkeypatch.setattr(Features, "is_small", is_small)
    data = make_text_classification(60, n_classes=2, random_state=0)
    models = [("hasty", SklearnLogistic(max_iter=1)), "multinomial-nb"]
    told = []
    found = compare(data.texts, data.y, models=models, cv=3, refit=False, tell=told.append)
    about = [note for note in found.notes if "converged" in note]
    assert about == [
        "stopped before they had converged (more iterations may change scores): hasty (3 fits)"
    ]
    assert told[-1:] == about
    assert all(trial.error is None for trial in found)


def test_a_fit_to_all_documents_that_does_not_converge_is_counted():
    data = make_text_classification(60, n_classes=2, random_state=0)
    found = compare(data.texts, data.y, models=[("hasty", SklearnLogistic(max_iter=1))], cv=3)
    assert found.notes[-1].endswith("hasty (4 fits)")


def test_other_warnings_of_models_are_let_through():
    data = make_text_classification(60, n_classes=2, random_state=0)
    with pytest.warns(UserWarning, match="not counts"):
        found = compare(data.texts, data.y, models=[("grumbling", Grumbling())], cv=3)
    assert not [note for note in found.notes if "converged" in note]
