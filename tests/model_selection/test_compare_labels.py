"""Comparing and evaluating models of several labels: what is read, folds, settings, results."""

import pickle

import numpy as np
import polars as pl
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import f1_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import quire
from quire.datasets import make_multilabel_texts
from quire.feature_extraction.text import TfidfVectorizer
from quire.model_selection import compare, evaluate, model_names
from quire.model_selection._compare.task import target_of
from quire.multilabel import BinaryRelevance, LabelPowerset
from quire.svm import LinearSVC

DATA = make_multilabel_texts(240, n_labels=5, separation=12.0, mean_length=40.0, random_state=0)
QUICK = ["linear-svm", "multinomial-nb", "majority"]


@pytest.fixture(scope="module")
def found():
    return compare(DATA.texts, DATA.labels.joined(), QUICK, cv=3)


# What is read ------------------------------------------------------------------------------------


def test_texts_with_separators_are_several_labels_and_it_is_said():
    target = target_of(["a|b", "a", "b", ""])
    assert target.task == "multilabel"
    assert target.classes.tolist() == ["a", "b"]
    assert "'a|b' have '|' between parts" in target.notes[0]
    assert "task='multiclass'" in target.notes[0]
    assert "label_separator=" in target.notes[0]
    assert "1 of 4 documents have no label" in target.notes[1]


@pytest.mark.parametrize(
    ("y", "options", "task"),
    [
        (["sport|golf", "sport|chess", "arts|film"], {}, "multiclass"),
        (["a|b", "a", "b"], {"task": "multiclass"}, "multiclass"),
        (["a;b", "a", "b"], {}, "multiclass"),
        (["a;b", "a", "b"], {"separator": ";"}, "multilabel"),
        (["a|b", "c|d", "e"], {"task": "multilabel"}, "multilabel"),
        ([["a"], ["b"], []], {}, "multilabel"),
        (np.eye(3, dtype=int), {}, "multilabel"),
        (pl.Series([["a"], ["b", "a"]]), {}, "multilabel"),
    ],
)
def test_the_task_that_labels_suggest(y, options, task):
    assert target_of(y, **options).task == task


@pytest.mark.parametrize(
    ("y", "options", "words"),
    [
        (["", "", ""], {"task": "multilabel"}, "None of the 3 documents has a label"),
        ([["a"], None], {}, "1 of 2 documents are missing"),
        (["a|b"], {"task": "binary", "separator": "|"}, "leave one of them out"),
        (["a|b"], {"separator": ""}, "label_separator=''"),
        ([], {"task": "multilabel"}, "There are no labels"),
    ],
)
def test_labels_that_cannot_be_read(y, options, words):
    with pytest.raises(ValueError, match=words):
        target_of(y, **options)


# Comparisons -------------------------------------------------------------------------------------


def test_a_comparison_of_several_labels(found):
    assert (found.task, found.metric) == ("multilabel", "f1_micro")
    assert found.best.name in ("linear-svm", "multinomial-nb")
    assert found[2].name == "majority"
    assert list(found.y) == list(DATA.labels)
    Y, P = (sets.indicator.toarray() for sets in (found.y, found.best.predictions))
    for fold, (_, test) in enumerate(found.folds):
        for name in ("micro", "macro"):
            expected = f1_score(Y[test], P[test], average=name)
            assert found.best.scores[f"f1_{name}"][fold] == pytest.approx(expected)
    table = found.class_table()
    assert table["label"].to_list() == found.classes.tolist()
    assert table["documents"].to_list() == found.y.sizes.tolist()
    np.testing.assert_allclose(table["f1"], f1_score(Y, P, average=None))
    for metric in found.metrics:
        low, high = found.interval(found.best, metric)[1:]
        assert (low, high) == (pytest.approx(low), pytest.approx(high))
    assert "f1_micro" in str(found)
    assert found.to_dict()["task"] == "multilabel"
    assert pickle.loads(pickle.dumps(found)).y[0] == found.y[0]
    assert found.plot() is not None


def test_folds_spread_every_label(found):
    Y = found.codes.toarray()
    counts = np.array([Y[test].sum(axis=0) for _, test in found.folds])
    assert (np.ptp(counts, axis=0) <= 3).all()
    assert sorted(np.concatenate([test for _, test in found.folds])) == list(range(240))


def test_the_model_is_fitted_with_names_and_can_be_kept(found, tmp_path):
    assert found.model[-1].classes_.tolist() == found.classes.tolist()
    quire.save(found.model, tmp_path / "model.quire")
    loaded = quire.load(tmp_path / "model.quire")
    np.testing.assert_array_equal(loaded.predict(DATA.texts), found.model.predict(DATA.texts))
    again = compare(DATA.texts, DATA.labels, QUICK, cv=3, n_jobs=1)
    np.testing.assert_array_equal(again.best.scores["f1_micro"], found.best.scores["f1_micro"])


def test_every_form_of_labels_gives_the_same_scores(found):
    texts = [" ; ".join(one) for one in DATA.labels]
    for y, options in (
        ([list(one) for one in DATA.labels], {}),
        (np.asarray(DATA.labels), {}),
        (texts, {"label_separator": ";"}),
    ):
        other = compare(DATA.texts, y, "majority", cv=3, refit=False, checks=False, **options)
        expected = found["majority"].scores["f1_micro"]
        np.testing.assert_array_equal(other.best.scores["f1_micro"], expected)


