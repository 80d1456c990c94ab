"""From a fitted estimator to the parts of its decisions.

Which adapter a model needs is a fact of its kind (:mod:`quire.kinds`): a method of its own, one of
those below, or a function that was registered for its class.

A model of a new kind joins in one of two ways: it has a method ``evidence(X, feature_names=None)``
(:class:`~quire.inspection.GivesEvidence`), or someone calls :func:`register_evidence` for it.
Nothing else has to be changed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from quire._shared.evidence import Evidence
from quire._shared.evidence_terms import AdditiveTerms, LinearTerms
from quire._shared.fitted import is_regressor
from quire._shared.sparse import as_csr, is_sparse
from quire._shared.typing import Floats
from quire._shared.validation import validate_data
from quire.inspection._additive import AdditiveDecisions, NumberEvidence, OrderedEvidence
from quire.kinds import kind_of_class, register

__all__ = ["evidence_of", "register_evidence", "unexplained"]

Adapter = Callable[[Any, Any], AdditiveDecisions]

_SUPPORTED = (
    "Supported are naive Bayes, linear classifiers and regressors (weights in coef_ and "
    "intercept_), discriminants, OrdinalRegression, support vector machines, nearest neighbours, "
    "trees and forests, and models with a method `evidence`; others join by "
    "quire.inspection.register_evidence."
)


def register_evidence(estimator_type: type, adapter: Adapter) -> None:
    """Teach :func:`~quire.inspection.explain` a kind of model.

    Parameters
    ----------
    estimator_type : type
        A class of estimators. Its subclasses are meant too, unless they have a registration or a
        method ``evidence`` of their own.
    adapter : callable
        From a fitted estimator and the matrix X of some documents to an
        :class:`~quire.inspection.Evidence`, or another object with the methods of
        :class:`~quire.inspection.AdditiveDecisions`. Columns are those of X.

    Examples
    --------
    A Poisson regression is not a sum, but its logarithm is:

    >>> import numpy as np
    >>> from sklearn.linear_model import PoissonRegressor
    >>> from quire.inspection import NumberEvidence, explain, register_evidence
    >>> class Rates(PoissonRegressor):
    ...     pass
    >>> def log_rates(model, X):
    ...     return NumberEvidence(X, model.coef_[None, :], np.array([model.intercept_]))
    >>> register_evidence(Rates, log_rates)
    >>> model = Rates().fit([[0, 1], [1, 1], [2, 0], [3, 0]], [1, 2, 4, 8])
    >>> explanation = explain(model, np.array([[2.0, 1.0]]))[0]
    >>> f"{np.exp(explanation.score):.4f} {explanation.prediction:.4f}"
    '3.6829 3.6829'
    """
    if not isinstance(estimator_type, type):
        raise TypeError(
            f"register_evidence expects a class of estimators, got {estimator_type!r}. Pass the "
            "class, not a fitted model."
        )
    if not callable(adapter):
        raise TypeError(f"The adapter must be callable, got {adapter!r}.")
    register(estimator_type, evidence=adapter)


def evidence_of(estimator: Any, X: Any) -> AdditiveDecisions:
    """Return the parts of an estimator's decisions about the rows of X.

    Parameters
    ----------
    estimator : object
        Fitted.
    X : array-like, sparse matrix or data frame
        What its ``predict`` takes.

    Returns
    -------
    AdditiveDecisions
        Evidence.

    Raises
    ------
    TypeError
        If the decisions of such a model are not known to be sums.
    """
    adapter = kind_of_class(type(estimator)).evidence
    if isinstance(adapter, str):
        adapter = _ADAPTERS[adapter]
    if adapter is None:
        raise unexplained(estimator)
    decisions: AdditiveDecisions = adapter(estimator, X)
    return decisions


def unexplained(model: Any) -> TypeError:
    """Return the error about a model whose decisions are not known to be sums.

    Parameters
    ----------
    model : object
        A model of a kind without evidence.
    """
    return TypeError(f"{type(model).__name__} cannot be explained by parts. {_SUPPORTED}")


def _own(model: Any, X: Any) -> AdditiveDecisions:
    decisions: AdditiveDecisions = model.evidence(X)
    return decisions


def _linear(model: Any, X: Any) -> AdditiveDecisions:
    """Return the evidence of a classifier or a regression by its weights, if it has any."""
    return _linear_regressor(model, X) if is_regressor(model) else _linear_classifier(model, X)


def _linear_classifier(model: Any, X: Any) -> Evidence:
    X = _checked(model, X)
    return _by_weights(model, X, *_weights(model, X.shape[1]))


def _by_weights(model: Any, X: Any, coef: Floats, intercept: Floats) -> Evidence:
    """Return linear evidence, after a look at whether the weights are all of the decision."""
    try:
        decide = model.decision_function
    except AttributeError as error:
        raise unexplained(model) from error
    scores = np.asarray(X @ coef.T + intercept, dtype=np.float64)
    given = np.asarray(decide(X), dtype=np.float64)
    given = given.reshape(-1, 1) if given.ndim == 1 else given
    _check_sums(model, scores, given, "decision_function")
    if len(coef) == 1:  # the first class is at zero
        coef, intercept = np.vstack([np.zeros_like(coef), coef]), np.append(0.0, intercept)
        scores = np.column_stack([np.zeros(len(scores)), scores[:, 0]])
    return Evidence(model.classes_, scores, intercept, LinearTerms(X, coef))


def _linear_regressor(model: Any, X: Any) -> NumberEvidence:
    X = _checked(model, X)
    coef, intercept = _weights(model, X.shape[1])
    predicted = np.asarray(model.predict(X), dtype=np.float64).reshape(X.shape[0], -1)
    _check_sums(model, np.asarray(X @ coef.T + intercept), predicted, "predict")
    return NumberEvidence(X, coef, intercept)


def _one_vs_rest(model: Any, X: Any) -> AdditiveDecisions:
    X = as_csr(X) if is_sparse(X) else np.asarray(X, dtype=np.float64)
    if model.multilabel_:
        return _labels_by_columns(model, X)
    try:
        pairs = [_weights(one, X.shape[1]) for one in model.estimators_]
    except TypeError:
        pairs = []
    if not pairs:
        raise TypeError(
            f"{type(model).__name__} is explained if it has linear classifiers inside, not "
            f"{type(model.estimator).__name__}. {_SUPPORTED}"
        )
    coef, intercept = (np.concatenate(part) for part in zip(*pairs, strict=True))
    return _by_weights(model, X, coef, intercept)


def _labels_by_columns(model: Any, X: Any) -> AdditiveDecisions:
    """Return the evidence of scikit-learn's model for each column of a matrix of labels."""
    from quire.inspection._label_sets import relevance_evidence

    models = [one if kind_of_class(type(one)).evidence else None for one in model.estimators_]
    try:
        decisions = np.asarray(model.decision_function(X), dtype=np.float64)
    except AttributeError as error:
        raise unexplained(model) from error
    return relevance_evidence(
        model,
        X,
        np.arange(len(models)),
        models,
        decisions,
        np.zeros(len(models)),
        evidence_of,
        lambda: unexplained(model),
    )


