"""Keywords in context: every occurrence of a pattern with the words around it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire._shared.notebooks import ShownInNotebooks
from quire.corpus._groups import tokens_of
from quire.corpus._tokens import Tokens

__all__ = ["Context", "Contexts", "kwic"]

_SORTS = ("place", "left", "keyword", "right")
_SHOWN = 20
_WIDTH = 40


@dataclass(frozen=True)
class Context:
    """An occurrence of a pattern.

    Attributes
    ----------
    document : int
        The row of the document, from 0.
    position : int
        The number of the first word of the match in its document, from 0.
    left, keyword, right : str
        The text as it is written: before the match, the match, and behind it.
    pattern : str
        Which pattern it was.
    """

    document: int
    position: int
    left: str
    keyword: str
    right: str
    pattern: str


@dataclass(frozen=True, eq=False, repr=False)
class Contexts(ShownInNotebooks):
    """Occurrences of patterns in their contexts, from :func:`kwic`.

    Texts are read when an occurrence is looked at, so that a common word costs little. ``print``
    shows the first ones under each other; indices and loops give :class:`Context` objects, slices
    give contexts.

    Attributes
    ----------
    tokens : Tokens
        The tokens that were searched.
    patterns : list of str
        The patterns.
    window : int
        Words shown on each side.
    starts : ndarray of int64
        The first token of each occurrence, counted over all documents.
    lengths : ndarray of int64
        Words of each occurrence.
    numbers : ndarray of int32
        The pattern of each.
    """

    tokens: Tokens
    patterns: list[str]
    window: int
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    numbers: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice | np.ndarray | list):
            return self._taken(key)
        return self._context(range(len(self))[key])

    def _taken(self, key: Any) -> Contexts:
        starts, lengths, numbers = self.starts[key], self.lengths[key], self.numbers[key]
        return replace(self, starts=starts, lengths=lengths, numbers=numbers)

    def __iter__(self) -> Iterator[Context]:
        return (self._context(place) for place in range(len(self)))

    def __repr__(self) -> str:
        return f"<Contexts: {len(self):,} of {', '.join(map(repr, self.patterns))[:80]}>"

    def __str__(self) -> str:
        shown = [self._context(place) for place in range(min(len(self), _SHOWN))]
        lines = [
            f"{one.document:>6,}  {_one_line(one.left)[-_WIDTH:]:>{_WIDTH}}  "
            f"{_one_line(one.keyword)}  {_one_line(one.right)[:_WIDTH]}".rstrip()
            for one in shown
        ]
        if len(self) > _SHOWN:
            lines.append(f"... and {len(self) - _SHOWN:,} more")
        return "\n".join(lines) if lines else "no occurrence"

    def _notebook_caption(self) -> str:
        return f"{len(self):,} occurrences of {', '.join(self.patterns)}"

    @property
    def documents(self) -> NDArray[np.int64]:
        """The document of each occurrence."""
        return self.tokens.document_of(self.starts)

    def _context(self, place: int) -> Context:
        start, length = int(self.starts[place]), int(self.lengths[place])
        document = int(self.tokens.document_of(np.array([start]))[0])
        first = int(self.tokens._places.bounds[document])
        spans = self.tokens.spans(document)
        at = start - first
        low, high = max(0, at - self.window), min(len(spans), at + length + self.window)
        text = self.tokens.texts[document].encode("utf-8", "surrogatepass")

        def written(begin: int, end: int) -> str:
            return str(text[begin:end].decode("utf-8", "surrogatepass"))

        begin, end = int(spans[at, 0]), int(spans[at + length - 1, 1])
        return Context(
            document,
            at,
            written(int(spans[low, 0]), begin),
            written(begin, end),
            written(end, int(spans[high - 1, 1])),
            self.patterns[int(self.numbers[place])],
        )

    def sort(self, by: str = "right") -> Contexts:
        """Return the occurrences in another order.

        Parameters
        ----------
        by : {"place", "left", "keyword", "right"}, default="right"
            Where they stand in the corpus, or the types to their left (the nearest first), of
            themselves, or to their right.

        Returns
        -------
        Contexts
            The same ones.
        """
        if by not in _SORTS:
            raise ValueError(f"by is {by!r}; expected one of {', '.join(map(repr, _SORTS))}.")
        if by == "place":
            return self._taken(np.lexsort((self.numbers, self.starts)))
        places = self.tokens._places
        types = np.append(self.tokens._type_of_form, -1)
        bounds = places.bounds
        documents = self.documents
        n = int(self.lengths.max()) if by == "keyword" and len(self) else self.window
        steps = np.arange(n)
        if by == "left":
            tokens = self.starts[:, np.newaxis] - 1 - steps
            inside = tokens >= bounds[documents][:, np.newaxis]
        elif by == "right":
            tokens = (self.starts + self.lengths)[:, np.newaxis] + steps
            inside = tokens < bounds[documents + 1][:, np.newaxis]
        else:
            tokens = self.starts[:, np.newaxis] + steps
            inside = steps < self.lengths[:, np.newaxis]
        forms = np.where(inside, places.forms[np.clip(tokens, 0, len(places.forms) - 1)], -1)
        keys = types[forms]  # numbers of types rise with their names
        return self._taken(np.lexsort((self.starts, *(keys[:, k] for k in range(n - 1, -1, -1)))))

    def to_frame(self, n: int | None = None) -> pl.DataFrame:
        """Return the occurrences as a table, with the columns of the corpus.

        Parameters
        ----------
        n : int, default=None
            How many, the first ones; all if ``None``.

        Returns
        -------
        polars.DataFrame
            With ``document``, ``position``, ``left``, ``keyword``, ``right``, ``pattern``, and what
            the source has beside its texts.
        """
        shown = [
            self._context(place) for place in range(len(self) if n is None else min(n, len(self)))
        ]
        names = ("document", "position", "left", "keyword", "right", "pattern")
        kinds = (pl.Int64, pl.Int64, pl.String, pl.String, pl.String, pl.String)
        columns = {
            name: pl.Series(name, [getattr(one, name) for one in shown], dtype=kind)
            for name, kind in zip(names, kinds, strict=True)
        }
        table = pl.DataFrame(columns)
        frame = self.tokens.frame
        others = [
            name
            for name in frame.columns
            if name not in (*names, self.tokens.texts.name) and frame[name].dtype != pl.List
        ]
        if not others:
            return table
        beside = frame.select(others)[table["document"].to_list()]
        return table.hstack(beside)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def kwic(
    data: Any, patterns: Any, *, window: int = 5, case: bool = False, **options: Any
) -> Contexts:
    """Find words and phrases and show them in their contexts.

    Parameters
    ----------
    data : Tokens, Corpus, path, data frame, or sequence of str
        Where to look; see :class:`Tokens`.
    patterns : str or list of str
        Words or phrases: globs (``econom*``), ``/expressions/``, ``=Exactly``; see
        :mod:`quire.corpus`.
    window : int, default=5
        Words on each side.
    case : bool, default=False
        Whether capitals must be as they are in the patterns.
    **options
        For :class:`Tokens`, if they are to be made.

    Returns
    -------
    Contexts
        The occurrences, in the order of the corpus.

    Raises
    ------
    ValueError
        If a pattern is empty or no regular expression, or the window is negative.

    Examples
    --------
    >>> from quire.corpus import kwic
    >>> found = kwic(["The cat saw the dog.", "A dog: gone!"], "dog*", window=2)
    >>> print(found)
         0                                   saw the  dog
         1                                         A  dog  : gone
    >>> found[1].keyword, found[1].document
    ('dog', 1)
    """
    if isinstance(window, bool) or not isinstance(window, int) or window < 0:
        raise ValueError(f"window is {window!r}; expected a whole number, 0 or more.")
    tokens = tokens_of(data, options)
    sets = tokens._sets(patterns, case=case)
    starts, numbers = tokens._matches(sets, longest=False)
    listed = [patterns] if isinstance(patterns, str) else list(patterns)
    return Contexts(tokens, listed, window, starts, sets.n_words[numbers], numbers)
