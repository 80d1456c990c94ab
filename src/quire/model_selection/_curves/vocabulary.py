"""How much vocabulary a model needs: its score against the number of terms it may use.

The experiment of McCallum and Nigam (1998). Terms are ranked by what they say about the class, and
each model is fitted with the m best of them, for m from a handful to the whole vocabulary. Which
terms there are and how they rank is learned from the training documents of each fold alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.utils.parallel import Parallel, delayed

from quire._shared.labels import class_codes
from quire._shared.plot import line_style, new_axes
from quire._shared.progress import Advance, progress
from quire._shared.sklearn import StrOptions, validate_parameter_constraints
from quire._shared.typing import AnyArray, Floats, Ints
from quire.feature_extraction.select import SelectTerms
from quire.model_selection._arguments import checked_labels, scoring_name
from quire.model_selection._documents import Documents, documents_from
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


@dataclass(frozen=True, eq=False, repr=False)
class VocabularyCurve:
    """Scores of models by the size of their vocabulary, as :func:`vocabulary_curve` returns them.

    ``print(curve)`` shows a table and :meth:`plot` draws the curves.

    Attributes
    ----------
    sizes : ndarray of shape (n_sizes,)
        Vocabulary sizes, increasing, up to the largest vocabulary of a fold. A fold whose
        vocabulary is smaller than a size has the score of its whole vocabulary there.
    models : tuple of str
        Names of the models.
    scores : ndarray of shape (n_models, n_sizes, n_folds)
        The score of each model with each size on the test documents of each fold.
    vocabulary_sizes : ndarray of shape (n_folds,)
        How many terms the training documents of each fold have.
    scoring : str
        What the scores are.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.model_selection import VocabularyCurve
    >>> scores = np.array([[[0.5, 0.6], [0.8, 0.9]], [[0.7, 0.6], [0.6, 0.5]]])
    >>> curve = VocabularyCurve(
    ...     sizes=np.array([10, 120]),
    ...     models=("multinomial", "bernoulli"),
    ...     scores=scores,
    ...     vocabulary_sizes=np.array([120, 115]),
    ...     scoring="accuracy",
    ... )
    >>> print(curve)
    accuracy by vocabulary size, mean ± standard deviation of 2 folds
    <BLANKLINE>
    terms    multinomial      bernoulli
       10  0.550 ± 0.071  0.650 ± 0.071
      120  0.850 ± 0.071  0.550 ± 0.071
    <BLANKLINE>
    best: multinomial with 120 terms, 0.850
    the folds have 115 to 120 terms
    >>> curve.crossing("multinomial", "bernoulli")
    120
    """

    sizes: Ints
    models: tuple[str, ...]
    scores: Floats
    vocabulary_sizes: Ints
    scoring: str

    def mean(self) -> Floats:
        """Return the mean over the folds.

        Returns
        -------
        ndarray of shape (n_models, n_sizes)
            Means.
        """
        means: Floats = self.scores.mean(axis=2)
        return means

    def std(self) -> Floats:
        """Return the standard deviation over the folds, with one less than the folds below.

        It says how much the score varies from fold to fold. The training documents of the folds
        overlap, so it is no confidence interval.

        Returns
        -------
        ndarray of shape (n_models, n_sizes)
            Standard deviations; NaN if there is one fold only.
        """
        if self.scores.shape[2] < 2:
            return np.full(self.scores.shape[:2], np.nan)
        deviations: Floats = self.scores.std(axis=2, ddof=1)
        return deviations

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
        means = self.mean()
        model, size = np.unravel_index(
            np.argmax(np.where(np.isnan(means), -np.inf, means)), means.shape
        )
        return self.models[model], int(self.sizes[size]), float(means[model, size])

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
            (from 0), ``n_terms`` (the terms in use: the size, or all that the fold has) and
            ``score``.
        """
        model, size, fold = (axis.ravel() for axis in np.indices(self.scores.shape))
        return pl.DataFrame(
            {
                "model": np.array(self.models, dtype=object)[model].tolist(),
                "size": self.sizes[size],
                "fold": fold,
                "n_terms": np.minimum(self.sizes[size], self.vocabulary_sizes[fold]),
                "score": self.scores.ravel(),
            }
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw the mean score of each model against the vocabulary size, on a logarithmic axis.

        Bands reach one standard deviation over the folds to either side. Needs matplotlib:
        ``pip install 'quire[plot]'``.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; a new figure if ``None``.

        Returns
        -------
        matplotlib.axes.Axes
            The axes, to add to them or to save ``.figure``.
        """
        ax = new_axes(ax)
        from matplotlib.ticker import NullFormatter, StrMethodFormatter

        n_folds = self.scores.shape[2]
        for number, (name, mean, std) in enumerate(
            zip(self.models, self.mean(), self.std(), strict=True)
        ):
            style = line_style(number)
            ax.plot(self.sizes, mean, label=name, markersize=5, **style)
            if n_folds > 1:
                ax.fill_between(
                    self.sizes, mean - std, mean + std, color=style["color"], alpha=0.2, lw=0
                )
        ax.set_xscale("log")
        if self.sizes[-1] < 100 * self.sizes[0]:  # too few powers of ten to read sizes from
            ax.set_xticks(self.sizes)
        ax.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.set_xlabel("Vocabulary size (terms)")
        what = self.scoring[:1].upper() + self.scoring[1:].replace("_", " ")
        ax.set_ylabel(f"{what}, mean ± std of {n_folds} folds" if n_folds > 1 else what)
        ax.grid(color="0.9")
        ax.set_axisbelow(True)
        ax.legend()
        return ax

    def __str__(self) -> str:
        rows = [["terms", *self.models]]
        for size, means, deviations in zip(self.sizes, self.mean().T, self.std().T, strict=True):
            cells = [_cell(*pair) for pair in zip(means, deviations, strict=True)]
            rows.append([f"{size:,}", *cells])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        table = ["  ".join(map(str.rjust, row, widths)) for row in rows]

        n_folds = self.scores.shape[2]
        spread = f", mean ± standard deviation of {n_folds} folds" if n_folds > 1 else ""
        model, size, score = self.best()
        least, most = self.vocabulary_sizes.min(), self.vocabulary_sizes.max()
        terms = f"{most:,}" if least == most else f"{least:,} to {most:,}"
        return "\n".join(
            [
                f"{self.scoring} by vocabulary size{spread}",
                "",
                *table,
                "",
                f"best: {model} with {size:,} terms, {score:.3f}",
                f"the {'folds have' if n_folds > 1 else 'fold has'} {terms} terms",
            ]
        )

    def __repr__(self) -> str:
        return (
            f"VocabularyCurve(models={self.models}, sizes={self.sizes.tolist()}, "
            f"n_folds={self.scores.shape[2]}, scoring={self.scoring!r})"
        )

    def _number(self, model: str) -> int:
        if model not in self.models:
            raise ValueError(
                f"there is no model {model!r} in this curve; there are: {', '.join(self.models)}."
            )
        return self.models.index(model)


def _cell(mean: float, deviation: float) -> str:
    return f"{mean:.3f}" if np.isnan(deviation) else f"{mean:.3f} ± {deviation:.3f}"


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
        sizes=np.array(reached),
        models=tuple(named),
        scores=np.array(scores, dtype=np.float64).transpose(2, 0, 1),
        vocabulary_sizes=vocabulary_sizes,
        scoring=scoring_name(scoring),
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
