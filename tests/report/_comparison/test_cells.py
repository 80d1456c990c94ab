"""Documents of the cells of a confusion matrix: the right ones, so many, in words that are text."""

import dataclasses
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from tests.helpers.comparisons import classified, corpus

from quire.inspection import explain
from quire.io import read_corpus
from quire.report import render, report, summarise
from quire.report._comparison.cells import _shares_of_room


@pytest.fixture(scope="module")
def made():
    texts, y = corpus(300, 4, seed=3)
    comparison = classified(texts, y)
    return texts, comparison, summarise(comparison, texts, model="best")


def test_documents_are_the_most_confident_of_their_cell(made):
    texts, comparison, data = made
    labels, best = data.confusion.labels, comparison.best
    predictions = best.predictions
    assert len(data.confusion.cells) == np.count_nonzero(data.confusion.counts)
    for cell in data.confusion.cells:
        truth, predicted = labels[cell.truth], labels[cell.predicted]
        rows = np.flatnonzero((comparison.y == truth) & (predictions == predicted))
        assert cell.count == len(rows)
        shown = [one.row for one in cell.documents]
        assert len(shown) == min(len(rows), 3 if truth == predicted else 6)
        assert set(shown) <= set(rows.tolist())
        if best.probabilities is not None:
            place = comparison.classes.tolist().index(predicted)
            expected = np.sort(best.probabilities[rows, place])[::-1][: len(shown)]
            assert [one.confidence for one in cell.documents] == pytest.approx(expected)
        for one in cell.documents:
            text = "".join(piece.text for piece in one.pieces)
            assert text in texts[one.row]
            assert one.before + len(text) + one.after == len(texts[one.row])


def test_words_are_those_that_led_from_the_truth_to_the_prediction(made):
    texts, comparison, data = made
    labels = data.confusion.labels
    model = comparison.best.estimator.fit(texts, comparison.y)
    wrong = [cell for cell in data.confusion.cells if cell.truth != cell.predicted]
    cell = max(wrong, key=lambda cell: cell.count)
    pair = {"target": labels[cell.predicted], "against": labels[cell.truth]}
    for one in cell.documents:
        explanation = explain(model, texts[one.row], **pair)
        expected = [(t.term, t.contribution) for t in explanation.terms if t.contribution > 0]
        weights = [weight for _, weight in expected[:5]]
        assert [weight for _, weight in one.terms] == pytest.approx(weights, abs=1e-4)
        known = dict(expected)
        assert all(known[term] == pytest.approx(weight, abs=1e-4) for term, weight in one.terms)
        plain = [piece.weight == 0 for piece in one.pieces]
        assert not any(a and b for a, b in pairwise(plain))  # what is not marked is one piece


def test_rows_are_those_of_the_file(made):
    texts, comparison, _ = made
    numbers = pl.Series("row", range(1000, 1000 + 2 * len(texts), 2))
    table = pl.DataFrame({"text": texts, "label": comparison.y})
    given = dataclasses.replace(read_corpus(table, text="text", label="label"), rows=numbers)
    data = summarise(comparison, given)
    for cell in data.confusion.cells:
        for one in cell.documents:
            assert texts[(one.row - 1000) // 2].startswith("".join(p.text for p in one.pieces)[:50])
    assert all(one.row in set(numbers) for one in data.mistakes)


def test_a_page_holds_so_many_and_says_so():
    texts, y = corpus(1200, 30, seed=5)
    rng = np.random.default_rng(0)
    y = np.where(rng.random(len(y)) < 0.5, y, rng.permutation(y))  # half of the labels are wrong
    data = summarise(classified(texts, y, n_folds=2), texts)
    cells = data.confusion.cells
    shown = [len(cell.documents) for cell in cells]
    assert sum(shown) == 200
    assert np.count_nonzero(data.confusion.counts) >= len(cells)
    assert "The page holds 200 of them at most" in render(data)
    assert len(render(data)) < 3_000_000


def test_the_room_goes_to_the_cells_of_most_errors():
    sizes = np.array([[50, 9, 1], [7, 60, 0], [2, 0, 70]]).ravel()
    assert _shares_of_room(sizes, 3).tolist() == [3, 6, 1, 6, 3, 0, 2, 0, 3]
    many = np.arange(900)
    taken = _shares_of_room(many, 30)
    assert taken.sum() == 200
    wrong = many[~np.eye(30, dtype=bool).ravel()]
    assert set(np.flatnonzero(taken == 6)) <= set(wrong[-100:])
    assert set(np.flatnonzero(taken)) == set(wrong[-100:])  # none without one of the most


def test_cells_of_odd_texts_stay_text():
    texts, y = corpus(120, 3)
    odd = ["", "<script>alert(1)</script>", "a" * 5000, "🎉", "\x00\x07 bell", "<b>goal"]
    texts[: len(odd)] = odd
    page = report(classified(texts, y), texts, model="best").html
    assert "<script>alert(1)" not in page
    assert "\x07" not in page
