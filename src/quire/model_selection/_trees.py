"""What comes before a tree: a vectorizer or the steps of a pipeline, fitted to training documents.

Experiments on trees look into the trees, so that a pipeline is taken apart: its last step is the
tree, and the steps before it make a matrix of each fold or resample, learned from its training part
alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sklearn.tree
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils.multiclass import type_of_target

from quire._shared.pipelines import column_names
from quire._shared.texts import check_none_missing, is_texts
from quire.feature_extraction.text import CountVectorizer
from quire.model_selection._estimators import seeded
from quire.tree import DecisionTreeClassifier, DecisionTreeRegressor

__all__ = ["Before", "before_tree", "tree_for"]


@dataclass(frozen=True)
class Before:
    """Steps before a tree, not fitted.

    Attributes
    ----------
    steps : transformer or None
        ``None`` for rows that are numbers already.
    """

    steps: Any = None

    def divide(self, train: Any, y: Any, test: Any, seed: int = 0) -> tuple[Any, Any, list[Any]]:
        """Return the matrices of both parts and the names of their columns.

        Parameters
        ----------
        train : array-like
            Documents to learn from.
        y : array-like
            Their targets.
        test : array-like
            Other documents, which the steps only transform.
        seed : int, default=0
            For steps whose ``random_state`` is ``None``.

        Returns
        -------
        train, test : matrix
            Numbers.
        names : list
            One for each column, or none where they are not known.
        """
        if self.steps is None:
            return train, test, []
        fitted = seeded(self.steps, seed)
        X = fitted.fit_transform(train, y)
        return X, fitted.transform(test), column_names(fitted) or []

    def whole(self, X: Any, y: Any, seed: int = 0) -> Any:
        """Return the matrix of all documents, for figures that say nothing of new ones."""
        return X if self.steps is None else seeded(self.steps, seed).fit_transform(X, y)


def before_tree(model: Any, vectorizer: Any, X: Any, caller: str) -> tuple[Before, Any]:
    """Return the steps before a model, and the model.

    Parameters
    ----------
    model : estimator or None
        A model, or a pipeline that ends with one.
    vectorizer : transformer or None
        For texts without a pipeline; ``None`` means a :class:`CountVectorizer` for them.
    X : array-like
        Documents or rows.
    caller : str
        The function that asks, for messages.

    Returns
    -------
    before : Before
        Clones of the steps.
    model : estimator or None
        The last step.
    """
    steps = []
    while isinstance(model, Pipeline):
        if len(model.steps) > 1:
            steps.append(clone(model[:-1]))
        model = model.steps[-1][1]
    texts = is_texts(X, check_one=True)
    if vectorizer is not None:
        if steps:
            raise ValueError(
                f"{caller} got a vectorizer and a pipeline. Put the vectorizer into the pipeline, "
                "or pass the last step of the pipeline alone."
            )
        if not hasattr(vectorizer, "fit_transform"):
            raise TypeError(
                f"vectorizer has no fit_transform: {vectorizer!r}. Give an object such as "
                "CountVectorizer(min_df=2)."
            )
        if not texts:
            raise ValueError(
                "X is a matrix, and there is a vectorizer too. Give the texts themselves, or leave "
                "the vectorizer out."
            )
        steps = [clone(vectorizer)]
    elif texts and not steps:
        steps = [CountVectorizer()]
        check_none_missing(X)
    if len(steps) > 1:
        steps = [Pipeline([(f"part{place}", step) for place, step in enumerate(steps)])]
    return Before(steps[0] if steps else None), model


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
