"""What a report on a map between word vectors says, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["AlignmentReportData", "AlignmentScore", "PairPoint", "TranslatedWord"]


@dataclass(frozen=True)
class AlignmentScore:
    """Precision at every k of a method with a retrieval."""

    method: str
    retrieval: str
    precision: list[float]
    is_best: bool


@dataclass(frozen=True)
class TranslatedWord:
    """A word, the words found for it with their scores, and the right ones if they are known.

    `rank` is the place of the first right one; ``None`` if none was found.
    """

    word: str
    found: list[tuple[str, float]]
    right: list[str]
    rank: int | None


@dataclass(frozen=True)
class PairPoint:
    """A pair in the plane: the word before and after it is mapped, and its partner."""

    word: str
    partner: str
    before: tuple[float, float]
    after: tuple[float, float]
    target: tuple[float, float]


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
