"""partial_fit and merge: the result is that of one fit on everything."""

import copy
import pickle
from itertools import pairwise

import numpy as np
import pytest
import sklearn.feature_extraction.text as sklearn_text
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from tests.helpers.text_peers import CORPUS, assert_same_matrix, docstrings, outcome
from tests.helpers.text_strategies import documents, tame_documents

from quire.feature_extraction.text import CountVectorizer, TfidfVectorizer, stop_words

SETTINGS = {
    "defaults": {},
    "bigrams": {"ngram_range": (1, 2)},
    "only trigrams": {"ngram_range": (3, 3)},
    "pruned": {"min_df": 2, "max_df": 0.7, "ngram_range": (1, 2)},
    "shares": {"min_df": 0.2, "max_df": 0.9},
    "most frequent": {"max_features": 4},
    "most frequent, binary": {"max_features": 4, "binary": True, "ngram_range": (1, 2)},
    "char": {"analyzer": "char", "ngram_range": (1, 2), "min_df": 2},
    "char_wb": {"analyzer": "char_wb", "ngram_range": (2, 4), "max_features": 20},
    "stop words": {"stop_words": ["the", "is"], "ngram_range": (1, 2)},
    "accents": {"strip_accents": "unicode", "lowercase": False, "token_pattern": r"\w+"},
    "analyzer": {"analyzer": str.split, "min_df": 2},
    "tokenizer": {"tokenizer": str.split, "token_pattern": None, "max_features": 5},
    "tuples": {"analyzer": lambda text: list(pairwise(text.split()))},
    "pattern": {"token_pattern": "[a-z]+", "ngram_range": (1, 2)},
    "given": {"vocabulary": ["the", "first", "never", "document"]},
    "given bigrams": {"vocabulary": {"the first": 1, "the": 0, "x": 2}, "ngram_range": (1, 2)},
}
VECTORIZERS = [CountVectorizer, TfidfVectorizer]


def state(vectorizer):
    """All that a user can see of a fitted vectorizer."""
    seen = {"vocabulary": vectorizer.vocabulary_, "fixed": vectorizer.fixed_vocabulary_}
    X = vectorizer.transform([*CORPUS, "unseen words"])
    seen |= {"data": X.data.tolist(), "indices": X.indices.tolist(), "shape": X.shape}
    if isinstance(vectorizer, TfidfVectorizer):
        seen["idf"] = vectorizer.idf_.tolist()
    return seen


def assert_equal_to_one_fit(grown, texts, settings_):
    """Or to its exception: what one fit refuses, a grown vectorizer refuses when it is used."""
    expected, _ = outcome(type(grown)(**settings_).fit, texts)
    if isinstance(expected, Exception):
        result, _ = outcome(grown.transform, ["some text"])
        assert type(result) is type(expected)
        assert str(result) == str(expected)
        return
    assert state(grown) == state(expected)


def splits(texts, cuts):
    bounds = [0, *sorted(cuts), len(texts)]
    return [texts[start:stop] for start, stop in pairwise(bounds)]


@pytest.mark.parametrize("vectorizer", VECTORIZERS)
@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("cuts", [[], [1], [3], [2, 4, 6], range(1, 8), [0, 0, 5, 5, 8]])
def test_partial_fit_is_one_fit(vectorizer, name, cuts):
    grown = vectorizer(**SETTINGS[name])
    for part in splits(CORPUS, cuts):
        assert grown.partial_fit(part) is grown
    assert_equal_to_one_fit(grown, CORPUS, SETTINGS[name])


@pytest.mark.parametrize("vectorizer", VECTORIZERS)
@pytest.mark.parametrize("name", SETTINGS)
def test_merge_in_any_order_is_one_fit(vectorizer, name):
    parts = splits(CORPUS, [2, 5])
    for order in ([0, 1, 2], [2, 0, 1], [1, 2, 0]):
        first, second, third = (vectorizer(**SETTINGS[name]).partial_fit(parts[i]) for i in order)
        before = copy.deepcopy(second)
        assert first.merge(second).merge(third) is first
        assert_equal_to_one_fit(first, CORPUS, SETTINGS[name])
        assert repr(outcome(state, second)[0]) == repr(outcome(state, before)[0])


def test_parts_that_pruning_leaves_empty_can_be_merged():
    """Terms that occur once in each part occur twice in both together."""
    settings_ = {"min_df": 2}
    first = CountVectorizer(**settings_).partial_fit(["aa bb"])
    second = CountVectorizer(**settings_).partial_fit(["aa cc"])
    assert_equal_to_one_fit(first.merge(second), ["aa bb", "aa cc"], settings_)


