"""`evaluate`: scores against scikit-learn and by hand, and what is left out or counted as wrong."""

import json

import numpy as np
import polars as pl
import pytest
from sklearn import metrics
from sklearn.pipeline import make_pipeline
from tests.helpers.tables import credit_cards

import quire
from quire._shared.shares import f1_score, wilson
from quire.cluster import KMeans
from quire.datasets import make_text_classification
from quire.feature_extraction.table import TableEncoder
from quire.feature_extraction.text import TfidfVectorizer
from quire.io import read_corpus
from quire.linear_model import LogisticRegression, OrdinalRegression, Ridge
from quire.model_selection import evaluate
from quire.model_selection._evaluate.intervals import bootstrap, mean_of_shares
from quire.naive_bayes import MixedNB, MultinomialNB
from quire.svm import LinearSVC


@pytest.fixture(scope="module")
def texts():
    data = make_text_classification(400, n_classes=3, separation=2.0, random_state=1)
    y = np.array(["art", "law", "sport"])[data.y]
    model = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(data.texts[:200], y[:200])
    return model, data.texts[200:], y[200:]


@pytest.fixture(scope="module")
def cards():
    train, test = credit_cards(300), credit_cards(150, seed=4)
    rows = train.drop("applicant", "decision")
    model = make_pipeline(TableEncoder("table"), MixedNB()).fit(rows, train["decision"].to_numpy())
    return model, test


def test_scores_are_those_of_scikit_learn(texts):
    model, documents, y = texts
    found = evaluate(model, documents, y)
    predicted, P = model.predict(documents), model.predict_proba(documents)
    np.testing.assert_array_equal(found.predicted, predicted)
    expected = {
        "accuracy": metrics.accuracy_score(y, predicted),
        "balanced_accuracy": metrics.balanced_accuracy_score(y, predicted),
        "f1_macro": metrics.f1_score(y, predicted, average="macro"),
        "log_loss": metrics.log_loss(y, P),
        "brier": ((P - (y[:, None] == model.classes_)) ** 2).sum(axis=1).mean(),
    }
    for name, value in expected.items():
        assert found.scores[name].value == pytest.approx(value)
        assert found.scores[name].low < value < found.scores[name].high
    assert "roc_auc" not in found.scores
    np.testing.assert_array_equal(found.confusion, metrics.confusion_matrix(y, predicted))
    each = metrics.precision_recall_fscore_support(y, predicted)
    for k, one in enumerate(found.class_scores):
        got = (one.precision.value, one.recall.value, one.f1.value, one.support)
        assert got == pytest.approx([part[k] for part in each])
        assert one.predicted == (predicted == one.label).sum()


def test_two_classes_of_a_table(cards):
    model, test = cards
    found = evaluate(model, test, "decision")
    y = (test["decision"] == "refuse").to_numpy()
    p = model.predict_proba(test.drop("applicant", "decision"))[:, 1]
    assert found.scores["roc_auc"].value == pytest.approx(metrics.roc_auc_score(y, p))
    assert found.scores["brier"].value == pytest.approx(metrics.brier_score_loss(y, p))
    assert found.heading == "MixedNB on 150 rows"
    assert sum(one.documents for one in found.calibration) == 150
    assert [one.documents for one in found.calibration] == [15] * 10
    by_hand = 0.0
    for one in found.calibration:
        inside = (p >= one.low) & (p <= one.high)
        assert one.documents == inside.sum()
        assert one.predicted == pytest.approx(p[inside].mean())
        assert one.observed == pytest.approx(y[inside].mean())
        by_hand += inside.sum() / 150 * abs(p[inside].mean() - y[inside].mean())
    assert found.scores["calibration_error"].value == pytest.approx(by_hand)


def test_files_corpora_and_saved_models_are_the_same(cards, tmp_path):
    model, test = cards
    expected = evaluate(model, test, "decision").scores
    test.write_csv(tmp_path / "test.csv")
    quire.save(model, tmp_path / "m.quire", metadata={"label": "decision", "text": []})
    assert evaluate(tmp_path / "m.quire", tmp_path / "test.csv").scores == expected
    assert (
        evaluate(str(tmp_path / "m.quire"), str(tmp_path / "test.csv"), "decision").scores
        == expected
    )
    test.write_parquet(tmp_path / "test.parquet")
    assert evaluate(tmp_path / "m.quire", tmp_path / "test.parquet").scores == expected
    assert evaluate(model, read_corpus(test, label="decision")).scores == expected
    assert evaluate(model, test.to_pandas(), "decision").scores == expected
    assert evaluate(model, read_corpus(test, label=False), test["decision"]).scores == expected
    assert quire.evaluate is evaluate


