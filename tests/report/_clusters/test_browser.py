"""Reports on clusters in a real browser: charts are drawn, heads sort, links lead to clusters."""

import re

import pytest
from tests.helpers.browser import (
    LOOK,
    fetched,
    is_readable,
    look_inside,
    needs_browser,
    on_demand,
    open_page,
    take_pictures,
)
from tests.helpers.kinds_of_texts import LABELS, ODD

from quire.cluster import cluster_documents
from quire.report import cluster_report

pytestmark = needs_browser


@pytest.fixture(scope="module")
def page():
    found = cluster_documents(ODD, [2, 3, 5], random_state=0)
    return cluster_report(found, ODD, labels=[*LABELS, None, None, None, "<b>odd</b>"]).html


def test_page_by_itself(tmp_path, page):
    dom, console, log = open_page(tmp_path, page)
    assert console == []
    assert len(re.findall("data-chart=", dom)) == 3
    assert len(re.findall(r"<svg[^>]*marks", dom)) == 3
    assert 'data-charts="drawn"' in dom
    assert fetched(log) == []


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (400, True)])
def test_the_page_of_clusters(tmp_path, page, width, dark):
    steps = (
        """
      const found = {{}};
      const heads = inside.querySelectorAll("table.sortable th button");
      const names = () => Array.from(inside.querySelectorAll("table.sortable tbody th"),
        (cell) => cell.textContent);
      found.before = names(); heads[0].click(); found.after = names();
      found.targets = Array.from(inside.querySelectorAll("table.sortable tbody a"),
        (link) => inside.querySelector(link.getAttribute("href")) !== null);
      found.marks = inside.querySelectorAll(".cluster mark").length;
    """
        + LOOK
    )
    found, console = look_inside(tmp_path, page, width, steps, dark=dark)
    assert console == []
    assert is_readable(found, width, dark)
    assert found["unnamed"] == 0
    assert found["places"] == found["drawn_charts"] == 3
    assert found["after"] == ["0", "1", "2"]
    assert sorted(found["before"]) == found["after"]
    assert found["targets"] == [True, True, True]
    assert found["marks"] > 10


@on_demand
def test_pictures(tmp_path, page):
    take_pictures(tmp_path, page, "clusters", 3000)
