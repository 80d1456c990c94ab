"""The ways in which a comparison cuts texts into features, among which folds choose.

A view says what a term is: words, words and punctuation, n-grams of them, or n-grams of characters.
Its counts are made once for all folds; n-grams of fewer words come from those of more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from quire.feature_extraction.text import CountVectorizer

__all__ = ["AUTO", "VIEWS", "WORDS", "View", "views_of"]

AUTO, WORDS = "auto", "words"
_TOKENS = r"\w+|[^\w\s]"  # words of any length, and punctuation
_SAMPLE = 400  # documents whose terms are counted to know how much all will take
_BYTES_OF_AN_ENTRY = 12
_COPIES = 4  # of a matrix that are held at a time: whole, training documents, weighted, inner
_MOST_CHARACTERS = 30_000_000  # of texts that are cut into n-grams of characters unasked
_FEW_CHARACTERS = 10_000_000  # of texts whose counts fit anywhere


@dataclass(frozen=True)
class View:
    """What a term is.

    Attributes
    ----------
    name, title : str
        What it is called, short and in words.
    settings : dict from str to Any
        Parameters of a vectorizer; none for the one that the comparison was given.
    family : str
        Views of one family are cut from one count.
    """

    name: str
    title: str
    settings: dict[str, Any]
    family: str

    def vectorizer(self, given: CountVectorizer) -> CountVectorizer:
        """Return the vectorizer of this view, not fitted.

        Parameters
        ----------
        given : CountVectorizer
            The one of the comparison.
        """
        if not self.settings:
            return given
        few = given.min_df == 1  # a small corpus, or somebody who wants all terms
        settings = {**self.settings, "min_df": 1 if few else self.settings["min_df"]}
        if "analyzer" not in settings:  # of words
            settings |= {"stemmer": given.stemmer, "negation": given.negation}
        return CountVectorizer(**settings, dtype=given.dtype)


VIEWS = {
    view.name: view
    for view in (
        View("words", "words", {}, "words"),
        View(
            "tokens",
            "words and punctuation",
            {"token_pattern": _TOKENS, "ngram_range": (1, 1), "min_df": 1},
            "tokens",
        ),
        View(
            "tokens-2",
            "words and punctuation, one and two in a row",
            {"token_pattern": _TOKENS, "ngram_range": (1, 2), "min_df": 2},
            "n-grams",
        ),
        View(
            "tokens-3",
            "words and punctuation, up to three in a row",
            {"token_pattern": _TOKENS, "ngram_range": (1, 3), "min_df": 2},
            "n-grams",
        ),
        View(
            "characters",
            "three to five characters in a row, inside words",
            {"analyzer": "char_wb", "ngram_range": (3, 5), "min_df": 2},
            "characters",
        ),
    )
}


def views_of(
    features: str | Sequence[str],
    texts: Sequence[pl.Series],
    given: CountVectorizer,
    *,
    is_own: bool,
    memory: float | None,
) -> tuple[tuple[str, ...], list[str]]:
    """Return the names of the views that take part, and what is to be said of them.

    Parameters
    ----------
    features : "auto", or names
        What was asked for.
    texts : sequence of Series
        The columns of texts.
    given : CountVectorizer
        The vectorizer of the comparison.
    is_own : bool
        Whether the user said how to count: then "auto" means just that.
    memory : float or None
        Bytes that counts may take; half of what the machine has if ``None``.
    """
    n_characters = sum(int(column.str.len_bytes().sum() or 0) for column in texts)
    if isinstance(features, str) and features == AUTO:
        names = (WORDS,) if is_own else tuple(VIEWS)
        if n_characters > _MOST_CHARACTERS:
            names = tuple(name for name in names if name != "characters")
    else:
        names = (features,) if isinstance(features, str) else tuple(features)
        for name in names:
            if name not in VIEWS:
                raise ValueError(
                    f"There are no features called {name!r}; choose 'auto' or from "
                    f"{', '.join(VIEWS)}."
                )
        if not names:
            raise ValueError(f"features is empty; choose 'auto' or from {', '.join(VIEWS)}.")
    if len(names) == 1 or (memory is None and n_characters < _FEW_CHARACTERS):
        return names, []
    limit = _half_of_memory() if memory is None else memory
    kept: list[str] = []
    left_out: list[str] = []
    needed = 0.0
    families: dict[str, float] = {}
    for name in names:
        view = VIEWS[name]
        size = sum(_bytes_of(column, view.vectorizer(given)) for column in texts)
        more = max(0.0, size - families.get(view.family, 0.0))
        if kept and needed + more > limit:
            left_out.append(f"{name} (about {(needed + more) / 1e9:.1f} GB with the others)")
            continue
        families[view.family] = max(size, families.get(view.family, 0.0))
        needed += more
        kept.append(name)
    notes = []
    if needed > 5e8:
        notes.append(f"features of {', '.join(kept)} take about {needed / 1e9:.1f} GB")
    if left_out:
        notes.append(f"features left out for want of memory: {', '.join(left_out)}")
    return tuple(kept), notes


def _bytes_of(texts: pl.Series, vectorizer: CountVectorizer) -> float:
    """Return about how many bytes the counts of texts will take, from a sample of them."""
    step = max(1, len(texts) // _SAMPLE)
    some = texts.gather_every(step)
    try:
        counts = CountVectorizer(
            **{**vectorizer.get_params(), "min_df": 1, "max_df": 1.0, "max_features": None}
        ).fit_transform(some)
    except ValueError:  # no term at all; what is counted later says so
        return 0.0
    return float(counts.nnz) / max(1, len(some)) * len(texts) * _BYTES_OF_AN_ENTRY * _COPIES


def _half_of_memory() -> float:
    import os

    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2
    except (AttributeError, OSError, ValueError):
        return np.inf
