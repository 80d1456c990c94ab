"""A limit on the time of a comparison: which models may go on."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from time import perf_counter

__all__ = ["Budget", "most_promising_first"]

# From those that are best on most texts down; what is not named comes behind them.
_PROMISING = (
    "relevance-svm",
    "linear-svm",
    "nb-logistic",
    "logistic",
    "least-squares",
    "complement-nb",
    "multinomial-nb",
)
_JOINED = 4  # models that are fitted again if their average is the best


def most_promising_first(names: Sequence[str]) -> list[int]:
    """Return the places of models in the order in which they should have their turn.

    Parameters
    ----------
    names : sequence of str
        The models, in any order; it is kept among those that nothing is known of.
    """
    rank = {name: place for place, name in enumerate(_PROMISING)}
    return sorted(range(len(names)), key=lambda place: rank.get(names[place], len(rank)))


class Budget:
    """Keeps account of the time that models take, and leaves out the least promising.

    In the first fold models have their turn as long as there is time for one that takes as long
    as any before it. Then the time that all folds will take is known; if it is too much, models
    are left out from the worst up. What fitting the best to everything takes is kept aside.

    Parameters
    ----------
    minutes : float or None
        For all folds; ``None`` for any time.
    n_folds : int
        How many there are.
    start : float, default=None
        When the work began, by :func:`time.perf_counter`; now if ``None``.
    growth : float, default=1.0
        How many times as many documents the last fit has; 0 if there is none.
    """

    def __init__(
        self,
        minutes: float | None,
        n_folds: int,
        start: float | None = None,
        growth: float = 1.0,
    ) -> None:
        self.minutes = minutes
        self._limit = None if minutes is None else 60.0 * minutes
        self._start = perf_counter() if start is None else start
        self._growth = growth
        self._n_folds = n_folds
        self._n_done = 0
        self._seconds: dict[str, float] = {}
        self._fits: dict[str, float] = {}
        self._scores: dict[str, float] = {}
        self._left_out: set[str] = set()
        self._lock = Lock()

    @property
    def is_limited(self) -> bool:
        """Whether there is a limit."""
        return self._limit is not None

    def allows(self, name: str) -> bool:
        """Return whether a model may be run on the next fold; the first one always may."""
        with self._lock:
            if self._limit is None:
                return True
            if self._n_done == 0 and self._seconds:
                longest = max(self._seconds.values())
                if self._elapsed() + longest + self._last_fit(self._seconds) > self._limit:
                    self._left_out.add(name)
            return name not in self._left_out

    def spent(self, name: str, seconds: float, score: float, fit_seconds: float = 0.0) -> None:
        """Take down what a model has taken on a fold, how much of it for its fit, and its score."""
        with self._lock:
            self._seconds[name] = max(seconds, self._seconds.get(name, 0.0))
            self._fits[name] = max(fit_seconds, self._fits.get(name, 0.0))
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
                if self._elapsed() + needed + self._last_fit(going) <= self._limit:
                    return
                self._left_out.add(going.pop(0))

    def _last_fit(self, names: Sequence[str] | dict[str, float]) -> float:
        """Return what the last fit may take: that of an average of the slowest models."""
        slowest = sorted((self._fits[name] for name in names), reverse=True)[:_JOINED]
        return self._growth * sum(slowest)

    def _elapsed(self) -> float:
        return perf_counter() - self._start
