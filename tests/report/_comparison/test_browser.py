"""Reports on comparisons in a browser: charts are drawn, nothing is logged as wrong or fetched."""

import re

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import learning_curve
from tests.helpers.browser import (
    fetched,
    is_readable,
    look_inside,
    needs_browser,
    on_demand,
    open_page,
    take_pictures,
)
from tests.helpers.comparisons import classified, corpus, predicted_numbers, reviews

from quire.report import report

pytestmark = needs_browser
STEPS = """
  const board = inside.querySelector("table.sortable");
  const heads = board.querySelectorAll("th button");
  const names = () => Array.from(board.querySelectorAll("tbody th"),
    (cell) => cell.textContent);
  const before = names();
  heads[1].click(); heads[1].click();
  const mark = inside.querySelector(".chart svg [fill='var(--c1)']");
  const found = {{
    wide: root.scrollWidth, view: view.innerWidth,
    places: inside.querySelectorAll("[data-chart]").length,
    drawn: inside.querySelectorAll("[data-chart] svg").length,
    labelled: inside.querySelectorAll("[data-chart] svg [aria-label]").length,
    too_wide: Array.from(inside.querySelectorAll("[data-chart] svg"))
      .filter((svg) => svg.getBoundingClientRect().right > view.innerWidth + 1).length,
    paper: view.getComputedStyle(inside.body).backgroundColor,
    ink: view.getComputedStyle(inside.body).color,
    mark: mark ? view.getComputedStyle(mark).fill : null,
    before: before, after: names(), sorted: heads[1].parentElement.getAttribute("aria-sort"),
  }};
"""


@pytest.fixture(scope="module")
def pages():
    texts, y = corpus(120, 3)
    texts[0] = "<script>alert(1)</script> <img src=http://example.org/x.png> goal 😀 هذا"
    comparison = classified(texts, y)
    curve = learning_curve(comparison.best.estimator, texts, y, cv=3)
    title = "A long title with averylongwordthatdoesnotfitonaphoneandmustbebrokenbythebrowser"
    numbers, z = reviews(100)
    return {
        "classes": report(comparison, texts, model="best", learning_curve=curve, title=title).html,
        "numbers": report(predicted_numbers(numbers, z), numbers, model="best").html,
    }


@pytest.mark.parametrize("name", ["classes", "numbers"])
def test_page_by_itself(tmp_path, pages, name):
    dom, console, log = open_page(tmp_path, pages[name])
    assert console == []
    places = len(re.findall("data-chart=", dom))
    assert len(re.findall(r"<svg[^>]*marks", dom)) == places > 3
    assert 'data-charts="drawn"' in dom
    assert fetched(log) == []


def test_the_checks_see_what_is_wrong(tmp_path):
    wrong = (
        "<!DOCTYPE html><title>w</title><img src='https://example.org/x.png'>"
        "<script>console.error('oh'); nothing.there()</script>"
    )
    _, console, log = open_page(tmp_path, wrong)
    assert any("oh" in line for line in console)
    assert any("nothing is not defined" in line for line in console)
    assert "https://example.org/x.png" in fetched(log)


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_wide_and_narrow_light_and_dark(tmp_path, pages, width, dark):
    found, console = look_inside(tmp_path, pages["classes"], width, STEPS, dark=dark)
    assert console == []
    assert is_readable(found, width, dark)
    assert found["drawn"] == found["places"] > 3
    assert found["labelled"] > found["drawn"]
    assert found["too_wide"] == 0
    assert found["mark"].startswith("rgb")
    assert found["mark"] == ("rgb(86, 169, 224)" if dark else "rgb(0, 114, 178)")
    assert found["sorted"] == "ascending"
    assert found["after"][:-1] == found["before"][:-1][::-1]
    assert found["after"][-1] == "Broken model"  # without a score it stays last


@on_demand
@pytest.mark.parametrize("name", ["classes", "numbers"])
def test_pictures(tmp_path, pages, name):
    take_pictures(tmp_path, pages[name], name, 7000)


