"""Labels: spellings, marks of missing values, sizes, several in one, parts that lack some."""

import numpy as np
import polars as pl
import pytest
from tests.helpers.random_texts import random_words

from quire.checks import check_texts

LABELS = ("QT008", "QT009", "QT010", "QT018", "QT019")


def look(y, **options):
    return check_texts(random_words(len(y), 20), y, **options)


def codes(findings):
    return [finding.code for finding in findings if finding.code in LABELS]


def test_clean_labels_have_no_finding():
    assert codes(look(["pos", "neg"] * 10)) == []


@pytest.mark.parametrize("other", ["POS", "pos ", " Pos", "pos\t"])
def test_labels_that_differ_by_case_or_blanks(other):
    found = look(["pos"] * 10 + ["neg"] * 10 + [other] * 5)["QT009"]
    assert set(found[0].classes) == {"pos", other}
    assert found[0].rows.tolist() == list(range(20, 25))  # the rarer form


def test_hyphens_and_underscores_are_one():
    found = look(["very good"] * 5 + ["very_good"] * 6 + ["bad"] * 5)["QT009"]
    assert found[0].details["forms"] == [["very good", "very_good"]]
    assert found[0].rows.tolist() == list(range(5))


@pytest.mark.parametrize("mark", ["NA", "N/A", "null", "nan", "-", "?", "", " ", "#N/A", "--"])
def test_marks_of_missing_values(mark):
    found = look(["a", "b"] * 10 + [mark] * 5)["QT010"]
    assert found[0].classes == (mark,)
    assert found[0].severity == "error"
    assert found[0].rows.tolist() == list(range(20, 25))


def test_words_that_may_be_a_class():
    found = look(["a", "b"] * 10 + ["None"] * 5)["QT010"]
    assert found[0].severity == "warning"
    assert not look(["nano", "Nathan", "null hypothesis"] * 6)["QT010"]


def test_classes_with_hardly_a_document():
    found = look(["a", "b"] * 10 + ["c", "d", "d"])["QT008"]
    assert found[0].what == "1 class has one document: 'c'; 1 more have fewer than 5."
    assert found[0].details["sizes"] == {"c": 1, "d": 2}
    assert found[0].rows.tolist() == [20, 21, 22]
    assert not look(["a", "b"] * 10 + ["c"] * 3, folds=3)["QT008"]


def test_several_labels_in_one_field():
    found = look(["a", "b"] * 10 + ["a|b", "b; a"])["QT018"]
    assert found[0].classes == ("a|b", "b; a")
    assert not look(["a", "b"] * 10 + ["input|output"] * 5)["QT018"]  # no label of its own


def test_classes_that_a_part_does_not_have():
    split = ["train"] * 15 + ["test"] * 15
    y = ["a", "b"] * 7 + ["only"] + ["a", "b", "new"] * 5
    found = look(y, split=split)["QT019"]
    assert found[0].classes == ("new", "only")
    assert "'new' is not in train" in found[0].what
    assert not look(y)["QT019"]


def test_missing_labels_are_no_class():
    found = look(["a", None, "b"] * 8)
    assert codes(found) == []
    found = look(pl.Series([1, None, 2] * 8))
    assert codes(found) == []
    found = look(np.array([1.0, np.nan, 2.0] * 8))
    assert codes(found) == []


def test_numbers_are_no_classes():
    found = look(np.random.default_rng(0).normal(size=50))
    assert any("labels are numbers" in note for note in found.notes)
    assert not set(found.checked) & set(LABELS)


def test_thirty_topic_codes_are_classes():
    y = np.arange(300) % 30
    assert "QT008" in look(y).checked
