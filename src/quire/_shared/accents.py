"""Texts without accents, as the settings 'ascii' and 'unicode' of vectorizers have them."""

from __future__ import annotations

import sys
import unicodedata
from typing import Any

__all__ = ["is_named", "named", "without_accents"]


def without_accents(text: str, how: str) -> str:
    """Return a text without accents.

    Parameters
    ----------
    text : str
        Any.
    how : {"ascii", "unicode"}
        Whether whatever is not ASCII after decomposition (NFKD) goes, or combining marks alone.

    Examples
    --------
    >>> without_accents("naïve Œuvre", "unicode"), without_accents("naïve Œuvre", "ascii")
    ('naive Œuvre', 'naive uvre')
    """
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text)
    if how == "ascii":
        return decomposed.encode("ascii", "ignore").decode("ascii")
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def named(function: Any) -> str:
    """Return the setting that a function of scikit-learn stands for, "" for any other function.

    Parameters
    ----------
    function : callable
        What was given as ``strip_accents``.
    """
    texts = sys.modules.get("sklearn.feature_extraction.text")
    if texts is None:  # then it is not one of its functions
        return ""
    known = ((texts.strip_accents_ascii, "ascii"), (texts.strip_accents_unicode, "unicode"))
    return next((name for one, name in known if one is function), "")


def is_named(function: Any) -> bool:
    """Return whether a function is one of those that a setting has a name for."""
    return bool(named(function))
