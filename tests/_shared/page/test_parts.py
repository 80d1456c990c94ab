"""Parts that all pages share: names are escaped, plain text where HTML belongs is refused."""

import re

import pytest
from tests.helpers.pages import Page

from quire._shared.page.charts import Chart
from quire._shared.page.excerpts import Piece, quoted
from quire._shared.page.html import Html, html
from quire._shared.page.sections import (
    bar_item,
    bar_items,
    facts,
    note,
    paragraph,
    section,
    titled,
    warning_box,
)
from quire._shared.page.shell import asset, script_with_data
from quire._shared.page.tables import boxed_table, column_head, sorted_cell, sorting_head, table

NASTY = "<script>alert(\"x\")</script> </script><!-- & 'law' \x00"


def chart(name="chart-x"):
    spec = {"description": NASTY, "data": {"values": [{"x": NASTY}]}}
    return Chart(name, NASTY, NASTY, spec, [NASTY, "n"], [[NASTY, 1], [None, 2.5]], 300)


def test_names_are_escaped_and_what_is_not_known_is_shown():
    cell, missing = sorted_cell(0.1234), sorted_cell(None)
    bar = bar_item(NASTY, 2 / 3, html("<b>1</b>"))
    whole = boxed_table([sorting_head(NASTY)], [cell, missing], NASTY, kind="sortable")
    page = Page(str(html("<section>{}<ul>{}</ul></section>", whole, bar)))
    assert page.problems == []
    assert "script" not in {tag for tag, _ in page.tags}
    assert 'data-value="0.1234">0.123<' in str(cell)
    assert 'data-value=""' in str(missing)
    assert "not known" in str(missing)
    assert "--w:0.667" in str(bar)
    assert str(bar).endswith('<span class="n"><b>1</b></span></li>')


@pytest.mark.parametrize(
    "part",
    [
        table([NASTY, "n"], [[NASTY, 1], [None, 2]], NASTY, kind=NASTY),
        boxed_table([column_head(NASTY)], [], NASTY, label=NASTY, kind=NASTY),
        sorted_cell(1.0, NASTY),
        bar_item(NASTY, 1, NASTY),
        bar_items([(NASTY, 1.0)], lambda weight: NASTY),
        facts([(NASTY, NASTY)]),
        note(NASTY),
        paragraph(NASTY),
        titled(NASTY, paragraph(NASTY)),
        warning_box([NASTY]),
        quoted([Piece(NASTY), Piece(NASTY, 1.0)], 3, 4),
        section("name", NASTY, paragraph(NASTY), chart()).body,
        script_with_data(asset("quire._shared.page", "assets/charts.js"), "data", {NASTY: NASTY}),
    ],
)
def test_hostile_text_stays_text(part):
    assert isinstance(part, Html)
    page = Page(str(part))
    assert page.problems == []
    assert 'alert("x")' not in "".join(text for _, text in page.scripts)
    inside = [tag for tag, _ in page.tags]
    assert inside.count("script") == (2 if "topicData" in str(part) or page.scripts else 0)
    if not page.scripts:
        assert '<script>alert("x")</script>' in "".join(page.text)


@pytest.mark.parametrize(
    "misuse",
    [
        lambda: section("name", "title", "<p>plain</p>"),
        lambda: section("name", "title", html("<p></p>"), "plain"),
        lambda: titled("title", "plain"),
        lambda: boxed_table(["<th>plain</th>"], [], "caption"),
        lambda: boxed_table([], ["<tr></tr>"], "caption"),
        lambda: boxed_table("plain", [], "caption"),
    ],
)
def test_plain_text_where_html_belongs_is_an_error(misuse):
    with pytest.raises(TypeError, match="plain text; expected Html"):
        misuse()


def test_a_section_without_parts_is_left_out():
    empty = section("name", "title", html(""))
    assert not empty.body
    assert empty.charts == ()


def test_charts_of_a_section_have_their_places_in_it():
    one = section("name", "title", chart("chart-a"), paragraph("between"), chart("chart-b"))
    assert [each.name for each in one.charts] == ["chart-a", "chart-b"]
    assert re.findall('data-chart="([^"]*)"', str(one.body)) == ["chart-a", "chart-b"]


def test_quoted_texts_have_marks_of_three_strengths():
    pieces = [Piece(text, weight) for text, weight in (("a", 0), ("b", 0.3), ("c", 0.5), ("d", 1))]
    assert re.findall(r'class="for(\d)">(\w)', str(quoted(pieces, 0, 0))) == [
        ("1", "b"),
        ("1", "c"),
        ("3", "d"),
    ]
    narrow = str(quoted(pieces, 2, 1234, steps=(0.3, 0.5)))
    assert re.findall(r'class="for(\d)">(\w)', narrow) == [("2", "b"), ("3", "c"), ("3", "d")]
    assert "and 1,234 more characters" in narrow
    assert "empty text" in str(quoted([], 0, 0))
