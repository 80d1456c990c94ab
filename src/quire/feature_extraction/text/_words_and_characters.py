"""Words and the characters inside them, side by side in one matrix."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone
from sklearn.pipeline import FeatureUnion

from quire.feature_extraction.text._tfidf_vectorizer import TfidfVectorizer

__all__ = ["words_and_characters"]


def words_and_characters(
    words: Any = None, characters: Any = None, *, character_weight: float = 1.0
) -> FeatureUnion:
    """Return a vectorizer that makes a block of words and one of character n-grams.

    Words know what a text is about; pieces of words also know endings, compounds and misspellings
    that no other document has. It is scikit-learn's ``FeatureUnion`` of two vectorizers: it goes
    into a pipeline, is explained and saved as any of them, and its features are called
    ``words__rain`` and ``characters__rai``.

    Parameters
    ----------
    words : vectorizer, default=None
        How words are counted and weighted, also a pipeline of a vectorizer and a weighting such as
        :class:`RelevanceTransformer`; a copy is taken. ``None``:
        ``TfidfVectorizer(sublinear_tf=True)``.
    characters : vectorizer, default=None
        The same for characters. ``None``: ``TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5),
        sublinear_tf=True)``, which counts n-grams of 3 to 5 characters within words and their
        edges.
    character_weight : float, default=1.0
        What the second block is multiplied by.

    Returns
    -------
    FeatureUnion
        Not fitted. Its parameters are called ``words__min_df``, ``characters__min_df`` and so on.

    See Also
    --------
    CountedDocuments : Counts both blocks once for many fits.

    Examples
    --------
    >>> from quire.feature_extraction.text import words_and_characters
    >>> vectorizer = words_and_characters().set_params(characters__ngram_range=(3, 3))
    >>> X = vectorizer.fit_transform(["sun and rain", "rainy"])
    >>> vectorizer.get_feature_names_out()[:5].tolist()
    ['words__and', 'words__rain', 'words__rainy', 'words__sun', 'characters__ an']
    >>> X.shape
    (2, 16)
    """
    if not (isinstance(character_weight, int | float) and character_weight > 0):
        raise ValueError(
            f"character_weight is {character_weight!r}; expected a number above 0. Use one "
            "vectorizer where one block is to be left out."
        )
    if words is None:
        words = TfidfVectorizer(sublinear_tf=True)
    if characters is None:
        characters = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
    return FeatureUnion(
        [("words", clone(words)), ("characters", clone(characters))],
        transformer_weights=None
        if character_weight == 1
        else {"characters": float(character_weight)},
    )
