"""Errors by class: the confusion matrix, and precision, recall and F1."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

from quire._shared.page.html import NOTHING, Html
from quire._shared.page.numbers import number, score
from quire._shared.page.sections import Section, paragraph, section, titled
from quire._shared.page.tables import table
from quire._shared.typing import Floats, Ints
from quire.model_selection import Comparison, Trial
from quire.report._comparison.cells import Cell, cells_of
from quire.report._comparison.documents import Documents
from quire.report._comparison.matrix import Orders, matrix_html, orders_of
from quire.report._comparison.outcomes import Outcomes

if TYPE_CHECKING:
    from quire.report._comparison.report import ReportData

__all__ = [
    "ClassScores",
    "Confusion",
    "Costs",
    "class_scores",
    "class_table_of",
    "classes_section",
    "confusion_of",
    "costs_of",
    "ordered_error",
]

_MOST_CLASSES = 40  # rows of a matrix that can still be read
_MOST_PAIRS = 15
_MOST_COSTS = 12  # classes up to which a table of costs can be read
_MOST_ROWS = 200  # classes in the table of scores


@dataclass(frozen=True)
class Confusion:
    """How often documents of one class were predicted to be of another.

    `counts` has a row for each true class. With many classes only the most confused are in it, and
    `n_classes` is larger than the number of `labels`. `true_totals` and `predicted_totals` are
    those of all documents. `pairs` are the most frequent errors, `cells` have documents of each.
    """

    labels: list[str]
    counts: list[list[int]]
    shares: list[list[float]]
    n_classes: int
    pairs: list[tuple[str, str, int, float]]
    true_totals: list[int]
    predicted_totals: list[int]
    orders: Orders
    cells: list[Cell] = field(default_factory=list)


@dataclass(frozen=True)
class ClassScores:
    """Precision, recall and F1 of one class, or an average; F1 of a class has an interval."""

    label: str
    precision: float
    recall: float
    f1: float
    support: int
    f1_low: float | None = None
    f1_high: float | None = None


@dataclass(frozen=True)
class Costs:
    """What mistakes cost: a row for each true class; and what predictions cost on average."""

    labels: list[str]
    rows: list[list[float]]
    mean: float


def confusion_of(
    comparison: Comparison, trial: Trial, outcomes: Outcomes, documents: Documents, model: Any
) -> Confusion:
    """Return the confusion matrix; with many classes, of those with the most errors.

    Parameters
    ----------
    comparison : Comparison
        Its classes.
    trial : Trial
        The best model.
    outcomes : Outcomes
        What it predicted.
    documents : Documents
        Of what.
    model : object or None
        A fitted model that can say why.
    """
    n_classes = len(outcomes.labels)
    counts = confusion_matrix(
        outcomes.codes[outcomes.known],
        outcomes.predicted[outcomes.known],
        labels=np.arange(n_classes),
    )
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    shown = _most_confused(counts)
    labels = [outcomes.labels[k] for k in shown]
    part = counts[np.ix_(shown, shown)]
    return Confusion(
        labels=labels,
        counts=part.tolist(),
        shares=shares[np.ix_(shown, shown)].tolist(),
        n_classes=n_classes,
        pairs=_pairs(counts, shares, outcomes.labels),
        true_totals=counts.sum(axis=1)[shown].tolist(),
        predicted_totals=counts.sum(axis=0)[shown].tolist(),
        orders=orders_of(part, labels),
        cells=cells_of(comparison, trial, outcomes, documents, model, shown),
    )


def _most_confused(counts: Ints) -> list[int]:
    if len(counts) <= _MOST_CLASSES:
        return list(range(len(counts)))
    wrong = counts.sum(axis=0) + counts.sum(axis=1) - 2 * np.diag(counts)
    return sorted(np.argsort(-wrong, kind="stable")[:_MOST_CLASSES].tolist())


def _pairs(counts: Ints, shares: Floats, labels: list[str]) -> list[tuple[str, str, int, float]]:
    wrong = counts - np.diag(np.diag(counts))
    order = np.argsort(-wrong, axis=None, kind="stable")[:_MOST_PAIRS]
    cells = [divmod(int(cell), len(labels)) for cell in order]
    return [
        (labels[a], labels[b], int(wrong[a, b]), float(shares[a, b]))
        for a, b in cells
        if wrong[a, b] > 0
    ]


def class_scores(comparison: Comparison, outcomes: Outcomes) -> list[ClassScores]:
    """Return scores of every class and, last, their mean; 0 where nothing was predicted.

    F1 has Wilson's interval of the share of documents that are of the class and predicted so among
    those that are either.

    Parameters
    ----------
    comparison : Comparison
        Whose best model it is.
    outcomes : Outcomes
        What it predicted.
    """
    intervals = comparison.class_table().select("f1_low", "f1_high").rows()
    truth, predicted = outcomes.codes[outcomes.known], outcomes.predicted[outcomes.known]
    numbers = np.arange(len(outcomes.labels))
    columns = precision_recall_fscore_support(truth, predicted, labels=numbers, zero_division=0)
    precision, recall, f1, support = (np.asarray(column) for column in columns)
    rows = [
        ClassScores(
            label,
            float(precision[k]),
            float(recall[k]),
            float(f1[k]),
            int(support[k]),
            *intervals[k],
        )
        for k, label in enumerate(outcomes.labels)
    ]
    mean = ClassScores(
        "Mean of classes",
        float(precision.mean()),
        float(recall.mean()),
        float(f1.mean()),
        int(support.sum()),
    )
    return [*rows, mean]


def costs_of(comparison: Comparison, outcomes: Outcomes) -> Costs | None:
    """Return what mistakes cost, if that was said.

    Parameters
    ----------
    comparison : Comparison
        With the costs.
    outcomes : Outcomes
        What its best model predicted.
    """
    if comparison.costs is None or not outcomes.known.any():
        return None
    each = comparison.costs[outcomes.codes[outcomes.known], outcomes.predicted[outcomes.known]]
    return Costs(outcomes.labels, comparison.costs.tolist(), float(each.mean()))


def ordered_error(outcomes: Outcomes) -> float | None:
    """Return by how many steps predictions of ordered classes are wrong, on average."""
    if not outcomes.known.any():
        return None
    steps = outcomes.codes[outcomes.known] - outcomes.predicted[outcomes.known]
    return float(np.abs(steps).mean())


def classes_section(report: ReportData) -> Section:
    """Return the confusion matrix and the scores of the classes."""
    name, title = "errors", "Errors by class"
    confusion = report.confusion
    if confusion is None:
        return section(name, title)
    pairs = [[a, b, times, f"{share:.1%}"] for a, b, times, share in confusion.pairs]
    frequent = steps = NOTHING
    if pairs:
        heads = ["True", "Predicted", "Documents", "Share of the true class"]
        frequent = titled("Most frequent errors", table(heads, pairs, "Most frequent errors"))
    if report.ordered_mae is not None:
        steps = paragraph(
            f"Predictions are {number(report.ordered_mae)} steps from the truth on average."
        )
    intro = paragraph(f"{report.best}, on documents while they were held out.")
    matrix = matrix_html(confusion, is_ordered=report.task == "ordered")
    costs = _cost_table(report)
    scores = class_table_of(report.class_scores, "class", "classes")
    return section(name, title, intro, steps, matrix, frequent, scores, costs)


def _cost_table(report: ReportData) -> Html:
    """Return what mistakes cost, where there are not too many classes to be read."""
    costs = report.costs
    if costs is None:
        return NOTHING
    about = paragraph(
        f"A prediction of {report.best} costs {number(costs.mean)} on average. Rows are true "
        "classes, columns predicted ones."
    )
    if len(costs.labels) > _MOST_COSTS:
        return titled("Costs", about)
    rows = [[label, *map(number, row)] for label, row in zip(costs.labels, costs.rows, strict=True)]
    heads = ["True \\ predicted", *costs.labels]
    return titled("Costs", about, table(heads, rows, "What each mistake costs"))


def class_table_of(scores: list[ClassScores], noun: str, nouns: str) -> Html:
    """Return a row for each class, or label, and one for their mean.

    Parameters
    ----------
    scores : list of ClassScores
        The mean is last.
    noun, nouns : str
        What they are, one and several.
    """
    rows = [
        [
            one.label,
            score(one.precision),
            score(one.recall),
            score(one.f1),
            "" if one.f1_low is None else f"{score(one.f1_low)} to {score(one.f1_high)}",
            one.support,
        ]
        for one in scores
    ]
    about = NOTHING
    if len(rows) > _MOST_ROWS:
        about = paragraph(f"The first {_MOST_ROWS} of {len(rows) - 1:,} {nouns}, and the mean.")
        rows = [*rows[:_MOST_ROWS], rows[-1]]
    heads = [noun.capitalize(), "Precision", "Recall", "F1", "95% interval of F1", "Documents"]
    title = f"Scores by {noun}"
    return titled(title, about, table(heads, rows, title, kind="last"))
