"""What an evaluation says: scores with intervals, classes, the confusion matrix, calibration."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.notebooks import ShownInNotebooks
from quire._shared.number_tables import aligned, html_table, number
from quire._shared.plot import grid, ink, line_style, new_axes, paper, shades
from quire._shared.reliability import CalibrationBin
from quire._shared.shares import Score
from quire._shared.term_weights import plain

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ClassScore", "Evaluation"]

_MOST_CLASSES = 12  # of a confusion matrix that is written out
_MOST_ROWS = 40  # classes that are written out


@dataclass(frozen=True)
class ClassScore(ShownInNotebooks):
    """How well one class is told from the others.

    Attributes
    ----------
    label : object
        The class.
    precision, recall, f1 : Score
        With intervals; NaN where there is nothing to divide by.
    support, predicted : int
        Documents of the class, and documents predicted to be.
    """

    label: Any
    precision: Score
    recall: Score
    f1: Score
    support: int
    predicted: int


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """A model on documents with known labels, from :func:`evaluate`.

    ``print(evaluation)`` shows it, :meth:`table` has a row for each class.

    Attributes
    ----------
    model : str
        What the model is.
    task : {"classes", "labels", "ordered", "numbers"}
        What it predicts; "labels" are several for a document.
    n_documents : int
        Documents, or rows of a table, that count: those with a label.
    unit : {"documents", "rows"}
        What they are.
    scores : dict from str to Score
        Value and interval: ``accuracy``, ``balanced_accuracy``, ``f1_macro``; with probabilities
        ``log_loss``, ``brier`` and ``calibration_error`` (without an interval); of two classes
        ``roc_auc`` and ``average_precision``; of ordered classes ``rank_error`` and
        ``quadratic_kappa``; of several labels ``f1_micro``, ``f1_macro``, ``f1_samples``,
        ``accuracy`` (all labels of a document right), ``hamming_loss`` and
        ``label_ranking_average_precision``; of numbers ``rmse``, ``mae`` and ``r2``; and those that
        were asked for.
    level : float
        How often intervals should cover the score on new documents.
    classes : tuple
        Those of the model, in its order; then labels that it does not know.
    class_scores : list of ClassScore
        In the order of `classes`.
    confusion : ndarray of shape (n_classes, n_classes) or None
        Documents by label (rows) and prediction (columns).
    calibration : list of CalibrationBin
        Documents by probability, where there are probabilities.
    predicted : ndarray of shape (n_documents,)
        What was predicted.
    unseen : dict
        Labels that the model does not know, and their documents, all of which count as wrong.
    n_missing : int
        Documents that were left out, since they have no label.
    notes : tuple of str
        What was guessed, left out or counted as wrong.

    Examples
    --------
    >>> from quire.model_selection import evaluate
    >>> from quire.naive_bayes import MultinomialNB
    >>> model = MultinomialNB().fit_text(["good film", "bad film"], ["pos", "neg"])
    >>> found = evaluate(model, ["good one", "bad one", "a good bad film"], ["pos", "neg", "neg"])
    >>> found.scores["accuracy"].value
    1.0
    >>> found.confusion
    array([[2, 0],
           [0, 1]])
    >>> found.table()["label"].to_list()
    ['neg', 'pos']
    """

    model: str
    task: str
    n_documents: int
    scores: dict[str, Score]
    level: float
    classes: tuple[Any, ...] = ()
    class_scores: list[ClassScore] = field(default_factory=list)
    confusion: NDArray[np.int64] | None = None
    calibration: list[CalibrationBin] = field(default_factory=list)
    predicted: NDArray[Any] = field(default_factory=lambda: np.empty(0), repr=False, compare=False)
    unseen: dict[Any, int] = field(default_factory=dict)
    n_missing: int = 0
    unit: str = "documents"
    notes: tuple[str, ...] = ()

    @property
    def heading(self) -> str:
        """What was evaluated on how much."""
        unit = self.unit[:-1] if self.n_documents == 1 else self.unit
        return f"{self.model} on {self.n_documents:,} {unit}"

    def to_frame(self) -> pl.DataFrame:
        """Return the scores as a table, a row for each.

        Returns
        -------
        polars.DataFrame
            ``score``, ``value``, ``low`` and ``high``; null where there is no interval.
        """
        import polars as pl

        rows = [(name, *score) for name, score in self.scores.items()]
        kinds = {"score": pl.String, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64}
        frame = pl.DataFrame(rows, schema=kinds, orient="row")
        return frame.with_columns(pl.selectors.float().fill_nan(None))

    def table(self) -> pl.DataFrame:
        """Return a row for each class; where numbers are predicted, the scores.

        Returns
        -------
        polars.DataFrame
            Label, precision, recall and F1 with the ends of their intervals, documents of the class
            and documents predicted to be.
        """
        from quire.model_selection._evaluate.by_class import class_table

        return class_table(self.class_scores) if self.class_scores else self.to_frame()

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain data, ready for JSON."""
        return {
            "model": self.model,
            "task": self.task,
            "documents": self.n_documents,
            "level": self.level,
            "scores": {row.pop("score"): row for row in self.to_frame().to_dicts()},
            "classes": self.table().to_dicts() if self.class_scores else [],
            "confusion": None
            if self.confusion is None
            else {"labels": [plain(c) for c in self.classes], "rows": self.confusion.tolist()},
            "calibration": [asdict(one) for one in self.calibration],
            "unseen": {str(label): n for label, n in self.unseen.items()},
            "missing": self.n_missing,
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        parts = [
            [self.heading],
            aligned(self._score_rows(), left=1),
        ]
        if self.class_scores:
            parts.append(aligned(self._class_rows(), left=1))
        if self.confusion is not None and len(self.classes) <= _MOST_CLASSES:
            parts.append(aligned(self._confusion_rows(), left=1))
        parts.append([f"note: {note}" for note in self.notes])
        return "\n\n".join("\n".join(lines) for lines in parts if lines)

    def _repr_html_(self) -> str:
        tables = [html_table(self.heading, self._score_rows())]
        if self.class_scores:
            tables.append(html_table("By class", self._class_rows()))
        if self.confusion is not None and len(self.classes) <= _MOST_CLASSES:
            tables.append(html_table("Label (rows) and prediction", self._confusion_rows()))
        return "".join(tables)

    def _score_rows(self) -> list[list[str]]:
        rows = [["score", "value", f"{self.level:.0%} interval"]]
        for name, (value, low, high) in self.scores.items():
            interval = "" if np.isnan(low) else f"{_shown(low)} to {_shown(high)}"
            rows.append([name, _shown(value), interval])
        return rows

    def _class_rows(self) -> list[list[str]]:
        what = "label" if self.task == "labels" else "class"
        rows = [[what, "precision", "recall", "F1", "documents", "predicted"]]
        for one in self.class_scores[:_MOST_ROWS]:
            scores = [_shown(score.value) for score in (one.precision, one.recall, one.f1)]
            rows.append([str(one.label), *scores, f"{one.support:,}", f"{one.predicted:,}"])
        more = len(self.class_scores) - _MOST_ROWS
        return [*rows, [f"{more:,} more", "", "", "", "", ""]] if more > 0 else rows

    def _confusion_rows(self) -> list[list[str]]:
        assert self.confusion is not None
        labels = [str(label) for label in self.classes]
        return [
            ["label \\ predicted", *labels],
            *([label, *map(str, row)] for label, row in zip(labels, self.confusion, strict=True)),
        ]

    def plot(self, ax: Any = None) -> Any:
        """Draw the confusion matrix, shaded by the share of each label; of several labels their F1.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; a new figure if ``None``.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.

        Raises
        ------
        ValueError
            Where numbers are predicted: there are no classes to draw.
        """
        if self.task == "labels":
            return self._plot_labels(ax)
        if self.confusion is None:
            raise ValueError("There are no classes to draw; plot `predicted` against the numbers.")
        ax = new_axes(ax)
        totals = np.maximum(self.confusion.sum(axis=1, keepdims=True), 1)
        ax.imshow(self.confusion / totals, cmap=shades(), vmin=0, vmax=1)
        labels, n = [str(label) for label in self.classes], len(self.classes)
        if n <= _MOST_CLASSES:
            for i, j in np.ndindex(n, n):
                dark = self.confusion[i, j] > totals[i, 0] / 2
                colour = paper() if dark else ink()
                ax.text(j, i, f"{self.confusion[i, j]:,}", ha="center", va="center", color=colour)
        if n <= _MOST_ROWS:
            ax.set_xticks(range(n), labels, rotation=0 if n <= 4 else 90)
            ax.set_yticks(range(n), labels)
        ax.set_xlabel("predicted")
        ax.set_ylabel("label")
        return ax

    def _plot_labels(self, ax: Any) -> Any:
        """Draw F1 of each of several labels with its interval, the most frequent on top."""
        ax = new_axes(ax)
        shown = sorted(self.class_scores, key=lambda one: -one.support)[:_MOST_ROWS][::-1]
        colour = line_style(0)["color"]
        for place, one in enumerate(shown):
            value, low, high = one.f1
            ax.plot([low, high], [place, place], color=colour, linewidth=2)
            ax.plot([value], [place], color=colour, marker="o", linestyle="none")
        ax.set_yticks(range(len(shown)), [str(one.label) for one in shown])
        ax.set_xlim(0, 1)
        grid(ax, axis="x")
        ax.set_xlabel(f"F1 and {self.level:.0%} interval")
        return ax


def _shown(value: float) -> str:
    if np.isnan(value):
        return ""
    return f"{value:.4f}" if abs(value) <= 1 else number(value)
