"""A page and what it says: written to a file, shown in a notebook, given to programs."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from quire._shared.page.html import Html, html
from quire._shared.page.numbers import to_plain
from quire._shared.replaced_file import replaced_file

__all__ = ["Page", "in_notebook", "saved", "write_page"]

DataT = TypeVar("DataT", bound="Titled")
PageT = TypeVar("PageT", bound="Page[Any]")


class Titled(Protocol):
    """Data that has a title."""

    @property
    def title(self) -> str:
        """The heading of the page."""


@dataclass(frozen=True, eq=False, repr=False)
class Page(Generic[DataT]):
    """What all pages can do: they have data and show it."""

    data: DataT
    html: str

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file, all of it or nothing.

        It is written under another name beside `path` first and then put in its place, so that
        nothing that goes wrong leaves half a page, or takes an old one away.

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
        """Return all that it says as dictionaries and lists, ready for JSON."""
        plain: dict[str, Any] = to_plain(self.data)
        return plain

    def to_json(self, indent: int | None = None) -> str:
        """Return :meth:`to_dict` as JSON.

        Parameters
        ----------
        indent : int, default=None
            Spaces of indentation; one line if ``None``.
        """
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent)

    def _says(self) -> str:
        """Return what the page is about, in a few words and numbers."""
        raise NotImplementedError

    def __repr__(self) -> str:
        size = f"{len(self.html) / 1e6:.1f} MB"
        return f"<{type(self).__name__} {self.data.title!r}: {self._says()}, {size}>"

    def _repr_html_(self) -> str:
        return in_notebook(self.data.title, self.html)


def write_page(page: str, path: str | os.PathLike[str]) -> Path:
    """Write a page to a file, all of it or nothing; return the file."""
    target = Path(path)
    with replaced_file(target) as file:
        file.write(page.encode("utf-8", errors="replace"))
    return target


def in_notebook(title: str, page: str) -> str:
    """Return a page in a frame, as notebooks show it.

    Its scripts reach nothing outside of the frame; figures may be saved.
    """
    frame = html(
        '<iframe title="{title}" srcdoc="{page}" '
        'style="width: 100%; height: 800px; border: 1px solid #8888" '
        'sandbox="allow-scripts allow-downloads"></iframe>',
        title=title,
        page=Html(escape(page)),  # control signs in its scripts stay as they are
    )
    return str(frame)


def saved(page: PageT, path: str | os.PathLike[str] | None) -> PageT:
    """Return a page, written to a file if `path` names one."""
    if path is not None:
        page.save(path)
    return page
