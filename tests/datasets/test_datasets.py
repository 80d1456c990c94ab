"""Datasets: worked numbers recomputed, known truth recovered, the same seed gives the same data."""

import dataclasses
import os
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from math import factorial, prod

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_wine
from sklearn.feature_extraction.text import CountVectorizer

from quire import datasets
from quire.datasets import (
    load_bag_of_words,
    load_chinese_documents,
    load_dice_rolls,
    load_docstrings,
    load_sklearn,
    load_word_tables,
    make_corpus,
    make_gaussian_mixture,
    make_lda_corpus,
    make_text_classification,
)
from quire.datasets._words import pseudo_words

# What a fresh process computes with another hash seed must have the digests computed here.
DIGESTS = """
import hashlib, sys
import numpy as np
from quire.datasets import *

def digest(*values):
    state = hashlib.sha256()
    for value in values:
        state.update(value.tobytes() if isinstance(value, np.ndarray) else repr(value).encode())
    return state.hexdigest()

def digests():
    lda = make_lda_corpus(50, random_state=3)
    text = make_text_classification(50, n_classes=3, label_noise=0.2, random_state=3)
    points = make_gaussian_mixture(50, random_state=3)
    docs = load_docstrings()
    return [
        digest(lda.theta, lda.phi, lda.texts, lda.X.indices, lda.X.data),
        digest(text.y, text.y_true, text.phi, text.texts, text.X.indices, text.X.data),
        digest(points.X, points.y, points.means, points.covariances),
        digest(make_corpus(200, random_state=3)),
        digest(docs.texts.to_list(), docs.labels.to_list(), docs.names.to_list()),
    ]
"""


def test_same_data_in_another_process_with_another_hash_seed():
    here: dict = {}
    exec(DIGESTS, here)
    code = DIGESTS + "print(*digests(), 'sklearn' in sys.modules)"
    environment = {**os.environ, "PYTHONHASHSEED": "12345"}
    there = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    *digests, imported = there.stdout.split()
    assert digests == here["digests"]()
    assert imported == "False"  # the packages were read, not imported


def test_public_names_are_sorted_and_there():
    assert datasets.__all__ == sorted(datasets.__all__)
    assert all(hasattr(datasets, name) for name in datasets.__all__)


def test_objects_are_frozen_and_print_on_one_line():
    points = make_gaussian_mixture(10)
    with pytest.raises(dataclasses.FrozenInstanceError):
        points.X = None
    assert repr(points) == (
        "GaussianMixtureSample(X=<ndarray 10x2>, y=<ndarray 10>, weights=<ndarray 3>, "
        "means=<ndarray 3x2>, covariances=<ndarray 3x2x2>)"
    )


# Worked examples


def test_chinese_documents_numbers_follow_from_the_documents():
    example = load_chinese_documents()
    tokens = {label: Counter() for label in example.priors}
    for text, label in zip(example.texts, example.labels, strict=True):
        tokens[label].update(text.lower().split())
    vocabulary = set().union(*tokens.values())
    assert len(vocabulary) == 6
    for label, counts in tokens.items():
        assert example.priors[label] == Fraction(example.labels.count(label), 4)
        expected = {term: Fraction(counts[term] + 1, counts.total() + 6) for term in vocabulary}
        assert example.likelihoods[label] == expected
        words = example.test_text.lower().split()
        assert example.joint[label] == example.priors[label] * prod(expected[w] for w in words)
    assert round(float(example.joint["c"]), 6) == 0.000301
    assert round(float(example.joint["not c"]), 6) == 0.000135
    assert max(example.joint, key=example.joint.get) == example.test_label


def test_dice_rolls():
    dice = load_dice_rolls()
    assert np.array_equal(np.bincount(dice.rolls, minlength=7)[1:], dice.counts)
    assert dice.probabilities == tuple(Fraction(int(c), dice.rolls.size) for c in dice.counts)
    assert [float(p) for p in dice.probabilities] == [0.1, 0.1, 0.1, 0.1, 0.1, 0.5]


def orderings(counts) -> int:
    return factorial(int(sum(counts))) // prod(factorial(int(c)) for c in counts)


def test_bag_of_words_counts_and_coefficients():
    bag = load_bag_of_words()
    assert np.array_equal(np.bincount(bag.rolls, minlength=7)[1:], bag.roll_counts)
    assert orderings(bag.roll_counts) == bag.roll_orderings
    counts = Counter(bag.text.split())
    assert bag.terms == sorted(counts)
    assert [counts[term] for term in bag.terms] == bag.text_counts.tolist()
    assert orderings(bag.text_counts) == bag.text_orderings


