r"""Decisions about several labels: each label by itself, against not having it.

The score of a label is a sum, and what it has to be above a part of the offset:

.. math:: f_l(x) - t_l = (o_l - t_l) + \sum_i e_{il}
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.evidence import DocumentParts, Evidence, class_number
from quire._shared.evidence_terms import LinearTerms
from quire._shared.term_weights import TermWeight, plain
from quire._shared.typing import Floats
from quire.inspection._additive import AdditiveDecisions

__all__ = ["LabelEvidence", "powerset_evidence", "relevance_evidence"]

_OFF = 1e-6  # of the size of a decision


class LabelEvidence:
    """The parts of decisions about labels, each by itself.

    Parameters
    ----------
    classes : ndarray of shape (n_labels,)
        The labels.
    decisions : ndarray of shape (n_documents, n_labels)
        Above 0 where a label is predicted.
    parts_of : callable
        From a document and the number of a label to the parts of its score, and what these words
        add up to.
    weights_of : callable
        From the number of a label to what one unit of each column adds to its score; ``None`` if
        that depends on the document.
    refuse : callable
        Returns the error about a model whose parts do not add up.
    """

    def __init__(
        self,
        classes: NDArray[Any],
        decisions: Floats,
        parts_of: Callable[[int, int], tuple[DocumentParts, str]],
        weights_of: Callable[[int], Floats | None],
        refuse: Callable[[], TypeError],
        is_count: Callable[[int], bool],
    ) -> None:
        self.classes = classes
        self.decisions = decisions
        self._parts_of, self._weights_of = parts_of, weights_of
        self._refuse, self._is_count = refuse, is_count

    def __len__(self) -> int:
        return len(self.decisions)

    def labels_of(self, row: int) -> list[Any]:
        """Return the labels that are predicted for a document; without any, the nearest to it.

        Parameters
        ----------
        row : int
            Number of the document.
        """
        decided = self.decisions[row]
        found = np.flatnonzero(decided > 0)
        if not len(found):
            found = np.array([int(decided.argmax())])
        order = found[np.argsort(-decided[found], kind="stable")]
        return [plain(self.classes[k]) for k in order]

    def parts(self, row: int, target: Any = None, against: Any = None) -> DocumentParts:
        """Return the parts of the decision about one label of a document.

        Parameters
        ----------
        row : int
            Number of the document.
        target : object, default=None
            The label; that with the largest decision if ``None``.
        against : None
            A label is compared with not having it.

        Returns
        -------
        DocumentParts
            They add up to how far the score is above the threshold.
        """
        if against is not None:
            raise ValueError(
                f"against={against!r} does not apply: a document may have several labels, and each "
                "is explained against not having it. Leave `against` out."
            )
        row = range(len(self))[row]
        k = self._number(row, target)
        found = self._parts_of(row, k)[0]
        decided = float(self.decisions[row, k])
        if abs(found.score - decided) > _OFF * max(1.0, abs(decided), abs(found.offset)):
            raise self._refuse()
        return replace(found, target=plain(self.classes[k]), against=None)

    def _number(self, row: int, target: Any) -> int:
        if target is None:
            return int(self.decisions[row].argmax())
        return class_number(self.classes, target)

    def is_count(self, column: int) -> bool:
        """Return whether the values of a feature say how often it is there."""
        return self._is_count(column)

    def said(self, row: int, target: Any) -> str:
        """Return in words what the parts add up to.

        Parameters
        ----------
        row : int
            Number of the document.
        target : object
            The label.
        """
        return self._parts_of(row, self._number(row, target))[1]

    def weights_of(self, k: int) -> Floats | None:
        """Return what one unit of each column adds to the score of a label; empty if nothing does.

        Parameters
        ----------
        k : int
            The number of the label.
        """
        return self._weights_of(k)

    def top_terms(self, n_terms: int, names: NDArray[Any] | None) -> dict[Any, list[TermWeight]]:
        """Return the terms that speak most for each label.

        Parameters
        ----------
        n_terms : int
            How many.
        names : ndarray of shape (n_features,) or None
            The terms of the columns.
        """
        found: dict[Any, list[TermWeight]] = {}
        for k, label in enumerate(self.classes.tolist()):
            weights = self._weights_of(k)
            if weights is None:
                raise self._refuse()
            n = min(n_terms, len(weights))
            least = np.partition(weights, -n)[-n] if n else np.inf
            chosen = np.flatnonzero(weights >= least)
            order = chosen[np.argsort(-weights[chosen], kind="stable")][:n]
            found[label] = [
                TermWeight(int(i) if names is None else plain(names[i]), float(weights[i]))
                for i in order
            ]
        return found


def relevance_evidence(
    model: Any,
    X: Any,
    classes: NDArray[Any],
    models: list[Any],
    decisions: Floats,
    thresholds: Floats,
    evidence_of: Callable[[Any, Any], AdditiveDecisions],
    refuse: Callable[[], TypeError],
) -> LabelEvidence:
    """Return the evidence of a model for each label.

    Parameters
    ----------
    model : classifier
        Of several labels.
    X : matrix of shape (n_documents, n_features)
        The documents.
    classes : ndarray of shape (n_labels,)
        The labels.
    models : list of classifiers
        One of two classes for each label; ``None`` for one that is always or never predicted.
    decisions, thresholds : ndarray
        Of documents and labels; what a score is above.
    evidence_of, refuse : callable
        From a model to its evidence, and the error about one that has none.
    """
    known: dict[int, AdditiveDecisions] = {}

    def of(k: int) -> AdditiveDecisions:
        if k not in known:
            known[k] = evidence_of(models[k], X)
        return known[k]

    def parts_of(row: int, k: int) -> tuple[DocumentParts, str]:
        label, threshold = plain(classes[k]), float(thresholds[k])
        if models[k] is None:
            decided = float(decisions[row, k])
            nothing = np.array([])
            never = "always" if decided > 0 else "never"
            parts = DocumentParts(
                label, None, decided, decided, nothing.astype(np.intp), nothing, nothing
            )
            return parts, f"{label}, which training documents have {never}"
        evidence = of(k)
        found = evidence.parts(row, 1, 0 if isinstance(evidence, Evidence) else None)
        parts = replace(found, score=found.score - threshold, offset=found.offset - threshold)
        above = "" if threshold == 0 else f", above its threshold of {threshold:.4g}"
        return parts, f"{label} rather than not{above}"

    def weights_of(k: int) -> Floats | None:
        if models[k] is None:
            return np.zeros(0)
        return _weights(of(k), 1, 0)

    def is_count(column: int) -> bool:
        return all(one.is_count(column) for one in known.values())

    return LabelEvidence(classes, decisions, parts_of, weights_of, refuse, is_count)


def powerset_evidence(
    model: Any,
    X: Any,
    evidence_of: Callable[[Any, Any], AdditiveDecisions],
    refuse: Callable[[], TypeError],
) -> LabelEvidence:
    """Return the evidence of a model of sets: the best set with a label against the best without.

    Parameters
    ----------
    model : LabelPowerset
        Fitted to several labels.
    X : matrix of shape (n_documents, n_features)
        The documents.
    evidence_of, refuse : callable
        From a model to its evidence, and the error about one that has none.
    """
    scores, decisions = model.set_scores(X), model.decision_function(X)
    has_it = model.sets_.toarray() > 0
    classes = model.classes_
    evidence = None if model.estimator_ is None else evidence_of(model.estimator_, X)
    if evidence is not None and not isinstance(evidence, Evidence):
        raise refuse()

    def named(number: int) -> str:
        return model.separator_.join(str(plain(one)) for one in classes[has_it[number]]) or "none"

    def parts_of(row: int, k: int) -> tuple[DocumentParts, str]:
        inside, outside = has_it[:, k], ~has_it[:, k]
        label = plain(classes[k])
        if evidence is None or not inside.any() or not outside.any():
            decided, nothing = float(decisions[row, k]), np.array([])
            parts = DocumentParts(
                label, None, decided, decided, nothing.astype(np.intp), nothing, nothing
            )
            return parts, f"{label}, which {'every' if inside.any() else 'no'} set has"
        a = int(np.where(inside, scores[row], -np.inf).argmax())
        b = int(np.where(outside, scores[row], -np.inf).argmax())
        found = evidence.parts(row, a, b)
        return found, f"{label}: {named(a)} rather than {named(b)}"

    def weights_of(k: int) -> Floats | None:
        inside = has_it[:, k]
        if evidence is None or inside.all() or not inside.any():
            return np.zeros(0)
        if not isinstance(evidence.terms, LinearTerms):
            return None
        W = evidence.terms.weights
        return np.asarray(W[inside].mean(axis=0) - W[~inside].mean(axis=0))

    def is_count(column: int) -> bool:
        return evidence is None or evidence.is_count(column)

    return LabelEvidence(classes, decisions, parts_of, weights_of, refuse, is_count)


def _weights(evidence: AdditiveDecisions, a: int, b: int) -> Floats | None:
    if not isinstance(evidence, Evidence) or not isinstance(evidence.terms, LinearTerms):
        return None
    W = evidence.terms.weights
    return np.asarray(W[a] - W[b])
