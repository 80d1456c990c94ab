"""The confusion matrix on a page: orders, colours, links; without a script it is a table."""

import re
from itertools import pairwise, permutations

import numpy as np
import pytest
from tests.helpers.comparisons import classified, corpus
from tests.helpers.pages import Page

from quire.report import render, summarise
from quire.report._comparison.matrix import matrix_html, orders_of


def pairs_of_classes(n=12, seed=0):
    """Return the counts of classes that are taken for one other each, in a drawn order."""
    rng = np.random.default_rng(seed)
    counts = np.diag(rng.integers(20, 40, n)) + rng.integers(0, 2, (n, n))
    order = rng.permutation(n)
    for a, b in order.reshape(-1, 2):
        counts[a, b] = counts[b, a] = 15
    return counts, {frozenset(map(int, pair)) for pair in order.reshape(-1, 2)}


@pytest.mark.parametrize("seed", range(3))
def test_classes_that_are_taken_for_each_other_stand_together(seed):
    counts, pairs = pairs_of_classes(seed=seed)
    order = orders_of(counts, [str(k) for k in range(12)]).similar
    assert sorted(order) == list(range(12))
    neighbours = {frozenset(order[k : k + 2]) for k in range(11)}
    assert pairs <= neighbours


def test_the_order_is_the_best_of_the_orders_of_the_tree():
    counts, _ = pairs_of_classes(6, seed=4)
    shares = counts / counts.sum(axis=1, keepdims=True)
    similar = shares + shares.T

    def together(order):
        return sum(similar[a, b] for a, b in pairwise(order))

    order = orders_of(counts, list("abcdef")).similar
    best = max(map(together, permutations(range(6))))
    assert together(order) >= 0.95 * best


def test_other_orders():
    counts = np.diag([5, 9, 9, 1])
    orders = orders_of(counts, ["10", "9", "b", "A"])
    assert orders.name == [1, 0, 3, 2]  # numbers by value, then names whatever their case
    assert orders.size == [1, 2, 0, 3]
    assert orders.given == orders.similar == [0, 1, 2, 3]  # there is no error to go by
    assert orders_of(np.diag([1, 2]), ["nan", "1"]).name == [1, 0]


@pytest.fixture(scope="module")
def data():
    texts, y = corpus(240, 4, seed=1)
    return summarise(classified(texts, y), texts, model="best")


def test_cells_hold_counts_and_the_largest_of_a_kind_is_strongest(data):
    confusion = data.confusion
    page = str(matrix_html(confusion, is_ordered=False))
    cells = re.findall(r'<td class="([^"]*)" data-count="(\d+)" style="--s:([\d.]+)">', page)
    counts = np.array(confusion.counts)
    order = confusion.orders.similar
    assert [int(n) for _, n, _ in cells] == counts[np.ix_(order, order)].ravel().tolist()
    for kind, of_kind in (("right", np.eye(4, dtype=bool)), ("wrong", ~np.eye(4, dtype=bool))):
        mine = [(int(n), float(s)) for names, n, s in cells if kind in names.split()]
        assert sorted(n for n, _ in mine) == sorted(counts[of_kind].tolist())
        assert all((s == 0) == (n == 0) for n, s in mine)
        assert max(mine)[1] == 1.0
        strengths = [s for _, s in sorted(mine)]
        assert strengths == sorted(strengths)  # more is stronger
    texts = re.findall(r"<td[^>]*>(?:<a [^>]*>)?([\d,]+)", page)
    assert [int(text.replace(",", "")) for text in texts] == [int(n) for _, n, _ in cells]


def test_the_page_without_a_script_has_table_links_and_documents(data):
    page = Page(render(data))
    assert page.problems == []
    ids = set(page.ids)
    links = [a["href"][1:] for tag, a in page.tags if a.get("href", "").startswith("#cell-")]
    assert links
    assert set(links) <= ids
    assert len(links) == sum(bool(cell.documents) for cell in data.confusion.cells)
    heads = [a for tag, a in page.tags if tag == "th" and "data-total" in a]
    totals = {a["title"]: int(a["data-total"]) for a in heads if a["scope"] == "row"}
    rows = {one.label: one.support for one in data.class_scores[:-1]}
    assert totals == rows


def test_ordered_classes_keep_their_order():
    texts, y = corpus(200, 3)
    grades = np.array(["1 low", "2 middle", "3 high"])[np.unique(y, return_inverse=True)[1]]
    data = summarise(classified(texts, grades, task="ordered"), texts)
    page = render(data)
    heads = re.findall(r'<th scope="row" title="(\d \w+)"', page)
    assert heads == ["1 low", "2 middle", "3 high"]
    assert "In their order" in page


@pytest.mark.parametrize(("n", "size"), [(3, "few"), (12, "some"), (45, "most")])
def test_type_and_part_by_the_number_of_classes(n, size):
    texts, y = corpus(60 * n, n, seed=2)
    data = summarise(classified(texts, y, n_folds=2), texts)
    page = render(data)
    assert f'class="matrix {size}"' in page
    shown = min(n, 40)
    assert len(data.confusion.labels) == shown
    assert ("The 40 most confused of 45 classes are shown." in page) is (n > 40)
    if n > 40:
        counts = np.array(data.confusion.counts)
        assert all(
            total >= row
            for total, row in zip(data.confusion.true_totals, counts.sum(1), strict=True)
        )
