"""Where the best model errs, in reports: numbers of `error_slices`, in sentences and a table."""

import re

import numpy as np
import polars as pl
import pytest
from tests.helpers.comparisons import classified, corpus, predicted_numbers, reviews
from tests.helpers.pages import Page

from quire.io import read_corpus
from quire.model_selection import error_slices
from quire.report import render, report, summarise


@pytest.fixture(scope="module")
def made():
    texts, y = corpus(400, 3, seed=6)
    comparison = classified(texts, y)
    wrong = comparison.best.predictions != comparison.y
    source = np.where(wrong, "<b>scan</b>", "web")
    source[np.arange(400) % 10 == 0] = "<b>scan</b>"
    table = pl.DataFrame({"text": texts, "label": y, "source": source})
    return comparison, read_corpus(table, text="text", label="label")


def test_the_numbers_are_those_of_error_slices(made):
    comparison, given = made
    data = summarise(comparison, given)
    found = error_slices(comparison, given)
    assert data.slices.score == found.score.value
    assert [(one.column, one.value, one.score, one.low) for one in data.slices.rows] == [
        (one.column, one.value, one.score, one.low) for one in found
    ]


def test_what_is_clearly_worse_is_said_first(made):
    comparison, given = made
    page = Page(render(summarise(comparison, given)))
    text = " ".join("".join(page.text).split())
    worst = error_slices(comparison, given)[0]
    said = f"source: <b>scan</b>, accuracy {worst.score:.3f} against {worst.rest:.3f} on the others"
    assert said in text.partition("Where it errs")[0] + text
    assert re.search(r"Clearly worse on (a part|parts) of the documents: source: <b>scan</b>", text)
    assert "slices" in page.ids


def test_columns_are_chosen_added_or_left_out(made):
    comparison, given = made
    by_length = summarise(comparison, given, slices=[])
    assert {one.column for one in by_length.slices.rows} == {"length of the text"}
    added = summarise(comparison, given.texts, slices={"half": ["a", "b"] * 200})
    assert {one.column for one in added.slices.rows} == {"length of the text", "half"}
    without = report(comparison, given, slices=False)
    assert without.data.slices is None
    assert 'id="slices"' not in without.html
    assert "Clearly worse on" not in without.html


def test_numbers_have_mean_absolute_errors():
    texts, y = reviews(200)
    data = summarise(predicted_numbers(texts, y), texts)
    assert data.slices.measure == "mean absolute error"
    assert "Mean absolute error" in render(data)


def test_few_documents_have_no_slices():
    texts, y = corpus(30, 2)
    data = summarise(classified(texts, y, n_folds=2), texts)
    assert data.slices is None
