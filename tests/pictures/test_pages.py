"""Pictures of the documentation: every guide begins with one, the gallery has them all."""

import re
import runpy
import sys
from pathlib import Path

import matplotlib
import pytest

matplotlib.use("Agg")
from matplotlib.colors import to_hex
from matplotlib.text import Text

import quire.pictures as pictures
from quire._shared.plot import paper, themed

DOCS = Path(__file__).parents[2] / "docs"
GUIDES = sorted((DOCS / "guide").glob("*.md"))
SCRIPTS = sorted(
    path for path in (DOCS / "figures").glob("*.py") if "\ndef picture()" in path.read_text("utf-8")
)


def directives(page):
    """Yield the name and the options of each picture of a page."""
    text = page.read_text(encoding="utf-8")
    for name, body in re.findall(r"^```\{picture\} (\w+)\n(.*?)^```$", text, re.DOTALL | re.M):
        yield name, dict(re.findall(r"^:(\w+): (.+)$", body, re.M))


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_guides_begin_with_what_you_get(page):
    top = page.read_text(encoding="utf-8")[:900]
    found = re.search(r"```\{(?:picture|image)\} \S+\n:alt: (.+)", top)
    assert found, "no picture at the top"
    assert len(found[1]) > 30


@pytest.mark.parametrize("page", [*GUIDES, DOCS / "pictures.md"], ids=lambda page: page.stem)
def test_pictures_are_there_and_described(page):
    for name, options in directives(page):
        assert (DOCS / "figures" / f"{name}.py") in SCRIPTS or hasattr(pictures, name), name
        assert len(options["alt"]) > 30
        assert set(options) <= {"alt", "call", "as"}


def test_the_gallery_has_them_all():
    shown = {name for name, _ in directives(DOCS / "pictures.md")}
    assert shown == {name for name in pictures.__all__ if name.islower()}


def test_no_two_pictures_of_one_file():
    files = {}
    for page in [*GUIDES, DOCS / "pictures.md"]:
        for name, options in directives(page):
            call = files.setdefault(options.get("as", name), (name, options.get("call")))
            assert call == (name, options.get("call")), options.get("as", name)


def test_every_script_is_on_a_page():
    used = {name for page in GUIDES for name, _ in directives(page)}
    assert {script.stem for script in SCRIPTS} <= used


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_scripts_draw(script, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path, str(DOCS / "figures")])
    with themed("dark"):
        figure = runpy.run_path(str(script))["picture"]()
        assert to_hex(figure.get_facecolor()) == paper()
    figure.canvas.draw()
    written = [found for found in figure.findobj(Text) if found.get_text().strip()]
    for ax in figure.axes:
        written += [cell for table in ax.tables for cell in table.get_celld().values()]
    assert min(found.get_fontsize() for found in written) >= 9
