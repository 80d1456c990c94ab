"""How much vocabulary a model needs: its score against the number of terms it may use.

The experiment of McCallum and Nigam (1998). Terms are ranked by what they say about the class, and
each model is fitted with the m best of them, for m from a handful to the whole vocabulary. Which
terms there are and how they rank is learned from the training documents of each fold alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.utils.parallel import Parallel, delayed

from quire._shared.labels import class_codes
from quire._shared.progress import Advance, progress
from quire._shared.sklearn import StrOptions, validate_parameter_constraints
from quire._shared.typing import AnyArray, Floats, Ints
from quire.feature_extraction.select import SelectTerms
from quire.model_selection._arguments import checked_labels, score_title
from quire.model_selection._curves.fold_curve import FoldCurve, number_axis, score_cell
from quire.model_selection._documents import Documents, documents_from
from quire.model_selection._fold_statistics import held_out_ratio
from quire.model_selection._folds import folds_of

__all__ = ["VocabularyCurve", "vocabulary_curve"]

Models: TypeAlias = str | Mapping[str, Any] | Iterable[str | tuple[str, Any]]

_ALL = sys.maxsize  # as a size: every fold cuts it down to what it has
_DEFAULT_SIZES = [step * 10**power for power in range(1, 9) for step in (1, 2, 5)]
_NAMED: dict[str, tuple[str, dict[str, Any]]] = {
    "bernoulli": ("BernoulliNB", {}),
    "complement": ("ComplementNB", {}),
    "multinomial": ("MultinomialNB", {}),
    "multinomial_binary": ("MultinomialNB", {"binarize": 0.0}),
}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class VocabularyCurve(FoldCurve):
    """Scores of models by the size of their vocabulary, as :func:`vocabulary_curve` returns them.

    A :class:`FoldCurve` for each of several models: arrays have an axis of models before that of
    values. The `values` are vocabulary sizes, increasing, up to the largest vocabulary of a fold;
    they are called `sizes` as well. A fold whose vocabulary is smaller than a size has the score of
    its whole vocabulary there. Training documents are not scored.

    Attributes
    ----------
    models : tuple of str
        Names of the models.
    test_scores : ndarray of shape (n_models, n_sizes, n_folds)
        The score of each model with each size on the test documents of each fold.
    vocabulary_sizes : ndarray of shape (n_folds,)
        How many terms the training documents of each fold have.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.model_selection import VocabularyCurve
    >>> curve = VocabularyCurve(
    ...     values=np.array([10, 120]),
    ...     models=("multinomial", "bernoulli"),
    ...     test_scores=np.array([[[0.5, 0.6], [0.8, 0.9]], [[0.7, 0.6], [0.6, 0.5]]]),
    ...     vocabulary_sizes=np.array([120, 115]),
    ...     scoring="accuracy",
    ...     test_ratio=1.0,
    ... )
    >>> print(curve)
    accuracy by vocabulary size, mean ± standard error over 2 folds
    <BLANKLINE>
    terms    multinomial      bernoulli
       10  0.550 ± 0.050  0.650 ± 0.050
      120  0.850 ± 0.050  0.550 ± 0.050
    <BLANKLINE>
    best: multinomial with 120 terms, 0.850
    the folds have 115 to 120 terms
    >>> curve.crossing("multinomial", "bernoulli")
    120
    """

    models: tuple[str, ...]
    vocabulary_sizes: Ints
    param: str = "vocabulary size"

    _column: ClassVar[str] = "size"
    _is_choice: ClassVar[bool] = False

    @property
    def sizes(self) -> Ints:
        """Vocabulary sizes, increasing."""
        sizes: Ints = self.values
        return sizes

    def best(self) -> tuple[str, int, float]:
        """Return the model and the size with the highest mean score.

        Returns
        -------
        model : str
            Its name; of equally good ones the first.
        size : int
            Its vocabulary size; of equally good ones the smallest.
        score : float
            The mean of its scores.
        """
        return self._of_best_model(0)

    def one_standard_error(self) -> tuple[str, int, float]:
        """Return the smallest vocabulary with which the best model stays near its best.

        Returns
        -------
        model : str
            The name of the best model.
        size : int
            The smallest size whose score is within one standard error of the best; the best one if
            there is one fold only.
        score : float
            The mean of its scores.
        """
        return self._of_best_model(1)

    def crossing(self, a: str, b: str) -> int | None:
        """Return the smallest size from which on one model stays ahead of another.

        Parameters
        ----------
        a, b : str
            Names of models.

        Returns
        -------
        int or None
            The first of the sizes such that there and at every larger one the mean score of `a` is
            above that of `b`; ``None`` if `a` is not ahead at the largest.
        """
        means = self.mean()
        ahead = means[self._number(a)] > means[self._number(b)]
        behind = np.flatnonzero(~ahead)
        first = behind[-1] + 1 if len(behind) else 0
        return int(self.sizes[first]) if first < len(self.sizes) else None

    def to_frame(self) -> pl.DataFrame:
        """Return the scores as a table in long form.

        Returns
        -------
        polars.DataFrame
            A row for each model, size and fold, with the columns ``model``, ``size``, ``fold``
            (from 0), ``test`` (the score) and ``n_terms`` (the terms in use: the size, or all that
            the fold has).
        """
        frame = super().to_frame()
        in_fold = self.vocabulary_sizes[frame["fold"].to_numpy()]
        return frame.with_columns(n_terms=np.minimum(frame["size"].to_numpy(), in_fold))

    def __str__(self) -> str:
        model, size, score = self.best()
        least, most = self.vocabulary_sizes.min(), self.vocabulary_sizes.max()
        terms = f"{most:,}" if least == most else f"{least:,} to {most:,}"
        return "\n".join(
            [
                super().__str__(),
                "",
                f"best: {model} with {size:,} terms, {score:.3f}",
                f"the {'folds have' if self.n_folds > 1 else 'fold has'} {terms} terms",
            ]
        )

    def _cells(self) -> list[list[str]]:
        rows = [["terms", *self.models]]
        like = abs(self.best()[2])
        for size, means, errors in zip(
            self.sizes, self.mean().T, self.standard_error().T, strict=True
        ):
            cells = [score_cell(*pair, like) for pair in zip(means, errors, strict=True)]
            rows.append([f"{size:,}", *cells])
        return rows

    def _points(self) -> pl.DataFrame:
        n_models, n_sizes = len(self.models), len(self.sizes)
        names = pl.Series(list(self.models), dtype=pl.String).gather(
            np.repeat(np.arange(n_models), n_sizes)
        )
        return pl.DataFrame({"model": names, "size": np.tile(self.sizes, n_models)})

    def _lines(self, level: float | None) -> Iterator[tuple[str, Floats, tuple[Floats, Floats]]]:
        low, high = self._band("test", level)
        for number, (name, mean) in enumerate(zip(self.models, self.mean(), strict=True)):
            yield name, mean, (low[number], high[number])

    def _set_axis(self, ax: Any) -> None:
        number_axis(ax, self.sizes)
        ax.set_xlabel("Vocabulary size (terms)")

    def _of_best_model(self, which: int) -> tuple[str, int, float]:
        worth = self._worth()
        model = int(np.argmax(worth.max(axis=1)))
        place = self._choices_among(worth[model], self.standard_error()[model])[which]
        return self.models[model], int(self.sizes[place]), float(self.mean()[model, place])

    def _number(self, model: str) -> int:
        if model not in self.models:
            raise ValueError(
                f"there is no model {model!r} in this curve; there are: {', '.join(self.models)}."
            )
        return self.models.index(model)


_CONSTRAINTS: dict[str, list[Any]] = {
    "score_func": [StrOptions({"chi2", "mutual_info"}), callable],
    "cv": ["cv_object"],
    "scoring": [str, callable, None],
    "random_state": ["random_state"],
    "n_jobs": [Integral, None],
    "verbose": ["boolean"],
}


def vocabulary_curve(
    texts: Any,
    y: Any,
    *,
    sizes: Iterable[int | str] | None = None,
    models: Models = ("multinomial", "bernoulli"),
    vectorizer: Any = None,
    score_func: str | Callable[[Any, Any], Any] = "mutual_info",
    cv: Any = 5,
    scoring: Any = "accuracy",
    groups: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> VocabularyCurve:
    """Score models with vocabularies of increasing size, by cross-validation.

    In every fold, terms are ranked by `score_func` on the training documents, and each model is
    fitted with the best m terms for each size m. The scores are those of a pipeline of the
    vectorizer, ``SelectTerms(score_func, k=m)`` and the model that is fitted on the training
    documents of each fold, but the texts are cut into terms once and the terms ranked once in a
    fold.

    Parameters
    ----------
    texts : iterable of documents, or {array-like, sparse matrix} of shape (n_documents, n_terms)
        The documents; or counts that are there already, of which a fold uses the columns that occur
        in its training rows.
    y : array-like of shape (n_documents,)
        Class of each document; two classes or more.
    sizes : iterable of int or "all", default=None
        Vocabulary sizes; "all" is the whole vocabulary of a fold. ``None`` means 10, 20, 50, 100
        and so on, and "all".
    models : sequence or mapping, default=("multinomial", "bernoulli")
        Names of models of :mod:`quire.naive_bayes` ("multinomial", "multinomial_binary",
        "bernoulli", "complement"), pairs of any name and a classifier, or a mapping from names to
        classifiers. Classifiers are cloned for every fit.
    vectorizer : estimator, default=None
        What makes a matrix from texts; ``None`` means
        :class:`~quire.feature_extraction.text.CountVectorizer` with its defaults. Its ``min_df``,
        ``max_df`` and ``max_features`` hold in the training documents of each fold. A vectorizer
        that learns more than terms, such as one with tf-idf weights, is fitted anew in every fold.
    score_func : {"mutual_info", "chi2"} or callable, default="mutual_info"
        What to rank terms by, as in :class:`~quire.feature_extraction.select.SelectTerms`.
    cv : int, splitter or iterable of (train, test), default=5
        Folds. A number means that many stratified ones, which also keep `groups` together if these
        are given.
    scoring : str or callable, default="accuracy"
        What to measure, as in scikit-learn; ``None`` is what the ``score`` of the models returns.
    groups : array-like of shape (n_documents,), default=None
        Groups for the splitter: documents of one group are not divided between training and test.
    random_state : int, RandomState instance or None, default=None
        How to shuffle the documents before they are divided into folds, where `cv` is a number;
        ``None`` leaves them in order.
    n_jobs : int, default=None
        Number of folds to work on at a time, each in a thread. ``None`` means one, in which the
        kernels of quire use all cores.
    verbose : bool, default=False
        Show a progress bar with the time that is left.

    Returns
    -------
    VocabularyCurve
        The scores of every model, size and fold, with a table and a plot of them.

    Raises
    ------
    ValueError
        If an argument does not fit, or a fold has no term to learn from.

    Notes
    -----
    A size larger than a fold's vocabulary means all of it. Of terms with equal scores the earlier
    column is chosen, as by ``SelectTerms``. The largest matrix of a fold is made first and columns
    are dropped from it from size to size, so that a fold costs little more than its fits.

    References
    ----------
    A. McCallum and K. Nigam, "A comparison of event models for naive Bayes text classification",
    AAAI workshop on learning for text categorization, 1998.

    Examples
    --------
    >>> from quire.datasets import make_text_classification
    >>> from quire.model_selection import vocabulary_curve
    >>> data = make_text_classification(400, n_classes=4, separation=6.0, random_state=1)
    >>> curve = vocabulary_curve(data.texts, data.y, sizes=[10, 100, "all"])
    >>> curve.sizes
    array([  10,  100, 1672])
    >>> curve.mean().round(2)
    array([[0.7 , 0.83, 0.79],
           [0.69, 0.82, 0.74]])
    >>> curve.best()[:2]
    ('multinomial', 100)
    """
    validate_parameter_constraints(
        _CONSTRAINTS,
        {
            "score_func": score_func,
            "cv": cv,
            "scoring": scoring,
            "random_state": random_state,
            "n_jobs": n_jobs,
            "verbose": verbose,
        },
        caller_name="vocabulary_curve",
    )
    wanted = checked_sizes(sizes)
    named = {name: (model, check_scoring(model, scoring)) for name, model in named_models(models)}
    labels = checked_labels(y)
    documents = documents_from(texts, vectorizer)
    if len(documents) != len(labels):
        raise ValueError(
            f"y has {len(labels):,} labels and there are {len(documents):,} documents; give one "
            "label for each document."
        )
    splits = folds_of(cv, labels, groups, random_state, classifier=True)

    with progress("Vocabulary sizes", len(splits), shown=verbose) as advance:
        folds = Parallel(n_jobs=n_jobs, require="sharedmem")(
            delayed(_score_fold)(
                number, documents, labels, split, list(named.values()), wanted, score_func, advance
            )
            for number, split in enumerate(splits)
        )

    vocabulary_sizes = np.array([fold.n_terms for fold in folds])
    reached = sorted({min(size, int(vocabulary_sizes.max())) for size in wanted})
    scores = [[fold.scores[min(size, fold.n_terms)] for fold in folds] for size in reached]
    return VocabularyCurve(
        values=np.array(reached),
        models=tuple(named),
        test_scores=np.array(scores, dtype=np.float64).transpose(2, 0, 1),
        vocabulary_sizes=vocabulary_sizes,
        scoring=score_title(scoring, next(iter(named.values()))[0]),
        test_ratio=held_out_ratio(splits),
    )


@dataclass(frozen=True)
class _Fold:
    """What came out of a fold: how many terms it has, and by size the score of each model."""

    n_terms: int
    scores: dict[int, list[float]]


def _score_fold(
    number: int,
    documents: Documents,
    y: NDArray[Any],
    split: tuple[AnyArray, AnyArray],
    models: list[tuple[Any, Any]],
    sizes: list[int],
    score_func: Any,
    advance: Advance,
) -> _Fold:
    """Fit and score every model with every size."""
    X_train, X_test = documents.divide(*split)
    y_train, y_test = (y[rows] for rows in split)
    n_terms = X_train.shape[1]
    if n_terms == 0:
        raise ValueError(
            f"the training documents of fold {number} (from 0) have no terms: they are empty. "
            "Remove empty documents, or use fewer or shuffled folds (random_state)."
        )
    rank = _ranks(X_train, y_train, score_func)

    scores: dict[int, list[float]] = {}
    here = sorted({min(size, n_terms) for size in sizes}, reverse=True)
    for size in here:
        chosen = np.flatnonzero(rank < size)  # in the order of the columns, as SelectTerms
        X_train, X_test, rank = X_train[:, chosen], X_test[:, chosen], rank[chosen]
        scores[size] = []
        for model, scorer in models:
            fitted = clone(model).fit(X_train, y_train)
            scores[size].append(float(scorer(fitted, X_test, y_test)))
            advance(1 / (len(here) * len(models)))
    return _Fold(n_terms, scores)


def _ranks(X: Any, y: NDArray[Any], score_func: Any) -> NDArray[np.int64]:
    """Return the place of each column, 0 for the best; ties in their order, NaN last."""
    if isinstance(score_func, str) and len(class_codes(y)[0]) < 2:
        return np.arange(X.shape[1])  # of one class no term says anything
    scores = SelectTerms(score_func, k="all").fit(X, y).scores_
    ranks = np.empty(len(scores), dtype=np.int64)
    ranks[np.argsort(-scores, kind="stable")] = np.arange(len(scores))
    return ranks


def checked_sizes(sizes: Any) -> list[int]:
    """Return the sizes as numbers, "all" as a very large one."""
    if sizes is None:
        return [*_DEFAULT_SIZES, _ALL]
    advice = 'Give positive whole numbers of terms, and "all" for every term: [10, 100, "all"].'
    if isinstance(sizes, str) or not isinstance(sizes, Iterable):
        raise TypeError(f"sizes is {sizes!r}; expected a list of sizes. {advice}")
    checked = []
    for size in sizes:
        if isinstance(size, str) and size == "all":
            checked.append(_ALL)
        elif isinstance(size, Integral) and not isinstance(size, bool) and int(size) > 0:
            checked.append(int(size))
        else:
            raise ValueError(f"sizes contains {size!r}. {advice}")
    if not checked:
        raise ValueError(f"sizes is empty. {advice}")
    return checked


def named_models(models: Models) -> list[tuple[str, Any]]:
    """Return the models with their names, each name once."""
    if isinstance(models, str):
        models = [models]
    entries: Any = models.items() if isinstance(models, Mapping) else models
    pairs = [(entry, entry) if isinstance(entry, str) else entry for entry in entries]
    for pair in pairs:
        if not (isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str)):
            raise TypeError(
                f"models contains {pair!r}; expected a name ({', '.join(_NAMED)}) or a pair of a "
                "name and a classifier."
            )
    names = [name for name, _ in pairs]
    if not names:
        raise ValueError("models is empty: name at least one.")
    if len(set(names)) < len(names):
        raise ValueError(f"models have the same name: {names}. Give each its own.")
    return [
        (name, _classifier(model) if isinstance(model, str) else model) for name, model in pairs
    ]


def _classifier(name: str) -> Any:
    if name not in _NAMED:
        raise ValueError(
            f"there is no model called {name!r}; there are: {', '.join(_NAMED)}. Other classifiers "
            "are given as pairs of a name and an object."
        )
    from quire import naive_bayes

    kind, parameters = _NAMED[name]
    return getattr(naive_bayes, kind)(**parameters)