growing_settings = st.fixed_dictionaries(
    {},
    optional={
        "ngram_range": st.sampled_from([(1, 2), (2, 3), (1, 3)]),
        "analyzer": st.sampled_from(["word", "char", "char_wb"]),
        "min_df": st.sampled_from([2, 0.4]),
        "max_df": st.sampled_from([2, 0.8]),
        "max_features": st.integers(1, 6),
        "strip_accents": st.sampled_from(["unicode", "ascii"]),
        "binary": st.booleans(),
    },
)
parts_of_a_corpus = st.lists(
    st.lists(st.one_of(tame_documents, documents), max_size=3), min_size=1, max_size=4
)


@settings(max_examples=120)
@given(parts=parts_of_a_corpus, settings_=growing_settings, use_in_between=st.booleans())
def test_partial_fit_in_any_split(parts, settings_, use_in_between):
    grown = TfidfVectorizer(**settings_)
    for part in parts:
        grown.partial_fit(part)
        if use_in_between:
            outcome(grown.transform, ["some text"])
    assert_equal_to_one_fit(grown, [text for part in parts for text in part], settings_)


@settings(max_examples=80)
@given(parts=parts_of_a_corpus, settings_=growing_settings, data=st.data())
def test_merge_in_any_order(parts, settings_, data):
    fitted = [TfidfVectorizer(**settings_).partial_fit(part) for part in parts]
    order = data.draw(st.permutations(fitted))
    merged = order[0]
    for other in order[1:]:
        merged.merge(other)
    assert_equal_to_one_fit(merged, [text for part in parts for text in part], settings_)


@pytest.mark.parametrize("empty", [[], [""], ["?!"]])
@pytest.mark.parametrize(
    "name", ["defaults", "bigrams", "char", "analyzer", "tokenizer", "pattern"]
)
def test_a_part_without_terms_is_a_part_too(name, empty):
    settings_ = {k: v for k, v in SETTINGS[name].items() if k != "min_df"}
    for parts in ([empty, CORPUS], [CORPUS, empty], [CORPUS[:2], empty, CORPUS[2:]]):
        grown = TfidfVectorizer(**settings_)
        for part in parts:
            grown.partial_fit(part)
        assert_equal_to_one_fit(grown, [text for part in parts for text in part], settings_)


def test_a_vectorizer_without_terms_can_be_merged():
    nothing = TfidfVectorizer().partial_fit([""])
    something = TfidfVectorizer().fit(CORPUS)
    assert_equal_to_one_fit(something.merge(nothing), [*CORPUS, ""], {})
    something = TfidfVectorizer().fit(CORPUS)
    assert_equal_to_one_fit(nothing.merge(something), ["", *CORPUS], {})


@pytest.mark.parametrize("vectorizer", VECTORIZERS)
@pytest.mark.parametrize(
    "settings_", [{}, {"ngram_range": (1, 2), "min_df": 3}, {"max_features": 99}]
)
def test_real_documents_in_many_steps(vectorizer, settings_):
    texts = docstrings()
    grown = vectorizer(**settings_, n_jobs=2)
    for start in range(0, len(texts), 37):
        grown.partial_fit(texts[start : start + 37])
    merged = vectorizer(**settings_).fit(texts[:100])
    for start in range(100, len(texts), 100):
        merged.merge(vectorizer(**settings_).fit(texts[start : start + 100]))
    one = vectorizer(**settings_).fit(texts)
    for other in (grown, merged, pickle.loads(pickle.dumps(grown))):
        assert other.vocabulary_ == one.vocabulary_
        np.testing.assert_array_equal(other.get_feature_names_out(), one.get_feature_names_out())
        assert_same_matrix(other.transform(texts[:50]), one.transform(texts[:50]))


def test_growth_equals_scikit_learns_fit_on_everything():
    grown = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    for text in CORPUS:
        grown.partial_fit([text])
    theirs = sklearn_text.TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True).fit(CORPUS)
    assert grown.vocabulary_ == theirs.vocabulary_
    np.testing.assert_array_equal(grown.idf_, theirs.idf_)
    assert_same_matrix(grown.transform(CORPUS), theirs.transform(CORPUS), n_roundings=64)


@pytest.mark.parametrize("vectorizer", VECTORIZERS)
@pytest.mark.parametrize("name", SETTINGS)
def test_fit_then_partial_fit(vectorizer, name):
    loose = {k: v for k, v in SETTINGS[name].items() if k not in ("min_df", "max_df")}
    grown = vectorizer(**loose)
    grown.fit_transform(CORPUS[:3])
    grown.partial_fit(CORPUS[3:])
    assert_equal_to_one_fit(grown, CORPUS, loose)
    # fit starts again
    grown.fit(CORPUS[:2])
    assert_equal_to_one_fit(grown, CORPUS[:2], loose)


