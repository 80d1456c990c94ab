"""Tokens: types, places, patterns, and tokens made of tokens; against plain Python."""

import re

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quire
from quire.corpus import Tokens
from quire.feature_extraction.text import CountVectorizer

TEXTS = [
    "The Prime Minister's speech on the U.S. economy: economic growth, not growth!",
    "",
    "हिन्दी भाषा and Ünïcödé — İstanbul 😀 text",
    "New York, New York; the new York",
    "a\n\n" + " " * 300 + "far away",
]


def as_written(tokens, document):
    text = tokens.texts[document].encode()
    return [text[begin:end].decode() for begin, end in tokens.spans(document)]


def test_types_are_in_lower_case_and_places_lead_to_the_text():
    tokens = Tokens(TEXTS)
    assert len(tokens) == 5
    assert tokens[3] == ["new", "york", "new", "york", "the", "new", "york"]
    assert as_written(tokens, 3) == ["New", "York", "New", "York", "the", "new", "York"]
    assert as_written(tokens, 0)[:3] == ["The", "Prime", "Minister's"]
    assert as_written(tokens, 4) == ["a", "far", "away"]
    assert tokens[1] == []
    assert tokens.lengths.tolist() == [len(document) for document in tokens]
    assert tokens.types == sorted(tokens.types)
    kept = Tokens(TEXTS, lowercase=False)
    assert kept[3] == as_written(tokens, 3)


@given(st.lists(st.text(max_size=60), max_size=5))
def test_any_text_is_cut_as_re_does(texts):
    texts = [text.encode("utf-8", "replace").decode() for text in texts]
    tokens = Tokens(texts, token_pattern=r"\w+")
    for document, text in enumerate(texts):
        assert as_written(tokens, document) == re.findall(r"\w+", text)
        assert tokens[document] == [word.lower() for word in re.findall(r"\w+", text)]


def test_counts_are_those_of_a_vectorizer():
    texts = [text.replace("İ", "I") for text in TEXTS]  # of which lower case has two letters
    tokens = Tokens(texts, token_pattern=r"(?u)\b\w\w+\b")
    vectorizer = CountVectorizer()
    X = vectorizer.fit_transform(texts)
    names = vectorizer.get_feature_names_out().tolist()
    own = tokens.to_matrix()
    order = [tokens.types.index(name) for name in names]
    np.testing.assert_array_equal(own.toarray()[:, order], X.toarray())
    groups = np.array([0, 1, 0, 1, -1], dtype=np.int32)
    counts, documents = tokens.group_counts(groups, 2)
    for group in (0, 1):
        part = own.toarray()[groups == group]
        np.testing.assert_array_equal(counts[group], part.sum(axis=0))
        np.testing.assert_array_equal(documents[group], (part > 0).sum(axis=0))


@pytest.mark.parametrize(
    ("pattern", "case", "words"),
    [
        ("econom*", False, ["economy", "economic"]),
        ("ECONOM*", True, []),
        ("new york", False, ["New York", "New York", "new York"]),
        ("=New =York", False, ["New York", "New York"]),
        ("New York", True, ["New York", "New York"]),
        ("/(?:far|away)/", False, ["far", "away"]),
        ("/NEW/", False, ["New", "New", "new"]),
        ("/NEW/", True, []),
        ("grow?h", False, ["growth", "growth"]),
        ("*'s", False, ["Minister's"]),
        ("the * york", False, ["the new York"]),
        ("हिन्दी भाषा", False, ["हिन्दी भाषा"]),
        ("nowhere", False, []),
        ("=nowhere", False, []),
        ("[a]", False, []),
    ],
)
def test_patterns(pattern, case, words):
    tokens = Tokens(TEXTS)
    starts, numbers = tokens.matches(pattern, case=case)
    assert set(numbers.tolist()) <= {0}
    n = len(pattern.split())
    found = []
    for start in starts.tolist():
        document = int(tokens.document_of(np.array([start]))[0])
        at = start - int(tokens.lengths[:document].sum())
        found.append(" ".join(as_written(tokens, document)[at : at + n]))
    assert found == words


def test_phrases_do_not_reach_over_documents():
    tokens = Tokens(["new", "york new york"])
    assert tokens.matches("new york")[0].tolist() == [2]


