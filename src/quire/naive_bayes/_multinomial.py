r"""Counts of terms: every token of a document is drawn from the term distribution of its class.

.. math::

    P(d \mid k) = \frac{W_d!}{\prod_i X_{di}!} \prod_i P(i \mid k)^{X_{di}},
    \qquad P(i \mid k) = \frac{N_{ki} + \alpha}{\sum_j (N_{kj} + \alpha)}
"""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import gammaln
from sklearn.naive_bayes import MultinomialNB as SklearnMultinomialNB
from sklearn.utils.validation import check_is_fitted, check_non_negative

from quire import _core
from quire._shared.drawn_documents import count_matrix
from quire._shared.draws import draw_words, lengths_of
from quire._shared.naive_bayes import MultinomialScores, is_above
from quire._shared.sklearn import Interval
from quire._shared.threads import effective_threads
from quire._shared.typing import Floats
from quire.naive_bayes._counts import COUNTS_CONSTRAINTS, CountsNB
from quire.naive_bayes._text import check_unsigned

__all__ = ["MultinomialNB"]


class MultinomialNB(MultinomialScores, CountsNB, SklearnMultinomialNB):
    r"""Naive Bayes on counts of terms.

    A drop-in replacement for scikit-learn's class of this name. With :math:`N_{ki}` the occurrences
    of term :math:`i` in the documents of class :math:`k`,

    .. math::

        \log P(k \mid d) = \log P(k) + \sum_i X_{di} \log P(i \mid k) + \text{const},
        \qquad P(i \mid k) = \frac{N_{ki} + \alpha}{N_k + I \alpha}.

    Parameters
    ----------
    alpha : float or array-like of shape (n_features,), default=1.0
        What is added to every count. 0 is maximum likelihood: a term that a class has never used
        then rules the class out, and a document that no class can produce gets the prior.
    force_alpha : bool, default=True
        If ``False``, `alpha` is at least 1e-10.
    fit_prior : bool, default=True
        If ``False`` and `class_prior` is ``None``, all classes are equally probable.
    class_prior : array-like of shape (n_classes,), {"documents", "tokens", "uniform"}, default=None
        Probabilities of the classes, or what they are in proportion to: the documents of a class
        (as with ``None``), its tokens, or nothing at all.
    binarize : float, default=None
        If given, a term counts once in a document where its count is above this, and else not at
        all: 0 for the binary model.
    n_jobs : int, default=None
        Number of threads. ``None`` means all cores that this process may use. The result does not
        depend on it.
    prior_alpha : float, default=0.0
        What is added to the count of every class before their shares are taken, where the prior
        comes from counts: :math:`P(k) = (N_k + \lambda) / (N + K \lambda)` with :math:`N_k` the
        documents or tokens of class :math:`k` and :math:`K` the number of classes. With it
        a class that nothing is known of has a prior above zero.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    class_count_ : ndarray of shape (n_classes,)
        Documents of each class, weighted.
    class_log_prior_ : ndarray of shape (n_classes,)
        log P(k).
    feature_count_ : ndarray of shape (n_classes, n_features)
        Occurrences of each term in each class, weighted.
    feature_log_prob_ : ndarray of shape (n_classes, n_features)
        log P(i | k). In column-major order, which is how predictions read it.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if fitted on a DataFrame.
    vectorizer_ : CountVectorizer or HashingVectorizer
        After :meth:`fit_text`.

    See Also
    --------
    BernoulliNB : Absent terms are evidence too.
    ComplementNB : Steadier where classes differ in size.

    Examples
    --------
    >>> from quire.datasets import load_chinese_documents
    >>> from quire.naive_bayes import MultinomialNB
    >>> example = load_chinese_documents()
    >>> model = MultinomialNB().fit_text(example.texts, example.labels)
    >>> X = model.vectorizer_.transform([example.test_text])
    >>> model.predict(X)
    array(['c'], dtype='<U5')
    >>> np.exp(model.predict_joint_log_proba(X)).round(6)
    array([[0.000301, 0.000135]])
    >>> print(model.evidence(X)[0])
       +0.7990  c rather than not c
       +1.0986  before any term
       +1.9703  chinese x 3
       -1.1350  japan
       -1.1350  tokyo
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **COUNTS_CONSTRAINTS,
        "binarize": [None, Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        binarize: float | None = None,
        n_jobs: int | None = None,
        prior_alpha: float = 0.0,
    ) -> None:
        super().__init__(
            alpha=alpha, force_alpha=force_alpha, fit_prior=fit_prior, class_prior=class_prior
        )
        self.binarize = binarize
        self.n_jobs = n_jobs
        self.prior_alpha = prior_alpha

    def log_likelihood(self, X: Any, *, coefficient: bool = True) -> Floats:
        r"""Return log P(d | k): how probable a document is in each class, whatever the prior.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Documents.
        coefficient : bool, default=True
            Include the number of orders in which the tokens may come,
            :math:`W_d! / \prod_i X_{di}!`, so that the result is the probability of the counts.
            Otherwise it is that of one such order.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Log likelihoods, in the order of ``classes_``.
        """
        check_is_fitted(self)
        X = self._check_X(X)
        form = self._form(np.zeros(len(self.classes_)))
        scores = form.of(X, self._threshold(), effective_threads(self.n_jobs))
        if coefficient:
            check_non_negative(X, "MultinomialNB.log_likelihood")
            counts = is_above(X, self._threshold())
            scores += _log_coefficient(counts)[:, None]
        return scores

    def sample(
        self, n_samples: int = 1, *, length: Any = None, random_state: Any = None
    ) -> tuple[Any, NDArray[Any]]:
        r"""Draw documents from the model: a class from the prior, then its tokens one by one.

        Parameters
        ----------
        n_samples : int, default=1
            How many documents.
        length : int or array-like of shape (n_samples,), default=None
            Tokens of all documents, or of each. The model says nothing about it; ``None`` means the
            mean length of the training documents, rounded, and at least 1.
        random_state : int, RandomState instance or None, default=None
            An integer gives the same documents every time.

        Returns
        -------
        X : sparse matrix of shape (n_samples, n_features)
            Counts. With `binarize` they are those of the tokens; the model reads them as presence.
        y : ndarray of shape (n_samples,)
            The classes that they were drawn from.

        Examples
        --------
        >>> from quire.naive_bayes import MultinomialNB
        >>> model = MultinomialNB().fit([[3, 1, 0], [0, 1, 5]], ["a", "b"])
        >>> X, y = model.sample(3, length=10, random_state=2)
        >>> X.toarray(), y
        (array([[8, 2, 0],
               [7, 3, 0],
               [2, 4, 4]]), array(['a', 'a', 'b'], dtype='<U1'))
        """
        rng, codes = self._draw_classes(n_samples, random_state)
        n_documents = self.class_count_.sum()
        mean = self._counts().sum(dtype=np.float64) / n_documents if n_documents > 0 else 1.0
        lengths = lengths_of(length, len(codes), mean)
        tokens = draw_words(rng, np.repeat(codes, lengths), np.exp(self.feature_log_prob_))
        return count_matrix(tokens, lengths, self.n_features_in_), self.classes_[codes]

    def _check_values(self, X: Any) -> None:
        check_non_negative(X, "MultinomialNB (input X)")

    def _check_signs(self, vectorizer: Any) -> None:
        check_unsigned(vectorizer, "MultinomialNB")

    def _update_parameters(self, token_count: Floats, alpha: Floats) -> None:
        n_threads = effective_threads(self.n_jobs)
        self.feature_log_prob_ = _core.counts.multinomial_log_prob(
            self._counts(), token_count, alpha, n_threads
        ).T


def _log_coefficient(X: Any) -> Floats:
    """Return log(W! / prod of X_i!) of each row."""
    if sparse.issparse(X):
        rows = sparse.csr_array((gammaln(X.data + 1.0), X.indices, X.indptr), shape=X.shape)
        totals, parts = np.asarray(X.sum(axis=1)).ravel(), np.asarray(rows.sum(axis=1)).ravel()
    else:
        totals, parts = X.sum(axis=1), gammaln(X + 1.0).sum(axis=1)
    coefficient: Floats = gammaln(totals + 1.0) - parts
    return coefficient
