"""The vectorizers give what scikit-learn's give: matrices, vocabularies, names, weights."""

import numpy as np
import pytest
import sklearn.feature_extraction.text as sklearn_text
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.helpers.text_peers import (
    CORPUS,
    assert_same_fit,
    assert_same_matrix,
    both,
    docstrings,
)
from tests.helpers.text_strategies import STOP_WORDS, corpora, documents

import quire.feature_extraction.text as quire_text

NGRAMS = st.sampled_from([(1, 1), (1, 2), (2, 2), (1, 3), (2, 4), (1, 6)])
ANALYSIS = {
    "analyzer": st.sampled_from(["word", "word", "char", "char_wb"]),
    "ngram_range": NGRAMS,
    "lowercase": st.booleans(),
    "strip_accents": st.sampled_from([None, "unicode", "ascii"]),
}
WORDS = {
    "stop_words": st.none()
    | st.lists(st.sampled_from(STOP_WORDS), max_size=4)
    | st.just("english"),
    "token_pattern": st.sampled_from(
        [
            r"(?u)\b\w\w+\b",
            r"\w+",
            r"\b\w+\b",
            r"(?u)\w{3,}",
            r"[a-z]+",
            r"\b\w",
            r"(?u)\b(\w)\w+\b",
        ]
    ),
}
PRUNING = {
    "min_df": st.sampled_from([1, 2, 3, 0.0, 0.3, 0.5]),
    "max_df": st.sampled_from([1.0, 1, 2, 0.5, 0.9]),
    "max_features": st.sampled_from([None, None, 1, 2, 5]),
    "binary": st.booleans(),
}
WEIGHTS = {
    "norm": st.sampled_from(["l2", "l1", None]),
    "use_idf": st.booleans(),
    "smooth_idf": st.booleans(),
    "sublinear_tf": st.booleans(),
    "dtype": st.sampled_from([np.float64, np.float32]),
}
HASHING = {
    "n_features": st.sampled_from([1, 2, 7, 16, 1000, 2**20, 2**31 - 2]),
    "norm": st.sampled_from(["l2", "l1", None]),
    "alternate_sign": st.booleans(),
    "binary": st.booleans(),
    "dtype": st.sampled_from([np.float64, np.float32, np.int64, np.int32, np.int8]),
}
# With warnings of NumPy's on both sides; and any number of lone surrogates, as scikit-learn has.
random_corpora = st.lists(documents, min_size=1, max_size=6)


@st.composite
def parameters(draw, *groups):
    """Some of the parameters, not all: most of the time most have their defaults."""
    chosen = {}
    for name, values in {k: v for group in groups for k, v in group.items()}.items():
        if draw(st.booleans()):
            chosen[name] = draw(values)
    if chosen.get("analyzer", "word") != "word":  # these would only warn
        chosen.pop("stop_words", None)
        chosen.pop("token_pattern", None)
    return chosen


@settings(max_examples=250)
@given(settings_=parameters(ANALYSIS, WORDS, PRUNING), texts=random_corpora, others=corpora)
def test_count_vectorizer(settings_, texts, others):
    assert_same_fit("CountVectorizer", settings_, texts, others)


@settings(max_examples=150)
@given(
    settings_=parameters(ANALYSIS, WORDS, PRUNING, WEIGHTS),
    texts=random_corpora,
    others=st.lists(documents, min_size=1, max_size=4),
)
def test_tfidf_vectorizer(settings_, texts, others):
    assert_same_fit("TfidfVectorizer", settings_, texts, others)


@settings(max_examples=150)
@given(settings_=parameters(ANALYSIS, WORDS, HASHING), texts=random_corpora)
def test_hashing_vectorizer(settings_, texts):
    texts = [text.encode("utf-8", "replace").decode() for text in texts]
    assert_same_fit("HashingVectorizer", settings_, texts)


# A grid over fixed documents, and over real ones -------------------------------------------------