def test_one_split_groups_and_the_mean_over_labels():
    split = ["train"] * 160 + ["test"] * 80
    one = compare(
        DATA.texts, DATA.labels, ["linear-svm", "label-powerset"], split=split, metric="f1_macro"
    )
    assert one.metric == "f1_macro"
    assert one["linear-svm"].estimator[-1].threshold == "f1_macro"
    value, low, high = one.interval(one.best)
    assert 0 <= low < value < high <= 1
    assert 0 <= one.p_value(one[1]) <= 1
    assert one.best.predictions[0] == ()  # was not held out
    groups = np.arange(240) // 4
    held = compare(DATA.texts, DATA.labels, "majority", groups=groups, cv=4, checks=False)
    for train, test in held.folds:
        assert not set(groups[train]) & set(groups[test])


def test_models_of_ones_own():
    models = {
        "svm": LinearSVC(random_state=0),
        "sets": LabelPowerset(LinearSVC(random_state=0)),
        "neighbours": KNeighborsClassifier(),
        "forest": make_pipeline(TfidfVectorizer(), RandomForestClassifier(5, random_state=0)),
    }
    found = compare(DATA.texts, list(DATA.labels), models, cv=2, checks=False)
    assert {trial.error for trial in found} == {None}
    assert isinstance(found["svm"].estimator[-1], BinaryRelevance)
    assert isinstance(found["neighbours"].estimator[-1], KNeighborsClassifier)


def test_tables_without_texts():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(120, 3))
    table = pl.DataFrame(x, schema=["x", "y", "z"])
    labels = [[name for k, name in enumerate("abc") if row[k] > 0] for row in x]
    found = compare(table, labels, cv=2)
    assert found["logistic"].scores["f1_micro"].mean() > 0.9
    assert set(model_names("multilabel", table=True)) == {trial.name for trial in found}


def test_models_that_have_too_many_sets_are_left_out():
    rng = np.random.default_rng(0)
    labels = [[f"l{k}" for k in np.flatnonzero(row)] for row in rng.random((700, 14)) < 0.5]
    from quire.model_selection._compare.models import candidates_of
    from quire.model_selection._compare.views import WORDS

    features = type(
        "Views",
        (),
        {"views": (WORDS,), "is_table": False, "is_mixed": False, "codes": None,
         "__len__": lambda self: 700},
    )()  # fmt: skip
    chosen, notes = candidates_of("default", target_of(labels), features)
    assert "label-powerset" not in [one.name for one in chosen]
    assert "different sets of labels, more than 300" in notes[0]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"costs": {("a", "b"): 2.0}}, "several labels"),
        ({"threshold": "f1"}, "every model chooses a threshold for each"),
        ({"calibrate": "sigmoid"}, "does not fit the task 'multilabel'"),
        ({"class_weight": {"a": 2}}, "in the model of each label"),
        ({"metric": "roc_auc"}, "no metric called 'roc_auc'"),
        ({"models": "ridge"}, "no model called 'ridge' for several labels"),
        ({"cv": 1}, "at least two folds"),
        ({"cv": 241}, "use cv=240"),
        ({"groups": [0] * 240}, "groups cannot be divided"),
    ],
)
def test_what_does_not_fit_several_labels_is_said(options, words):
    with pytest.raises(ValueError, match=words):
        compare(DATA.texts, DATA.labels, **{"models": "majority", **options})


def test_weights_of_having_a_label():
    found = compare(
        DATA.texts, DATA.labels, ["linear-svm", "majority"], cv=2, class_weight="balanced"
    )
    assert found["linear-svm"].estimator[-1].estimator.class_weight == "balanced"
    assert any("without weights of classes" in note for note in found.notes)


# Evaluation --------------------------------------------------------------------------------------


def test_an_evaluation_counts_labels_that_the_model_does_not_know(found):
    labels = [list(one) for one in DATA.labels[:60]]
    labels[0] = [*labels[0], "new"]
    known = evaluate(found.model, DATA.texts[:60], DATA.labels.joined()[:60])
    assert (known.task, known.n_documents, known.unseen) == ("labels", 60, {})
    Y = DATA.labels[:60].indicator.toarray()
    P = found.model.predict(DATA.texts[:60])
    value, low, high = known.scores["f1_micro"]
    assert value == pytest.approx(f1_score(Y, P, average="micro"))
    assert low <= value <= high
    other = evaluate(found.model, DATA.texts[:60], labels, metric="average_precision")
    assert other.unseen == {"new": 1}
    assert "do not know" in str(other) or "does not know count as missed: 'new' (1)" in str(other)
    assert other.scores["f1_micro"].value < value
    assert other.class_scores[-1].label == "new"
    assert "average_precision" in other.scores
    assert other.to_dict()["confusion"] is None
    assert other.plot() is not None
    with pytest.raises(ValueError, match="costs"):
        evaluate(found.model, DATA.texts[:60], labels, costs={("a", "b"): 1})


def test_an_evaluation_leaves_out_missing_labels_and_keeps_empty_sets(found):
    labels = [None, "?", "", *DATA.labels.joined()[3:60]]
    evaluated = evaluate(found.model, DATA.texts[:60], labels)
    assert (evaluated.n_missing, evaluated.n_documents) == (2, 58)


def test_a_separator_of_labels_is_for_models_of_several():
    model = compare(DATA.texts, [one[0] if one else "none" for one in DATA.labels], "majority")
    with pytest.raises(ValueError, match="label_separator"):
        evaluate(model.model, DATA.texts[:3], ["none"] * 3, label_separator=";")
