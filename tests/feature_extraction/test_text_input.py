"""Documents in every container: the same matrix from all of them."""

import gzip
import io

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn.feature_extraction.text as sklearn_text
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.helpers.text_peers import CORPUS, assert_same_matrix
from tests.helpers.text_strategies import encodable_documents

from quire.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer

VECTORIZERS = {
    "count": CountVectorizer(),
    "bigrams": CountVectorizer(ngram_range=(1, 2), min_df=2),
    "char": CountVectorizer(analyzer="char_wb", ngram_range=(2, 3)),
    "tfidf": TfidfVectorizer(),
    "hashing": HashingVectorizer(n_features=64),
    "tokenizer": CountVectorizer(tokenizer=str.split, token_pattern=None),
    "analyzer": CountVectorizer(analyzer=str.split),
    "hashing tokenizer": HashingVectorizer(tokenizer=str.split, token_pattern=None, n_features=64),
}


class IterableOnly:
    def __init__(self, texts):
        self.texts = texts

    def __iter__(self):
        return iter(self.texts)


class SequenceOnly:
    """The old way: no __iter__, only __getitem__."""

    def __init__(self, texts):
        self.texts = texts

    def __getitem__(self, i):
        return self.texts[i]


class ArrowOnly:
    def __init__(self, texts):
        self.array = pa.chunked_array([texts])

    def __iter__(self):
        return iter(self.array.to_pylist())

    def __arrow_c_stream__(self, requested_schema=None):
        return self.array.__arrow_c_stream__(requested_schema)


def sliced(texts):
    return pa.array(["before", *texts, "after"])[1:-1]


def with_holes_elsewhere(texts):
    return pa.array([None, *texts, None])[1:-1]


CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "generator": lambda texts: (text for text in texts),
    "iterator": iter,
    "map": lambda texts: map(str, texts),
    "dict keys": lambda texts: dict.fromkeys(texts).keys(),
    "iterable": IterableOnly,
    "sequence": SequenceOnly,
    "NumPy object": lambda texts: np.array(texts, dtype=object),
    "NumPy str": np.array,
    "NumPy StringDType": lambda texts: np.array(texts, dtype=np.dtypes.StringDType()),
    "NumPy strided": lambda texts: np.array([[text, "no"] for text in texts], dtype=object)[:, 0],
    "NumPy reversed": lambda texts: np.array(texts[::-1], dtype=object)[::-1],
    "pandas": pd.Series,
    "pandas object": lambda texts: pd.Series(texts, dtype=object),
    "pandas string[python]": lambda texts: pd.Series(texts, dtype="string[python]"),
    "pandas string[pyarrow]": lambda texts: pd.Series(texts, dtype="string[pyarrow]"),
    "pandas ArrowDtype": lambda texts: pd.Series(texts, dtype=pd.ArrowDtype(pa.large_string())),
    "pandas categories": lambda texts: pd.Series(texts, dtype="category"),
    "pandas with an index": lambda texts: pd.Series(texts, index=range(90, 90 - len(texts), -1)),
    "pandas filtered": lambda texts: pd.Series(["no", *texts])[1:],
    "pandas column": lambda texts: pd.DataFrame({"text": texts, "y": 0})["text"],
    "pandas Index": pd.Index,
    "polars": pl.Series,
    "polars categories": lambda texts: pl.Series(texts, dtype=pl.Categorical),
    "polars sliced": lambda texts: pl.Series(["no", *texts])[1:],
    "polars in chunks": lambda texts: pl.concat(
        [pl.Series(texts[:2]), pl.Series(texts[2:])], rechunk=False
    ),
    "polars column": lambda texts: pl.DataFrame({"text": texts, "y": 0})["text"],
    "Arrow utf8": pa.array,
    "Arrow large_utf8": lambda texts: pa.array(texts, pa.large_string()),
    "Arrow string_view": lambda texts: pa.array(texts, pa.string_view()),
    "Arrow sliced": sliced,
    "Arrow with nulls outside": with_holes_elsewhere,
    "Arrow in chunks": lambda texts: pa.chunked_array([texts[:2], [], texts[2:]], pa.string()),
    "Arrow dictionary": lambda texts: pa.array(texts).dictionary_encode(),
    "Arrow column": lambda texts: pa.table({"text": texts, "y": [0] * len(texts)})["text"],
    "Arrow interface": ArrowOnly,
    "bytes": lambda texts: [text.encode() for text in texts],
    "bytes and str": lambda texts: [
        text.encode() if i % 2 else text for i, text in enumerate(texts)
    ],
    "bytes in a generator": lambda texts: (text.encode() for text in texts),
    "NumPy bytes": lambda texts: np.array([text.encode() for text in texts], dtype=object),
    "NumPy S": lambda texts: np.array([text.encode() for text in texts]),
    "pandas bytes": lambda texts: pd.Series([text.encode() for text in texts]),
    "Arrow binary": lambda texts: pa.array([text.encode() for text in texts]),
    "polars binary": lambda texts: pl.Series([text.encode() for text in texts]),
}


