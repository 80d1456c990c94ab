"""Settings in words: no JSON on the page, long lists folded, the same words as in the library."""

import html
import re

import pytest
from tests.helpers.pages import Page
from tests.helpers.reports import KINDS

from quire._shared.sklearn import english_stop_words
from quire.model_selection._compare.views import VIEWS
from quire.report._page import settings
from quire.report._page.settings import chosen_table, in_words, settings_table


@pytest.mark.parametrize(
    ("name", "value", "among", "said"),
    [
        ("ngram_range", [1, 2], {}, "words 1 to 2"),
        ("ngram_range", (1, 1), {}, "1 word"),
        ("ngram_range", [3, 5], {"analyzer": "char_wb"}, "characters 3 to 5"),
        ("min_df", 1, {}, "1 document"),
        ("min_df", 0.125, {}, "12.5% of the documents"),
        ("stop_words", "german", {}, "German stop words"),
        ("stop_words", sorted(english_stop_words()), {}, "English stop words (318)"),
        ("features", "tokens", {}, "words and punctuation"),
        ("tune", False, {}, "no"),
        ("random_state", None, {}, "none"),
        ("seconds", 125.0, {}, "2 min 5 s"),
        ("columns", ["a", "b"], {}, "a, b"),
        ("C", 0.30000000000000004, {}, "0.3"),
    ],
)
def test_values_in_words(name, value, among, said):
    assert in_words(name, value, among) == said


def test_features_have_the_names_of_comparisons():
    assert {name: view.title for name, view in VIEWS.items()} == settings._FEATURES


def test_objects_have_their_settings_below_them_and_empty_ones_are_left_out():
    given = {
        "folds": 5,
        "texts": [],
        "nothing": None,
        "vectorizer": {"class": "CountVectorizer", "stop_words": [f"w{k}" for k in range(300)]},
    }
    made = str(settings_table(given))
    page = Page(made)
    text = " ".join("".join(page.text).split())
    assert page.problems == []
    assert "Columns of texts" not in text
    assert "nothing" not in text
    assert re.findall(r"--depth:(\d)", made) == ["0", "0", "1"]
    assert "<summary>300 words</summary>w0, w1" in made
    assert "CountVectorizer" in text


def test_what_was_chosen_is_said_once_for_folds_that_agree():
    chosen = {"Bayes": [{"alpha": 0.1}, {"alpha": 0.5}, {"alpha": 0.1}], "SVM": [{"C": 1.0}] * 3}
    made = str(chosen_table(chosen))
    rows = re.findall(r"<tr><th[^>]*>([^<]*)</th><td[^>]*>([^<]*)</td><td>([^<]*)</td>", made)
    assert rows == [
        ("Bayes", "alpha 0.1", "1, 3"),
        ("Bayes", "alpha 0.5", "2"),
        ("SVM", "C 1", "all"),
    ]
    assert not chosen_table({"Bayes": [{}, {}]})


@pytest.mark.parametrize("make", KINDS, ids=lambda make: make.__name__)
def test_no_page_shows_json(make):
    data, show = make()
    text = html.unescape("".join(Page(show(data)).text))
    assert not re.search(r"\{\s*[\"']\w+[\"']:|\[\s*[\"']\w+[\"'],", text)
