"""What is said when an optimiser stopped before it was done."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, local
from typing import Any

from sklearn.exceptions import ConvergenceWarning

__all__ = ["UnfinishedFits", "warn_not_converged"]


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


class UnfinishedFits:
    """Fits that stopped before they had converged, counted by model instead of warned of.

    Where many models are fitted, a warning with a file and a line tells neither which of them it
    was nor how many.

    Examples
    --------
    >>> unfinished = UnfinishedFits()
    >>> with unfinished.counted(), unfinished.of("a model"):
    ...     warn_not_converged("Lasso", 5, "duality gap", 0.1, 1e-4)
    >>> unfinished.note()
    'stopped before they had converged (more iterations may change scores): a model (1 fit)'
    """

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._lock = Lock()
        self._here = local()

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count warnings of convergence, of all threads, and let the others through."""
        with warnings.catch_warnings():
            warnings.simplefilter("always", ConvergenceWarning)
            others = warnings.showwarning

            def show(message: Any, category: Any, *where: Any, **more: Any) -> None:
                if not issubclass(category, ConvergenceWarning):
                    others(message, category, *where, **more)
                    return
                with self._lock:
                    self._counts[getattr(self._here, "name", "")] += 1

            warnings.showwarning = show
            yield

    @contextmanager
    def of(self, name: str) -> Iterator[None]:
        """Count what the calling thread fits as that of a model.

        Parameters
        ----------
        name : str
            The model.
        """
        self._here.name = name
        try:
            yield
        finally:
            del self._here.name

    def note(self) -> str | None:
        """Return one sentence about all of them; ``None`` if there were none."""
        if not self._counts:
            return None
        shown = ", ".join(
            f"{name or 'others'} ({n:,} {'fit' if n == 1 else 'fits'})"
            for name, n in sorted(self._counts.items())
        )
        return f"stopped before they had converged (more iterations may change scores): {shown}"
