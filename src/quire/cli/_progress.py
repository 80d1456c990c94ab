"""A bar for work that is counted, and a line for work that is named; on a terminal only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["counted", "named"]

_NARROW = 60  # columns below which there is no room for the time that is left


@contextmanager
def counted(message: str) -> Iterator[Callable[[int, int | None], None]]:
    """Show a bar; yield what to tell: how much is done, and how much there is if that is known.

    Parameters
    ----------
    message : str
        What is being done.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
    from rich.table import Column
    from rich.text import Text

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda done, total: None
        return
    what = Text(message)
    what.truncate(console.width // 2, overflow="ellipsis")
    columns = [
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[count]}", justify="right"),
        TimeRemainingColumn(table_column=Column(no_wrap=True)),
    ]
    if console.width < _NARROW:
        columns.pop()
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(what.plain, total=None, count="")

        def tell(done: int, total: int | None) -> None:
            count = f"{done:,}" if total is None else f"{done:,}/{total:,}"
            progress.update(task, completed=done, total=total, count=count)

        yield tell


@contextmanager
def named(message: str) -> Iterator[Callable[[str], None]]:
    """Show a line that can be changed; yield what to tell it.

    Parameters
    ----------
    message : str
        What is being done first.
    """
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda message: None
        return
    with console.status(Text(message)) as status:  # as it is: names of files may look like markup
        yield lambda message: status.update(Text(message))
