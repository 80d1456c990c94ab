"""Predicting tables: columns kept, names that are taken, models of tables, regressions."""

import numpy as np
import polars as pl
import pytest
from sklearn.pipeline import make_pipeline

from quire.datasets import make_text_classification
from quire.feature_extraction.text import CountVectorizer, TfidfVectorizer
from quire.io import read_corpus
from quire.linear_model import LeastSquaresClassifier, Ridge
from quire.model_selection import compare
from quire.naive_bayes import MultinomialNB
from quire.prediction import escape_formulas, predict_batches, predict_table


@pytest.fixture(scope="module")
def table():
    data = make_text_classification(120, n_classes=3, separation=6.0, random_state=0)
    kinds = np.where(data.y == 1, "x", "z")
    return pl.DataFrame(
        {"text": data.texts, "label": np.array(["a", "b", "c"])[data.y], "kind": kinds}
    )


def test_batches_are_the_whole_in_parts(table):
    model = make_pipeline(CountVectorizer(), MultinomialNB()).fit(table["text"], table["label"])
    whole = predict_table(model, read_corpus(table, text="text"))
    parts = list(predict_batches(model, table, batch_size=50, text="text"))
    assert [part.height for part in parts] == [50, 50, 20]
    assert pl.concat(parts).equals(whole)
    np.testing.assert_array_equal(whole["p(b)"], model.predict_proba(table["text"])[:, 1])
    own = np.max(model.predict_proba(table["text"]), axis=1)
    np.testing.assert_array_equal(whole["probability"], own)
    plain = predict_table(model, read_corpus(table, text="text"), probabilities=False)
    assert plain.columns == [*table.columns, "predicted"]


def test_names_that_are_taken_are_kept(table):
    model = make_pipeline(CountVectorizer(), MultinomialNB()).fit(table["text"], table["label"])
    taken = table.rename({"kind": "predicted"})
    found = predict_table(model, read_corpus(taken, text="text"))
    assert found["predicted"].to_list() == table["kind"].to_list()
    assert found["predicted_"].to_list() == model.predict(table["text"]).tolist()


def test_models_without_probabilities_and_regressions(table):
    corpus = read_corpus(table, text="text")
    classifier = make_pipeline(TfidfVectorizer(), LeastSquaresClassifier(alpha=1.0))
    found = predict_table(classifier.fit(table["text"], table["label"]), corpus)
    assert found.columns == [*table.columns, "predicted"]
    lengths = table["text"].str.len_chars().to_numpy().astype(float)
    numbers = make_pipeline(TfidfVectorizer(), Ridge()).fit(table["text"], lengths)
    found = predict_table(numbers, corpus)
    np.testing.assert_array_equal(found["predicted"], numbers.predict(table["text"]))


def test_models_of_tables_get_their_columns(table):
    found = compare(table, "label", ["logistic"], cv=2)
    corpus = read_corpus(table.with_columns(extra=pl.lit(1)), text="text")
    predicted = predict_table(found.model, corpus)
    assert (predicted["predicted"] == table["label"]).mean() > 0.9
    with pytest.raises(ValueError, match="fitted on a column 'kind'"):
        predict_table(found.model, read_corpus(table.drop("kind"), text="text"))


def test_missing_texts_are_empty_ones(table):
    model = make_pipeline(CountVectorizer(), MultinomialNB()).fit(table["text"], table["label"])
    corpus = read_corpus(pl.DataFrame({"text": ["", None]}), missing="empty", text="text")
    found = predict_table(model, corpus)
    assert found["predicted"].n_unique() == 1


def test_formulas_become_texts():
    table = pl.DataFrame(
        {
            "=cmd": [
                "=1+1",
                "+1",
                "-1",
                "@a",
                "\t=1",
                "\r=1",
                "\n=1",
                "\uff1d1",
                " =1",
                "a=1",
                None,
            ],
            "'=cmd": ["'=1"] * 11,
            "n": range(-1, 10),
        }
    )
    escaped = escape_formulas(table)
    assert escaped.columns == ["'=cmd", "''=cmd", "n"]
    assert escaped["'=cmd"].to_list() == [
        *(f"'{text}" for text in table["=cmd"][:8]), " =1", "a=1", None
    ]  # fmt: skip
    assert escaped["''=cmd"].to_list() == ["'=1"] * 11
    assert escaped["n"].equals(table["n"])
    kinds = pl.DataFrame({"kind": pl.Series(["=1", "b"], dtype=pl.Categorical)})
    assert escape_formulas(kinds)["kind"].to_list() == ["'=1", "b"]
    assert escape_formulas(pl.DataFrame()).shape == (0, 0)
