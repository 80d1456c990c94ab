"""What models that have not seen a document say of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from quire._shared.typing import Floats, Ints

__all__ = ["LeftOut", "Words", "strongest"]

# Of a document, what speaks for the first class rather than the second: terms with what they add,
# the largest first.
Words = list[tuple[str, float]]


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Scores of documents by models that were fitted without them.

    Attributes
    ----------
    scores : ndarray of shape (n_documents, n_classes)
        What is compared: joint log probabilities, decision values, log probabilities.
    probabilities : ndarray of shape (n_documents, n_classes) or None
        The same as probabilities, where the model has them.
    words : callable
        Given documents, and for each the place of a class and of the class it is compared with,
        returns what speaks for the first; ``None`` where that is not known.
    how : str
        How documents were left out, in words.
    """

    scores: Floats
    probabilities: Floats | None
    words: Callable[[Ints, Ints, Ints], list[Words | None]]
    how: str


def strongest(names: Any, columns: Any, parts: Floats, most: int) -> Words:
    """Return the terms that add most to a class, with what they add.

    Parameters
    ----------
    names : sequence of str or None
        The name of every column.
    columns : ndarray of shape (n_terms,)
        The terms of a document.
    parts : ndarray of shape (n_terms,)
        What each of them adds.
    most : int
        How many at most; those that add nothing are left out.
    """
    order = [k for k in (-parts).argsort(kind="stable")[:most].tolist() if parts[k] > 0]
    places = [int(columns[k]) for k in order]
    named = [str(j) if names is None else str(names[j]) for j in places]
    return list(zip(named, parts[order].tolist(), strict=True))
