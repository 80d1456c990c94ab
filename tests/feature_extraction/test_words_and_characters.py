"""Two blocks of features: counted, weighted, explained, saved, and counted once for many fits."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import FeatureUnion, make_pipeline

import quire
from quire.datasets import make_text_classification
from quire.feature_extraction.text import (
    CountedDocuments,
    CountVectorizer,
    HashingVectorizer,
    RelevanceTransformer,
    TfidfVectorizer,
    words_and_characters,
)
from quire.inspection import explain
from quire.linear_model import LogisticRegression

CORPUS = make_text_classification(60, n_classes=3, random_state=1)
TEXTS = [*CORPUS.texts, "", "Éclair éclair x 🎉"]
LABELS = np.append(CORPUS.y, CORPUS.y[:2])
TRAIN, TEST = np.arange(0, 62, 2), np.arange(1, 62, 2)


def dense(X):
    return X.toarray()


def test_the_blocks_stand_side_by_side():
    union = words_and_characters(character_weight=0.5)
    words = TfidfVectorizer(sublinear_tf=True).fit(TEXTS)
    characters = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
    X = union.fit_transform(TEXTS)
    expected = [dense(words.transform(TEXTS)), 0.5 * dense(characters.fit_transform(TEXTS))]
    np.testing.assert_allclose(dense(X), np.hstack(expected))
    names = union.get_feature_names_out()
    assert names.tolist() == [
        *(f"words__{term}" for term in words.get_feature_names_out()),
        *(f"characters__{term}" for term in characters.get_feature_names_out()),
    ]


def test_the_vectorizers_given_are_copied():
    words, characters = CountVectorizer(binary=True), CountVectorizer(analyzer="char")
    union = words_and_characters(words, characters).fit(TEXTS)
    assert not words.__sklearn_is_fitted__()
    assert not characters.__sklearn_is_fitted__()
    parts = dict(union.transformer_list)
    assert parts["words"].binary
    assert parts["characters"].analyzer == "char"
    assert (
        clone(words_and_characters()).set_params(words__min_df=2).get_params()["words__min_df"] == 2
    )


@pytest.mark.parametrize("weight", [0, -1.0, "large"])
def test_a_weight_that_is_none(weight):
    with pytest.raises(ValueError, match="character_weight is"):
        words_and_characters(character_weight=weight)


def test_a_model_of_both_is_explained_and_saved(tmp_path):
    model = make_pipeline(words_and_characters(), LogisticRegression()).fit(TEXTS, LABELS)
    explanation = explain(model, TEXTS[:1])[0]
    terms = {term.term for term in explanation.terms}
    assert any(term.startswith("words__") for term in terms)
    assert any(term.startswith("characters__") for term in terms)
    loaded = quire.load(quire.save(model, tmp_path / "model.quire"))
    np.testing.assert_array_equal(loaded.predict_proba(TEXTS), model.predict_proba(TEXTS))


@pytest.mark.parametrize("settings", [{}, {"words__min_df": 3, "characters__max_features": 50}])
def test_counted_once(settings, monkeypatch):
    union = words_and_characters().set_params(**settings)
    counted = CountedDocuments(TEXTS, union)
    expected = clone(union).fit([TEXTS[row] for row in TRAIN])

    def reads(*_):
        raise AssertionError("the texts were read again")

    monkeypatch.setattr(CountedDocuments, "_given_texts", reads)
    fitted = clone(union).fit(counted[TRAIN])
    assert fitted.get_feature_names_out().tolist() == expected.get_feature_names_out().tolist()
    for rows in (TRAIN, TEST):
        np.testing.assert_array_equal(
            dense(fitted.transform(counted[rows])),
            dense(expected.transform([TEXTS[row] for row in rows])),
        )
    again = counted[TRAIN][np.arange(5)]  # parts of parts
    np.testing.assert_array_equal(
        dense(clone(union).fit_transform(again)),
        dense(clone(union).fit_transform([TEXTS[row] for row in TRAIN[:5]])),
    )


def test_blocks_that_are_weighted_by_classes(tmp_path):
    def block(**settings):
        return make_pipeline(CountVectorizer(**settings), RelevanceTransformer())

    union = words_and_characters(block(), block(analyzer="char_wb", ngram_range=(3, 4)))
    counted = CountedDocuments(TEXTS, union)
    model = make_pipeline(union, LogisticRegression()).fit(TEXTS, LABELS)
    again = clone(model).fit(counted, LABELS)
    np.testing.assert_array_equal(again.predict_proba(TEXTS), model.predict_proba(TEXTS))
    np.testing.assert_array_equal(
        again.predict_proba(counted[TEST]), model.predict_proba([TEXTS[row] for row in TEST])
    )
    terms = {term.term for term in explain(model, TEXTS[:1])[0].terms}
    assert any(term.startswith("words__") for term in terms)
    loaded = quire.load(quire.save(model, tmp_path / "model.quire"))
    np.testing.assert_array_equal(loaded.predict_proba(TEXTS), model.predict_proba(TEXTS))


def test_divided_side_by_side():
    union = words_and_characters(
        CountVectorizer(min_df=2), CountVectorizer(analyzer="char_wb", ngram_range=(2, 3))
    )
    train, test = CountedDocuments(TEXTS, union).divide(TRAIN, TEST)
    fitted = union.fit([TEXTS[row] for row in TRAIN])
    assert sparse.issparse(train)
    # columns are in the order of the terms of all documents, as those of every vocabulary
    for found, rows in ((train, TRAIN), (test, TEST)):
        np.testing.assert_array_equal(
            dense(found), dense(fitted.transform([TEXTS[row] for row in rows]))
        )


def test_a_union_of_something_else():
    union = FeatureUnion([("words", CountVectorizer()), ("hashes", HashingVectorizer())])
    with pytest.raises(
        TypeError, match=r"CountVectorizers.*has CountVectorizer, HashingVectorizer"
    ):
        CountedDocuments(TEXTS, union)
    with pytest.raises(TypeError, match="this one has no parts"):
        CountedDocuments(TEXTS, FeatureUnion([("words", "drop")]))
