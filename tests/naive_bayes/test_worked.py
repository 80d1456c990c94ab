"""Naive Bayes with pencil and paper: numbers known exactly, and what is impossible."""

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from scipy import sparse

from quire.datasets import (
    load_bag_of_words,
    load_chinese_documents,
    load_dice_rolls,
    load_word_tables,
)
from quire.feature_extraction.text import CountVectorizer
from quire.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

MODELS = [MultinomialNB, BernoulliNB, ComplementNB]


@pytest.fixture(name="chinese")
def fixture_chinese():
    example = load_chinese_documents()
    vectorizer = CountVectorizer()
    X = vectorizer.fit_transform(example.texts)
    return example, X, vectorizer.transform([example.test_text]), vectorizer


def nearest(value, largest=1000):
    """The fraction that a floating-point number stands for, if it has a small denominator."""
    fraction = Fraction(float(value)).limit_denominator(largest)
    assert abs(float(fraction) - value) < 1e-15
    return fraction


def test_priors_and_likelihoods_are_the_fractions_of_the_example(chinese):
    example, X, _, vectorizer = chinese
    model = MultinomialNB().fit(X, example.labels)
    assert model.classes_.tolist() == ["c", "not c"]
    for k, label in enumerate(model.classes_):
        assert nearest(np.exp(model.class_log_prior_[k])) == example.priors[label]
        for term, column in vectorizer.vocabulary_.items():
            found = nearest(np.exp(model.feature_log_prob_[k, column]))
            assert found == example.likelihoods[label][term]
    assert example.priors["c"] == Fraction(3, 4)
    assert example.likelihoods["c"]["chinese"] == Fraction(3, 7)
    assert example.likelihoods["c"]["tokyo"] == Fraction(1, 14)
    assert example.likelihoods["not c"]["chinese"] == Fraction(2, 9)


def test_joint_probabilities_of_the_example(chinese):
    example, X, test, _ = chinese
    model = MultinomialNB().fit(X, example.labels)
    joint = np.exp(model.predict_joint_log_proba(test))[0]
    np.testing.assert_allclose(joint, [float(p) for p in example.joint.values()], rtol=1e-13)
    assert joint.round(6).tolist() == [0.000301, 0.000135]
    assert model.predict(test).tolist() == [example.test_label] == ["c"]
    share = example.joint["c"] / sum(example.joint.values())
    np.testing.assert_allclose(model.predict_proba(test)[0, 0], float(share), rtol=1e-13)


def test_bernoulli_on_the_example(chinese):
    # Manning, Raghavan and Schuetze (2008), example 13.2: the Bernoulli model says "not c".
    example, X, test, _ = chinese
    joint = np.exp(BernoulliNB().fit(X, example.labels).predict_joint_log_proba(test))[0]
    in_c = Fraction(3, 4) * Fraction(4, 5) * Fraction(1, 5) ** 2 * (1 - Fraction(2, 5)) ** 3
    not_c = Fraction(1, 4) * Fraction(2, 3) ** 3 * (1 - Fraction(1, 3)) ** 3
    np.testing.assert_allclose(joint, [float(in_c), float(not_c)], rtol=1e-13)
    assert joint.round(3).tolist() == [0.005, 0.022]


def test_share_of_tokens_as_prior(chinese):
    example, X, _, _ = chinese
    model = MultinomialNB(class_prior="tokens").fit(X, example.labels)
    assert [nearest(p) for p in np.exp(model.class_log_prior_)] == [
        Fraction(8, 11),
        Fraction(3, 11),
    ]


def test_dice():
    dice = load_dice_rolls()
    rolls = np.eye(6, dtype=int)[dice.rolls - 1]
    for X in (rolls, rolls.sum(axis=0, keepdims=True)):
        model = MultinomialNB(alpha=0).fit(X, np.zeros(len(X), dtype=int))
        probabilities = np.exp(model.feature_log_prob_[0])
        assert tuple(nearest(p) for p in probabilities) == dice.probabilities
    assert dice.probabilities == (Fraction(1, 10),) * 5 + (Fraction(1, 2),)


