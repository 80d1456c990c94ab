"""Printed pages of every kind: light, whole, nothing cut, nothing beyond the edge of the paper."""

import re
from collections import Counter
from html.parser import HTMLParser

import pytest
from tests.helpers.browser import needs_browser
from tests.helpers.devtools import browser_tab
from tests.helpers.lessons import lesson
from tests.helpers.pdf import first_page, needs_poppler, words_of
from tests.helpers.reports import KINDS

from quire._shared.page.sections import section
from quire._shared.page.shell import shell
from quire._shared.page.tables import table

pytestmark = [needs_browser, needs_poppler]
PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9.]*")


class Cells(HTMLParser):
    """The texts of cells of tables that are printed, as they stand in the page."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.cells, self._inside, self._depth = [], False, 0
        text = re.sub(r'<section id="try-it".*?</section>', "", text, flags=re.DOTALL)  # a form
        self.feed(text.split('<script type="application/json"')[0])

    def handle_starttag(self, tag, attributes):
        if tag == "template":
            self._depth += 1
        if dict(attributes).get("class") == "hidden":
            self._inside = False  # for people who do not see
        if tag in ("td", "th") and not self._depth:
            self._inside = True
            self.cells.append("")

    def handle_endtag(self, tag):
        if tag == "template":
            self._depth -= 1
        if tag in ("td", "th"):
            self._inside = False

    def handle_data(self, data):
        if self._inside:
            self.cells[-1] += data


def numbers_in(texts):
    """Count what a page and its print must both have: words and numbers in plain letters."""
    return Counter(word.rstrip(".") for text in texts for word in PLAIN.findall(text))


def printed(tmp_path, page):
    with browser_tab(tmp_path, page, dark=True) as tab:
        pdf = tab.printed()
        opened = tab.run("document.querySelectorAll('details[open]').length")
        assert tab.run("'printing' in document.documentElement.dataset") is False
        assert tab.errors == []
    return pdf, opened


def is_light_and_inside(tmp_path, pdf):
    words = words_of(tmp_path, pdf)
    assert len(words) > 50
    assert min(word.left for word in words) > 0.02
    assert max(word.right for word in words) < 0.98
    picture = first_page(tmp_path, pdf)
    assert picture[2, 2].tolist() == [255, 255, 255]
    assert picture.mean() > 215
    return words


@pytest.mark.parametrize("make", KINDS, ids=lambda make: make.__name__)
def test_all_cells_of_all_tables_are_on_paper(tmp_path, make):
    data, show = make()
    page = show(data)
    pdf, opened = printed(tmp_path, page)
    assert opened == 0  # what was closed is closed again
    words = is_light_and_inside(tmp_path, pdf)
    there = numbers_in(word.text for word in words)
    wanted = numbers_in(Cells(page).cells)
    assert sum(wanted.values()) > 20
    assert wanted - there == Counter()


def test_a_lesson_on_paper(tmp_path):
    pdf, _ = printed(tmp_path, lesson("decision_tree").html)
    words = is_light_and_inside(tmp_path, pdf)
    said = " ".join(word.text for word in words)
    assert "One leaf" in said
    assert "What changes" in said
    assert "Save as" not in said


def test_wide_tables_become_smaller_and_no_row_is_cut(tmp_path):
    wide = table(
        ["Name", *(f"head{k}" for k in range(40))],
        [[f"row{i}", *(f"{i}.{k:02d}57" for k in range(40))] for i in range(3)],
        "A wide table",
    )
    long = table(
        ["Row", "Text"],
        [[f"n{i}", " ".join(f"w{i}x{k}" for k in range(60))] for i in range(40)],
        "A long table",
    )
    page = str(shell("Tables", "two", [section("one", "Wide", wide), section("two", "Long", long)]))
    pdf, _ = printed(tmp_path, page)
    words = is_light_and_inside(tmp_path, pdf)
    there = Counter(word.text for word in words)
    assert all(there[f"{i}.{k:02d}57"] == 1 for i in range(3) for k in range(40))
    pages = {i: {w.page for w in words if w.text.startswith((f"w{i}x",))} for i in range(40)}
    assert all(len(found) == 1 for found in pages.values())
    assert len(set().union(*pages.values())) > 2
    assert there["Text"] == len(set().union(*pages.values()))  # heads are on each page
