r"""Counts to tf-idf weights.

A term that occurs in few documents says more about them than one that occurs in most. With
:math:`n` documents,
:math:`\mathrm{df}_i` of them with term :math:`i`, and the default ``smooth_idf``,

.. math:: \mathrm{idf}_i = \ln \frac{1 + n}{1 + \mathrm{df}_i} + 1, \qquad
          W_{di} = X_{di}\, \mathrm{idf}_i,

and each row of :math:`W` is divided by its norm.

Reference: scikit-learn's ``TfidfTransformer``, whose parameters, attributes and results these are.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfTransformer as SklearnTfidfTransformer
from sklearn.utils.validation import check_is_fitted

from quire import _core
from quire._shared.sklearn import fit_context
from quire._shared.sparse import as_configured
from quire._shared.threads import effective_threads
from quire._shared.validation import validate_data
from quire.feature_extraction.text._weighing import weigh_tfidf

__all__ = ["TfidfTransformer", "idf_weights"]


class TfidfTransformer(  # type: ignore[call-arg]  # scikit-learn has no types
    SklearnTfidfTransformer, auto_wrap_output_keys=None
):
    r"""Weight a matrix of counts by tf-idf.

    A drop-in replacement for scikit-learn's class of this name.

    .. math:: W_{di} = X_{di} \left(\ln \frac{s + n}{s + \mathrm{df}_i} + 1\right), \qquad s = 1
              \text{ if smooth\_idf else } 0

    Parameters
    ----------
    norm : {'l1', 'l2'} or None, default='l2'
        The norm that each row of the result has.
    use_idf : bool, default=True
        Weight by inverse document frequency; otherwise only normalise.
    smooth_idf : bool, default=True
        Count one document more that holds every term, which avoids division by zero.
    sublinear_tf : bool, default=False
        Replace a count c by 1 + ln(c).
    n_jobs : int, default=None
        Number of threads. ``None`` means all cores that this process may use. The result does not
        depend on it.

    Attributes
    ----------
    idf_ : ndarray of shape (n_features,)
        The weights of the columns, if ``use_idf``.
    n_features_in_ : int
        The number of columns.

    Examples
    --------
    >>> from quire.feature_extraction.text import TfidfTransformer
    >>> TfidfTransformer().fit_transform([[1, 1, 1], [1, 2, 0]]).toarray().round(3)
    array([[0.502, 0.502, 0.705],
           [0.447, 0.894, 0.   ]])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SklearnTfidfTransformer._parameter_constraints,
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        *,
        norm: str | None = "l2",
        use_idf: bool = True,
        smooth_idf: bool = True,
        sublinear_tf: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            norm=norm, use_idf=use_idf, smooth_idf=smooth_idf, sublinear_tf=sublinear_tf
        )
        self.n_jobs = n_jobs

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the weights of the columns.

        Parameters
        ----------
        X : sparse matrix of shape (n_samples, n_features)
            Counts.
        y : None
            Ignored.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        X = validate_data(self, X, accept_sparse=("csr", "csc"), for_kernels=True)
        if not sp.issparse(X) or X.format != "csr":
            X = sp.csr_array(X)
        if self.use_idf:
            dtype = X.dtype if X.dtype in (np.float64, np.float32) else np.dtype(np.float64)
            indices = np.require(X.indices, X.indices.dtype.newbyteorder("="), ["C", "A"])
            df = _core.text.csr_document_frequency(
                indices, X.shape[1], effective_threads(self.n_jobs)
            )
            self.idf_ = idf_weights(df, X.shape[0], smooth=self.smooth_idf, dtype=dtype)
        return self

    def transform(self, X: Any, copy: bool = True) -> Any:
        """Weight counts.

        Parameters
        ----------
        X : sparse matrix of shape (n_samples, n_features)
            Counts.
        copy : bool, default=True
            If false, the values of ``X`` may be overwritten.

        Returns
        -------
        csr_matrix of shape (n_samples, n_features)
            The weights.
        """
        check_is_fitted(self)
        X = validate_data(
            self, X, accept_sparse="csr", dtype=[np.float64, np.float32], copy=copy, reset=False
        )
        if not sp.issparse(X):
            X = sp.csr_array(X, dtype=X.dtype)
        return as_configured(self._weigh(X, effective_threads(self.n_jobs)))

    def _weigh(self, X: Any, n_threads: int) -> Any:
        """Weight a CSR matrix of floats in place."""
        return weigh_tfidf(self, X, n_threads)


def idf_weights(
    document_frequency: NDArray[np.int64], n_documents: int, *, smooth: bool, dtype: Any
) -> NDArray[Any]:
    """Return ln((s + n) / (s + df)) + 1, with s = 1 if smooth.

    Parameters
    ----------
    document_frequency : ndarray of int64
        In how many documents each term occurs.
    n_documents : int
        The number of documents.
    smooth : bool
        Whether to count one document more that holds every term.
    dtype : dtype-like
        Float, of the result.
    """
    df = document_frequency.astype(dtype)
    df += float(smooth)
    idf = np.full_like(df, n_documents + int(smooth))
    idf /= df
    np.log(idf, out=idf)
    idf += 1.0
    return idf
