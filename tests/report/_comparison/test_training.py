"""Curves that a report makes itself: of the best model, from a sample, or none where none fits."""

import dataclasses

import numpy as np
import polars as pl
import pytest
from tests.helpers.browser import look_inside, needs_browser

from quire.datasets import make_text_classification
from quire.model_selection import compare
from quire.report import render, report, summarise
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


def test_the_path_is_that_of_a_model_whose_weights_are_of_terms(corpus):
    texts, y = corpus
    found = compare(texts, y, ["relevance-svm", "least-squares"], cv=2, refit=False)
    assert {trial.name for trial in found} == {"relevance-svm", "least-squares"}
    assert curves._penalised(found).name == "least-squares"
    assert curves.automatic_path(found, texts).model == found["least-squares"].title
    only = compare(texts, y, ["relevance-svm"], cv=2, refit=False)
    assert curves.automatic_path(only, texts) is None


def test_one_chart_has_the_weights_of_every_class(corpus):
    texts, y = corpus
    found = compare(texts, y, ["logistic"], cv=2, refit=False)
    path = curves.automatic_path(found, texts)
    data = summarise(found, texts, regularization_path=path, label_names=["first", "<b>", "last"])
    assert [one.output for one in data.paths] == ["first", "<b>", "last"]
    strength = 1 / found.best.estimator.get_params()["model__C"]
    for k, one in enumerate(data.paths):
        sizes = np.abs(path.coefs[:, k]).max(axis=0)
        order = np.argsort(-sizes, kind="stable")[:8]
        assert one.terms == [path.terms[j] for j in order]
        np.testing.assert_array_equal(one.coefs, path.coefs[:, k, order].T)
        assert one.chosen == pytest.approx(strength)
    page = render(data)
    assert page.count('data-chart="chart-path"') == 1
    assert '<option value="1">&lt;b&gt;</option>' in page
    errors = data.penalty_errors
    assert errors.measure == "share of errors"
    np.testing.assert_allclose(errors.means, path.held_out.mean(axis=1))
    assert errors.penalties == data.paths[0].penalties
    assert 'data-chart="chart-penalty-error"' in page


def test_names_of_lines_stand_apart_and_near_their_lines():
    ends = [0.0, 0.01, 0.02, 1.0, -3.0, 0.99]
    path = curves.Path(None, "alpha", [1.0, 0.1], list("abcdef"), [[0.0, end] for end in ends])
    heights = curves._label_heights(path)
    gap = curves._LABEL_GAP * 4.0
    assert np.argsort(heights).tolist() == np.argsort(ends).tolist()
    assert np.diff(np.sort(heights)).min() >= 0.999 * gap
    assert heights[4] == -3.0
    assert heights[1] == pytest.approx(0.01, abs=1e-9)


def test_two_classes_and_numbers_have_one_path(corpus):
    texts, y = corpus
    two = compare(texts, np.where(y == "a", "a", "b"), ["logistic"], cv=2, refit=False)
    data = summarise(two, texts, regularization_path=curves.automatic_path(two, texts))
    assert [one.output for one in data.paths] == [None]
    page = render(data)
    assert 'id="path-class"' not in page
    assert 'id="path-data"' not in page
    numbers = compare(texts, np.arange(240) / 7, ["ridge"], cv=2, refit=False)
    data = summarise(numbers, texts, regularization_path=curves.automatic_path(numbers, texts))
    assert data.penalty_errors.measure == "squared error"


STEPS = """
  const list = inside.getElementById("path-class"), chart = view.quireViews["chart-path"];
  const read = () => [inside.getElementById("chart-path-title").textContent,
    chart.data("ends").map((one) => one.term), chart.data("lines").length];
  const found = { options: Array.from(list.options, (one) => one.textContent), first: read() };
  list.value = "2";
  list.dispatchEvent(new view.Event("change"));
  found.third = read();
  found.wide = root.scrollWidth;
""".replace("{", "{{").replace("}", "}}")


@needs_browser
@pytest.mark.parametrize("width", [1280, 400])
def test_a_class_is_picked(tmp_path, corpus, width):
    texts, y = corpus
    found = compare(texts, y, ["logistic"], cv=2, refit=False)
    data = summarise(found, texts, regularization_path=curves.automatic_path(found, texts))
    seen, console = look_inside(tmp_path, render(data), width, STEPS)
    assert console == []
    assert seen["options"] == ["a", "b", "c"]
    assert seen["first"] == ["Regularisation path: a", data.paths[0].terms, 72]
    assert seen["third"] == ["Regularisation path: c", data.paths[2].terms, 72]
    assert seen["wide"] <= width
