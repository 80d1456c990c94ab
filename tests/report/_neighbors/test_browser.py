"""Reports on nearest documents in a real browser: drawn, in place, nothing fetched."""

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
from tests.report._neighbors.test_report import LABELS, TEXTS

from quire.neighbors import TextSearch
from quire.report import neighbors_report

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
    bars: all(".neighbors .bar").map((bar) => Number(bar.style.getPropertyValue("--w"))),
    numbers: all(".neighbors li .two").map((one) => [
      Number(one.querySelector(".verdict strong").textContent),
      Array.from(one.querySelectorAll(".terms .n"), (n) => Number(n.textContent))]),
    links: all("nav a").every((one) => inside.querySelector(one.getAttribute("href"))),
  }};
  const beside = all(".neighbors .two")[0];
  if (beside) {{
    const text = beside.querySelector("blockquote").getBoundingClientRect();
    const terms = beside.querySelector(".terms").getBoundingClientRect();
    found.beside = terms.left >= text.right;
  }}
"""


@pytest.fixture(scope="module")
def page():
    search = TextSearch(n_neighbors=4).fit(TEXTS, LABELS)
    hostile = "rain <img src=http://example.org/x.png> هذا averylongword" + "x" * 200
    return neighbors_report(search, [hostile, "a good film"], title="Rain <b>").html


def test_page_by_itself(tmp_path, page):
    dom, console, log = open_page(tmp_path, page)
    assert console == []
    assert len(re.findall(r"<svg[^>]*marks", dom)) == 1
    assert 'data-charts="drawn"' in dom
    assert fetched(log) == []


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (400, True)])
def test_it_fits_and_is_readable(tmp_path, page, width, dark):
    found, console = look_inside(tmp_path, page, width, STEPS, dark=dark)
    assert console == []
    assert is_readable(found, width, dark)
    assert found["too_wide"] == found["unnamed"] == 0
    assert found["drawn"] == found["places"] == 1
    assert found["links"]
    assert found["marks"] > 0
    assert found["beside"] is (width > 800)
    assert all(0 <= share <= 1 for share in found["bars"])
    for total, parts in found["numbers"]:
        assert sum(parts) == pytest.approx(total, abs=0.0006 * (len(parts) + 1))


@on_demand
def test_pictures(tmp_path, page):
    take_pictures(tmp_path, page, "neighbors")
