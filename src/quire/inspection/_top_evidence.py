"""The strongest terms of a fitted model, whatever the text."""

from __future__ import annotations

from numbers import Integral
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from quire._shared.evidence import Evidence, RanksTerms
from quire._shared.evidence_terms import LinearTerms
from quire._shared.fitted import check_is_fitted
from quire._shared.joined_evidence import JoinedTerms
from quire._shared.term_weights import TermWeight, UsedTerm, plain, rank_terms
from quire.inspection._adapters import evidence_of
from quire.inspection._additive import NumberEvidence, OrderedEvidence, WeighsClasses
from quire.inspection._label_sets import LabelEvidence
from quire.inspection._origins import origins_of, reads_table
from quire.kinds import Inside, kind_of_class, look_inside, n_columns_of

__all__ = ["top_evidence"]


def top_evidence(
    model: Any, n_terms: int = 10, documents: Any = None, y: Any = None
) -> dict[Any, list[Any]]:
    """Return the terms that speak most for each class of a fitted model.

    Parameters
    ----------
    model : estimator
        As for :func:`~quire.inspection.explain`: a pipeline, a model of ``fit_text``, a search.
    n_terms : int, default=10
        How many for each class.
    documents : sequence or table, default=None
        Documents as the model takes them, to rank terms by what they add there: weight times use.
        Terms have a weight alone if ``None``.
    y : array-like of shape (n_documents,) or LabelSets, default=None
        The labels of `documents`; not needed where numbers are predicted.

    Returns
    -------
    dict from class to list of TermWeight, or of UsedTerm if there are `documents`
        With documents, first is what adds most to the score of the class in its own documents above
        others (:class:`UsedTerm`), of equal terms the more frequent one; what adds nothing is left
        out. Without, from the heaviest down: by how much one unit of a term adds to the score of
        the class, above the mean of what it adds to those of the other classes. Linear machines of
        pairs of classes (``SVC``) have no score for each class; there it is the mean, over the
        pairs of the class, of what one unit adds to the decision for it, which says the same. Of
        several labels for a
        document, each is weighed against not having it. Regressions and ordinal regressions have
        the keys ``"higher"`` and ``"lower"``: what raises and what lowers the prediction, the
        weights with their signs. Trees and forests have the key ``"importance"``: shares of the
        decrease of impurity that questions about a term brought, whatever the class.
        Terms are numbers of columns where names are not known.

    Raises
    ------
    TypeError
        If terms have no weights in such a model.

    Examples
    --------
    >>> from quire.inspection import top_evidence
    >>> from quire.naive_bayes import MultinomialNB
    >>> model = MultinomialNB().fit_text(
    ...     ["good good film", "a dull film"], ["pos", "neg"]
    ... )
    >>> {label: terms[0].term for label, terms in top_evidence(model).items()}
    {'neg': 'dull', 'pos': 'good'}
    >>> top_evidence(model, 1, ["a good film", "a dull film"], ["pos", "neg"])["pos"][0].documents
    1
    """
    if not isinstance(n_terms, Integral) or n_terms < 0:
        raise ValueError(f"n_terms={n_terms!r}: expected a number of terms for each class.")
    check_is_fitted(model)
    inside = look_inside(model)
    deciding = inside.deciding
    if documents is not None:
        used = _over_documents(inside, documents, y, int(n_terms))
        if used is not None:
            return used
    if kind_of_class(type(deciding)).members is not None:
        return _of_average(inside, int(n_terms))
    n_columns = n_columns_of(deciding)
    if n_columns is None:
        raise TypeError(f"{type(deciding).__name__} does not say how many columns it has.")
    names = None
    if not reads_table(deciding):
        names = origins_of(inside.transformers, deciding, n_columns).names
    if isinstance(deciding, RanksTerms):
        return deciding.top_terms(int(n_terms), feature_names=names)
    if kind_of_class(type(deciding)).evidence == "trees":
        from quire.inspection._tree_evidence import is_of_trees, top_importances

        if is_of_trees(deciding):
            return {"importance": top_importances(deciding, int(n_terms), names)}
    evidence = _of_nothing(deciding, n_columns)
    if isinstance(evidence, LabelEvidence):
        return evidence.top_terms(int(n_terms), names)
    if isinstance(evidence, NumberEvidence | OrderedEvidence):
        return _both_ends(np.atleast_2d(evidence.coef), names, int(n_terms))
    if isinstance(evidence, WeighsClasses):
        return rank_terms(evidence.classes, evidence.class_weights(), int(n_terms), names)
    if isinstance(evidence, Evidence) and isinstance(evidence.terms, LinearTerms):
        return rank_terms(evidence.classes, evidence.terms.weights, int(n_terms), names)
    raise TypeError(
        f"{type(deciding).__name__} has no weights that are the same for all values of a column. "
        "Explain single documents with quire.inspection.explain."
    )


