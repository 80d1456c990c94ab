"""What bad input gets: an error of the right type that names the thing and the remedy."""

import warnings
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn.feature_extraction.text as sklearn_text
from sklearn.exceptions import NotFittedError
from tests.helpers.text_peers import CORPUS, both, outcome

import quire.feature_extraction.text as quire_text
from quire.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)

ALL = [CountVectorizer, TfidfVectorizer, HashingVectorizer]
FITTED = [CountVectorizer, TfidfVectorizer]


def calls(vectorizer):
    """Every method that takes documents."""
    yield vectorizer().fit_transform
    yield vectorizer().fit(CORPUS).transform
    if vectorizer is not HashingVectorizer:  # its fit looks at no document
        yield vectorizer().fit
        yield vectorizer().partial_fit


# What was passed as documents --------------------------------------------------------------------


@pytest.mark.parametrize("vectorizer", ALL)
def test_a_string(vectorizer):
    message = r"^Iterable over raw text documents expected, string object received\.$"
    for call in calls(vectorizer):
        with pytest.raises(ValueError, match=message):
            call("one document")
    with pytest.raises(ValueError, match=message):
        vectorizer().fit("one document")


@pytest.mark.parametrize("vectorizer", ALL)
@pytest.mark.parametrize(
    "make", [pd.DataFrame, pl.DataFrame, pa.table, lambda data: pa.RecordBatch.from_pydict(data)]
)
def test_a_table(vectorizer, make):
    table = make({"body": ["a text", "another"], "label": [0, 1]})
    message = rf"^A {type(table).__name__} with 2 columns \('body', 'label'\) .* X\['body'\]\.$"
    for call in calls(vectorizer):
        with pytest.raises(TypeError, match=message):
            call(table)
    with pytest.raises(TypeError, match="Name the column of texts"):
        vectorizer(tokenizer=str.split, token_pattern=None).fit_transform(table)


def test_a_table_with_many_columns_or_none():
    wide = pd.DataFrame({i: ["x"] for i in range(30)})
    with pytest.raises(TypeError, match=r"with 30 columns \('0', .*'7', \.\.\.\)"):
        CountVectorizer().fit(wide)
    with pytest.raises(TypeError, match="with 0 columns"):
        CountVectorizer().fit(pd.DataFrame())


@pytest.mark.parametrize("vectorizer", ALL)
def test_a_two_dimensional_array(vectorizer):
    for array in (np.array([["a"], ["b"]]), np.array([["a", "b"]], dtype=object)):
        for call in calls(vectorizer):
            with pytest.raises(ValueError, match=r"must be one-dimensional.*X\[:, 0\]"):
                call(array)


def test_rows_of_tokens_in_a_two_dimensional_array_are_for_a_callable_analyzer():
    tokens = np.array([["aa", "bb"], ["bb", "cc"]])
    theirs, ours = both("CountVectorizer", analyzer=list)
    np.testing.assert_array_equal(
        ours.fit_transform(tokens).toarray(), theirs.fit_transform(tokens).toarray()
    )


@pytest.mark.parametrize("documents", [5, None, 3.5])
@pytest.mark.parametrize("vectorizer", ALL)
def test_what_cannot_be_iterated(vectorizer, documents):
    with pytest.raises(TypeError, match="not iterable"):
        vectorizer().fit_transform(documents)


# Documents that are missing or are no text -------------------------------------------------------

MISSING = {
    "None": None,
    "nan": float("nan"),
    "np.nan": np.nan,
    "np.float32": np.float32("nan"),
    "pd.NA": pd.NA,
}
SETTINGS = {
    "native": {},
    "python": {"tokenizer": str.split, "token_pattern": None},
    "pattern": {"token_pattern": "[a-z]+"},
}


@pytest.mark.parametrize("vectorizer", ALL)
@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize("settings_", SETTINGS)
def test_a_missing_document_is_named_by_its_row(vectorizer, missing, settings_):
    texts = ["aa", "bb", MISSING[missing], "cc"]
    message = r"is an invalid document, expected byte or unicode string\. Row 2 \(counted from 0\)"
    containers = (list, tuple, iter, lambda texts: np.array(texts, dtype=object))
    for make in containers:
        with pytest.raises(ValueError, match=message):
            vectorizer(**SETTINGS[settings_]).fit_transform(make(texts))
    series = pd.Series(texts, dtype=object)
    with pytest.raises(ValueError, match=message):
        vectorizer(**SETTINGS[settings_]).fit_transform(series)


