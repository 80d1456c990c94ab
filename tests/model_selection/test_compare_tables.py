"""`compare` on tables without texts: models, encoding inside the folds, missing values."""

import numpy as np
import polars as pl
import pytest
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from tests.helpers.tables import credit_cards, intensive_care

from quire.feature_extraction.table import TableEncoder
from quire.inspection import explain
from quire.io import read_corpus
from quire.linear_model import LogisticRegression
from quire.model_selection import Candidate, compare, model_names, register_model
from quire.model_selection._compare.models import _OF_TABLES
from quire.naive_bayes import GaussianNB, MixedNB
from quire.tree import DecisionTreeClassifier


@pytest.fixture(scope="module")
def cards():
    return credit_cards()


@pytest.fixture(scope="module")
def found(cards):
    return compare(cards, "decision")


def test_the_best_model_is_no_worse_than_naive_bayes_over_the_columns(cards, found):
    names = {trial.name for trial in found}
    assert names == {
        "majority", "mixed-nb", "logistic", "discriminant", "tree", "nearest-neighbors",
        "kernel-svm", "random-forest",
    }  # fmt: skip
    assert all(trial.error is None for trial in found)
    mixed = found["mixed-nb"].scores["accuracy"].mean()
    assert mixed > 0.85
    assert found.best.scores["accuracy"].mean() >= mixed
    assert found["majority"].scores["accuracy"].mean() < 0.6
    assert found.settings["numbers"] == ["age", "income", "debt"]
    assert found.settings["categories"] == ["marital", "home"]
    assert found.settings["texts"] == []
    new = credit_cards(200, seed=1)
    assert (found.model.predict(new) == new["decision"].to_numpy()).mean() > 0.85


def test_decisions_are_noted(found):
    assert found.notes == (
        "left out: applicant (another value in nearly every row)",
        "missing values in income (7), home (16): left out by mixed-nb; sent to the better side "
        "by tree, random-forest; replaced by the median and marked for logistic, discriminant, "
        "nearest-neighbors, kernel-svm",
    )


@pytest.mark.parametrize(
    ("model", "form"),
    [
        (LogisticRegression(C=3.0, tol=1e-8), "scaled"),
        (DecisionTreeClassifier(random_state=0, max_depth=4), "plain"),
        (MixedNB(), "table"),
    ],
)
def test_scores_are_those_of_pipelines_that_are_fitted_on_each_fold(cards, model, form):
    rows, y = cards.drop("applicant", "decision"), cards["decision"].to_numpy()
    trial = compare(cards, "decision", [("one", model)]).best
    pipeline = make_pipeline(TableEncoder(form), model)
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    expected = cross_val_predict(pipeline, rows, y, cv=cv, method="predict_proba")
    np.testing.assert_allclose(trial.probabilities, expected, atol=1e-7)
    assert trial.estimator[0].form == form


def test_naive_bayes_over_columns_is_that_of_the_raw_table(cards):
    """Encoding for MixedNB changes no number: it leaves out missing values itself."""
    rows, y = cards.drop("applicant", "decision"), cards["decision"].to_numpy()
    encoded = make_pipeline(TableEncoder("table"), MixedNB()).fit(rows, y)
    np.testing.assert_allclose(
        encoded.predict_proba(rows), MixedNB().fit(rows, y).predict_proba(rows)
    )


def test_a_corpus_a_path_and_pandas_are_the_same(cards, found, tmp_path):
    path = tmp_path / "cards.csv"
    cards.write_csv(path)
    expected = found["logistic"].probabilities
    corpus = read_corpus(path, label="decision")
    for data, y in ((corpus, None), (path, "decision"), (str(path), "decision")):
        one = compare(data, y, ["logistic"], refit=False)
        np.testing.assert_allclose(one.best.probabilities, expected, atol=1e-9)
    assert any("a table without texts" in note for note in one.notes)
    pandas = compare(cards.to_pandas(), "decision", ["logistic"], refit=False)
    np.testing.assert_allclose(pandas.best.probabilities, expected, atol=1e-9)


def test_columns_can_be_chosen(cards):
    one = compare(cards, "decision", ["logistic"], columns=["age", "home"], refit=False)
    assert one.settings["numbers"] == ["age"]
    assert one.settings["categories"] == ["home"]
    assert one.best.estimator[0].form == "scaled"
    both = compare(cards, "decision", ["logistic"], text="marital", columns="age", refit=False)
    assert both.settings["texts"] == ["marital"]
    assert both.settings["numbers"] == ["age"]
    with pytest.raises(ValueError, match="There is no column 'incom'"):
        compare(cards, "decision", columns="incom")


def test_measurements_alone_and_their_gaps():
    table = intensive_care()
    found = compare(table, "outcome")
    assert all(trial.error is None for trial in found)
    assert len(found.settings["numbers"]) == 17
    best = found.best.scores["balanced_accuracy"].mean()
    assert best > found["majority"].scores["balanced_accuracy"].mean() + 0.15
    assert found.notes[-1].startswith("missing values in measure 0")
    assert "and 9 more" in found.notes[-1] or ", 9 more" in found.notes[-1]


