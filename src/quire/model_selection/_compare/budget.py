"""A limit on the time of a comparison: which models may go on."""

from __future__ import annotations

from threading import Lock
from time import perf_counter

__all__ = ["Budget"]


class Budget:
    """Keeps account of the time that models take, and leaves out the least promising.

    In the first fold models are run in their order until the time is up. Then the time that all
    folds will take is known; if it is too much, models are left out from the worst up.

    Parameters
    ----------
    minutes : float or None
        For all folds; ``None`` for any time.
    n_folds : int
        How many there are.
    """

    def __init__(self, minutes: float | None, n_folds: int) -> None:
        self._limit = None if minutes is None else 60.0 * minutes
        self._start = perf_counter()
        self._n_folds = n_folds
        self._n_done = 0
        self._seconds: dict[str, float] = {}
        self._scores: dict[str, float] = {}
        self._left_out: set[str] = set()
        self._lock = Lock()

    def allows(self, name: str) -> bool:
        """Return whether a model may be run on the next fold."""
        with self._lock:
            if self._limit is None:
                return True
            if self._n_done == 0 and self._seconds and self._elapsed() > self._limit:
                self._left_out.add(name)
            return name not in self._left_out

    def spent(self, name: str, seconds: float, score: float) -> None:
        """Take down what a model has taken on a fold, and its score there."""
        with self._lock:
            self._seconds[name] = max(seconds, self._seconds.get(name, 0.0))
            self._scores[name] = score

    def plan(self) -> None:
        """Decide after a fold which models the time that is left will do for."""
        with self._lock:
            self._n_done += 1
            if self._limit is None:
                return
            n_left = self._n_folds - self._n_done
            going = sorted(set(self._seconds) - self._left_out, key=self._scores.__getitem__)
            while len(going) > 1:
                needed = n_left * sum(self._seconds[name] for name in going)
                if self._elapsed() + needed <= self._limit:
                    return
                self._left_out.add(going.pop(0))

    def _elapsed(self) -> float:
        return perf_counter() - self._start