def test_tables_of_presence_and_counts():
    tables = load_word_tables()
    y = [0] * 4
    bernoulli = BernoulliNB(alpha=0).fit(tables.presence, y)
    multinomial = MultinomialNB(alpha=0).fit(tables.counts, y)
    found = [nearest(p) for p in np.exp(bernoulli.feature_log_prob_[0])]
    assert tuple(found) == tables.presence_probabilities
    found = [nearest(p) for p in np.exp(multinomial.feature_log_prob_[0])]
    assert tuple(found) == tables.count_probabilities


def test_multinomial_coefficient():
    bag = load_bag_of_words()
    for counts, orderings in (
        (bag.roll_counts, bag.roll_orderings),
        (bag.text_counts, bag.text_orderings),
    ):
        for X in (counts[None], sparse.csr_array(counts[None])):
            model = MultinomialNB().fit(X, [0])
            with_it, without = (model.log_likelihood(X, coefficient=c) for c in (True, False))
            np.testing.assert_allclose(np.exp(with_it - without), [[orderings]], rtol=1e-12)
            expected = counts @ model.feature_log_prob_[0]
            np.testing.assert_allclose(without, [[expected]], rtol=1e-13)


def test_likelihood_of_all_documents_of_a_length_adds_up_to_one():
    model = MultinomialNB().fit([[3, 1, 0], [0, 1, 5]], ["a", "b"])
    documents = np.array([x for x in product(range(5), repeat=3) if sum(x) == 4])
    assert len(documents) == comb(6, 2)
    total = np.exp(model.log_likelihood(documents)).sum(axis=0)
    np.testing.assert_allclose(total, [1, 1], rtol=1e-13)


def test_likelihood_of_all_sets_of_terms_adds_up_to_one():
    model = BernoulliNB().fit([[3, 1, 0], [0, 1, 5]], ["a", "b"])
    documents = np.array(list(product((0, 1), repeat=3)))
    total = np.exp(model.log_likelihood(documents)).sum(axis=0)
    np.testing.assert_allclose(total, [1, 1], rtol=1e-13)


def test_log_probabilities_of_near_certainties_keep_their_digits():
    model = MultinomialNB(class_prior="uniform").fit([[9, 1], [1, 9]], ["a", "b"])
    log_proba = model.predict_log_proba([[30, 0]])[0]
    odds = (Fraction(10, 12) / Fraction(2, 12)) ** 30
    np.testing.assert_allclose(log_proba, [-float(1 / odds), -np.log(float(odds))], rtol=1e-12)
    assert log_proba[0] != 0


# Maximum likelihood: zeros are zeros. Warnings are errors throughout the tests.


def test_maximum_likelihood_rules_classes_out(chinese):
    example, X, test, vectorizer = chinese
    model = MultinomialNB(alpha=0).fit(X, example.labels)
    tokyo = vectorizer.vocabulary_["tokyo"]
    assert model.feature_log_prob_[0, tokyo] == -np.inf
    assert nearest(np.exp(model.feature_log_prob_[0, vectorizer.vocabulary_["chinese"]])) == (
        Fraction(5, 8)
    )
    for documents in (test, test.toarray()):
        np.testing.assert_array_equal(model.predict_joint_log_proba(documents)[0, 0], -np.inf)
        np.testing.assert_array_equal(model.predict_proba(documents), [[0, 1]])
        np.testing.assert_array_equal(model.predict_log_proba(documents), [[-np.inf, 0]])
        assert model.predict(documents).tolist() == ["not c"]


