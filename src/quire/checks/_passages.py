"""Passages that most documents of one class share, and hardly one of the others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from quire._shared.typing import Ints
from quire.checks._findings import Finding
from quire.checks._material import Material, percent
from quire.feature_extraction.text import CountVectorizer

__all__ = ["shared_passages"]

_WORDS = 6  # of a passage
_SAMPLE, _LEAST_SAMPLE = 300, 10  # documents of a class that are looked at
_MOST_SAMPLED = 12_000  # documents in all
_MOST_CHARACTERS = 20_000  # of a document
_SHARE, _RATIO = 0.3, 4.0  # of the class; times its share of the others


def shared_passages(material: Material) -> Iterator[Finding]:
    """QT012: boilerplate of a class, found in a sample of each class."""
    assert material.labels is not None
    assert material.codes is not None
    rows = _sampled(material)
    if not len(rows):
        return
    codes = material.codes[rows]
    texts = material.texts.gather(rows).str.slice(0, _MOST_CHARACTERS)
    vectorizer = CountVectorizer(
        ngram_range=(_WORDS, _WORDS),
        token_pattern=r"(?u)\b\w\w+\b",
        binary=True,
        min_df=5,
        dtype=np.float32,
        n_jobs=material.n_jobs,
    )
    try:
        X = vectorizer.fit_transform(texts)
    except ValueError:  # nothing comes again
        return
    n_classes = len(material.labels)
    sizes = np.bincount(codes, minlength=n_classes)
    df = np.stack(
        [np.bincount(X[codes == k].indices, minlength=X.shape[1]) for k in range(n_classes)]
    )
    total = df.sum(axis=0)
    names = vectorizer.get_feature_names_out()
    for k in np.flatnonzero(sizes >= _LEAST_SAMPLE):
        own = df[k] / sizes[k]
        others = (total - df[k]) / max(1, sizes.sum() - sizes[k])
        columns = np.flatnonzero((own >= _SHARE) & (own >= _RATIO * others))
        if not len(columns):
            continue
        most = columns[np.lexsort((columns, -own[columns]))]
        passages = _joined([str(names[j]) for j in most])
        share = float(own[most[0]])
        known = np.flatnonzero(np.isin(codes, [k]))
        has = np.asarray(X[known][:, most].sum(axis=1)).ravel() > 0
        shown = passages[0] if len(passages[0]) <= 100 else f"{passages[0][:97]}..."
        more = f" and {len(passages) - 1:,} more" if len(passages) > 1 else ""
        yield Finding(
            "QT012",
            f"{percent(share)} of class {material.labels[k]!r} have {shown!r}{more}; of the other "
            f"classes {percent(float(others[most[0]]))}. Seen in {sizes[k]:,} of its documents.",
            "warning",
            np.sort(rows[known[has]]),
            terms=tuple(passages[:20]),
            classes=(material.labels[k],),
            details={"share": share, "share of others": float(others[most[0]])},
        )


def _sampled(material: Material) -> Ints:
    """Return rows at equal distances of each class, as many of each as may be."""
    assert material.codes is not None
    assert material.labels is not None
    most = max(_LEAST_SAMPLE, min(_SAMPLE, _MOST_SAMPLED // max(1, len(material.labels))))
    parts = [np.empty(0, dtype=np.int64)]
    order = np.argsort(material.codes, kind="stable")
    ends = np.searchsorted(material.codes[order], np.arange(len(material.labels) + 1))
    for k in range(len(material.labels)):
        rows = order[ends[k] : ends[k + 1]]
        places = np.unique(np.linspace(0, len(rows) - 1, min(most, len(rows))).astype(np.int64))
        parts.append(rows[places])
    return np.sort(np.concatenate(parts))


def _joined(runs: list[str]) -> list[str]:
    """Join runs of words that overlap in all but one word; the most frequent one comes first."""
    words = [run.split() for run in runs]
    by_start = {tuple(run[:-1]): place for place, run in reversed(list(enumerate(words)))}
    by_end = {tuple(run[1:]): place for place, run in reversed(list(enumerate(words)))}
    used: set[int] = set()
    passages = []
    for place, run in enumerate(words):
        if place in used:
            continue
        used.add(place)
        passage = list(run)
        while (
            after := by_start.get(tuple(passage[1 - _WORDS :]))
        ) is not None and after not in used:
            used.add(after)
            passage.append(words[after][-1])
        while (
            before := by_end.get(tuple(passage[: _WORDS - 1]))
        ) is not None and before not in used:
            used.add(before)
            passage.insert(0, words[before][0])
        passages.append(" ".join(passage))
    return passages