def test_grown_vectorizers_are_independent_of_what_they_were_made_from():
    first, second = CountVectorizer().fit(["aa"]), CountVectorizer().fit(["bb"])
    both = copy.deepcopy(first).merge(second)
    second.partial_fit(["cc"])
    first.partial_fit(["dd"])
    assert list(both.vocabulary_) == ["aa", "bb"]
    assert list(second.vocabulary_) == ["bb", "cc"]
    assert list(first.vocabulary_) == ["aa", "dd"]
    assert list(first.merge(first).vocabulary_) == ["aa", "dd"]


def test_parameters_for_pruning_can_change_after_the_fit():
    grown = CountVectorizer(min_df=2).partial_fit(CORPUS)
    grown.set_params(min_df=1, max_features=3).partial_fit(["the end"])
    assert_equal_to_one_fit(grown, [*CORPUS, "the end"], {"max_features": 3})


# What goes wrong leaves the vectorizer as it was -------------------------------------------------


def failing(texts):
    yield from texts
    raise RuntimeError("the disk is gone")


def failing_later(texts):
    for _ in range(3000):
        yield from texts
    yield None


@pytest.mark.parametrize("vectorizer", VECTORIZERS)
@pytest.mark.parametrize("name", SETTINGS)
def test_an_exception_in_partial_fit_leaves_everything_as_it_was(vectorizer, name):
    loose = {k: v for k, v in SETTINGS[name].items() if k not in ("min_df", "max_df")}
    grown = vectorizer(**loose).fit(CORPUS)
    before = state(grown)
    with pytest.raises(RuntimeError, match="the disk is gone"):
        grown.partial_fit(failing(["new words here"]))
    assert state(grown) == before
    if name not in ("analyzer", "tuples"):  # these are given the missing document
        with pytest.raises(ValueError, match="Row 6000 "):
            grown.partial_fit(failing_later(["more words", "still more"]))
        assert state(grown) == before
    grown.partial_fit(["the last of them"])
    assert_equal_to_one_fit(grown, [*CORPUS, "the last of them"], loose)


@pytest.mark.parametrize("vectorizer", VECTORIZERS)
def test_an_exception_in_fit_leaves_the_earlier_fit(vectorizer):
    fitted = vectorizer().fit(CORPUS)
    before = state(fitted)
    for bad in (["other", None], failing(["other"]), [""], "text"):
        result, _ = outcome(fitted.fit, bad)
        assert isinstance(result, Exception)
        assert state(fitted) == before


@pytest.mark.parametrize("vectorizer", VECTORIZERS)
def test_an_exception_in_the_first_partial_fit_leaves_it_unfitted(vectorizer):
    unfitted = vectorizer()
    with pytest.raises(RuntimeError, match="the disk is gone"):
        unfitted.partial_fit(failing(["text"]))
    with pytest.raises(NotFittedError):
        unfitted.transform(["text"])


def test_an_analyzer_that_fails_in_the_middle():
    def analyzer(text):
        if text == "bad":
            raise KeyError("bad")
        return text.split()

    grown = CountVectorizer(analyzer=analyzer).fit(["aa bb"])
    with pytest.raises(KeyError, match="bad"):
        grown.partial_fit(["cc", "bad"])
    assert list(grown.vocabulary_) == ["aa", "bb"]


# merge and compact -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("here", "there", "name"),
    [
        ({}, {"ngram_range": (1, 2)}, "ngram_range"),
        ({}, {"lowercase": False}, "lowercase"),
        ({}, {"stop_words": ["a"]}, "stop_words"),
        ({}, {"analyzer": "char"}, "analyzer"),
        ({}, {"token_pattern": r"\w+"}, "token_pattern"),
        ({"strip_accents": "ascii"}, {"strip_accents": "unicode"}, "strip_accents"),
        ({}, {"tokenizer": str.split}, "tokenizer"),
        ({}, {"preprocessor": str.upper}, "preprocessor"),
    ],
)
@pytest.mark.filterwarnings("ignore:The parameter 'token_pattern'")
def test_merge_of_vectorizers_that_cut_up_texts_differently(here, there, name):
    first, second = CountVectorizer(**here).fit(CORPUS), CountVectorizer(**there).fit(CORPUS)
    before = state(first)
    with pytest.raises(
        ValueError, match=rf"cut up texts differently: {name} is .* here and .*there"
    ):
        first.merge(second)
    assert state(first) == before


def test_merge_of_other_things():
    fitted = CountVectorizer().fit(CORPUS)
    for other in (None, "text", sklearn_text.CountVectorizer().fit(CORPUS)):
        with pytest.raises(TypeError, match=r"merge expects a fitted CountVectorizer, got \w+\."):
            fitted.merge(other)
    with pytest.raises(NotFittedError):
        fitted.merge(CountVectorizer())


