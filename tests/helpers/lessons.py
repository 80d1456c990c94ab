"""Lessons made once, and their pages taken apart."""

import json
from functools import cache

from tests.helpers.pages import Page

from quire import lessons

__all__ = ["NAMES", "embedded", "lesson", "numbers"]

NAMES = list(lessons.LESSONS)


@cache
def lesson(name):
    return getattr(lessons, name)()


def embedded(made):
    """Return the data inside a page."""
    page = Page(made.html)
    found = [text for tag, text in page.scripts if text.startswith('{"name":')]
    assert len(found) == 1
    return json.loads(found[0])


def numbers(name, title, **values):
    """Return the numbers of a step, as the page has them; by default with the first settings."""
    made = lesson(name)
    wanted = {**made.start.values, **values}
    run = next(run for run in embedded(made)["runs"] if run["values"] == wanted)
    return next(step["numbers"] for step in run["steps"] if step["title"].startswith(title))
