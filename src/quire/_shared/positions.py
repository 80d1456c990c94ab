"""Where the characters of a preprocessed text were in the text itself.

Lower case and the removal of accents can make a text longer or shorter ("İ" has two characters in
lower case, "ﬁ" becomes "fi", a combining accent goes away). Both work character by character, so
that the way back is a table; it is checked against what the vectorizer's own function returns.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from quire._shared.accents import is_named, without_accents
from quire._shared.typing import Places

__all__ = ["Mapped", "mapped"]


_BLANKS = re.compile(r"\s\s+")


@dataclass(frozen=True, eq=False)
class Mapped:
    """A preprocessed text and the way back.

    Attributes
    ----------
    text : str
        What the tokens are cut from.
    start, end : ndarray of shape (len(text),) or None
        Where each of its characters begins and ends in the original; ``None`` if nothing moved.
    """

    text: str
    start: Places | None = None
    end: Places | None = None

    def starts(self, positions: Places) -> Places:
        """Return where the characters at these positions begin in the original."""
        return positions if self.start is None else self.start[positions]

    def ends(self, positions: Places) -> Places:
        """Return where the characters before these positions end in the original."""
        return positions if self.end is None else self.end[positions - 1]

    def with_single_blanks(self) -> Mapped:
        """Return the text with one blank for each run of several, as n-grams of characters see it.

        Returns
        -------
        Mapped
            The blank stands for the whole run.
        """
        runs = [match.span() for match in _BLANKS.finditer(self.text)]
        if not runs:
            return self
        kept = np.ones(len(self.text), dtype=bool)
        last = np.arange(1, len(self.text) + 1)
        for start, end in runs:
            kept[start + 1 : end] = False
            last[start] = end
        first = np.flatnonzero(kept)
        return Mapped(_BLANKS.sub(" ", self.text), self.starts(first), self.ends(last[first]))


def mapped(vectorizer: Any, text: str) -> Mapped | None:
    """Preprocess a text as a vectorizer does, and remember where characters come from.

    Parameters
    ----------
    vectorizer : object
        With scikit-learn's parameters.
    text : str
        The original.

    Returns
    -------
    Mapped or None
        ``None`` if a function of the caller's own changed the text in a way that cannot be
        followed.
    """
    wanted = vectorizer.build_preprocessor()(text)
    if vectorizer.preprocessor is not None:
        same_places = wanted == text or (wanted == text.lower() and len(wanted) == len(text))
        return Mapped(wanted) if same_places else None
    at = Mapped(text)
    if vectorizer.lowercase:
        at = _changed(at, text.lower(), str.lower)
    accents = vectorizer.strip_accents
    change = partial(without_accents, how=accents) if isinstance(accents, str) else accents
    if accents and not at.text.isascii():
        at = _changed(at, None, change)
    elif callable(accents) and not is_named(accents):
        at = _changed(at, None, accents)
    if at.text != wanted:
        return None
    return _with_marks(at, text)


def _changed(at: Mapped, whole: str | None, change: Callable[[str], str]) -> Mapped:
    """Apply a function that works character by character; `whole` is its result if known."""
    if whole is not None and len(whole) == len(at.text):
        return Mapped(whole, at.start, at.end)  # no character gets shorter in lower case
    known = {character: change(character) for character in set(at.text)}
    pieces = [known[character] for character in at.text]
    origin = np.repeat(np.arange(len(pieces)), [len(piece) for piece in pieces])
    text = "".join(pieces) if whole is None else whole
    return Mapped(text, at.starts(origin), at.ends(origin + 1))


def _with_marks(at: Mapped, text: str) -> Mapped:
    """Let a character reach over the combining marks behind it that were dropped."""
    if at.end is None or len(at.end) == 0:
        return at
    end = at.end.copy()
    following = np.append(at.start[1:], len(text)) if at.start is not None else end
    for i in np.flatnonzero(following > end):
        while end[i] < following[i] and unicodedata.combining(text[end[i]]):
            end[i] += 1
    return Mapped(at.text, at.start, end)
