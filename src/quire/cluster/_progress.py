"""How k-means tells how far it is: a bar on standard error, or a function of the caller's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["Tell", "reporting"]

_WIDE = 80  # columns of a terminal that has room for the inertia
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
    from rich import progress as bars
    from rich.console import Console

    console = Console(stderr=True)
    is_wide = console.width >= _WIDE
    columns = (
        bars.TextColumn("{task.description}"),
        bars.BarColumn(bar_width=20 if is_wide else 10),
        bars.TextColumn("{task.fields[now]}"),
        bars.TimeElapsedColumn(),
    )
    with bars.Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("k-means", total=len(numbers) * n_starts, now="")

        def shown(n_clusters: int) -> Tell:
            done = numbers.index(n_clusters) * n_starts
            name = f"{n_clusters} clusters"

            def tell(start: int, iteration: int, inertia: float) -> None:
                now = f"start {start}/{n_starts}, " if n_starts > 1 else ""
                now += f"iteration {iteration}"
                if is_wide:
                    now += f", inertia {inertia:,.5g}"
                bar.update(task, description=name, completed=done + start - 1, now=now)

            return tell

        yield shown
