"""Lessons in a real browser: stepped by keyboard and buttons, changed, on a phone, in the dark."""

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
from tests.helpers.lessons import NAMES, lesson

pytestmark = needs_browser

# What is shown: the number of the step, its title, and what is said aloud.
HELPERS = """
  const found = {{}};
  const byId = (name) => inside.getElementById(name);
  const shown = () => inside.querySelectorAll(".step.current");
  const place = () => Number(shown()[0].querySelector("h3 .soft").textContent.split(" ")[0]);
  const press = (key, at) => (at || inside.body).dispatchEvent(
    new view.KeyboardEvent("keydown", {{key, bubbles: true, cancelable: true}}));
"""


@pytest.mark.parametrize("name", NAMES)
def test_page_by_itself(tmp_path, name):
    dom, console, log = open_page(tmp_path, lesson(name).html)
    assert console == []
    assert fetched(log) == []
    assert dom.count('class="step current"') + dom.count('class="step printed current"') == 1


# How the page looks at its first step, before anything is pressed.
AT_FIRST = (
    HELPERS
    + LOOK
    + """
  found.pictures = all(".step.current svg.picture").map((one) => one.getBoundingClientRect().width);
  found.small = all("#player button, #player .setting label").filter(
    (one) => one.getClientRects().length && one.getBoundingClientRect().height < 36).length;
  """
)


def fits(found, width, dark):
    """Check that a page fits its width, and that what is pressed is large enough for a finger."""
    assert is_readable(found, width, dark)
    assert found["unnamed"] == 0
    assert found["small"] == 0
    assert all(100 < wide <= width for wide in found["pictures"])
    return True


@pytest.mark.parametrize("name", NAMES)
def test_steps_by_keyboard_buttons_and_slider_in_the_light(tmp_path, name):
    steps = (
        AT_FIRST
        + """
  const stage = byId("stage");
  found.start = place();
  press("ArrowRight"); found.right = place();
  found.said = byId("said").textContent;
  press("ArrowLeft"); found.left = place();
  press("End", stage); found.end = place();
  press("ArrowRight"); found.beyond = place();
  press("Home", stage); found.home = place();
  press("ArrowLeft"); found.before = place();
  byId("next").click(); found.next = place();
  byId("back").click(); found.back = place();
  byId("last").click(); found.last = place();
  byId("first").click(); found.first = place();
  byId("slider").value = 3;
  byId("slider").dispatchEvent(new view.Event("input", {{bubbles: true}}));
  found.slid = place();
  press("ArrowRight", byId("slider")); found.native = place();
  found.shown = shown().length;
  press(" ", stage); found.playing = byId("play").textContent;
  press(" ", stage); found.paused = byId("play").textContent;
  """
    )
    found, console = look_inside(tmp_path, lesson(name).html, 1200, steps)
    assert console == []
    assert fits(found, 1200, dark=False)
    n_steps = len(lesson(name).start.steps)
    assert found["start"] == found["home"] == found["before"] == found["first"] == 1
    assert found["right"] == found["next"] == 2
    assert found["left"] == found["back"] == 1
    assert found["end"] == found["beyond"] == found["last"] == n_steps
    assert found["slid"] == found["native"] == 3
    assert found["shown"] == 1
    assert (found["playing"], found["paused"]) == ("Pause", "Play")
    second = lesson(name).start.steps[1]
    assert found["said"].startswith(f"2 of {n_steps} {second.title}. ")


@pytest.mark.parametrize("name", NAMES)
def test_a_setting_changes_the_steps_on_a_phone_in_the_dark(tmp_path, name):
    steps = (
        AT_FIRST
        + """
  byId("last").click();
  const other = inside.querySelector(".setting input:not(:checked)");
  found.value = Number(other.value);
  other.click();
  byId("last").click();
  found.run = byId("stage").dataset.run;
  found.title = shown()[0].querySelector(".what").textContent;
  found.caption = shown()[0].querySelector(".caption").textContent;
  found.chosen = Array.from(inside.querySelectorAll("tr.chosen")).map((row) => row.dataset.run);
  """
    )
    found, console = look_inside(tmp_path, lesson(name).html, 390, steps, dark=True)
    assert console == []
    assert fits(found, 390, dark=True)
    made = lesson(name)
    first = made.settings[0]
    values = {**made.start.values, first.name: first.values[found["value"]]}
    run = next(run for run in made.runs if run.values == values)
    assert found["title"] == run.steps[-1].title
    assert found["chosen"] == [found["run"]]
    if isinstance(run.steps[-1].caption, str):
        assert found["caption"] == run.steps[-1].caption


def test_the_address_holds_the_step_and_the_settings(tmp_path):
    page = lesson("naive_bayes").html.replace(
        'root.dataset.js = "";', 'root.dataset.js = ""; location.hash = "step=4&alpha=10";'
    )
    dom, console, _ = open_page(tmp_path, page)
    assert console == []
    assert 'data-run="3,0"' in dom.split('id="stage"')[1].split(">")[0]
    current = re.split(r'class="step[^"]* current', dom)
    assert "4 of 10" in current[1].split("</h3>")[0]


def test_a_lesson_in_the_frame_of_a_notebook(tmp_path):
    _, console, log = open_page(tmp_path, lesson("naive_bayes")._repr_html_())
    assert console == []
    assert fetched(log) == []


@on_demand
@pytest.mark.parametrize("name", NAMES)
def test_pictures(tmp_path, name):
    take_pictures(tmp_path, lesson(name).html, f"lesson-{name}", 2400)
