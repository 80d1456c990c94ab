"""What comes out of :func:`pruning_curve`: training and held-out error by the size of a tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire._shared.plot import line_style, new_axes
from quire._shared.typing import Floats
from quire.model_selection._tables import aligned

__all__ = ["PruningCurve"]


@dataclass(frozen=True, eq=False, repr=False)
class PruningCurve:
    """Errors of a tree as it is pruned, from :func:`pruning_curve`.

    ``print(curve)`` shows a table and :meth:`plot` draws the curves; lower is better.

    Attributes
    ----------
    alphas : ndarray of shape (n_alphas,)
        What a leaf costs (``ccp_alpha``), rising: the trees get smaller.
    n_leaves : ndarray of shape (n_alphas,)
        The leaves of the tree that is grown on all samples and pruned so.
    train_errors, test_errors : ndarray of shape (n_alphas, n_folds)
        The error on the samples that a fold's tree was grown on, and on those it was not.
    loss : str
        What the error is: the share of errors, or the squared error.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.model_selection import PruningCurve
    >>> curve = PruningCurve(
    ...     alphas=np.array([0.0, 0.01, 0.2]),
    ...     n_leaves=np.array([30, 6, 1]),
    ...     train_errors=np.array([[0.0, 0.0], [0.1, 0.14], [0.5, 0.5]]),
    ...     test_errors=np.array([[0.3, 0.2], [0.2, 0.24], [0.5, 0.54]]),
    ...     loss="share of errors",
    ... )
    >>> print(curve)
    share of errors by the cost of a leaf, mean ± standard error over 2 folds
    <BLANKLINE>
    alpha  leaves       training       held out
        0      30  0.000 ± 0.000  0.250 ± 0.050
     0.01       6  0.120 ± 0.020  0.220 ± 0.020  best, within one standard error
      0.2       1  0.500 ± 0.000  0.520 ± 0.020
    >>> curve.one_standard_error()
    (0.01, 6, 0.22)
    """

    alphas: Floats
    n_leaves: NDArray[np.int64]
    train_errors: Floats
    test_errors: Floats
    loss: str

    @property
    def n_folds(self) -> int:
        """How many folds there are."""
        return int(self.test_errors.shape[1])

    def mean(self, of: str = "test") -> Floats:
        """Return the mean over the folds.

        Parameters
        ----------
        of : {"test", "train"}, default="test"
            Held-out or training error.

        Returns
        -------
        ndarray of shape (n_alphas,)
            Means.
        """
        means: Floats = self._errors(of).mean(axis=1)
        return means

    def standard_error(self, of: str = "test") -> Floats:
        """Return the standard error of the mean over the folds.

        Parameters
        ----------
        of : {"test", "train"}, default="test"
            Held-out or training error.

        Returns
        -------
        ndarray of shape (n_alphas,)
            Standard errors; NaN if there is one fold only.
        """
        if self.n_folds < 2:
            return np.full(len(self.alphas), np.nan)
        errors: Floats = self._errors(of).std(axis=1, ddof=1) / np.sqrt(self.n_folds)
        return errors

    def best(self) -> tuple[float, int, float]:
        """Return the cost with the lowest held-out error.

        Returns
        -------
        alpha : float
            The cost; of equally good ones that of the smallest tree.
        n_leaves : int
            The leaves of its tree.
        error : float
            The mean of its held-out errors.
        """
        return self._at(self._best())

    def one_standard_error(self) -> tuple[float, int, float]:
        """Return the smallest tree whose error is within one standard error of the best.

        Returns
        -------
        alpha : float
            The cost, for ``ccp_alpha``; the best one if there is one fold only.
        n_leaves : int
            The leaves of its tree.
        error : float
            The mean of its held-out errors.
        """
        return self._at(self._within())

    def to_frame(self) -> pl.DataFrame:
        """Return the errors as a table in long form.

        Returns
        -------
        polars.DataFrame
            A row for each cost and fold, with the columns ``alpha``, ``n_leaves``, ``fold`` (from
            0), ``train`` and ``test``.
        """
        place, fold = (axis.ravel() for axis in np.indices(self.test_errors.shape))
        return pl.DataFrame(
            {
                "alpha": self.alphas[place],
                "n_leaves": self.n_leaves[place],
                "fold": fold,
                "train": self.train_errors.ravel(),
                "test": self.test_errors.ravel(),
            }
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw training and held-out error against the number of leaves.

        Bands reach one standard error to either side; upright lines stand at the best tree and at
        that of :meth:`one_standard_error`. Needs matplotlib: ``pip install 'quire[plot]'``.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; a new figure if ``None``.

        Returns
        -------
        matplotlib.axes.Axes
            The axes, to add to them or to save ``.figure``.
        """
        ax = new_axes(ax)
        every = max(1, len(self.alphas) // 12)
        for number, (of, label) in enumerate((("train", "training"), ("test", "held out"))):
            style = line_style(number)
            mean, error = self.mean(of), self.standard_error(of)
            ax.plot(self.n_leaves, mean, label=label, markersize=5, markevery=every, **style)
            if self.n_folds > 1:
                low, high = mean - error, mean + error
                ax.fill_between(self.n_leaves, low, high, color=style["color"], alpha=0.2, lw=0)
        ax.axvline(self.best()[1], color="0.3", linestyle="--", lw=1, label="best")
        if self.n_folds > 1:
            chosen = self.one_standard_error()[1]
            ax.axvline(chosen, color="0.3", linestyle=":", lw=1.5, label="within one std. error")
        if self.n_leaves.max() >= 20:
            ax.set_xscale("log")
            ax.xaxis.set_major_formatter("{x:,.0f}")
        ax.set_xlabel("Number of leaves")
        what = self.loss[:1].upper() + self.loss[1:]
        ax.set_ylabel(f"{what}, mean of {self.n_folds} folds" if self.n_folds > 1 else what)
        ax.grid(color="0.9")
        ax.set_axisbelow(True)
        ax.legend()
        return ax

    def __str__(self) -> str:
        rows = [["alpha", "leaves", "training", "held out"]]
        for number, alpha in enumerate(self.alphas):
            cells = [
                _cell(self.mean(of)[number], self.standard_error(of)[number])
                for of in ("train", "test")
            ]
            rows.append([f"{alpha:.3g}", f"{self.n_leaves[number]:,}", *cells])
        lines = aligned(rows)
        best, within = self._best(), self._within()
        lines[best + 1] += "  best"
        if self.n_folds > 1:
            lines[within + 1] += ", " if within == best else "  "
            lines[within + 1] += "within one standard error"
        spread = f", mean ± standard error over {self.n_folds} folds" if self.n_folds > 1 else ""
        return "\n".join([f"{self.loss} by the cost of a leaf{spread}", "", *lines])

    def __repr__(self) -> str:
        return (
            f"PruningCurve(n_alphas={len(self.alphas)}, leaves={self.n_leaves[-1]} to "
            f"{self.n_leaves[0]}, n_folds={self.n_folds}, loss={self.loss!r})"
        )

    def _errors(self, of: str) -> Floats:
        if of not in ("test", "train"):
            raise ValueError(f"of is {of!r}; expected 'test' or 'train'.")
        return self.test_errors if of == "test" else self.train_errors

    def _best(self) -> int:
        means = self.mean()
        return int(len(means) - 1 - np.argmin(means[::-1]))

    def _within(self) -> int:
        best = self._best()
        error = self.standard_error()[best]
        if not np.isfinite(error):
            return best
        near = np.flatnonzero(self.mean() <= self.mean()[best] + error)
        return int(near[-1])

    def _at(self, number: int) -> tuple[float, int, float]:
        mean = float(self.mean()[number])
        return float(self.alphas[number]), int(self.n_leaves[number]), mean


def _cell(mean: float, error: float) -> str:
    digits = "3f" if mean == 0 or 1e-3 <= abs(mean) < 1e5 else "2e"
    return f"{mean:.{digits}}" if np.isnan(error) else f"{mean:.{digits}} ± {error:.{digits}}"
