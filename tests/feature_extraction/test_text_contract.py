"""The estimator contract: clone, pickle, pipelines, subclasses, threads, which path ran."""

import copy
import pickle
import pickletools
import sys
import threading

import joblib
import numpy as np
import pytest
import sklearn
import sklearn.feature_extraction.text as sklearn_text
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.utils.validation import check_is_fitted
from tests.helpers.text_peers import CORPUS, assert_same_matrix, both, docstrings

from quire import _core
from quire.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)

ALL = [CountVectorizer, TfidfVectorizer, HashingVectorizer]
FITTED = [CountVectorizer, TfidfVectorizer]
KINDS = [
    {},
    {"ngram_range": (1, 2), "min_df": 2},
    {"analyzer": "char_wb", "ngram_range": (2, 4)},
    {"stop_words": "english", "strip_accents": "unicode"},
    {"vocabulary": ["the", "first", "third"]},
    {"tokenizer": str.split, "token_pattern": None},
]


def make(vectorizer, settings_):
    if vectorizer is HashingVectorizer:
        settings_ = {k: v for k, v in settings_.items() if k not in ("min_df", "vocabulary")}
    return vectorizer(**settings_)


@pytest.mark.parametrize("name", ["CountVectorizer", "TfidfVectorizer", "HashingVectorizer"])
def test_parameters_defaults_and_tags_are_scikit_learns(name):
    theirs, ours = both(name)
    parameters = ours.get_params()
    for own in ("n_jobs", "tokens", "stemmer", "negation"):
        assert parameters.pop(own) is None
    assert parameters == theirs.get_params()
    assert ours.__sklearn_tags__() == theirs.__sklearn_tags__()


@pytest.mark.parametrize(
    "name", ["CountVectorizer", "TfidfVectorizer", "HashingVectorizer", "TfidfTransformer"]
)
def test_code_that_asks_for_scikit_learns_class_finds_it(name):
    theirs, ours = both(name)
    assert isinstance(ours, type(theirs))


def test_parameters_of_the_transformer_are_scikit_learns():
    theirs, ours = both("TfidfTransformer")
    parameters = ours.get_params()
    assert parameters.pop("n_jobs") is None
    assert parameters == theirs.get_params()
    assert ours.__sklearn_tags__() == theirs.__sklearn_tags__()


@pytest.mark.parametrize("vectorizer", ALL)
@pytest.mark.parametrize("settings_", KINDS)
def test_clone_copy_and_pickle(vectorizer, settings_):
    fitted = make(vectorizer, settings_)
    expected = fitted.fit_transform(CORPUS)
    fresh = clone(fitted)
    assert fresh.get_params() == fitted.get_params()
    if vectorizer is not HashingVectorizer:
        assert not hasattr(fresh, "vocabulary_")
        with pytest.raises(sklearn.exceptions.NotFittedError):
            check_is_fitted(fresh)
        check_is_fitted(fitted)
    assert_same_matrix(fresh.fit_transform(CORPUS), expected)
    copies = [copy.copy(fitted), copy.deepcopy(fitted)]
    copies += [pickle.loads(pickle.dumps(fitted, protocol)) for protocol in (2, 4, 5)]
    fitted.transform(CORPUS)  # makes the kernel's table
    copies += [pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted)]
    for other in copies:
        assert_same_matrix(other.transform(CORPUS), expected)
        if vectorizer is not HashingVectorizer:
            assert other.vocabulary_ == fitted.vocabulary_


@pytest.mark.parametrize("vectorizer", [*FITTED, HashingVectorizer])
@pytest.mark.parametrize("settings_", KINDS)
def test_a_pickle_holds_only_arrays_and_plain_python(vectorizer, settings_):
    fitted = make(vectorizer, settings_).fit(CORPUS)
    fitted.transform(CORPUS)
    names = {
        argument.split(" ")[0] if " " in argument else argument
        for _, argument, _ in pickletools.genops(pickle.dumps(fitted, protocol=2))
        if isinstance(argument, str)
    }
    assert not any(name.startswith("quire._core") for name in names)


def test_a_pickle_of_many_ngrams_is_small_and_quick():
    texts = [" ".join(f"w{i * 7919 % 20_011 + j}" for j in range(60)) for i in range(1500)]
    vectorizer = CountVectorizer(ngram_range=(1, 3))
    expected = vectorizer.fit_transform(texts)
    assert expected.shape[1] > 50_000
    stored = pickle.dumps(vectorizer)
    names = sum(map(len, vectorizer.get_feature_names_out()))
    assert len(stored) < 12 * names
    assert_same_matrix(pickle.loads(stored).transform(texts), expected)