def test_the_remedy_for_a_missing_document():
    with pytest.raises(ValueError, match="drop such rows or fill them with '' first"):
        CountVectorizer().fit(["a", None])


@pytest.mark.parametrize("vectorizer", ALL)
@pytest.mark.parametrize("settings_", SETTINGS)
@pytest.mark.parametrize(
    "column",
    [
        pa.array(["aa", "bb", None]),
        pa.array(["aa", "bb", None], pa.large_string()),
        pa.array(["aa", "bb", None], pa.string_view()),
        pa.array(["zz", "aa", "bb", None])[1:],
        pa.chunked_array([["aa"], ["bb", None]]),
        pa.array(["aa", "bb", None]).dictionary_encode(),
        pl.Series(["aa", "bb", None]),
        pl.Series(["aa", "bb", None], dtype=pl.Categorical),
        pd.Series(["aa", "bb", None]),
        pd.Series(["aa", "bb", None], dtype="string[pyarrow]"),
        pd.Series(["aa", "bb", None], dtype="string[python]"),
        pd.Series(["aa", "bb", None], dtype="category"),
    ],
    ids=lambda column: f"{type(column).__module__}-{getattr(column, 'dtype', None)}",
)
def test_a_null_in_a_column_is_named_by_its_row(vectorizer, settings_, column):
    with pytest.raises(ValueError, match=r"invalid document.*Row 2 \(counted from 0\) is missing"):
        vectorizer(**SETTINGS[settings_]).fit_transform(column)


@pytest.mark.parametrize("vectorizer", ALL)
def test_a_row_deep_in_a_generator(vectorizer):
    texts = (None if i == 10_001 else "text" for i in range(12_000))
    with pytest.raises(ValueError, match="Row 10001 "):
        vectorizer().fit_transform(texts)


def test_missing_documents_reach_a_callable_that_wants_them():
    def analyzer(document):
        return ["missing"] if document is None else document.split()

    for settings_ in ({"analyzer": analyzer}, {"preprocessor": lambda d: d or "missing"}):
        theirs, ours = both("CountVectorizer", **settings_)
        texts = ["aa bb", None]
        expected = theirs.fit_transform(texts).toarray()
        np.testing.assert_array_equal(ours.fit_transform(texts).toarray(), expected)


@pytest.mark.parametrize("vectorizer", ALL)
@pytest.mark.parametrize("document", [3, 2.5, ["a", "list"], object(), {"a": 1}, ("t",)])
def test_a_document_that_is_no_text(vectorizer, document):
    kind = type(document).__name__
    message = rf"^Document 1 \(counted from 0\) is of type {kind}; expected str or bytes\."
    for make in (list, iter):
        with pytest.raises(TypeError, match=message):
            vectorizer().fit_transform(make(["text", document]))


@pytest.mark.parametrize("vectorizer", ALL)
def test_bytes_alone_are_no_documents(vectorizer):
    with pytest.raises((TypeError, ValueError)):
        vectorizer().fit_transform(b"some bytes")


@pytest.mark.parametrize("vectorizer", ALL)
def test_malformed_bytes(vectorizer):
    for make in (list, iter):
        with pytest.raises(UnicodeDecodeError, match="can't decode byte 0xe9 in position 3"):
            vectorizer().fit_transform(make([b"fine", b"caf\xe9 "]))


@pytest.mark.parametrize("vectorizer", ALL)
@pytest.mark.parametrize("n_jobs", [1, 4])
def test_malformed_utf8_in_an_arrow_column(vectorizer, n_jobs):
    offsets = pa.py_buffer(np.array([0, 2, 8, 10], np.int32))
    column = pa.StringArray.from_buffers(3, offsets, pa.py_buffer(b"okabcde\xffok"))
    message = r"document 1 is not valid UTF-8 \(byte 5\)"
    with pytest.raises(ValueError, match=message):
        vectorizer(n_jobs=n_jobs).fit_transform(column)
    with pytest.raises(ValueError, match=message):
        vectorizer(n_jobs=n_jobs).fit(["ok"]).transform(column)
    with pytest.raises(ValueError, match=r"utf-8|UTF-8"):
        vectorizer(tokenizer=str.split, token_pattern=None).fit_transform(column)


