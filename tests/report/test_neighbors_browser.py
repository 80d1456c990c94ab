"""Reports on nearest documents and on maps in a real browser: drawn, in place, nothing fetched.

Needs Chromium or Chrome (Debian: ``apt-get install chromium``); skipped without one.
"""

import os
import re

import pytest
from tests.report.test_comparison_browser import BROWSER, _brightness, _fetched, _look_with, _run
from tests.report.test_neighbors import LABELS, TEXTS, maps

from quire.alignment import compare_maps
from quire.neighbors import TextSearch
from quire.report import alignment_report, neighbors_report

pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="no browser: install Chromium to test reports in one"
)
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
  const heads = all("table.sortable th button");
  if (heads.length) {{
    const values = () => all("table.sortable tbody tr").map((row) =>
      Number(row.cells[2].dataset.value));
    heads[0].click(); found.down = values(); heads[0].click(); found.up = values();
    found.sorted = heads[0].parentElement.getAttribute("aria-sort");
  }}
"""


@pytest.fixture(scope="module")
def pages():
    search = TextSearch(n_neighbors=4).fit(TEXTS, LABELS)
    hostile = "rain <img src=http://example.org/x.png> هذا averylongword" + "x" * 200
    source, target, pairs = maps()
    return {
        "neighbors": neighbors_report(search, [hostile, "a good film"], title="Rain <b>").html,
        "map": alignment_report(compare_maps(source, target, pairs), title="Map " + "y" * 90).html,
    }


@pytest.mark.parametrize(("name", "charts"), [("neighbors", 1), ("map", 3)])
def test_page_by_itself(tmp_path, pages, name, charts):
    path = tmp_path / "page.html"
    path.write_text(pages[name], encoding="utf-8")
    dom, console, log = _run(tmp_path, path)
    assert console == []
    assert len(re.findall(r"<svg[^>]*marks", dom)) == charts
    assert 'data-charts="drawn"' in dom
    assert _fetched(log) == []


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (400, True)])
@pytest.mark.parametrize("name", ["neighbors", "map"])
def test_it_fits_and_is_readable(tmp_path, pages, name, width, dark):
    scheme = "--blink-settings=preferredColorScheme=" + ("0" if dark else "1")
    found, console = _look_with(tmp_path, pages[name], width, STEPS, scheme)
    assert console == []
    assert found["view"] == width
    assert found["wide"] <= width
    assert found["too_wide"] == found["unnamed"] == 0
    assert found["drawn"] == found["places"] == (1 if name == "neighbors" else 3)
    assert found["links"]
    assert found["marks"] > 0
    light = _brightness(found["paper"])
    assert (light < 60) is dark
    assert abs(light - _brightness(found["ink"])) > 150
    if name == "neighbors":
        assert found["beside"] is (width > 800)
        assert all(0 <= share <= 1 for share in found["bars"])
        for total, parts in found["numbers"]:
            assert sum(parts) == pytest.approx(total, abs=0.0006 * (len(parts) + 1))
    else:
        assert found["down"] == sorted(found["down"], reverse=True)
        assert found["up"] == sorted(found["up"])
        assert found["sorted"] == "ascending"


@pytest.mark.skipif("QUIRE_SCREENSHOTS" not in os.environ, reason="pictures are made on demand")
def test_pictures(tmp_path, pages):
    for name, page in pages.items():
        path = tmp_path / f"{name}.html"
        path.write_text(page, encoding="utf-8")
        for scheme, shade in enumerate(("dark", "light")):
            target = f"{os.environ['QUIRE_SCREENSHOTS']}/{name}-{shade}.png"
            options = ["--window-size=1280,4000", f"--blink-settings=preferredColorScheme={scheme}"]
            _run(tmp_path, path, f"--screenshot={target}", *options)
            assert os.path.getsize(target) > 10_000
