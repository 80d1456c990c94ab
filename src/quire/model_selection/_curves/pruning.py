"""How large a tree should be: training and held-out error as it is pruned."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils.parallel import Parallel, delayed

from quire._shared.plot import whole_numbers
from quire._shared.progress import Advance, progress
from quire._shared.sklearn import Interval, validate_parameter_constraints
from quire._shared.typing import AnyArray, Floats, Ints
from quire._shared.validation import indexable
from quire.model_selection._curves.fold_curve import FoldCurve
from quire.model_selection._curves.weakest_link import PrunedTrees
from quire.model_selection._fold_statistics import held_out_ratio
from quire.model_selection._folds import folds_of, rows_of
from quire.model_selection._trees import Before, before_tree, tree_for

__all__ = ["PruningCurve", "pruning_curve"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PruningCurve(FoldCurve):
    """Errors of a tree as it is pruned, from :func:`pruning_curve`.

    A :class:`FoldCurve` whose `values` are costs of a leaf (``ccp_alpha``), rising, so that the
    trees get smaller; they are called `alphas` as well. Scores are errors: lower is better.

    Attributes
    ----------
    n_leaves : ndarray of shape (n_values,)
        The leaves of the tree that is grown on all samples and pruned so.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.model_selection import PruningCurve
    >>> curve = PruningCurve(
    ...     values=np.array([0.0, 0.01, 0.2]),
    ...     n_leaves=np.array([30, 6, 1]),
    ...     train_scores=np.array([[0.0, 0.0], [0.1, 0.14], [0.5, 0.5]]),
    ...     test_scores=np.array([[0.2, 0.24], [0.2, 0.26], [0.5, 0.54]]),
    ...     scoring="share of errors",
    ...     test_ratio=1.0,
    ... )
    >>> print(curve)
    share of errors by the cost of a leaf, mean ± standard error over 2 folds
    <BLANKLINE>
    alpha  leaves  training       held out
        0      30     0.000  0.220 ± 0.020  best
     0.01       6     0.120  0.230 ± 0.030  within one standard error
      0.2       1     0.500  0.520 ± 0.020
    >>> curve.one_standard_error()
    (0.01, 6, 0.23)
    """

    n_leaves: Ints
    param: str = "ccp_alpha"
    greater_is_better: bool = False
    simpler: str = "larger"

    _column: ClassVar[str] = "alpha"

    @property
    def alphas(self) -> Floats:
        """What a leaf costs, rising."""
        alphas: Floats = self.values
        return alphas

    def best(self) -> tuple[float, int, float]:
        """Return the cost with the lowest held-out error.

        Returns
        -------
        alpha : float
            The cost; of equally good ones that of the smallest tree.
        n_leaves : int
            The leaves of its tree.
        error : float
            The mean of its held-out errors.
        """
        alpha, n_leaves, error = super().best()
        return alpha, n_leaves, error

    def one_standard_error(self) -> tuple[float, int, float]:
        """Return the smallest tree whose error is within one standard error of the best.

        Returns
        -------
        alpha : float
            The cost, for ``ccp_alpha``; the best one if there is one fold only.
        n_leaves : int
            The leaves of its tree.
        error : float
            The mean of its held-out errors.
        """
        alpha, n_leaves, error = super().one_standard_error()
        return alpha, n_leaves, error

    def _subject(self) -> str:
        return "the cost of a leaf"

    def _heads(self) -> list[str]:
        return ["alpha", "leaves"]

    def _names(self) -> list[list[str]]:
        leaves = (f"{n:,}" for n in self.n_leaves)
        return [[f"{a:.3g}", n] for a, n in zip(self.values, leaves, strict=True)]

    def _points(self) -> pl.DataFrame:
        return super()._points().with_columns(n_leaves=pl.Series(self.n_leaves))

    def _places(self) -> Any:
        return self.n_leaves

    def _set_axis(self, ax: Any) -> None:
        if self.n_leaves.max() >= 20:
            ax.set_xscale("log")
            ax.xaxis.set_major_formatter("{x:,.0f}")
        else:
            whole_numbers(ax.xaxis)
        ax.set_xlabel("Number of leaves")

    def _at(self, place: int) -> tuple[float, int, float]:
        alpha, error = super()._at(place)
        return alpha, int(self.n_leaves[place]), error


_CONSTRAINTS: dict[str, list[Any]] = {
    "cv": ["cv_object"],
    "n_alphas": [Interval(Integral, 1, None, closed="left")],
    "random_state": ["random_state"],
    "n_jobs": [Integral, None],
    "verbose": ["boolean"],
}


def pruning_curve(
    X: Any,
    y: Any,
    *,
    tree: Any = None,
    vectorizer: Any = None,
    cv: Any = 5,
    groups: Any = None,
    n_alphas: int = 40,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: bool = False,
) -> PruningCurve:
    """Measure the error of a tree on training and held-out samples as it is pruned.

    Parameters
    ----------
    X : array-like, sparse matrix, or sequence of texts, of shape (n_samples, ...)
        The samples: numbers, texts, or what the pipeline takes.
    y : array-like of shape (n_samples,)
        Classes or numbers.
    tree : estimator, default=None
        A tree, ours or scikit-learn's, for its other parameters, or a pipeline that ends with one;
        its ``ccp_alpha`` is not used. ``None`` means one that is grown to the end, a classifier
        unless `y` has fractions.
    vectorizer : transformer, default=None
        Turns texts into a matrix, where `tree` is no pipeline; ``None`` means
        :class:`~quire.feature_extraction.text.CountVectorizer` for texts.
    cv : int, splitter or iterable of (train, test), default=5
        Folds. A number means that many, stratified for classifiers.
    groups : array-like of shape (n_samples,), default=None
        Groups for the splitter.
    n_alphas : int, default=40
        The most costs to look at. If the tree has more steps, those are taken whose numbers of
        leaves are spread evenly on a logarithmic scale; the whole tree and the root are among them.
    random_state : int, RandomState instance or None, default=None
        How to shuffle the samples before they are divided into folds, where `cv` is a number;
        ``None`` leaves them in order.
    n_jobs : int, default=None
        Number of folds to work on at a time, each in a thread; ``None`` means one.
    verbose : bool, default=False
        Show a progress bar with the time that is left.

    Returns
    -------
    PruningCurve
        Errors by cost and fold, with the best cost, that of one standard error, a table and a plot.

    Raises
    ------
    TypeError
        If `tree` is not a tree, nor a pipeline that ends with one.
    ValueError
        If an argument does not fit.

    See Also
    --------
    risk_curve : The risk by any other parameter.
    tree_instability : How much trees change with the data.

    Notes
    -----
    A tree is grown once on all samples and once in each fold; every pruned form follows from these.
    Costs are those of the tree on all samples: between two steps of it, the geometric mean of their
    costs, as Breiman and others advise, so that a fold's tree is judged in the middle of the range
    in which the whole one does not change. Training errors never fall with the cost.

    A vectorizer, or the steps of a pipeline, are fitted in each fold to its training samples alone.
    The costs and numbers of leaves come from all samples; no error does.

    References
    ----------
    L. Breiman, J. Friedman, R. Olshen and C. Stone, "Classification and Regression Trees", 1984,
    chapter 3.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.model_selection import pruning_curve
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(300, 5))
    >>> y = (X[:, 0] > 0.5) ^ (rng.random(300) < 0.1)  # one question, and noise
    >>> curve = pruning_curve(X, y, n_alphas=5)
    >>> alpha, n_leaves, error = curve.one_standard_error()
    >>> n_leaves
    2

    Texts are counted in each fold, by the words of its training documents:

    >>> from quire.datasets import make_text_classification
    >>> data = make_text_classification(120, n_classes=2, separation=5.0, random_state=0)
    >>> curve = pruning_curve(data.texts, data.y, cv=3, n_alphas=5)
    >>> f"{curve.best()[2]:.3f}"
    '0.375'
    """
    validate_parameter_constraints(
        _CONSTRAINTS,
        {
            "cv": cv,
            "n_alphas": n_alphas,
            "random_state": random_state,
            "n_jobs": n_jobs,
            "verbose": verbose,
        },
        caller_name="pruning_curve",
    )
    before, tree = before_tree(tree, vectorizer, X, "pruning_curve")
    model = tree_for(tree, y, "pruning_curve").set_params(ccp_alpha=0.0)
    X, y, groups = indexable(X, y, groups)
    y = np.asarray(y)
    splits = folds_of(cv, y, groups, random_state, classifier=is_classifier(model))
    whole = PrunedTrees.of(clone(model).fit(before.whole(X, y), y).tree_)
    chosen = _spread(whole.n_leaves, n_alphas)
    alphas = _between(whole.alphas)[chosen]

    with progress("Folds", len(splits), shown=verbose) as advance:
        folds = Parallel(n_jobs=n_jobs, require="sharedmem")(
            delayed(_fold)(before, model, X, y, split, alphas, advance) for split in splits
        )
    errors = np.array(folds)  # (folds, 2, alphas)
    return PruningCurve(
        values=alphas,
        n_leaves=whole.n_leaves[chosen],
        train_scores=errors[:, 0].T,
        test_scores=errors[:, 1].T,
        scoring="share of errors" if is_classifier(model) else "squared error",
        test_ratio=held_out_ratio(splits),
    )


def _fold(
    before: Before,
    model: Any,
    X: Any,
    y: NDArray[Any],
    split: tuple[AnyArray, AnyArray],
    alphas: Floats,
    advance: Advance,
) -> list[Floats]:
    """Return training and held-out error for every cost."""
    train, test = split
    X_train, X_test = (rows_of(X, rows) for rows in split)
    X_train, X_test, _ = before.divide(X_train, y[train], X_test)
    fitted = clone(model).fit(X_train, y[train])
    pruned = PrunedTrees.of(fitted.tree_)
    value = fitted.tree_.value
    if is_classifier(model):
        answer = fitted.classes_[value[:, 0].argmax(axis=1)]
    else:
        answer = value[:, 0, 0]
    errors = []
    for rows, here in ((train, X_train), (test, X_test)):
        truth = y[rows]
        errors.append(
            np.array(
                [
                    _error(answer[nodes], truth, is_classifier(model))
                    for nodes in pruned.answers(fitted.apply(here), alphas)
                ]
            )
        )
    advance(1.0)
    return errors


def _error(predicted: NDArray[Any], truth: NDArray[Any], classes: bool) -> float:
    if classes:
        return float(np.mean(predicted != truth))
    return float(np.mean((predicted - truth.astype(np.float64)) ** 2))


def _between(alphas: Floats) -> Floats:
    """Return the geometric means of neighbouring costs; behind the last step, twice its cost."""
    means: Floats = np.sqrt(alphas * np.append(alphas[1:], 4.0 * alphas[-1]))
    return means


def _spread(n_leaves: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Choose at most n of the sizes, evenly on a logarithmic scale, both ends among them."""
    if len(n_leaves) <= n:
        return np.arange(len(n_leaves))
    sizes = np.log(n_leaves)
    wanted = np.linspace(sizes[0], sizes[-1], n) if n > 1 else sizes[-1:]
    nearest = np.abs(sizes[:, None] - wanted[None, :]).argmin(axis=0)
    return np.unique(nearest)
