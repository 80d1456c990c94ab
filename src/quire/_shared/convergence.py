"""What is said when an optimiser stopped before it was done."""

from __future__ import annotations

import warnings

from sklearn.exceptions import ConvergenceWarning

__all__ = ["warn_not_converged"]


def warn_not_converged(
    what: str,
    n_iter: int,
    measure: str,
    reached: float,
    wanted: float,
    *,
    remedy: str = "",
    first: str = "",
) -> None:
    """Warn with scikit-learn's ConvergenceWarning: how far it got, and what to do.

    Parameters
    ----------
    what : str
        The model or solver, such as "Lasso".
    n_iter : int
        Iterations made.
    measure : str
        What is compared, such as "duality gap" or "largest component of the gradient".
    reached, wanted : float
        Its value at the end, and the one asked for.
    remedy : str, default=""
        More advice than to raise `max_iter` or `tol`.
    first : str, default=""
        A sentence to begin with: scikit-learn's own, which programs may look for.
    """
    advice = "Increase max_iter or tol" + (f", or {remedy}" if remedy else "")
    warnings.warn(
        f"{first}{' ' if first else ''}{what} did not converge in {n_iter} iterations: {measure} "
        f"{reached:.3g}, wanted {wanted:.3g}. {advice}.",
        ConvergenceWarning,
        stacklevel=3,
    )
