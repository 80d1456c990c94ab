"""One progress bar for all of quire, on standard error.

The work tells a :class:`Bar` how far it is, by steps (``advance``) or by where it stands (``at``).
A bar that is not shown takes the same calls, so that the work is written once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from typing import Any

from quire._shared.terminal import console, is_terminal, marked_streams, visible

__all__ = ["Advance", "Bar", "counted", "named", "progress", "shown_bar"]

Advance = Callable[[float], None]

_NARROW = 60  # columns below which there is no room for the time that is left
_WIDE = 80  # columns of a terminal that has room for a figure beside the bar


class _LeftAlone(Exception):
    """Ends a thread that nobody waits for any more."""


class Bar:
    """What the work tells how far it is.

    Parameters
    ----------
    bar : rich.progress.Progress or None
        ``None`` shows nothing.
    task : object
        The bar's number in it.
    """

    def __init__(self, bar: Any = None, task: Any = None) -> None:
        self._bar, self._task, self._left = bar, task, Event()

    @property
    def is_wide(self) -> bool:
        """Whether there is room for a figure beside the bar."""
        return self._bar is not None and self._bar.console.width >= _WIDE

    def advance(self, done: float) -> None:
        """Say that so much more is done; end the thread if the block has been left."""
        if self._left.is_set():
            raise _LeftAlone
        if self._bar is not None:
            self._bar.advance(self._task, done)

    def at(
        self, done: float, *, total: float | None = None, name: str | None = None, note: str = ""
    ) -> None:
        """Say how much is done, and anything else that has changed."""
        if self._bar is not None:
            changes = {"total": total, "description": name}
            given = {key: value for key, value in changes.items() if value is not None}
            self._bar.update(self._task, completed=done, note=note, **given)

    def leave(self) -> None:
        """End the threads that still advance, at their next step."""
        self._left.set()


@contextmanager
def shown_bar(
    name: str, total: float | None, *, shown: bool = True, percent: bool = False, stays: bool = True
) -> Iterator[Bar]:
    """Show a bar while the block runs.

    Parameters
    ----------
    name : str
        What is being done.
    total : float or None
        How much there is to do; ``None`` where that is not known.
    shown : bool, default=True
        Whether to show it.
    percent : bool, default=False
        Whether to show the share that is done.
    stays : bool, default=True
        Whether it is still there when the work has ended.
    """
    if not shown:
        bar = Bar()
        try:
            yield bar
        finally:
            bar.leave()
        return
    from rich import progress as bars
    from rich.table import Column
    from rich.text import Text

    on = console(stderr=True)
    label = Text(visible(name, one_line=True))
    label.truncate(max(on.width // 2, 8), overflow="ellipsis")
    columns: list[Any] = [bars.TextColumn("{task.description}", markup=False), bars.BarColumn()]
    if percent:
        columns.append(bars.TaskProgressColumn())
    columns.append(bars.TextColumn("{task.fields[note]}", markup=False, justify="right"))
    if on.width >= _NARROW:
        time = Column(no_wrap=True)
        columns.append(bars.TimeRemainingColumn(elapsed_when_finished=True, table_column=time))
    # What others print goes above the bar, by way of rich, which must not obey it: marks again.
    shown_on = bars.Progress(*columns, console=on, transient=not stays)
    with shown_on as shown_progress, marked_streams():
        bar = Bar(shown_progress, shown_progress.add_task(label.plain, total=total, note=""))
        try:
            yield bar
        finally:
            bar.leave()


@contextmanager
def progress(name: str, total: float, *, shown: bool) -> Iterator[Advance]:
    """Give a function to call after each step of the work with how much of `total` it was.

    Once the block has been left, by Ctrl-C or an error for example, that function raises an
    exception: threads which are still at work end with their step.

    Parameters
    ----------
    name : str
        What is being done.
    total : float
        How much there is to do.
    shown : bool
        Whether to show a bar, with the time that is left.
    """
    with shown_bar(name, total, shown=shown, percent=True) as bar:
        yield bar.advance
        bar.at(total)  # the steps add up to it but for rounding


@contextmanager
def counted(name: str) -> Iterator[Callable[[int, int | None], None]]:
    """Show a bar on a terminal; yield what to tell: how much is done, and of how much if known.

    Parameters
    ----------
    name : str
        What is being done.
    """
    with shown_bar(name, None, shown=is_terminal(stderr=True), stays=False) as bar:

        def tell(done: int, total: int | None) -> None:
            note = f"{done:,}" if total is None else f"{done:,}/{total:,}"
            bar.at(done, total=total, note=note)

        yield tell


@contextmanager
def named(message: str) -> Iterator[Callable[[str], None]]:
    """Show a line that can be changed, on a terminal; yield what to tell it.

    Parameters
    ----------
    message : str
        What is being done first.
    """
    if not is_terminal(stderr=True):
        yield lambda message: None
        return
    from rich.text import Text

    def line(message: str) -> Text:
        return Text(visible(message, one_line=True))

    with console(stderr=True).status(line(message)) as status, marked_streams():
        yield lambda message: status.update(line(message))
