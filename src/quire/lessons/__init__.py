"""Lessons: a method on one page, step by step, with numbers that can be changed.

``quire.lessons.naive_bayes()`` returns a :class:`Lesson`: a notebook shows it, ``save`` writes it
to a file that opens without a network, and ``quire lesson naive-bayes`` does so on the command
line. A lesson has the idea in a paragraph, the formula, a small data set (or the reader's own
file), and what the estimator does with it, state by state, for some values of its settings. The
states come from the estimators themselves; nothing is computed a second time for the page.

Each lesson is a function in a file of its own, which is imported when it is asked for; the
catalogue in ``_catalogue`` names them all.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from quire.lessons._catalogue import LESSONS
from quire.lessons._lesson import Lesson
from quire.lessons._write_all import write_all

__all__ = ["LESSONS", "Lesson"]
__all__ += sorted(LESSONS)
__all__ += ["write_all"]


def __getattr__(name: str) -> Callable[..., Lesson]:
    if name not in LESSONS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    lesson: Callable[..., Lesson] = getattr(import_module(f"{__name__}._{name}"), name)
    globals()[name] = lesson
    return lesson


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
