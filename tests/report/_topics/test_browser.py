"""Reports on topics in a browser: the map, the slider and the keys answer; nothing is fetched."""

import re

import numpy as np
import polars as pl
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
from tests.report._topics.test_report import TEXTS, fitted

from quire.report import topic_report
from quire.topics import top_words

pytestmark = needs_browser
# Works the page as people do and writes down what it shows after each step.
STEPS = """
  const all = (selector) => Array.from(inside.querySelectorAll(selector));
  const words = () => all("#topic-terms button").map((button) => button.textContent);
  const pressed = () => all(".map .topic[aria-pressed=true]").map((g) => g.dataset.topic);
  const seen = () => all("[data-documents]").filter((group) => !group.hidden)
    .map((group) => group.dataset.documents);
  const radii = () => all(".map circle").map((circle) => Number(circle.getAttribute("r")));
  const slide = (value) => {{
    const slider = inside.getElementById("relevance");
    slider.value = value; slider.dispatchEvent(new view.Event("input", {{bubbles: true}}));
  }};
  const key = (name) => inside.activeElement.dispatchEvent(
    new view.KeyboardEvent("keydown", {{key: name, bubbles: true, cancelable: true}}));
  const found = {{start: words(), first: pressed(), first_seen: seen(), before: radii()}};
  slide(0); found.own = words(); found.output = inside.getElementById("relevance-now").textContent;
  slide(1); found.frequent = words();
  const circle = all(".map .topic")[1];
  circle.dispatchEvent(new view.MouseEvent("click", {{bubbles: true}}));
  found.clicked = pressed(); found.clicked_words = words(); found.clicked_seen = seen();
  found.focus = inside.activeElement.dataset.topic;
  key("ArrowRight"); found.right = pressed(); key("End"); found.end = pressed();
  key("Home"); found.home = pressed();
  found.stops = all(".map .topic[tabindex='0']").length;
  found.said = inside.getElementById("topic-said").textContent;
  found.choices = all(".topic-choice").map((select) => select.value);
  all("#topic-terms button")[0].focus(); found.after = radii();
  inside.activeElement.blur(); found.restored = radii();
  all("[data-pick]")[2].click(); found.picked = pressed();
  found.title = inside.getElementById("chart-selected-title").textContent;
  found.wide = root.scrollWidth; found.view = view.innerWidth;
  found.places = inside.querySelectorAll("[data-chart]").length;
  found.drawn = inside.querySelectorAll("[data-chart] svg").length;
  found.too_wide = all("[data-chart] svg, .map, #topic-terms li, .controls")
    .filter((one) => one.getBoundingClientRect().right > view.innerWidth + 1).length;
  found.paper = view.getComputedStyle(inside.body).backgroundColor;
  found.ink = view.getComputedStyle(inside.body).color;
  found.unnamed = all("button, select, input, [role=button]").filter((one) =>
    !(one.textContent.trim() || one.getAttribute("aria-label") || one.labels && one.labels.length)
  ).length;
"""


@pytest.fixture(scope="module")
def model():
    return fitted(keep_samples=True)


@pytest.fixture(scope="module")
def page(model):
    texts = list(TEXTS)
    texts[0] = "<script>alert(1)</script> <img src=http://example.org/x.png> 😀 هذا " + texts[0]
    days = pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 5, 29), eager=True)
    return topic_report(model, texts, by=days, title="Topics <b>of</b> days").html


def test_page_by_itself(tmp_path, page):
    dom, console, log = open_page(tmp_path, page)
    assert console == []
    places = len(re.findall("data-chart=", dom))
    assert len(re.findall(r"<svg[^>]*marks", dom)) == places == 6
    assert 'data-charts="drawn"' in dom
    assert 'data-js="on"' in dom
    assert fetched(log) == []


def test_groups_and_one_topic(tmp_path):
    model = fitted(["word other", "word", "", "other"] * 5, 1)
    page = topic_report(model, ["word other", "word", "", "other"] * 5, by=["a", "b"] * 10).html
    dom, console, _ = open_page(tmp_path, page)
    assert console == []
    assert 'data-charts="drawn"' in dom


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_it_answers(tmp_path, model, page, width, dark):
    found, console = look_inside(tmp_path, page, width, STEPS, dark=dark)
    assert console == []
    sizes = model.components_.sum(axis=1)
    order = [str(k) for k in np.argsort(-sizes, kind="stable")]
    assert found["first"] == found["first_seen"] == [order[0]]
    assert len(found["start"]) == 30
    assert found["output"] == "0.00"
    assert found["start"] != found["own"] != found["frequent"]
    expected = top_words(model, n_words=30)
    assert found["frequent"][:10] == [str(word) for word in expected[int(order[0])][:10]]
    assert found["clicked"] == found["clicked_seen"] == [order[1]]
    assert found["focus"] == order[1]
    assert found["clicked_words"][:10] == [str(word) for word in expected[int(order[1])][:10]]
    assert (found["right"], found["end"], found["home"]) == ([order[2]], [order[3]], [order[0]])
    assert found["stops"] == 1
    assert found["said"].startswith(f"Topic {order[0]}: ")
    assert found["choices"] == [order[0]] * 2
    assert found["after"] != found["before"] == found["restored"]
    assert found["picked"] == [order[2]]
    assert found["title"].startswith(f"Topic {order[2]} by")
    assert is_readable(found, width, dark)
    assert found["too_wide"] == found["unnamed"] == 0
    assert found["drawn"] == found["places"] == 6


@on_demand
def test_pictures(tmp_path, page):
    take_pictures(tmp_path, page, "topics", 7000)
