"""What comes out of :func:`risk_curve`: training and held-out risk against a parameter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire._shared.plot import line_style, new_axes
from quire._shared.typing import Floats

__all__ = ["RiskCurve"]


@dataclass(frozen=True, eq=False, repr=False)
class RiskCurve:
    """Empirical and held-out risk by the value of a parameter, from :func:`risk_curve`.

    ``print(curve)`` shows a table and :meth:`plot` draws the curves. All risks are means over
    samples; lower is better.

    Attributes
    ----------
    param_name : str
        The parameter that was varied.
    values : ndarray of shape (n_values,)
        Its values, increasing.
    train_risks, test_risks : ndarray of shape (n_values, n_folds)
        The risk on the data a fold was fitted on, and on the data it was not.
    loss : str
        What the risk is the mean of.
    simpler : {"larger", "smaller"}
        Which values of the parameter make the simpler model.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.model_selection import RiskCurve
    >>> curve = RiskCurve(
    ...     param_name="alpha",
    ...     values=np.array([0.1, 1.0, 10.0]),
    ...     train_risks=np.array([[1.0, 1.2], [1.3, 1.5], [3.0, 3.4]]),
    ...     test_risks=np.array([[2.0, 2.8], [2.1, 2.9], [3.5, 4.1]]),
    ...     loss="squared error",
    ...     simpler="larger",
    ... )
    >>> print(curve)
    squared error by alpha, mean ± standard error over 2 folds
    <BLANKLINE>
    alpha       training       held out
      0.1  1.100 ± 0.100  2.400 ± 0.400  best
        1  1.400 ± 0.100  2.500 ± 0.400  within one standard error
       10  3.200 ± 0.200  3.800 ± 0.300
    >>> curve.best()
    (0.1, 2.4)
    >>> curve.one_standard_error()
    (1.0, 2.5)
    """

    param_name: str
    values: Floats
    train_risks: Floats
    test_risks: Floats
    loss: str
    simpler: str

    @property
    def n_folds(self) -> int:
        """How many folds there are."""
        return int(self.test_risks.shape[1])

    def mean(self, of: str = "test") -> Floats:
        """Return the mean over the folds.

        Parameters
        ----------
        of : {"test", "train"}, default="test"
            Held-out or training risk.

        Returns
        -------
        ndarray of shape (n_values,)
            Means.
        """
        means: Floats = self._risks(of).mean(axis=1)
        return means

    def standard_error(self, of: str = "test") -> Floats:
        """Return the standard error of the mean over the folds.

        The folds share training data, so it is a little too small; the rule of one standard error
        is one of thumb.

        Parameters
        ----------
        of : {"test", "train"}, default="test"
            Held-out or training risk.

        Returns
        -------
        ndarray of shape (n_values,)
            Standard errors; NaN if there is one fold only.
        """
        if self.n_folds < 2:
            return np.full(len(self.values), np.nan)
        with np.errstate(invalid="ignore"):  # a model that went to infinity
            errors: Floats = self._risks(of).std(axis=1, ddof=1) / np.sqrt(self.n_folds)
        return errors

    def best(self) -> tuple[float, float]:
        """Return the value with the lowest held-out risk.

        Returns
        -------
        value : float
            The value; of equally good ones that of the simplest model.
        risk : float
            The mean of its held-out risks.
        """
        return self._at(self._best())

    def one_standard_error(self) -> tuple[float, float]:
        """Return the simplest model whose risk is within one standard error of the best.

        Returns
        -------
        value : float
            The value; the best one if there is one fold only.
        risk : float
            The mean of its held-out risks.
        """
        return self._at(self._within())

    def to_frame(self) -> pl.DataFrame:
        """Return the risks as a table in long form.

        Returns
        -------
        polars.DataFrame
            A row for each value and fold, with the columns ``value``, ``fold`` (from 0), ``train``
            and ``test``.
        """
        value, fold = (axis.ravel() for axis in np.indices(self.test_risks.shape))
        return pl.DataFrame(
            {
                "value": self.values[value],
                "fold": fold,
                "train": self.train_risks.ravel(),
                "test": self.test_risks.ravel(),
            }
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw training and held-out risk against the parameter.

        Bands reach one standard error to either side; upright lines stand at the best value and at
        that of :meth:`one_standard_error`. The axis is logarithmic if all values are positive and
        span a factor of ten. Needs matplotlib: ``pip install 'quire[plot]'``.

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
        every = max(1, len(self.values) // 12)
        for number, (of, label) in enumerate((("train", "training"), ("test", "held out"))):
            style = line_style(number)
            mean, error = self.mean(of), self.standard_error(of)
            ax.plot(self.values, mean, label=label, markersize=5, markevery=every, **style)
            if self.n_folds > 1:
                ax.fill_between(
                    self.values, mean - error, mean + error, color=style["color"], alpha=0.2, lw=0
                )
        ax.axvline(self.best()[0], color="0.3", linestyle="--", lw=1, label="best")
        if self.n_folds > 1:
            chosen = self.one_standard_error()[0]
            ax.axvline(chosen, color="0.3", linestyle=":", lw=1.5, label="within one std. error")
        if self.values[0] > 0 and self.values[-1] >= 10 * self.values[0]:
            ax.set_xscale("log")
        ax.set_xlabel(self.param_name)
        what = self.loss[:1].upper() + self.loss[1:]
        ax.set_ylabel(f"{what}, mean of {self.n_folds} folds" if self.n_folds > 1 else what)
        ax.grid(color="0.9")
        ax.set_axisbelow(True)
        ax.legend()
        return ax

    def __str__(self) -> str:
        short = self.param_name.rpartition("__")[2]
        rows = [[short, "training", "held out"]]
        for number, value in enumerate(self.values):
            cells = [
                _cell(self.mean(of)[number], self.standard_error(of)[number])
                for of in ("train", "test")
            ]
            rows.append([f"{value:.4g}", *cells])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(str.rjust, row, widths)) for row in rows]
        best, within = self._best(), self._within()
        lines[within + 1] += "  within one standard error"
        lines[best + 1] = lines[best + 1].removesuffix("  within one standard error") + "  best"
        spread = f", mean ± standard error over {self.n_folds} folds" if self.n_folds > 1 else ""
        return "\n".join([f"{self.loss} by {self.param_name}{spread}", "", *lines])

    def __repr__(self) -> str:
        return (
            f"RiskCurve(param_name={self.param_name!r}, n_values={len(self.values)}, "
            f"n_folds={self.n_folds}, loss={self.loss!r})"
        )

    def _risks(self, of: str) -> Floats:
        if of not in ("test", "train"):
            raise ValueError(f"of is {of!r}; expected 'test' or 'train'.")
        return self.test_risks if of == "test" else self.train_risks

    def _from_simple(self) -> NDArray[np.int64]:
        order = np.arange(len(self.values))
        return order[::-1] if self.simpler == "larger" else order

    def _best(self) -> int:
        order = self._from_simple()
        means = np.nan_to_num(self.mean(), nan=np.inf, posinf=np.inf)
        return int(order[np.argmin(means[order])])

    def _within(self) -> int:
        best = self._best()
        error = self.standard_error()[best]
        if not np.isfinite(error):
            return best
        order = self._from_simple()
        near = self.mean()[order] <= self.mean()[best] + error
        return int(order[np.argmax(near)])

    def _at(self, number: int) -> tuple[float, float]:
        return float(self.values[number]), float(self.mean()[number])


def _cell(mean: float, error: float) -> str:
    plain = 1e-3 <= abs(mean) < 1e5 or mean == 0
    if np.isnan(error):
        return f"{mean:.3f}" if plain else f"{mean:.2e}"
    return f"{mean:.3f} ± {error:.3f}" if plain else f"{mean:.2e} ± {error:.2e}"
