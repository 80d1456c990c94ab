"""Pseudo-words: an endless list of distinct, pronounceable words, short ones first.

A word is a sequence of syllables, and a syllable is a consonant, a vowel and perhaps a closing
consonant. A consonant that stands before a vowel always opens a syllable, so a word can be split
into syllables in one way only and no two sequences spell the same word. Every 500th word is spelled
with accents, which leaves most generated documents, but not all, in plain ASCII.
"""

from __future__ import annotations

from itertools import count, islice, product

__all__ = ["pseudo_words"]

_ORDERED = [o + v + c for o in "bdfghjklmnprstvwyz" for v in "aeiou" for c in ("", "n", "r", "s")]
_STRIDE = 157  # coprime with the number of syllables: mixes the order without a random generator
_SYLLABLES = [_ORDERED[i * _STRIDE % len(_ORDERED)] for i in range(len(_ORDERED))]

_ACCENTED_EVERY = 500
_ACCENTS = str.maketrans("aeiou", "áéíöü")


def pseudo_words(n: int) -> list[str]:
    """Return the first `n` pseudo-words; the list for a larger `n` starts with the same words.

    Every word is in lower case and has at least two letters, so the default token pattern of the
    vectorizers finds it whole.

    Parameters
    ----------
    n : int
        How many words.

    Returns
    -------
    list of str
        `n` different words, in non-decreasing number of syllables.

    Examples
    --------
    >>> pseudo_words(4)
    ['ba', 'lun', 'wor', 'jis']
    """
    # product() varies the last place fastest; reversed, neighbours in rank differ in the first.
    spelled = ("".join(parts[::-1]) for k in count(1) for parts in product(_SYLLABLES, repeat=k))
    words = list(islice(spelled, n))
    accented = slice(_ACCENTED_EVERY - 1, None, _ACCENTED_EVERY)
    words[accented] = [word.translate(_ACCENTS) for word in words[accented]]
    return words
