"""Stemmers by language, and what a stemmer may return."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import Any

__all__ = ["check_stemmer", "stems_of"]

_MOST_REMEMBERED = 1 << 20
_remembered: dict[str, dict[str, str]] = {}  # language: word: stem
_lock = Lock()


def check_stemmer(stemmer: Any) -> None:
    """Raise a ValueError if there is no such stemmer."""
    if isinstance(stemmer, str):
        _stemmer_of(stemmer)


def stems_of(words: Sequence[str], stemmer: Any) -> list[str]:
    """Return the stem of each word.

    Parameters
    ----------
    words : sequence of str
        Words as they are counted: lower-cased, if that is wanted.
    stemmer : str or callable
        The English name of a language, for the algorithms of Snowball, or a function from a word to
        its stem.

    Raises
    ------
    ValueError
        If the language is not known, the package is missing, or a stem is empty or holds a blank.
    """
    stems = _by_language(words, stemmer) if isinstance(stemmer, str) else list(map(stemmer, words))
    for word, stem in zip(words, stems, strict=True):
        if not isinstance(stem, str) or not stem or (" " in stem and " " not in word):
            raise ValueError(
                f"the stemmer made {stem!r} of {word!r}. A stem is a str with at least one letter, "
                "and without blanks; to drop words, use stop_words."
            )
    return stems


def _by_language(words: Sequence[str], language: str) -> list[str]:
    stemmer = _stemmer_of(language)
    with _lock:
        known = _remembered.setdefault(language, {})
        if len(known) > _MOST_REMEMBERED:
            known.clear()
        new = list(dict.fromkeys(word for word in words if word not in known))
        known.update(zip(new, stemmer.stemWords(new), strict=True))
        # Nothing is left of a word that is all ending.
        return [known[word] or word for word in words]


def _stemmer_of(language: str) -> Any:
    try:
        import snowballstemmer
    except ImportError as error:
        raise ValueError(
            f"stemmer={language!r} needs the package snowballstemmer: pip install quire[stem]"
        ) from error
    known = snowballstemmer.algorithms()
    if language not in known:
        raise ValueError(
            f"there is no stemmer {language!r}. There are {', '.join(sorted(known))}; or pass a "
            "function from a word to its stem."
        )
    return snowballstemmer.stemmer(language)
