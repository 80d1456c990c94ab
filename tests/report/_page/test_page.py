"""The page of a report: well-formed, labelled, escaped, complete in itself, written whole."""

import dataclasses
import json
import os
import re
import stat
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import learning_curve
from tests.helpers.comparisons import classified, corpus, predicted_numbers, reviews
from tests.helpers.pages import Page

from quire._shared.page import shell
from quire.feature_extraction.text import TfidfVectorizer
from quire.linear_model import LogisticRegression
from quire.model_selection import regularization_path
from quire.report import render, report, summarise

NASTY = "<script>alert(\"x\")</script> </script><!-- goal & 'law' 😀 هذا نص \x00\x07"


@pytest.fixture(scope="module")
def nasty():
    texts, y = corpus(120, 3)
    y = np.where(y == "sport", NASTY[:20] + "&", y).astype(object)
    texts[0], texts[1], texts[2] = NASTY, "", NASTY
    comparison = classified(texts, y)
    curve = learning_curve(comparison.best.estimator, texts, y, cv=3)
    vectorizer = TfidfVectorizer()
    X = vectorizer.fit_transform(texts).toarray()
    frame = pd.DataFrame(X, columns=vectorizer.get_feature_names_out())
    path = regularization_path(LogisticRegression(), frame, y, n_penalties=3)
    settings = {"command": f"quire compare '{NASTY}'", "x": {"deep": [NASTY]}}
    comparison = dataclasses.replace(comparison, settings=settings, notes=(NASTY,))
    options = {"learning_curve": curve, "regularization_path": path, "title": NASTY}
    return report(comparison, texts, model="best", **options)


@pytest.fixture(scope="module")
def pages(nasty):
    texts, y = corpus(80, 2)
    numbers, z = reviews(80)
    many, labels = corpus(900, 60)
    return {
        "nasty": nasty.html,
        "binary": report(classified(texts, y), texts).html,
        "numbers": report(predicted_numbers(numbers, z), numbers, model="best").html,
        "many": report(classified(many, labels, n_folds=2), many, model="best").html,
    }


NAMES = ["nasty", "binary", "numbers", "many"]


@pytest.mark.parametrize("name", NAMES)
def test_page_is_well_formed(pages, name):
    page = Page(pages[name])
    assert page.problems == []
    assert len(page.ids) == len(set(page.ids))
    assert set(page.links) <= set(page.ids)
    assert page.headings[0] == 1
    assert page.headings.count(1) == 1
    assert all(b - a <= 1 for a, b in zip(page.headings[:-1], page.headings[1:], strict=True))
    inside = [link for link in page.references if link.startswith("#")]
    assert {link[1:] for link in inside} <= set(page.ids)
    tags = [tag for tag, _ in page.tags]
    assert tags.count("main") == tags.count("nav") == tags.count("h1") == 1


@pytest.mark.parametrize("name", NAMES)
def test_everything_has_a_label(pages, name):
    page = Page(pages[name])
    for tag, attributes in page.tags:
        if tag in ("figure", "section"):
            assert "aria-labelledby" in attributes
        if tag == "nav" or attributes.get("role") == "region":
            assert attributes["aria-label"]
        if tag == "img":
            assert attributes["alt"]
        if tag == "th":
            assert attributes["scope"] in ("row", "col")
    count = [tag for tag, _ in page.tags].count
    assert count("figure") == count("figcaption") > 3
    assert count("table") == count("caption")


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_fetched(pages, name):
    page = Page(pages[name])
    assert all(link.startswith("#") for link in page.references)
    styles = "".join(text for tag, text in page.scripts if tag == "style")
    assert "url(" not in styles
    assert "@import" not in styles
    policy = next(a["content"] for t, a in page.tags if "http-equiv" in a)
    assert policy.startswith("default-src 'none'")
    assert "connect-src" not in policy
    assert "eval" not in policy


@pytest.mark.parametrize("name", NAMES)
def test_every_chart_has_its_place_and_its_data(pages, name):
    page = Page(pages[name])
    places = [a["data-chart"] for _, a in page.tags if "data-chart" in a]
    specs = json.loads(next(text for tag, text in page.scripts if '"data":{"values"' in text))
    assert set(places) == set(specs)
    for spec in specs.values():
        assert spec["description"]
        assert "url" not in spec["data"]
    assert [tag for tag, _ in page.tags].count("details") >= len(specs)


def test_texts_are_escaped(nasty):
    page = Page(nasty.html)
    assert 'alert("x")' not in "".join(text for _, text in page.scripts)
    sources = [text for tag, text in page.scripts if tag == "script"]
    assert len(sources) == [tag for tag, _ in page.tags].count("script")
    assert all(source.count("<script") == 0 for source in sources)
    assert '<script>alert("x")</script>' in "".join(page.text)
    assert "😀" in nasty.html
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f]", nasty.html.split("<script>")[0])


def test_page_in_a_notebook_is_escaped(nasty):
    page = Page(nasty._repr_html_())
    assert page.problems == []
    assert [tag for tag, _ in page.tags] == ["iframe"]
    assert page.tags[0][1]["sandbox"] == "allow-scripts allow-downloads"
    assert page.tags[0][1]["srcdoc"].startswith("<!DOCTYPE html>")


def test_size_does_not_grow_with_the_documents():
    sizes = []
    for n_documents in (1000, 4000):
        texts, y = reviews(n_documents)
        sizes.append(len(report(predicted_numbers(texts, y, n_folds=2), texts).html))
    assert sizes[1] < 1.03 * sizes[0]
    assert sizes[1] < 3e6


@pytest.mark.parametrize("name", NAMES)
def test_size(pages, name):
    assert len(pages[name].encode()) < 3e6


def test_same_data_same_page():
    texts, y = corpus(60, 2)
    data = summarise(classified(texts, y), texts)
    assert render(data) == render(data)


def test_warnings_are_said(nasty):
    text = "".join(Page(nasty.html).text)
    assert "Likely leakage" in text
    assert "1 document is empty" in text
    assert "Broken model" in text


def test_save(tmp_path, nasty):
    path = tmp_path / "a report.html"
    path.write_text("old")
    assert nasty.save(path) == path
    assert path.read_text(encoding="utf-8") == nasty.html
    assert os.listdir(tmp_path) == ["a report.html"]
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask


@pytest.mark.parametrize("error", [OSError("No space left on device"), KeyboardInterrupt()])
def test_a_failed_save_leaves_the_old_file(tmp_path, nasty, monkeypatch, error):
    path = tmp_path / "report.html"
    path.write_text("old")

    def fail(*arguments):
        raise error

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(type(error)):
        nasty.save(path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["report.html"]


def test_save_where_it_can_not_be(tmp_path, nasty):
    with pytest.raises(OSError, match="is a folder"):
        nasty.save(tmp_path)
    with pytest.raises(OSError, match="there is no folder"):
        nasty.save(tmp_path / "not there" / "report.html")


def test_path_writes_the_file(tmp_path):
    texts, y = corpus(40, 2)
    found = report(classified(texts, y), texts, path=str(tmp_path / "r.html"), title="Mine")
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == found.html
    assert "<title>Mine</title>" in found.html
    assert "'Mine': 4 models" in repr(found)


def test_missing_extra_names_the_command(monkeypatch):
    texts, y = corpus(40, 2)
    data = summarise(classified(texts, y), texts)
    shell._library.cache_clear()
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(ImportError, match=r"pip install 'quire\[report\]'"):
        render(data)
