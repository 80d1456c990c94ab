"""Bias and variance of an estimator of a parameter, over samples that are drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from quire._shared.number_tables import aligned, html_table
from quire._shared.plot import faint, grid, line_style, new_axes, paper, whole_numbers
from quire._shared.progress import progress
from quire._shared.typing import Floats
from quire.model_selection._estimators import seeds_from

__all__ = ["EstimatorBiasVariance", "estimate_often"]


@dataclass(frozen=True, eq=False, repr=False)
class EstimatorBiasVariance:
    r"""The mean squared error of an estimator of a parameter, from :func:`bias_variance`.

    .. math:: \frac1R \sum_r (\hat\theta_r - \theta)^2
              = (\bar\theta - \theta)^2 + \frac1R \sum_r (\hat\theta_r - \bar\theta)^2

    ``print(result)`` shows a table and :meth:`plot` draws the estimates. All numbers have the shape
    of the parameter: floats if it is a number.

    Attributes
    ----------
    name : str
        The name of the function that estimates.
    truth : ndarray of shape (n_parameters,)
        The parameter.
    estimates : ndarray of shape (n_samples, n_parameters)
        What each sample gave.
    is_number : bool
        Whether the parameter is a number, not a vector.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.model_selection import bias_variance
    >>> result = bias_variance(
    ...     np.var, truth=4.0, sampler=lambda rng: rng.normal(0, 2, size=5), random_state=0
    ... )
    >>> f"{result.bias**2:.3f} + {result.variance:.3f} = {result.mse:.3f}"
    '0.551 + 5.838 = 6.389'
    """

    name: str
    truth: Floats
    estimates: Floats
    is_number: bool

    def _shaped(self, values: Floats) -> Any:
        return float(values[0]) if self.is_number else values

    @property
    def n_samples(self) -> int:
        """How many samples were drawn."""
        return len(self.estimates)

    @property
    def mean(self) -> Any:
        """The mean of the estimates."""
        return self._shaped(self.estimates.mean(axis=0))

    @property
    def bias(self) -> Any:
        """The mean of the estimates minus the truth; **not** squared, it has a sign."""
        return self._shaped(self.estimates.mean(axis=0) - self.truth)

    @property
    def variance(self) -> Any:
        """The mean squared distance of the estimates from their mean."""
        return self._shaped(self.estimates.var(axis=0))

    @property
    def mse(self) -> Any:
        """The mean squared error: squared bias and variance together."""
        return self._shaped(((self.estimates - self.truth) ** 2).mean(axis=0))

    @property
    def standard_errors(self) -> dict[str, Any]:
        """Standard errors of `bias`, `variance` and `mse`, since the samples are finitely many."""
        n = self.n_samples
        off = self.estimates - self.estimates.mean(axis=0)
        fourth = (off**4).mean(axis=0) - self.estimates.var(axis=0) ** 2
        errors = (self.estimates - self.truth) ** 2
        found = {
            "bias": off.std(axis=0, ddof=1) / np.sqrt(n),
            "variance": np.sqrt(np.maximum(fourth, 0.0) / n),
            "mse": errors.std(axis=0, ddof=1) / np.sqrt(n),
        }
        return {name: self._shaped(values) for name, values in found.items()}

    def table(self) -> pl.DataFrame:
        """Return the parts of every parameter.

        Returns
        -------
        polars.DataFrame
            A row for each parameter, with the columns ``truth``, ``mean``, ``bias``,
            ``bias_squared``, ``variance``, ``mse`` and the standard errors ``bias_error``,
            ``variance_error`` and ``mse_error``.
        """
        bias = np.atleast_1d(self.bias)
        errors = {
            f"{name}_error": np.atleast_1d(value) for name, value in self.standard_errors.items()
        }
        return pl.DataFrame(
            {
                "truth": self.truth,
                "mean": np.atleast_1d(self.mean),
                "bias": bias,
                "bias_squared": bias**2,
                "variance": np.atleast_1d(self.variance),
                "mse": np.atleast_1d(self.mse),
                **errors,
            }
        )

    def plot(self, ax: Any = None, *, parameter: int = 0) -> Any:
        """Draw how the estimates of a parameter are distributed, their mean, and the truth.

        Needs matplotlib: ``pip install 'quire[plot]'``.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; a new figure if ``None``.
        parameter : int, default=0
            Which one, if there are several.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        ax = new_axes(ax)
        values, truth = self.estimates[:, parameter], float(self.truth[parameter])
        bins = int(np.clip(np.sqrt(self.n_samples), 5, 60))
        ax.hist(values, bins=bins, color=faint(), edgecolor=paper(), linewidth=0.5)
        mean, spread = float(values.mean()), float(values.std())
        first, second = (line_style(k)["color"] for k in (0, 1))
        grid(ax, "y")
        ax.axvspan(mean - spread, mean + spread, color=first, alpha=0.12, lw=0)
        ax.axvline(truth, color=second, lw=2, label=f"truth {truth:.4g}")
        ax.axvline(mean, color=first, lw=2, linestyle="--", label=f"mean {mean:.4g} ± deviation")
        ax.set_xlabel(f"Estimates by {self.name}")
        ax.set_ylabel("Samples")
        whole_numbers(ax.yaxis)
        ax.legend()
        return ax

    def _title(self) -> str:
        return f"squared error of {self.name} over {self.n_samples:,} samples"

    def _cells(self) -> list[list[str]]:
        table = self.table()
        several = len(table) > 1
        columns = ["truth", "mean", "bias", "bias_squared", "variance", "mse"]
        heads = ["truth", "mean", "bias", "bias²", "variance", "bias² + variance"]
        rows = [["parameter", *heads] if several else heads]
        for place, row in enumerate(table.select(columns).iter_rows()):
            cells = [f"{value:.4g}" for value in row]
            rows.append([str(place), *cells] if several else cells)
        return rows

    def __str__(self) -> str:
        return "\n".join([self._title(), "", *aligned(self._cells())])

    def __repr__(self) -> str:
        return (
            f"EstimatorBiasVariance(name={self.name!r}, n_parameters={len(self.truth)}, "
            f"n_samples={self.n_samples})"
        )

    def _repr_html_(self) -> str:
        return html_table(self._title(), self._cells())