@pytest.mark.parametrize("analyzer", ["char", "char_wb"])
def test_a_lone_surrogate_cannot_be_hashed(analyzer):
    theirs, ours = both("HashingVectorizer", analyzer=analyzer)
    with pytest.raises(UnicodeEncodeError, match="surrogate"):
        theirs.transform(["fine", "a\ud800b"])
    with pytest.raises(UnicodeEncodeError, match="surrogate"):
        ours.transform(["fine", "a\ud800b"])
    HashingVectorizer().transform(["a\ud800b"])  # words hold none


@pytest.mark.parametrize("vectorizer", ALL)
def test_files_that_are_not_there(vectorizer):
    with pytest.raises(FileNotFoundError, match="/no/such/file"):
        vectorizer(input="filename").fit_transform(["/no/such/file"])
    with pytest.raises(AttributeError, match="read"):
        vectorizer(input="file").fit_transform(["/no/such/file"])


# Vocabularies ------------------------------------------------------------------------------------


@pytest.mark.parametrize("vectorizer", FITTED)
@pytest.mark.parametrize("documents", [[], [""], ["", "?!"], ["the", "and"], iter([])])
def test_no_terms_at_all(vectorizer, documents):
    message = "^empty vocabulary; perhaps the documents only contain stop words$"
    with pytest.raises(ValueError, match=message):
        vectorizer(stop_words="english").fit(documents)
    with pytest.raises(ValueError, match=message):
        vectorizer(analyzer=lambda document: []).fit(["something"])


@pytest.mark.parametrize("vectorizer", FITTED)
@pytest.mark.parametrize("settings_", [{"min_df": 2}, {"min_df": 0.5}])
def test_nothing_left_after_pruning(vectorizer, settings_):
    message = r"^After pruning, no terms remain\. Try a lower min_df or a higher max_df\.$"
    for method in ("fit", "fit_transform"):
        with pytest.raises(ValueError, match=message):
            getattr(vectorizer(**settings_, max_features=5), method)(["aa", "bb", "cc"])


@pytest.mark.parametrize("vectorizer", FITTED)
@pytest.mark.parametrize("settings_", [{"max_df": 1, "min_df": 2}, {"max_df": 0.2, "min_df": 0.9}])
def test_max_df_below_min_df(vectorizer, settings_):
    with pytest.raises(ValueError, match=r"^max_df corresponds to < documents than min_df$"):
        vectorizer(**settings_).fit(["aa", "aa bb", "cc"])


@pytest.mark.parametrize(
    ("vocabulary", "message"),
    [
        (["one", "two", "one"], "Duplicate term in vocabulary: 'one'"),
        ({"one": 0, "two": 0}, r"Vocabulary contains repeated indices\."),
        ({"one": 0, "two": 2}, r"Vocabulary of size 2 doesn't contain index 1\."),
        ([], "empty vocabulary passed to fit"),
        ({}, "empty vocabulary passed to fit"),
        (set(), "empty vocabulary passed to fit"),
    ],
)
@pytest.mark.parametrize("vectorizer", FITTED)
def test_vocabularies_that_cannot_be(vectorizer, vocabulary, message):
    for method in ("fit", "fit_transform", "partial_fit"):
        with pytest.raises(ValueError, match=f"^{message}$"):
            getattr(vectorizer(vocabulary=vocabulary), method)(["one"])
    with pytest.raises(ValueError, match=f"^{message}$"):
        CountVectorizer(vocabulary=vocabulary).transform(["one"])


@pytest.mark.parametrize("vectorizer", FITTED)
@pytest.mark.parametrize("method", ["fit", "fit_transform", "partial_fit"])
def test_upper_case_in_a_vocabulary(vectorizer, method):
    call = getattr(vectorizer(vocabulary=["one", "Two"]), method)
    with pytest.warns(
        UserWarning, match="Upper case characters found in vocabulary while"
    ) as caught:
        call(["one two Two"])
    assert len(caught) == 1
    assert caught[0].filename == __file__  # the warning points at the caller
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vectorizer(vocabulary=["one", "Two"], lowercase=False).fit(["one"])