def test_vocabulary_is_made_when_it_is_first_asked_for():
    """Until then there are no Python strings, in fit and in transform."""
    texts = [f"w{i} w{i + 1} w{i + 2}" for i in range(30_000)]
    vectorizer = CountVectorizer(ngram_range=(1, 2))
    blocks = [sys.getallocatedblocks()]
    vectorizer.fit_transform(texts)
    vectorizer.transform(texts)
    pickle.loads(pickle.dumps(vectorizer)).transform(texts)
    blocks.append(sys.getallocatedblocks())
    vocabulary = vectorizer.vocabulary_
    blocks.append(sys.getallocatedblocks())
    assert len(vocabulary) == 30_002 + 30_001
    assert blocks[1] - blocks[0] < 5_000
    assert blocks[2] - blocks[1] > 60_000
    assert vectorizer.vocabulary_ is vocabulary


def test_a_vocabulary_that_the_user_changes_counts():
    """As with scikit-learn, where vocabulary_ is an ordinary dictionary."""
    for change in (
        lambda vocabulary: vocabulary.update(aa=1, bb=0),
        lambda vocabulary: vocabulary.update(cc=2),
    ):
        theirs, ours = both("CountVectorizer")
        for vectorizer in (theirs, ours):
            vectorizer.fit(["aa bb"])
            vectorizer.transform(["aa"])
            change(vectorizer.vocabulary_)
        texts = ["aa aa bb cc cc cc"]
        assert_same_matrix(ours.transform(texts), theirs.transform(texts))
        assert list(ours.get_feature_names_out()) == list(theirs.get_feature_names_out())
        again = pickle.loads(pickle.dumps(ours))
        assert_same_matrix(again.transform(texts), theirs.transform(texts))


def test_a_vocabulary_that_is_replaced_counts():
    theirs, ours = both("CountVectorizer")
    for vectorizer in (theirs, ours):
        vectorizer.fit(["aa bb"])
        vectorizer.vocabulary_ = {"bb": 0, "zz": 1}
    assert_same_matrix(ours.transform(["bb zz zz"]), theirs.transform(["bb zz zz"]))
    del ours.vocabulary_
    with pytest.raises(sklearn.exceptions.NotFittedError):
        ours.transform(["bb"])


def test_weights_that_are_set_count():
    theirs, ours = both("TfidfVectorizer")
    for vectorizer in (theirs, ours):
        vectorizer.fit(CORPUS)
        vectorizer.idf_ = np.arange(1.0, 1 + len(vectorizer.idf_))
    assert_same_matrix(ours.transform(CORPUS), theirs.transform(CORPUS), n_roundings=64)


# Output ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("vectorizer", ALL)
@pytest.mark.parametrize("settings_", KINDS)
def test_sparse_arrays_if_configured(vectorizer, settings_):
    texts = CORPUS * 700  # more than a batch
    for interface, kind in (("sparray", sparse.csr_array), ("spmatrix", sparse.csr_matrix)):
        with sklearn.config_context(sparse_interface=interface):
            fitted = make(vectorizer, settings_)
            for X in (
                fitted.fit_transform(texts),
                fitted.transform(texts),
                fitted.transform(iter(texts)),
                fitted.transform(["one"]),
            ):
                assert type(X) is kind
            counts = TfidfTransformer().fit_transform(sparse.csr_matrix([[1, 2], [0, 1]]))
            assert type(counts) is kind


def test_vectorizers_have_no_set_output():
    for vectorizer in ALL:
        assert not hasattr(vectorizer(), "set_output")


@pytest.mark.parametrize("vectorizer", ALL)
def test_matrices_are_in_canonical_form_and_writable(vectorizer):
    X = vectorizer().fit_transform(CORPUS)
    assert X.has_canonical_format
    assert X.has_sorted_indices
    X.check_format(full_check=True)
    X.data[0] = 7
    X.indices[0] = X.indices[0]
    (X @ sparse.eye_array(X.shape[1])).sum()


def test_nothing_is_shared_between_results():
    vectorizer = CountVectorizer().fit(CORPUS)
    first, second = vectorizer.transform(CORPUS), vectorizer.transform(CORPUS)
    first.data[:] = 99
    assert second.max() < 99
    names = vectorizer.get_feature_names_out()
    names[:] = "changed"
    assert "changed" not in vectorizer.get_feature_names_out()


# Which path ran ----------------------------------------------------------------------------------


def custom_accents(text):
    return text


