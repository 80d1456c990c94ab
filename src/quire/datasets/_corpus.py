"""Text of any amount for measuring speed: Zipf-distributed words in sentences and documents.

The words mean nothing, but the text has the statistics that decide how fast a vectorizer runs: few
frequent short words and many rare long ones, capitals, punctuation, some letters outside ASCII, and
documents of very different lengths.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, pairwise
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
import numpy.typing as npt

from quire.datasets._random import seed_of
from quire.datasets._words import pseudo_words

if TYPE_CHECKING:
    import polars as pl

__all__ = ["make_corpus"]

_BATCH = 1024  # documents drawn together from one stream
_SHIFT = 2.7  # Mandelbrot's shift: flattens the head, as in English
_LENGTH_SIGMA = 0.7  # spread of the logarithm of document lengths
_P_SENTENCE_END = 1 / 18
_P_COMMA = 1 / 14
_ENDINGS = ("", ",", ".")


@overload
def make_corpus(
    n_documents: int | None = None,
    *,
    n_megabytes: float | None = None,
    vocabulary_size: int = 50_000,
    mean_length: float = 230.0,
    output: Literal["list"] = "list",
    random_state: Any = 0,
) -> list[str]: ...
@overload
def make_corpus(
    n_documents: int | None = None,
    *,
    n_megabytes: float | None = None,
    vocabulary_size: int = 50_000,
    mean_length: float = 230.0,
    output: Literal["polars"],
    random_state: Any = 0,
) -> pl.Series: ...
def make_corpus(
    n_documents: int | None = None,
    *,
    n_megabytes: float | None = None,
    vocabulary_size: int = 50_000,
    mean_length: float = 230.0,
    output: Literal["list", "polars"] = "list",
    random_state: Any = 0,
) -> list[str] | pl.Series:
    r"""Write a corpus of a given number of documents or of a given size.

    The word of rank r (from 0) has the probability
    :math:`\log\frac{r + 1 + q}{r + q} / \log\frac{I + q}{q}` with q = 2.7 and I the size of the
    vocabulary: Zipf's law with Mandelbrot's shift. Lengths of documents are log-normal.

    Parameters
    ----------
    n_documents : int, optional
        Number of documents. Give this or `n_megabytes`.
    n_megabytes : float, optional
        Size to reach, in millions of UTF-8 bytes; the last document passes it.
    vocabulary_size : int, default=50_000
        Number of different words that can occur.
    mean_length : float, default=230.0
        Mean number of words in a document.
    output : {"list", "polars"}, default="list"
        A list of str, or a polars Series of strings in one chunk.
    random_state : int, RandomState instance or None, default=0
        The same number gives the same documents, and a longer corpus starts with the shorter one.

    Returns
    -------
    list of str or polars.Series
        The documents.

    Notes
    -----
    One gigabyte takes well under a minute and needs little memory beyond the text itself.

    Examples
    --------
    >>> from quire.datasets import make_corpus
    >>> corpus = make_corpus(3, mean_length=5, random_state=1)
    >>> len(corpus)
    3
    >>> series = make_corpus(n_megabytes=1, output="polars")
    >>> round(series.str.len_bytes().sum() / 1e6, 1)
    1.0
    """
    if vocabulary_size < 1:
        raise ValueError(f"vocabulary_size must be at least 1; got {vocabulary_size!r}.")
    if not mean_length > 0:
        raise ValueError(f"mean_length must be positive; got {mean_length!r}.")
    if output not in {"list", "polars"}:
        raise ValueError(f"Unknown output {output!r}; expected 'list' or 'polars'.")
    batches = _batches(vocabulary_size, mean_length, seed_of(random_state))
    if n_documents is not None and n_megabytes is None:
        wanted = _first_documents(batches, n_documents)
    elif n_megabytes is not None and n_documents is None:
        wanted = _first_bytes(batches, n_megabytes * 1e6)
    else:
        raise ValueError("Give either n_documents or n_megabytes: one of them, not both.")
    if output == "list":
        return [text for batch in wanted for text in batch]

    import polars as pl

    parts = [pl.Series("text", batch, dtype=pl.String) for batch in wanted]
    return pl.concat(parts).rechunk() if parts else pl.Series("text", [], dtype=pl.String)


def _batches(vocabulary_size: int, mean_length: float, seed: int) -> Iterator[list[str]]:
    """Yield batches of documents without end; batch b depends on (seed, b)."""
    forms = _written_forms(vocabulary_size)
    for b in count():
        rng = np.random.default_rng([seed, b])
        mu = np.log(mean_length) - _LENGTH_SIGMA**2 / 2
        lengths = np.maximum(np.rint(rng.lognormal(mu, _LENGTH_SIGMA, _BATCH)), 1).astype(np.int64)
        ends = np.cumsum(lengths)
        n_tokens = int(ends[-1])

        # Inverse of the distribution function: rank = q ((I + q) / q)^u - q, rounded down.
        growth = np.log((vocabulary_size + _SHIFT) / _SHIFT)
        rank = (_SHIFT * np.exp(rng.random(n_tokens) * growth) - _SHIFT).astype(np.int64)
        np.minimum(rank, vocabulary_size - 1, out=rank)

        chance = rng.random(n_tokens)
        ending = np.where(chance < _P_COMMA, 1, 0)
        ending[chance > 1 - _P_SENTENCE_END] = 2
        ending[ends - 1] = 2
        capital = np.ones(n_tokens, dtype=np.int64)
        capital[1:] = ending[:-1] == 2

        words = forms[capital, ending, rank].tolist()
        yield [" ".join(words[start:end]) for start, end in pairwise([0, *ends.tolist()])]


def _written_forms(vocabulary_size: int) -> npt.NDArray[np.object_]:
    """Spell every word in its six forms; indexed by [capital, ending, rank]."""
    plain = pseudo_words(vocabulary_size)
    cases = (plain, [word.capitalize() for word in plain])
    return np.array(
        [[[word + ending for word in case] for ending in _ENDINGS] for case in cases], dtype=object
    )


def _first_documents(batches: Iterator[list[str]], n_documents: int) -> Iterator[list[str]]:
    """Cut the stream after a number of documents."""
    while n_documents > 0:
        batch = next(batches)[:n_documents]
        n_documents -= len(batch)
        yield batch


def _first_bytes(batches: Iterator[list[str]], n_bytes: float) -> Iterator[list[str]]:
    """Cut the stream after the document that reaches a number of bytes."""
    while n_bytes > 0:
        batch = next(batches)
        kept = 0
        while kept < len(batch) and n_bytes > 0:
            text = batch[kept]
            n_bytes -= len(text) if text.isascii() else len(text.encode())
            kept += 1
        yield batch[:kept]
