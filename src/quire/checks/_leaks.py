"""What gives the label away: its name in the text, other columns, groups and time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl
from scipy import sparse
from sklearn.base import clone

from quire._shared.typing import Ints
from quire.checks._findings import Finding
from quire.checks._material import Material, of_documents, percent

__all__ = ["groups_on_both_sides", "label_names", "telling_columns", "time_and_labels"]

_LEAST = 5  # documents with the name of a label
_SURE = 4.0  # standard errors above what chance gives
_TELLING = 0.5  # of what the majority gets wrong: a column that gets it right
_FAMILIAR = 0.1  # the same, of a group that a model may recognise
_DRIFTING = 0.1
_TIMES = 10  # equal parts of the documents by time
_TIME_NAMES = re.compile(r"(^|[^a-z])(date|time|timestamp|year|month|created|published|sent)", re.I)
_MOST_NUMBERS = 50  # different ones that are looked at as if they were categories
_GROUP_NAMES = re.compile(
    r"author|user|speaker|writer|sender|source|outlet|publisher|case|patient|customer|account|"
    r"thread|session|conversation|document|respondent|company|hospital|site|domain|channel",
    re.I,
)


def label_names(material: Material) -> Iterator[Finding]:
    """QT004: the names of labels in the texts, where they go with the label."""
    assert material.labels is not None
    assert material.codes is not None
    known = material.codes >= 0
    n = int(known.sum())
    told: list[tuple[int, Ints, int]] = []  # class, rows with its name, right ones
    for k, rows in _rows_with_names(material):
        rows = rows[known[rows]]
        right = int((material.codes[rows] == k).sum())
        prior = material.sizes[k] / n
        if len(rows) < _LEAST or prior in (0, 1):
            continue
        share = right / len(rows)
        error = np.sqrt(prior * (1 - prior) / len(rows))
        if share >= max(0.5, prior + 0.25 * (1 - prior)) and share - prior >= _SURE * error:
            told.append((k, rows, right))
    if not told:
        return
    told.sort(key=lambda one: -one[2])
    sentences = [
        f"{material.labels[k]!r} stands in {of_documents(len(rows))}, {percent(right / len(rows))} "
        f"of them of this class, {percent(right / material.sizes[k])} of the class"
        for k, rows, right in told
    ]
    guess = np.full(len(material), int(material.sizes.argmax()))
    for k, rows, _ in reversed(told):  # the name that is right most often comes last
        guess[rows] = k
    accuracy = float((guess == material.codes)[known].mean())
    majority = float(material.sizes.max() / n)
    rows = np.unique(np.concatenate([rows for _, rows, _ in told]))
    skill = (accuracy - majority) / max(1 - majority, 1e-9)
    yield Finding(
        "QT004",
        f"{'. '.join(sentences[:3])}. {_more(len(sentences) - 3)}These names alone are right for "
        f"{percent(accuracy)} of the documents; the largest class is for {percent(majority)}.",
        "error" if skill >= _TELLING else "warning",
        rows,
        terms=tuple(material.labels[k] for k, _, _ in told),
        classes=tuple(material.labels[k] for k, _, _ in told),
        details={
            "accuracy": accuracy,
            "majority": majority,
            "names": {
                material.labels[k]: {"documents": len(rows), "of the class": right}
                for k, rows, right in told
            },
        },
    )


def _more(n: int) -> str:
    return f"So do {n:,} more. " if n > 0 else ""


def _rows_with_names(material: Material) -> Iterator[tuple[int, Ints]]:
    """Yield each class whose name is in some texts, and these."""
    assert material.labels is not None
    counts = material.counts
    if counts is None or not material.terms or counts.vectorizer.analyzer != "word":
        return
    single = clone(counts.vectorizer).set_params(ngram_range=(1, 1), min_df=1, max_df=1.0)
    analyze = single.build_analyzer()
    names = {k: analyze(label.replace("_", " ")) for k, label in enumerate(material.labels)}
    column = {term: place for place, term in enumerate(material.terms)}
    wanted = sorted({t for tokens in names.values() for t in tokens if t in column})
    if not wanted:
        return
    places = {token: place for place, token in enumerate(wanted)}
    X = sparse.csr_array(counts.counts)
    by_token = sparse.csc_array(X[:, [column[token] for token in wanted]])
    for k, tokens in names.items():
        if not tokens or not all(token in places for token in tokens):
            continue
        if all(token.isdigit() for token in tokens):
            continue
        rows = _rows_of(by_token, places[tokens[0]])
        for token in tokens[1:]:
            rows = np.intersect1d(rows, _rows_of(by_token, places[token]), assume_unique=True)
        if len(tokens) > 1 and len(rows):  # the words are there; do they stand side by side?
            pattern = r"(?i)\b" + r"[\W_]+".join(map(re.escape, tokens)) + r"\b"
            rows = rows[material.texts.gather(rows).str.contains(pattern).to_numpy()]
        if len(rows):
            yield k, rows


def _rows_of(columns: sparse.csc_array, place: int) -> Ints:
    part = slice(columns.indptr[place], columns.indptr[place + 1])
    return np.sort(columns.indices[part]).astype(np.int64)


@dataclass(frozen=True)
class _Told:
    """How well the value of a column alone tells the label of a document left out."""

    accuracy: float
    majority: float

    @property
    def skill(self) -> float:
        """The share of what the largest class gets wrong that the column gets right."""
        return (self.accuracy - self.majority) / max(1 - self.majority, 1e-9)


def _told_by(material: Material, values: Ints) -> _Told:
    """Ask the other documents with the same value; a value without others says the largest class.

    Each document is left out of the counts that answer for it.
    """
    assert material.codes is not None
    assert material.labels is not None
    rows = np.flatnonzero((values >= 0) & (material.codes >= 0))
    codes, values = material.codes[rows], values[rows]
    n_classes = len(material.labels)
    sizes = np.bincount(codes, minlength=n_classes)
    pairs, counts = np.unique(values * n_classes + codes, return_counts=True)
    of_value = pairs // n_classes
    order = np.lexsort((pairs, -counts, of_value))  # the most frequent class of each value first
    pairs, counts, of_value = pairs[order], counts[order], of_value[order]
    first = np.r_[True, of_value[1:] != of_value[:-1]] if len(pairs) else np.zeros(0, bool)
    n_values = int(values.max(initial=-1)) + 1
    best, second = (np.zeros(n_values, dtype=np.int64) for _ in range(2))
    top = np.full(n_values, -1, dtype=np.int64)
    best[of_value[first]], top[of_value[first]] = counts[first], pairs[first] % n_classes
    follows = np.flatnonzero(first)[:, None] + 1
    follows = follows[follows < len(pairs)]
    follows = follows[~first[follows]]
    second[of_value[follows]] = counts[follows]
    is_top = codes == top[values]
    alone = np.bincount(values, minlength=n_values)[values] == 1
    right = is_top & (best[values] - 1 > second[values])  # ties without it count as half
    tied = is_top & (best[values] - 1 == second[values]) & ~alone
    correct = np.where(alone, codes == sizes.argmax(), right + 0.5 * tied)
    n = max(len(rows), 1)
    return _Told(float(correct.sum() / n), float(sizes.max(initial=0) / n))


def _values_of(column: pl.Series) -> Ints | None:
    """Return the number of the value of each row, -1 for none; nothing for measurements."""
    if column.dtype.is_nested() or column.dtype == pl.Object:
        return None
    if column.dtype.is_float():
        column = column.fill_nan(None)
    if column.dtype.is_numeric() and column.n_unique() > _MOST_NUMBERS:
        return None
    ranks = column.cast(pl.String).rank("dense").fill_null(0).to_numpy().astype(np.int64) - 1
    values: Ints = ranks
    return values


def telling_columns(material: Material) -> Iterator[Finding]:
    """QT005: columns whose value says the label."""
    assert material.labels is not None
    assert material.codes is not None
    for column in material.columns.iter_columns():
        if column.dtype.is_temporal() or _is_group(column):
            continue
        values = _values_of(column)
        if values is None:
            continue
        told = _told_by(material, values)
        if told.skill >= _TELLING:
            yield Finding(
                "QT005",
                f"Column {column.name!r} alone tells the label of {percent(told.accuracy)} of the "
                f"documents; the largest class is that of {percent(told.majority)}.",
                "error" if told.skill >= 0.9 else "warning",
                terms=(column.name,),
                details={"accuracy": told.accuracy, "majority": told.majority},
            )


def _is_group(column: pl.Series) -> bool:
    """Return whether a column names people, sources or cases that come again."""
    if column.dtype.is_float() or column.dtype.is_temporal() or column.dtype.is_nested():
        return False
    n_values = column.n_unique()
    return bool(_GROUP_NAMES.search(column.name)) and 2 <= n_values <= 0.8 * len(column)


def groups_on_both_sides(material: Material) -> Iterator[Finding]:
    """QT006: authors, sources or cases with documents on both sides of a fold."""
    columns = [] if material.groups is None else [material.groups]
    given = len(columns)
    columns += [column for column in material.columns.iter_columns() if _is_group(column)]
    for number, column in enumerate(columns):
        values = _values_of(column.cast(pl.String))
        if values is None:
            continue
        told = None if material.codes is None else _told_by(material, values)
        is_given = number < given
        if is_given and material.parts is None:
            continue  # random folds will keep them together
        if not is_given and (told is None or told.skill < _FAMILIAR):
            continue
        sizes = np.bincount(values[values >= 0], minlength=1)
        torn = sizes > 1
        if material.parts is not None:
            torn &= material.spans_parts(values)[: len(sizes)] > 1
        rows = np.flatnonzero((values >= 0) & torn[values])
        if not len(rows):
            continue
        name = column.name or "groups"
        divided = "are in several parts" if material.parts is not None else "would be divided"
        what = (
            f"{int(torn.sum()):,} of {int((sizes > 0).sum()):,} values of {name!r} {divided}: "
            f"{of_documents(len(rows))}, {percent(len(rows) / len(material))} of all"
        )
        details: dict[str, float] = {"groups": int(torn.sum()), "documents": len(rows)}
        if told is not None:
            details |= {"accuracy": told.accuracy, "majority": told.majority}
            what += (
                f". The other documents with the same value tell the label of "
                f"{percent(told.accuracy)}; the largest class is that of {percent(told.majority)}"
            )
        severity = "error" if is_given else "warning"
        yield Finding("QT006", f"{what}.", severity, rows, terms=(name,), details=details)


def time_and_labels(material: Material) -> Iterator[Finding]:
    """QT007: shares of classes that change with time, where folds mix earlier and later."""
    assert material.labels is not None
    assert material.codes is not None
    for column in material.columns.iter_columns():
        times = _times_of(column)
        if times is None:
            continue
        known = np.flatnonzero(np.isfinite(times))
        if len(known) < 10 * _TIMES:
            continue
        periods = np.full(len(times), -1, dtype=np.int64)
        cuts = np.quantile(times[known], np.linspace(0, 1, _TIMES + 1)[1:-1])
        periods[known] = np.searchsorted(np.unique(cuts), times[known], side="right")
        told = _told_by(material, periods)
        if told.skill < _DRIFTING:
            continue
        what = (
            f"By {column.name!r} alone, cut into {len(np.unique(periods[known]))} periods, "
            f"{percent(told.accuracy)} of the labels can be told; the largest class is that of "
            f"{percent(told.majority)}"
        )
        details = {"accuracy": told.accuracy, "majority": told.majority}
        if material.parts is not None:
            mixed = _mixed(material, times)
            if mixed < 0.05:
                continue  # the parts follow each other in time
            what += ", and the parts are of the same time"
        yield Finding("QT007", f"{what}.", "warning", terms=(column.name,), details=details)


def _times_of(column: pl.Series) -> np.ndarray | None:
    """Return the times of a column as numbers, if it has any."""
    if column.dtype.is_temporal():
        return column.to_physical().cast(pl.Float64).to_numpy().astype(np.float64)
    if not _TIME_NAMES.search(column.name):
        return None
    if column.dtype.is_numeric():
        return column.cast(pl.Float64).to_numpy().astype(np.float64)
    if column.dtype != pl.String:
        return None
    dates = column.str.slice(0, 10).str.to_date("%Y-%m-%d", strict=False)
    if dates.null_count() > 0.2 * len(column):
        return None
    return dates.to_physical().cast(pl.Float64).to_numpy().astype(np.float64)


def _mixed(material: Material, times: np.ndarray) -> float:
    """Return how far parts are of the same time: 0 if each is wholly before the next, up to 1.

    Of several parts it is the largest of those that are neighbours in time.
    """
    assert material.parts is not None
    of_part = [
        times[(material.parts == p) & np.isfinite(times)] for p in range(len(material.part_names))
    ]
    of_part = sorted((part for part in of_part if len(part)), key=np.median)
    most = 0.0
    for early, late in pairwise(of_part):
        later = np.searchsorted(np.sort(early), late, side="right").mean() / len(early)
        most = max(most, 2 * min(later, 1 - later))
    return float(most)
