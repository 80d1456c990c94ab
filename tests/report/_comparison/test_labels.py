"""The report on several labels: its numbers against plain Python, its sections, its page."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from tests.helpers.pages import Page

from quire.datasets import make_multilabel_texts
from quire.model_selection import compare
from quire.report import render, summarise

DATA = make_multilabel_texts(150, n_labels=4, separation=12.0, mean_length=40.0, random_state=2)


@pytest.fixture(scope="module")
def found():
    return compare(DATA.texts, DATA.labels, ["linear-svm", "label-powerset", "majority"], cv=3)


@pytest.fixture(scope="module")
def data(found):
    return summarise(found, DATA.texts, top_terms=5, n_mistakes=6)


def test_labels_that_go_together(data):
    sets = list(DATA.labels)
    together = data.together
    for i, label in enumerate(together.labels):
        for j, other in enumerate(together.labels):
            n = sum(label in one and other in one for one in sets)
            assert together.counts[i][j] == n
            assert together.shares[i][j] == pytest.approx(n / together.counts[i][i])
    pairs = Counter(pair for one in sets for pair in combinations(one, 2))
    sizes = Counter(label for one in sets for label in one)
    for a, b, times, expected in together.pairs:
        assert times == pairs[a, b]
        assert expected == pytest.approx(sizes[a] * sizes[b] / 150)
        assert times > expected


def test_numbers_of_labels(data, found):
    true = Counter(len(one) for one in DATA.labels)
    predicted = Counter(len(one) for one in found.best.predictions)
    assert [(int(k), t, p) for k, t, p in data.together.sizes] == [
        (k, true[k], predicted[k]) for k in range(len(data.together.sizes))
    ]


def test_scores_by_label_and_the_corpus(data, found):
    table = found.class_table()
    assert [one.label for one in data.class_scores] == [*table["label"], "Mean of labels"]
    np.testing.assert_allclose([one.f1 for one in data.class_scores[:-1]], table["f1"])
    assert dict(data.corpus.class_counts) == dict(
        zip(DATA.labels.classes, DATA.labels.sizes, strict=True)
    )
    assert data.corpus.has_sets
    assert data.positive is None
    assert data.confusion is None
    assert set(data.evidence) == set(DATA.labels.classes)


def test_mistakes_name_what_is_missing_and_superfluous(data, found):
    sets, guesses = list(DATA.labels), list(found.best.predictions)
    wrong = [len(set(a) ^ set(b)) for a, b in zip(sets, guesses, strict=True)]
    assert data.mistakes_total == sum(n > 0 for n in wrong)
    assert [wrong[one.row] for one in data.mistakes] == sorted(wrong, reverse=True)[:6]
    for one in data.mistakes:
        true, guessed = set(sets[one.row]), set(guesses[one.row])
        assert set(one.missing) == true - guessed
        assert set(one.superfluous) == guessed - true
        assert one.terms


def test_the_page_has_a_section_about_labels(data):
    page = Page(render(data))
    assert page.problems == []
    sections = [a["id"] for tag, a in page.tags if tag == "section"]
    assert "labels" in sections
    assert "errors" not in sections
    text = "".join(page.text)
    for words in ("Labels that go together", "Scores by label", "If independent", "Superfluous"):
        assert words in text


def test_names_of_labels_and_the_best_model_fitted_here(found):
    names = {"label 0": "sun"}
    data = summarise(found, DATA.texts, model="best", label_names=names, n_mistakes=2)
    assert data.class_scores[0].label == "sun"
    assert "sun" in data.evidence
