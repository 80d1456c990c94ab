"""What comes out of :func:`learning_curve`: scores by the number of training documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire._shared.plot import new_axes
from quire._shared.typing import Floats
from quire.model_selection._score_curve import Scores, draw_scores
from quire.model_selection._tables import aligned, html_table

__all__ = ["LearningCurve"]


@dataclass(frozen=True, eq=False, repr=False)
class LearningCurve(Scores):
    """Training and held-out scores by the number of documents, from :func:`learning_curve`.

    ``print(curve)`` shows a table and :meth:`plot` draws the curves. Scores are those of
    scikit-learn: higher is better.

    Attributes
    ----------
    train_scores, test_scores : ndarray of shape (n_sizes, n_folds)
        The score on the documents a model was fitted to, and on those held out.
    fit_times, score_times : ndarray of shape (n_sizes, n_folds)
        Seconds to fit, and to score the held-out documents.
    scoring : str
        What the scores are.
    test_ratio : float
        Held-out documents for each training document there is in a fold.
    sizes : ndarray of shape (n_sizes,)
        Numbers of training documents, increasing.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.model_selection import LearningCurve
    >>> seconds = np.ones((2, 2))
    >>> curve = LearningCurve(
    ...     train_scores=np.array([[1.0, 1.0], [0.9, 0.94]]),
    ...     test_scores=np.array([[0.6, 0.7], [0.8, 0.84]]),
    ...     fit_times=seconds,
    ...     score_times=seconds,
    ...     scoring="accuracy",
    ...     test_ratio=1.0,
    ...     sizes=np.array([10, 100]),
    ... )
    >>> print(curve)
    accuracy by training documents, mean ± standard error over 2 folds
    <BLANKLINE>
    documents  training       held out  fit (s)
           10     1.000  0.650 ± 0.087    1.000
          100     0.920  0.820 ± 0.035    1.000
    >>> curve.gap().round(2)
    array([0.35, 0.1 ])
    """

    sizes: NDArray[np.int64]

    def gap(self) -> Floats:
        """Return by how much the training score is above the held-out score.

        A wide gap says variance: more documents or a simpler model should help. A narrow one at a
        low score says bias: a richer model should.

        Returns
        -------
        ndarray of shape (n_sizes,)
            Differences of the means.
        """
        difference: Floats = self.mean("train") - self.mean()
        return difference

    def table(self) -> pl.DataFrame:
        """Return the means over the folds.

        Returns
        -------
        polars.DataFrame
            A row for each size, with the columns ``size``, ``train``, ``test``,
            ``standard_error``, ``low`` and ``high`` (the 95 % interval), all of the held-out
            score, ``fit_seconds`` and ``score_seconds``.
        """
        return pl.DataFrame({"size": self.sizes, **self._columns()})

    def to_frame(self) -> pl.DataFrame:
        """Return the scores as a table in long form.

        Returns
        -------
        polars.DataFrame
            A row for each size and fold, with the columns ``size``, ``fold`` (from 0), ``train``,
            ``test``, ``fit_seconds`` and ``score_seconds``.
        """
        point, columns = self._long()
        return pl.DataFrame({"size": self.sizes[point], **columns})

    def plot(self, ax: Any = None, *, level: float = 0.95) -> Any:
        """Draw both scores against the number of training documents, on a logarithmic axis.

        Needs matplotlib: ``pip install 'quire[plot]'``.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; a new figure if ``None``.
        level : float, default=0.95
            Level of the interval that the bands show.

        Returns
        -------
        matplotlib.axes.Axes
            The axes, to add to them or to save ``.figure``.
        """
        ax = new_axes(ax)
        from matplotlib.ticker import NullFormatter, StrMethodFormatter

        draw_scores(ax, self.sizes, self, level)
        ax.set_xscale("log")
        if self.sizes[-1] < 100 * self.sizes[0]:  # too few powers of ten to read sizes from
            ax.set_xticks(self.sizes)
        ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.set_xlabel("Training documents")
        return ax

    def _cells(self) -> list[list[str]]:
        rows = self._rows("documents", [f"{size:,}" for size in self.sizes])
        seconds = self.fit_times.mean(axis=1)
        times = ["fit (s)", *(f"{value:.3f}" for value in seconds)]
        return [[*row, time] for row, time in zip(rows, times, strict=True)]

    def __str__(self) -> str:
        return "\n".join([self._title("training documents"), "", *aligned(self._cells())])

    def __repr__(self) -> str:
        return (
            f"LearningCurve(sizes={self.sizes.tolist()}, n_folds={self.n_folds}, "
            f"scoring={self.scoring!r})"
        )

    def _repr_html_(self) -> str:
        return html_table(self._title("training documents"), self._cells())