def _of_nothing(deciding: Any, n_columns: int) -> Any:
    """Return the decisions about a row of zeros, to ask for weights."""
    from scipy import sparse

    nothing = sparse.csr_array((1, n_columns), dtype=np.float64)
    try:
        return evidence_of(deciding, nothing)
    except (TypeError, ValueError) as error:  # some that were fitted to dense rows want these
        if "dense" not in str(error).lower() and "sparse" not in str(error).lower():
            raise
        return evidence_of(deciding, np.zeros((1, n_columns)))


def _over_documents(
    inside: Inside, documents: Any, y: Any, n_terms: int
) -> dict[Any, list[UsedTerm]] | None:
    """Return the terms that add most over some documents; ``None`` if weights are no constants."""
    from quire.inspection._used_terms import used_terms

    deciding = inside.deciding
    if reads_table(deciding) or kind_of_class(type(deciding)).evidence == "trees":
        return None
    if kind_of_class(type(deciding)).members is not None:
        from quire.inspection._averaged import averaged_origins, evidence_of_nothing

        evidence: Any = evidence_of_nothing(deciding)
        columns = cast("JoinedTerms", evidence.terms).columns
        origins = averaged_origins(inside.transformers, deciding, columns)
    else:
        n_columns = n_columns_of(deciding)
        if n_columns is None:
            return None
        evidence = _of_nothing(deciding, n_columns)
        origins = origins_of(inside.transformers, deciding, n_columns)
    if y is None and not isinstance(evidence, NumberEvidence | OrderedEvidence):
        raise ValueError("y is missing: terms are judged by the labels of the documents.")
    return used_terms(inside, evidence, origins, documents, y, n_terms)


def _of_average(inside: Inside, n_terms: int) -> dict[Any, list[TermWeight]]:
    """Return the terms of a weighted sum of models, over all of them."""
    from quire.inspection._averaged import averaged_origins, evidence_of_nothing

    evidence = evidence_of_nothing(inside.deciding)
    terms = cast("JoinedTerms", evidence.terms)
    names = averaged_origins(inside.transformers, inside.deciding, terms.columns).names
    return rank_terms(evidence.classes, terms.weights, n_terms, names)


def _both_ends(
    coef: NDArray[np.float64], names: NDArray[Any] | None, n_terms: int
) -> dict[Any, list[TermWeight]]:
    """Return the largest and the smallest weights of a regression."""
    if len(coef) != 1:
        raise TypeError(
            f"This regression predicts {len(coef)} numbers; top_evidence is for models of one."
        )
    order = np.argsort(-coef[0], kind="stable")
    higher = [i for i in order[:n_terms] if coef[0, i] > 0]
    lower = [i for i in order[::-1][:n_terms] if coef[0, i] < 0]
    return {
        side: [
            TermWeight(int(i) if names is None else plain(names[i]), float(coef[0, i]))
            for i in chosen
        ]
        for side, chosen in (("higher", higher), ("lower", lower))
    }
