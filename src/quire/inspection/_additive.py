r"""Decisions in parts that are not between two classes of equal standing.

A regression predicts a number that is itself a sum, :math:`\hat y = b + \sum_i w_i x_i`. A model of
ordered classes has one sum, :math:`w'x`, and thresholds that cut its scale; at a threshold
:math:`\theta` the score :math:`w'x - \theta` is (with the logistic link) the log-odds of the
classes above it. Both give the same parts as :class:`~quire.inspection.Evidence`, and this is all
that :func:`~quire.inspection.explain` asks of a model: the protocol :class:`AdditiveDecisions`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from quire._shared.evidence import DocumentParts, Evidence, class_number
from quire._shared.evidence_terms import LinearTerms
from quire._shared.term_weights import plain
from quire._shared.typing import Floats

__all__ = [
    "AdditiveDecisions",
    "NamesItsParts",
    "NumberEvidence",
    "OrderedEvidence",
    "SaysWhatItIs",
    "WeighsClasses",
]


@runtime_checkable
class AdditiveDecisions(Protocol):
    """What an explanation is made from: decisions about some documents, each a sum of parts.

    :class:`~quire.inspection.Evidence` is one. A model that is explained in another way returns an
    object of its own with these methods, from ``evidence`` or from the function that
    :func:`~quire.inspection.register_evidence` was given.
    """

    def __len__(self) -> int:
        """Return the number of documents."""

    def parts(self, row: int, target: Any = None, against: Any = None) -> DocumentParts:
        """Return the parts of the decision about one document."""

    def is_count(self, column: int) -> bool:
        """Return whether the values of a feature say how often it is there."""


@runtime_checkable
class NamesItsParts(Protocol):
    """Decisions whose parts are not called as the columns of the matrix are."""

    def names_of(self, row: int, parts: DocumentParts, names: NDArray[Any]) -> NDArray[Any]:
        """Return what the parts are called, given the names or numbers of their columns."""


@runtime_checkable
class SaysWhatItIs(Protocol):
    """Decisions with words of their own for what the parts add up to."""

    def headline(self, parts: DocumentParts) -> str | None:
        """Return what the parts add up to; ``None`` for the usual words."""


@runtime_checkable
class WeighsClasses(Protocol):
    """Decisions that are not sums of weights of each class, but can be read as such."""

    classes: Any

    def class_weights(self) -> Floats:
        """Return what one unit of each column says for each class, less the others."""


class NumberEvidence:
    """The parts of numbers that a linear regression predicts.

    Parameters
    ----------
    X : CSR matrix or ndarray of shape (n_documents, n_features)
        The documents.
    coef : ndarray of shape (n_outputs, n_features)
        Weights.
    intercept : ndarray of shape (n_outputs,)
        What is predicted where all features are zero.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.inspection import NumberEvidence
    >>> evidence = NumberEvidence(np.array([[2.0, 1.0]]), np.array([[3.0, -1.0]]), np.array([0.5]))
    >>> parts = evidence.parts(0)
    >>> parts.score, parts.offset, parts.contributions
    (5.5, 0.5, array([ 6., -1.]))
    """

    def __init__(self, X: Any, coef: Floats, intercept: Floats) -> None:
        self.coef = coef
        self.intercept = intercept
        outputs = np.arange(len(coef) + 1)  # the last one is zero: a number against nothing
        weights = np.vstack([coef, np.zeros((1, coef.shape[1]))])
        zeros = np.zeros((X.shape[0], len(outputs)))
        self._evidence = Evidence(
            outputs, zeros, np.append(intercept, 0.0), LinearTerms(X, weights)
        )

    def __len__(self) -> int:
        return len(self._evidence)

    def parts(self, row: int, target: Any = None, against: Any = None) -> DocumentParts:
        """Return the parts of one predicted number.

        Parameters
        ----------
        row : int
            Number of the document.
        target : int, default=None
            Which output, where the model predicts several; the first if ``None``.
        against : None
            A number is not compared with anything.

        Returns
        -------
        DocumentParts
            They add up to the prediction.
        """
        if against is not None:
            raise ValueError(
                f"against={against!r} does not apply: this model predicts a number, and its parts "
                "add up to the number itself. Leave `against` out."
            )
        output = 0 if target is None else target
        n = len(self.coef)
        if not isinstance(output, int | np.integer) or not 0 <= output < n:
            raise ValueError(
                f"target={target!r} is not an output of this model, which predicts {n} number(s): "
                f"expected None or an integer from 0 to {n - 1}."
            )
        found = self._evidence.parts(row, output, n)
        return replace(found, target=int(output) if n > 1 else None, against=None)

    def is_count(self, column: int) -> bool:
        """Return ``True``: what the values are, the vectorizer knows."""
        return True


class OrderedEvidence:
    """The parts of decisions between ordered classes, at the threshold beside the target.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        The classes, lowest first.
    X : CSR matrix or ndarray of shape (n_documents, n_features)
        The documents.
    coef : ndarray of shape (n_features,)
        Weights of the latent scale.
    thresholds : ndarray of shape (n_classes - 1,)
        Where it is cut.
    log_proba : ndarray of shape (n_documents, n_classes)
        Log probabilities, which choose the classes that are not given.
    """

    def __init__(
        self, classes: NDArray[Any], X: Any, coef: Floats, thresholds: Floats, log_proba: Floats
    ) -> None:
        self.classes = classes
        self.coef = coef
        self.thresholds = thresholds
        self._log_proba = log_proba
        self._latent = NumberEvidence(X, coef[None, :], np.zeros(1))

    def __len__(self) -> int:
        return len(self._latent)

    def parts(self, row: int, target: Any = None, against: Any = None) -> DocumentParts:
        """Return the parts of the score on one side of a threshold.

        Parameters
        ----------
        row : int
            Number of the document.
        target : object, default=None
            A class; the most probable one if ``None``.
        against : object, default=None
            The class just below or just above it; the more probable of them if ``None``. Against a
            lower class the score is for "target or higher", against a higher one for "target or
            lower".

        Returns
        -------
        DocumentParts
            They add up to the distance of the latent scale from the threshold between the two.
        """
        row = range(len(self))[row]
        a, b = self._pair(row, target, against)
        sign = 1.0 if a > b else -1.0
        found = self._latent.parts(row)
        offset = -sign * float(self.thresholds[min(a, b)])
        contributions = sign * found.contributions
        return DocumentParts(
            plain(self.classes[a]),
            plain(self.classes[b]),
            offset + float(contributions.sum()),
            offset,
            found.columns,
            found.values,
            contributions,
        )

    def is_count(self, column: int) -> bool:
        """Return ``True``: what the values are, the vectorizer knows."""
        return True

    def headline(self, parts: DocumentParts) -> str | None:
        """Return what the parts add up to: one side of a threshold, if there are several.

        Parameters
        ----------
        parts : DocumentParts
            From :meth:`parts`.
        """
        if len(self.classes) == 2:
            return None
        labels = self.classes.tolist()
        rises = labels.index(parts.target) > labels.index(parts.against)
        words = ("higher", "lower") if rises else ("lower", "higher")
        return f"{parts.target} or {words[0]} rather than {parts.against} or {words[1]}"

    def _pair(self, row: int, target: Any, against: Any) -> tuple[int, int]:
        likely = self._log_proba[row]
        other = None if against is None else class_number(self.classes, against)
        if target is not None:
            a = class_number(self.classes, target)
        elif other is None:
            a = int(likely.argmax())
        else:
            a = max(self._beside(other), key=lambda k: float(likely[k]))
        b = max(self._beside(a), key=lambda k: float(likely[k])) if other is None else other
        if b not in self._beside(a):
            raise ValueError(
                f"{self.classes[b]!r} is not beside {self.classes[a]!r}: ordered classes are "
                f"compared at a threshold, so that `against` is one of "
                f"{[plain(self.classes[k]) for k in self._beside(a)]}."
            )
        return a, b

    def _beside(self, k: int) -> list[int]:
        return [j for j in (k - 1, k + 1) if 0 <= j < len(self.classes)]