@pytest.mark.parametrize(
    ("settings_", "engine"),
    [
        ({}, "native"),
        ({"token_pattern": r"\w+"}, "native"),
        ({"token_pattern": r"(?u)\b\w{3,}\b"}, "native"),
        ({"analyzer": "char", "token_pattern": "[a-z]"}, "native"),
        ({"strip_accents": "ascii", "lowercase": False, "stop_words": "english"}, "native"),
        ({"strip_accents": sklearn_text.strip_accents_unicode}, "native"),
        ({"strip_accents": custom_accents}, "python: strip_accents is a callable"),
        ({"preprocessor": str.lower}, "python: preprocessor is a callable"),
        ({"tokenizer": str.split}, "python: tokenizer is a callable"),
        ({"analyzer": "char", "tokenizer": str.split}, "native"),
        ({"analyzer": str.split}, "python: analyzer is a callable"),
        ({"token_pattern": "[a-z]+"}, "native"),
        ({"token_pattern": r"\w{0,}"}, "python: token_pattern has empty tokens"),
        ({"ngram_range": (0, 1)}, "python: ngram_range is not within"),
        ({"ngram_range": (1, 500)}, "python: ngram_range is not within"),
    ],
)
@pytest.mark.parametrize("vectorizer", ALL)
def test_engine(vectorizer, settings_, engine):
    assert vectorizer(**settings_).engine_.startswith(engine)


class Shouting(CountVectorizer):
    def build_preprocessor(self):
        return str.upper


