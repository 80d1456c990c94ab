"""scikit-learn's own words about text: its tests and its examples, with our import.

The examples follow the docstrings and the user guide of scikit-learn 1.9 ("Text feature
extraction"); the numbers are facts, the texts are its.
"""

import numpy as np
import pytest
from sklearn.pipeline import Pipeline
from tests.helpers.sklearn_exceptions import suites_of
from tests.helpers.sklearn_table import check_suite

import quire
from quire.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)

CORPUS = [
    "This is the first document.",
    "This document is the second document.",
    "And this is the third one.",
    "Is this the first document?",
]
GUIDE = [
    "This is the first document.",
    "This is the second second document.",
    "And the third one.",
    "Is this the first document?",
]
NAMES = ["and", "document", "first", "is", "one", "second", "the", "third", "this"]
COUNTS = [[3, 0, 1], [2, 0, 0], [3, 0, 0], [4, 0, 0], [3, 2, 0], [3, 0, 2]]


@pytest.mark.parametrize("suite", suites_of("text"), ids=str)
def test_scikit_learns_tests_pass_with_our_classes(suite, tmp_path):
    check_suite(suite, tmp_path)


def test_module_has_all_that_scikit_learns_module_exports():
    import sklearn.feature_extraction.text as theirs

    import quire.feature_extraction.text as ours

    assert set(theirs.__all__) <= set(ours.__all__)
    assert quire.__name__ == "quire"


# CountVectorizer ---------------------------------------------------------------------------------


def test_docstring_of_count_vectorizer():
    vectorizer = CountVectorizer()
    X = vectorizer.fit_transform(CORPUS)
    assert list(vectorizer.get_feature_names_out()) == NAMES
    assert X.toarray().tolist() == [
        [0, 1, 1, 1, 0, 0, 1, 0, 1],
        [0, 2, 0, 1, 0, 1, 1, 0, 1],
        [1, 0, 0, 1, 1, 0, 1, 1, 1],
        [0, 1, 1, 1, 0, 0, 1, 0, 1],
    ]
    bigrams = CountVectorizer(analyzer="word", ngram_range=(2, 2))
    X = bigrams.fit_transform(CORPUS)
    assert list(bigrams.get_feature_names_out()) == [
        "and this",
        "document is",
        "first document",
        "is the",
        "is this",
        "second document",
        "the first",
        "the second",
        "the third",
        "third one",
        "this document",
        "this is",
        "this the",
    ]
    assert X.toarray().tolist() == [
        [0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0],
        [0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0],
        [1, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 1, 0],
        [0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1],
    ]


def test_guide_common_usage():
    vectorizer = CountVectorizer()
    X = vectorizer.fit_transform(GUIDE)
    assert (X.shape, X.nnz, X.dtype) == ((4, 9), 19, np.int64)
    analyze = vectorizer.build_analyzer()
    assert analyze("This is a text document to analyze.") == [
        *("this", "is", "text", "document", "to", "analyze")
    ]
    assert X.toarray().tolist() == [
        [0, 1, 1, 1, 0, 0, 1, 0, 1],
        [0, 1, 0, 1, 0, 2, 1, 0, 1],
        [1, 0, 0, 0, 1, 0, 1, 1, 0],
        [0, 1, 1, 1, 0, 0, 1, 0, 1],
    ]
    assert vectorizer.vocabulary_.get("document") == 1
    assert vectorizer.transform(["Something completely new."]).toarray().tolist() == [[0] * 9]


def test_guide_bigrams():
    bigrams = CountVectorizer(ngram_range=(1, 2), token_pattern=r"\b\w+\b", min_df=1)
    assert bigrams.build_analyzer()("Bi-grams are cool!") == [
        *("bi", "grams", "are", "cool", "bi grams", "grams are", "are cool")
    ]
    X = bigrams.fit_transform(GUIDE).toarray()
    assert X.shape == (4, 21)
    assert X[:, bigrams.vocabulary_.get("is this")].tolist() == [0, 0, 0, 1]


def test_guide_words_within_character_ngrams():
    ngrams = CountVectorizer(analyzer="char_wb", ngram_range=(2, 2))
    counts = ngrams.fit_transform(["words", "wprds"])
    assert list(ngrams.get_feature_names_out()) == [
        *(" w", "ds", "or", "pr", "rd", "s ", "wo", "wp")
    ]
    assert counts.toarray().tolist() == [[1, 1, 1, 0, 1, 1, 1, 0], [1, 1, 0, 1, 1, 1, 0, 1]]
    wide = CountVectorizer(analyzer="char_wb", ngram_range=(5, 5)).fit(["jumpy fox"])
    assert list(wide.get_feature_names_out()) == [" fox ", " jump", "jumpy", "umpy "]
    wide = CountVectorizer(analyzer="char", ngram_range=(5, 5)).fit(["jumpy fox"])
    assert list(wide.get_feature_names_out()) == ["jumpy", "mpy f", "py fo", "umpy ", "y fox"]


