"""Cubic splines as columns of a regression, as those of R's ``bs`` and ``ns``."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import BSpline

from quire._shared.typing import Floats

__all__ = ["Spline"]


@dataclass(frozen=True, eq=False)
class Spline:
    """A cubic spline with knots at quantiles; the intercept is not among its columns.

    Attributes
    ----------
    knots : ndarray
        Those at the ends four times.
    turned : ndarray of shape (n, df) or None
        For natural splines, which have no second derivative at the ends: from B-splines to these.
    df : int
        How many columns it has.
    """

    knots: Floats
    turned: Floats | None
    df: int

    @classmethod
    def fit(cls, x: Floats, df: int, *, is_natural: bool, name: str = "x") -> Spline:
        """Choose the knots of a spline.

        Parameters
        ----------
        x : ndarray
            Values.
        df : int
            How many columns; at least 3 of a B-spline, 2 of a natural one.
        is_natural : bool
            Whether the ends go on as straight lines.
        name : str, default="x"
            What to call the values in errors.

        Raises
        ------
        ValueError
            If there are too few different values.
        """
        least = 2 if is_natural else 3
        n_values = len(np.unique(x))
        if df < least or n_values <= df:
            raise ValueError(
                f"a spline of {name} with df={df} needs df of {least} or more, and more than df "
                f"different values; {name} has {n_values:,}."
            )
        n_inside = df - 1 if is_natural else df - 3
        inside = np.quantile(x, np.linspace(0, 1, n_inside + 2)[1:-1])
        low, high = float(x.min()), float(x.max())
        inside = np.unique(inside[(inside > low) & (inside < high)])
        if len(inside) < n_inside:
            raise ValueError(
                f"{name} has values that too many documents share for a spline with df={df}; take "
                "a smaller df, or a line."
            )
        knots = np.concatenate([[low] * 4, inside, [high] * 4])
        if not is_natural:
            return cls(knots, None, df)
        n = len(knots) - 4
        bends = np.array(
            [BSpline(knots, np.eye(n)[k], 3).derivative(2)([low, high]) for k in range(1, n)]
        )
        full, _ = np.linalg.qr(bends, mode="complete")
        return cls(knots, full[:, 2:], df)

    def columns(self, x: Floats) -> Floats:
        """Return the columns for some values; beyond the ends they are those of the ends.

        Parameters
        ----------
        x : ndarray of shape (n,)
            Values.
        """
        inside = np.clip(x, self.knots[0], self.knots[-1])
        basis: Floats = BSpline.design_matrix(inside, self.knots, 3).toarray()[:, 1:]
        return basis if self.turned is None else basis @ self.turned
