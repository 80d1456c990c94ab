"""Reports on comparisons in a browser: charts are drawn, nothing is logged as wrong or fetched."""

import re

import pytest
from sklearn.model_selection import learning_curve
from tests.helpers.browser import (
    fetched,
    is_readable,
    look_inside,
    needs_browser,
    on_demand,
    open_page,
    take_pictures,
)
from tests.helpers.comparisons import classified, corpus, predicted_numbers, reviews

from quire.report import report

pytestmark = needs_browser
STEPS = """
  const heads = inside.querySelectorAll("table.sortable th button");
  const names = () => Array.from(inside.querySelectorAll("table.sortable tbody th"),
    (cell) => cell.textContent);
  const before = names();
  heads[1].click(); heads[1].click();
  const mark = inside.querySelector(".chart svg [fill='var(--c1)']");
  const found = {{
    wide: root.scrollWidth, view: view.innerWidth,
    places: inside.querySelectorAll("[data-chart]").length,
    drawn: inside.querySelectorAll("[data-chart] svg").length,
    labelled: inside.querySelectorAll("[data-chart] svg [aria-label]").length,
    too_wide: Array.from(inside.querySelectorAll("[data-chart] svg"))
      .filter((svg) => svg.getBoundingClientRect().right > view.innerWidth + 1).length,
    paper: view.getComputedStyle(inside.body).backgroundColor,
    ink: view.getComputedStyle(inside.body).color,
    mark: mark ? view.getComputedStyle(mark).fill : null,
    before: before, after: names(), sorted: heads[1].parentElement.getAttribute("aria-sort"),
  }};
"""


@pytest.fixture(scope="module")
def pages():
    texts, y = corpus(120, 3)
    texts[0] = "<script>alert(1)</script> <img src=http://example.org/x.png> goal 😀 هذا"
    comparison = classified(texts, y)
    curve = learning_curve(comparison.best.estimator, texts, y, cv=3)
    title = "A long title with averylongwordthatdoesnotfitonaphoneandmustbebrokenbythebrowser"
    numbers, z = reviews(100)
    return {
        "classes": report(comparison, texts, model="best", learning_curve=curve, title=title).html,
        "numbers": report(predicted_numbers(numbers, z), numbers, model="best").html,
    }


@pytest.mark.parametrize("name", ["classes", "numbers"])
def test_page_by_itself(tmp_path, pages, name):
    dom, console, log = open_page(tmp_path, pages[name])
    assert console == []
    places = len(re.findall("data-chart=", dom))
    assert len(re.findall(r"<svg[^>]*marks", dom)) == places > 3
    assert 'data-charts="drawn"' in dom
    assert fetched(log) == []


def test_the_checks_see_what_is_wrong(tmp_path):
    wrong = (
        "<!DOCTYPE html><title>w</title><img src='https://example.org/x.png'>"
        "<script>console.error('oh'); nothing.there()</script>"
    )
    _, console, log = open_page(tmp_path, wrong)
    assert any("oh" in line for line in console)
    assert any("nothing is not defined" in line for line in console)
    assert "https://example.org/x.png" in fetched(log)


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_wide_and_narrow_light_and_dark(tmp_path, pages, width, dark):
    found, console = look_inside(tmp_path, pages["classes"], width, STEPS, dark=dark)
    assert console == []
    assert is_readable(found, width, dark)
    assert found["drawn"] == found["places"] > 3
    assert found["labelled"] > found["drawn"]
    assert found["too_wide"] == 0
    assert found["mark"].startswith("rgb")
    assert found["mark"] == ("rgb(86, 169, 224)" if dark else "rgb(0, 114, 178)")
    assert found["sorted"] == "ascending"
    assert found["after"][:-1] == found["before"][:-1][::-1]
    assert found["after"][-1] == "Broken model"  # without a score it stays last


@on_demand
@pytest.mark.parametrize("name", ["classes", "numbers"])
def test_pictures(tmp_path, pages, name):
    take_pictures(tmp_path, pages[name], name, 7000)
