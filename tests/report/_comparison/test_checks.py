"""The section of checks: a row for each finding, and nothing where there is none."""

import numpy as np
import pytest

from quire.datasets import make_text_classification
from quire.model_selection import compare
from quire.report import report


@pytest.fixture(scope="module")
def corpus():
    data = make_text_classification(120, n_classes=2, separation=5.0, random_state=0)
    y = np.array(["yes", "no"])[data.y].astype(object)
    return list(data.texts), y


def made(texts, y, **options):
    found = compare(texts, y, ["multinomial-nb"], cv=2, refit=False, tune=False, **options)
    return found, report(found, texts)


def test_findings_have_a_section_and_no_notes(corpus):
    texts, y = corpus
    y = y.copy()
    y[5] = "<b>Yes</b>"
    y[6] = "YES"
    found, page = made(texts, y)
    assert [one.code for one in page.data.checks] == [one.code for one in found.checks]
    assert "QT009" in {one.code for one in page.data.checks}
    assert 'id="checks"' in page.html
    assert "QT009 error" in page.html
    assert "Write the label in one way." in page.html
    assert not any(note.startswith("QT") for note in page.data.notes)


def test_there_is_none_where_nothing_was_found(corpus):
    texts, y = corpus
    for options in ({"checks": False}, {"silence": "QT001,QT003"}):
        _, page = made(texts, y, **options)
        assert page.data.checks == []
        assert 'id="checks"' not in page.html