GRID = [
    {},
    {"ngram_range": (1, 2)},
    {"ngram_range": (2, 3)},
    {"ngram_range": (1, 2), "stop_words": "english"},
    {"lowercase": False},
    {"binary": True},
    {"min_df": 2},
    {"min_df": 0.3},
    {"max_df": 2},
    {"max_df": 0.5},
    {"min_df": 2, "max_df": 3, "ngram_range": (1, 2)},
    {"max_features": 1},
    {"max_features": 3},
    {"max_features": 7, "ngram_range": (1, 3), "binary": True},
    {"max_features": 10_000_000},
    {"max_features": 4, "min_df": 2},
    {"stop_words": ["the", "is"]},
    {"stop_words": []},
    {"strip_accents": "unicode"},
    {"strip_accents": "ascii"},
    {"strip_accents": sklearn_text.strip_accents_unicode},
    {"strip_accents": str.upper},
    {"token_pattern": r"(?u)\b\w+\b"},
    {"token_pattern": r"\w{4,}"},
    {"token_pattern": r"\w\w\w+"},
    {"token_pattern": r"[a-z]{2,}"},
    {"token_pattern": r"(?u)\b(\w)\w+\b"},
    {"token_pattern": r"\S+"},
    {"token_pattern": r"\w*"},
    {"token_pattern": r"\w{0,}"},
    {"token_pattern": r"(?u)\b\w{0,}\b"},
    {"token_pattern": r"\w\w{0,}"},
    {"token_pattern": r"(?a)\b\w\w+\b"},
    {"token_pattern": r"\w{2,3}"},
    {"token_pattern": r"\w"},
    {"analyzer": "char"},
    {"analyzer": "char", "ngram_range": (2, 4), "min_df": 2},
    {"analyzer": "char_wb", "ngram_range": (3, 5)},
    {"analyzer": "char_wb", "ngram_range": (1, 12), "max_features": 20},
    {"analyzer": "char_wb", "ngram_range": (2, 2), "strip_accents": "ascii", "binary": True},
    {"analyzer": str.split},
    {"analyzer": str.split, "min_df": 2, "max_features": 2},
    {"tokenizer": str.split, "token_pattern": None},
    {"tokenizer": str.split, "token_pattern": None, "ngram_range": (1, 2), "stop_words": ["the"]},
    {"preprocessor": str.swapcase},
    {"ngram_range": (1, 150)},
    {"ngram_range": (0, 2)},
]


def identity(parameters):
    return (
        "-".join(
            f"{name}={getattr(value, '__name__', value)}" for name, value in parameters.items()
        )
        or "defaults"
    )


@pytest.mark.parametrize("settings_", GRID, ids=identity)
def test_a_grid_of_settings(settings_):
    others = ["the first third", "unknown words", "", *CORPUS[::-1]]
    assert_same_fit("CountVectorizer", settings_, CORPUS, others)
    assert_same_fit("TfidfVectorizer", settings_, CORPUS, others)
    hashing = {k: v for k, v in settings_.items() if k not in PRUNING or k == "binary"}
    assert_same_fit("HashingVectorizer", hashing, CORPUS)


@pytest.mark.parametrize(
    "settings_",
    [
        {},
        {"ngram_range": (1, 3), "min_df": 2, "max_df": 0.5},
        {"ngram_range": (1, 2), "max_features": 500, "stop_words": "english"},
        {"analyzer": "char", "ngram_range": (1, 3)},
        {"analyzer": "char_wb", "ngram_range": (3, 5), "max_features": 3000},
        {"strip_accents": "unicode", "lowercase": False, "token_pattern": r"\w+"},
    ],
    ids=identity,
)
def test_real_documents(settings_):
    texts = docstrings()
    assert_same_fit("CountVectorizer", settings_, texts[:250], texts[200:])
    assert_same_fit("TfidfVectorizer", {**settings_, "sublinear_tf": True}, texts[:250])
    hashing = {k: v for k, v in settings_.items() if k not in PRUNING}
    assert_same_fit("HashingVectorizer", {**hashing, "n_features": 5000}, texts[:150])


@pytest.mark.parametrize("norm", ["l1", "l2", None])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("use_idf", [True, False])
@pytest.mark.parametrize("smooth_idf", [True, False])
@pytest.mark.parametrize("sublinear_tf", [True, False])
def test_weights(norm, dtype, use_idf, smooth_idf, sublinear_tf):
    weights = {
        "norm": norm,
        "use_idf": use_idf,
        "smooth_idf": smooth_idf,
        "sublinear_tf": sublinear_tf,
    }
    assert_same_fit("TfidfVectorizer", {**weights, "dtype": dtype}, docstrings()[:60])
    theirs, ours = both("TfidfTransformer", **weights)
    counts = sklearn_text.CountVectorizer(dtype=dtype).fit_transform(docstrings()[:60])
    counts.sort_indices()
    assert_same_matrix(ours.fit_transform(counts), theirs.fit_transform(counts))