@pytest.mark.parametrize("vectorizer", FITTED)
def test_not_fitted(vectorizer):
    unfitted = vectorizer()
    for call in (
        lambda: unfitted.transform(["x"]),
        lambda: unfitted.inverse_transform([[1]]),
        lambda: unfitted.get_feature_names_out(),
        lambda: unfitted.merge(vectorizer().fit(["xx"])),
        lambda: vectorizer().fit(["xx"]).merge(unfitted),
        lambda: unfitted.compact(),
    ):
        with pytest.raises(NotFittedError):
            call()
    assert not hasattr(unfitted, "vocabulary_")
    with pytest.raises(NotFittedError):
        TfidfTransformer().transform([[1]])
    assert not hasattr(TfidfVectorizer(), "idf_")
    with pytest.raises(NotFittedError, match="TF-IDF vectorizer is not fitted"):
        TfidfVectorizer(vocabulary=["a"]).transform(["a"])


# Settings ----------------------------------------------------------------------------------------

INVALID = [
    {"input": "path"},
    {"encoding": 8},
    {"decode_error": "skip"},
    {"strip_accents": "french"},
    {"strip_accents": 1},
    {"lowercase": "yes"},
    {"preprocessor": "lower"},
    {"tokenizer": 3},
    {"stop_words": 5},
    {"token_pattern": 7},
    {"ngram_range": [1, 2]},
    {"ngram_range": 2},
    {"analyzer": "words"},
    {"binary": "no"},
    {"n_jobs": 1.5},
    {"n_jobs": "all"},
]
INVALID_FITTED = [
    {"max_df": 1.5},
    {"max_df": -1},
    {"min_df": "two"},
    {"min_df": -0.1},
    {"max_features": 0},
    {"max_features": 2.5},
    {"vocabulary": 3},
]


def named(settings_):
    return ",".join(f"{name}={value}" for name, value in settings_.items())


@pytest.mark.parametrize(
    ("vectorizer", "settings_"),
    [*product(ALL, INVALID), *product(FITTED, INVALID_FITTED)],
    ids=lambda value: named(value) if isinstance(value, dict) else value.__name__,
)
def test_settings_of_the_wrong_kind(vectorizer, settings_):
    (name,) = settings_
    message = f"The '{name}' parameter of {vectorizer.__name__} must be"
    for method in ("fit", "fit_transform", "partial_fit"):
        if hasattr(vectorizer, method):
            with pytest.raises(ValueError, match=message):
                getattr(vectorizer(**settings_), method)(["text"])


@pytest.mark.parametrize("settings_", [{"n_features": 0}, {"n_features": 2.5}, {"norm": "l3"}])
def test_settings_of_hashing_of_the_wrong_kind(settings_):
    with pytest.raises(ValueError, match="parameter of HashingVectorizer must be"):
        HashingVectorizer(**settings_).fit(["text"])


@pytest.mark.parametrize("settings_", [{"norm": "l3"}, {"use_idf": 2}, {"smooth_idf": "x"}])
@pytest.mark.parametrize("name", ["TfidfVectorizer", "TfidfTransformer"])
def test_settings_of_weights_of_the_wrong_kind(name, settings_):
    X = ["text"] if name == "TfidfVectorizer" else [[1]]
    with pytest.raises(ValueError, match=f"parameter of {name} must be"):
        getattr(quire_text, name)(**settings_).fit(X)


@pytest.mark.parametrize(
    "settings_",
    [
        {"analyzer": "words"},
        {"strip_accents": "french"},
        {"stop_words": "klingon"},
    ],
    ids=named,
)
def test_transform_without_fit_does_not_guess(settings_):
    """HashingVectorizer needs no fit, where parameters are checked; scikit-learn still refuses."""
    theirs, ours = both("HashingVectorizer", **settings_)
    expected, _ = outcome(theirs.transform, ["d\u00e9j\u00e0 vu"])
    assert isinstance(expected, ValueError)
    (value,) = settings_.values()
    with pytest.raises(ValueError, match=value):
        ours.transform(["d\u00e9j\u00e0 vu"])
    with pytest.raises(ValueError, match=value):
        CountVectorizer(vocabulary=["vu"], **settings_).transform(["d\u00e9j\u00e0 vu"])


