"""All lessons in a folder, with a page that leads to them."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path

from quire._shared.page.page import write_page
from quire.lessons._catalogue import LESSONS
from quire.lessons._page import index_page

__all__ = ["write_all"]


def write_all(folder: str | os.PathLike[str]) -> list[Path]:
    """Write all lessons to a folder, each in a file of its own, and ``index.html`` beside them.

    Parameters
    ----------
    folder : str or path
        Where to; it is made if it is not there.

    Returns
    -------
    list of pathlib.Path
        The files; the last is the index.

    Examples
    --------
    >>> from quire.lessons import write_all
    >>> write_all("lessons")  # doctest: +SKIP
    [PosixPath('lessons/naive-bayes.html'), ..., PosixPath('lessons/index.html')]
    """
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    titles, written = {}, []
    for name in LESSONS:
        lesson = getattr(import_module(f"quire.lessons._{name}"), name)()
        titles[lesson.name] = lesson.title
        written.append(lesson.save(target / f"{lesson.name}.html"))
    written.append(write_page(str(index_page(titles)), target / "index.html"))
    return written