def test_scores_that_are_asked_for(texts, cards):
    model, documents, y = texts
    names = ["f1_weighted", "mcc", "roc_auc", "pr_auc", "fowlkes_mallows_score", "log_loss"]
    found = evaluate(model, documents, y, metric=names, costs={("law", "art"): 7})
    predicted, P = model.predict(documents), model.predict_proba(documents)
    cost = ((predicted != y) + 6.0 * ((y == "law") & (predicted == "art"))).mean()
    expected = {
        "f1_weighted": metrics.f1_score(y, predicted, average="weighted"),
        "matthews_corrcoef": metrics.matthews_corrcoef(y, predicted),
        "roc_auc": metrics.roc_auc_score(y, P, multi_class="ovr"),
        "average_precision": metrics.average_precision_score(
            y[:, None] == model.classes_, model.decision_function(documents)
        ),
        "fowlkes_mallows_score": metrics.fowlkes_mallows_score(y, predicted),
        "mean_cost": cost,
    }
    for name, value in expected.items():
        assert found.scores[name].value == pytest.approx(value)
        assert found.scores[name].low < value < found.scores[name].high
    assert list(found.scores).count("log_loss") == 1
    assert evaluate(*cards, "decision", metric="f1").scores["f1"].value > 0.5
    with pytest.raises(ValueError, match="needs costs"):
        evaluate(model, documents, y, metric="neg_mean_cost")
    with pytest.raises(ValueError, match="does not fit the task 'multiclass'"):
        evaluate(model, documents, y, metric="f1")


def test_two_classes_are_ranked_by_decisions_too(texts):
    _, documents, y = texts
    two = np.where(y == "law", "b", "a")
    model = make_pipeline(TfidfVectorizer(), LinearSVC()).fit(documents[:100], two[:100])
    found = evaluate(model, documents[100:], two[100:])
    f = model.decision_function(documents[100:])
    is_second = two[100:] == "b"
    assert found.scores["roc_auc"].value == pytest.approx(metrics.roc_auc_score(is_second, f))
    expected = metrics.average_precision_score(is_second, f)
    assert found.scores["average_precision"].value == pytest.approx(expected)


def test_numbers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = X @ [1.0, -2.0, 0.5] + 0.5 * rng.normal(size=200)
    model = Ridge().fit(X[:100], y[:100])
    found = evaluate(model, X[100:], y[100:])
    predicted = model.predict(X[100:])
    assert found.task == "numbers"
    assert found.scores["rmse"].value == pytest.approx(
        metrics.root_mean_squared_error(y[100:], predicted)
    )
    assert found.scores["mae"].value == pytest.approx(
        metrics.mean_absolute_error(y[100:], predicted)
    )
    assert found.scores["r2"].value == pytest.approx(metrics.r2_score(y[100:], predicted))
    assert found.table().columns == ["score", "value", "low", "high"]
    assert "rmse" in str(found)
    with pytest.raises(ValueError, match="predicts numbers, but a label is 'a'"):
        evaluate(model, X[:2], ["a", "b"])
    with pytest.raises(ValueError, match="no classes to draw"):
        found.plot()


def test_ordered_classes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = np.digitize(X[:, 0] + 0.5 * rng.normal(size=300), [-1, 0, 1])
    model = OrdinalRegression().fit(X[:150], y[:150])
    found = evaluate(model, X[150:], y[150:])
    predicted = model.predict(X[150:])
    assert found.task == "ordered"
    assert found.scores["rank_error"].value == pytest.approx(np.abs(predicted - y[150:]).mean())
    assert found.scores["quadratic_kappa"].value == pytest.approx(
        metrics.cohen_kappa_score(y[150:], predicted, weights="quadratic")
    )


def test_labels_that_are_not_known_count_as_wrong(texts):
    model, documents, y = texts
    labels = np.concatenate([["war"] * 3, y[3:]])
    found = evaluate(model, documents, labels)
    right = (model.predict(documents) == labels).sum()
    assert found.scores["accuracy"].value == right / 200
    assert found.classes == ("art", "law", "sport", "war")
    assert found.unseen == {"war": 3}
    assert found.confusion[3].sum() == 3
    assert found.confusion[:, 3].sum() == 0
    assert "labels that the model does not know count as wrong: 'war' (3)" in found.notes
    known = metrics.log_loss(labels[3:], model.predict_proba(documents)[3:])
    assert found.scores["log_loss"].value == pytest.approx(known)


def test_missing_labels_are_left_out(texts):
    model, documents, y = texts
    labels = [None, float("nan"), "?", "", *y[4:]]
    found = evaluate(model, documents, labels)
    assert (found.n_documents, found.n_missing) == (196, 4)
    assert found.notes == ("left out, since they have no label: 4 of 200",)
    assert found.scores == evaluate(model, documents[4:], y[4:]).scores
    frame = pl.DataFrame({"text": documents, "label": [None, *y[1:]]})
    assert evaluate(model, frame).n_documents == 199
    with pytest.raises(ValueError, match="No document has a label"):
        evaluate(model, documents[:2], [None, None])


def test_labels_of_another_type_are_the_same_by_their_text():
    model = MultinomialNB().fit_text(["good film", "bad film"], [1, 0])
    found = evaluate(model, ["good one", "bad one"], ["1", "0"])
    assert found.scores["accuracy"].value == 1.0
    assert found.classes == (0, 1)


