r"""Documents to a matrix by hashing: no vocabulary, no fit, any number of documents.

Term :math:`t` goes to column :math:`|h(t)| \bmod p` with the sign of :math:`h(t)`, where :math:`h`
is MurmurHash3.

References: Weinberger et al. (2009), Feature Hashing for Large Scale Multitask Learning;
scikit-learn's ``HashingVectorizer``, whose parameters and results these are.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import HashingVectorizer as SklearnHashingVectorizer

from quire.feature_extraction.text._kernels import KernelMixin
from quire.feature_extraction.text._known import hashed, hashing_reason

__all__ = ["HashingVectorizer"]


class HashingVectorizer(  # type: ignore[call-arg]  # scikit-learn has no types
    KernelMixin, SklearnHashingVectorizer, auto_wrap_output_keys=None
):
    r"""Convert documents to a sparse matrix of hashed token counts.

    A drop-in replacement for scikit-learn's class of this name.

    .. math:: X_{dj} = \sum_{t \in d,\; |h(t)| \bmod p = j} \operatorname{sign} h(t), \quad
              \text{rows scaled to norm 1}

    Parameters
    ----------
    input, encoding, decode_error, strip_accents, lowercase, preprocessor, tokenizer, stop_words
        As for :class:`CountVectorizer`.
    token_pattern, ngram_range, analyzer
        As for :class:`CountVectorizer`.
    n_features : int, default=2**20
        The number of columns, p. Few columns mean collisions.
    binary : bool, default=False
        Set every nonzero to 1.
    norm : {'l1', 'l2'} or None, default='l2'
        The norm that each row has.
    alternate_sign : bool, default=True
        Use the sign of the hash, so that collisions cancel on average.
    dtype : dtype, default=np.float64
        Of the matrix.
    n_jobs : int, default=None
        Number of threads. ``None`` means all cores that this process may use. The result does not
        depend on it.
    tokens, stemmer, negation
        As for :class:`CountVectorizer`.

    Attributes
    ----------
    engine_ : str
        ``"native"``, or ``"python: "`` and the setting that the kernels do not know.

    Examples
    --------
    >>> from quire.feature_extraction.text import HashingVectorizer
    >>> corpus = ["This is the first document.", "This document is the second document."]
    >>> HashingVectorizer(n_features=2**4).fit_transform(corpus).shape
    (2, 16)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **SklearnHashingVectorizer._parameter_constraints,
        "stop_words": [str, list, tuple, set, frozenset, None],
        "n_jobs": [Integral, None],
        "tokens": [str, None],
        "stemmer": [str, callable, None],
        "negation": [str, list, tuple, set, frozenset, None],
    }

    def __init__(
        self,
        *,
        input: str = "content",
        encoding: str = "utf-8",
        decode_error: str = "strict",
        strip_accents: Any = None,
        lowercase: bool = True,
        preprocessor: Any = None,
        tokenizer: Any = None,
        stop_words: Any = None,
        token_pattern: str | None = r"(?u)\b\w\w+\b",
        ngram_range: tuple[int, int] = (1, 1),
        analyzer: Any = "word",
        n_features: int = 2**20,
        binary: bool = False,
        norm: str | None = "l2",
        alternate_sign: bool = True,
        dtype: Any = np.float64,
        n_jobs: int | None = None,
        tokens: str | None = None,
        stemmer: Any = None,
        negation: Any = None,
    ) -> None:
        super().__init__(
            input=input,
            encoding=encoding,
            decode_error=decode_error,
            strip_accents=strip_accents,
            lowercase=lowercase,
            preprocessor=preprocessor,
            tokenizer=tokenizer,
            stop_words=stop_words,
            token_pattern=token_pattern,
            ngram_range=ngram_range,
            analyzer=analyzer,
            n_features=n_features,
            binary=binary,
            norm=norm,
            alternate_sign=alternate_sign,
            dtype=dtype,
        )
        self.n_jobs = n_jobs
        self.tokens = tokens
        self.stemmer = stemmer
        self.negation = negation

    def transform(self, X: Any) -> Any:
        """Hash documents.

        Parameters
        ----------
        X : iterable
            The documents.

        Returns
        -------
        csr_matrix of shape (n_documents, n_features)
            The hashed counts.
        """
        self._check_documents(X)
        self._validate_ngram_range()
        if not self._is_native():
            return super().transform(self._python_documents(X))
        self._get_hasher()._validate_params()
        options, _, stop_words = self._kernel_options()
        parts: list[Any] = []
        n_rows = 0
        for documents, threads in self._document_batches(X):
            parts.append(hashed(self, documents, n_rows, options, stop_words, threads))
            n_rows += len(documents)
        if n_rows == 0:
            raise ValueError("Cannot vectorize empty sequence.")
        return parts[0] if len(parts) == 1 else sparse.vstack(parts, format="csr")

    def _python_reason(self) -> str | None:
        return hashing_reason(self) or super()._python_reason()
