"""Figures saved from pages: real files, by click and by key, light where the page is dark."""

import csv
import io
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from matplotlib.image import imread
from tests.helpers.browser import needs_browser
from tests.helpers.comparisons import classified, corpus
from tests.helpers.devtools import browser_tab
from tests.helpers.lessons import lesson
from tests.helpers.reports import KINDS

from quire.report import report

pytestmark = needs_browser
MADE = {make.__name__: make for make in KINDS}
BLUE = "rgb(0, 114, 178)"


@pytest.fixture(scope="module")
def found():
    texts, y = corpus(120, 3)
    names = ["art, or what is called so", "law", "sport"]
    return report(classified(texts, y), texts, label_names=names, title="Found: 3/4")


def click(tab, figure, kind):
    tab.run(f"document.querySelector('{figure} .save [data-kind={kind}]').click()")


def is_drawing(data):
    text = data.decode()
    root = ET.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert int(root.get("width")) > 100
    assert int(root.get("height")) > 50
    assert "var(" not in text
    assert "class=" not in text
    assert "style=" not in text
    assert "rgba(" not in text
    return text


def is_picture(data):
    picture = imread(io.BytesIO(data))[:, :, :3]
    assert picture[0, 0].tolist() == [1, 1, 1]
    assert 0.002 < np.mean(picture.min(axis=2) < 0.9) < 0.9
    return picture


def test_a_chart_as_svg_png_and_csv(tmp_path, found):
    with browser_tab(tmp_path, found.html, dark=True) as tab:
        click(tab, "#chart-scores", "SVG")
        drawing = is_drawing(tab.saved("found-3-4-scores.svg"))
        assert BLUE in drawing
        assert "Logistic regression" in drawing
        tab.run("document.querySelector('#chart-scores .save [data-kind=PNG]').focus()")
        tab.press("Enter")
        picture = is_picture(tab.saved("found-3-4-scores.png"))
        width = int(ET.fromstring(drawing).get("width"))
        assert picture.shape[1] == 2 * width
        assert (np.abs(picture - np.array([0, 114, 178]) / 255).max(axis=2) < 0.02).any()
        click(tab, "#chart-scores", "CSV")
        rows = list(csv.reader(io.StringIO(tab.saved("found-3-4-scores.csv").decode("utf-8-sig"))))
        assert rows[0] == ["Model", "Mean", "Low", "High"]
        board = [row for row in found.data.leaderboard if row.mean is not None]
        assert [row[0] for row in rows[1:]] == [row.title for row in board]
        means = [float(row[1]) for row in rows[1:]]
        assert means == pytest.approx([row.mean for row in board], rel=1e-9)
        assert tab.run("'light' in document.documentElement.dataset") is False
        assert tab.errors == []


def test_every_figure_has_its_buttons_and_they_have_names(tmp_path, found):
    with browser_tab(tmp_path, found.html) as tab:
        figures, groups = tab.run(
            "[document.querySelectorAll('figure').length, Array.from(document.querySelectorAll("
            "'figure .save'), s => Array.from(s.querySelectorAll('button'), b => b.textContent))]"
        )
        assert figures == len(groups) > 4
        assert all(kinds == ["SVG", "PNG", "CSV"] for kinds in groups)
        names = tab.run("Array.from(document.querySelectorAll('.save button'), b => b.ariaLabel)")
        assert len(names) == len(set(names))
        assert all(re.fullmatch(r"Save .+ as (SVG|PNG|CSV)", name) for name in names)


def test_the_matrix_of_errors_is_drawn(tmp_path, found):
    with browser_tab(tmp_path, found.html, dark=True) as tab:
        figure = tab.run("document.querySelector('table.matrix').closest('figure').id")
        click(tab, f"#{figure}", "SVG")
        click(tab, f"#{figure}", "PNG")
        drawing = is_drawing(tab.saved("found-3-4-confusion-matrix.svg"))
        assert drawing.count("<rect") == 9
        assert "art, or what is called so" in drawing
        is_picture(tab.saved("found-3-4-confusion-matrix.png"))


def test_a_map_of_documents(tmp_path):
    data, show = MADE["document_map"]()
    with browser_tab(tmp_path, show(data), dark=True) as tab:
        for kind in ("SVG", "PNG", "CSV"):
            click(tab, "[data-saved]", kind)
        drawing = is_drawing(tab.saved("map-of-documents-map.svg"))
        marks = len(re.findall("<circle|<path", drawing))
        assert marks >= len(data.rows)
        assert BLUE in drawing or "#0072b2" in drawing
        is_picture(tab.saved("map-of-documents-map.png"))
        text = tab.saved("map-of-documents-map.csv").decode("utf-8-sig")
        rows = list(csv.DictReader(io.StringIO(text)))
        assert [int(row["row"]) for row in rows] == data.rows
        assert [float(row["x"]) for row in rows] == pytest.approx(data.x, abs=1e-3)
        assert [float(row["y"]) for row in rows] == pytest.approx(data.y, abs=1e-3)
        assert tab.errors == []


def test_topics_and_their_words(tmp_path):
    data, show = MADE["topics"]()
    with browser_tab(tmp_path, show(data), dark=True) as tab:
        click(tab, "#topic-map", "SVG")
        click(tab, "#topic-words", "CSV")
        drawing = is_drawing(tab.saved("topics-map-of-topics.svg"))
        assert drawing.count("<circle") == len(data.topics)
        chosen = tab.run("document.querySelector('.topic-choice').value")
        name = tab.run("document.getElementById('topic-words-title').textContent")
        saved = "-".join(re.findall(r"\w+", f"topics {name}".lower())) + ".csv"
        rows = list(csv.reader(io.StringIO(tab.saved(saved).decode("utf-8-sig"))))
        assert rows[0] == ["Word", "In this topic", "In all documents"]
        own = next(one for one in data.topics if one.topic == int(chosen))
        words = {data.terms.words[number] for number in own.terms}
        assert {row[0] for row in rows[1:]} <= words
        assert tab.errors == []


def test_the_step_of_a_lesson_that_is_shown(tmp_path):
    with browser_tab(tmp_path, lesson("decision_tree").html, dark=True) as tab:
        tab.run("document.getElementById('next').click()")
        title = tab.run("document.querySelector('.step.current h3').textContent.trim()")
        click(tab, "[data-saved]", "SVG")
        words = re.findall(r"[^\W_]+", f"{tab.run('document.title')} {title}".lower())
        drawing = is_drawing(tab.saved("-".join(words)[:80] + ".svg"))
        assert BLUE in drawing


def test_in_the_frame_of_a_notebook(tmp_path, found):
    page = f"<!DOCTYPE html><title>notebook</title>{found._repr_html_()}"
    with browser_tab(tmp_path, page, is_framed=True) as tab:
        click(tab, "#chart-scores", "CSV")
        assert tab.saved("found-3-4-scores.csv").startswith(b"\xef\xbb\xbfModel,Mean")