def _labels(model: Any, X: Any) -> AdditiveDecisions:
    """Return the evidence of a model for each label."""
    from quire.inspection._label_sets import relevance_evidence

    if not model.multilabel_:
        return _one_vs_rest(model, X)
    asked = iter(model.estimators_)
    models = [next(asked) if constant == 0 else None for constant in model.constants_]
    return relevance_evidence(
        model,
        X,
        model.classes_,
        models,
        model.decision_function(X),
        model.thresholds_,
        evidence_of,
        lambda: unexplained(model),
    )


def _powerset(model: Any, X: Any) -> AdditiveDecisions:
    """Return the evidence of a model of sets of labels."""
    from quire.inspection._label_sets import powerset_evidence

    if not model.multilabel_:
        return _by_weights(model, X, *_weights(model.estimator_, X.shape[1]))
    return powerset_evidence(model, X, evidence_of, lambda: unexplained(model))


def _ordinal(model: Any, X: Any) -> OrderedEvidence:
    log_proba = model.predict_log_proba(X)
    coef, thresholds = (part.astype(np.float64) for part in (model.coef_, model.thresholds_))
    return OrderedEvidence(model.classes_, _checked(model, X), coef, thresholds, log_proba)


def _machine(model: Any, X: Any) -> AdditiveDecisions:
    """Return the evidence of a kernel machine: by terms if it is linear, else by documents."""
    from quire.inspection._machines import PairEvidence, SupportEvidence

    if model.kernel != "linear":
        return SupportEvidence(model, X)
    if is_regressor(model):
        return _linear_regressor(model, X)
    return _linear_classifier(model, X) if len(model.classes_) == 2 else PairEvidence(model, X)


def _counts(model: Any, X: Any) -> Evidence:
    """Return the evidence of scikit-learn's MultinomialNB."""
    return _by_logarithms(model, X, model.class_log_prior_)


def _complement(model: Any, X: Any) -> Evidence:
    """Return the evidence of scikit-learn's ComplementNB, which has a prior for one class only."""
    is_one = len(model.classes_) == 1
    return _by_logarithms(
        model, X, model.class_log_prior_ if is_one else np.zeros(len(model.classes_))
    )


