"""A report on maps between word vectors: one HTML file with precision, examples and a picture."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from quire.alignment import MapComparison, Translation
from quire.report._alignment_data import AlignmentReportData
from quire.report._alignment_render import render_alignment
from quire.report._alignment_summarise import summarise_alignment
from quire.report._page import Page, kept

__all__ = ["AlignmentReport", "alignment_report"]


@dataclass(frozen=True, eq=False, repr=False)
class AlignmentReport(Page):
    """A report on maps between word vectors, from :func:`alignment_report`.

    In a notebook it shows itself; ``save(path)`` writes it to a file.

    Attributes
    ----------
    data : AlignmentReportData
        All that it says, as plain data.
    html : str
        The page.
    """

    data: AlignmentReportData
    html: str

    def _says(self) -> str:
        return f"{len(self.data.scores)} maps, {self.data.n_test:,} test pairs"


def alignment_report(
    comparison: MapComparison,
    *,
    words: Iterable[Translation] = (),
    n_examples: int = 12,
    path: str | os.PathLike[str] | None = None,
    title: str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> AlignmentReport:
    """Make one HTML file of a comparison of maps; it opens without a network.

    It has the precision of every method and retrieval, words that were translated rightly and
    wrongly, and pairs in the plane before and after the map. Needs vl-convert-python:
    ``pip install 'quire[report]'``.

    Parameters
    ----------
    comparison : MapComparison
        From :func:`quire.alignment.compare_maps`.
    words : iterable of Translation, default=()
        Other translations to show.
    n_examples : int, default=12
        How many right ones and how many wrong ones.
    path : str or path, default=None
        Where to write it; nothing is written if ``None``.
    title : str, default=None
        The heading.
    settings : mapping, default=None
        What else to write down, such as the command.

    Returns
    -------
    AlignmentReport
        With ``html``, ``data`` and ``save(path)``.

    Raises
    ------
    ImportError
        If vl-convert-python is not installed.
    OSError
        If the file can not be written.

    See Also
    --------
    summarise_alignment : The numbers without the page.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.alignment import WordVectors, compare_maps
    >>> from quire.report import alignment_report
    >>> X = np.random.default_rng(0).normal(size=(40, 5))
    >>> source = WordVectors([f"s{i}" for i in range(40)], X)
    >>> target = WordVectors([f"t{i}" for i in range(40)], -X)
    >>> found = compare_maps(source, target, [(f"s{i}", f"t{i}") for i in range(40)])
    >>> alignment_report(found, title="Turned around")
    <AlignmentReport 'Turned around': 8 maps, 13 test pairs, ... MB>
    """
    found = summarise_alignment(
        comparison, words=words, n_examples=n_examples, title=title, settings=settings
    )
    return kept(AlignmentReport(found, render_alignment(found)), path)
