"""What a command was told and has read, for those who want to repeat it.

Every file that a command reads goes through :func:`read_from`. So its digest can stand in what the
command writes; and when ``quire verify`` runs a command again that a page or a model file names, no
file is opened but those that were given to ``quire verify`` itself.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quire.io import Corpus, Origin

__all__ = [
    "Running",
    "corpus_was_read",
    "current",
    "data_of",
    "is_file",
    "origins",
    "read_from",
    "rows_of",
    "running",
    "this_command",
    "where_from",
]


@dataclass
class Running:
    """One command that is running.

    Parameters
    ----------
    arguments : sequence of str
        What follows the program's name.
    allowed : set of Path, default=None
        The files that may be read; any, if None.
    on_corpus : callable, default=None
        What is told of a corpus that was read: its role and the corpus.
    """

    arguments: Sequence[str]
    allowed: frozenset[Path] | None = None
    on_corpus: Callable[[str, Corpus], None] | None = None
    inputs: dict[str, Origin] = field(default_factory=dict)


_CURRENT: ContextVar[Running | None] = ContextVar("running", default=None)


@contextmanager
def running(command: Running) -> Iterator[Running]:
    """Let a command be the one that is running."""
    token = _CURRENT.set(command)
    try:
        yield command
    finally:
        _CURRENT.reset(token)


def current() -> Running:
    """Return the command that is running; outside of any, one without a name."""
    return _CURRENT.get() or Running(sys.argv[1:])


def this_command() -> str:
    """Return the command line as one would type it."""
    return shlex.join(["quire", *current().arguments])


def read_from(role: str, path: str) -> str:
    """Return the path of a file that is about to be read, and remember it.

    Parameters
    ----------
    role : str
        What the file is to the command: the name of its argument or option.
    path : str
        Where it is; "-" for standard input.

    Raises
    ------
    ValueError
        If the command is run again for somebody who did not name this file.
    """
    now = current()
    if now.allowed is not None and (path == "-" or Path(path) not in now.allowed):
        raise ValueError(f"{path} was not given, and is not opened.")
    if path != "-":
        from quire.io import Origin

        now.inputs[role] = Origin.of(path)
    return path


def is_file(option: str) -> bool:
    """Return whether an option names a file, where it could also be what would stand in it."""
    allowed = current().allowed
    if allowed is not None:
        return Path(option) in allowed
    try:
        return Path(option).is_file()
    except (OSError, ValueError):  # too long for the name of a file
        return False


def corpus_was_read(role: str, corpus: Corpus) -> None:
    """Remember where a corpus came from, with the digest of what can be read only once."""
    now = current()
    if corpus.origin is not None:
        now.inputs[role] = corpus.origin
    if now.on_corpus is not None:
        now.on_corpus(role, corpus)


def origins() -> list[dict[str, Any]]:
    """Return the files that the command has read, ready for JSON."""
    return [{"role": role, **one.to_dict()} for role, one in current().inputs.items()]


def data_of(corpus: Corpus | None, columns: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return what identifies the data of the command: its files, and the rows that it used.

    Parameters
    ----------
    corpus : Corpus or None
        The rows that were used.
    columns : mapping, default=None
        Columns beside texts, labels and those to learn from.
    """
    rows = None if corpus is None else rows_of(corpus, columns)
    return {"inputs": origins(), "rows": rows}


def rows_of(corpus: Corpus, columns: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return what identifies rows, as for :func:`data_of`."""
    from quire._shared.digests import rows_digest

    used = {name: corpus.frame[name] for name in corpus.feature_columns}
    return rows_digest(
        texts=corpus.texts if corpus.text_columns else None,
        labels=corpus.labels,
        columns={**used, **(columns or {})},
    )


def where_from(data: Mapping[str, Any], seed: int | None) -> dict[str, Any]:
    """Return what a model file says of where its model comes from.

    Parameters
    ----------
    data : mapping
        From :func:`data_of`.
    seed : int or None
        Of the random numbers.
    """
    from quire._shared.provenance import provenance

    return provenance(command=this_command(), seed=seed, **data)
