"""Stop words by name of a language."""

from __future__ import annotations

from functools import lru_cache

from quire._shared.sklearn import english_stop_words

__all__ = ["stop_words"]


@lru_cache(maxsize=64)
def stop_words(language: str) -> frozenset[str]:
    """Return the stop words of a language.

    ``"english"`` is scikit-learn's list, the same as :data:`ENGLISH_STOP_WORDS`. All other
    languages come from the package stop-words, which ``pip install quire[stopwords]`` installs.

    Parameters
    ----------
    language : str
        The English name of a language, such as ``"german"``, or its two-letter code, ``"de"``.

    Returns
    -------
    frozenset of str
        The words, in lower case.

    Raises
    ------
    ValueError
        If there is no list of that name, or the package that has it is not installed.

    Notes
    -----
    Stop-word lists are blunt. In models with tf-idf weights or ``max_df`` they often change
    nothing, and they can remove words that matter ("not"). They must also be written as the
    tokenizer leaves words: the vectorizers warn where they are not.

    Examples
    --------
    >>> from quire.feature_extraction.text import stop_words
    >>> "the" in stop_words("english")
    True
    >>> sorted(stop_words("german") & {"und", "oder", "haus"})
    ['oder', 'und']
    """
    language = language.lower()
    if language in ("english", "en"):
        return english_stop_words()
    try:
        import stop_words as package
    except ImportError as error:
        raise ValueError(
            f"not a built-in stop list: {language}. Only 'english' is built in; other languages "
            "need the package stop-words: pip install quire[stopwords]"
        ) from error
    try:
        words = package.get_stop_words(language)
    except package.StopWordError:
        known = ", ".join(sorted(package.AVAILABLE_LANGUAGES))
        raise ValueError(
            f"not a built-in stop list: {language}. There are lists for {known}; or pass the words "
            "themselves in a list."
        ) from None
    return frozenset(words)