def _by_logarithms(model: Any, X: Any, offsets: Floats) -> Evidence:
    X = _checked(model, X)
    weights = np.asarray(model.feature_log_prob_, dtype=np.float64)
    scores = model.predict_joint_log_proba(X)
    return Evidence(
        model.classes_, scores, offsets, LinearTerms(X, weights), prior=model.class_log_prior_
    )


def _presence(model: Any, X: Any) -> Evidence:
    """Return the evidence of scikit-learn's BernoulliNB: what is absent is in the offset."""
    scores = model.predict_joint_log_proba(X)
    X = _checked(model, X)
    if model.binarize is not None:
        X = (X > model.binarize).astype(np.float64)
    present = np.asarray(model.feature_log_prob_, dtype=np.float64)
    absent = np.log1p(-np.exp(present))
    offsets = model.class_log_prior_ + absent.sum(axis=1)
    terms = LinearTerms(X, present - absent)
    return Evidence(model.classes_, scores, offsets, terms, prior=model.class_log_prior_)


def _normal(model: Any, X: Any) -> Evidence:
    """Return the evidence of scikit-learn's GaussianNB."""
    X = _checked(model, X)

    def of_class(rows: Any, k: int) -> Floats:
        variance = model.var_[k]
        squares = (rows - model.theta_[k]) ** 2 / variance
        density: Floats = -0.5 * (np.log(2.0 * np.pi * variance) + squares)
        return density

    prior = np.log(model.class_prior_)
    scores = model.predict_joint_log_proba(X)
    return Evidence(model.classes_, scores, prior, AdditiveTerms(X, of_class))


def _categories(model: Any, X: Any) -> Evidence:
    """Return the evidence of scikit-learn's CategoricalNB."""
    X = _checked(model, X).astype(np.intp)

    def of_class(rows: Any, k: int) -> Floats:
        columns = [table[k, rows[:, j]] for j, table in enumerate(model.feature_log_prob_)]
        return np.stack(columns, axis=1)

    scores = model.predict_joint_log_proba(X)
    return Evidence(model.classes_, scores, model.class_log_prior_, AdditiveTerms(X, of_class))


def _checked(model: Any, X: Any) -> Any:
    return validate_data(model, X, accept_sparse="csr", reset=False)


def _weights(model: Any, n_features: int) -> tuple[Floats, Floats]:
    """Return coefficients of shape (n_scores, n_features) and their intercepts."""
    try:
        weights, intercept = model.coef_, np.asarray(model.intercept_, dtype=np.float64).ravel()
    except AttributeError as error:
        raise unexplained(model) from error
    coef = weights.toarray() if is_sparse(weights) else np.asarray(weights)
    coef = coef.astype(np.float64, copy=False).reshape(-1, n_features)
    if len(intercept) not in (1, len(coef)):
        raise TypeError(f"{type(model).__name__} has intercepts of another number than its scores.")
    return coef, np.broadcast_to(intercept, (len(coef),)).copy()


def _check_sums(model: Any, sums: Floats, given: Floats, method: str) -> None:
    """Refuse weights that are not the whole of what a method returns (a link, a kernel, votes)."""
    if sums.shape == given.shape:
        size = max(1.0, float(np.abs(given).max(initial=0.0)))
        if np.abs(sums - given).max(initial=0.0) <= 1e-4 * size:
            return
    raise TypeError(
        f"{type(model).__name__} cannot be explained by parts: its coef_ and intercept_ do not add "
        f"up to its {method}. {_SUPPORTED}"
    )


def _neighbors(model: Any, X: Any) -> AdditiveDecisions:
    from quire.inspection._neighbors import NeighborEvidence

    return NeighborEvidence(model, X)


def _trees(model: Any, X: Any) -> AdditiveDecisions:
    from quire.inspection._tree_evidence import TreeEvidence

    return TreeEvidence(model, X)


def _averaged(model: Any, X: Any) -> AdditiveDecisions:
    from quire.inspection._averaged import averaged_evidence

    return averaged_evidence(model, X)


_ADAPTERS: dict[str, Adapter] = {  # the names of `Kind.evidence`
    "own": _own,
    "linear": _linear,
    "one against rest": _one_vs_rest,
    "labels": _labels,
    "label powerset": _powerset,
    "ordered": _ordinal,
    "counts": _counts,
    "complement": _complement,
    "presence": _presence,
    "normal": _normal,
    "categories": _categories,
    "machine": _machine,
    "neighbors": _neighbors,
    "trees": _trees,
    "averaged": _averaged,
}