def estimate_often(
    estimator: Callable[[Any], Any],
    truth: Any,
    sampler: Callable[[np.random.Generator], Any],
    n_samples: int,
    source: Any,
    verbose: bool,
) -> EstimatorBiasVariance:
    """Draw samples, estimate from each, and compare with the truth.

    Parameters
    ----------
    estimator : callable
        Takes a sample and returns a number or vector.
    truth : float or array-like of shape (n_parameters,)
        What it should return.
    sampler : callable
        Takes a generator and returns a sample.
    n_samples : int
        How many.
    source : RandomState
        Where the seeds of the samples come from.
    verbose : bool
        Whether to show a progress bar.
    """
    if not callable(estimator):
        raise TypeError(
            f"estimator is {type(estimator).__name__}; with a sampler, expected a function that "
            "takes a sample and returns the estimate."
        )
    wanted = np.asarray(truth, dtype=np.float64)
    if wanted.ndim > 1 or not wanted.size:
        raise ValueError(f"truth has the shape {wanted.shape}; expected a number or a vector.")
    found = np.empty((n_samples, wanted.size))
    with progress("Samples", n_samples, shown=verbose) as advance:
        for row, seed in zip(found, seeds_from(source, n_samples), strict=True):
            estimate = np.asarray(estimator(sampler(np.random.default_rng(seed))), dtype=np.float64)
            if estimate.shape != wanted.shape:
                raise ValueError(
                    f"estimator returned an array of shape {estimate.shape}; the shape of truth is "
                    f"{wanted.shape}."
                )
            row[:] = estimate
            advance(1.0)
    name = str(getattr(estimator, "__name__", type(estimator).__name__))
    return EstimatorBiasVariance(
        name="a function" if name == "<lambda>" else name,
        truth=np.atleast_1d(wanted),
        estimates=found,
        is_number=wanted.ndim == 0,
    )