@pytest.mark.parametrize("max_features", range(1, 30, 4))
@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.float32, np.uint8, np.uint64])
@pytest.mark.parametrize("binary", [False, True])
def test_ties_between_terms_are_broken_in_the_same_way(max_features, dtype, binary):
    texts = ["aa bb cc dd ee ff gg " * 2, "hh ii jj kk ll mm", "aa hh zz yy xx ww vv", "bb cc ii"]
    texts += [" ".join(f"t{i:02}" for i in range(start, start + 17)) for start in range(0, 40, 3)]
    settings_ = {"max_features": max_features, "dtype": dtype, "binary": binary}
    assert_same_fit("CountVectorizer", settings_, texts)


DTYPES = [bool, np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64, int, float, "float32"]


@pytest.mark.parametrize("dtype", [*DTYPES, np.float64, complex, np.longdouble])
@pytest.mark.parametrize("max_features", [None, 2])
def test_dtypes_of_counts(dtype, max_features):
    texts = ["aa aa bb", "bb " * 300, "cc cc cc", "dd bb", "dd"]  # 300 does not fit 8 bits
    assert_same_fit("CountVectorizer", {"dtype": dtype, "max_features": max_features}, texts)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, bool])
@pytest.mark.parametrize("max_features", [1, 2, 3])
def test_terms_are_ranked_by_counts_as_the_dtype_holds_them(dtype, max_features):
    # -56, -106 and 100 in 8 bits
    texts = ["aa " * 200 + "bb " * 150 + "cc " * 100, *["bb cc dd"] * 3]
    assert_same_fit("CountVectorizer", {"dtype": dtype, "max_features": max_features}, texts)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64, float, "float32"])
@pytest.mark.parametrize("norm", ["l1", "l2", None])
def test_dtypes_of_hashed_counts(dtype, norm):
    texts = ["aa aa bb", "bb " * 300, "cc cc cc", "dd bb", "dd"]
    assert_same_fit("HashingVectorizer", {"dtype": dtype, "norm": norm, "n_features": 5}, texts)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint64])
def test_unsigned_hashed_counts(dtype):
    parameters = {"dtype": dtype, "norm": None, "n_features": 5}
    texts = ["aa aa bb", "cc cc cc"]
    assert_same_fit("HashingVectorizer", {**parameters, "alternate_sign": False}, texts)
    # -1 is no unsigned number: 255 or 2**64 - 1 in its place would be a silent wrong answer
    with pytest.raises((OverflowError, ValueError)):
        quire_text.HashingVectorizer(**parameters).transform(texts)


@pytest.mark.parametrize("dtype", [np.int64, bool])
def test_tfidf_of_another_dtype_is_float64_with_a_warning(dtype):
    assert_same_fit("TfidfVectorizer", {"dtype": dtype}, ["aa aa bb", "bb"])


@pytest.mark.parametrize("name", ["CountVectorizer", "TfidfVectorizer", "HashingVectorizer"])
@pytest.mark.parametrize("dtype", [np.float16, ">f8"])
@pytest.mark.filterwarnings("ignore:Only")
def test_dtypes_that_sparse_matrices_cannot_have(name, dtype):
    with pytest.raises(ValueError, match="does not support dtype"):
        getattr(quire_text, name)(dtype=dtype).fit_transform(["aa bb"])


# Vocabularies that are given ---------------------------------------------------------------------

TERMS = ["third", "the", "document", "never", "The", "first document", "the first", "x y z", "is"]


def shuffled(terms):
    return {term: (4 * i + 1) % len(terms) for i, term in enumerate(terms)}


@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 2), (2, 2), (1, 3)])
@pytest.mark.parametrize("form", [list, tuple, set, np.array, shuffled, iter])
@pytest.mark.parametrize("name", ["CountVectorizer", "TfidfVectorizer"])
def test_given_vocabulary(ngram_range, form, name):
    theirs, ours = both(name, ngram_range=ngram_range, lowercase=False)
    for vectorizer in (theirs, ours):
        vectorizer.set_params(vocabulary=form(TERMS))
    X, expected = ours.fit_transform(CORPUS), theirs.fit_transform(CORPUS)
    assert_same_matrix(X, expected, n_roundings=16)
    assert_same_matrix(ours.transform(CORPUS), theirs.transform(CORPUS), n_roundings=16)
    assert ours.vocabulary_ == theirs.vocabulary_
    assert ours.fixed_vocabulary_
    assert list(ours.get_feature_names_out()) == list(theirs.get_feature_names_out())


