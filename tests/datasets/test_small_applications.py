"""Small made-up data for applications: what they hold, and that it can be learned."""

import numpy as np
import polars as pl
import pytest
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from quire.alignment import VectorMap
from quire.datasets import (
    load_capitals,
    load_credit_cards,
    load_icu,
    load_languages,
    load_spam,
    load_translation,
)
from quire.feature_extraction.text import CountVectorizer
from quire.naive_bayes import MixedNB, MultinomialNB


def test_credit_cards_mix_numbers_and_categories_and_are_learned_by_mixed_naive_bayes() -> None:
    table = load_credit_cards()
    assert table.shape == (1000, 7)
    kinds = [dtype == pl.String for dtype in table.dtypes]
    assert kinds == [False, True, False, False, True, True, True]
    assert table.null_count().sum_horizontal().item() == 0
    X, y = table.drop("decision").to_pandas(), table["decision"].to_numpy()
    assert set(y) == {"approved", "not approved"}
    assert 0.88 < cross_val_score(MixedNB(), X, y, cv=5).mean() < 0.94
    assert table.equals(load_credit_cards())


def test_attributes_of_cards_are_independent_given_the_decision() -> None:
    for part in load_credit_cards().partition_by("decision"):
        numbers = part.select(pl.selectors.numeric()).to_numpy()
        apart = np.corrcoef(numbers.T)[np.triu_indices(3, 1)]
        assert (np.abs(apart) < 4 / np.sqrt(len(part))).all()


def test_patients_have_seventeen_measurements_some_missing() -> None:
    table = load_icu()
    X = table.drop("risk")
    assert X.shape == (600, 17)
    assert all(dtype.is_numeric() for dtype in X.dtypes)
    missing = X.null_count().sum_horizontal().item() / (600 * 17)
    assert missing == pytest.approx(0.05, abs=0.01)
    assert table["risk"].value_counts(sort=True)["risk"].to_list() == ["low", "high"]
    assert X["coma_scale"].max() <= 15
    assert X["oxygen_saturation"].max() <= 100
    score = cross_val_score(MixedNB(), X.to_pandas(), table["risk"].to_numpy(), cv=5).mean()
    assert score > 0.75  # 0.695 is the share of the larger class


@pytest.mark.parametrize(
    ("load", "n_classes", "size"), [(load_languages, 10, 20), (load_spam, 2, 40)]
)
def test_texts_take_turns_and_none_is_there_twice(load, n_classes, size) -> None:
    data = load()
    assert data.texts.n_unique() == len(data.texts) == n_classes * size
    names = sorted(data.labels.unique())
    assert data.labels.to_list() == names * size
    assert data.frame.columns == ["text", "label"]
    assert not any(text != text.strip() or "  " in text for text in data.texts)


def test_letters_tell_languages_and_words_tell_spam() -> None:
    languages, spam = load_languages(), load_spam()
    letters = CountVectorizer(analyzer="char_wb", ngram_range=(1, 3))
    model = make_pipeline(letters, MultinomialNB(alpha=0.1))
    found = cross_val_score(model, languages.texts.to_numpy(), languages.labels.to_numpy(), cv=5)
    assert found.mean() > 0.95
    model = make_pipeline(CountVectorizer(), MultinomialNB())
    found = cross_val_score(model, spam.texts.to_numpy(), spam.labels.to_numpy(), cv=5)
    assert found.mean() > 0.9


@pytest.mark.parametrize(
    ("load", "n", "one_space"), [(load_capitals, 113, True), (load_translation, 105, False)]
)
def test_pairs_of_words_have_vectors_and_a_map_that_carries_over(load, n, one_space) -> None:
    data = load()
    assert len(data.pairs) == n == len({first for first, _ in data.pairs})
    assert len({second for _, second in data.pairs}) == n
    assert set(data.group) == {first for first, _ in data.pairs}
    assert (data.source is data.target) == one_space
    assert all(first in data.source and second in data.target for first, second in data.pairs)
    model = VectorMap().fit(data.source, data.target, data.pairs[:70])
    found = model.precision_at_k(data.pairs[70:], ks=(1, 5))
    assert 0.7 < found[1] < 1.0  # neither hopeless nor trivial
    assert found[5] > 0.9
    again = load()
    assert again.pairs == data.pairs
    assert np.array_equal(again.target.vectors, data.target.vectors)


def test_capitals_that_everybody_knows() -> None:
    pairs = dict(load_capitals().pairs)
    assert pairs["France"] == "Paris"
    assert pairs["Costa Rica"] == "San Jose"
    assert pairs["India"] == "New Delhi"
    assert dict(load_translation().pairs)["water"] == "నీరు"
