"""How much a tree changes with the data, and how averaging many removes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.ensemble import BaggingClassifier as SklearnBaggingClassifier
from sklearn.ensemble import BaggingRegressor as SklearnBaggingRegressor
from sklearn.pipeline import Pipeline
from sklearn.tree import BaseDecisionTree
from sklearn.utils import check_random_state

from quire._shared.labels import class_codes
from quire._shared.notebooks import ShownInNotebooks
from quire._shared.number_tables import aligned
from quire._shared.plot import grid, line_style, new_axes
from quire._shared.progress import progress
from quire._shared.sklearn import Interval, validate_parameter_constraints
from quire._shared.typing import Floats
from quire._shared.validation import indexable
from quire.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from quire.model_selection._estimators import seeds_from
from quire.model_selection._experiments.resampling import drawer, held_out
from quire.model_selection._folds import rows_of
from quire.model_selection._trees import Before, before_tree, tree_for

__all__ = ["TreeInstability", "tree_instability"]


@dataclass(frozen=True, eq=False, repr=False)
class TreeInstability(ShownInNotebooks):
    """How much predictions change between resamples, from :func:`tree_instability`.

    ``print(found)`` shows a table and :meth:`plot` draws it. Rows of the arrays are models: first
    the single tree, then the forest with each number of trees.

    Attributes
    ----------
    sizes : ndarray of shape (n_sizes,)
        Numbers of trees of the forests, rising.
    changed : ndarray of shape (1 + n_sizes, n_resamples)
        For each resample, the share of test rows whose predicted class is another one than after
        another resample, on average over these. For numbers, the root mean square of the difference
        of predictions from their mean over the resamples.
    errors : ndarray of shape (1 + n_sizes, n_resamples)
        The share of wrong predictions on the test rows, or the root mean squared error.
    roots : dict from str or int to int
        How often the single tree asked about a column first, the most frequent first. ``None`` is a
        tree that asks nothing.
    task : {"classes", "numbers"}
        What is predicted.
    n_test : int
        How many test rows there are.
    ensemble : str, default="forest"
        What many trees are: "forest" or "bagging".

    Examples
    --------
    >>> import numpy as np
    >>> from quire.model_selection import TreeInstability
    >>> found = TreeInstability(
    ...     sizes=np.array([1, 100]),
    ...     changed=np.array([[0.3, 0.2], [0.4, 0.4], [0.1, 0.06]]),
    ...     errors=np.array([[0.2, 0.2], [0.3, 0.2], [0.1, 0.1]]),
    ...     roots={"goal": 1, "rain": 1},
    ...     task="classes",
    ...     n_test=50,
    ... )
    >>> print(found)
    predictions of 50 test rows after 2 resamples
    <BLANKLINE>
    model                 changed  errors
    one tree                0.250   0.200
    forest of 1 tree        0.400   0.250
    forest of 100 trees     0.080   0.100
    <BLANKLINE>
    first question of the tree: goal 1, rain 1
    """

    sizes: NDArray[np.int64]
    changed: Floats
    errors: Floats
    roots: dict[Any, int]
    task: str
    n_test: int
    ensemble: str = "forest"

    @property
    def n_resamples(self) -> int:
        """How many resamples there are."""
        return int(self.changed.shape[1])

    @property
    def same_root(self) -> float:
        """The share of resamples after which the tree begins with its most frequent column."""
        return max(self.roots.values()) / self.n_resamples

    def to_frame(self) -> pl.DataFrame:
        """Return the numbers as a table in long form.

        Returns
        -------
        polars.DataFrame
            A row for each model and resample, with the columns ``model`` ("tree", and "forest" or
            "bagging"), ``n_trees``, ``resample`` (from 0), ``changed`` and ``error``.
        """
        place, resample = (axis.ravel() for axis in np.indices(self.changed.shape))
        kinds = np.array(["tree", *[self.ensemble] * len(self.sizes)], dtype=object)
        return pl.DataFrame(
            {
                "model": kinds[place].tolist(),
                "n_trees": np.append(1, self.sizes)[place],
                "resample": resample,
                "changed": self.changed.ravel(),
                "error": self.errors.ravel(),
            }
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw changes and errors against the number of trees; level lines are the single tree.

        Bands reach one standard deviation over the resamples to either side. Needs matplotlib:
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
        changes = "changed between resamples" if self.task == "classes" else "spread over resamples"
        for number, (values, what) in enumerate(((self.changed, changes), (self.errors, "error"))):
            style = line_style(number)
            mean, spread = values.mean(axis=1), values.std(axis=1, ddof=1)
            ax.plot(self.sizes, mean[1:], label=f"forest: {what}", markersize=5, **style)
            low, high = mean[1:] - spread[1:], mean[1:] + spread[1:]
            ax.fill_between(self.sizes, low, high, color=style["color"], alpha=0.2, lw=0)
            ax.axhline(
                mean[0], color=style["color"], linestyle=":", lw=1.5, label=f"one tree: {what}"
            )
        ax.set_xscale("log")
        ax.set_xticks(self.sizes, [f"{size:,}" for size in self.sizes])
        ax.minorticks_off()
        ax.set_ylim(bottom=0.0)
        ax.set_xlabel("Trees of the forest" if self.ensemble == "forest" else "Bagged trees")
        ax.set_ylabel("Share of test rows" if self.task == "classes" else "Units of the target")
        grid(ax)
        ax.legend()
        return ax

    def _notebook_caption(self) -> str:
        return f"predictions of {self.n_test:,} test rows after {self.n_resamples} resamples"

    def _notebook_cells(self) -> list[list[str]]:
        heads = ["changed", "errors"] if self.task == "classes" else ["spread", "error"]
        names = ["one tree"]
        names += [
            f"{self.ensemble} of {size:,} tree{'s' if size > 1 else ''}" for size in self.sizes
        ]
        pairs = zip(self.changed.mean(axis=1), self.errors.mean(axis=1), strict=True)
        rows = [["model", *heads]]
        rows += [
            [name, *(f"{value:.3f}" for value in pair)]
            for name, pair in zip(names, pairs, strict=True)
        ]
        return rows

    def __str__(self) -> str:
        shown = [f"{_named_root(name)} {count}" for name, count in list(self.roots.items())[:5]]
        if len(self.roots) > 5:
            rest = sum(list(self.roots.values())[5:])
            shown.append(f"{len(self.roots) - 5} others {rest}")
        return "\n".join(
            [
                self._notebook_caption(),
                "",
                *aligned(self._notebook_cells(), left=1),
                "",
                f"first question of the tree: {', '.join(shown)}",
            ]
        )

    def __repr__(self) -> str:
        return (
            f"TreeInstability(sizes={self.sizes.tolist()}, n_resamples={self.n_resamples}, "
            f"n_test={self.n_test}, task={self.task!r})"
        )


def _named_root(name: Any) -> str:
    if name is None:
        return "none"
    return f"column {name}" if isinstance(name, int) else str(name)


_CONSTRAINTS: dict[str, list[Any]] = {
    "n_resamples": [Interval(Integral, 2, None, closed="left")],
    "test_size": [
        Interval(Real, 0, 1, closed="neither"),
        Interval(Integral, 1, None, closed="left"),
    ],
    "random_state": ["random_state"],
    "n_jobs": [Integral, None],
    "verbose": ["boolean"],
}


def tree_instability(
    X: Any,
    y: Any,
    *,
    sizes: Iterable[int] = (1, 3, 10, 30, 100),
    n_resamples: int = 20,
    test_size: float | int = 0.3,
    tree: Any = None,
    forest: Any = None,
    vectorizer: Any = None,
    groups: Any = None,
    feature_names: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> TreeInstability:
    """Grow trees and forests on resampled data, and count how often their predictions change.

    Test rows are held out once. Each resample is a bootstrap sample of the other rows; on each one
    a single tree and a forest are grown, and all of them predict the same test rows.

    Parameters
    ----------
    X : array-like, sparse matrix, or sequence of texts, of shape (n_samples, ...)
        The samples: numbers, texts, or what the pipelines take.
    y : array-like of shape (n_samples,)
        Classes or numbers.
    sizes : iterable of int, default=(1, 3, 10, 30, 100)
        Numbers of trees of the forests. One forest is grown, of the largest size; the others are
        its first trees.
    n_resamples : int, default=20
        How many bootstrap samples.
    test_size : float or int, default=0.3
        The share or number of test rows (of groups, if these are given).
    tree : estimator, default=None
        The single tree, or a pipeline that ends with one; ``None`` means one that is grown to the
        end, a classifier unless `y` has fractions.
    forest : estimator or "bagging", default=None
        A forest, or bagged trees, of :mod:`quire.ensemble` or of scikit-learn, for its other
        parameters, or a pipeline that ends with one; ``None`` means a random forest, "bagging"
        bagged trees that look at all columns (bootstrap aggregating). If one of `tree` and `forest`
        is a pipeline, the other is grown behind the same steps.
    vectorizer : transformer, default=None
        Turns texts into a matrix, where there is no pipeline; ``None`` means
        :class:`~quire.feature_extraction.text.CountVectorizer` for texts.
    groups : array-like of shape (n_samples,), default=None
        Groups of rows that are drawn, and held out, together.
    feature_names : array-like of str, default=None
        Names of the columns; ``None`` means those of a data frame, the words of texts, or numbers.
    random_state : int, RandomState instance or None, default=0
        Draws test rows and resamples, and goes on to trees and forests.
    n_jobs : int, default=None
        Threads of the forests; ``None`` means all cores. The result does not depend on it.
    verbose : bool, default=False
        Show a progress bar with the time that is left.

    Returns
    -------
    TreeInstability
        Changes and errors by model and resample, the first questions, a table and a plot.

    Raises
    ------
    TypeError
        If `tree` or `forest` is something else.
    ValueError
        If an argument does not fit.

    See Also
    --------
    bias_variance : The expected loss of any model in parts.
    pruning_curve : How large a tree should be.

    Notes
    -----
    A vectorizer, or the steps of a pipeline, are fitted to each resample alone, so that test texts
    say nothing about words. Vocabularies then differ, which is part of the instability.

    References
    ----------
    L. Breiman, "Heuristics of instability and stabilization in model selection", The Annals of
    Statistics 24, 1996.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from quire.model_selection import tree_instability
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> found = tree_instability(X, y, sizes=[1, 50], n_resamples=10)
    >>> tree, one, fifty = found.changed.mean(axis=1)
    >>> f"{one:.3f} {fifty:.3f}"
    '0.086 0.055'
    >>> set(found.roots) <= {"petal length (cm)", "petal width (cm)"}
    True

    With texts the first questions are about words:

    >>> texts = ["a goal in the cup", "the rain and wind", "the cup and a goal", "the wind, rain"]
    >>> found = tree_instability(texts * 5, ["sport", "weather"] * 10, sizes=[3], n_resamples=4)
    >>> set(found.roots) <= {"cup", "goal", "rain", "wind"}
    True
    """
    validate_parameter_constraints(
        _CONSTRAINTS,
        {
            "n_resamples": n_resamples,
            "test_size": test_size,
            "random_state": random_state,
            "n_jobs": n_jobs,
            "verbose": verbose,
        },
        caller_name="tree_instability",
    )
    numbers = _checked_sizes(sizes)
    before, tree, forest = _apart(tree, forest, vectorizer, X)
    names = _names(X, feature_names, steps=before[0].steps)
    X, y, groups = indexable(X, y, groups)
    tree = tree_for(tree, y, "tree_instability")
    classes = is_classifier(tree)
    y = np.asarray(y)
    codes = class_codes(y)[1] if classes else None
    forest = _forest(forest, classes, int(numbers[-1]), n_jobs)

    source = check_random_state(random_state)
    (train, test), *_ = held_out(test_size, y, codes, groups, seeds_from(source, 1)[0])
    draw = drawer(train, codes, groups, 1.0, replace=True)
    X_test = rows_of(X, test)
    predicted: list[list[NDArray[Any]]] = []
    roots: Counter[Any] = Counter()
    with progress("Resamples", n_resamples, shown=verbose) as advance:
        for seed in seeds_from(source, n_resamples):
            rows = draw(np.random.default_rng(seed))
            X_rows, y_rows = rows_of(X, rows), y[rows]
            given = [steps.divide(X_rows, y_rows, X_test, seed) for steps in before]
            single, many = (clone(model).set_params(random_state=seed) for model in (tree, forest))
            matrix, unseen, words = given[0]
            found = [single.fit(matrix, y_rows).predict(unseen)]
            roots[_root(single, names or words)] += 1
            matrix, unseen, _ = given[-1]
            found += _by_size(many.fit(matrix, y_rows), unseen, numbers, classes)
            predicted.append(found)
            advance(1.0)
    answers = np.array(predicted).swapaxes(0, 1)  # (models, resamples, test rows)
    spread, error = (_changes, _wrong) if classes else (_spread, _missed)
    return TreeInstability(
        sizes=numbers,
        changed=np.array([spread(one) for one in answers]),
        errors=np.array([error(one, y[test]) for one in answers]),
        roots=dict(roots.most_common()),
        task="classes" if classes else "numbers",
        n_test=len(test),
        ensemble="bagging" if _is_bagging(forest) else "forest",
    )


def _root(tree: Any, names: list[Any]) -> Any:
    """Return the column of the first question, by its name if that is known."""
    column = int(tree.tree_.feature[0])
    if column < 0:
        return None
    return names[column] if names else column


def _by_size(forest: Any, X: Any, sizes: NDArray[np.int64], classes: bool) -> list[NDArray[Any]]:
    """Return what the first trees of a forest predict, for each number of them."""
    hard = getattr(forest, "voting", "soft") == "hard"
    total: Any = 0.0
    found, wanted = [], set(sizes.tolist())
    given = _bagged if _is_bagging(forest) else _of_forest
    for number, answers in enumerate(given(forest, X, classes), start=1):
        if hard:
            answers = np.eye(answers.shape[1])[answers.argmax(axis=1)]
        total = total + answers
        if number in wanted:
            found.append(forest.classes_[total.argmax(axis=1)] if classes else total / number)
    return found


def _is_bagging(forest: Any) -> bool:
    return isinstance(forest, SklearnBaggingClassifier | SklearnBaggingRegressor)


def _of_forest(forest: Any, X: Any, classes: bool) -> Iterator[NDArray[Any]]:
    """Yield what the trees say, one after another: shares of the classes, or numbers."""
    X = forest._validate_X_predict(X)
    for tree in forest.estimators_:
        yield (tree.predict_proba if classes else tree.predict)(X, check_input=False)


def _bagged(bagging: Any, X: Any, classes: bool) -> Iterator[NDArray[Any]]:
    """Yield the same of bagged trees, which have columns and classes of their own each."""
    X = X.tocsr() if sparse.issparse(X) else np.asarray(X)
    for tree, columns in zip(bagging.estimators_, bagging.estimators_features_, strict=True):
        if not classes:
            yield tree.predict(X[:, columns])
            continue
        shares = np.zeros((X.shape[0], len(bagging.classes_)))
        shares[:, tree.classes_] = tree.predict_proba(X[:, columns])
        yield shares


def _changes(answers: NDArray[Any]) -> Floats:
    """Return for each resample the share of rows with another class than after other resamples."""
    n = len(answers)
    codes = class_codes(answers.ravel())[1].reshape(answers.shape)
    rows = np.arange(answers.shape[1])
    counts = np.zeros((answers.shape[1], codes.max() + 1), dtype=np.int64)
    for one in codes:
        counts[rows, one] += 1
    same = np.array([counts[rows, one] - 1 for one in codes])  # other resamples that agree
    shares: Floats = (1.0 - same / (n - 1)).mean(axis=1)
    return shares


def _wrong(answers: NDArray[Any], truth: NDArray[Any]) -> Floats:
    shares: Floats = (answers != truth).mean(axis=1)
    return shares


def _spread(answers: NDArray[Any]) -> Floats:
    """Return for each resample the root mean square of the distance from the mean of all."""
    squares: Floats = ((answers - answers.mean(axis=0)) ** 2).mean(axis=1)
    return np.sqrt(squares)


def _missed(answers: NDArray[Any], truth: NDArray[Any]) -> Floats:
    squares: Floats = ((answers - truth.astype(np.float64)) ** 2).mean(axis=1)
    return np.sqrt(squares)


def _forest(forest: Any, classes: bool, n_trees: int, n_jobs: int | None) -> Any:
    if forest is None:
        forest = (RandomForestClassifier if classes else RandomForestRegressor)(n_jobs=n_jobs)
    elif isinstance(forest, str) and forest == "bagging":
        forest = (BaggingClassifier if classes else BaggingRegressor)(n_jobs=n_jobs)
    is_forest = hasattr(forest, "n_estimators") and hasattr(forest, "_validate_X_predict")
    if not is_forest and not (_is_bagging(forest) and _bags_trees(forest)):
        raise TypeError(
            f"forest is {type(forest).__name__}; expected a forest, such as RandomForestClassifier "
            "or ExtraTreesClassifier, bagged trees, or 'bagging'."
        )
    if is_classifier(forest) != classes:
        raise ValueError(
            f"forest is {type(forest).__name__}, and the tree predicts "
            f"{'classes' if classes else 'numbers'}. Pass a forest for the same task."
        )
    return clone(forest).set_params(n_estimators=n_trees)


def _bags_trees(bagging: Any) -> bool:
    """Say whether the bagged model is a tree: only its predictions are those of single trees."""
    return bagging.estimator is None or isinstance(bagging.estimator, BaseDecisionTree)


def _checked_sizes(sizes: Any) -> NDArray[np.int64]:
    given = list(sizes) if isinstance(sizes, Iterable) and not isinstance(sizes, str) else []
    whole = all(isinstance(size, Integral) and int(size) > 0 for size in given)
    if not given or not whole:
        raise ValueError(f"sizes is {sizes!r}; expected numbers of trees, such as [1, 10, 100].")
    return np.unique(np.array(given, dtype=np.int64))


def _apart(tree: Any, forest: Any, vectorizer: Any, X: Any) -> tuple[list[Before], Any, Any]:
    """Return the steps before the tree and before the forest (once if the same), and both."""
    piped = [isinstance(model, Pipeline) for model in (tree, forest)]
    if not any(piped):
        before, tree = before_tree(tree, vectorizer, X, "tree_instability")
        return [before], tree, forest
    steps, models = [], []
    for model, own in zip((tree, forest), piped, strict=True):
        if own:
            before, model = before_tree(model, vectorizer, X, "tree_instability")
            steps.append(before)
        models.append(model)
    return steps, models[0], models[1]


def _names(X: Any, given: Any, steps: Any) -> list[Any]:
    if steps is not None:
        if given is not None:
            raise ValueError(
                "feature_names are for a matrix; the names of texts and of pipelines are those of "
                "their steps. Leave feature_names out."
            )
        return []
    names = getattr(X, "columns", None) if given is None else given
    if names is None:
        return []
    found = [str(name) for name in names]
    n = X.shape[1] if hasattr(X, "shape") else np.shape(X)[1]
    if len(found) != n:
        raise ValueError(
            f"feature_names has {len(found)} names; X has {n} columns. Take the names from the "
            "vectorizer that made X."
        )
    return found
