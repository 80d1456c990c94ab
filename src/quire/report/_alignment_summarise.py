"""From a comparison of maps to the data of a report on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from quire._shared.typing import Floats
from quire.alignment import MapComparison, Translation
from quire.alignment._vector_map import unit_rows
from quire.report._alignment_data import (
    AlignmentReportData,
    AlignmentScore,
    PairPoint,
    TranslatedWord,
)
from quire.report._data import to_plain
from quire.report._provenance import installed_versions, now

__all__ = ["summarise_alignment"]


_PAIRS = 10  # in the picture
_FOUND = 5  # words that are shown for each
_FEW = 30  # test words below which a share tells little


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
    >>> found = compare_maps(source, target, [(f"s{i}", f"t{i}") for i in range(40)])
    >>> data = summarise_alignment(found)
    >>> data.best, data.n_right, data.n_judged
    (('orthogonal', 'csls'), 13, 13)
    """
    best, model = comparison.best, comparison.best_model
    judged = comparison.translations[best.method, best.retrieval]
    right = sorted((one for one in judged if one.rank == 1), key=lambda one: -_margin(one))
    wrong = sorted(
        (one for one in judged if one.rank != 1), key=lambda one: (one.rank is None, one.rank or 0)
    )
    points, variance, same_plane = _points(comparison)
    notes = []
    if len(judged) < _FEW:
        notes.append(
            f"Only {len(judged)} words were held out; the shares may be off by 10 points and more."
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
        scores=[
            AlignmentScore(
                one.method, one.retrieval, list(one.precision.values()), one is comparison.best
            )
            for one in comparison.scores
        ],
        best=(best.method, best.retrieval),
        right=[_word(one) for one in _spread(right, n_examples)],
        wrong=[_word(one) for one in _spread(wrong, n_examples)],
        n_right=len(right),
        n_judged=len(judged),
        words=[_word(one) for one in words],
        points=points,
        variance=variance,
        same_plane=same_plane,
        missing_source=comparison.missing_source,
        missing_target=comparison.missing_target,
        notes=notes,
        settings=to_plain(dict(settings or {})),
        versions=installed_versions(),
    )


def _margin(one: Translation) -> float:
    scores = [score for _, score in one.found[:2]]
    return scores[0] - scores[1] if len(scores) == 2 else 0.0


def _spread(listed: list[Translation], n: int) -> list[Translation]:
    """Take some from the first to the last, so that clear cases and close ones are seen."""
    places = np.unique(np.linspace(0, len(listed) - 1, min(n, len(listed))).round().astype(int))
    return [listed[place] for place in places]


def _word(one: Translation) -> TranslatedWord:
    return TranslatedWord(one.word, one.found[:_FOUND], one.right, one.rank)


def _points(comparison: MapComparison) -> tuple[list[PairPoint], float, bool]:
    """Return pairs in the plane in which their partners differ most."""
    model = comparison.best_model
    distinct = list({s: (s, t) for s, t in reversed(comparison.test_pairs)}.values())[::-1]
    places = np.linspace(0, len(distinct) - 1, min(_PAIRS, len(distinct))).round().astype(int)
    pairs = [distinct[place] for place in np.unique(places)]
    A = np.asarray(model.source_[[s for s, _ in pairs]], dtype=np.float64)
    B = unit_rows(np.asarray(model.target_[[t for _, t in pairs]], dtype=np.float64))
    mapped = unit_rows(model.transform(A))
    same = A.shape[1] == B.shape[1]
    middle = B.mean(axis=0)
    axes, variance = _axes(B - middle)
    A = unit_rows(A)
    before = (A - middle) @ axes if same else (A - A.mean(axis=0)) @ _axes(A - A.mean(axis=0))[0]
    after, target = (mapped - middle) @ axes, (B - middle) @ axes
    listed = [
        PairPoint(s, t, _plain(before[i]), _plain(after[i]), _plain(target[i]))
        for i, (s, t) in enumerate(pairs)
    ]
    return listed, variance, same


def _axes(X: Floats) -> tuple[Floats, float]:
    """Return two directions of the largest variance, and their share of it."""
    _, sizes, directions = np.linalg.svd(X, full_matrices=True)
    axes = np.zeros((X.shape[1], 2))
    found = directions[:2].T
    signs = np.where(found[np.abs(found).argmax(axis=0), range(found.shape[1])] < 0, -1.0, 1.0)
    axes[:, : found.shape[1]] = found * signs
    total = float((sizes**2).sum())
    return axes, float((sizes[:2] ** 2).sum()) / total if total else 0.0


def _plain(point: Floats) -> tuple[float, float]:
    return round(float(point[0]), 4), round(float(point[1]), 4)