def test_a_model_without_probabilities(texts):
    _, documents, y = texts
    model = make_pipeline(TfidfVectorizer(), LinearSVC()).fit(documents[:100], y[:100])
    found = evaluate(model, documents[100:], y[100:])
    assert list(found.scores) == ["accuracy", "balanced_accuracy", "f1_macro"]
    assert found.calibration == []


def test_intervals_by_hand():
    z = 1.959963984540054
    p, n = 0.9, 50
    middle = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    assert wilson(45, 50) == pytest.approx((p, middle - half, middle + half))
    assert wilson(80, 80).high == 1.0
    assert wilson(80, 80).low == pytest.approx(1 / (1 + z**2 / 80))
    assert wilson(0, 80).low == 0.0
    assert np.isnan(wilson(0, 0)).all()
    # 30 right, 10 of one kind of error or the other: J = 30/40, F1 = 2 * 30 / (2 * 30 + 10).
    assert f1_score(30, 10).value == pytest.approx(60 / 70)
    low = wilson(30, 40).low
    assert f1_score(30, 10).low == pytest.approx(2 * low / (1 + low))
    two = [wilson(9, 10), wilson(5, 10)]
    below = np.hypot(0.9 - two[0].low, 0.5 - two[1].low) / 2
    assert mean_of_shares(two)[:2] == pytest.approx((0.7, 0.7 - below))


def test_percentiles_of_draws_are_near_the_theory():
    values = np.random.default_rng(0).normal(size=400)
    found = bootstrap(400, {"mean": lambda w: float((w * values).sum() / w.sum())}, 0.95, 0)["mean"]
    half = 1.96 * values.std() / 20
    assert found.value == pytest.approx(values.mean())
    assert found.high - found.value == pytest.approx(half, rel=0.15)
    assert found.value - found.low == pytest.approx(half, rel=0.15)


def test_intervals_stay_inside_the_scale_where_all_is_right():
    texts, y = ["good film", "bad film"] * 20, ["pos", "neg"] * 20
    found = evaluate(MultinomialNB().fit_text(texts, y), texts, y)
    for name in ("accuracy", "balanced_accuracy", "f1_macro", "roc_auc", "average_precision"):
        value, low, high = found.scores[name]
        assert value == high == 1.0
        assert 0.5 < low < 1.0
    found = evaluate(MultinomialNB().fit_text(texts, y), texts, y, metric="mcc", costs=[[0, 3]] * 2)
    z = 1.959963984540054
    assert found.scores["matthews_corrcoef"] == pytest.approx((1, 2 / (1 + z**2 / 40) - 1, 1))
    value, low, high = found.scores["mean_cost"]
    assert 0 <= low < value < high <= 3
    free = evaluate(MultinomialNB().fit_text(texts, y), texts, y, costs={("pos", "neg"): 3}).scores
    assert free["mean_cost"] == pytest.approx((0, 0, 3 - 3 / (1 + z**2 / 40)))


def test_forms(texts, cards):
    model, documents, y = texts
    found = evaluate(model, documents, y)
    assert found.to_frame()["score"].to_list() == list(found.scores)
    table = found.table()
    assert table["label"].to_list() == ["art", "law", "sport"]
    assert table.columns[-2:] == ["documents", "predicted"]
    shown = str(found)
    assert "LogisticRegression on 200 documents" in shown
    assert "label \\ predicted" in shown
    assert found._repr_html_().count("<table>") == 3
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["confusion"]["rows"] == found.confusion.tolist()
    assert plain["scores"]["accuracy"]["value"] == found.scores["accuracy"].value


def test_plot(texts):
    import matplotlib

    matplotlib.use("Agg")
    model, documents, y = texts
    ax = evaluate(model, documents, y).plot()
    assert [text.get_text() for text in ax.get_xticklabels()] == ["art", "law", "sport"]
    assert len(ax.texts) == 9


def test_what_does_not_fit_is_said(texts, cards, tmp_path):
    model, documents, y = texts
    with pytest.raises(ValueError, match="200 documents and 3 labels"):
        evaluate(model, documents, y[:3])
    with pytest.raises(TypeError, match="y is missing"):
        evaluate(model, documents)
    with pytest.raises(FileNotFoundError, match=r"nowhere.csv does not exist"):
        evaluate(model, "nowhere.csv", y)
    with pytest.raises(ValueError, match="level=95"):
        evaluate(model, documents, y, level=95)
    with pytest.raises(TypeError, match="KMeans predicts neither labels nor numbers"):
        evaluate(KMeans(2).fit([[0.0], [1.0]]), [[0.0]], ["a"])
    with pytest.raises(ValueError, match="no column that is clearly the label"):
        evaluate(model, pl.DataFrame({"text": documents}))
    with pytest.raises(ValueError, match="fitted on a column 'income'"):
        evaluate(cards[0], cards[1].drop("income"), "decision")
    with pytest.raises(ValueError, match="takes texts, and the data frame has none"):
        evaluate(model, cards[1], "decision")
