"""What ``check_texts`` takes and gives."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.helpers.random_texts import random_words

from quire.checks import CHECKS, Findings, check_texts
from quire.feature_extraction.text import CountedDocuments, CountVectorizer
from quire.io import read_corpus


@pytest.fixture
def table():
    texts = random_words(60, 30)
    texts[40] = texts[3]
    split = ["train"] * 30 + ["test"] * 30
    return pl.DataFrame({"text": texts, "label": ["a", "b"] * 30, "split": split})


def plain(findings):
    return [finding.to_dict() for finding in findings]


def test_all_forms_of_a_corpus_are_one(table, tmp_path):
    expected = plain(check_texts(table["text"], table["label"], split=table["split"]))
    assert [one["code"] for one in expected] == ["QT003", "QT001"]
    table.write_csv(tmp_path / "c.csv")
    for data in (tmp_path / "c.csv", str(tmp_path / "c.csv"), read_corpus(table)):
        assert plain(check_texts(data)) == expected
    for data in (table, table.to_pandas()):
        assert plain(check_texts(data, "label")) == expected
    lists = table["text"].to_list(), table["label"].to_list()
    assert plain(check_texts(*lists, split=np.array(table["split"]))) == expected
    counted = CountedDocuments(table["text"])
    assert plain(check_texts(counted, pd.Series(lists[1]), split=table["split"])) == expected


def test_a_split_column_is_found_and_said(table):
    assert "parts: column 'split'" in check_texts(table, "label").notes
    renamed = table.rename({"split": "set"})
    assert check_texts(renamed, "label", split="set")["QT001"][0].rows.tolist() == [3, 40]


def test_quick_checks_are_some_of_them(table):
    quick = check_texts(table, "label", quick=True)
    assert set(quick.checked) == {check.code for check in CHECKS if check.is_quick}
    assert plain(quick) == plain(check_texts(table, "label"))


def test_results_as_table_and_data(table):
    found = check_texts(table, "label")
    assert isinstance(found, Findings)
    assert found.to_frame()["code"].to_list() == ["QT003", "QT001"]
    assert found.rows().rows() == [
        (3, "QT003", "error"),
        (40, "QT003", "error"),
        (3, "QT001", "warning"),
        (40, "QT001", "warning"),
    ]
    data = json.loads(json.dumps(found.to_dict()))
    assert data["counts"] == {"error": 1, "warning": 1, "note": 0}
    assert data["findings"][0]["rows"] == [3, 40]
    assert "QT003 error: the same text with different labels" in str(found)
    assert "<table>" in found._repr_html_()
    with pytest.raises(ValueError, match="severity is 'bad'"):
        found.count("bad")


def test_nothing_found():
    found = check_texts(random_words(50, 30), ["a", "b"] * 25)
    assert len(found) == 0
    assert str(found) == "50 documents: nothing was found"
    assert found.to_frame().height == found.rows().height == 0


def test_strange_corpora_are_looked_at():
    for texts in (["", ""], ["x"], ["😀 😀", "😀 😀"], [None, "a"], ["\x00", "\ud7ff"]):
        for y in (None, ["a"] * len(texts)):
            check_texts(texts, y, folds=2)


def test_what_does_not_fit_is_refused(table):
    texts = ["one", "two"]
    with pytest.raises(ValueError, match="y has 1 values for 2 documents"):
        check_texts(texts, ["a"])
    with pytest.raises(ValueError, match="split has 3 values"):
        check_texts(texts, split=[1, 2, 3])
    with pytest.raises(ValueError, match="There is no column 'no'"):
        check_texts(table, "label", groups="no")
    with pytest.raises(ValueError, match="There are no documents"):
        check_texts([])
    with pytest.raises(TypeError, match="split and folds"):
        check_texts(texts, split=[1, 2], folds=3)
    with pytest.raises(TypeError, match="one string"):
        check_texts("a text")
    with pytest.raises(TypeError, match="expected strings"):
        check_texts([1, 2])
    with pytest.raises(ValueError, match="folds=1"):
        check_texts(texts, folds=1)
    with pytest.raises(ValueError, match="no texts"):
        check_texts(pl.DataFrame({"a": [1, 2, 3], "b": [1.5, 2.5, 3.5]}), "a")


@pytest.mark.parametrize(
    "vectorizer",
    [
        CountVectorizer(ngram_range=(1, 2), min_df=2),
        CountVectorizer(analyzer="char", ngram_range=(2, 3)),
        CountVectorizer(tokenizer=str.split, token_pattern=None),
        CountVectorizer(analyzer=str.split),
        CountVectorizer(lowercase=False, stop_words=["spam"], binary=True),
        CountVectorizer(vocabulary=["spam", "w1"]),
    ],
    ids=["bigrams", "characters", "tokenizer", "callable", "stop words", "vocabulary"],
)
def test_counts_of_any_vectorizer_will_do(vectorizer):
    texts = random_words(60, 30)
    y = ["spam", "ham"] * 30
    for row in range(0, 40, 2):
        texts[row] += " spam"
    texts[41] = texts[1]
    counted = CountedDocuments(texts, vectorizer)
    found = check_texts(counted, y, split=["train"] * 30 + ["test"] * 30, quick=True)
    assert found["QT001"][0].rows.tolist() == [1, 41]
    if vectorizer.ngram_range == (1, 2) or vectorizer.tokenizer is not None:
        assert found["QT004"][0].rows.tolist() == list(range(0, 40, 2))
