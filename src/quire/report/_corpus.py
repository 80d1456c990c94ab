"""What a report says about the documents: lengths, balance, empty and repeated texts, leakage."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire._shared.typing import Floats, Ints
from quire.report._data import CorpusSummary, DuplicateGroup, Histogram
from quire.report._documents import group_codes, word_counts
from quire.report._outcomes import Outcomes

__all__ = ["histogram", "summarise_corpus"]

_BINS = 30
_EXAMPLE = 160  # characters


def summarise_corpus(
    column: pl.Series, outcomes: Outcomes, folds: Any, n_examples: int
) -> CorpusSummary:
    """Return what there is to know about the documents before any model is looked at.

    Parameters
    ----------
    column : polars.Series
        The documents.
    outcomes : Outcomes
        Their labels, and what the best model made of them.
    folds : list of (ndarray, ndarray)
        Training and held-out rows.
    n_examples : int
        How many groups of repeated documents to show.
    """
    words = word_counts(column)
    exact, near = group_codes(column, exact=True), group_codes(column, exact=False)
    conflicts = _conflicting(near, outcomes)
    leaked = _leaked(near, folds)
    known = outcomes.known
    return CorpusSummary(
        n_documents=len(column),
        missing=column.null_count(),
        empty=int((near < 0).sum()) - column.null_count(),
        words=_word_histogram(words),
        words_median=float(np.median(words)),
        words_mean=float(words.mean()),
        words_max=int(words.max()),
        class_counts=outcomes.class_counts(),
        target=None if outcomes.labels else histogram(outcomes.numbers),
        exact_duplicates=_repeats(exact),
        near_duplicates=_repeats(near),
        conflicting_groups=len(conflicts),
        conflicting_documents=int(np.isin(near, conflicts).sum()),
        leaked=int(leaked.sum()),
        score_leaked=outcomes.quality(leaked & known),
        score_clean=outcomes.quality(~leaked & known),
        examples=_examples(column, near, conflicts, outcomes, n_examples),
    )


def histogram(values: Floats, n_bins: int = _BINS, top: float | None = None) -> Histogram:
    """Return counts in bins of equal width.

    Parameters
    ----------
    values : ndarray
        Numbers; those that are not finite are left out.
    n_bins : int, default=30
        How many bins.
    top : float, default=None
        The last edge; the largest value if ``None``.
    """
    values = values[np.isfinite(values)]
    if not values.size:
        return Histogram([0.0, 1.0], [0])
    low, high = float(values.min()), float(values.max()) if top is None else top
    if high <= low:
        low, high = low - 0.5, low + 0.5
    counts, edges = np.histogram(values, bins=n_bins, range=(low, high))
    return Histogram(edges.tolist(), counts.tolist(), int((values > high).sum()))


def _word_histogram(words: Ints) -> Histogram:
    """Bins of whole words from zero to the 99th percentile: a few long texts squeeze the rest."""
    top = max(int(np.percentile(words, 99)), 1)
    width = max(1, int(np.ceil((top + 1) / _BINS)))
    edges = np.arange(0, top + width + 1, width)
    counts, _ = np.histogram(words[words < edges[-1]], bins=edges)
    return Histogram(edges.astype(float).tolist(), counts.tolist(), int((words >= edges[-1]).sum()))


def _repeats(codes: Ints) -> int:
    """Count documents that repeat an earlier one."""
    full = codes[codes >= 0]
    return int(full.size - np.unique(full).size)


def _conflicting(codes: Ints, outcomes: Outcomes) -> Ints:
    """Return the numbers of the texts that have more than one label."""
    use = (codes >= 0) & outcomes.labelled
    values = (
        outcomes.codes if outcomes.labels else np.unique(outcomes.numbers, return_inverse=True)[1]
    )
    n_values = int(values.max(initial=0)) + 1
    pairs = np.unique(codes[use] * n_values + values[use])
    texts, counts = np.unique(pairs // n_values, return_counts=True)
    found: Ints = texts[counts > 1]
    return found


def _leaked(codes: Ints, folds: Any) -> NDArray[np.bool_]:
    """Mark held-out documents whose text is also among the training rows of their fold."""
    leaked = np.zeros(len(codes), dtype=bool)
    size = int(codes.max(initial=-1)) + 2
    for train, test in folds:
        seen = np.zeros(size, dtype=bool)
        seen[codes[train]] = True
        seen[-1] = False  # where -1 points: empty documents are no leak
        leaked[test] |= seen[codes[test]]
    return leaked


def _examples(
    column: pl.Series, codes: Ints, conflicts: Ints, outcomes: Outcomes, n_examples: int
) -> list[DuplicateGroup]:
    """Show texts with different labels first, then the most repeated ones."""
    texts, counts = np.unique(codes[codes >= 0], return_counts=True)
    texts, counts = texts[counts > 1], counts[counts > 1]
    order = np.lexsort((texts, -counts, ~np.isin(texts, conflicts)))[:n_examples]
    groups = []
    for place in order:
        rows = np.flatnonzero(codes == texts[place])
        text = " ".join(str(column[int(rows[0])]).split())
        cut = text if len(text) <= _EXAMPLE else text[: _EXAMPLE - 1] + "…"
        groups.append(DuplicateGroup(cut, int(counts[place]), outcomes.names_of(rows)))
    return groups
