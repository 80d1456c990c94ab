"""Which map is best: each method, with either retrieval, judged by pairs it has not seen."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from quire._shared.notebooks import ShownInNotebooks
from quire.alignment._pair_files import Pair, split_pairs
from quire.alignment._vector_map import VectorMap
from quire.alignment._word_vectors import WordVectors

__all__ = ["MapComparison", "MapScore", "Translation", "compare_maps", "translate_words"]

METHODS = ("orthogonal", "least_squares", "ridge", "gradient")
RETRIEVALS = ("csls", "nearest")
_ALPHAS = (0.01, 0.1, 1.0, 10.0, 100.0)


@dataclass(frozen=True)
class Translation(ShownInNotebooks):
    """A word, its likeliest translations, and what is right.

    Attributes
    ----------
    word : str
        Of the source.
    candidates : list of (str, float)
        Words of the target and their scores, the best first.
    right : list of str
        The partners that pairs give it; empty if they are not known.
    """

    word: str
    candidates: list[tuple[str, float]]
    right: list[str] = field(default_factory=list)

    @property
    def rank(self) -> int | None:
        """The place of the first right one, from 1; ``None`` if none was found."""
        places = (k for k, (word, _) in enumerate(self.candidates, start=1) if word in self.right)
        return next(places, None)


@dataclass(frozen=True)
class MapScore(ShownInNotebooks):
    """How well a method does with a retrieval.

    Attributes
    ----------
    method, retrieval : str
        As in :class:`VectorMap`.
    precision : dict of int to float
        The share of test words with a right one among the first k.
    seconds : float
        Of the search, and of the fit with the first retrieval of a method.
    """

    method: str
    retrieval: str
    precision: dict[int, float]
    seconds: float


@dataclass(frozen=True, eq=False, repr=False)
class MapComparison(ShownInNotebooks):
    """Maps and how well they do, from :func:`compare_maps`. ``print`` shows a table.

    Attributes
    ----------
    scores : list of MapScore
        A row for each method and retrieval.
    models : dict of str to VectorMap
        The fitted maps, by method.
    translations : dict of (str, str) to list of Translation
        What was found for the test words, by method and retrieval.
    train_pairs, test_pairs : list of (str, str)
        Pairs that were learned from and judged by.
    missing_source, missing_target : list of str
        Words of pairs without a vector; their pairs were left out.
    """

    scores: list[MapScore]
    models: dict[str, VectorMap]
    translations: dict[tuple[str, str], list[Translation]]
    train_pairs: list[Pair]
    test_pairs: list[Pair]
    missing_source: list[str]
    missing_target: list[str]

    @property
    def best(self) -> MapScore:
        """The score with the highest precision at the smallest k; ties by the next k."""
        return max(self.scores, key=lambda score: tuple(score.precision.values()))

    @property
    def best_model(self) -> VectorMap:
        """The map of the best score."""
        return self.models[self.best.method]

    def to_frame(self) -> pl.DataFrame:
        """Return the scores as a table.

        Returns
        -------
        polars.DataFrame
            With ``method``, ``retrieval``, ``precision@1`` and so on, and ``seconds``.
        """
        return pl.DataFrame(
            [
                {
                    "method": score.method,
                    "retrieval": score.retrieval,
                    **{f"precision@{k}": value for k, value in score.precision.items()},
                    "seconds": score.seconds,
                }
                for score in self.scores
            ]
        )

    def __str__(self) -> str:
        ks = list(self.best.precision)
        lines = [f"{'method':<14} {'retrieval':<9}" + "".join(f" {f'P@{k}':>6}" for k in ks)]
        for score in self.scores:
            numbers = "".join(f" {value:>6.3f}" for value in score.precision.values())
            mark = "  best" if score is self.best else ""
            lines.append(f"{score.method:<14} {score.retrieval:<9}{numbers}{mark}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        best = self.best
        return (
            f"MapComparison(best={best.method!r}, retrieval={best.retrieval!r}, "
            f"n_test={len(self.translations[best.method, best.retrieval])})"
        )


def compare_maps(
    source: WordVectors,
    target: WordVectors,
    pairs: Iterable[Pair],
    *,
    test_pairs: Iterable[Pair] | None = None,
    test_share: float = 1 / 3,
    methods: Sequence[str] = METHODS,
    retrievals: Sequence[str] = RETRIEVALS,
    ks: Sequence[int] = (1, 5, 10),
    random_state: int = 0,
    exclude_self: bool | None = None,
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> MapComparison:
    """Fit maps by several methods, and judge them by pairs that were held out.

    Parameters
    ----------
    source, target : WordVectors
        The vocabularies; they may be one and the same.
    pairs : iterable of (str, str)
        Words that belong together.
    test_pairs : iterable of (str, str), default=None
        Pairs to judge by. ``None`` holds a share of `pairs` out.
    test_share : float, default=1/3
        The share of words that are held out.
    methods, retrievals : sequence of str
        As in :class:`VectorMap`; all by default.
    ks : sequence of int, default=(1, 5, 10)
        Values of k of precision at k.
    random_state : int, default=0
        How pairs are split.
    exclude_self : bool, default=None
        Whether a word can not be its own translation. ``None`` means so if source and target are
        one: the vector of a country is near that of its capital before it is mapped.
    progress : callable, default=None
        Told in words what is done next.
    **options
        Of :class:`VectorMap`. "ridge" chooses among five penalties if `alpha` is not given.

    Returns
    -------
    MapComparison
        Scores, maps, translations, and the words that have no vector.

    Raises
    ------
    ValueError
        If no pair has vectors for both of its words.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.alignment import WordVectors, compare_maps
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 5))
    >>> turn = np.linalg.qr(rng.normal(size=(5, 5)))[0]
    >>> source = WordVectors([f"s{i}" for i in range(60)], X)
    >>> target = WordVectors([f"t{i}" for i in range(60)], X @ turn)
    >>> pairs = [(f"s{i}", f"t{i}") for i in range(30)]
    >>> found = compare_maps(source, target, pairs, methods=["orthogonal"])
    >>> print(found)
    method         retrieval    P@1    P@5   P@10
    orthogonal     csls       1.000  1.000  1.000  best
    orthogonal     nearest    1.000  1.000  1.000
    """
    ks = sorted(set(ks))
    if not ks or ks[0] < 1 or not methods or not retrievals:
        raise ValueError(f"ks is {ks}, methods {methods}; expected one or more of each.")
    given = list(pairs)
    judged = None if test_pairs is None else list(test_pairs)
    everything = given + (judged or [])
    lost = [list(dict.fromkeys(s for s, _ in everything if s not in source))]
    lost.append(list(dict.fromkeys(t for _, t in everything if t not in target)))
    train = [pair for pair in given if pair[0] in source and pair[1] in target]
    if judged is None:
        train, test = split_pairs(_some(train, given), test_share, random_state)
    else:
        test = _some([(s, t) for s, t in judged if s in source and t in target], judged)
        train = _some(train, given)
    apart = source is target if exclude_self is None else exclude_self
    scores, models, found = [], {}, {}
    for method in methods:
        start = time.perf_counter()
        _tell(progress, f"Fitting {method}")
        settings = {"alpha": _ALPHAS} if method == "ridge" and "alpha" not in options else {}
        model = VectorMap(method, **{**settings, **options}).fit(source, target, train)
        models[method] = model
        for retrieval in retrievals:
            _tell(progress, f"Searching: {method}, {retrieval}")
            listed = _translated(model, test, max(ks), retrieval, apart)
            found[method, retrieval] = listed
            ranks = [one.rank for one in listed]
            shares = {k: sum(r is not None and r <= k for r in ranks) / len(ranks) for k in ks}
            now = time.perf_counter()
            scores.append(MapScore(method, retrieval, shares, now - start))
            start = now
    return MapComparison(scores, models, found, train, test, *lost)


def translate_words(
    model: VectorMap, words: Sequence[str], k: int, retrieval: str, exclude_self: bool
) -> list[Translation]:
    """Translate words, and leave out the word itself where both sides have the same words.

    Parameters
    ----------
    model : VectorMap
        Fitted to word vectors.
    words : sequence of str
        Words of the source.
    k : int
        How many words of the target are listed for each.
    retrieval : {"csls", "nearest"}
        How they are ranked, as in :meth:`VectorMap.translate`.
    exclude_self : bool
        Whether a word cannot be its own translation.

    Returns
    -------
    list of Translation
        One for each word.
    """
    listed = model.translate(words, k + exclude_self, retrieval=retrieval)
    return [
        Translation(word, [one for one in near if not (exclude_self and one[0] == word)][:k])
        for word, near in zip(words, listed, strict=True)
    ]


def _translated(
    model: VectorMap, pairs: list[Pair], k: int, retrieval: str, exclude_self: bool
) -> list[Translation]:
    gold: dict[str, list[str]] = {}
    for s, t in pairs:
        gold.setdefault(s, []).append(t)
    listed = translate_words(model, list(gold), k, retrieval, exclude_self)
    return [Translation(one.word, one.candidates, gold[one.word]) for one in listed]


def _some(pairs: list[Pair], given: list[Pair]) -> list[Pair]:
    if not pairs:
        shown = ", ".join(f"{s} {t}" for s, t in given[:3])
        raise ValueError(
            f"None of the {len(given):,} pairs ({shown}) has vectors for both of its words. The "
            "first word of a pair is looked up in the source, the second in the target."
        )
    return pairs


def _tell(progress: Callable[[str], None] | None, message: str) -> None:
    if progress is not None:
        progress(message)