def fresh(name):
    """An unfitted copy, with scikit-learn's vectorizer of the same settings."""
    ours = VECTORIZERS[name]
    parameters = ours.get_params()
    for own in ("n_jobs", "tokens", "stemmer", "negation"):
        parameters.pop(own)
    return type(ours)(**parameters), getattr(sklearn_text, type(ours).__name__)(**parameters)


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("name", VECTORIZERS)
def test_containers(container, name):
    ours, theirs = fresh(name)
    expected = theirs.fit_transform(CORPUS)
    make = CONTAINERS[container]
    assert_same_matrix(ours.fit_transform(make(CORPUS)), expected, n_roundings=64)
    assert_same_matrix(ours.transform(make(CORPUS)), expected, n_roundings=64)
    again = fresh(name)[0].fit(make(CORPUS))
    assert_same_matrix(again.transform(make(CORPUS)), expected, n_roundings=64)


@settings(max_examples=40)
@given(texts=st.lists(encodable_documents, min_size=1, max_size=6))
def test_arrow_columns_of_anything(texts):
    expected = sklearn_text.CountVectorizer(analyzer="char", ngram_range=(1, 2))
    vectorizer = CountVectorizer(analyzer="char", ngram_range=(1, 2))
    try:
        X = expected.fit_transform(texts)
    except ValueError:
        return
    for type_ in (pa.string(), pa.large_string(), pa.string_view()):
        assert_same_matrix(vectorizer.fit_transform(pa.array(texts, type_)), X)
    assert vectorizer.vocabulary_ == expected.vocabulary_


def test_a_generator_longer_than_a_batch():
    texts = [f"word{i % 13} other{i % 7}" for i in range(9000)]
    for name in ("count", "tfidf", "hashing", "bigrams"):
        ours, theirs = fresh(name)
        expected = theirs.fit_transform(texts)
        assert_same_matrix(ours.fit_transform(iter(texts)), expected, n_roundings=64)
        assert_same_matrix(ours.transform(iter(texts)), expected, n_roundings=64)


def test_a_generator_is_read_once_and_not_held():
    class Watched(str):
        alive = 0

        def __init__(self, *_):
            Watched.alive += 1

        def __del__(self):
            Watched.alive -= 1

    most = 0

    def texts():
        nonlocal most
        for i in range(20_000):
            most = max(most, Watched.alive)
            yield Watched(f"word{i % 100}")

    X = CountVectorizer().fit_transform(texts())
    assert X.shape == (20_000, 100)
    assert most < 10_000


@pytest.mark.parametrize("container", ["pandas object", "list", "tuple", "NumPy object"])
def test_lone_surrogates_in(container):
    texts = ["aa\ud800 bb", "bb"]
    theirs = sklearn_text.CountVectorizer().fit_transform(texts)
    assert_same_matrix(CountVectorizer().fit_transform(CONTAINERS[container](texts)), theirs)


