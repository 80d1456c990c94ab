"""Pages of every kind on a phone: nothing is beyond the edge, wide tables are cards with heads."""

import pytest
from tests.helpers.browser import needs_browser
from tests.helpers.devtools import browser_tab
from tests.helpers.reports import KINDS

from quire._shared.page.sections import section
from quire._shared.page.shell import shell
from quire._shared.page.tables import table

pytestmark = needs_browser
LOOK = """(function () {
  const beyond = (one) => one.getBoundingClientRect().right > innerWidth + 1;
  const scrolls = Array.from(document.querySelectorAll(".box")).filter((box) =>
    box.scrollWidth > box.clientWidth + 1 && !box.querySelector("table.matrix, table.cross"));
  const cards = Array.from(document.querySelectorAll("table.stacked"));
  const cells = cards.flatMap((one) => Array.from(one.tBodies[0].rows).flatMap((row) =>
    Array.from(row.cells).slice(1)));
  return {
    page: document.documentElement.scrollWidth, width: innerWidth,
    scrolls: scrolls.map((box) => box.getAttribute("aria-label")),
    charts: Array.from(document.querySelectorAll("[data-chart] svg")).filter(beyond).length,
    cards: cards.length, cells: cells.length,
    beyond: cards.flatMap((one) => Array.from(one.querySelectorAll("td, th"))).filter(
      (one) => one.offsetWidth && beyond(one)).map((one) => one.textContent),
    unlabelled: cells.filter((one) => one.colSpan === 1 && !one.dataset.label &&
      one.textContent.trim()).map((one) => one.textContent),
    roles: cells.filter((one) => one.getAttribute("role") !== "cell").length,
  };
})()"""


@pytest.mark.parametrize("make", KINDS, ids=lambda make: make.__name__)
def test_every_kind_fits_a_phone(tmp_path, make):
    data, show = make()
    with browser_tab(tmp_path, show(data), width=400) as tab:
        tab.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        tab.run("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 300)))")
        found = tab.run(LOOK)
        assert tab.errors == []
    assert found["page"] <= found["width"] == 400
    assert found["scrolls"] == found["beyond"] == found["unlabelled"] == []
    assert found["charts"] == found["roles"] == 0


def test_a_wide_table_becomes_cards_and_a_narrow_one_stays(tmp_path):
    heads = ["Name", "A number", "What is said of it"]
    words = "a long text that takes the room of several lines on a phone"
    wide = table(
        heads, [["one", 1234567, words], ["two", 2, "averylongwordthatisnotcut" * 2]], "Wide"
    )
    narrow = table(["Name", "n"], [["one", 1], ["two", 2]], "Narrow")
    page = str(shell("Tables", "two", [section("a", "Wide", wide), section("b", "Narrow", narrow)]))
    for width, expected in ((400, [True, False]), (1280, [False, False])):
        with browser_tab(tmp_path, page, width=width) as tab:
            stacked = "Array.from(document.querySelectorAll('table'), t => t.matches('.stacked'))"
            assert tab.run(stacked) == expected
            if width == 400:
                shown = (
                    "Array.from(document.querySelectorAll('.stacked td'), "
                    "t => getComputedStyle(t, '::before').content)"
                )
                assert tab.run(shown) == ['"A number"', '"What is said of it"'] * 2
