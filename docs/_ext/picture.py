"""The directive ``picture``: a picture that is drawn when the site is built, light and dark.

    ```{picture} penalty_contours
    :alt: What there is to see, for those who do not see it.
    A caption.
    ```

The name is a function of :mod:`quire.pictures`, or a file of ``docs/figures`` with a function
``picture()`` that returns a figure. ``:call: max_leaves=3`` gives arguments, ``:as: other_name``
tells two pictures by one function apart. Pictures lie in ``docs/_pictures`` and are drawn again
when a source is newer.
"""

import inspect
import runpy
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

mpl.use("Agg")
from matplotlib import pyplot

import quire.pictures
from quire._shared.plot import themed

DOCS = Path(__file__).parents[1]
sys.path.append(str(DOCS / "figures"))  # what figures share
FOLDER = DOCS / "_pictures"
DRAWN = set()  # in this build
SETTINGS = {"svg.hashsalt": "quire", "savefig.dpi": 110}  # the same numbers give the same file


def figure_of(name, call, theme):
    """Draw one picture, and return its figure."""
    script = DOCS / "figures" / f"{name}.py"
    if script.exists():
        with themed(theme):
            return runpy.run_path(str(script))["picture"]()
    function = getattr(quire.pictures, name)
    arguments = eval(f"dict({call})", {"np": np})
    if "theme" in inspect.signature(function).parameters:
        drawn = function(**arguments, theme=theme)
    else:
        drawn = function(**arguments).plot(theme=theme)
    return np.ravel(np.asarray(drawn, dtype=object))[0].figure


def newest_source(name):
    sources = [*(DOCS.parent / "src" / "quire").rglob("*.py"), Path(__file__)]
    script = DOCS / "figures" / f"{name}.py"
    return max(p.stat().st_mtime for p in [*sources, script] if p.exists())


def drawn(name, call, to):
    """Return the files of a picture, light and dark, drawn if they are missing or old."""
    FOLDER.mkdir(exist_ok=True)
    files = {theme: FOLDER / f"{to}-{theme}.svg" for theme in ("light", "dark")}
    for theme, file in files.items():
        is_old = not file.exists() or file.stat().st_mtime < newest_source(name)
        if file in DRAWN or not is_old:
            continue
        figure = figure_of(name, call, theme)
        with mpl.rc_context(SETTINGS):
            figure.savefig(file, metadata={"Date": None})
        pyplot.close("all")
        DRAWN.add(file)
    return files


class Picture(SphinxDirective):
    required_arguments = 1
    has_content = True
    option_spec = {  # noqa: RUF012
        "alt": directives.unchanged_required,
        "call": directives.unchanged,
        "as": directives.unchanged,
    }

    def run(self):
        if not self.options.get("alt"):
            raise self.error("a picture needs :alt:, what there is to see in words.")
        name = self.arguments[0]
        files = drawn(name, self.options.get("call", ""), self.options.get("as", name))
        figure = nodes.figure(classes=["picture"])
        for theme, file in files.items():
            uri = "/" + file.relative_to(DOCS).as_posix()
            figure += nodes.image(uri=uri, alt=self.options["alt"], classes=[f"only-{theme}"])
        is_function = not (DOCS / "figures" / f"{name}.py").exists()
        if is_function and f"quire.pictures.{name}`" not in "\n".join(self.content):
            link = f"{{py:func}}`~quire.pictures.{name}` draws it."
            self.content.append(link, self.get_source_info()[0], self.lineno)
        if self.content:
            caption = nodes.Element()
            self.state.nested_parse(self.content, self.content_offset, caption)
            text = caption[0]
            figure += nodes.caption(text.rawsource, "", *text.children)
        return [figure]


def setup(app):
    app.add_directive("picture", Picture)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
