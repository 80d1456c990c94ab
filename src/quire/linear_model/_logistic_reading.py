"""Reading the weights of a logistic regression: odds ratios, and one class as the reference."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from quire._shared.typing import Floats

__all__ = ["LogisticReading", "class_code"]


class LogisticReading:
    """``reference_coding`` and ``odds_ratios``, from ``coef_`` and ``intercept_``."""

    coef_: Any
    intercept_: Any
    classes_: NDArray[Any]

    def reference_coding(self, reference: Any = None) -> tuple[Floats, Floats]:
        r"""Return the weights with those of one class at zero.

        Softmax probabilities depend on differences of scores alone, so the weights of one class can
        be taken from all. What is left of class k are its log-odds against the reference,
        :math:`\log P(k|x) / P(r|x) = (w_k - w_r)'x + b_k - b_r`.

        This is the fitted model, written differently: its penalty fell on the weights of all
        classes. A model whose reference is at zero while it is fitted, so that the penalty falls on
        these differences, is ``LogisticRegression(reference=...)``, and has other weights.

        Parameters
        ----------
        reference : object, default=None
            One of ``classes_``; if ``None``, that of the fit, or the first.

        Returns
        -------
        coef : ndarray of shape (n_classes, n_features)
            Weights; the row of the reference is zero.
        intercept : ndarray of shape (n_classes,)
            Intercepts; that of the reference is zero.

        Examples
        --------
        >>> from quire.linear_model import LogisticRegression
        >>> X, y = [[0], [1], [2], [3]], ["no", "no", "yes", "yes"]
        >>> coef, intercept = LogisticRegression().fit(X, y).reference_coding("no")
        >>> coef.round(2), intercept.round(2)
        (array([[0.  ],
               [0.96]]), array([ 0.  , -1.44]))
        """
        check_is_fitted(self)
        coef = self.coef_.toarray() if sparse.issparse(self.coef_) else np.asarray(self.coef_)
        intercept = np.broadcast_to(np.asarray(self.intercept_, dtype=np.float64), (len(coef),))
        if len(coef) == 1:
            coef = np.vstack([np.zeros_like(coef), coef])
            intercept = np.append(0.0, intercept)
        if reference is None:
            reference = getattr(self, "reference", None)
        code = 0 if reference is None else class_code(self.classes_, reference)
        coef = coef.astype(np.float64) - coef[code]
        return coef, intercept - intercept[code]

    def odds_ratios(self, reference: Any = None) -> Floats:
        r"""Return by what factor the odds of each class change when a feature grows by one.

        :math:`e^{w_{kj} - w_{rj}}`: the factor of :math:`P(k|x) / P(r|x)` when :math:`x_j` becomes
        :math:`x_j + 1` and the other features stay. An odds ratio compares two odds; the odds
        :math:`p / (1 - p)` of a single probability, which some texts call an odds ratio, are
        :func:`quire.linear_model.odds`.

        Parameters
        ----------
        reference : object, default=None
            The class r; if ``None``, that of the fit, or the first.

        Returns
        -------
        ndarray of shape (n_classes, n_features)
            Odds ratios; those of the reference are 1.

        Examples
        --------
        >>> from quire.linear_model import LogisticRegression
        >>> model = LogisticRegression().fit([[0], [1], [2], [3]], [0, 0, 1, 1])
        >>> model.odds_ratios().round(2)
        array([[1.  ],
               [2.61]])
        """
        return np.exp(self.reference_coding(reference)[0])


def class_code(classes: NDArray[Any], reference: Any) -> int:
    """Return the place of a class among the classes of a model.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        The classes.
    reference : object
        One of them.
    """
    found = np.flatnonzero(classes == reference)
    if len(found) != 1:
        raise ValueError(f"{reference!r} is not a class of this model: {classes.tolist()}.")
    return int(found[0])
