"""Pages of reports read again: where their numbers come from, and the numbers.

A page may come from anybody. It is read as text, two blocks of JSON are taken out of it, and both
are checked for size, depth and kind; nothing of it is run, and no other file is opened.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quire._shared.notebooks import ShownInNotebooks
from quire._shared.provenance import check_plain, checked_provenance
from quire.report._page.numbers_for_programs import DATA_ID, PROVENANCE_ID

__all__ = ["SavedPage", "read_page"]

_LARGEST = 2**27  # bytes of a page
_LARGEST_BLOCK = 2**25  # characters of a block of JSON
_MOST_VALUES = 2_000_000


@dataclass(frozen=True)
class SavedPage(ShownInNotebooks):
    """What a page of a report says for programs, from :func:`read_page`.

    Attributes
    ----------
    provenance : dict
        ``kind`` of the report, ``command`` (None where Python made it), ``inputs`` (role, name and
        SHA-256 of each file), ``rows`` (their number and digests), ``seed``, ``settings``,
        ``versions`` and ``working``.
    data : dict
        The numbers of the page. A list of more than 1,000 things, or a text of more than 200
        characters, is its size and its SHA-256.
    """

    provenance: dict[str, Any]
    data: dict[str, Any]

    def __repr__(self) -> str:
        return f"<SavedPage on {self.provenance['kind']}, {len(self.data)} parts>"


def read_page(page: str | os.PathLike[str]) -> SavedPage:
    """Read what a page of a report says for programs.

    Parameters
    ----------
    page : str or path
        An HTML file that :func:`report` or another function of this package has written. It need
        not be trusted.

    Returns
    -------
    SavedPage
        Where the numbers come from, and the numbers.

    Raises
    ------
    ValueError
        If it is no page of a report, one that is damaged, or one from before reports had this.
    OSError
        If the file cannot be read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from quire.neighbors import TextSearch
    >>> from quire.report import neighbors_report, read_page
    >>> search = TextSearch().fit(["a good film", "rain tomorrow", "sun and rain"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "rain.html"
    ...     _ = neighbors_report(search, "rain", path=path)
    ...     again = read_page(path)
    >>> again.provenance["kind"], again.data["n_documents"]
    ('neighbors', 3)
    """
    path = Path(page)
    if not path.is_file():
        raise FileNotFoundError(f"{path} is not there, or is no file.")
    with path.open("rb") as file:
        content = file.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise ValueError(f"{path} has more than {_LARGEST:,} bytes, as no report has.")
    text = content.decode("utf-8", errors="replace")
    return page_from_text(text, str(path))


def page_from_text(text: str, name: str) -> SavedPage:
    """Return what a page says for programs.

    Parameters
    ----------
    text : str
        The page.
    name : str
        What it is called, for messages.
    """
    try:
        said = checked_provenance(_block(text, PROVENANCE_ID))
        data = _block(text, DATA_ID)
        if not isinstance(data, dict):
            raise ValueError("its numbers are no dictionary")
        check_plain(data, _MOST_VALUES)
    except ValueError as error:
        raise ValueError(f"{name} cannot be used: {error}.") from error
    return SavedPage(said, data)


def _block(text: str, name: str) -> Any:
    """Return what stands in the one element with this id."""
    start = f'<script type="application/json" id="{name}">'
    n = text.count(start)
    if n != 1:
        raise ValueError(
            "it does not say where its numbers come from: it is no report, or one of an earlier "
            "version; write it again"
            if n == 0
            else f"it has {n} elements with the id {name!r}"
        )
    begin = text.index(start) + len(start)
    end = text.find("</script>", begin)
    if end < 0 or end - begin > _LARGEST_BLOCK:
        raise ValueError(f"the element {name!r} does not end, or is too long")
    try:
        return json.loads(text[begin:end], parse_constant=_no_number, parse_float=_number)
    except RecursionError:
        raise ValueError(f"the element {name!r} is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"the element {name!r} is not JSON ({str(error)[:200]})") from None


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def _number(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")) or len(text) > 400:
        raise ValueError(f"{re.sub('[^0-9.eE+-]', '', text)[:40]} is too large a number")
    return value