CELLS = """
  const found = {{}};
  const links = () => Array.from(inside.querySelectorAll("table.matrix td.wrong a"));
  const shown = () => Array.from(inside.querySelectorAll(".cell"))
    .filter((cell) => view.getComputedStyle(cell).display !== "none");
  found.shown_first = shown().length;
  const link = links()[0];
  link.click();
  found.asked = link.getAttribute("href").slice(1);
  found.shown = shown().map((cell) => cell.id);
  found.text = shown()[0].textContent;
  found.focus = inside.activeElement.id;
  found.tabs = inside.querySelectorAll('table.matrix a[tabindex="0"]').length;
  const key = (target, name) => target.dispatchEvent(
    new view.KeyboardEvent("keydown", {{ key: name, bubbles: true, cancelable: true }}));
  key(inside.activeElement, "Escape");
  found.closed = shown().length;
  found.returned = inside.activeElement === link;
  for (const name of ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"]) {{
    if (inside.activeElement === link) key(link, name);
  }}
  found.moved = inside.activeElement !== link && inside.activeElement.matches("td a");
  inside.activeElement.click();
  found.by_keys = shown().map((cell) => cell.id);
  found.named = inside.activeElement.id;

  const heads = (one) => Array.from(inside.querySelectorAll(one), (cell) => cell.title);
  const numbers = () => Array.from(inside.querySelectorAll("table.matrix tbody tr"),
    (row) => Array.from(row.cells).slice(1).map((cell) => cell.textContent));
  const order = inside.querySelector("select.order"), what = inside.querySelector("select.shows");
  const name = Array.from(order.options).find((one) => one.textContent === "By name");
  order.value = name.value; order.dispatchEvent(new view.Event("change"));
  found.rows = heads("table.matrix tbody th");
  found.columns = heads("table.matrix thead th[data-place]");
  found.counts = numbers();
  what.value = "true"; what.dispatchEvent(new view.Event("change"));
  found.shares = numbers(); found.unit = inside.querySelector(".unit").textContent;
  what.value = "predicted"; what.dispatchEvent(new view.Event("change"));
  found.of_predicted = numbers();
  found.strongest = Array.from(inside.querySelectorAll("table.matrix td.wrong"))
    .map((cell) => [Number(cell.style.getPropertyValue("--s")), cell.textContent]);
  const colours = (one) => view.getComputedStyle(inside.querySelector(one)).backgroundColor;
  found.deepest = Array.from(inside.querySelectorAll("table.matrix td.right"))
    .map((cell) => [Number(cell.style.getPropertyValue("--s")),
                    view.getComputedStyle(cell).backgroundColor]);
  found.wide = root.scrollWidth; found.view = view.innerWidth;
  const box = inside.querySelector(".matrix-box .box");
  found.scrolls = box.scrollWidth > box.clientWidth + 1;
  found.says = view.getComputedStyle(inside.querySelector(".scrolls")).display !== "none";
"""


@pytest.fixture(scope="module")
def matrix():
    texts, y = corpus(700, 20, seed=4)
    texts[0] = "<script>alert(1)</script> goal"
    comparison = classified(texts, y)
    return comparison, report(comparison, texts, model="best")


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_cells_of_the_matrix_show_their_documents(tmp_path, matrix, width, dark):
    comparison, page = matrix
    found, console = look_inside(tmp_path, page.html, width, CELLS, dark=dark)
    assert console == []
    assert found["shown_first"] == 0
    assert found["shown"] == [found["asked"]]
    assert found["focus"] == found["asked"]
    assert found["tabs"] == 1
    assert found["closed"] == 0
    assert found["returned"]
    assert found["moved"]
    assert found["by_keys"] == [found["named"]] != [found["asked"]]
    a, b = map(int, found["asked"].split("-")[1:])
    confusion = page.data.confusion
    cell = next(one for one in confusion.cells if (one.truth, one.predicted) == (a, b))
    for document in cell.documents:
        assert "".join(piece.text for piece in document.pieces) in found["text"]
        assert f"Row {document.row:,}" in found["text"]
    assert f"Predicted {confusion.labels[b]}, is {confusion.labels[a]}" in found["text"]
    labels = sorted(confusion.labels)
    assert found["rows"] == found["columns"] == labels
    counts = confusion_matrix(comparison.y, comparison.best.predictions, labels=labels)
    assert found["counts"] == [[str(n) for n in row] for row in counts]
    for name, axis in (("shares", 1), ("of_predicted", 0)):
        shares = 100 * counts / np.maximum(counts.sum(axis=axis, keepdims=True), 1)
        shown = np.array([[float(n.replace("<1", "0.4")) for n in row] for row in found[name]])
        np.testing.assert_allclose(shown, shares, atol=0.51)
    assert found["unit"] == "% of the true class"
    assert max(found["strongest"])[0] == 1
    assert found["wide"] <= found["view"] == width
    assert found["scrolls"] == found["says"] == (width < 500)

    def apart(colour):  # from the paper: the cell lies over it with so much of the colour
        parts = [float(part) for part in re.findall(r"[\d.]+", colour)]
        return parts[3] if len(parts) == 4 else 1.0

    strengths = sorted((s, apart(colour)) for s, colour in found["deepest"])
    assert [shade for _, shade in strengths] == sorted(shade for _, shade in strengths)


def test_without_a_script_a_link_leads_to_the_documents(tmp_path, matrix):
    _, page = matrix
    cell = next(one for one in page.data.confusion.cells if one.truth != one.predicted)
    name = f"cell-{cell.truth}-{cell.predicted}"
    bare = re.sub(r"<script.*?</script>", "", page.html, flags=re.DOTALL)
    steps = f"""
      const found = {{{{}}}};
      const shown = () => Array.from(inside.querySelectorAll(".cell"))
        .filter((cell) => view.getComputedStyle(cell).display !== "none").map((cell) => cell.id);
      found.before = shown();
      view.location.hash = "{name}";
      found.after = shown();
    """
    drawn = bare.replace("<html", '<html data-charts="drawn"', 1)
    found, _ = look_inside(tmp_path, drawn, 1280, steps)
    assert found["before"] == []
    assert found["after"] == [name]