def test_numbers_to_predict(cards):
    rng = np.random.default_rng(0)
    spending = 0.02 * cards["income"].fill_null(40_000).to_numpy() + 300 * rng.normal(size=400)
    table = cards.drop("decision").with_columns(spending=spending)
    found = compare(table, "spending")
    assert {trial.name for trial in found} == {
        "mean", "ridge", "lasso", "tree-regression", "nearest-neighbors-regression",
        "random-forest-regression",
    }  # fmt: skip
    assert all(trial.error is None for trial in found)
    assert found.best.scores["r2"].mean() > 0.5
    assert compare(table, "spending", "tree", cv=2).best.name == "tree-regression"


def test_ordered_labels(cards):
    ranks = pl.Series("rating", np.digitize(cards["debt"].to_numpy(), [3000, 6000, 9000]))
    table = cards.drop("decision", "debt").with_columns(ranks)
    found = compare(table, "rating", cv=3)
    assert found.task == "ordered"
    assert {"ordered-logit", "mixed-nb", "tree"} <= {trial.name for trial in found}
    assert all(trial.error is None for trial in found)


def test_models_of_ones_own(cards):
    mine = make_pipeline(TableEncoder("plain"), GradientBoostingClassifier(n_estimators=5))
    rows = cards.drop_nulls()
    found = compare(
        rows, "decision", ["mixed-nb", ("boosted", mine), GaussianNB()], cv=2, refit=False
    )
    assert all(trial.error is None for trial in found)
    register_model(Candidate("mine", "Mine", GaussianNB, ("binary",), "scaled"))
    try:
        assert "mine" in model_names("binary", table=True)
        assert "mine" not in model_names("binary")
        assert compare(cards, "decision", "mine", cv=2).best.title == "Mine"
    finally:
        del _OF_TABLES["mine"]


def test_a_model_of_texts_is_refused(cards):
    with pytest.raises(ValueError, match="'multinomial-nb' takes texts, and there are none"):
        compare(cards, "decision", "multinomial-nb")
    with pytest.raises(ValueError, match="'mixed-nb' takes tables without texts"):
        compare(["one two", "two three"] * 20, ["x", "y"] * 20, "mixed-nb")
    with pytest.raises(ValueError, match="Did you mean 'logistic'"):
        compare(cards, "decision", "logistik")


def test_nothing_to_learn_from():
    table = pl.DataFrame({"one": [1, 1, 1, 1], "y": ["a", "b", "a", "b"]})
    with pytest.raises(ValueError, match="nothing to learn from among one"):
        compare(table, "y", cv=2)


def test_what_holds_rows_together_is_not_learned_from(cards, tmp_path):
    shop = pl.Series("shop", np.arange(len(cards)) % 8)
    corpus = read_corpus(cards.with_columns(shop), label="decision")
    assert "shop" in corpus.feature_columns
    for data, y in ((corpus, None), (cards.with_columns(shop), "decision")):
        found = compare(data, y, "logistic", groups="shop", cv=4, refit=False)
        assert "shop" not in found.settings["numbers"]
        for train, test in found.folds:
            assert not set(shop[train.tolist()]) & set(shop[test.tolist()])


def test_the_linear_model_of_the_task(cards):
    assert compare(cards, "decision", "linear", cv=2, refit=False).best.name == "logistic"
    assert compare(cards, "debt", "linear", cv=2, refit=False).best.name == "ridge"


@pytest.mark.parametrize("name", ["logistic", "tree"])
def test_explanations_have_the_numbers_of_the_table(cards, name):
    model = compare(cards, "decision", name, cv=2, tune=False).model
    row = cards.drop_nulls().drop("applicant", "decision")[:1]
    explanation = explain(model, row)[0]
    for term in explanation.terms:
        if term.term in ("age", "income", "debt"):
            assert term.value == pytest.approx(row[term.term][0])
    assert explanation.score == pytest.approx(
        explanation.offset + sum(term.contribution for term in explanation.terms)
    )
    with pytest.raises(ValueError, match="with the columns age, marital, income, debt, home"):
        explain(model, "a text")


def test_tables_are_calibrated_and_have_thresholds():
    rows = credit_cards(150)
    names = ["mixed-nb", "logistic", "tree"]
    found = compare(rows, "decision", names, calibrate="sigmoid", threshold="f1", cv=2)
    assert [trial.error for trial in found] == [None] * 3
    assert found.model.predict(rows.drop("decision")).tolist() == found.model.predict(rows).tolist()
    weighted = compare(rows, "decision", names, class_weight="balanced", cv=2, refit=False)
    assert weighted["tree"].estimator[-1].class_weight == "balanced"