def test_guide_decoding():
    texts = [
        b"Sei mir gegr\xc3\xbc\xc3\x9ft mein Sauerkraut",
        b"holdselig sind deine Ger\xfcche",
        b"\xff\xfeA\x00u\x00f\x00 \x00F\x00l\x00\xfc\x00g\x00e\x00l\x00n\x00",
    ]
    decoded = [
        text.decode(encoding)
        for text, encoding in zip(texts, ["utf-8", "latin-1", "utf-16"], strict=True)
    ]
    vocabulary = CountVectorizer().fit(decoded).vocabulary_
    assert {"gegr\u00fc\u00dft", "ger\u00fcche", "fl\u00fcgeln"} <= set(vocabulary)


def test_guide_customising():
    def tokenize(text):
        return text.split()

    vectorizer = CountVectorizer(tokenizer=tokenize, token_pattern=None)
    assert vectorizer.build_analyzer()("Some... punctuation!") == ["some...", "punctuation!"]

    class British(CountVectorizer):
        def build_tokenizer(self):
            tokens = super().build_tokenizer()
            return lambda text: [token.replace("color", "colour") for token in tokens(text)]

    assert British().fit(["color colour"]).vocabulary_ == {"colour": 0}


# Weights -----------------------------------------------------------------------------------------


def test_docstring_of_tfidf_vectorizer():
    vectorizer = TfidfVectorizer()
    X = vectorizer.fit_transform(CORPUS)
    assert list(vectorizer.get_feature_names_out()) == NAMES
    assert X.shape == (4, 9)


def test_docstring_of_tfidf_transformer():
    vocabulary = ["this", "document", "first", "is", "second", "the", "and", "one"]
    corpus = [
        "this is the first document",
        "this document is the second document",
        "and this is the third one",
        "is this the first document",
    ]
    pipe = Pipeline(
        [("count", CountVectorizer(vocabulary=vocabulary)), ("tfid", TfidfTransformer())]
    ).fit(corpus)
    assert pipe["count"].transform(corpus).toarray().tolist() == [
        [1, 1, 1, 1, 0, 1, 0, 0],
        [1, 2, 0, 1, 1, 1, 0, 0],
        [1, 0, 0, 1, 0, 1, 1, 1],
        [1, 1, 1, 1, 0, 1, 0, 0],
    ]
    np.testing.assert_allclose(
        pipe["tfid"].idf_,
        [1, 1.22314355, 1.51082562, 1, 1.91629073, 1, 1.91629073, 1.91629073],
    )
    assert pipe.transform(corpus).shape == (4, 8)


def test_guide_tfidf_weighting():
    unsmoothed = TfidfTransformer(smooth_idf=False)
    np.testing.assert_allclose(
        unsmoothed.fit_transform(COUNTS).toarray(),
        [
            [0.81940995, 0, 0.57320793],
            [1, 0, 0],
            [1, 0, 0],
            [1, 0, 0],
            [0.47330339, 0.88089948, 0],
            [0.58149261, 0, 0.81355169],
        ],
        atol=1e-8,
    )
    transformer = TfidfTransformer()
    np.testing.assert_allclose(
        transformer.fit_transform(COUNTS).toarray(),
        [
            [0.85151335, 0, 0.52433293],
            [1, 0, 0],
            [1, 0, 0],
            [1, 0, 0],
            [0.55422893, 0.83236428, 0],
            [0.63035731, 0, 0.77630514],
        ],
        atol=1e-8,
    )
    np.testing.assert_allclose(transformer.idf_, [1, 2.25276297, 1.84729786], atol=1e-8)


def test_the_formula_by_hand():
    """Document 1 of the guide: n = 6, df = (6, 1, 2)."""
    n, df = 6, np.array([6, 1, 2])
    idf = np.log(n / df) + 1
    row = np.array([3, 0, 1]) * idf
    X = TfidfTransformer(smooth_idf=False).fit_transform(COUNTS).toarray()
    np.testing.assert_allclose(X[0], row / np.sqrt((row**2).sum()), rtol=1e-15)


# Hashing -----------------------------------------------------------------------------------------


def test_docstring_of_hashing_vectorizer():
    vectorizer = HashingVectorizer(n_features=2**4)
    assert vectorizer.fit_transform(CORPUS).shape == (4, 16)


def test_guide_hashing():
    hashing = HashingVectorizer(n_features=10)
    X = hashing.transform(GUIDE)
    assert (X.shape, X.nnz) == ((4, 10), 16)
    X = HashingVectorizer().transform(GUIDE)
    assert (X.shape, X.nnz) == ((4, 1048576), 19)


def test_guide_out_of_core():
    """Batches of documents with one stateless vectorizer."""
    hashing = HashingVectorizer(n_features=2**10)
    whole = hashing.transform(GUIDE)
    for i, text in enumerate(GUIDE):
        assert (hashing.partial_fit([text]).transform([text]) != whole[[i]]).nnz == 0
