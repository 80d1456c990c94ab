"""Maps of documents in a real browser: hover, legend, search, zoom, keys."""

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
from tests.helpers.kinds_of_texts import KINDS, LABELS, ODD, TEXTS, corpus

from quire.decomposition import map_documents
from quire.report import map_report

pytestmark = needs_browser
# Works the map as people do and writes down what it shows after each step.
MAP_STEPS = (
    """
  const found = {{}};
  const canvas = inside.getElementById("map-canvas"), card = inside.getElementById("map-card");
  const now = (name) => {{ view.quireMap.draw(); return Number(canvas.dataset[name]); }};
  const drawn = () => now("drawn"), zoomed = () => now("zoom");
  const data = JSON.parse(inside.getElementById("map-data").textContent);
  const told = () => card.hidden ? null : card.textContent;
  const point = (kind, i, dx = 0, dy = 0) => {{
    const [x, y] = view.quireMap.placeOf(i), edge = canvas.getBoundingClientRect();
    canvas.dispatchEvent(new view.PointerEvent(kind, {{bubbles: true, clientX: edge.left + x + dx,
      clientY: edge.top + y + dy}}));
  }};
  const key = (name) => canvas.dispatchEvent(
    new view.KeyboardEvent("keydown", {{key: name, bubbles: true, cancelable: true}}));
  const legend = () => Array.from(inside.querySelectorAll("#map-legend li button"));
  const search = (words) => {{
    const field = inside.getElementById("map-search");
    field.value = words; field.dispatchEvent(new view.Event("input", {{bubbles: true}}));
    return [drawn(), inside.getElementById("map-found").textContent,
      inside.querySelectorAll("#map-hits button").length];
  }};
  canvas.dispatchEvent(new view.Event("pointerleave"));
  found.start = drawn(); found.no_card = told();
  const apart = data.x.indexOf(Math.max(...data.x));
  point("pointermove", apart); found.hover = told(); found.text = data.texts[apart];
  canvas.dispatchEvent(new view.Event("pointerleave")); found.left = told();
  point("pointerdown", apart); point("pointerup", apart);
  canvas.dispatchEvent(new view.Event("pointerleave")); found.kept = told();
  key("Escape"); found.let_go = told();
  found.names = legend().map((one) => one.textContent);
  legend()[0].click(); found.without = drawn(); found.pressed = legend()[0].ariaPressed;
  legend()[0].click(); found.again = drawn();
  inside.querySelectorAll("#map-legend .controls button")[1].click(); found.none = drawn();
  inside.querySelectorAll("#map-legend .controls button")[0].click(); found.all = drawn();
  found.search = search("cat"); found.prefix = search("kitt"); found.both = search("Cat  dog");
  found.nowhere = search("zebra"); found.visible = search("alert");
  const hit = inside.querySelector("#map-hits button"); hit.click(); found.hit = told();
  found.cleared = search("");
  key("+"); found.nearer = zoomed(); key("0"); found.back = zoomed();
  inside.getElementById("map-in").click(); inside.getElementById("map-out").click();
  found.same = zoomed();
  const before = view.quireMap.placeOf(0); key("ArrowLeft");
  found.moved = view.quireMap.placeOf(0)[0] - before[0];
  point("pointerdown", 0); point("pointermove", 0, 30, 20); point("pointerup", 0);
  found.dragged = view.quireMap.placeOf(0)[0] - before[0]; key("0");
  canvas.focus();
  canvas.dispatchEvent(new view.WheelEvent("wheel", {{deltaY: -50, cancelable: true}}));
  found.wheel = zoomed(); key("0");
  key("n"); found.first = inside.getElementById("map-said").textContent;
  key("p"); found.last = inside.getElementById("map-said").textContent;
  const chooser = inside.getElementById("map-colour");
  chooser.value = "1"; chooser.dispatchEvent(new view.Event("change"));
  found.scale = inside.getElementById("map-legend").textContent;
  found.ramp = inside.querySelectorAll("#map-legend .ramp").length;
  chooser.value = "0"; chooser.dispatchEvent(new view.Event("change"));
  view.quireMap.draw();
  const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  found.painted = pixels.filter((value, k) => k % 4 === 3 && value > 0).length;
  found.canvas = canvas.getBoundingClientRect().right;
"""
    + LOOK
)


