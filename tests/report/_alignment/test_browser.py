"""Reports on maps between word vectors in a real browser: drawn, in place, nothing fetched."""

import re

import pytest
from tests.helpers.browser import (
    fetched,
    is_readable,
    look_inside,
    needs_browser,
    on_demand,
    open_page,
    take_pictures,
)
from tests.helpers.vector_maps import maps

from quire.alignment import compare_maps
from quire.report import alignment_report

pytestmark = needs_browser
STEPS = """
  const all = (selector) => Array.from(inside.querySelectorAll(selector));
  const right = (one) => one.getBoundingClientRect().right;
  const found = {{
    wide: root.scrollWidth, view: view.innerWidth,
    places: all("[data-chart]").length, drawn: all("[data-chart] svg").length,
    too_wide: all("[data-chart] svg, blockquote, .terms, .box, .facts")
      .filter((one) => right(one) > view.innerWidth + 1).length,
    paper: view.getComputedStyle(inside.body).backgroundColor,
    ink: view.getComputedStyle(inside.body).color,
    unnamed: all("button, [role=region], figure, section").filter((one) =>
      !(one.textContent.trim() && (one.tagName === "BUTTON" || one.hasAttribute("aria-label")
        || one.hasAttribute("aria-labelledby")))).length,
    marks: all("blockquote mark, .example mark").length,
    links: all("nav a").every((one) => inside.querySelector(one.getAttribute("href"))),
  }};
  const heads = all("table.sortable th button");
  if (heads.length) {{
    const values = () => all("table.sortable tbody tr").map((row) =>
      Number(row.cells[2].dataset.value));
    heads[0].click(); found.down = values(); heads[0].click(); found.up = values();
    found.sorted = heads[0].parentElement.getAttribute("aria-sort");
  }}
"""


@pytest.fixture(scope="module")
def page():
    source, target, pairs = maps()
    return alignment_report(compare_maps(source, target, pairs), title="Map " + "y" * 90).html


def test_page_by_itself(tmp_path, page):
    dom, console, log = open_page(tmp_path, page)
    assert console == []
    assert len(re.findall(r"<svg[^>]*marks", dom)) == 3
    assert 'data-charts="drawn"' in dom
    assert fetched(log) == []


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (400, True)])
def test_it_fits_and_is_readable(tmp_path, page, width, dark):
    found, console = look_inside(tmp_path, page, width, STEPS, dark=dark)
    assert console == []
    assert is_readable(found, width, dark)
    assert found["too_wide"] == found["unnamed"] == 0
    assert found["drawn"] == found["places"] == 3
    assert found["links"]
    assert found["marks"] > 0
    assert found["down"] == sorted(found["down"], reverse=True)
    assert found["up"] == sorted(found["up"])
    assert found["sorted"] == "ascending"


@on_demand
def test_pictures(tmp_path, page):
    take_pictures(tmp_path, page, "alignment")
