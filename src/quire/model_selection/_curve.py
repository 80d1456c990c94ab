"""What comes out of :func:`vocabulary_curve`: scores by model, vocabulary size and fold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from quire._shared.plot import line_style, new_axes
from quire._shared.typing import Floats, Ints

__all__ = ["VocabularyCurve"]


@dataclass(frozen=True, eq=False, repr=False)
class VocabularyCurve:
    """Scores of models by the size of their vocabulary, as :func:`vocabulary_curve` returns them.

    ``print(curve)`` shows a table and :meth:`plot` draws the curves.

    Attributes
    ----------
    sizes : ndarray of shape (n_sizes,)
        Vocabulary sizes, increasing, up to the largest vocabulary of a fold. A fold whose
        vocabulary is smaller than a size has the score of its whole vocabulary there.
    models : tuple of str
        Names of the models.
    scores : ndarray of shape (n_models, n_sizes, n_folds)
        The score of each model with each size on the test documents of each fold.
    vocabulary_sizes : ndarray of shape (n_folds,)
        How many terms the training documents of each fold have.
    scoring : str
        What the scores are.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.model_selection import VocabularyCurve
    >>> scores = np.array([[[0.5, 0.6], [0.8, 0.9]], [[0.7, 0.6], [0.6, 0.5]]])
    >>> curve = VocabularyCurve(
    ...     sizes=np.array([10, 120]),
    ...     models=("multinomial", "bernoulli"),
    ...     scores=scores,
    ...     vocabulary_sizes=np.array([120, 115]),
    ...     scoring="accuracy",
    ... )
    >>> print(curve)
    accuracy by vocabulary size, mean ± standard deviation of 2 folds
    <BLANKLINE>
    terms    multinomial      bernoulli
       10  0.550 ± 0.071  0.650 ± 0.071
      120  0.850 ± 0.071  0.550 ± 0.071
    <BLANKLINE>
    best: multinomial with 120 terms, 0.850
    the folds have 115 to 120 terms
    >>> curve.crossing("multinomial", "bernoulli")
    120
    """

    sizes: Ints
    models: tuple[str, ...]
    scores: Floats
    vocabulary_sizes: Ints
    scoring: str

    def mean(self) -> Floats:
        """Return the mean over the folds.

        Returns
        -------
        ndarray of shape (n_models, n_sizes)
            Means.
        """
        means: Floats = self.scores.mean(axis=2)
        return means

    def std(self) -> Floats:
        """Return the standard deviation over the folds, with one less than the folds below.

        It says how much the score varies from fold to fold. The training documents of the folds
        overlap, so it is no confidence interval.

        Returns
        -------
        ndarray of shape (n_models, n_sizes)
            Standard deviations; NaN if there is one fold only.
        """
        if self.scores.shape[2] < 2:
            return np.full(self.scores.shape[:2], np.nan)
        deviations: Floats = self.scores.std(axis=2, ddof=1)
        return deviations

    def best(self) -> tuple[str, int, float]:
        """Return the model and the size with the highest mean score.

        Returns
        -------
        model : str
            Its name; of equally good ones the first.
        size : int
            Its vocabulary size; of equally good ones the smallest.
        score : float
            The mean of its scores.
        """
        means = self.mean()
        model, size = np.unravel_index(
            np.argmax(np.where(np.isnan(means), -np.inf, means)), means.shape
        )
        return self.models[model], int(self.sizes[size]), float(means[model, size])

    def crossing(self, a: str, b: str) -> int | None:
        """Return the smallest size from which on one model stays ahead of another.

        Parameters
        ----------
        a, b : str
            Names of models.

        Returns
        -------
        int or None
            The first of the sizes such that there and at every larger one the mean score of `a` is
            above that of `b`; ``None`` if `a` is not ahead at the largest.
        """
        means = self.mean()
        ahead = means[self._number(a)] > means[self._number(b)]
        behind = np.flatnonzero(~ahead)
        first = behind[-1] + 1 if len(behind) else 0
        return int(self.sizes[first]) if first < len(self.sizes) else None

    def to_frame(self) -> pl.DataFrame:
        """Return the scores as a table in long form.

        Returns
        -------
        polars.DataFrame
            A row for each model, size and fold, with the columns ``model``, ``size``, ``fold``
            (from 0), ``n_terms`` (the terms in use: the size, or all that the fold has) and
            ``score``.
        """
        model, size, fold = (axis.ravel() for axis in np.indices(self.scores.shape))
        return pl.DataFrame(
            {
                "model": np.array(self.models, dtype=object)[model].tolist(),
                "size": self.sizes[size],
                "fold": fold,
                "n_terms": np.minimum(self.sizes[size], self.vocabulary_sizes[fold]),
                "score": self.scores.ravel(),
            }
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw the mean score of each model against the vocabulary size, on a logarithmic axis.

        Bands reach one standard deviation over the folds to either side. Needs matplotlib:
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
        from matplotlib.ticker import NullFormatter, StrMethodFormatter

        n_folds = self.scores.shape[2]
        for number, (name, mean, std) in enumerate(
            zip(self.models, self.mean(), self.std(), strict=True)
        ):
            style = line_style(number)
            ax.plot(self.sizes, mean, label=name, markersize=5, **style)
            if n_folds > 1:
                ax.fill_between(
                    self.sizes, mean - std, mean + std, color=style["color"], alpha=0.2, lw=0
                )
        ax.set_xscale("log")
        if self.sizes[-1] < 100 * self.sizes[0]:  # too few powers of ten to read sizes from
            ax.set_xticks(self.sizes)
        ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.set_xlabel("Vocabulary size (terms)")
        what = self.scoring[:1].upper() + self.scoring[1:].replace("_", " ")
        ax.set_ylabel(f"{what}, mean ± std of {n_folds} folds" if n_folds > 1 else what)
        ax.grid(color="0.9")
        ax.set_axisbelow(True)
        ax.legend()
        return ax

    def __str__(self) -> str:
        rows = [["terms", *self.models]]
        for size, means, deviations in zip(self.sizes, self.mean().T, self.std().T, strict=True):
            cells = [_cell(*pair) for pair in zip(means, deviations, strict=True)]
            rows.append([f"{size:,}", *cells])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        table = ["  ".join(map(str.rjust, row, widths)) for row in rows]

        n_folds = self.scores.shape[2]
        spread = f", mean ± standard deviation of {n_folds} folds" if n_folds > 1 else ""
        model, size, score = self.best()
        least, most = self.vocabulary_sizes.min(), self.vocabulary_sizes.max()
        terms = f"{most:,}" if least == most else f"{least:,} to {most:,}"
        return "\n".join(
            [
                f"{self.scoring} by vocabulary size{spread}",
                "",
                *table,
                "",
                f"best: {model} with {size:,} terms, {score:.3f}",
                f"the {'folds have' if n_folds > 1 else 'fold has'} {terms} terms",
            ]
        )

    def __repr__(self) -> str:
        return (
            f"VocabularyCurve(models={self.models}, sizes={self.sizes.tolist()}, "
            f"n_folds={self.scores.shape[2]}, scoring={self.scoring!r})"
        )

    def _number(self, model: str) -> int:
        if model not in self.models:
            raise ValueError(
                f"there is no model {model!r} in this curve; there are: {', '.join(self.models)}."
            )
        return self.models.index(model)


def _cell(mean: float, deviation: float) -> str:
    return f"{mean:.3f}" if np.isnan(deviation) else f"{mean:.3f} ± {deviation:.3f}"
