"""What commands say on standard error beside their results: files, times, warnings."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from textwrap import fill

from quire._shared.terminal import is_terminal, visible, width
from quire.cli._wording import in_options

__all__ = ["INTERRUPTED", "tell", "tell_seconds", "tell_written", "warnings_told"]


_NARROWEST = 20  # columns
INTERRUPTED = 130  # what shells expect of a program stopped by Ctrl-C


def tell(message: str) -> None:
    """Say something in one line on standard error.

    Parameters
    ----------
    message : str
        What to say; names and labels in it may hold anything.
    """
    line = f"quire: {visible(message, one_line=True)}"
    if sys.stderr.isatty() and is_terminal(stderr=True):  # words and names of files stay whole
        columns = max(width(stderr=True), _NARROWEST)
        line = fill(line, columns, break_long_words=False, break_on_hyphens=False)
    print(line, file=sys.stderr)


def tell_written(*paths: str | None) -> None:
    """Say which files were written; those that are ``None`` were not asked for."""
    for path in paths:
        if path is not None:
            tell(f"wrote {path}")


def tell_seconds(done: str, seconds: float) -> None:
    """Say how long it took, on a terminal; elsewhere the same command prints the same."""
    if is_terminal(stderr=True):
        tell(f"{done} in {seconds:.1f} s")


@contextmanager
def warnings_told(is_told: Callable[[str], bool] = bool) -> Iterator[None]:
    """Say the warnings of what is done inside in one line each, when it is done.

    Parameters
    ----------
    is_told : callable, default=bool
        Whether to say a message.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for message in sorted({str(one.message) for one in caught}):
        if is_told(message):
            tell(in_options(" ".join(message.split())))
