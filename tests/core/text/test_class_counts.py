"""Counting by class without a matrix (TextCounter.add_labelled) against its twin."""

import itertools
import random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.helpers import text_kernels as kernels
from tests.helpers.text_strategies import STOP_WORDS, analyzer_options, corpora
from tests.reference.text import class_counts as reference
from tests.reference.text.texts import AnalyzerOptions

from quire import _core

NONE = np.empty(0)
THREADS = [1, 2, 3, 8]
OPTIONS = [
    AnalyzerOptions(),
    AnalyzerOptions(shortest_word=1, max_n=2),
    AnalyzerOptions(min_n=2, max_n=3),
    AnalyzerOptions("char", min_n=2, max_n=3),
    AnalyzerOptions("char_wb", min_n=1, max_n=3),
]
# A part of the work has 128 KB of text: with so many blanks in it, a document is a part.
BLANKS = " " * (1 << 17)


def counted(
    texts, labels, options, stop_words=(), *, weights=None, threshold=None, n_threads=1, batch=None
):
    """The terms and sums of the kernel; with ``batch`` it gets so many documents at a time."""
    n_classes = max(labels, default=-1) + 1
    stop_list = kernels.stop_list(stop_words, options)
    counter = _core.text.TextCounter(kernels.options_of(options), stop_list, False, threshold)
    batch = batch or max(len(texts), 1)
    for start in range(0, max(len(texts), 1), batch):
        part = slice(start, start + batch)
        counter.add_labelled(
            _core.text.Documents.from_list(texts[part]),
            np.array(labels[part], np.int32),
            NONE if weights is None else np.array(weights[part]),
            n_threads,
        )
    terms = kernels.as_terms(counter.finish(n_threads))
    return terms, counter.class_counts(n_classes, n_threads)


def assert_equal_to_twin(texts, labels, options, stop_words=(), **settings):
    terms, sums = counted(texts, labels, options, stop_words, **settings)
    settings = {name: settings.get(name) for name in ("weights", "threshold")}
    n_classes = max(labels, default=-1) + 1
    twin_terms, twin = reference.class_counts(
        texts, labels, n_classes, options, stop_words, **settings
    )
    assert terms == twin_terms
    assert sums.shape == twin.shape
    np.testing.assert_array_equal(sums, twin)


def random_documents(n_documents, n_classes, seed=0):
    """Documents that threads share, a few in a part, some of them repeating words."""
    rng = random.Random(seed)
    words = ["w" * rng.choice([1, 2, 5, 20]) + str(i) for i in range(300)]
    texts = [
        " ".join(rng.choices(words, k=rng.choice([0, 3, 40]))) + BLANKS[: 1 << rng.randrange(17)]
        for _ in range(n_documents)
    ]
    return texts, [rng.randrange(n_classes) for _ in texts]


@settings(max_examples=150)
@given(
    texts=corpora,
    options=analyzer_options(),
    stop_words=st.lists(st.sampled_from(STOP_WORDS), max_size=4),
    threshold=st.sampled_from([None, 0.0, 0.5, 1.0, 2.5, float("inf")]),
    batch=st.sampled_from([None, 1, 3]),
    seed=st.integers(0, 100),
)
@example(["aa aa", "aa"], AnalyzerOptions(), [], None, 1, 0)
@example([], AnalyzerOptions(), [], None, None, 0)
def test_class_counts(texts, options, stop_words, threshold, batch, seed):
    labels = np.random.default_rng(seed).integers(0, 4, len(texts)).tolist()
    assert_equal_to_twin(texts, labels, options, stop_words, threshold=threshold, batch=batch)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("threshold", [None, 0.0, 1.0])
