"""Polynomials of a high degree, held by a penalty: what they look like and what they cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold

from quire._shared.notebooks import ShownInNotebooks
from quire._shared.plot import dressed, grid, ink, line_style, middle, new_panels, themed
from quire._shared.typing import Floats
from quire.linear_model import Ridge
from quire.pictures._samples import given_or_example

if TYPE_CHECKING:
    import polars as pl

__all__ = ["PolynomialSweep", "polynomial_sweep"]


def _example() -> tuple[Floats, NDArray[Any]]:
    """Return noisy values of a sine."""
    rng = np.random.default_rng(2)
    x = rng.uniform(0, 1, size=30)
    return x, np.sin(2 * np.pi * x) + 0.3 * rng.normal(size=30)


@dataclass(frozen=True, eq=False)
class PolynomialSweep(ShownInNotebooks):
    r"""Polynomials fitted under penalties from nearly none to far too much.

    Attributes
    ----------
    degree : int
        The degree of all of them.
    penalties : ndarray of shape (n_penalties,)
        The factors :math:`\lambda`, rising.
    empirical_risk : ndarray of shape (n_penalties,)
        Half the mean squared error of the data that were fitted.
    held_out_risk : ndarray of shape (n_penalties,)
        The same of data that were not, by cross-validation.
    coefs : ndarray of shape (n_penalties, degree + 1)
        Coefficients of the powers, from 0, of x brought to -1 to 1.
    x, y : ndarray of shape (n_samples,)
        The data.
    """

    degree: int
    penalties: Floats
    empirical_risk: Floats
    held_out_risk: Floats
    coefs: Floats = field(repr=False)
    x: Floats = field(repr=False)
    y: Floats = field(repr=False)

    @property
    def best(self) -> float:
        """The penalty with the least held-out risk."""
        return float(self.penalties[int(np.argmin(self.held_out_risk))])

    def predict(self, x: Any, penalty: float) -> Floats:
        """Return the values of one polynomial.

        Parameters
        ----------
        x : array-like of shape (n,)
            Where.
        penalty : float
            One of the penalties; the nearest is taken.

        Returns
        -------
        ndarray of shape (n,)
            The values.
        """
        number = int(np.argmin(np.abs(np.log(self.penalties) - np.log(penalty))))
        values: Floats = _powers(np.asarray(x, float), self.x, self.degree) @ self.coefs[number]
        return values

    def to_frame(self) -> pl.DataFrame:
        """Return the risks.

        Returns
        -------
        polars.DataFrame
            A row for each penalty, with the columns ``penalty``, ``empirical_risk``,
            ``held_out_risk`` and ``norm``, that of the coefficients.
        """
        import polars as pl

        return pl.DataFrame(
            {
                "penalty": self.penalties,
                "empirical_risk": self.empirical_risk,
                "held_out_risk": self.held_out_risk,
                "norm": np.linalg.norm(self.coefs, axis=1),
            }
        )

    def plot(self, *, penalties: Any = None, axes: Any = None, theme: str = "light") -> Any:
        """Draw some of the polynomials through the data, and the risks over the penalty.

        Parameters
        ----------
        penalties : sequence of float, default=None
            Which polynomials to draw; the weakest, the best and the strongest if not given.
        axes : sequence of two matplotlib.axes.Axes, default=None
            Where to draw; a new figure if not given.
        theme : {"light", "dark"}, default="light"
            Colours for a light or a dark background.

        Returns
        -------
        ndarray of two matplotlib.axes.Axes
            The polynomials, and the risks.
        """
        chosen = [self.penalties[0], self.best, self.penalties[-1]]
        chosen = chosen if penalties is None else list(penalties)
        with themed(theme):
            left, right = panels = new_panels(axes, 2, size=(4.4, 3.6))
            at = np.linspace(self.x.min(), self.x.max(), 400)
            left.scatter(self.x, self.y, s=22, color=middle(), label="data", zorder=3)
            for number, penalty in enumerate(chosen):
                style = {**line_style(number), "marker": ""}
                left.plot(at, self.predict(at, penalty), label=f"λ = {penalty:.2g}", **style)
            low, high = self.y.min(), self.y.max()
            left.set_ylim(low - 0.25 * (high - low), high + 0.6 * (high - low))
            left.set(xlabel="x", ylabel="y", title=f"polynomials of degree {self.degree}")
            left.legend(ncols=2, loc="upper center")
            for number, (risk, label) in enumerate(
                ((self.empirical_risk, "empirical risk"), (self.held_out_risk, "held-out risk"))
            ):
                style = line_style(number)
                every = max(1, len(risk) // 10)
                right.plot(
                    self.penalties, risk, label=label, markersize=5, markevery=every, **style
                )
            right.axvline(self.best, color=ink(), linestyle=":", label=f"best: {self.best:.2g}")
            right.set_xscale("log")
            top = 1.3 * float(max(self.empirical_risk.max(), np.median(self.held_out_risk)))
            right.set(xlabel="penalty λ", ylabel="half the mean squared error", ylim=(0, top))
            right.set_title("risk over the penalty")
            right.legend(loc="best")
            for ax in panels:
                grid(ax)
                dressed(ax)
            return panels


def polynomial_sweep(
    x: Any = None,
    y: Any = None,
    *,
    degree: int = 15,
    penalties: Any = None,
    cv: int = 10,
    random_state: int = 0,
) -> PolynomialSweep:
    r"""Fit polynomials of one degree under a sweep of penalties.

    The regularised risk of N data is

    .. math:: \frac{1}{2N} \lVert y - X\theta \rVert^2 + \frac{\lambda}{2} \lVert \theta \rVert^2,
              \qquad \theta^* = (X'X + N\lambda I)^{-1} X'y,

    with the powers of x from 0 to `degree` as columns, and x brought to -1 to 1. That is
    ``Ridge(alpha=N * penalty, fit_intercept=False)``.

    Parameters
    ----------
    x : array-like of shape (n_samples,), default=None
        Where the values were taken; an example if neither `x` nor `y` is given.
    y : array-like of shape (n_samples,), default=None
        The values.
    degree : int, default=15
        The degree.
    penalties : array-like, default=None
        The factors :math:`\lambda`; from 1e-9 to 10 if not given.
    cv : int, default=10
        Folds for the held-out risk.
    random_state : int, default=0
        Seed of the folds.

    Returns
    -------
    PolynomialSweep
        The polynomials and their risks, with a table and a plot.

    Raises
    ------
    ValueError
        If the data, the degree or the penalties do not fit.

    Examples
    --------
    >>> from quire.pictures import polynomial_sweep
    >>> sweep = polynomial_sweep(penalties=[1e-9, 1e-4, 10.0])
    >>> sweep.best
    0.0001
    >>> sweep.to_frame()["empirical_risk"].is_sorted()  # a stronger penalty fits the data less
    True
    """
    x, y = given_or_example(x, y, _example)
    at, values = np.ravel(np.asarray(x, float)), np.ravel(np.asarray(y, float))
    if at.shape != values.shape or not (np.isfinite(at).all() and np.isfinite(values).all()):
        raise ValueError(f"x has {len(at)} numbers and y {len(values)}; expected as many, finite.")
    if degree < 1 or len(np.unique(at)) < 2 or not 2 <= cv <= len(at):
        raise ValueError(
            f"degree={degree}, cv={cv} and {len(np.unique(at))} different x: expected a degree of "
            "1 or more, two x or more, and no more folds than data."
        )
    lambdas = np.logspace(-9, 1, 41) if penalties is None else np.sort(np.asarray(penalties, float))
    if lambdas.ndim != 1 or len(lambdas) == 0 or not (lambdas > 0).all():
        raise ValueError("penalties needs one number or more, all of them above 0.")
    X = _powers(at, at, degree)
    folds = list(KFold(cv, shuffle=True, random_state=random_state).split(X))
    coefs = np.array([_fitted(X, values, penalty) for penalty in lambdas])
    held_out = np.zeros(len(lambdas))
    for train, test in folds:
        for number, penalty in enumerate(lambdas):
            errors = X[test] @ _fitted(X[train], values[train], penalty) - values[test]
            held_out[number] += errors @ errors / (2 * len(at))
    empirical = np.mean((X @ coefs.T - values[:, None]) ** 2, axis=0) / 2
    return PolynomialSweep(degree, lambdas, empirical, held_out, coefs, at, values)


def _fitted(X: Floats, y: Floats, penalty: float) -> Floats:
    model = Ridge(alpha=len(X) * penalty, fit_intercept=False, solver="svd").fit(X, y)
    return np.asarray(model.coef_)


def _powers(x: Floats, like: Floats, degree: int) -> Floats:
    """Return the powers of x, brought to the range from -1 to 1 of the data."""
    low, high = like.min(), like.max()
    return np.vander(2 * (x - low) / (high - low) - 1, degree + 1, increasing=True)
