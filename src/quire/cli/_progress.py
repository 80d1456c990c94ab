"""A bar for work that is counted, and a line for work that is named; on a terminal only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["counted", "named"]


@contextmanager
def counted(message: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar; yield what to tell: how much is done, and how much there is.

    Parameters
    ----------
    message : str
        What is being done.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Left

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda done, total: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Left())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(message, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


@contextmanager
def named(message: str) -> Iterator[Callable[[str], None]]:
    """Show a line that can be changed; yield what to tell it.

    Parameters
    ----------
    message : str
        What is being done first.
    """
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda message: None
        return
    with console.status(message) as status:
        yield lambda message: status.update(message)