@pytest.mark.parametrize(
    ("settings_", "vocabulary"),
    [
        ({}, {"one": 2, "two": 1, "is": 0}),
        ({}, ["one two", "two"]),  # never matched: no bigrams
        ({}, ["", " ", "two  one", " one", "one "]),
        ({}, ["a", "!", "\x00", "\ud800", "\u00e9\u00e8"]),
        ({"ngram_range": (1, 2)}, ["", " ", "two  one", " one", "one two", "one, two"]),
        ({"ngram_range": (1, 2)}, ["this is", "the", "is the", "the the"]),
        ({"ngram_range": (2, 2)}, ["this is", "the", "is the", "the the"]),
        ({"ngram_range": (1, 2), "stop_words": ["the"]}, ["this is", "the", "the the", "is first"]),
        ({"analyzer": "char", "ngram_range": (1, 3)}, ["th", " ", ".", "the", "", "e ", "doc"]),
        ({"analyzer": "char_wb", "ngram_range": (1, 3)}, [" th", " ", "s ", "e", "two", "\u03c2 "]),
        ({"analyzer": "char_wb", "ngram_range": (9, 9)}, [" is ", " first ", " document", "is"]),
        ({"lowercase": False}, [1, 2.5, ("a", "tuple"), "the"]),
        ({"binary": True, "dtype": np.float32}, ["the", "third"]),
        ({"min_df": 3, "max_df": 1, "max_features": 1}, ["the", "third", "none"]),
        ({"analyzer": str.split}, ["the", "third", "document,"]),
    ],
)
def test_odd_vocabularies(settings_, vocabulary):
    ours = assert_same_fit("CountVectorizer", {**settings_, "vocabulary": vocabulary}, CORPUS)
    assert ours.fixed_vocabulary_
    # without any fit
    theirs, ours = both("CountVectorizer", **settings_, vocabulary=vocabulary)
    assert_same_matrix(ours.transform(CORPUS), theirs.transform(CORPUS))


@settings(max_examples=60)
@given(settings_=parameters(ANALYSIS), texts=random_corpora, data=st.data())
def test_any_part_of_a_vocabulary(settings_, texts, data):
    probe = sklearn_text.CountVectorizer(**settings_).build_analyzer()
    terms = sorted({term for text in texts for term in probe(text)} | {"never"})
    chosen = data.draw(st.lists(st.sampled_from(terms), unique=True, min_size=1))
    theirs, ours = both("CountVectorizer", **settings_, vocabulary=chosen)
    assert_same_matrix(ours.transform(texts), theirs.transform(texts))


# Settings changed after the fit ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({}, {"ngram_range": (1, 2)}),
        ({"ngram_range": (1, 2)}, {"ngram_range": (1, 1)}),
        ({"ngram_range": (1, 2)}, {"ngram_range": (2, 3)}),
        ({}, {"lowercase": False}),
        ({}, {"stop_words": ["first"]}),
        ({"stop_words": "english"}, {"stop_words": None}),
        ({}, {"token_pattern": r"\w+"}),
        ({}, {"tokenizer": str.split}),
        ({}, {"analyzer": "char"}),
        ({"analyzer": "char"}, {"analyzer": "word", "token_pattern": r"\w+"}),
        ({"analyzer": "char_wb", "ngram_range": (1, 2)}, {"analyzer": "char"}),
        ({}, {"strip_accents": "ascii"}),
        ({}, {"binary": True}),
        ({}, {"dtype": np.float32}),
        ({}, {"vocabulary": ["other"]}),  # not looked at: there is a fitted vocabulary
    ],
)
def test_settings_changed_after_the_fit_count_in_transform(before, after):
    theirs, ours = both("CountVectorizer", **before)
    for vectorizer in (theirs, ours):
        vectorizer.fit(CORPUS)
        vectorizer.transform(CORPUS)
        vectorizer.set_params(**after)
    assert_same_matrix(ours.transform(CORPUS), theirs.transform(CORPUS))


