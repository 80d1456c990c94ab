"""Where the terms of a text stand in it: words, n-grams of words, n-grams of characters.

Tokens are cut as the vectorizer cuts them. Each occurrence of a known term covers some words of the
text, in shares that add up to one, so that what a term contributes can be spread over words without
a rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np

from quire._shared.positions import Mapped, mapped
from quire._shared.typing import Floats, Places

__all__ = ["Located", "locate"]

Find = Callable[[Iterable[str]], Places]  # from terms to columns, -1 where the model has none

_WORD = re.compile(r"\S+")


@dataclass(frozen=True, eq=False)
class Located:
    """The occurrences of known terms in a text, and the words that they cover.

    Attributes
    ----------
    column, start, end : ndarray of shape (n_occurrences,)
        The column of each occurrence, and its place in the original text.
    make_terms : callable
        Makes `terms` when they are asked for.
    word_start, word_end : ndarray of shape (n_words,)
        The words of the text, in order.
    covering, covered, share : ndarray of shape (n_pairs,)
        Occurrence `covering` gives word `covered` this share of itself.
    """

    column: Places
    start: Places
    end: Places
    make_terms: Callable[[], list[str]]
    word_start: Places
    word_end: Places
    covering: Places
    covered: Places
    share: Floats

    @property
    def terms(self) -> list[str]:
        """The term of each occurrence, as the vectorizer sees it."""
        return self.make_terms()

    def word_scores(self, occurrences: Floats) -> Floats:
        """Return the sum of what occurrences give to each word."""
        weights = occurrences[self.covering] * self.share
        sums = np.bincount(self.covered, weights, minlength=len(self.word_start))
        return sums.astype(np.float64, copy=False)


def locate(vectorizer: Any, text: str, columns: Any) -> Located | None:
    """Find the terms of some columns in a text.

    Parameters
    ----------
    vectorizer : object
        Fitted, with scikit-learn's parameters.
    text : str
        The text, decoded.
    columns : dict from str to int, or collection of int
        The terms that the model has and their columns; for a vectorizer that hashes, the columns.

    Returns
    -------
    Located or None
        ``None`` if a tokenizer, analyzer or preprocessor of the caller's own leaves no positions.
    """
    analyzer = vectorizer.analyzer
    if callable(analyzer) or (analyzer == "word" and vectorizer.tokenizer is not None):
        return None
    at = mapped(vectorizer, text)
    if at is None:
        return None
    find = _lookup(vectorizer, columns)
    if analyzer == "word":
        return _words(vectorizer, at, find)
    at = at.with_single_blanks()
    return _characters(vectorizer, at, find, within_words=analyzer == "char_wb")


def _lookup(vectorizer: Any, columns: Any) -> Find:
    if isinstance(columns, dict):
        get = columns.get
        return lambda terms: np.fromiter(map(get, terms, repeat(-1)), dtype=np.intp)
    from sklearn.feature_extraction import FeatureHasher

    hasher = FeatureHasher(vectorizer.n_features, input_type="string", alternate_sign=False)
    known = np.fromiter(columns, dtype=np.intp)

    def find(terms: Iterable[str]) -> Places:
        terms = list(terms)
        distinct = list(dict.fromkeys(terms))
        hashed = hasher.transform([[term] for term in distinct]).indices if distinct else []
        found = np.where(np.isin(hashed, known), hashed, -1)
        number = dict(zip(distinct, found.tolist(), strict=True))
        return np.array([number[term] for term in terms], dtype=np.intp)

    return find


def _words(vectorizer: Any, at: Mapped, find: Find) -> Located:
    """Locate n-grams of words; stop words lie inside n-grams and get no share."""
    own = getattr(vectorizer, "word_pattern", None)  # scikit-learn's vectorizers have none
    pattern = re.compile(vectorizer.token_pattern if own is None else own())
    stop = vectorizer.get_stop_words() or frozenset()
    matches = list(pattern.finditer(at.text))
    tokens = [match.group(pattern.groups) or "" for match in matches]
    places = [
        match.span(pattern.groups) if token else (match.start(), match.start())
        for match, token in zip(matches, tokens, strict=True)
    ]
    # A mark of a stop word goes with it; what negates is not changed by a stop list.
    kept = [i for i, token in enumerate(tokens) if token not in stop]
    if own is not None:
        tokens = vectorizer.marked(at.text, places)
    tokens, places = [tokens[i] for i in kept], [places[i] for i in kept]
    if own is not None:
        tokens = vectorizer.stems(tokens)
    spans = np.array(places, dtype=np.intp).reshape(-1, 2)
    low, high = vectorizer.ngram_range
    first: list[Places] = []
    length: list[Places] = []
    column: list[Places] = []
    names: list[tuple[list[str], Places]] = []
    for n in range(low, min(high, len(tokens)) + 1):
        runs = zip(*(tokens[k:] for k in range(n)), strict=False)
        terms = tokens if n == 1 else [" ".join(run) for run in runs]
        found = find(terms)
        hits = np.flatnonzero(found >= 0)
        first.append(hits)
        length.append(np.full(len(hits), n))
        column.append(found[hits])
        names.append((terms, hits))
    head, size = _joined(first), _joined(length)
    covering, within = _steps(size)
    start, end = _original(at, spans)
    return Located(
        _joined(column),
        start[head],
        end[head + size - 1],
        lambda: [terms[i] for terms, hits in names for i in hits],
        start,
        end,
        covering,
        head[covering] + within,
        1.0 / size[covering],
    )


def _characters(vectorizer: Any, at: Mapped, find: Find, *, within_words: bool) -> Located:
    """Locate n-grams of characters; their shares go to the words of their characters."""
    spans = np.array([m.span() for m in _WORD.finditer(at.text)], dtype=np.intp).reshape(-1, 2)
    low, high = vectorizer.ngram_range
    cut = _padded_ngrams if within_words else _ngrams
    head, size, column, names = cut(at.text, spans, low, high, find)
    if len(head) and not len(spans):  # n-grams of blanks in a text of blanks
        spans = np.array([[0, len(at.text)]])
    # Which word a character is in; blanks belong to none, and the text has blanks around it.
    word_of = np.full(len(at.text) + 2, -1)
    inside, at_letter = _steps(spans[:, 1] - spans[:, 0])
    word_of[spans[inside, 0] + at_letter + 1] = inside
    covering, within = _steps(size)
    word = word_of[head[covering] + within + 1]
    inked = np.bincount(covering[word >= 0], minlength=len(head))
    covering, word = covering[word >= 0], word[word >= 0]
    share = 1.0 / inked[covering]
    blank = np.flatnonzero(inked == 0)  # an n-gram of blanks goes to the word before it
    if len(blank) and len(spans):
        nearest = np.searchsorted(spans[:, 0], head[blank] + size[blank], side="right") - 1
        covering = np.append(covering, blank)
        word = np.append(word, np.maximum(nearest, 0))
        share = np.append(share, np.ones(len(blank)))
    n = len(at.text)
    start, end = _original(at, np.stack([head, head + size], axis=1).clip(0, n))
    word_start, word_end = _original(at, spans)
    return Located(column, start, end, names, word_start, word_end, covering, word, share)


Cut = tuple[Places, Places, Places, Callable[[], list[str]]]


def _ngrams(text: str, spans: Places, low: int, high: int, find: Find) -> Cut:
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    codes = np.unique(points, return_inverse=True)[1]  # small numbers for few characters
    heads, sizes, columns = [], [], []
    for n in range(low, min(high, len(text)) + 1):
        distinct, which = _distinct_ngrams(codes, n)
        found = find([text[i : i + n] for i in distinct.tolist()])[which]
        hits = np.flatnonzero(found >= 0)
        heads.append(hits)
        sizes.append(np.full(len(hits), n))
        columns.append(found[hits])
    head, size = _joined(heads), _joined(sizes)

    def make_terms() -> list[str]:
        return [text[i : i + n] for i, n in zip(head.tolist(), size.tolist(), strict=True)]

    return head, size, _joined(columns), make_terms


def _distinct_ngrams(codes: Places, n: int) -> tuple[Places, Places]:
    """Return where each distinct n-gram first is, and which of these the n-gram at each place is.

    A text has far fewer distinct n-grams than places, and looking up is what takes time.
    """
    bits = int(codes.max()).bit_length()
    n_places = len(codes) - n + 1
    if bits * n > 62:  # they do not fit into one number
        return np.arange(n_places), np.arange(n_places)
    keys = np.zeros(n_places, dtype=np.int64)
    for k in range(n):
        keys = (keys << bits) | codes[k : n_places + k]
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    return first, which


def _padded_ngrams(text: str, spans: Places, low: int, high: int, find: Find) -> Cut:
    """Cut words with a blank on both sides; each distinct word is cut once."""
    places: dict[str, list[int]] = {}
    for start, end in spans.tolist():
        places.setdefault(text[start:end], []).append(start)
    offsets: list[int] = []
    terms: list[str] = []
    owners: list[int] = []
    for number, word in enumerate(places):
        padded = f" {word} "
        for n in range(low, high + 1):
            last = max(len(padded) - n, 0)
            offsets += range(last + 1)
            terms += [padded[i : i + n] for i in range(last + 1)]
            owners += [number] * (last + 1)
            if last == 0:  # a short word counts once
                break
    found = find(terms)
    hits = np.flatnonzero(found >= 0)
    # The blanks around a word are not in the text.
    length = _whole(map(len, places))[_whole(owners)[hits]]
    offset = _whole(offsets)[hits] - 1
    last = np.minimum(offset + _whole(map(len, terms))[hits], length)
    first = np.minimum(np.maximum(offset, 0), length)
    # All occurrences of the words of these n-grams.
    how_often = _whole(map(len, places.values()))
    starts = _whole(start for here in places.values() for start in here)
    owner = _whole(owners)[hits]
    hit, within = _steps(how_often[owner])
    begin = np.cumsum(how_often) - how_often
    head = starts[begin[owner[hit]] + within] + first[hit]

    def make_terms() -> list[str]:
        return [terms[i] for i in hits[hit]]

    return head, np.maximum(last - first, 0)[hit], found[hits][hit], make_terms


def _steps(size: Places) -> tuple[Places, Places]:
    """Return 0, 0, 1, 1, 1 and 0, 1, 0, 1, 2 for sizes 2, 3."""
    owner = np.repeat(np.arange(len(size)), size)
    begin = np.cumsum(size) - size
    return owner, np.arange(len(owner)) - begin[owner]


def _original(at: Mapped, spans: Places) -> tuple[Places, Places]:
    """Return where spans of the preprocessed text begin and end in the original."""
    start, end = spans[:, 0].copy(), spans[:, 1].copy()
    full = end > start
    if at.start is not None:
        start[full], end[full] = at.starts(start[full]), at.ends(end[full])
        for i in np.flatnonzero(~full):
            start[i] = end[i] = int(at.ends(start[i : i + 1])[0]) if start[i] else 0
    return start, end


def _joined(parts: list[Places]) -> Places:
    return np.concatenate(parts).astype(np.intp) if parts else np.empty(0, dtype=np.intp)


def _whole(numbers: Iterable[int]) -> Places:
    return np.array(list(numbers), dtype=np.intp)
