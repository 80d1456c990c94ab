"""The report on a table without texts: its numbers, and what is left out of its page."""

import numpy as np
import polars as pl
import pytest
from tests.helpers.tables import credit_cards

from quire.io import read_corpus
from quire.model_selection import compare
from quire.report import render, summarise
from quire.report._comparison.training import automatic_learning_curve, automatic_path


@pytest.fixture(scope="module")
def cards():
    table = credit_cards(200)
    return pl.concat([table, table[:3]])  # three rows are there twice


@pytest.fixture(scope="module")
def comparison(cards):
    return compare(cards, "decision", ["logistic", "tree", "majority"], cv=2)


def test_columns_are_summed_up(cards, comparison):
    data = summarise(comparison, cards)
    columns = {one.name: one for one in data.corpus.columns}
    assert list(columns) == ["age", "marital", "income", "debt", "home"]
    income = columns["income"]
    assert (income.kind, income.missing) == ("number", cards["income"].null_count())
    assert f"median {cards['income'].median():,.0f}" in income.values
    n_own = int((cards["home"] == "own").sum())
    assert f"own ({n_own})" in columns["home"].values
    assert data.corpus.near_duplicates == 3
    assert data.corpus.n_documents == 203


def test_evidence_is_by_column_and_mistakes_are_rows(cards, comparison):
    data = summarise(comparison, read_corpus(cards, label="decision"))
    assert {term.term for term in data.evidence["approve"]} >= {"home=own", "income"}
    assert all(term.weight > 0 for terms in data.evidence.values() for term in terms)
    mistake = data.mistakes[0]
    row = cards.row(mistake.row, named=True)
    text = "".join(piece.text for piece in mistake.pieces)
    assert text.startswith(f"age {row['age']}, marital {row['marital']}, income {row['income']}")
    shown = {term.term for term in mistake.terms}
    assert f"marital={row['marital']}" in shown


def test_the_page_has_no_words(cards, comparison):
    page = render(summarise(comparison, cards))
    assert "Columns that were learned from" in page
    assert "Repeated rows" in page
    assert "chart-words" not in page
    assert "standard deviation above the mean" in page


def test_trees_say_that_columns_matter(cards, comparison):
    tree = compare(cards, "decision", "tree", cv=2)
    data = summarise(tree, cards)
    assert list(data.evidence) == ["importance"]
    assert data.evidence_note.startswith("Columns of the model")


def test_a_learning_curve_of_rows(cards, comparison):
    rows = cards.drop("applicant", "decision")
    curve = automatic_learning_curve(comparison, rows)
    assert curve.sizes[-1] == pytest.approx(135, abs=1)
    assert np.isfinite(np.asarray(curve.test_scores)).all()
    assert automatic_path(comparison, rows) is None


def test_numbers_to_predict(cards):
    found = compare(cards, "debt", ["ridge", "mean"], cv=2)
    data = summarise(found, cards)
    assert data.regression is not None
    assert set(data.evidence) == {"higher", "lower"}
    assert data.evidence["lower"]
    render(data)


def test_another_table_is_refused(cards, comparison):
    with pytest.raises(TypeError, match="a table with a column 'income', which was not given"):
        summarise(comparison, cards.drop("income"))
    with pytest.raises(ValueError, match="the comparison has 203"):
        summarise(comparison, cards[:10])
