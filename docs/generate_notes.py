"""Writes docs/notes-table.md from docs/notes.toml; a test fails when the two differ."""

import tomllib
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
PAGE = DOCS / "notes-table.md"

OPENING = """\
<!-- Written by docs/generate_notes.py from docs/notes.toml. Do not edit. -->

# The notes, thing by thing

quire began with five sets of lecture notes. This page lists the {n} things that are in them:
methods, formulas, examples, experiments and pictures, each with the call that does it and the tests
that show it. A test holds the page itself: every call and every test in it exists.
[From your notes to quire](from-your-notes.md) goes by section and has the formulas;
[Errata](errata.md) has what is misprinted.
"""

TABLE = """
## Set {letter}: {title}

:::{{table}}
:class: notes

| section | what it is, and the call | shown by |
| --- | --- | --- |
"""


def render() -> str:
    """The page as text."""
    source = tomllib.loads((DOCS / "notes.toml").read_text(encoding="utf-8"))
    things = source["thing"]
    page = OPENING.format(n=len(things))
    for letter, title in source["sets"].items():
        page += TABLE.format(letter=letter, title=title)
        section = None
        for thing in things:
            if thing["set"] == letter:
                page += _row(thing, repeated=thing["section"] == section)
                section = thing["section"]
        page += ":::\n"
    return page


def _row(thing: dict[str, Any], *, repeated: bool) -> str:
    tests = "<br>".join(f"`{test.removeprefix('tests/')}`" for test in thing["tests"])
    cells = [
        "" if repeated else thing["section"],
        f"[{thing['what']}]({thing['page']})<br>`{thing['call']}`",
        tests,
    ]
    return f"| {' | '.join(cells)} |\n"


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
