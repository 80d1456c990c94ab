"""Names beside axes and in legends are whole where there is room for them."""

import pytest
from tests.helpers.browser import needs_browser
from tests.helpers.devtools import browser_tab

from quire._shared.page.charts import Chart, base, names, quantity, series
from quire._shared.page.sections import section
from quire._shared.page.shell import shell

pytestmark = needs_browser
NAMES = [
    "Logistic regression",
    "Linear support vector machine of characters, weighted by class",
    "Ein Modell mit Umlauten äöü und recht vielen Wörtern in seinem Namen",
]


def page():
    values = [{"name": name, "x": k, "y": k * k} for k, name in enumerate(NAMES)]
    bars = base(values, "Bars.", 90)
    bars["mark"] = "bar"
    bars["encoding"] = {"y": names("name"), "x": quantity("x", "x")}
    lines = base(values, "Lines.")
    lines["mark"] = "line"
    place = {"x": quantity("x", "x"), "y": quantity("y", "y")}
    lines["encoding"] = place | series("name", NAMES)
    charts = [
        Chart("chart-bars", "Bars", "Bars.", bars, ["a"], [["b"]]),
        Chart("chart-lines", "Lines", "Lines.", lines, ["a"], [["b"]]),
    ]
    return str(shell("Names", "long ones", [section("all", "All", *charts)]))


TEXTS = (
    """Array.from(document.querySelectorAll("#{} svg .role-{} text"), (one) => one.textContent)"""
)
BEYOND = """Array.from(document.querySelectorAll("svg text")).filter((one) => {
  const own = one.getBoundingClientRect(), all = one.closest("svg").getBoundingClientRect();
  return own.left < all.left - 1 || own.right > all.right + 1;
}).map((one) => one.textContent)"""


@pytest.mark.parametrize("width", [1400, 700])
def test_axis_labels_are_whole_where_there_is_room(tmp_path, width):
    with browser_tab(tmp_path, page(), width=width) as tab:
        shown = tab.run(TEXTS.format("chart-bars", "axis-label"))
        assert tab.run(BEYOND) == []
    if width == 1400:
        assert set(NAMES) <= set(shown)
    else:
        assert "Logistic regression" in shown
        cut = [name for name in shown if name.endswith("…")]
        assert all(len(name) > 20 for name in cut)  # not at fifteen letters


@pytest.mark.parametrize("width", [1400, 400])
def test_legends_are_never_cut(tmp_path, width):
    with browser_tab(tmp_path, page(), width=width) as tab:
        found = "".join(tab.run(TEXTS.format("chart-lines", "legend-label")))
        assert tab.run(BEYOND) == []
    assert "…" not in found
    for name in NAMES:
        assert name.replace(" ", "") in found.replace(" ", "")


def test_room_follows_the_width_of_the_page(tmp_path):
    with browser_tab(tmp_path, page(), width=1400) as tab:
        size = {"width": 420, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        tab._ask("Emulation.setDeviceMetricsOverride", **size)
        tab.wait("document.querySelector('#chart-lines svg').getBoundingClientRect().right <= 420")
        tab.run("new Promise((done) => setTimeout(done, 400))")
        assert tab.run(BEYOND) == []
        found = "".join(tab.run(TEXTS.format("chart-lines", "legend-label")))
        assert "…" not in found
