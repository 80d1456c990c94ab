"""How large a tree should be: training and held-out error as it is pruned."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
import sklearn.tree
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils import indexable
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.parallel import Parallel, delayed

from quire._shared.progress import Advance, progress
from quire._shared.sklearn import Interval, safe_indexing, validate_parameter_constraints
from quire._shared.typing import AnyArray, Floats
from quire.model_selection._before_trees import Before, before_tree
from quire.model_selection._pruning import PruningCurve
from quire.model_selection._resampling import folds_of
from quire.model_selection._weakest_link import PrunedTrees
from quire.tree import DecisionTreeClassifier, DecisionTreeRegressor

__all__ = ["pruning_curve", "tree_for"]


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
    >>> bool(curve.best()[2] < 0.5)
    True
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
        alphas=alphas,
        n_leaves=whole.n_leaves[chosen],
        train_errors=errors[:, 0].T,
        test_errors=errors[:, 1].T,
        loss="share of errors" if is_classifier(model) else "squared error",
    )


def tree_for(tree: Any, y: Any, caller: str) -> Any:
    """Return a fresh tree for the task of `y`, or a clone of the one that was given.

    Parameters
    ----------
    tree : estimator or None
        A tree.
    y : array-like
        Classes or numbers.
    caller : str
        The function that asks, for the message.
    """
    if tree is None:
        kind = type_of_target(y, input_name="y")
        if kind not in ("binary", "multiclass", "continuous"):
            raise ValueError(
                f"y is {kind} for {caller}; expected one class, or one number, for each sample."
            )
        if kind == "continuous":
            return DecisionTreeRegressor(random_state=0)
        return DecisionTreeClassifier(random_state=0)
    if not isinstance(
        tree, sklearn.tree.DecisionTreeClassifier | sklearn.tree.DecisionTreeRegressor
    ):
        raise TypeError(
            f"{caller} takes a tree, got {type(tree).__name__}. Pass a DecisionTreeClassifier or "
            "DecisionTreeRegressor, a pipeline that ends with one, or None."
        )
    return clone(tree)


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
    X_train, X_test = (safe_indexing(X, rows) for rows in split)
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