def test_arrow_columns_without_documents():
    vectorizer = CountVectorizer().fit(["aa"])
    for empty in ([], (), iter([]), np.array([], dtype=object), pa.array([], pa.string())):
        assert vectorizer.transform(empty).shape == (0, 1)
    assert vectorizer.transform(pl.Series([], dtype=pl.String)).shape == (0, 1)
    assert vectorizer.transform(pd.Series([], dtype="str")).shape == (0, 1)
    assert vectorizer.transform(pa.chunked_array([], pa.string())).shape == (0, 1)


# Bytes, files and paths --------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "latin-1", "cp1252", "utf-8-sig"])
def test_encodings(encoding):
    texts = ["caf\u00e9 cr\u00e8me", "na\u00efve caf\u00e9"]
    encoded = [text.encode(encoding) for text in texts]
    expected = sklearn_text.CountVectorizer(encoding=encoding).fit_transform(encoded)
    assert_same_matrix(CountVectorizer(encoding=encoding).fit_transform(encoded), expected)


@pytest.mark.parametrize("decode_error", ["ignore", "replace"])
def test_bytes_that_do_not_fit_the_encoding(decode_error):
    texts = [b"caf\xe9 cr\xe8me", b"plain"]
    expected = sklearn_text.CountVectorizer(decode_error=decode_error)
    ours = CountVectorizer(decode_error=decode_error)
    assert_same_matrix(ours.fit_transform(texts), expected.fit_transform(texts))
    assert ours.vocabulary_ == expected.vocabulary_


@pytest.mark.parametrize("name", ["count", "hashing", "tokenizer"])
def test_files_and_paths(name, tmp_path):
    paths = []
    for i, text in enumerate(CORPUS):
        paths.append(tmp_path / f"{i}.txt")
        paths[-1].write_bytes(text.encode())
    expected = fresh(name)[1].fit_transform(CORPUS)
    for documents in (paths, list(map(str, paths)), iter(paths), np.array(list(map(str, paths)))):
        ours = fresh(name)[0].set_params(input="filename")
        assert_same_matrix(ours.fit_transform(documents), expected, n_roundings=64)
    column = pl.Series(list(map(str, paths)))
    ours = fresh(name)[0].set_params(input="filename")
    assert_same_matrix(ours.fit_transform(column), expected, n_roundings=64)

    files = (
        [io.BytesIO(text.encode()) for text in CORPUS],
        [io.StringIO(text) for text in CORPUS],
        (io.BytesIO(text.encode()) for text in CORPUS),
        [gzip.GzipFile(fileobj=io.BytesIO(gzip.compress(text.encode()))) for text in CORPUS],
    )
    for documents in files:
        ours = fresh(name)[0].set_params(input="file")
        assert_same_matrix(ours.fit_transform(documents), expected, n_roundings=64)
    opened = [path.open("rb") for path in paths]
    ours = fresh(name)[0].set_params(input="file")
    assert_same_matrix(ours.fit_transform(opened), expected, n_roundings=64)
    for file in opened:
        file.close()


# Size --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings_", [{}, {"strip_accents": "unicode"}])
def test_one_document_of_five_megabytes(settings_):
    text = "".join(f"w{i * 7919 % 50_021} \u00e9{i % 977}, " for i in range(400_000))
    assert len(text) > 5_000_000
    theirs, ours = sklearn_text.CountVectorizer(**settings_), CountVectorizer(**settings_)
    assert_same_matrix(ours.fit_transform([text]), theirs.fit_transform([text]))
    assert ours.vocabulary_ == theirs.vocabulary_


def test_one_word_of_five_megabytes():
    word = "x" * 5_000_000
    vectorizer = CountVectorizer().fit([word, word + "y", "x"])
    assert list(vectorizer.vocabulary_) == [word, word + "y"]
    assert vectorizer.transform([f"a {word} b {word}"]).toarray().tolist() == [[2, 0]]


@pytest.mark.parametrize("name", VECTORIZERS)
def test_one_document_at_a_time(name):
    ours, theirs = fresh(name)
    expected = theirs.fit_transform(CORPUS)
    ours.fit(CORPUS)
    for i, text in enumerate(CORPUS):
        assert_same_matrix(ours.transform([text]), expected[[i]], n_roundings=64)
