"""Pages in a real browser: run by themselves, looked into, photographed.

Needs Chromium or Chrome (Debian: ``apt-get install chromium``); tests that do not find one skip.
"""

import html
import json
import os
import re
import shutil
import subprocess

import pytest

__all__ = [
    "BROWSER",
    "LOOK",
    "brightness",
    "fetched",
    "is_readable",
    "look_inside",
    "needs_browser",
    "on_demand",
    "open_page",
    "take_pictures",
]

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSER = next((path for path in map(shutil.which, _NAMES) if path), None)
needs_browser = pytest.mark.skipif(
    BROWSER is None, reason="no browser: install Chromium to test reports in one"
)
on_demand = pytest.mark.skipif(
    "QUIRE_SCREENSHOTS" not in os.environ, reason="pictures are made on demand"
)
# Shows the page in a frame of a given width and writes down what it looks like inside.
_FRAME = """<!DOCTYPE html><meta charset="utf-8"><title>frame</title>
<iframe id="page" style="width:{width}px;height:4000px;border:0" srcdoc="{page}"></iframe>
<pre id="found"></pre>
<script>
const frame = document.getElementById("page");
const timer = setInterval(function () {{
  const inside = frame.contentDocument;
  if (inside?.documentElement?.dataset.charts !== "drawn") return;
  clearInterval(timer);
  const root = inside.documentElement, view = frame.contentWindow;
  {steps}
  document.getElementById("found").textContent = JSON.stringify(found);
}}, 50);
</script>"""

# Writes down what :func:`is_readable` asks for, and what else holds of every page.
LOOK = """
  const all = (selector) => Array.from(inside.querySelectorAll(selector));
  found.wide = root.scrollWidth; found.view = view.innerWidth;
  found.paper = view.getComputedStyle(inside.body).backgroundColor;
  found.ink = view.getComputedStyle(inside.body).color;
  found.places = inside.querySelectorAll("[data-chart]").length;
  found.drawn_charts = inside.querySelectorAll("[data-chart] svg").length;
  found.unnamed = all("button, select, input, canvas").filter((one) =>
    !(one.textContent.trim() || one.getAttribute("aria-label") || one.labels && one.labels.length)
  ).length;
"""


def open_page(folder, page, *options):
    """Open a page by itself; return what became of it, what was logged, and the log of the net."""
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8")
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
        path.as_uri(),
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", timeout=600, check=True
    )
    console = [line for line in done.stderr.splitlines() if ":CONSOLE" in line]
    return done.stdout, console, log


def fetched(log):
    """Return what the page asked for: the browser's own requests come from no origin."""
    events = json.loads(log.read_text(encoding="utf-8", errors="replace"))["events"]
    asked = [event.get("params", {}) for event in events]
    return [one["url"] for one in asked if one.get("initiator", "not an origin") != "not an origin"]


def look_inside(folder, page, width, steps, *, dark=False):
    """Run a script inside a page of some width; return its ``found``, and what was logged."""
    steps = steps.format()  # braces are doubled, as in the frame
    frame = _FRAME.format(width=width, page=html.escape(page), steps=steps)
    dom, console, _ = open_page(folder, frame, "--window-size=1400,4200", _scheme(dark))
    inside = re.search(r'<pre id="found">(.*?)</pre>', dom, re.DOTALL)
    assert inside, console
    return json.loads(html.unescape(inside.group(1))), console


def _scheme(dark):
    return "--blink-settings=preferredColorScheme=" + ("0" if dark else "1")


def brightness(colour):
    return sum(map(int, re.findall(r"\d+", colour)[:3])) / 3


def is_readable(found, width, dark):
    """Check that a page fits, and that its ink is far from its paper."""
    assert found["view"] == width
    assert found["wide"] <= width
    light = brightness(found["paper"])
    assert (light < 60) is dark
    assert abs(light - brightness(found["ink"])) > 150
    return True


def take_pictures(folder, page, name, height=4000):
    """Write pictures of a page, light and dark, to the folder that QUIRE_SCREENSHOTS names."""
    for dark in (False, True):
        target = f"{os.environ['QUIRE_SCREENSHOTS']}/{name}-{'dark' if dark else 'light'}.png"
        size = f"--window-size=1280,{height}"
        open_page(folder, page, f"--screenshot={target}", size, _scheme(dark))
        assert os.path.getsize(target) > 10_000