def test_word_tables_estimates():
    tables = load_word_tables()
    shares = tuple(Fraction(int(n), 4) for n in tables.presence.sum(axis=0))
    assert tables.presence_probabilities == shares
    total = int(tables.counts.sum())
    tokens = tuple(Fraction(int(n), total) for n in tables.counts.sum(axis=0))
    assert tables.count_probabilities == tokens


# Docstrings


def test_docstrings_are_a_corpus_of_usable_classes():
    corpus = load_docstrings()
    sizes = dict(corpus.labels.value_counts().iter_rows())
    assert sorted(sizes) == ["joblib", "numpy", "polars", "rich", "scipy", "sklearn", "stdlib"]
    assert sum(sizes.values()) == len(corpus.texts) == len(corpus.names) > 5000
    assert min(sizes.values()) >= 50
    assert corpus.texts.n_unique() == len(corpus.texts)
    assert corpus.texts.null_count() == 0
    assert all(len(text.split()) >= 20 for text in corpus.texts)


def test_docstrings_are_sorted_and_named_by_where_they_stand():
    corpus = load_docstrings()
    places = list(zip(corpus.labels, corpus.names, strict=True))
    assert places == sorted(places)
    for label, name in places:
        parts = name.split(".")
        assert parts[0] in sys.stdlib_module_names if label == "stdlib" else parts[0] == label
        assert not {"tests", "conftest"} & set(parts)
    position = corpus.names.index_of("textwrap.dedent")
    import textwrap

    assert corpus.texts[position].split() == textwrap.dedent.__doc__.split()


def test_docstrings_shorter_ones_on_request_and_versions():
    fewer, more = load_docstrings(min_words=50), load_docstrings(min_words=0)
    assert len(fewer.texts) < len(load_docstrings().texts) < len(more.texts)
    assert set(fewer.texts) < set(more.texts)
    assert more.versions["stdlib"] == sys.version.split()[0]
    assert more.versions["numpy"] == np.__version__
    with pytest.raises(TypeError):
        more.versions["numpy"] = "0"


def test_docstrings_say_when_there_is_no_source(monkeypatch):
    from quire.datasets import _docstrings

    monkeypatch.setattr(_docstrings, "_package_sources", lambda package: iter(()))
    with pytest.raises(FileNotFoundError, match="No Python source of joblib"):
        _docstrings._read_all.__wrapped__()


# Topic model


@pytest.fixture(scope="module")
def topic_corpus():
    return make_lda_corpus(2000, n_topics=4, n_words=60, mean_length=200, alpha=0.3, random_state=5)


def test_lda_texts_and_counts_agree(topic_corpus):
    vectorizer = CountVectorizer(vocabulary=topic_corpus.vocabulary)
    counted = vectorizer.transform(topic_corpus.texts)
    X = topic_corpus.X
    assert X.has_canonical_format
    assert X.dtype == counted.dtype
    assert X.shape == counted.shape == (2000, 60)
    assert (X != counted).nnz == 0
    assert X.sum() == topic_corpus.tokens.size == topic_corpus.offsets[-1]


def test_lda_corpus_follows_its_parameters(topic_corpus):
    corpus = topic_corpus
    assert np.allclose(corpus.theta.sum(axis=1), 1)
    assert np.allclose(corpus.phi.sum(axis=1), 1)
    # Words of each topic against phi, topics of each document against theta.
    words = np.zeros_like(corpus.phi)
    np.add.at(words, (corpus.topics, corpus.tokens), 1)
    assert np.abs(words / words.sum(axis=1, keepdims=True) - corpus.phi).max() < 0.01
    document = np.repeat(np.arange(2000), np.diff(corpus.offsets))
    shares = np.zeros_like(corpus.theta)
    np.add.at(shares, (document, corpus.topics), 1)
    shares /= shares.sum(axis=1, keepdims=True)
    # A binomial share has variance theta (1 - theta) / length, summed over topics below 3/4 / 200.
    assert ((shares - corpus.theta) ** 2).sum(axis=1).mean() < 0.75 / 200
    assert np.abs(np.diff(corpus.offsets).mean() - 200) < 2


def test_lda_topics_are_mixed_within_a_document(topic_corpus):
    # Were the tokens in order of topic, half of a document would not resemble the other half.
    start, end = topic_corpus.offsets[:2]
    changes = (np.diff(topic_corpus.topics[start:end]) != 0).sum()
    assert changes > 10


