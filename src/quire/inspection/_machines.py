r"""Decisions of support vector machines in parts.

A machine for two classes decides by

.. math:: f(x) = b + \sum_i \alpha_i y_i k(x_i, x),

a sum over support vectors: training documents that speak for or against, as far as they are like
the document at hand. With the linear kernel it is a sum over terms as well,
:math:`b + \sum_j w_j x_j`, which says more. Several classes have such a machine for every pair, and
the class with most votes is predicted; what is explained is the machine between two of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.metrics.pairwise import pairwise_kernels

from quire._shared.evidence import DocumentParts, Evidence
from quire._shared.evidence_terms import LinearTerms
from quire._shared.sklearn import ovr_decision_function
from quire._shared.term_weights import plain
from quire._shared.typing import Floats
from quire.inspection._choices import two_classes

__all__ = ["PairEvidence", "SupportEvidence"]


class _Pairs:
    """Which two classes are compared, and the number of their machine."""

    def __init__(self, model: Any, X: Any) -> None:
        self.classes = model.classes_
        n_classes = len(self.classes)
        decisions = np.asarray(model._decision_function(X), dtype=np.float64)
        if n_classes == 2:  # scikit-learn turns the sign of two classes
            self._scores = np.column_stack([-decisions, decisions])
        else:
            self._scores = ovr_decision_function(decisions < 0, -decisions, n_classes)
        predicted = np.searchsorted(self.classes, model.predict(X))
        self._scores[np.arange(len(predicted)), predicted] = np.inf

    def chosen(self, row: int, target: Any, against: Any) -> tuple[int, int]:
        """Return two classes: the predicted one and the next if none are given."""
        first, second = two_classes(self.classes, self._scores[row], target, against)
        if first == second:
            raise ValueError(
                f"target and against are both {plain(self.classes[first])!r}; a decision is "
                "between two classes."
            )
        return first, second

    def machine(self, first: int, second: int) -> int:
        """Return the number of the machine between two classes."""
        low, high = sorted((first, second))
        return low * len(self.classes) - low * (low + 1) // 2 + high - low - 1


class PairEvidence:
    """The terms of decisions between pairs of classes, for a machine with the linear kernel.

    Parameters
    ----------
    model : SVC or NuSVC
        Fitted, with ``kernel="linear"``; quire's or scikit-learn's.
    X : array-like or sparse matrix of shape (n_documents, n_features)
        The documents.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.inspection import PairEvidence
    >>> from quire.svm import SVC
    >>> model = SVC(kernel="linear", C=10).fit(np.diag([2.0, 2.0, 2.0]), ["a", "b", "c"])
    >>> parts = PairEvidence(model, np.array([[1.0, 0.5, 0.0]])).parts(0)
    >>> parts.target, parts.against, parts.contributions.round(2).tolist()
    ('a', 'b', [0.5, -0.25])
    """

    def __init__(self, model: Any, X: Any) -> None:
        self._X = model._validate_for_predict(X)
        self._pairs = _Pairs(model, X)
        self.classes = self._pairs.classes
        sign = -1.0 if len(self.classes) == 2 else 1.0  # above zero for the first class
        self._coef, self._intercept = sign * model.coef_, sign * model.intercept_

    def __len__(self) -> int:
        return int(self._X.shape[0])

    def parts(self, row: int, target: Any = None, against: Any = None) -> DocumentParts:
        """Return what the terms of one document say between two classes.

        Parameters
        ----------
        row : int
            Number of the document.
        target, against : object, default=None
            Two classes; the predicted one and that with most votes among the others if ``None``.

        Returns
        -------
        DocumentParts
            They add up to the decision of the machine between the two. It may be below zero for a
            class that won by the votes of other machines.
        """
        row = range(len(self))[row]
        first, second = self._pairs.chosen(row, target, against)
        machine, sign = self._pairs.machine(first, second), 1.0 if first < second else -1.0
        weights = self._coef[[machine]]
        weights = weights.toarray() if sparse.issparse(weights) else np.asarray(weights)
        terms = LinearTerms(self._X[[row]], np.vstack([np.zeros_like(weights), sign * weights]))
        offsets = np.array([0.0, sign * self._intercept[machine]])
        found = Evidence(np.array([0, 1]), np.zeros((1, 2)), offsets, terms).parts(0, 1, 0)
        named = {"target": plain(self.classes[first]), "against": plain(self.classes[second])}
        return replace(found, **named)

    def class_weights(self) -> Floats:
        r"""Return what the terms add to a score for each class, made of the decisions of its pairs.

        With :math:`w_{kl}` the weights of the machine that decides for class k against class l, the
        weights of class k are :math:`\frac{1}{K} \sum_{l \neq k} w_{kl}`, which sum to zero over
        the classes. Those of k less the mean of the others' are then the mean of its
        :math:`w_{kl}`. A model with weights of its own for each class has :math:`w_k - w_l` in
        their place, and the same means.

        Returns
        -------
        ndarray of shape (n_classes, n_features)
            Weights.
        """
        n = len(self.classes)
        signs = np.zeros((n, self._coef.shape[0]))
        for first in range(n):
            for second in range(first + 1, n):
                machine = self._pairs.machine(first, second)
                signs[first, machine], signs[second, machine] = 1.0 / n, -1.0 / n
        if sparse.issparse(self._coef):
            return np.asarray((sparse.csr_array(signs) @ self._coef).toarray(), dtype=np.float64)
        return np.asarray(signs @ self._coef, dtype=np.float64)

    def is_count(self, column: int) -> bool:
        """Return ``True``: what the values are, the vectorizer knows."""
        return True


class SupportEvidence:
    """The support vectors behind decisions, for a machine with any kernel.

    Parameters
    ----------
    model : SVC, NuSVC, SVR or NuSVR
        Fitted; quire's or scikit-learn's.
    X : array-like or sparse matrix of shape (n_documents, n_features)
        The documents.

    Examples
    --------
    >>> from quire.inspection import SupportEvidence
    >>> from quire.svm import SVC
    >>> model = SVC(kernel="rbf", gamma=1.0).fit([[0.0], [1.0], [3.0]], ["a", "a", "b"])
    >>> evidence = SupportEvidence(model, [[0.5]])
    >>> parts = evidence.parts(0)
    >>> parts.target, parts.against, parts.columns.tolist()
    ('a', 'b', [0, 1, 2])
    >>> evidence.part_names(parts).tolist()
    ['document 0 (a), kernel', 'document 1 (a), kernel', 'document 2 (b), kernel']
    """

    part_noun = "document"

    def __init__(self, model: Any, X: Any) -> None:
        self._model = model
        self._is_given = callable(model.kernel) or model.kernel == "precomputed"
        self._X = model._validate_for_predict(X)
        if self._is_given:
            self._X = model._compute_kernel(self._X)
        self._pairs = _Pairs(model, X) if is_classifier(model) else None
        self.classes = None if self._pairs is None else self._pairs.classes
        coef = model._dual_coef_
        self._coef = coef.toarray() if sparse.issparse(coef) else np.asarray(coef)
        sizes = [len(model.support_)] if self._pairs is None else model._n_support
        self._class_of = np.repeat(np.arange(len(sizes)), sizes)  # of each support vector

    def __len__(self) -> int:
        return int(self._X.shape[0])

    def parts(self, row: int, target: Any = None, against: Any = None) -> DocumentParts:
        """Return what the support vectors say about one document.

        Parameters
        ----------
        row : int
            Number of the document.
        target, against : object, default=None
            Two classes; the predicted one and that with most votes among the others if ``None``.
            They do not apply to numbers.

        Returns
        -------
        DocumentParts
            Columns are rows of the training data, rising; values are those of the kernel.
        """
        row = range(len(self))[row]
        if self._pairs is None:
            if target is not None or against is not None:
                raise ValueError(
                    f"target={target!r} and against={against!r} do not apply: this model predicts "
                    "a number. Leave both out."
                )
            coef, offset = self._coef[0], float(self._model._intercept_[0])
            named: tuple[Any, Any] = (None, None)
        else:
            first, second = self._pairs.chosen(row, target, against)
            sign = 1.0 if first < second else -1.0
            coef = sign * self._between(min(first, second), max(first, second))
            machine = self._pairs.machine(first, second)
            offset = sign * float(self._model._intercept_[machine])
            named = plain(self._pairs.classes[first]), plain(self._pairs.classes[second])
        support = np.asarray(self._model.support_)
        used = np.flatnonzero(coef)
        used = used[np.argsort(support[used], kind="stable")]
        values = self._kernel(row)[used]
        contributions = coef[used] * values
        return DocumentParts(
            *named,
            offset + float(contributions.sum()),
            offset,
            support[used].astype(np.intp),
            values,
            contributions,
        )

    def part_names(self, parts: DocumentParts) -> NDArray[Any]:
        """Return what the parts are called: the documents, with their classes.

        Parameters
        ----------
        parts : DocumentParts
            From :meth:`parts`.
        """
        if self.classes is None:
            names = [f"document {i}, kernel" for i in parts.columns.tolist()]
            return np.array(names, dtype=object)
        code_of = dict(zip(self._model.support_.tolist(), self._class_of.tolist(), strict=True))
        said = ((i, plain(self.classes[code_of[i]])) for i in parts.columns.tolist())
        return np.array([f"document {i} ({label}), kernel" for i, label in said], dtype=object)

    def names_of(self, row: int, parts: DocumentParts, names: NDArray[Any]) -> NDArray[Any]:
        """Return the same as :meth:`part_names`: columns have no say in it.

        Parameters
        ----------
        row : int
            Number of the document.
        parts : DocumentParts
            From :meth:`parts`.
        names : ndarray of shape (n_parts,)
            Not used.
        """
        return self.part_names(parts)

    def is_count(self, column: int) -> bool:
        """Return ``False``: values of a kernel are no counts."""
        return False

    def _between(self, low: int, high: int) -> Floats:
        """Return the coefficients of all support vectors in the machine of two classes."""
        found = np.zeros(len(self._class_of))
        for mine, other in ((low, high - 1), (high, low)):
            own = self._class_of == mine
            found[own] = self._coef[other, own]
        return found

    def _kernel(self, row: int) -> Floats:
        """Return the kernel of one document with the support vectors."""
        model = self._model
        if self._is_given:
            return np.asarray(self._X[row, model.support_], dtype=np.float64)
        options = {"gamma": model._gamma, "coef0": model.coef0, "degree": model.degree}
        vectors, document = model.support_vectors_, self._X[[row]]
        K = pairwise_kernels(document, vectors, metric=model.kernel, filter_params=True, **options)
        return np.asarray(K[0], dtype=np.float64)
