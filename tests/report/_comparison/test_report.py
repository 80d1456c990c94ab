"""The data of reports: numbers against scikit-learn's, documents against plain Python."""

import dataclasses
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.metrics import (
    average_precision_score,
    brier_score_loss,
    classification_report,
    confusion_matrix,
    log_loss,
    mean_absolute_error,
    r2_score,
    roc_auc_score,
    root_mean_squared_error,
)
from sklearn.model_selection import learning_curve
from tests.helpers.comparisons import classified, corpus, predicted_numbers, reviews

from quire._shared.page.numbers import to_plain
from quire.feature_extraction.text import TfidfVectorizer
from quire.io import read_corpus
from quire.linear_model import LogisticRegression
from quire.model_selection import regularization_path
from quire.report import report, summarise


@pytest.fixture(scope="module")
def binary():
    texts, y = corpus(160, 2)
    return texts, classified(texts, y)


@pytest.fixture(scope="module")
def several():
    texts, y = corpus(240, 4, seed=1)
    return texts, classified(texts, y)


def _replaced(comparison, **changes):
    return dataclasses.replace(comparison, **changes)


def test_confusion_and_class_scores_are_those_of_sklearn(several):
    texts, comparison = several
    data = summarise(comparison, texts)
    y, predictions = comparison.y, comparison.best.predictions
    assert data.confusion.counts == confusion_matrix(y, predictions).tolist()
    rows = np.array(data.confusion.shares)
    np.testing.assert_allclose(rows.sum(axis=1), 1)
    expected = classification_report(y, predictions, output_dict=True)
    for row in data.class_scores[:-1]:
        found = [row.precision, row.recall, row.f1, row.support]
        keys = ("precision", "recall", "f1-score", "support")
        assert found == pytest.approx([expected[row.label][key] for key in keys])
    assert data.class_scores[-1].f1 == pytest.approx(expected["macro avg"]["f1-score"])
    worst = data.confusion.pairs[0]
    wrong = (y == worst[0]) & (predictions == worst[1])
    assert worst[2] == wrong.sum() == max(pair[2] for pair in data.confusion.pairs)


def test_binary_curves_are_those_of_all_models_with_probabilities(binary):
    texts, comparison = binary
    data = summarise(comparison, texts)
    truth = comparison.y == comparison.classes[1]
    trials = [trial for trial in comparison if trial.probabilities is not None]
    assert data.positive == "sport"
    assert [curve.name for curve in data.roc] == [trial.title for trial in trials]
    for trial, roc, recall in zip(trials, data.roc, data.precision_recall, strict=True):
        probability = trial.probabilities[:, 1]
        assert roc.area == pytest.approx(roc_auc_score(truth, probability))
        assert recall.area == pytest.approx(average_precision_score(truth, probability))
        assert (roc.x[0], roc.y[0], roc.x[-1], roc.y[-1]) == (0, 0, 1, 1)
        assert np.all(np.diff(roc.x) >= 0)


def test_curves_of_several_classes_are_one_against_the_rest(several):
    texts, comparison = several
    data = summarise(comparison, texts)
    trial = next(trial for trial in comparison if trial.probabilities is not None)
    areas = [
        roc_auc_score(comparison.y == label, trial.probabilities[:, k])
        for k, label in enumerate(comparison.classes)
    ]
    assert data.curves_model == trial.title
    assert data.roc[0].area == pytest.approx(np.mean(areas))
    assert [curve.area for curve in data.roc[1:]] == pytest.approx(sorted(areas))


def test_thinned_curves_keep_their_area():
    rng = np.random.default_rng(0)
    texts, y = corpus(40, 2)
    comparison = classified(texts, y)
    n = 20_000
    truth = rng.integers(0, 2, n)
    p = 1 / (1 + np.exp(-(truth - 0.5) * 2 - rng.normal(size=n)))
    labels = comparison.classes[truth]
    trial = comparison.best
    changed = type(trial)(
        **{
            **vars(trial),
            "predicted": (p > 0.5).astype(np.int32),
            "probabilities": np.column_stack([1 - p, p]),
        }
    )
    order = np.arange(n)
    folds = [(order[order % 4 != k], order[order % 4 == k]) for k in range(4)]
    large = _replaced(comparison, y=labels, folds=folds, trials=(changed,))
    data = summarise(large, ["a text"] * n)
    roc = data.roc[0]
    assert len(roc.x) <= 152
    assert np.trapezoid(roc.y, roc.x) == pytest.approx(roc_auc_score(truth, p), abs=2e-3)
    assert data.calibration[0].brier == pytest.approx(brier_score_loss(truth, p))