def test_lda_asymmetric_prior_and_seed():
    alpha = np.array([4.0, 1.0, 1.0])
    corpus = make_lda_corpus(
        3000, n_topics=3, n_words=20, mean_length=5, alpha=alpha, random_state=1
    )
    assert np.abs(corpus.theta.mean(axis=0) - alpha / 6).max() < 0.02
    other = make_lda_corpus(
        3000, n_topics=3, n_words=20, mean_length=5, alpha=alpha, random_state=2
    )
    assert not np.array_equal(corpus.theta, other.theta)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 0.0}, "alpha must be positive"),
        ({"alpha": [1.0, 2.0]}, r"alpha has shape \(2,\); expected one number or .* \(5,\)"),
        ({"beta": float("nan")}, "beta must be positive"),
    ],
)
def test_lda_bad_priors(options, message):
    with pytest.raises(ValueError, match=message):
        make_lda_corpus(10, **options)


# Mixture of unigrams


def test_text_classification_truth():
    data = make_text_classification(
        4000, n_classes=3, separation=3.0, weights=[2, 1, 1], n_words=500, random_state=2
    )
    assert np.allclose(data.weights, [0.5, 0.25, 0.25])
    assert np.abs(np.bincount(data.y_true) / 4000 - data.weights).max() < 0.03
    assert np.array_equal(data.y, data.y_true)
    assert len(set(data.class_words.ravel())) == 3 * 50
    # Within a class, its own words weigh three times as much, next to a word that is nobody's.
    neutral = np.setdiff1d(np.arange(500), data.class_words)[0]
    for k, columns in enumerate(data.class_words):
        relative = data.phi[:, columns] / data.phi[:, [neutral]]
        base = relative[(k + 1) % 3]
        assert np.allclose(relative[k], 3 * base)
    for k in range(3):
        counts = np.asarray(data.X[data.y_true == k].sum(axis=0)).ravel()
        assert np.abs(counts / counts.sum() - data.phi[k]).max() < 0.01


def test_text_classification_posterior_is_calibrated():
    data = make_text_classification(4000, separation=3.0, mean_length=30, random_state=4)
    posterior = data.posterior()
    accuracy = (posterior.argmax(axis=1) == data.y_true).mean()
    assert 0.6 < accuracy < 0.97
    assert abs(posterior.max(axis=1).mean() - accuracy) < 0.02


def test_text_classification_without_separation_says_nothing():
    data = make_text_classification(100, separation=1.0, weights=[0.7, 0.3])
    assert np.array_equal(data.phi[0], data.phi[1])
    assert np.allclose(data.posterior(), [0.7, 0.3])


def test_text_classification_noise_and_texts():
    data = make_text_classification(5000, n_classes=4, label_noise=0.3, random_state=9)
    assert abs((data.y != data.y_true).mean() - 0.3) < 0.03
    clean = make_text_classification(5000, n_classes=4, label_noise=0.0, random_state=9)
    assert np.array_equal(clean.y_true, data.y_true)
    assert clean.texts == data.texts
    counted = CountVectorizer(vocabulary=data.vocabulary).transform(data.texts)
    assert (counted != data.X).nnz == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_words": 99}, "need 100 words; n_words is 99"),
        ({"separation": 0.0}, "separation must be positive"),
        ({"label_noise": 1.5}, "label_noise is a probability"),
        ({"weights": [1, 2, 3]}, r"weights has shape \(3,\); expected \(2,\)"),
        ({"weights": [1, -1]}, "not negative"),
    ],
)
def test_text_classification_bad_arguments(options, message):
    with pytest.raises(ValueError, match=message):
        make_text_classification(10, **options)


# Gaussian mixture


@pytest.mark.parametrize("covariance_type", ["full", "tied", "diag", "spherical"])
def test_gaussian_mixture_follows_its_parameters(covariance_type):
    sample = make_gaussian_mixture(
        60_000, n_components=2, n_features=3, covariance_type=covariance_type, random_state=8
    )
    for k in range(2):
        points = sample.X[sample.y == k]
        assert np.abs(points.mean(axis=0) - sample.means[k]).max() < 0.05
        assert np.abs(np.cov(points.T) - sample.covariances[k]).max() < 0.08
        diagonal = np.diag(np.diag(sample.covariances[k]))
        is_diagonal = np.array_equal(sample.covariances[k], diagonal)
        assert is_diagonal == (covariance_type in {"diag", "spherical"})
        is_round = np.ptp(np.diag(sample.covariances[k])) == 0
        assert is_round == (covariance_type == "spherical")
    is_shared = np.array_equal(sample.covariances[0], sample.covariances[1])
    assert is_shared == (covariance_type == "tied")