@pytest.mark.parametrize("after", [{"norm": None}, {"use_idf": False}, {"sublinear_tf": True}])
def test_weights_changed_after_the_fit(after):
    theirs, ours = both("TfidfVectorizer")
    for vectorizer in (theirs, ours):
        vectorizer.fit(CORPUS).set_params(**after)
    assert_same_matrix(ours.transform(CORPUS), theirs.transform(CORPUS), n_roundings=16)


def test_inverse_transform():
    theirs, ours = both("CountVectorizer", ngram_range=(1, 2))
    X = theirs.fit_transform(CORPUS)
    ours.fit(CORPUS)
    for matrix in (X, X.toarray(), sparse.csc_array(X), sparse.csr_array(X)):
        expected = theirs.inverse_transform(matrix)
        result = ours.inverse_transform(matrix)
        assert [row.tolist() for row in result] == [row.tolist() for row in expected]
        assert [row.dtype for row in result] == [row.dtype for row in expected]


# TfidfTransformer --------------------------------------------------------------------------------


@st.composite
def count_matrices(draw):
    n_rows, n_cols = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    cells = st.lists(st.integers(0, 5), min_size=n_cols, max_size=n_cols)
    dense = np.array(draw(st.lists(cells, min_size=n_rows, max_size=n_rows)))
    return dense.astype(draw(st.sampled_from([np.int64, np.int32, np.float64, np.float32])))


FORMS = [np.asarray, sparse.csr_array, sparse.csr_matrix, sparse.csc_array, sparse.coo_array]


@settings(max_examples=100)
@given(
    X=count_matrices(),
    form=st.sampled_from(FORMS),
    norm=st.sampled_from(["l1", "l2", None]),
    use_idf=st.booleans(),
    sublinear_tf=st.booleans(),
)
def test_tfidf_transformer(X, form, norm, use_idf, sublinear_tf):
    theirs, ours = both("TfidfTransformer", norm=norm, use_idf=use_idf, sublinear_tf=sublinear_tf)
    assert_same_matrix(ours.fit_transform(form(X)), theirs.fit_transform(form(X)))
    if use_idf:
        np.testing.assert_array_equal(ours.idf_, theirs.idf_)
        assert ours.idf_.dtype == theirs.idf_.dtype
    assert ours.n_features_in_ == theirs.n_features_in_


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_tfidf_transformer_of_either_index_type(index):
    X = sparse.csr_array(np.array([[1.0, 2, 0], [0, 1, 4]]))
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    theirs, ours = both("TfidfTransformer")
    assert_same_matrix(ours.fit_transform(X), theirs.fit_transform(X))
    mixed = X.copy()
    mixed.indptr = mixed.indptr.astype(np.int64)
    np.testing.assert_array_equal(ours.transform(mixed).toarray(), theirs.transform(X).toarray())


def test_tfidf_transformer_of_stored_zeros_unsorted_and_repeated_entries():
    arrays = np.array([3.0, 0.0, 1.0, 2.0, 5.0]), np.array([2, 0, 1, 1, 0]), np.array([0, 3, 5])
    X = sparse.csr_array(arrays, shape=(2, 3))
    repeated = sparse.csr_array((arrays[0], np.array([1, 1, 0, 2, 2]), arrays[2]), shape=(2, 3))
    for matrix in (X, repeated):
        theirs, ours = both("TfidfTransformer")
        ours_X, expected = ours.fit_transform(matrix), theirs.fit_transform(matrix)
        np.testing.assert_array_equal(ours.idf_, theirs.idf_)
        np.testing.assert_array_equal(ours_X.toarray(), expected.toarray())


def test_tfidf_transformer_leaves_its_input_alone():
    X = sparse.csr_array(np.array([[1.0, 2, 0], [0, 1, 4]]))
    before = X.copy()
    transformer = quire_text.TfidfTransformer(sublinear_tf=True).fit(X)
    transformer.transform(X)
    np.testing.assert_array_equal(X.toarray(), before.toarray())
    X.data.flags.writeable = X.indices.flags.writeable = X.indptr.flags.writeable = False
    transformer.fit(X).transform(X)
    in_place = before.copy()
    result = transformer.transform(in_place, copy=False)
    assert np.shares_memory(result.data, in_place.data)
