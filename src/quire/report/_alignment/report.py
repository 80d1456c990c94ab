"""A report on maps between word vectors: its data, its page, and both in one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from quire._shared.how_many import how_many
from quire._shared.page.numbers import count, to_plain
from quire._shared.page.page import Page, saved
from quire._shared.page.shell import asset
from quire.alignment import MapComparison, Translation
from quire.report._alignment.picture import PairPoint, picture_section, points_of
from quire.report._alignment.precision import AlignmentScore, precision_section, scores_of
from quire.report._alignment.short import short_section
from quire.report._alignment.words import (
    TranslatedWord,
    asked_section,
    examples_section,
    missing_section,
    right_and_wrong,
    some_of,
    translated,
)
from quire.report._page.provenance import installed_versions, now, with_data
from quire.report._page.whole_page import whole_page

__all__ = [
    "AlignmentReport",
    "AlignmentReportData",
    "alignment_report",
    "render_alignment",
    "summarise_alignment",
]

_FEW = 30  # test words below which a share tells little
_SECTIONS = (
    short_section,
    precision_section,
    asked_section,
    examples_section,
    picture_section,
    missing_section,
)


@dataclass(frozen=True)
class AlignmentReportData:
    """All that a report on a map says.

    `variance` is the share of the variance of the partners that the plane of `points` shows, and
    `same_plane` whether words before the map are in the same plane, which needs equal dimensions.
    """

    title: str
    created: str
    n_source: int
    n_target: int
    dimensions: tuple[int, int]
    n_train: int
    n_test: int
    dictionary_size: int
    ks: list[int]
    scores: list[AlignmentScore]
    best: tuple[str, str]
    right: list[TranslatedWord]
    wrong: list[TranslatedWord]
    n_right: int
    n_judged: int
    words: list[TranslatedWord]
    points: list[PairPoint]
    variance: float
    same_plane: bool
    missing_source: list[str]
    missing_target: list[str]
    notes: list[str]
    settings: dict[str, Any]
    versions: dict[str, str]


class AlignmentReport(Page[AlignmentReportData]):
    """A report on maps between word vectors, from :func:`alignment_report`.

    In a notebook it shows itself; ``save(path)`` writes it to a file.

    Attributes
    ----------
    data : AlignmentReportData
        All that it says, as plain data.
    html : str
        The page.
    """

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
    >>> comparison = compare_maps(source, target, [(f"s{i}", f"t{i}") for i in range(40)])
    >>> alignment_report(comparison, title="Turned around")
    <AlignmentReport 'Turned around': 8 maps, 13 test pairs, ... MB>
    """
    data = summarise_alignment(
        comparison, words=words, n_examples=n_examples, title=title, settings=settings
    )
    return saved(AlignmentReport(data, render_alignment(data)), path)


def summarise_alignment(
    comparison: MapComparison,
    *,
    words: Iterable[Translation] = (),
    n_examples: int = 12,
    title: str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> AlignmentReportData:
    """Say all that a report on a map says, as plain data.

    Parameters
    ----------
    comparison, words, n_examples, title, settings
        As for :func:`alignment_report`.

    Returns
    -------
    AlignmentReportData
        Numbers, strings and lists of them.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.alignment import WordVectors, compare_maps
    >>> from quire.report import summarise_alignment
    >>> X = np.random.default_rng(0).normal(size=(40, 5))
    >>> source = WordVectors([f"s{i}" for i in range(40)], X)
    >>> target = WordVectors([f"t{i}" for i in range(40)], -X)
    >>> comparison = compare_maps(source, target, [(f"s{i}", f"t{i}") for i in range(40)])
    >>> data = summarise_alignment(comparison)
    >>> data.best, data.n_right, data.n_judged
    (('orthogonal', 'csls'), 13, 13)
    """
    best, model = comparison.best, comparison.best_model
    held_out = comparison.translations[best.method, best.retrieval]
    right, wrong = right_and_wrong(held_out)
    points, variance, same_plane = points_of(comparison)
    notes = []
    if len(held_out) < _FEW:
        held = "word was" if len(held_out) == 1 else "words were"
        notes.append(
            f"Only {len(held_out)} {held} held out; the shares may be off by 10 points and more."
        )
    return AlignmentReportData(
        title=title or "A map between word vectors",
        created=now(),
        n_source=len(model.source_),
        n_target=len(model.target_),
        dimensions=(model.source_.dimension, model.target_.dimension),
        n_train=len(comparison.train_pairs),
        n_test=len(comparison.test_pairs),
        dictionary_size=int(model.dictionary_sizes_[-1]),
        ks=list(best.precision),
        scores=scores_of(comparison),
        best=(best.method, best.retrieval),
        right=translated(some_of(right, n_examples)),
        wrong=translated(some_of(wrong, n_examples)),
        n_right=len(right),
        n_judged=len(held_out),
        words=translated(words),
        points=points,
        variance=variance,
        same_plane=same_plane,
        missing_source=comparison.missing_source,
        missing_target=comparison.missing_target,
        notes=notes,
        settings=to_plain(with_data(settings, columns=_pairs(comparison))),
        versions=installed_versions(),
    )


def _pairs(comparison: MapComparison) -> dict[str, list[str]]:
    """Return the words of all pairs, those to learn from first."""
    pairs = [*comparison.train_pairs, *comparison.test_pairs]
    return {"source": [one for one, _ in pairs], "target": [one for _, one in pairs]}


def render_alignment(data: AlignmentReportData) -> str:
    """Return a report on maps between word vectors as HTML.

    Parameters
    ----------
    data : AlignmentReportData
        From :func:`summarise_alignment`.

    Returns
    -------
    str
        A whole page: no other file and no network is needed to read it.

    Raises
    ------
    ImportError
        If vl-convert-python is not installed; the message names the command that installs it.
    """
    page = whole_page(
        data,
        f"{how_many(data.n_train, 'pair')} to learn from, {count(data.n_test)} to judge by",
        [make(data) for make in _SECTIONS],
        styles=[asset("quire.report._alignment", "alignment.css")],
    )
    return str(page)