def test_merge_of_different_given_vocabularies():
    first = CountVectorizer(vocabulary=["aa", "bb"]).fit(["aa"])
    for other in (CountVectorizer(vocabulary=["aa", "cc"]), CountVectorizer()):
        with pytest.raises(ValueError, match="different given vocabularies"):
            first.merge(other.fit(["aa"]))
        with pytest.raises(ValueError, match="different given vocabularies"):
            other.merge(first)


def test_merge_of_a_given_vocabulary_that_has_seen_no_documents():
    vocabulary = ["aa", "bb"]
    seen = TfidfVectorizer(vocabulary=vocabulary).fit(["aa", "aa bb"])
    for first, second in (
        (copy.deepcopy(seen), TfidfVectorizer(vocabulary=vocabulary)),
        (TfidfVectorizer(vocabulary=vocabulary), copy.deepcopy(seen)),
        (copy.deepcopy(seen), TfidfVectorizer(vocabulary=vocabulary).partial_fit([])),
    ):
        np.testing.assert_array_equal(first.merge(second).idf_, seen.idf_)


def test_a_set_of_stop_words_by_name_or_by_value():
    first = CountVectorizer(stop_words="english").fit(CORPUS)
    second = CountVectorizer(stop_words="english").fit(["the end of the story"])
    assert "the" not in first.merge(second).vocabulary_
    assert "story" in first.vocabulary_
    assert first.get_stop_words() == stop_words("english")


@pytest.mark.parametrize("vectorizer", VECTORIZERS)
@pytest.mark.parametrize("settings_", [{"min_df": 2}, {"min_df": 2, "ngram_range": (1, 2)}])
def test_compact(vectorizer, settings_):
    texts = docstrings()[:200]
    fitted = vectorizer(**settings_).fit(texts)
    expected, size = state(fitted), len(pickle.dumps(fitted))
    assert fitted.compact() is fitted
    assert state(fitted) == expected
    assert len(pickle.dumps(fitted)) < size / 2
    assert state(pickle.loads(pickle.dumps(fitted))) == expected
    with pytest.raises(ValueError, match=r"cannot grow.*compact\(\).*Fit it again"):
        fitted.partial_fit(["more"])
    with pytest.raises(ValueError, match="cannot grow"):
        fitted.merge(vectorizer(**settings_).fit(texts))
    with pytest.raises(ValueError, match="cannot grow"):
        vectorizer(**settings_).fit(texts).merge(fitted)
    assert state(fitted) == expected
    assert state(fitted.fit(texts)) == expected
    fitted.partial_fit(texts)


@pytest.mark.parametrize("vectorizer", VECTORIZERS)
def test_compact_of_a_given_vocabulary(vectorizer):
    """The frequencies are gone, so that growing would give weights of the new documents alone."""
    fitted = vectorizer(vocabulary=["the", "first"]).fit(CORPUS).compact()
    before = state(fitted)
    with pytest.raises(ValueError, match="cannot grow"):
        fitted.partial_fit(["the end"])
    with pytest.raises(ValueError, match="cannot grow"):
        fitted.merge(vectorizer(vocabulary=["the", "first"]).fit(CORPUS))
    assert state(fitted) == before


def test_a_vocabulary_set_by_hand_cannot_grow_but_stays():
    vectorizer = CountVectorizer()
    vectorizer.vocabulary_ = {"aa": 0, "bb": 1}
    with pytest.raises(ValueError, match="set by hand"):
        vectorizer.partial_fit(["cc"])
    grown = CountVectorizer().partial_fit(["xx yy"])
    grown.vocabulary_ = {"aa": 0, "bb": 1}
    assert grown.vocabulary_ == {"aa": 0, "bb": 1}
    assert grown.transform(["aa xx"]).toarray().tolist() == [[1, 0]]


def test_settings_that_change_while_growing():
    grown = CountVectorizer(ngram_range=(1, 2)).partial_fit(CORPUS[:2]).partial_fit(CORPUS[2:])
    grown.set_params(ngram_range=(1, 1))
    with pytest.raises(ValueError, match=r"ngram_range is \(1, 1\) here and \(1, 2\) there"):
        grown.partial_fit(["more"])
    with pytest.raises(ValueError, match="cut up texts differently"):
        grown.transform(["more"])
    assert not hasattr(grown, "vocabulary_")  # rather than a wrong one
    grown.set_params(ngram_range=(1, 2))
    assert grown.vocabulary_ == CountVectorizer(ngram_range=(1, 2)).fit(CORPUS).vocabulary_
