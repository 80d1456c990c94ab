"""A progress bar on standard error, and a way to stop the threads that move it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event

__all__ = ["Advance", "progress"]

Advance = Callable[[float], None]


class _LeftAlone(Exception):
    """Ends a thread that nobody waits for any more."""


@contextmanager
def progress(description: str, total: float, *, shown: bool) -> Iterator[Advance]:
    """Give a function to call after each step of the work with how much of `total` it was.

    Once the block has been left, by Ctrl-C or an error for example, that function raises an
    exception: threads which are still at work end with their step.

    Parameters
    ----------
    description : str
        What is being done.
    total : float
        How much there is to do.
    shown : bool
        Whether to show a bar, with the time that is left.
    """
    left = Event()

    def check() -> None:
        if left.is_set():
            raise _LeftAlone

    try:
        if not shown:
            yield lambda done: check()
            return
        from rich import progress as bars
        from rich.console import Console

        columns = (
            bars.TextColumn("{task.description}"),
            bars.BarColumn(),
            bars.TaskProgressColumn(),
            bars.TimeRemainingColumn(elapsed_when_finished=True),
        )
        with bars.Progress(*columns, console=Console(stderr=True)) as bar:
            task = bar.add_task(description, total=total)

            def advance(done: float) -> None:
                check()
                bar.advance(task, done)

            yield advance
            bar.update(task, completed=total)  # the steps add up to it but for rounding
    finally:
        left.set()
