"""What comes out of :func:`choose_k`: the held-out error by the number of neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire._shared.notebooks import ShownInNotebooks
from quire._shared.plot import grid, line_style, middle, new_axes, whole_numbers
from quire._shared.typing import Floats

__all__ = ["KChoice"]

_SHOWN = 15  # rows of a printed table


@dataclass(frozen=True, eq=False, repr=False)
class KChoice(ShownInNotebooks):
    """The held-out error for every number of neighbours, from :func:`choose_k`.

    ``print(choice)`` shows a table and :meth:`plot` draws the curve. Lower is better.

    Attributes
    ----------
    ks : ndarray of shape (n_ks,)
        Numbers of neighbours, rising.
    errors : ndarray of shape (n_ks,)
        The mean loss over all samples, each predicted without its own fold.
    standard_errors : ndarray of shape (n_ks,)
        Of these means: over samples if each was left out alone, over folds otherwise.
    loss : str
        "share of errors" or "squared error".
    scheme : str
        How samples were left out, in words.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.neighbors import KChoice
    >>> choice = KChoice(
    ...     ks=np.array([1, 3, 5]),
    ...     errors=np.array([0.3, 0.2, 0.21]),
    ...     standard_errors=np.array([0.02, 0.02, 0.02]),
    ...     loss="share of errors",
    ...     scheme="leave-one-out over 400 samples",
    ... )
    >>> print(choice)
    share of errors by k, mean ± standard error, leave-one-out over 400 samples
    <BLANKLINE>
    k           error
    1  0.300 ± 0.020
    3  0.200 ± 0.020  best
    5  0.210 ± 0.020  within one standard error
    >>> choice.best_k, choice.one_standard_error_k
    (3, 5)
    """

    ks: NDArray[np.int64]
    errors: Floats
    standard_errors: Floats
    loss: str
    scheme: str

    @property
    def best_k(self) -> int:
        """The k with the lowest error; of equally good ones the largest, which is the smoothest."""
        return int(self.ks[self._best()])

    @property
    def one_standard_error_k(self) -> int:
        """The largest k whose error is within one standard error of the lowest."""
        return int(self.ks[self._within()])

    def to_frame(self) -> pl.DataFrame:
        """Return the errors as a table.

        Returns
        -------
        polars.DataFrame
            A row for each k, with the columns ``k``, ``error`` and ``standard_error``.
        """
        return pl.DataFrame(
            {"k": self.ks, "error": self.errors, "standard_error": self.standard_errors}
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw the error against k, with a band of one standard error to either side.

        Upright lines stand at :attr:`best_k` and :attr:`one_standard_error_k`. Needs matplotlib:
        ``pip install 'quire[plot]'``.

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
        style = line_style(0)
        every = max(1, len(self.ks) // 12)
        ax.plot(self.ks, self.errors, label="held out", markersize=5, markevery=every, **style)
        low, high = self.errors - self.standard_errors, self.errors + self.standard_errors
        ax.fill_between(self.ks, low, high, color=style["color"], alpha=0.2, lw=0)
        ax.axvline(self.best_k, color=middle(), linestyle="--", lw=1, label="best")
        chosen = self.one_standard_error_k
        ax.axvline(chosen, color=middle(), linestyle=":", lw=1.5, label="within one std. error")
        if self.ks[-1] >= 10 * self.ks[0]:
            ax.set_xscale("log")
        ax.set_xlabel("number of neighbours k")
        ax.set_ylabel(self.loss[:1].upper() + self.loss[1:])
        whole_numbers(ax.xaxis)
        grid(ax)
        ax.legend()
        return ax

    def __str__(self) -> str:
        best, within = self._best(), self._within()
        numbers = np.arange(len(self.ks))
        if len(numbers) > _SHOWN:
            spread = np.linspace(0, len(numbers) - 1, _SHOWN - 2).round().astype(np.intp)
            numbers = np.unique(np.append(spread, [best, within]))
        width = max(1, *(len(str(k)) for k in self.ks[numbers]))
        lines = [f"{'k':>{width}}  {'error':>13}"]
        for number in numbers:
            error, spread_of = self.errors[number], self.standard_errors[number]
            line = f"{self.ks[number]:>{width}}  {f'{error:.3f} ± {spread_of:.3f}':>13}"
            told = {within: "  within one standard error", best: "  best"}
            lines.append(line + told.get(int(number), ""))
        head = f"{self.loss} by k, mean ± standard error, {self.scheme}"
        return "\n".join([head, "", *lines])

    def __repr__(self) -> str:
        return f"KChoice(best_k={self.best_k}, n_ks={len(self.ks)}, loss={self.loss!r})"

    def _best(self) -> int:
        lowest = np.flatnonzero(self.errors == self.errors.min())
        return int(lowest[-1])

    def _within(self) -> int:
        best = self._best()
        error = self.standard_errors[best]
        if not np.isfinite(error):
            return best
        return int(np.flatnonzero(self.errors <= self.errors[best] + error)[-1])