class Halves(CountVectorizer):
    def build_tokenizer(self):
        return lambda text: [text[: len(text) // 2], text[len(text) // 2 :]]


class Stemming(CountVectorizer):
    def build_analyzer(self):
        analyze = super().build_analyzer()
        return lambda text: [word[:3] for word in analyze(text)]


class Numbered(CountVectorizer):
    def _word_ngrams(self, tokens, stop_words=None):
        return [f"{i} {token}" for i, token in enumerate(tokens)]


class Reversed(CountVectorizer):
    def decode(self, doc):
        return super().decode(doc)[::-1]


class WithoutThe(CountVectorizer):
    def get_stop_words(self):
        return frozenset(["the"])


def base_of(vectorizer):
    """The same subclass of scikit-learn's class."""
    body = {k: v for k, v in vars(vectorizer).items() if not k.startswith(("__", "_param"))}
    theirs = type(vectorizer.__name__, (sklearn_text.CountVectorizer,), body)
    if vectorizer is Stemming:
        theirs.build_analyzer = lambda self: (
            lambda text: [
                word[:3] for word in sklearn_text.CountVectorizer.build_analyzer(self)(text)
            ]
        )
    if vectorizer is Reversed:
        theirs.decode = lambda self, doc: sklearn_text.CountVectorizer.decode(self, doc)[::-1]
    return theirs


@pytest.mark.parametrize("vectorizer", [Shouting, Halves, Stemming, Numbered, Reversed, WithoutThe])
def test_methods_of_subclasses_count(vectorizer):
    theirs, ours = base_of(vectorizer)(), vectorizer()
    for documents in (CORPUS, [text.encode() for text in CORPUS], iter(CORPUS)):
        expected = theirs.fit_transform(list(documents))
        documents = CORPUS if not isinstance(documents, list) else documents
        assert_same_matrix(ours.fit_transform(documents), expected)
        assert ours.vocabulary_ == theirs.vocabulary_
        assert_same_matrix(ours.transform(documents), expected)
    if vectorizer in (Reversed, WithoutThe):
        assert ours.engine_ == "native"
    else:
        assert ours.engine_.endswith("is overridden")


@pytest.mark.parametrize("method", ["build_analyzer", "build_tokenizer", "decode"])
def test_methods_replaced_on_an_object_count(method):
    replacement = {
        "build_analyzer": lambda: str.split,
        "build_tokenizer": lambda: str.split,
        "decode": lambda doc: f"{doc} appended",
    }[method]
    theirs, ours = both("CountVectorizer")
    for vectorizer in (theirs, ours):
        setattr(vectorizer, method, replacement)
    assert_same_matrix(ours.fit_transform(CORPUS), theirs.fit_transform(CORPUS))
    assert ours.vocabulary_ == theirs.vocabulary_


def test_the_builders_work_as_scikit_learns():
    for settings_ in KINDS:
        theirs, ours = both("CountVectorizer", **settings_)
        for text in CORPUS:
            assert ours.build_analyzer()(text) == theirs.build_analyzer()(text)
            assert ours.build_preprocessor()(text) == theirs.build_preprocessor()(text)
            assert ours.build_tokenizer()(text) == theirs.build_tokenizer()(text)
            assert ours.decode(text.encode()) == text
        assert ours.get_stop_words() == theirs.get_stop_words()


# Threads, processes, pipelines -------------------------------------------------------------------


@pytest.mark.parametrize("vectorizer", ALL)
@pytest.mark.parametrize("settings_", KINDS[:4])
def test_the_same_bits_at_any_number_of_threads(vectorizer, settings_):
    texts = docstrings() * 3
    one = make(vectorizer, settings_).set_params(n_jobs=1)
    expected = one.fit_transform(texts)
    for n_jobs in (2, 4, -1, None):
        other = make(vectorizer, settings_).set_params(n_jobs=n_jobs)
        assert_same_matrix(other.fit_transform(texts), expected)
        assert_same_matrix(other.transform(texts), expected)
        if vectorizer is not HashingVectorizer:
            assert other.vocabulary_ == one.vocabulary_


@pytest.mark.parametrize("level", ["portable", "avx2", "avx512"])
def test_the_same_bits_at_any_simd_level(level):
    texts, before = docstrings(), _core.base.simd_level()
    expected = TfidfVectorizer(ngram_range=(1, 2)).fit_transform(texts)
    _core.base.set_simd_level(level)
    try:
        X = TfidfVectorizer(ngram_range=(1, 2)).fit_transform(texts)
    finally:
        _core.base.set_simd_level(before)
    assert_same_matrix(X, expected)


def test_one_vectorizer_in_many_threads():
    texts = docstrings()
    vectorizer = TfidfVectorizer(ngram_range=(1, 2)).fit(texts)
    expected = vectorizer.transform(texts)
    fresh = pickle.loads(pickle.dumps(vectorizer))  # its table is not made yet
    results = []
    threads = [
        threading.Thread(target=lambda: results.append(fresh.transform(texts))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    for X in results:
        assert_same_matrix(X, expected)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_inside_joblib(backend):
    texts = docstrings()[:100]
    expected = CountVectorizer().fit_transform(texts)
    work = (joblib.delayed(CountVectorizer().fit_transform)(texts) for _ in range(3))
    for X in joblib.Parallel(n_jobs=2, backend=backend)(work):
        assert_same_matrix(X, expected)


def test_a_matrix_that_joblib_has_mapped_read_only(tmp_path):
    X = CountVectorizer(dtype=np.float64).fit_transform(docstrings()[:50])
    expected = TfidfTransformer().fit_transform(X)
    joblib.dump(X, tmp_path / "X")
    mapped = joblib.load(tmp_path / "X", mmap_mode="r")
    assert not mapped.data.flags.writeable
    assert_same_matrix(TfidfTransformer().fit(mapped).transform(mapped), expected)
    del mapped


def labelled():
    texts = ["good film", "fine film", "great plot", "bad film", "dull film", "poor plot"] * 4
    return texts, ["yes", "yes", "yes", "no", "no", "no"] * 4


def test_pipelines_and_searches():
    texts, y = labelled()
    model = Pipeline([("vectorizer", TfidfVectorizer()), ("model", LogisticRegression())])
    grid = {
        "vectorizer__ngram_range": [(1, 1), (1, 2)],
        "vectorizer__analyzer": ["word", "char_wb"],
        "vectorizer__min_df": [1, 2],
    }
    search = GridSearchCV(model, grid, cv=3, n_jobs=2).fit(texts, y)
    assert search.best_score_ == 1.0
    assert list(search.predict(["a great film", "a dull plot"])) == ["yes", "no"]
    theirs = clone(model).set_params(vectorizer=sklearn_text.TfidfVectorizer()).fit(texts, y)
    ours = clone(model).fit(texts, y)
    np.testing.assert_allclose(ours.predict_proba(texts), theirs.predict_proba(texts), rtol=1e-9)
    np.testing.assert_array_equal(
        ours[:-1].get_feature_names_out(), theirs[:-1].get_feature_names_out()
    )


def test_counts_then_weights_are_the_tfidf_vectorizer():
    two = make_pipeline(CountVectorizer(), TfidfTransformer()).fit_transform(CORPUS)
    assert_same_matrix(two, TfidfVectorizer().fit_transform(CORPUS))


def test_unions_and_other_models():
    texts, y = labelled()
    union = FeatureUnion([("w", CountVectorizer()), ("c", CountVectorizer(analyzer="char"))])
    model = make_pipeline(union, MultinomialNB()).fit(texts, y)
    assert model.score(texts, y) == 1.0
    assert union.get_feature_names_out()[0].startswith("w__")


def test_repr_and_html():
    vectorizer = CountVectorizer(ngram_range=(1, 2), n_jobs=2).fit(CORPUS)
    assert repr(vectorizer) == "CountVectorizer(n_jobs=2, ngram_range=(1, 2))"
    assert "CountVectorizer" in vectorizer._repr_html_()


def test_the_vocabulary_is_looked_up_in_one_table(monkeypatch):
    made = []
    original = _core.text.TextLookup

    def spy(*arguments):
        made.append(original(*arguments))
        return made[-1]

    monkeypatch.setattr(_core.text, "TextLookup", spy)
    vectorizer = CountVectorizer().fit(docstrings())
    for _ in range(3):
        vectorizer.transform(["a short text"])
    assert len(made) == 1
