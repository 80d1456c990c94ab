"""What comes out of :func:`complexity_curve`: scores and parts of the loss by a parameter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from quire._shared.plot import line_style, new_axes
from quire.model_selection._decomposition import BiasVariance
from quire.model_selection._score_curve import Scores, draw_scores
from quire.model_selection._tables import aligned, html_table, number

__all__ = ["ComplexityCurve"]


@dataclass(frozen=True, eq=False, repr=False)
class ComplexityCurve(Scores):
    """Training and held-out scores by the value of a parameter, from :func:`complexity_curve`.

    ``print(curve)`` shows a table and :meth:`plot` draws the curves. Scores are those of
    scikit-learn: higher is better.

    Attributes
    ----------
    train_scores, test_scores : ndarray of shape (n_values, n_folds)
        The score on the documents a model was fitted to, and on those held out.
    fit_times, score_times : ndarray of shape (n_values, n_folds)
        Seconds to fit, and to score the held-out documents.
    scoring : str
        What the scores are.
    test_ratio : float
        Held-out documents for each training document.
    param : str
        The parameter that was varied.
    values : tuple
        Its values; increasing if they are numbers.
    decompositions : tuple of BiasVariance
        One for each value; empty if none was asked for.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.model_selection import ComplexityCurve
    >>> seconds = np.ones((2, 2))
    >>> curve = ComplexityCurve(
    ...     train_scores=np.array([[0.8, 0.9], [1.0, 1.0]]),
    ...     test_scores=np.array([[0.8, 0.84], [0.6, 0.7]]),
    ...     fit_times=seconds,
    ...     score_times=seconds,
    ...     scoring="accuracy",
    ...     test_ratio=1.0,
    ...     param="max_depth",
    ...     values=(2, None),
    ... )
    >>> print(curve)
    accuracy by max_depth, mean ± standard error over 2 folds
    <BLANKLINE>
    max_depth  training       held out
            2     0.850  0.820 ± 0.035  best
         None     1.000  0.650 ± 0.087
    >>> curve.best()[0]
    2
    """

    param: str
    values: tuple[Any, ...]
    decompositions: tuple[BiasVariance, ...] = ()

    def best(self) -> tuple[Any, float]:
        """Return the value with the highest held-out score.

        Returns
        -------
        value : object
            The value; of equally good ones the first.
        score : float
            The mean of its held-out scores.
        """
        place = self._best()
        return self.values[place], float(self.mean()[place])

    def table(self) -> pl.DataFrame:
        """Return the means over the folds.

        Returns
        -------
        polars.DataFrame
            A row for each value, with the columns ``value``, ``train``, ``test``,
            ``standard_error``, ``low`` and ``high`` (the 95 % interval), all of the held-out
            score, ``fit_seconds`` and ``score_seconds``; and with decompositions ``loss``,
            ``bias``, ``variance``, ``net_variance``, ``noise`` and ``chance``.
        """
        frame = pl.DataFrame({"value": self._series(), **self._columns()})
        if not self.decompositions:
            return frame
        names = ("loss", "bias", "variance", "net_variance", "noise", "chance")
        return frame.with_columns(
            pl.Series(name, [getattr(one, name) for one in self.decompositions], dtype=pl.Float64)
            for name in names
        )

    def to_frame(self) -> pl.DataFrame:
        """Return the scores as a table in long form.

        Returns
        -------
        polars.DataFrame
            A row for each value and fold, with the columns ``value`` (as text unless all are
            numbers), ``fold`` (from 0), ``train``, ``test``, ``fit_seconds`` and
            ``score_seconds``.
        """
        point, columns = self._long()
        return pl.DataFrame({"value": self._series().gather(point), **columns})

    def plot(self, ax: Any = None, *, of: str = "scores", level: float = 0.95) -> Any:
        """Draw the scores, or the parts of the loss, against the parameter.

        The axis is logarithmic if all values are positive numbers and span a factor of ten. Needs
        matplotlib: ``pip install 'quire[plot]'``.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; a new figure if ``None``.
        of : {"scores", "parts"}, default="scores"
            What to draw. Parts need a curve with decompositions.
        level : float, default=0.95
            Level of the interval that the bands around the scores show.

        Returns
        -------
        matplotlib.axes.Axes
            The axes, to add to them or to save ``.figure``.
        """
        if of not in ("scores", "parts"):
            raise ValueError(f"of is {of!r}; expected 'scores' or 'parts'.")
        if of == "parts" and not self.decompositions:
            raise ValueError("this curve has no parts; make it with decompose=True.")
        ax = new_axes(ax)
        at = self.values if self._is_numeric() else np.arange(len(self.values))
        if of == "scores":
            draw_scores(ax, at, self, level)
            ax.axvline(at[self._best()], color="0.3", linestyle="--", lw=1, label="best")
            ax.legend()
        else:
            self._draw_parts(ax, at)
        if not self._is_numeric():
            ax.set_xticks(at, self._names())
        elif min(self.values) > 0 and max(self.values) >= 10 * min(self.values):
            ax.set_xscale("log")
        ax.set_xlabel(self.param)
        return ax

    def _draw_parts(self, ax: Any, at: Any) -> None:
        name = self.decompositions[0].loss_name
        losses = [one.loss for one in self.decompositions]
        for place, (part, means) in enumerate({name: losses, **self._parts()}.items()):
            ax.plot(at, means, label=part, markersize=5, **line_style(place))
        ax.set_ylabel(f"{name[:1].upper()}{name[1:]}")
        ax.grid(color="0.9")
        ax.set_axisbelow(True)
        ax.legend()

    def _parts(self) -> dict[str, list[float]]:
        """Return the means of the parts, by name and value."""
        parts = [one.parts() for one in self.decompositions]
        names = dict.fromkeys(name for one in parts for name in one)
        return {
            name: [float(one[name].mean()) if name in one else 0.0 for one in parts]
            for name in names
        }

    def _cells(self) -> list[list[str]]:
        rows = self._rows(self.param.rpartition("__")[2], self._names())
        if not self.decompositions:
            return rows
        losses = [one.loss for one in self.decompositions]
        for name, means in {**self._parts(), self.decompositions[0].loss_name: losses}.items():
            cells = [name, *(number(mean, max(losses)) for mean in means)]
            rows = [[*row, cell] for row, cell in zip(rows, cells, strict=True)]
        return rows

    def _best(self) -> int:
        return int(np.argmax(np.nan_to_num(self.mean(), nan=-np.inf, neginf=-np.inf)))

    def _is_numeric(self) -> bool:
        return all(
            isinstance(value, (int, float)) and not isinstance(value, bool) for value in self.values
        )

    def _names(self) -> list[str]:
        return [f"{v:.4g}" if isinstance(v, float) else str(v) for v in self.values]

    def _series(self) -> pl.Series:
        return pl.Series("value", np.array(self.values) if self._is_numeric() else self._names())

    def __str__(self) -> str:
        lines = aligned(self._cells())
        lines[self._best() + 1] += "  best"
        return "\n".join([self._title(self.param), "", *lines])

    def __repr__(self) -> str:
        return (
            f"ComplexityCurve(param={self.param!r}, values={list(self.values)}, "
            f"n_folds={self.n_folds}, scoring={self.scoring!r}, "
            f"decomposed={bool(self.decompositions)})"
        )

    def _repr_html_(self) -> str:
        return html_table(self._title(self.param), self._cells())