@pytest.mark.parametrize("n_features", [0, -1, 2**31])
def test_hashing_without_fit_into_no_columns(n_features):
    with pytest.raises(ValueError, match=r"'n_features' parameter .* must be an int in the range"):
        HashingVectorizer(n_features=n_features).transform(["text"])


@pytest.mark.parametrize("vectorizer", ALL)
@pytest.mark.parametrize("ngram_range", [(2, 1), (3, 2)])
def test_ngram_range_the_wrong_way_round(vectorizer, ngram_range):
    message = r"Invalid value for ngram_range=\(\d, \d\) lower boundary larger than the upper"
    with pytest.raises(ValueError, match=message):
        vectorizer(ngram_range=ngram_range).fit(["text"])
    with pytest.raises(ValueError, match=message):
        vectorizer(ngram_range=ngram_range).fit_transform(["text"])


@pytest.mark.parametrize("vectorizer", ALL)
def test_stop_lists_that_are_not_there(vectorizer):
    for method in ("fit_transform", "partial_fit"):
        if vectorizer is not HashingVectorizer or method == "fit_transform":
            with pytest.raises(ValueError, match=r"^not a built-in stop list: klingon"):
                getattr(vectorizer(stop_words="klingon"), method)(["text"])
    with pytest.raises(ValueError, match=r"There are lists for .*german"):
        quire_text.stop_words("klingon")


@pytest.mark.parametrize("vectorizer", ALL)
def test_no_threads(vectorizer):
    with pytest.raises(ValueError, match="n_jobs == 0"):
        vectorizer(n_jobs=0).fit_transform(["two", "texts"])


@pytest.mark.parametrize("vectorizer", ALL)
def test_patterns_that_are_none(vectorizer):
    with pytest.raises(ValueError, match="More than 1 capturing group in token pattern"):
        vectorizer(token_pattern=r"(\w)(\w)").fit_transform(["text"])


WARNINGS = [
    {"tokenizer": str.split},
    {"analyzer": str.split, "preprocessor": str.lower},
    {"analyzer": str.split, "ngram_range": (1, 2)},
    {"analyzer": "char", "stop_words": ["the"]},
    {"analyzer": "char", "stop_words": "english"},
    {"analyzer": "char_wb", "token_pattern": r"\w+"},
    {"analyzer": "char", "tokenizer": str.split},
    {"stop_words": ["we've"]},
    {"stop_words": ["The"]},
    {"stop_words": ["caf\u00e9"], "strip_accents": "ascii"},
    {"stop_words": "english", "token_pattern": r"(?u)\b\w\w+\b"},
]


@pytest.mark.parametrize("settings_", WARNINGS, ids=named)
@pytest.mark.parametrize("name", ["CountVectorizer", "TfidfVectorizer", "HashingVectorizer"])
def test_the_same_warnings_as_scikit_learn(name, settings_):
    theirs, ours = both(name, **settings_)
    assert outcome(ours.fit_transform, CORPUS)[1] == outcome(theirs.fit_transform, CORPUS)[1]
    # a second time, and in transform
    assert outcome(ours.fit_transform, CORPUS)[1] == outcome(theirs.fit_transform, CORPUS)[1]
    assert outcome(ours.transform, CORPUS)[1] == outcome(theirs.transform, CORPUS)[1]


def test_scikit_learns_errors_are_ours():
    """Whatever both refuse, they refuse with the same type."""
    for settings_, documents in [
        ({}, "text"),
        ({}, []),
        ({"min_df": 5}, ["aa"]),
        ({"ngram_range": (2, 1)}, ["aa"]),
        ({"vocabulary": []}, ["aa"]),
        ({"max_df": 2.0}, ["aa"]),
        ({"token_pattern": "("}, ["aa"]),
        ({"token_pattern": None}, ["aa"]),
    ]:
        theirs, ours = both("CountVectorizer", **settings_)
        expected, _ = outcome(theirs.fit, documents)
        result, _ = outcome(ours.fit, documents)
        assert type(result) is type(expected)
        assert str(result) == str(expected)
    assert quire_text.ENGLISH_STOP_WORDS is sklearn_text.ENGLISH_STOP_WORDS
