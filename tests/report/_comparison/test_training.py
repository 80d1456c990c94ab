"""Curves that a report makes itself: of the best model, from a sample, or none where none fits."""

import dataclasses

import numpy as np
import polars as pl
import pytest

from quire.datasets import make_text_classification
from quire.model_selection import compare
from quire.report import report
from quire.report._comparison import training as curves


@pytest.fixture(scope="module")
def corpus():
    data = make_text_classification(240, n_classes=3, separation=5.0, random_state=0)
    return pl.Series("text", data.texts), np.array(["a", "b", "c"])[data.y]


def test_a_report_draws_both_curves(corpus):
    texts, y = corpus
    found = compare(texts, y, ["logistic", "multinomial-nb", "majority"])
    made = report(found, texts, learning_curve="auto", regularization_path="auto")
    assert made.data.learning is not None
    most = made.data.learning.sizes[-1]
    assert [one.documents for one in made.data.learning.outlook] == [2 * most, 5 * most]
    assert f"With {2 * most:,} training documents about" in made.html
    assert made.data.paths
    without = report(found, texts)
    assert without.data.learning is None
    assert len(without.html) < len(made.html)


def test_the_path_is_that_of_the_best_model_with_a_penalty(corpus):
    texts, y = corpus
    found = compare(texts, y, ["logistic", "multinomial-nb", "majority"], refit=False)
    assert curves._penalised(found).name == "logistic"
    path = curves.automatic_path(found, texts)
    assert len(path.penalties) == 9
    none = compare(texts, y, ["multinomial-nb", "majority"], refit=False)
    assert curves.automatic_path(none, texts) is None


def test_texts_that_the_comparison_counted_are_not_read_again(corpus):
    texts, y = corpus
    found = compare(texts, y, ["logistic"], cv=2, refit=False)
    assert found.counted is not None
    again = dataclasses.replace(found, counted=None)
    unread = pl.Series("text", [None] * len(texts), dtype=pl.String)
    curve, same = (
        curves.automatic_learning_curve(found, unread),
        curves.automatic_learning_curve(again, texts),
    )
    np.testing.assert_array_equal(curve.test_scores, same.test_scores)
    np.testing.assert_array_equal(curve.train_scores, same.train_scores)
    path, same = curves.automatic_path(found, unread), curves.automatic_path(again, texts)
    np.testing.assert_array_equal(path.coefs, same.coefs)
    assert list(path.terms) == list(same.terms)


def test_tables_and_tiny_classes_have_no_curves(corpus):
    texts, y = corpus
    table = pl.DataFrame({"text": texts, "size": texts.str.len_chars(), "label": y})
    found = compare(table, "label", ["logistic"], cv=2, refit=False)
    assert curves.automatic_learning_curve(found, texts) is None
    assert curves.automatic_path(found, texts) is None
    few = np.where(np.arange(len(y)) < 4, "rare", y)
    found = compare(texts, few, ["complement-nb"], cv=2, refit=False)
    assert curves.automatic_learning_curve(found, texts) is None


def test_samples_keep_every_class_and_its_share(corpus):
    texts, y = corpus
    found = compare(texts, y, ["majority"], cv=2, refit=False)
    rows = curves._sample(found, 90)
    assert (np.diff(rows) > 0).all()
    assert 85 <= len(rows) <= 95
    shares = [(y[rows] == label).mean() / (y == label).mean() for label in "abc"]
    np.testing.assert_allclose(shares, 1, atol=0.1)
    np.testing.assert_array_equal(curves._sample(found, 1000), np.arange(240))
    numbers = compare(texts, np.arange(240) / 7, ["mean"], cv=2, refit=False)
    assert len(curves._sample(numbers, 50)) == 50


@pytest.mark.parametrize("model", ["multinomial-nb", "ridge"])
def test_few_documents_have_a_report_without_curves(model):
    texts = ["a good film", "a fine plot", "a bad film", "no plot at all"] * 5
    y = [1.0, 2.0, 3.0, 4.0] * 5 if model == "ridge" else ["pos", "pos", "neg", "neg"] * 5
    task = "continuous" if model == "ridge" else "auto"
    comparison = compare(texts, y, models=[model], cv=2, task=task)
    page = report(comparison, texts, learning_curve="auto", regularization_path="auto")
    assert page.data.best == comparison.best.title
