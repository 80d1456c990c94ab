"""What learning and complexity curves share: training and held-out scores of every fold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from quire._shared.number_tables import number
from quire._shared.plot import line_style
from quire._shared.typing import Floats
from quire.model_selection._fold_statistics import variance_of_mean

__all__ = ["Scores", "draw_scores"]


@dataclass(frozen=True, eq=False, repr=False)
class Scores:
    """Scores by point of a curve and fold; higher is better."""

    train_scores: Floats
    test_scores: Floats
    fit_times: Floats
    score_times: Floats
    scoring: str
    test_ratio: float

    @property
    def n_folds(self) -> int:
        """How many folds there are."""
        return int(self.test_scores.shape[1])

    def mean(self, of: str = "test") -> Floats:
        """Return the mean over the folds.

        Parameters
        ----------
        of : {"test", "train"}, default="test"
            Held-out or training scores.

        Returns
        -------
        ndarray of shape (n_points,)
            Means.
        """
        means: Floats = self._scores(of).mean(axis=1)
        return means

    def standard_error(self, of: str = "test") -> Floats:
        """Return the standard error of the mean, corrected for what the folds share.

        Training documents of the folds overlap, so that scores are not independent. The correction
        of Nadeau and Bengio replaces ``1 / n_folds`` by ``1 / n_folds + n_test / n_train``.

        Parameters
        ----------
        of : {"test", "train"}, default="test"
            Held-out or training scores.

        Returns
        -------
        ndarray of shape (n_points,)
            Standard errors; NaN if there is one fold only.
        """
        scores = self._scores(of)
        if self.n_folds < 2:
            return np.full(len(scores), np.nan)
        with np.errstate(invalid="ignore"):  # a score that is not finite
            errors: Floats = np.sqrt(variance_of_mean(scores, self.test_ratio))
        return errors

    def interval(self, of: str = "test", level: float = 0.95) -> tuple[Floats, Floats]:
        """Return the ends of an interval for the mean score, by Student's distribution.

        Parameters
        ----------
        of : {"test", "train"}, default="test"
            Held-out or training scores.
        level : float, default=0.95
            How often such intervals should hold the mean.

        Returns
        -------
        low, high : ndarray of shape (n_points,)
            The ends; NaN if there is one fold only.
        """
        if not 0 < level < 1:
            raise ValueError(f"level is {level!r}; expected a number between 0 and 1.")
        mean = self.mean(of)
        if self.n_folds < 2:
            return np.full(len(mean), np.nan), np.full(len(mean), np.nan)
        half = student.ppf((1 + level) / 2, self.n_folds - 1) * self.standard_error(of)
        return mean - half, mean + half

    def _scores(self, of: str) -> Floats:
        if of not in ("test", "train"):
            raise ValueError(f"of is {of!r}; expected 'test' or 'train'.")
        return self.test_scores if of == "test" else self.train_scores

    def _columns(self) -> dict[str, Floats]:
        """Return the columns of a table with one row for each point."""
        low, high = self.interval()
        return {
            "train": self.mean("train"),
            "test": self.mean(),
            "standard_error": self.standard_error(),
            "low": low,
            "high": high,
            "fit_seconds": self.fit_times.mean(axis=1),
            "score_seconds": self.score_times.mean(axis=1),
        }

    def _long(self) -> tuple[NDArray[np.int64], dict[str, NDArray[Any]]]:
        """Return the point of every row and the columns of a table by point and fold."""
        point, fold = (axis.ravel() for axis in np.indices(self.test_scores.shape))
        return point, {
            "fold": fold,
            "train": self.train_scores.ravel(),
            "test": self.test_scores.ravel(),
            "fit_seconds": self.fit_times.ravel(),
            "score_seconds": self.score_times.ravel(),
        }

    def _rows(self, head: str, points: list[str]) -> list[list[str]]:
        """Return the cells that are shown, training and held-out scores side by side."""
        rows = [[head, "training", "held out"]]
        train, test, errors = self.mean("train"), self.mean(), self.standard_error()
        like = float(np.max(np.abs(test[np.isfinite(test)]), initial=0))
        for place, point in enumerate(points):
            spread = "" if np.isnan(errors[place]) else f" ± {number(errors[place], like)}"
            held_out = number(test[place], like) + spread
            rows.append([point, number(train[place], like), held_out])
        return rows

    def _title(self, by: str) -> str:
        spread = f", mean ± standard error over {self.n_folds} folds" if self.n_folds > 1 else ""
        return f"{self.scoring} by {by}{spread}"


def draw_scores(ax: Any, at: Any, scores: Scores, level: float) -> None:
    """Draw both curves, with bands for the interval.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    at : array-like of shape (n_points,)
        Where the points are on the horizontal axis.
    scores : Scores
        What to draw.
    level : float
        Level of the interval.
    """
    for place, (of, label) in enumerate((("train", "training"), ("test", "held out"))):
        style = line_style(place)
        ax.plot(at, scores.mean(of), label=label, markersize=5, **style)
        if scores.n_folds > 1:
            low, high = scores.interval(of, level)
            ax.fill_between(at, low, high, color=style["color"], alpha=0.2, lw=0)
    what = scores.scoring[:1].upper() + scores.scoring[1:]
    several = f", mean of {scores.n_folds} folds" if scores.n_folds > 1 else ""
    ax.set_ylabel(what + several)
    ax.grid(color="0.9")
    ax.set_axisbelow(True)
    ax.legend()
