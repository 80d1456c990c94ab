"""What a report says, as plain data: numbers, strings and lists of them, ready for JSON.

The data layer computes these and the HTML layer only shows them, so that everything in a report can
be tested, saved and used by other programs without reading HTML.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from typing import Any

__all__ = [
    "Calibration",
    "ClassScores",
    "Confusion",
    "CorpusSummary",
    "Curve",
    "DuplicateGroup",
    "EvidenceTerm",
    "Histogram",
    "LeaderboardRow",
    "Learning",
    "Mistake",
    "Path",
    "Piece",
    "Regression",
    "ReportData",
    "to_plain",
]


@dataclass(frozen=True)
class Histogram:
    """Counts between edges; `above` values are larger than the last edge."""

    edges: list[float]
    counts: list[int]
    above: int = 0


@dataclass(frozen=True)
class DuplicateGroup:
    """Documents with the same text, up to case and white space."""

    text: str
    count: int
    labels: list[str]


@dataclass(frozen=True)
class CorpusSummary:
    """The documents: how many, how long, of which classes, and what is wrong with them.

    `exact_duplicates` and `near_duplicates` count documents that repeat an earlier one; the second
    ignores case and white space, and includes the first. `leaked` counts held-out documents whose
    text is also in the training rows of their fold. `score_leaked` and `score_clean` are the
    accuracy (or mean absolute error) of the best model on those documents and on the others.
    """

    n_documents: int
    missing: int
    empty: int
    words: Histogram
    words_median: float
    words_mean: float
    words_max: int
    class_counts: list[tuple[str, int]]
    target: Histogram | None
    exact_duplicates: int
    near_duplicates: int
    conflicting_groups: int
    conflicting_documents: int
    leaked: int
    score_leaked: float | None
    score_clean: float | None
    examples: list[DuplicateGroup] = field(default_factory=list)


@dataclass(frozen=True)
class LeaderboardRow:
    """One model: its score, how sure it is, and what it costs."""

    rank: int
    name: str
    title: str
    mean: float | None
    low: float | None
    high: float | None
    p_value: float | None
    others: dict[str, float | None]
    fold_scores: list[float | None]
    fit_seconds: float | None
    tune_seconds: float | None
    predict_seconds: float | None
    peak_mb: float | None
    error: str | None


@dataclass(frozen=True)
class Confusion:
    """How often documents of one class were predicted to be of another.

    `counts` has a row for each true class. With many classes only the most confused are in it, and
    `n_classes` is larger than the number of `labels`. `pairs` are the most frequent errors.
    """

    labels: list[str]
    counts: list[list[int]]
    shares: list[list[float]]
    n_classes: int
    pairs: list[tuple[str, str, int, float]]


@dataclass(frozen=True)
class ClassScores:
    """Precision, recall and F1 of one class, or an average."""

    label: str
    precision: float
    recall: float
    f1: float
    support: int


@dataclass(frozen=True)
class Curve:
    """A line of a chart, with the area under it."""

    name: str
    x: list[float]
    y: list[float]
    area: float


@dataclass(frozen=True)
class Calibration:
    """Predicted probabilities against what happened, in bins of equal width."""

    model: str
    predicted: list[float]
    observed: list[float]
    counts: list[int]
    ece: float
    brier: float


@dataclass(frozen=True)
class Regression:
    """Predicted against true numbers: all of them as `points`, or counted in `cells` if many."""

    mae: float
    rmse: float
    r2: float
    bias: float
    points: list[tuple[float, float]]
    cells: list[tuple[float, float, float, float, int]]
    residuals: Histogram


@dataclass(frozen=True)
class Learning:
    """Scores by the number of training documents; means over folds and their spread."""

    sizes: list[int]
    train: list[float]
    held_out: list[float]
    train_spread: list[float]
    held_out_spread: list[float]


@dataclass(frozen=True)
class Path:
    """The strongest coefficients of one output by the strength of the penalty."""

    output: str | None
    label: str
    penalties: list[float]
    terms: list[str]
    coefs: list[list[float]]


@dataclass(frozen=True)
class EvidenceTerm:
    """A term and how much it speaks for a class."""

    term: str
    weight: float


@dataclass(frozen=True)
class Piece:
    """A stretch of text and its weight.

    From -1, for the truth or a smaller number, to 1, for the prediction or a larger number.
    """

    text: str
    weight: float = 0.0


@dataclass(frozen=True)
class Mistake:
    """A document that the best model got wrong while it was held out."""

    row: int
    truth: str
    predicted: str
    confidence: float | None
    pieces: list[Piece]
    cut: int
    terms: list[EvidenceTerm]


@dataclass(frozen=True)
class ReportData:
    """All that a report says, section by section; ``None`` or empty where there is nothing."""

    title: str
    created: str
    task: str
    metric: str
    metrics: list[str]
    n_folds: int
    seconds: float
    interrupted: bool
    notes: list[str]
    best: str
    corpus: CorpusSummary
    leaderboard: list[LeaderboardRow]
    positive: str | None
    confusion: Confusion | None
    class_scores: list[ClassScores]
    ordered_mae: float | None
    roc: list[Curve]
    precision_recall: list[Curve]
    curves_model: str | None
    calibration: list[Calibration]
    regression: Regression | None
    learning: Learning | None
    paths: list[Path]
    evidence: dict[str, list[EvidenceTerm]]
    evidence_note: str
    mistakes: list[Mistake]
    mistakes_total: int
    mistakes_note: str
    chosen: dict[str, list[dict[str, Any]]]
    settings: dict[str, Any]
    versions: dict[str, str]


def to_plain(value: Any) -> Any:
    """Return dataclasses, arrays and numbers of NumPy as what JSON knows; NaN becomes ``None``.

    Parameters
    ----------
    value : object
        Anything; what is not known becomes its ``repr``.

    Returns
    -------
    object
        Made of dict, list, str, int, float, bool and ``None``.

    Examples
    --------
    >>> to_plain({"a": (1.0, float("nan")), "b": Piece("x")})
    {'a': [1.0, None], 'b': {'text': 'x', 'weight': 0.0}}
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [item.name for item in dataclasses.fields(value)]
        return {name: to_plain(getattr(value, name)) for name in names}
    if isinstance(value, dict):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset | range):
        return [to_plain(item) for item in value]
    if hasattr(value, "tolist"):  # arrays and numbers of NumPy
        return to_plain(value.tolist())
    return repr(value)
