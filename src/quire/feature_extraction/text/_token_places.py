"""Every token of documents in its place: the order of words, and not only their counts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire import _core
from quire._shared.notebooks import ShownInNotebooks, named_cells
from quire._shared.threads import effective_threads
from quire.feature_extraction.text._count import CountVectorizer
from quire.feature_extraction.text._engine import analyzer_options

__all__ = ["TokenPlaces", "token_places"]


@dataclass(frozen=True, eq=False, repr=False)
class TokenPlaces(ShownInNotebooks):
    """The tokens of documents as numbers, with their places, from :func:`token_places`.

    Attributes
    ----------
    words : ndarray of uint8
        The forms of words in the order of their characters, UTF-8, one after the other. A form is a
        word as it is written.
    word_offsets : ndarray of shape (n_forms + 1,)
        Where they begin.
    forms : ndarray of int32 of shape (n_tokens,)
        The form of each token, one document after the other.
    gaps : ndarray of uint8 of shape (n_tokens,)
        Bytes of text between the end of the token before and this one; 255 means that there are so
        many that they stand in `wide_gaps`.
    wide_tokens, wide_gaps : ndarray of int64
        Tokens with wide gaps, rising, and these gaps.
    bounds : ndarray of int64 of shape (n_documents + 1,)
        Document ``d`` has the tokens from ``bounds[d]`` up to ``bounds[d + 1]``.
    """

    words: NDArray[np.uint8]
    word_offsets: NDArray[np.int64]
    forms: NDArray[np.int32]
    gaps: NDArray[np.uint8]
    wide_tokens: NDArray[np.int64]
    wide_gaps: NDArray[np.int64]
    bounds: NDArray[np.int64]

    def __repr__(self) -> str:
        n_documents, n_forms = len(self.bounds) - 1, len(self.word_offsets) - 1
        return (
            f"<TokenPlaces of {n_documents:,} documents: {len(self.forms):,} tokens of "
            f"{n_forms:,} forms>"
        )

    def _notebook_cells(self) -> list[list[str]]:
        sizes = {
            "documents": len(self.bounds) - 1,
            "tokens": len(self.forms),
            "forms": len(self.word_offsets) - 1,
            "bytes": self.nbytes,
        }
        return named_cells(sizes)

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return int(sum(array.nbytes for array in vars(self).values()))

    def form_strings(self) -> list[str]:
        """Return the forms."""
        text, bounds = self.words.tobytes(), self.word_offsets.tolist()
        places = pairwise(bounds)
        return [text[begin:end].decode("utf-8", "surrogatepass") for begin, end in places]


def token_places(
    documents: Any,
    *,
    tokens: str | None = None,
    token_pattern: str = r"(?u)\b\w+\b",
    n_jobs: int | None = None,
) -> TokenPlaces:
    r"""Cut documents into tokens and keep where each of them stands.

    Parameters
    ----------
    documents : sequence of str, or polars Series
        Texts; none may be missing.
    tokens : str, default=None
        Kinds of tokens by name, as in :class:`CountVectorizer`: ``"words"``,
        ``"words+punctuation"``. ``None`` means `token_pattern`.
    token_pattern : str, default=r"(?u)\\b\\w+\\b"
        The regular expression of a token: words of any length.
    n_jobs : int, default=None
        Threads; ``None`` means all that may be used. They do not change the result.

    Returns
    -------
    TokenPlaces
        Five bytes for each token, and the vocabulary.

    Raises
    ------
    ValueError
        If the pattern is one that only Python's ``re`` knows, or a document is missing.

    Examples
    --------
    >>> from quire.feature_extraction.text import token_places
    >>> places = token_places(["The cat saw the dog.", "The dog: gone"])
    >>> places
    <TokenPlaces of 2 documents: 8 tokens of 6 forms>
    >>> places.form_strings()
    ['The', 'cat', 'dog', 'gone', 'saw', 'the']
    >>> places.forms, places.gaps
    (array([0, 1, 4, 5, 2, 0, 2, 3], dtype=int32), array([0, 1, 1, 1, 1, 0, 1, 2], dtype=uint8))
    """
    vectorizer = CountVectorizer(lowercase=False, tokens=tokens, token_pattern=token_pattern)
    if vectorizer.engine_ != "native":
        reason = vectorizer.engine_.removeprefix("python: ")
        raise ValueError(f"These tokens cannot be found with their places: {reason}.")
    column = (
        documents if isinstance(documents, pl.Series) else pl.Series(documents, dtype=pl.String)
    )
    if column.null_count():
        row = int(column.is_null().arg_max() or 0)
        raise ValueError(f"Document {row} is missing; leave it out or make it an empty text.")
    arrays = _core.text.index_tokens(
        _core.text.Documents.from_arrow(column),
        analyzer_options(vectorizer),
        effective_threads(n_jobs),
    )
    return TokenPlaces(*arrays)
