"""What a lesson is made of: an idea, a formula, data, settings, and runs that have steps."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

from quire._shared.page.html import NOTHING, Html
from quire._shared.page.numbers import to_plain
from quire._shared.page.page import in_notebook, write_page

__all__ = ["Lesson", "Run", "Setting", "Step", "runs_over"]

Text = str | Html


@dataclass(frozen=True)
class Step:
    """One state of the algorithm.

    Attributes
    ----------
    title : str
        What happens, in a few words.
    caption : str or Html
        What there is to see, with its numbers.
    picture : Html
        From ``_shared.page.picture``; nothing if there is none.
    table : Html
        The state in numbers, from ``_shared.page.tables``.
    numbers : dict
        The same numbers for programs: arrays of the estimator, as they are.
    """

    title: str
    caption: Text
    picture: Html = NOTHING
    table: Html = NOTHING
    numbers: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Setting:
    """Something to change.

    Attributes
    ----------
    name : str
        What it is called, as a rule the parameter of the estimator.
    about : str
        What it does, in a few words.
    values : tuple
        What can be chosen.
    start : object
        Which of them the page begins with.
    """

    name: str
    about: str
    values: tuple[Any, ...]
    start: Any

    @property
    def labels(self) -> list[str]:
        """The values as they are shown."""
        shown = [f"{v:g}" if isinstance(v, float) else str(v) for v in self.values]
        return [text.replace("e-0", "e-") for text in shown]


@dataclass(frozen=True)
class Run:
    """The algorithm from its start to its end, with one value for each setting.

    Attributes
    ----------
    values : dict
        From the name of a setting to its value.
    steps : list of Step
        The states, in order.
    result : dict
        What came out, in a few words and numbers, from names to values: a row of the table that
        compares the runs.
    """

    values: dict[str, Any]
    steps: list[Step]
    result: dict[str, Any]


@dataclass(frozen=True, eq=False, repr=False)
class Lesson:
    """A method on one page: what the functions of :mod:`quire.lessons` return.

    A notebook shows the page by itself. The page holds all that it needs; it fetches nothing.

    Attributes
    ----------
    name : str
        As the command line calls it.
    title : str
        The heading.
    idea : list of str
        The method in a paragraph or two.
    formulas : list of str
        The formulas, as TeX writes them.
    symbols : list of (str, str)
        The letters in them, and what they stand for.
    about_data : list of str
        What the data is.
    data : Html
        The data, or a part of it, as the page shows it.
    settings : list of Setting
        What can be changed.
    runs : list of Run
        The states of the algorithm, once for each choice of settings.
    code : str
        The lines of quire that do the same.
    given : dict
        The names that these lines use.
    guide : list of str
        Titles of the pages of the guide that say more.

    Examples
    --------
    >>> from quire import lessons
    >>> lesson = lessons.naive_bayes()
    >>> lesson
    <Lesson 'Naive Bayes on counts': 10 steps, 12 runs>
    >>> [run["values"] for run in lesson.to_dict()["runs"]][0]
    {'alpha': 0, 'prior': 'documents'}
    """

    name: str
    title: str
    idea: list[Text]
    formulas: list[str]
    symbols: list[tuple[str, str]]
    about_data: list[Text]
    data: Html
    settings: list[Setting]
    runs: list[Run]
    code: str
    given: dict[str, Any]
    guide: list[str]

    @property
    def start(self) -> Run:
        """The run that the page begins with."""
        wanted = {setting.name: setting.start for setting in self.settings}
        return next(run for run in self.runs if run.values == wanted)

    @cached_property
    def html(self) -> str:
        """The page."""
        from quire.lessons._page import lesson_page

        return str(lesson_page(self))

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file, all of it or nothing.

        Parameters
        ----------
        path : str or path
            The file, as a rule with the ending ``.html``. A file that is there is replaced.

        Returns
        -------
        pathlib.Path
            The file.

        Raises
        ------
        OSError
            If the folder is not there, or can not be written to.
        """
        return write_page(self.html, path)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers behind the page as dictionaries and lists, ready for JSON.

        Returns
        -------
        dict
            With ``"name"``, ``"title"`` and ``"runs"``, each with its ``"values"``, its
            ``"result"`` and its ``"steps"``: their ``"title"`` and their ``"numbers"``. The page
            has the same inside. Numbers that are not finite are ``None``.
        """
        runs = [
            {
                "values": to_plain(run.values),
                "result": to_plain(run.result),
                "steps": [
                    {"title": step.title, "numbers": to_plain(step.numbers)} for step in run.steps
                ],
            }
            for run in self.runs
        ]
        return {"name": self.name, "title": self.title, "runs": runs}

    def to_json(self, indent: int | None = None) -> str:
        """Return :meth:`to_dict` as JSON.

        Parameters
        ----------
        indent : int, default=None
            Spaces of indentation; one line if ``None``.
        """
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent)

    def __repr__(self) -> str:
        n_runs = len(self.runs)
        several = f", {n_runs} runs" if n_runs > 1 else ""
        return f"<Lesson {self.title!r}: {len(self.start.steps)} steps{several}>"

    def _repr_html_(self) -> str:
        return in_notebook(self.title, self.html)


def runs_over(
    settings: list[Setting], make: Callable[..., tuple[list[Step], dict[str, Any]]]
) -> list[Run]:
    """Return the runs over all choices of settings.

    Parameters
    ----------
    settings : list of Setting
        What can be changed.
    make : callable
        Called with a value for each setting by its name; returns the steps and the result.
    """
    names = [setting.name for setting in settings]
    runs = []
    for values in product(*(setting.values for setting in settings)):
        chosen = dict(zip(names, values, strict=True))
        runs.append(Run(chosen, *make(**chosen)))
    return runs