def test_gaussian_mixture_takes_given_parameters():
    line = make_gaussian_mixture(
        20_000,
        weights=[3, 1],
        means=[[0.0], [10.0]],
        covariances=[[[1.0]], [[0.0]]],
        random_state=1,
    )
    assert abs((line.y == 1).mean() - 0.25) < 0.01
    assert abs(line.X[line.y == 0].std() - 1) < 0.03
    assert (line.X[line.y == 1] == 10.0).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"covariance_type": "round"}, "Unknown covariance_type 'round'"),
        ({"means": [0.0, 1.0]}, r"means has 1 dimension\(s\)"),
        ({"means": [[0.0]], "covariances": [[1.0]]}, "covariances has shape"),
        ({"means": [[0.0]], "covariances": [[[-1.0]]]}, "no negative eigenvalue"),
        ({"means": [[0.0, 0.0]], "covariances": [[[1, 0.5], [0, 1]]]}, "symmetric"),
    ],
)
def test_gaussian_mixture_bad_arguments(options, message):
    with pytest.raises(ValueError, match=message):
        make_gaussian_mixture(10, **options)


# Corpora of any size


def test_pseudo_words_are_distinct_lower_case_tokens():
    words = pseudo_words(200_000)
    assert len(set(words)) == 200_000
    assert words[:1000] == pseudo_words(1000)
    assert all(word.islower() and word.isalpha() and len(word) >= 2 for word in words)
    assert 0 < sum(not word.isascii() for word in words) < 1000


def test_corpus_starts_with_the_shorter_corpus():
    short, long = make_corpus(300, random_state=1), make_corpus(3000, random_state=1)
    assert len(short) == 300
    assert len(long) == 3000
    assert long[:300] == short
    assert make_corpus(300, random_state=2) != short
    assert make_corpus(0) == []


def test_corpus_of_a_given_size():
    corpus = make_corpus(n_megabytes=2, random_state=1)
    sizes = [len(text.encode()) for text in corpus]
    assert sum(sizes[:-1]) < 2e6 <= sum(sizes)
    assert corpus == make_corpus(len(corpus), random_state=1)


def test_corpus_as_polars():
    series = make_corpus(n_megabytes=3, output="polars")
    assert series.dtype == pl.String
    assert series.n_chunks() == 1
    assert series.to_list() == make_corpus(n_megabytes=3)
    assert make_corpus(0, output="polars").to_list() == []


def test_corpus_words_follow_the_stated_law():
    size = 2000
    corpus = make_corpus(4000, vocabulary_size=size, random_state=6)
    counts = CountVectorizer(vocabulary=pseudo_words(size)).transform(corpus).sum(axis=0)
    observed = np.asarray(counts).ravel()
    rank = np.arange(size)
    expected = np.log((rank + 3.7) / (rank + 2.7)) / np.log((size + 2.7) / 2.7)
    total = sum(len(text.split()) for text in corpus)
    assert observed.sum() == total  # every token is a word of the vocabulary
    assert np.abs(observed / total - expected).max() < 0.002
    assert (observed > 0).all()
    assert abs(total / 4000 - 230) < 10


def test_corpus_reads_like_text():
    corpus = make_corpus(500, random_state=6)
    assert all(text[0].isupper() and text[-1] == "." for text in corpus)
    ascii_share = sum(text.isascii() for text in corpus) / 500
    assert 0.5 < ascii_share < 1
    words = " ".join(corpus).split()
    assert 0.03 < sum(word[-1] == "," for word in words) / len(words) < 0.12
    # A capital stands at the start of a sentence and nowhere else.
    starts = [word[0].isupper() for word in words]
    ends = [word[-1] == "." for word in words]
    assert starts[1:] == ends[:-1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "either n_documents or n_megabytes"),
        ({"n_documents": 1, "n_megabytes": 1}, "either n_documents or n_megabytes"),
        ({"n_documents": 1, "vocabulary_size": 0}, "vocabulary_size must be at least 1"),
        ({"n_documents": 1, "mean_length": 0}, "mean_length must be positive"),
        ({"n_documents": 1, "output": "pandas"}, "Unknown output 'pandas'"),
    ],
)
def test_corpus_bad_arguments(options, message):
    with pytest.raises(ValueError, match=message):
        make_corpus(**options)


# scikit-learn's own


def test_load_sklearn():
    assert np.array_equal(load_sklearn("wine").data, load_wine().data)
    X, y = load_sklearn("wine", return_X_y=True)
    assert X.shape == (178, 13)
    assert y.shape == (178,)
    with pytest.raises(ValueError, match="Unknown dataset '20newsgroups'; expected one of: breast"):
        load_sklearn("20newsgroups")