def test_a_document_that_no_class_can_produce_gets_the_prior(chinese):
    example, X, _, vectorizer = chinese
    model = MultinomialNB(alpha=0).fit(X, example.labels)
    impossible = vectorizer.transform(["Beijing Tokyo", "Chinese"])
    for documents in (impossible, impossible.toarray()):
        joint = model.predict_joint_log_proba(documents)
        assert (joint[0] == -np.inf).all()
        assert np.isfinite(joint[1]).all()
        proba = model.predict_proba(documents)
        np.testing.assert_allclose(proba[0], [3 / 4, 1 / 4], rtol=1e-13)
        np.testing.assert_allclose(proba[1], [45 / 53, 8 / 53], rtol=1e-13)
        assert model.predict(documents).tolist() == ["c", "c"]


def test_bernoulli_maximum_likelihood():
    # Of class a all documents have term 0 and none has term 2; term 1 is in half of them.
    X = np.array([[1, 1, 0], [1, 0, 0], [0, 1, 1], [1, 0, 1], [0, 0, 0]])
    model = BernoulliNB(alpha=0).fit(X, list("aabbb"))
    documents = np.array(list(product((0, 1), repeat=3)))
    p = {"a": [1, 1 / 2, 0], "b": [1 / 3, 1 / 3, 2 / 3]}
    prior = {"a": 2 / 5, "b": 3 / 5}
    expected = np.array(
        [
            [
                prior[k] * np.prod([q if x else 1 - q for q, x in zip(p[k], document, strict=True)])
                for k in "ab"
            ]
            for document in documents
        ]
    )
    for form in (np.asarray, sparse.csr_array):
        joint = model.predict_joint_log_proba(form(documents))
        np.testing.assert_allclose(np.exp(joint), expected, rtol=1e-13)
        assert (joint[:, 0] == -np.inf).sum() == 6
        proba = model.predict_proba(form(documents))
        np.testing.assert_allclose(proba, expected / expected.sum(axis=1, keepdims=True))


def test_complement_without_smoothing_is_certain_of_terms_of_one_class():
    X = [[2, 1, 0], [1, 3, 0], [0, 1, 3]]
    model = ComplementNB(alpha=0).fit(X, ["a", "a", "b"])
    documents = np.array([[1, 0, 0], [0, 0, 1], [1, 0, 1], [0, 1, 0], [0, 0, 0]])
    for form in (np.asarray, sparse.csr_array):
        proba = model.predict_proba(form(documents))
        np.testing.assert_allclose(proba[:3], [[1, 0], [0, 1], [2 / 3, 1 / 3]], rtol=1e-13)
        assert np.isfinite(proba).all()
        assert model.predict(form(documents))[:3].tolist() == ["a", "b", "a"]
    normed = ComplementNB(alpha=0, norm=True).fit(X, ["a", "a", "b"])
    np.testing.assert_allclose(normed.feature_log_prob_, [[1, 0, 0], [0, 0, 1]])


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_a_class_with_no_documents(model, alpha):
    X = sparse.csr_array(np.array([[1, 0, 2], [0, 1, 1]]))
    fitted = model(alpha=alpha).partial_fit(X, ["a", "c"], classes=["a", "b", "c"])
    assert not np.isnan(fitted.predict_joint_log_proba(X)).any()
    proba = fitted.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), [1, 1])
    if model is not ComplementNB:  # which has no prior in its scores
        np.testing.assert_array_equal(proba[:, 1], [0, 0])


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_one_class(model, alpha):
    X = np.array([[1, 0, 2], [0, 1, 1]])
    fitted = model(alpha=alpha).fit(X, ["a", "a"])
    np.testing.assert_allclose(fitted.predict_proba(X), [[1], [1]])
    assert fitted.predict(X).tolist() == ["a", "a"]
    with pytest.raises(ValueError, match="only one"):
        fitted.top_terms()


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_documents_without_terms(model, alpha):
    X = np.array([[0, 0], [0, 0], [1, 0]])
    fitted = model(alpha=alpha).fit(X, ["a", "b", "b"])
    proba = fitted.predict_proba(np.zeros((1, 2)))
    assert np.isfinite(proba).all()
    if model is MultinomialNB:
        np.testing.assert_allclose(proba, [[1 / 3, 2 / 3]])