@pytest.fixture(scope="module")
def page():
    kinds = [*LABELS, None, None, None, "<b>odd</b>"]
    colours = {"kind": kinds, "size": [float(i) for i in range(len(ODD))]}
    return map_report(map_documents(ODD), ODD, colours=colours, title="Map <b>of</b> texts").html


def test_page_by_itself(tmp_path, page):
    dom, console, log = open_page(tmp_path, page)
    assert console == []
    assert len(re.findall("data-chart=", dom)) == 0
    assert len(re.findall(r"<svg[^>]*marks", dom)) == 0
    assert 'data-charts="drawn"' in dom
    assert fetched(log) == []


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (400, True)])
def test_the_map_answers(tmp_path, page, width, dark):
    found, console = look_inside(tmp_path, page, width, MAP_STEPS, dark=dark)
    assert console == []
    assert is_readable(found, width, dark)
    assert found["unnamed"] == 0
    assert found["canvas"] <= width
    assert found["start"] == found["again"] == found["all"] == 121
    assert found["painted"] > 1000
    assert (found["no_card"], found["left"], found["let_go"]) == (None, None, None)
    assert found["hover"].startswith(found["text"])
    assert "kind: " in found["hover"]
    assert found["kept"] == found["hover"]
    assert found["names"] == ["food40", "law40", "pets40", "<b>odd</b>1"]
    assert (found["without"], found["pressed"], found["none"]) == (81, "false", 0)
    cats = [text for text in ODD if "cat" in re.findall(r"\w+", text)]
    dogs = [text for text in cats if "dog" in re.findall(r"\w+", text)]
    kittens = [text for text in TEXTS if "kitten" in text]
    assert found["search"][0] == len(cats)
    assert found["search"][1].startswith(f"{len(cats)} documents contain “cat”")
    assert found["search"][2] == min(20, len(cats))
    assert found["prefix"][0] == len(kittens)
    assert "(as kitten)" in found["prefix"][1]
    assert found["both"][0] == len(dogs)
    assert found["nowhere"][0] == 0
    assert found["visible"][0] == 1
    assert "alert(1)" in found["hit"]
    assert found["cleared"] == [121, "", 0]
    assert (found["nearer"], found["back"]) == (1.5, 1)
    assert found["same"] == pytest.approx(1, abs=1e-3)
    assert found["moved"] == pytest.approx(40)
    assert found["dragged"] == pytest.approx(70, abs=0.5)
    assert found["wheel"] > 1.1
    assert found["first"] != found["last"]
    assert found["ramp"] == 1
    assert found["scale"].startswith("size")


def test_the_map_holds_many_documents(tmp_path):
    texts, labels = corpus(20_000)
    words = " ".join(KINDS.values()).split()
    texts = [f"{text} {words[i % 21]} x{i % 997}" for i, text in enumerate(texts)]
    page = map_report(map_documents(texts), texts, colours={"kind": labels}).html
    assert len(page) < 8e6
    steps = """
      const canvas = inside.getElementById("map-canvas");
      const found = {{drawn: Number(canvas.dataset.drawn)}};
      const field = inside.getElementById("map-search");
      field.value = "x12"; field.dispatchEvent(new view.Event("input"));
      found.said = inside.getElementById("map-found").textContent;
    """
    found, console = look_inside(tmp_path, page, 1000, steps)
    assert console == []
    assert found["drawn"] == 20_000
    n_found = sum("x12" in text.split() for text in texts)
    assert found["said"].startswith(f"{n_found} documents contain “x12”;")


@on_demand
def test_pictures(tmp_path, page):
    take_pictures(tmp_path, page, "map", 3000)
