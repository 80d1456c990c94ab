"""``merged``: what two models learned, without a change to either, as often as it is asked for."""

import inspect
import pickle

import numpy as np
import pytest
from scipy import sparse
from tests.test_estimators import ESTIMATORS

from quire.feature_extraction.text import (
    BM25Vectorizer,
    CountVectorizer,
    TfidfVectorizer,
    count_by_class,
    merge_class_counts,
)
from quire.naive_bayes import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    GaussianNB,
    MixedNB,
    MultinomialNB,
)

RNG = np.random.default_rng(0)
COUNTS = RNG.integers(0, 4, (60, 5))
NUMBERS = RNG.normal(size=(60, 5))
WEIGHTS = RNG.uniform(0.5, 2, 60)
CLASSES = np.array(["a", "b", "c"])[np.arange(60) % 3]
TEXTS = [" ".join(RNG.choice(["red", "green", "blue", "dark", "light"], 4)) for _ in range(60)]
MIXED = np.column_stack([NUMBERS[:, :2], COUNTS])
COLUMNS = {"continuous": [0, 1], "categorical": [2, 3], "counts": [4, 5, 6]}

FITS = {
    BM25Vectorizer: lambda m, part: m.fit(TEXTS[part]),
    BernoulliNB: lambda m, part: m.fit(COUNTS[part], CLASSES[part], WEIGHTS[part]),
    CategoricalNB: lambda m, part: m.fit(COUNTS[part], CLASSES[part]),
    ComplementNB: lambda m, part: m.fit(sparse.csr_array(COUNTS[part]), CLASSES[part]),
    CountVectorizer: lambda m, part: m.fit(TEXTS[part]),
    GaussianNB: lambda m, part: m.fit(NUMBERS[part], CLASSES[part], WEIGHTS[part]),
    MixedNB: lambda m, part: m.fit(MIXED[part], CLASSES[part]),
    MultinomialNB: lambda m, part: m.fit_text(TEXTS[part], CLASSES[part]),
    TfidfVectorizer: lambda m, part: m.fit(TEXTS[part]),
}
PARTS = slice(0, 30), slice(30, 45), slice(45, 60)
MERGING = [cls for cls in ESTIMATORS if hasattr(cls, "merge")]


def parts_of(cls):
    """Return models of three parts of the data."""
    settings = {"columns": COLUMNS} if cls is MixedNB else {}
    return [FITS[cls](cls(**settings), part) for part in PARTS]


def bits(model):
    """Return the state of a model, to the last bit."""
    return pickle.dumps(model)


def test_whatever_merges_is_here():
    assert set(FITS) == set(MERGING)
    for cls in MERGING:
        assert inspect.isfunction(cls.merged)


@pytest.mark.parametrize("cls", MERGING)
def test_neither_model_changes_and_twice_is_the_same(cls):
    one, other, third = parts_of(cls)
    before = bits(one), bits(other)
    first, second = one.merged(other), one.merged(other)
    assert (bits(one), bits(other)) == before
    assert type(first) is cls
    assert first is not one
    assert bits(first) == bits(second)
    first.merge(third)  # and what is made of them is their own
    first.merge(first)
    assert (bits(one), bits(other)) == before
    assert bits(second) == bits(one.merged(other))
    assert bits(second) == bits(one.merge(other))


@pytest.mark.parametrize("cls", MERGING)
def test_a_model_and_itself(cls):
    one, *_ = parts_of(cls)
    before = bits(one)
    assert bits(one.merged(one)) == bits(one.merged(one))
    assert bits(one) == before


@pytest.mark.parametrize("cls", [CountVectorizer, TfidfVectorizer])
def test_what_has_grown_and_what_was_given(cls):
    """The vocabulary of one that grew is settled when asked for; a given one is taken then."""
    grown = [cls().partial_fit(TEXTS[part]).partial_fit(TEXTS[part]) for part in PARTS[:2]]
    given = [cls(vocabulary=["red", "blue"]) for _ in PARTS[:2]]
    for one, other in (grown, given):
        states = [vars(model).copy() for model in (one, other)]
        before = bits(one), bits(other)
        assert bits(one.merged(other)) == bits(one.merged(other))
        assert (bits(one), bits(other)) == before
        assert [vars(model) for model in (one, other)] == states


def test_counts_of_classes():
    one, other = (count_by_class(CountVectorizer(), TEXTS[p], CLASSES[p]) for p in PARTS[:2])
    before = bits(one), bits(other)
    first, second = (merge_class_counts(one, other, CountVectorizer()) for _ in range(2))
    assert bits(first) == bits(second)
    assert (bits(one), bits(other)) == before
