"""Reports in a real browser: charts are drawn, nothing is logged as wrong, nothing is fetched.

Needs Chromium or Chrome (Debian: ``apt-get install chromium``); skipped without one.
"""

import html
import json
import os
import re
import shutil
import subprocess

import pytest
from sklearn.model_selection import learning_curve
from tests.helpers.comparisons import classified, corpus, predicted_numbers, reviews

from quire.report import report

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSER = next((path for path in map(shutil.which, NAMES) if path), None)
pytestmark = pytest.mark.skipif(
    BROWSER is None, reason="no browser: install Chromium to test reports in one"
)
# Shows the page in a frame of a given width and writes down what it looks like inside.
FRAME = """<!DOCTYPE html><title>frame</title>
<iframe id="page" style="width:{width}px;height:4000px;border:0" srcdoc="{page}"></iframe>
<pre id="found"></pre>
<script>
const frame = document.getElementById("page");
const timer = setInterval(function () {{
  const inside = frame.contentDocument;
  if (!inside || inside.documentElement.dataset.charts !== "drawn") return;
  clearInterval(timer);
  const root = inside.documentElement, view = frame.contentWindow;
  {steps}
  document.getElementById("found").textContent = JSON.stringify(found);
}}, 50);
</script>"""
STEPS = """
  const heads = inside.querySelectorAll("table.sortable th button");
  const names = () => Array.from(inside.querySelectorAll("table.sortable tbody th"),
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


def _run(folder, target, *options):
    log = folder / "net.json"
    command = [
        BROWSER,
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        f"--user-data-dir={folder / 'profile'}",
        "--host-resolver-rules=MAP * ~NOTFOUND",
        f"--log-net-log={log}",
        "--enable-logging=stderr",
        "--v=0",
        "--virtual-time-budget=20000",
        *options,
        "--dump-dom",
        target.as_uri(),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    console = [line for line in done.stderr.splitlines() if ":CONSOLE" in line]
    return done.stdout, console, log


def _look(folder, page, width, *options):
    return _look_with(folder, page, width, STEPS, *options)


def _look_with(folder, page, width, steps, *options):
    """Run a script inside a page of some width; return what it found, and what was logged."""
    frame = folder / f"frame{width}.html"
    steps = steps.format()  # braces are doubled, as in the frame
    text = FRAME.format(width=width, page=html.escape(page), steps=steps)
    frame.write_text(text, encoding="utf-8")
    dom, console, _ = _run(folder, frame, "--window-size=1400,4200", *options)
    found = re.search(r'<pre id="found">(.*?)</pre>', dom, re.DOTALL)
    assert found, console
    return json.loads(html.unescape(found.group(1))), console


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
    path = tmp_path / "report.html"
    path.write_text(pages[name], encoding="utf-8")
    dom, console, log = _run(tmp_path, path)
    assert console == []
    places = len(re.findall("data-chart=", dom))
    assert len(re.findall(r"<svg[^>]*marks", dom)) == places > 3
    assert 'data-charts="drawn"' in dom
    assert _fetched(log) == []


def _fetched(log):
    """Return what the page asked for: the browser's own requests come from no origin."""
    events = json.loads(log.read_text(encoding="utf-8", errors="replace"))["events"]
    asked = [event.get("params", {}) for event in events]
    return [one["url"] for one in asked if one.get("initiator", "not an origin") != "not an origin"]


def test_the_checks_see_what_is_wrong(tmp_path):
    path = tmp_path / "wrong.html"
    path.write_text(
        "<!DOCTYPE html><title>w</title><img src='https://example.org/x.png'>"
        "<script>console.error('oh'); nothing.there()</script>"
    )
    _, console, log = _run(tmp_path, path)
    assert any("oh" in line for line in console)
    assert any("nothing is not defined" in line for line in console)
    assert "https://example.org/x.png" in _fetched(log)


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_wide_and_narrow_light_and_dark(tmp_path, pages, width, dark):
    scheme = "--blink-settings=preferredColorScheme=" + ("0" if dark else "1")
    found, console = _look(tmp_path, pages["classes"], width, scheme)
    assert console == []
    assert found["view"] == width
    assert found["wide"] <= width
    assert found["drawn"] == found["places"] > 3
    assert found["labelled"] > found["drawn"]
    assert found["too_wide"] == 0
    light = _brightness(found["paper"])
    assert (light < 60) is dark
    assert abs(light - _brightness(found["ink"])) > 150
    assert found["mark"].startswith("rgb")
    assert found["mark"] == ("rgb(86, 169, 224)" if dark else "rgb(0, 114, 178)")
    assert found["sorted"] == "ascending"
    assert found["after"][:-1] == found["before"][:-1][::-1]
    assert found["after"][-1] == "Broken model"  # without a score it stays last


def _brightness(colour):
    return sum(map(int, re.findall(r"\d+", colour)[:3])) / 3


@pytest.mark.skipif("QUIRE_SCREENSHOTS" not in os.environ, reason="pictures are made on demand")
@pytest.mark.parametrize("name", ["classes", "numbers"])
def test_pictures(tmp_path, pages, name):
    path = tmp_path / "report.html"
    path.write_text(pages[name], encoding="utf-8")
    for scheme in (0, 1):
        target = (
            f"{os.environ['QUIRE_SCREENSHOTS']}/{name}-{'dark' if scheme == 0 else 'light'}.png"
        )
        _run(
            tmp_path,
            path,
            f"--screenshot={target}",
            "--window-size=1280,7000",
            f"--blink-settings=preferredColorScheme={scheme}",
        )
        assert os.path.getsize(target) > 10_000