@pytest.mark.parametrize(
    ("pattern", "error", "message"),
    [
        ("", ValueError, "empty"),
        ([], ValueError, "empty"),
        (["a", " "], ValueError, r"patterns\[1\] is empty"),
        ([1], TypeError, r"patterns\[0\] is int"),
        ("/(/", ValueError, "no regular expression"),
        ("* a", ValueError, "begins with any"),
    ],
)
def test_patterns_that_are_none(pattern, error, message):
    with pytest.raises(error, match=message):
        Tokens(TEXTS).matches(pattern)


def test_removing_and_selecting_keep_places():
    tokens = Tokens(TEXTS)
    kept = tokens.remove(["the", "new york"])
    assert kept[3] == []
    assert kept[0] == [word for word in tokens[0] if word != "the"]
    assert as_written(kept, 0) == [word for word in as_written(tokens, 0) if word.lower() != "the"]
    assert "york" not in kept.types
    chosen = tokens.select(["far", "a*"])
    assert [chosen[document] for document in (2, 4)] == [["and"], ["a", "far", "away"]]
    assert as_written(chosen, 4) == ["a", "far", "away"]
    assert len(chosen) == len(tokens)
    assert tokens[3][:2] == ["new", "york"]  # the first tokens are as they were


def test_phrases_become_one_token():
    tokens = Tokens(TEXTS).compound(["new york", "york new", "prime minister's speech"])
    assert tokens[3] == ["new_york", "new_york", "the", "new_york"]
    assert as_written(tokens, 3) == ["New York", "New York", "the", "new York"]
    assert tokens[0][:3] == ["the", "prime_minister's_speech", "on"]
    again = tokens.remove("new_york")
    assert again[3] == ["the"]
    assert as_written(again, 3) == ["the"]
    assert tokens.compound("new_york the", joiner="+")[3] == [
        "new_york",
        "new_york+the",
        "new_york",
    ]


def test_some_of_the_documents():
    tokens = Tokens(TEXTS).documents([4, 3, 3])
    assert [tokens[document] for document in range(3)] == [
        ["a", "far", "away"],
        *[["new", "york", "new", "york", "the", "new", "york"]] * 2,
    ]
    assert as_written(tokens, 0) == ["a", "far", "away"]
    assert len(Tokens(TEXTS).documents(np.array([True, False, False, False, True]))) == 2
    one, other = (Tokens(TEXTS).sample(3, random_state=4) for _ in range(2))
    assert list(one) == list(other)
    assert len(Tokens(TEXTS).sample(99)) == 5


def test_stems_are_types(monkeypatch):
    tokens = Tokens(["growing grows"], stemmer=lambda word: word[:4])
    assert tokens[0] == ["grow", "grow"]
    assert as_written(tokens, 0) == ["growing", "grows"]
    assert tokens.matches("grow")[0].tolist() == [0, 1]
    assert tokens.matches("=grows")[0].tolist() == [1]


def test_corpora_files_and_frames(tmp_path):
    frame = pl.DataFrame({"text": ["one two", None], "year": [1900, 2000]})
    path = tmp_path / "corpus.csv"
    frame.write_csv(path)
    for data in (path, frame, quire.read_corpus(frame, missing="empty")):
        tokens = Tokens(data)
        assert list(tokens) == [["one", "two"], []]
        assert tokens.frame["year"].to_list() == [1900, 2000]


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_threads_change_nothing(n_jobs):
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{n}" for n in rng.integers(500, size=200)) for _ in range(400)]
    one, other = Tokens(texts, n_jobs=1), Tokens(texts, n_jobs=n_jobs)
    assert one.types == other.types
    assert list(one) == list(other)
    np.testing.assert_array_equal(one.matches("w1* w*")[0], other.matches("w1* w*")[0])


def test_what_it_holds_is_small():
    rng = np.random.default_rng(0)
    texts = [" ".join(f"word{n}" for n in rng.integers(500, size=300)) for _ in range(300)]
    assert Tokens(texts).nbytes < 1.5 * sum(map(len, texts))


def test_wrong_use():
    with pytest.raises(TypeError, match="data is a list"):
        Tokens(["a"], text="text")
    with pytest.raises(ValueError, match="cannot be found with their places"):
        Tokens(["a"], token_pattern=r"(\w)\1")
    with pytest.raises(IndexError, match="no document 1"):
        Tokens(["a"])[1]
    assert Tokens([]).types == []
    assert Tokens([]).to_matrix().shape == (0, 0)