def test_calibration_of_two_classes(binary):
    texts, comparison = binary
    data = summarise(comparison, texts)
    trial = next(trial for trial in comparison if trial.probabilities is not None)
    p, truth = trial.probabilities[:, 1], comparison.y == comparison.classes[1]
    found = data.calibration[0]
    assert found.brier == pytest.approx(brier_score_loss(truth, p))
    assert sum(found.counts) == len(p)
    assert found.log_loss == pytest.approx(log_loss(truth, p))
    assert len(np.unique(p)) == len(p)  # so that bins have as many documents each
    order = np.argsort(p)
    assert found.counts == [len(p) // 10] * 10
    gaps = [abs(p[rows].mean() - truth[rows].mean()) for rows in np.split(order, len(order) // 16)]
    assert found.ece == pytest.approx(np.mean(gaps))


def test_costs_of_the_best_model(binary):
    texts, comparison = binary
    assert summarise(comparison, texts).costs is None
    costs = np.array([[0.0, 1.0], [7.0, 0.0]])
    told = _replaced(comparison, costs=costs)
    found = summarise(told, texts).costs
    wrong = comparison.y != comparison.best.predictions
    expected = np.where(comparison.y == comparison.classes[1], 7, 1)[wrong].sum() / len(wrong)
    assert found.mean == pytest.approx(expected)
    assert found.rows == costs.tolist()
    page = report(told, texts).html
    assert "What each mistake costs" in page
    assert "What each mistake costs" not in report(comparison, texts).html


def test_f1_of_a_class_has_an_interval(several):
    texts, comparison = several
    rows = summarise(comparison, texts).class_scores
    assert all(row.f1_low < row.f1 < row.f1_high <= 1 for row in rows[:-1])
    assert rows[-1].f1_low is None


def test_calibration_of_several_classes(several):
    texts, comparison = several
    data = summarise(comparison, texts)
    trial = next(trial for trial in comparison if trial.probabilities is not None)
    expected = brier_score_loss(
        comparison.y, trial.probabilities, labels=comparison.classes, scale_by_half=False
    )
    assert data.calibration[0].brier == pytest.approx(expected)


def test_leaderboard_is_what_the_comparison_says(several):
    texts, comparison = several
    rows = summarise(comparison, texts).leaderboard
    assert [row.name for row in rows] == [trial.name for trial in comparison]
    for row, trial in zip(rows[:-1], comparison.trials[:-1], strict=True):
        assert (row.mean, row.low, row.high) == tuple(comparison.interval(trial))
        assert row.fit_seconds == pytest.approx(trial.fit_seconds.mean())
    assert rows[0].p_value is None
    assert rows[1].p_value == comparison.p_value(comparison.trials[1])
    assert rows[-1].error.startswith("ValueError")
    assert rows[-1].mean is None


def test_numbers():
    texts, y = reviews(120)
    comparison = predicted_numbers(texts, y)
    data = summarise(comparison, texts, n_mistakes=3)
    predictions = comparison.best.predictions
    found = data.regression
    assert found.mae == pytest.approx(mean_absolute_error(y, predictions))
    assert found.rmse == pytest.approx(root_mean_squared_error(y, predictions))
    assert found.r2 == pytest.approx(r2_score(y, predictions))
    assert sum(found.residuals.counts) == len(y)
    assert data.confusion is None
    assert data.roc == []
    assert data.mistakes[0].row == np.abs(y - predictions).argmax()


def test_many_numbers_are_counted_in_cells():
    texts, y = reviews(1000)
    data = summarise(predicted_numbers(texts, y), texts)
    assert data.regression.points == []
    assert sum(cell[-1] for cell in data.regression.cells) == 1000


def test_ordered_classes_have_an_error_in_steps():
    texts, y = corpus(120, 3)
    comparison = classified(texts, y, task="ordered")
    codes = np.searchsorted(comparison.classes, y)
    predicted = np.searchsorted(comparison.classes, comparison.best.predictions)
    data = summarise(comparison, texts)
    assert data.ordered_mae == pytest.approx(np.abs(codes - predicted).mean())


def test_duplicates_conflicts_and_leaks():
    texts, y = corpus(60, 2)
    texts[:6] = ["Same text", "Same text", "same  TEXT\n", "other one", "Other One", " "]
    y[:6] = ["sport", "sport", "sport", "sport", "politics", "politics"]
    comparison = classified(texts, y)
    data = summarise(comparison, [*texts[:59], None]).corpus
    assert (data.n_documents, data.empty, data.missing) == (60, 1, 1)
    assert (data.exact_duplicates, data.near_duplicates) == (1, 3)
    assert (data.conflicting_groups, data.conflicting_documents) == (1, 2)
    plain = [" ".join(text.lower().split()) for text in texts]
    leaked = 0
    for train, test in comparison.folds:
        seen = {plain[i] for i in train if plain[i]}
        leaked += sum(plain[i] in seen for i in test)
    assert data.leaked == leaked > 0
    assert data.examples[0].labels == ["politics", "sport"]
    assert data.examples[1].count == 3
    right = comparison.best.predictions == y
    assert 0 <= data.score_leaked <= 1
    rest = right[[i for i in range(60) if i >= 5]].mean()
    if leaked == 5:
        assert data.score_clean == pytest.approx(rest)


def test_word_histogram_counts_every_document():
    texts, y = corpus(60, 2)
    texts[0] = "word " * 5000
    data = summarise(classified(texts, y), texts).corpus
    assert sum(data.words.counts) + data.words.above == 60
    assert data.words.above == 1
    assert data.words_max == 5000


def test_evidence_and_highlighted_words(several):
    texts, comparison = several
    data = summarise(comparison, texts, model="best", top_terms=5, n_mistakes=4)
    assert set(data.evidence) == set(comparison.classes)
    assert all(len(terms) == 5 for terms in data.evidence.values())
    strong = {term.term for term in data.evidence["food"]}
    assert strong <= set("bread soup salt oven recipe butter pepper cook taste dish".split())
    assert len(data.mistakes) == 4
    for mistake in data.mistakes:
        assert mistake.truth == comparison.y[mistake.row] != mistake.predicted
        assert "".join(piece.text for piece in mistake.pieces) == texts[mistake.row]
        assert max(abs(piece.weight) for piece in mistake.pieces) == 1
    if data.mistakes[0].confidence is not None:
        sure = [mistake.confidence for mistake in data.mistakes]
        assert sure == sorted(sure, reverse=True)


def test_without_a_model_texts_are_plain(several):
    texts, comparison = several
    data = summarise(comparison, texts)
    assert data.evidence == {}
    assert all(piece.weight == 0 for one in data.mistakes for piece in one.pieces)


def test_a_model_that_can_not_say_why_is_no_error(several):
    class Silent:
        def predict(self, texts):
            raise AssertionError

    texts, comparison = several
    data = summarise(comparison, texts, model=Silent())
    assert data.evidence == {}
    assert "does not say" in data.evidence_note


def test_label_names(binary):
    texts, comparison = binary
    by_order = summarise(comparison, texts, label_names=["Parliament", "Games"], model="best")
    by_class = summarise(comparison, texts, label_names={"sport": "Games"})
    assert by_order.confusion.labels == ["Parliament", "Games"]
    assert set(by_order.evidence) == {"Parliament", "Games"}
    assert by_class.confusion.labels == ["politics", "Games"]


@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        (["one"], ValueError, "1 names; there are 2"),
        ({"weather": "w"}, ValueError, "'weather', which is not a class"),
        ("ab", TypeError, "expected a list of names"),
    ],
)
def test_wrong_label_names(binary, names, error, message):
    texts, comparison = binary
    with pytest.raises(error, match=message):
        summarise(comparison, texts, label_names=names)


def test_unfinished_folds_are_not_counted(several):
    texts, comparison = several
    trial = comparison.best
    scores = {metric: values.copy() for metric, values in trial.scores.items()}
    for values in scores.values():
        values[-1] = np.nan
    half = type(trial)(**{**vars(trial), "scores": scores})
    data = summarise(_replaced(comparison, trials=(half,), interrupted=True), texts)
    held_out = len(comparison.folds[-1][1])
    assert np.sum(data.confusion.counts) == len(texts) - held_out


@pytest.mark.parametrize("form", [list, np.array, pl.Series, pd.Series, tuple])
def test_forms_of_texts(binary, form):
    texts, comparison = binary
    expected = summarise(comparison, texts).corpus
    assert summarise(comparison, form(texts)).corpus == expected


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_tables_show_their_columns_of_strings(binary, frame):
    texts, comparison = binary
    table = frame({"title": ["head"] * len(texts), "n": range(len(texts)), "text": texts})
    data = summarise(comparison, table)
    assert data.mistakes[0].pieces[0].text.startswith("head ")


def test_columns_of_texts_are_those_that_were_compared(binary):
    texts, comparison = binary
    table = pl.DataFrame({"label": comparison.y.astype(str), "text": texts})
    settings = {**comparison.settings, "texts": ["text"], "versions": {"quire": "9"}}
    data = summarise(_replaced(comparison, settings=settings), table)
    assert data.mistakes[0].pieces[0].text == texts[data.mistakes[0].row]
    assert data.versions["quire"] == "9"  # the comparison wrote it down
    assert "versions" not in data.settings


def test_a_corpus_is_its_texts(binary):
    texts, comparison = binary
    corpus = read_corpus(pl.DataFrame({"text": texts, "label": comparison.y.astype(str)}))
    assert summarise(comparison, corpus).corpus == summarise(comparison, texts).corpus


def test_the_model_that_the_comparison_kept(binary):
    texts, comparison = binary
    kept = _replaced(comparison)
    object.__setattr__(kept, "model", clone(comparison.best.estimator).fit(texts, comparison.y))
    assert summarise(kept, texts).evidence == summarise(comparison, texts, model="best").evidence


def test_missing_texts_of_pandas(binary):
    texts, comparison = binary
    column = pd.Series([pd.NA, float("nan"), None, *texts[3:]], dtype=object)
    assert summarise(comparison, column).corpus.missing == 3


def test_lone_surrogates_are_no_error(binary):
    texts, comparison = binary
    assert "\ud800" not in report(comparison, ["\ud800 sign", *texts[1:]]).html


@pytest.mark.parametrize(
    ("texts", "error", "message"),
    [
        ("one string", TypeError, "one string"),
        (["a"], ValueError, "1 documents; the comparison has 160"),
        ([1] * 160, TypeError, "int at row 0"),
    ],
)
def test_wrong_texts(binary, texts, error, message):
    with pytest.raises(error, match=message):
        summarise(binary[1], texts)


@pytest.mark.parametrize("name", ["top_terms", "n_mistakes", "n_examples"])
def test_wrong_counts(binary, name):
    texts, comparison = binary
    with pytest.raises(ValueError, match=f"{name} is -1"):
        summarise(comparison, texts, **{name: -1})


def test_wrong_model_name(binary):
    with pytest.raises(ValueError, match="model is 'worst'"):
        summarise(binary[1], binary[0], model="worst")


def test_nothing_was_finished(binary):
    texts, comparison = binary
    with pytest.raises(ValueError, match="no model was finished"):
        summarise(_replaced(comparison, trials=comparison.trials[-1:]), texts)


def test_learning_curve_and_path(binary):
    texts, comparison = binary
    found = learning_curve(comparison.best.estimator, texts, comparison.y, cv=3)
    vectorizer = TfidfVectorizer()
    X = pd.DataFrame(
        vectorizer.fit_transform(texts).toarray(), columns=vectorizer.get_feature_names_out()
    )
    path = regularization_path(LogisticRegression(), X, comparison.y, n_penalties=4)
    data = summarise(comparison, texts, learning_curve=found, regularization_path=path)
    named = dict(zip(("train_sizes", "train_scores", "test_scores"), found, strict=True))
    assert summarise(comparison, texts, learning_curve=named).learning == data.learning
    assert data.learning.held_out == pytest.approx(found[2].mean(axis=1))
    assert data.paths[0].terms == path.strongest(8)
    assert np.shape(data.paths[0].coefs) == (8, 4)


@pytest.mark.parametrize("name", ["learning_curve", "regularization_path"])
def test_wrong_curves(binary, name):
    texts, comparison = binary
    with pytest.raises(TypeError, match=f"{name} is object without"):
        summarise(comparison, texts, **{name: object()})


def test_data_is_ready_for_json(several):
    texts, comparison = several
    found = report(comparison, texts, model="best")
    data = json.loads(found.to_json())
    assert data == found.to_dict()
    assert data["leaderboard"][-1]["mean"] is None
    assert to_plain(np.float64("nan")) is None
    assert to_plain({"a": np.arange(2)}) == {"a": [0, 1]}