def test_same_bits_at_any_number_of_threads(options, threshold):
    texts, labels = random_documents(60, 3)
    weights = np.random.default_rng(0).exponential(size=len(texts)).tolist()
    for w in (None, weights):
        one_terms, one = counted(texts, labels, options, STOP_WORDS, threshold=threshold, weights=w)
        for n_threads, batch in itertools.product(THREADS[1:], [None, 17]):
            terms, sums = counted(
                texts,
                labels,
                options,
                STOP_WORDS,
                threshold=threshold,
                weights=w,
                n_threads=n_threads,
                batch=batch,
            )
            assert terms == one_terms
            np.testing.assert_array_equal(sums, one)
        twin = reference.class_counts(
            texts, labels, 3, options, STOP_WORDS, threshold=threshold, weights=w
        )
        np.testing.assert_allclose(one, twin[1], rtol=1e-15, atol=0)


@pytest.mark.parametrize(
    "weights",
    [
        [1, 1, 1, 1, 1, 1],
        [0.1, 0.7, 0.1, 0.7, 0.1, 0.7],  # constant within each class
        [3, 1, 2, 5, 8, 13],
        [0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
        [0, -1, 2.5, -0.3, 0, 0.3],
        [1 / 3, 2 / 3, 1e-7, 7e-7, 3e-7, 1e-7],
        [1e300, 1e290, 5e-324, 3e-310, 1e300, 1e299],
    ],
)
@pytest.mark.parametrize("n_threads", THREADS)
def test_weights(weights, n_threads):
    texts = ["a b a", "b b", "a b c", "c c a", "a" + " a" * 9, "b c"]
    texts = [text + BLANKS for text in texts]
    labels = [0, 1] * 3
    options = AnalyzerOptions(shortest_word=1)
    terms, sums = counted(
        texts, labels, options, weights=np.array(weights, float), n_threads=n_threads
    )
    twin_terms, twin = reference.class_counts(texts, labels, 2, options, weights=weights)
    assert terms == twin_terms
    # Weights more than 2^24 apart are rounded apart.
    np.testing.assert_allclose(sums, twin, rtol=3e-16, atol=0)


def test_sums_are_rounded_once():
    """Adding 0.1 ten thousand times one after the other is off by some 1e-10."""
    rng = np.random.default_rng(0)
    weights = (rng.integers(1, 2**53, 3000) / 2**54).tolist()
    options = AnalyzerOptions(shortest_word=1)
    assert_equal_to_twin(["a"] * 10_000, [0] * 10_000, options, weights=[0.1] * 10_000)
    _, sums = counted(["a a a"] * 3000, [0] * 3000, options, weights=weights)
    _, twin = reference.class_counts(["a a a"] * 3000, [0] * 3000, 1, options, weights=weights)
    np.testing.assert_allclose(sums, twin, rtol=2.3e-16)


@pytest.mark.parametrize("threshold", [None, 0.0])
@pytest.mark.parametrize("limit", [0, 1, 7, 2**31])
def test_counts_move_before_they_can_overflow(limit, threshold):
    texts, labels = random_documents(40, 2, seed=1)
    options = AnalyzerOptions(shortest_word=1, max_n=2)
    counter = _core.text.TextCounter(kernels.options_of(options), [], False, threshold, limit)
    documents = _core.text.Documents.from_list(texts)
    counter.add_labelled(documents, np.array(labels, np.int32), NONE, 2)
    terms = kernels.as_terms(counter.finish(2))
    expected = counted(texts, labels, options, threshold=threshold)
    assert terms == expected[0]
    np.testing.assert_array_equal(counter.class_counts(2, 2), expected[1])


def test_classes_that_come_later_and_classes_without_documents():
    counter = _core.text.TextCounter(kernels.options_of(AnalyzerOptions()), [], False)
    for text, label in (("aa bb", 0), ("bb cc", 3), ("aa aa dd", 1)):
        counter.add_labelled(
            _core.text.Documents.from_list([text]), np.array([label], np.int32), NONE, 1
        )
    terms = kernels.as_terms(counter.finish(1))
    assert terms.names == ["aa", "bb", "cc", "dd"]
    expected = [[1, 1, 0, 0], [2, 0, 0, 1], [0, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0]]
    np.testing.assert_array_equal(counter.class_counts(5, 2), expected)
    with pytest.raises(ValueError, match="there are labels up to 3, not below 3"):
        counter.class_counts(3, 1)


def test_places_of_terms_that_were_taken_over():
    options = kernels.options_of(AnalyzerOptions(max_n=2))
    parts = []
    for texts in (["bb aa bb"], ["cc aa bb"]):
        counter = _core.text.TextCounter(options, [], False)
        counter.add_documents(_core.text.Documents.from_list(texts), 1)
        parts.append(counter.finish(1))
    counter = _core.text.TextCounter(options, [], False)
    numbers = [counter.add_terms(*part) for part in parts]
    with pytest.raises(RuntimeError, match="not finished"):
        counter.places_of(numbers[0])
    names = np.array(kernels.as_terms(counter.finish(1)).names)
    for part, part_numbers in zip(parts, numbers, strict=True):
        assert names[counter.places_of(part_numbers)].tolist() == kernels.as_terms(part).names


@pytest.mark.parametrize(
    ("labels", "weights", "message"),
    [
        ([0], NONE, "labels has 1 entries for 2 documents"),
        ([0, 1], np.ones(3), "weights has 3 entries for 2 documents"),
        ([0, -1], NONE, "a label is negative"),
        ([0, 1], np.array([1, np.nan]), "a weight is not finite"),
    ],
)
def test_labels_and_weights_that_do_not_fit_are_refused(labels, weights, message):
    counter = _core.text.TextCounter(kernels.options_of(AnalyzerOptions()), [], False)
    documents = _core.text.Documents.from_list(["one", "two"])
    with pytest.raises(ValueError, match=message):
        counter.add_labelled(documents, np.array(labels, np.int32), weights, 1)


def test_finish_comes_between_counting_and_the_counts():
    counter = _core.text.TextCounter(kernels.options_of(AnalyzerOptions()), [], False)
    documents = _core.text.Documents.from_list(["one two"])
    counter.add_labelled(documents, np.zeros(1, np.int32), NONE, 1)
    with pytest.raises(RuntimeError, match="not finished"):
        counter.class_counts(1, 1)
    counter.finish(1)
    np.testing.assert_array_equal(counter.class_counts(1, 1), [[1, 1]])
    with pytest.raises(RuntimeError, match="finished"):
        counter.add_labelled(documents, np.zeros(1, np.int32), NONE, 1)


def test_more_classes_than_labels_can_have():
    counter = _core.text.TextCounter(kernels.options_of(AnalyzerOptions()), [], False)
    counter.finish(1)
    assert counter.class_counts(1 << 22, 1).shape == (1 << 22, 0)
    with pytest.raises(ValueError, match="too many classes"):
        counter.class_counts((1 << 22) + 1, 1)


def test_malformed_utf8_is_refused_with_its_place():
    pa = pytest.importorskip("pyarrow")
    offsets = pa.py_buffer(np.array([0, 2, 6, 8], np.int32))
    column = pa.StringArray.from_buffers(3, offsets, pa.py_buffer(b"okab\xffcok"))
    counter = _core.text.TextCounter(kernels.options_of(AnalyzerOptions()), [], False)
    with pytest.raises(ValueError, match=r"^document 1 is not valid UTF-8 \(byte 2\)$"):
        counter.add_labelled(
            _core.text.Documents.from_arrow(column), np.zeros(3, np.int32), NONE, 4
        )


def test_classes_without_terms_take_no_time_by_their_number():
    counter = _core.text.TextCounter(kernels.options_of(AnalyzerOptions()), [], False, None)
    counter.finish(1)
    most = 2**22
    assert counter.class_counts(most, 1).shape == (most, 0)
    with pytest.raises(ValueError, match="too many classes"):
        counter.class_counts(most + 1, 1)
