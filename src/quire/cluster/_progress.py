"""How k-means tells how far it is: a bar on standard error, or a function of the caller's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from quire._shared.progress import shown_bar

__all__ = ["Tell", "reporting"]

Tell = Callable[[int, int, float], None]  # start, iteration, inertia


@contextmanager
def reporting(progress: Any, numbers: list[int], n_starts: int) -> Iterator[Callable[[int], Tell]]:
    """Give a function that, for a number of clusters, gives what to call in each iteration.

    Parameters
    ----------
    progress : bool or callable
        Whether to show a bar; or what to call with a dictionary of ``"n_clusters"``, ``"start"``,
        ``"iteration"`` and ``"inertia"``.
    numbers : list of int
        Numbers of clusters that will be tried.
    n_starts : int
        Starts for each.
    """
    if callable(progress) or not progress:

        def quietly(n_clusters: int) -> Tell:
            def tell(start: int, iteration: int, inertia: float) -> None:
                if callable(progress):
                    now = {"n_clusters": n_clusters, "start": start, "iteration": iteration}
                    progress({**now, "inertia": inertia})

            return tell

        yield quietly
        return
    total = len(numbers) * n_starts
    with shown_bar("k-means", total, stays=False) as bar:

        def shown(n_clusters: int) -> Tell:
            done = numbers.index(n_clusters) * n_starts
            name = f"{n_clusters} clusters"

            def tell(start: int, iteration: int, inertia: float) -> None:
                now = f"start {start}/{n_starts}, " if n_starts > 1 else ""
                now += f"iteration {iteration}"
                if bar.is_wide:
                    now += f", inertia {inertia:,.5g}"
                bar.at(done + start - 1, name=name, note=now)

            return tell

        yield shown
