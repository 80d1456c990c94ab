r"""A linear map from one space of word vectors to another, learned from pairs of words.

.. math:: \min_R \lVert AR - B \rVert_F^2

where row i of A is the vector of a word and row i of B that of its partner: its translation in
another language, or the capital of a country. The map carries every other word along.

References
----------
Mikolov, T., Le, Q. V. and Sutskever, I. (2013). Exploiting similarities among languages for machine
translation. arXiv:1309.4168.
Conneau, A., Lample, G., Ranzato, M., Denoyer, L. and Jégou, H. (2018). Word translation without
parallel data. ICLR.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from quire._shared.convergence import warn_not_converged
from quire._shared.sklearn import Interval, StrOptions, fit_context
from quire._shared.threads import effective_threads
from quire._shared.typing import Floats, Singles
from quire._shared.validation import check_array, validate_data
from quire.alignment import _solvers as solvers
from quire.alignment._pairs import checked_pairs, gold_targets
from quire.alignment._retrieval import csls, csls_of_all, hubness, mutually_best, nearest
from quire.alignment._solvers import MapStep
from quire.alignment._word_vectors import WordVectors

__all__ = ["VectorMap", "unit_rows"]


_RETRIEVAL = ("nearest", "csls")
_MOST_WORDS = 8  # all are translated at once if this times those asked for is more than there are
_ROWS = 1 << 14  # of a vocabulary that are turned into float64 at a time


class VectorMap(TransformerMixin, BaseEstimator):
    r"""The map R that takes vectors of one space to their partners in another.

    Parameters
    ----------
    method : {"gradient", "least_squares", "ridge", "orthogonal"}, default="orthogonal"
        How R is found: gradient descent on :math:`\lVert AR - B \rVert_F^2`, its solution at once,
        with a penalty, or among rotations and reflections, which suit languages best because they
        leave distances as they are.
    normalize : bool, default=True
        Scale all vectors to length 1 first.
    center : bool, default=False
        Take the mean of each space away before, and add that of the target after.
    alpha : float or sequence of float, default=1.0
        Penalty of "ridge". Of several the one with the smallest error of pairs that are left out is
        taken; one eigendecomposition serves all.
    learning_rate : float, default=None
        Step of "gradient"; ``None`` means the largest one that is safe.
    max_iter : int, default=10000
        Most steps of "gradient".
    tol : float, default=1e-6
        Norm of the gradient, in units of the first one, at which "gradient" stops.
    n_refinements : int, default=0
        How often to learn anew from words that are each other's best translation, by CSLS. A seed
        of a few dozen pairs grows to thousands so. Needs `WordVectors`.
    refine_vocabulary : int, default=20000
        How many words of each space, from the first, refinement looks at.
    neighborhood : int, default=10
        K of CSLS.
    n_jobs : int, default=None
        Threads of the search for neighbours; ``None`` means all cores.
    keep_steps : bool, default=False
        Whether "gradient" keeps the map before and after every step in ``steps_``; for small
        spaces, as each is a matrix.

    Attributes
    ----------
    R_ : ndarray of shape (n_source, n_target)
        The map.
    loss_ : float
        :math:`\lVert AR - B \rVert_F^2`, the squared Frobenius norm of what the map misses, over
        the pairs that it was learned from, as `normalize` and `center` have them. All methods have
        it; "least_squares" has the smallest.
    source_mean_, target_mean_ : ndarray
        What was taken away; zeros without `center`.
    alpha_ : float
        The penalty taken, with "ridge".
    left_out_errors_ : ndarray of shape (n_alphas,)
        Mean squared error of pairs left out, with "ridge".
    losses_ : ndarray
        Loss before every step, with "gradient".
    steps_ : list of MapStep
        If `keep_steps`, with "gradient": the start and the map after every step, of the last
        learning if there are refinements. Copies and files do not hold it.
    dictionary_sizes_ : list of int
        Pairs learned from, first and in each refinement.
    n_features_in_ : int
        Dimension of the source.
    n_iter_ : int
        Steps of "gradient"; 1 for the other methods.

    Examples
    --------
    >>> import numpy as np
    >>> from quire.alignment import VectorMap, WordVectors
    >>> rng = np.random.default_rng(0)
    >>> A = rng.normal(size=(50, 4))
    >>> turn = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    >>> source = WordVectors([f"s{i}" for i in range(50)], A)
    >>> target = WordVectors([f"t{i}" for i in range(50)], A @ turn)
    >>> seed = [(f"s{i}", f"t{i}") for i in range(10)]
    >>> model = VectorMap().fit(source, target, seed)
    >>> f"{np.abs(model.R_ - turn).max():.6f}"
    '0.000000'
    >>> model.translate(["s42"], k=1)[0][0][0]
    't42'
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "method": [StrOptions({"gradient", "least_squares", "ridge", "orthogonal"})],
        "normalize": ["boolean"],
        "center": ["boolean"],
        "alpha": [Interval(Real, 0, None, closed="neither"), "array-like"],
        "learning_rate": [Interval(Real, 0, None, closed="neither"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "n_refinements": [Interval(Integral, 0, None, closed="left")],
        "refine_vocabulary": [Interval(Integral, 1, None, closed="left")],
        "neighborhood": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [Integral, None],
        "keep_steps": ["boolean"],
    }

    keep_steps: bool = False  # as in model files that were written before there was the parameter
    steps_: list[MapStep]

    _hub_scores: Singles | None

    def __init__(
        self,
        method: str = "orthogonal",
        *,
        normalize: bool = True,
        center: bool = False,
        alpha: float | Sequence[float] = 1.0,
        learning_rate: float | None = None,
        max_iter: int = 10_000,
        tol: float = 1e-6,
        n_refinements: int = 0,
        refine_vocabulary: int = 20_000,
        neighborhood: int = 10,
        n_jobs: int | None = None,
        keep_steps: bool = False,
    ) -> None:
        self.method = method
        self.normalize = normalize
        self.center = center
        self.alpha = alpha
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.tol = tol
        self.n_refinements = n_refinements
        self.refine_vocabulary = refine_vocabulary
        self.neighborhood = neighborhood
        self.n_jobs = n_jobs
        self.keep_steps = keep_steps

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, A: Any, B: Any, pairs: Any = None, *, missing: str = "error") -> VectorMap:
        """Learn the map.

        Parameters
        ----------
        A, B : array-like of shape (n_pairs, n_source) and (n_pairs, n_target), or WordVectors
            Vectors of the pairs, row by row; or the two vocabularies.
        pairs : iterable of (str, str), mapping or None, default=None
            Words of A and of B that belong together, for `WordVectors`.
        missing : {"error", "skip"}, default="error"
            What to do about pairs with a word that has no vector.

        Returns
        -------
        self : object
            The fitted estimator.

        Raises
        ------
        ValueError
            If an argument does not fit.
        KeyError
            If a word has no vector; the message names some that are close to it.
        """
        if isinstance(A, WordVectors) != isinstance(B, WordVectors):
            raise TypeError("A and B must both be WordVectors or both be arrays.")
        if isinstance(A, WordVectors):
            if pairs is None:
                raise ValueError(
                    "WordVectors need pairs: the words of A and B that belong together."
                )
            self.source_, self.target_ = A, B
            found = checked_pairs(A, B, pairs, missing)
            rows = np.column_stack([A.rows(s for s, _ in found), B.rows(t for _, t in found)])
            self._set_means(A.vectors, B.vectors)
            self._learn(A.vectors[rows[:, 0]], B.vectors[rows[:, 1]])
            self.dictionary_sizes_ = [len(rows)]
            self._refine(rows)
            return self
        if pairs is not None or self.n_refinements:
            raise ValueError("pairs and n_refinements need WordVectors; A and B are arrays.")
        A = validate_data(self, A, dtype=[np.float64, np.float32])
        if B is None:
            raise ValueError(
                "VectorMap requires y to be passed, but the target y is None: give B, the vectors "
                "in the target space that those of A belong to."
            )
        B = check_array(B, dtype=[np.float64, np.float32], ensure_2d=False, input_name="B")
        B = B.reshape(-1, 1) if B.ndim == 1 else B
        if len(A) != len(B):
            raise ValueError(f"A has {len(A)} rows and B {len(B)}; expected one of each per pair.")
        for name in ("source_", "target_"):
            self.__dict__.pop(name, None)
        self._set_means(A, B)
        self._learn(A, B)
        self.dictionary_sizes_ = [len(A)]
        return self

    def transform(self, X: Any) -> Floats:
        """Take vectors of the source to the target.

        Parameters
        ----------
        X : array-like of shape (n, n_source)
            Vectors.

        Returns
        -------
        ndarray of shape (n, n_target)
            Where they come to lie.
        """
        check_is_fitted(self, "R_")
        X = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        return self._prepared(X, self.source_mean_) @ self.R_ + self.target_mean_

    def translate(
        self, words: str | Iterable[str], k: int = 5, *, retrieval: str = "csls"
    ) -> list[list[tuple[str, float]]]:
        """Return the words of the target that are nearest to mapped words of the source.

        Parameters
        ----------
        words : str or iterable of str
            Words of the source.
        k : int, default=5
            How many for each; all if there are fewer.
        retrieval : {"nearest", "csls"}, default="csls"
            By cosine, or by cosine corrected for hubs.

        Returns
        -------
        list of list of (str, float)
            For each word its translations and their scores, the best first.
        """
        self._check_words()
        rows = self.source_.rows([words] if isinstance(words, str) else words)
        ids, scores = self._search(rows, k, retrieval)
        listed = self.target_.words
        return [
            [(listed[j], float(score)) for j, score in zip(of_word, of_scores, strict=True)]
            for of_word, of_scores in zip(ids, scores, strict=True)
        ]

    def precision_at_k(
        self,
        pairs: Any,
        ks: Sequence[int] = (1, 5, 10),
        *,
        retrieval: str = "csls",
        missing: str = "error",
    ) -> dict[int, float]:
        """Return the share of words with a right translation among the first k.

        Parameters
        ----------
        pairs : iterable of (str, str) or mapping
            Words and their translations; a word may have several.
        ks : sequence of int, default=(1, 5, 10)
            Values of k.
        retrieval : {"nearest", "csls"}, default="csls"
            As in :meth:`translate`.
        missing : {"error", "skip"}, default="error"
            What to do about pairs with a word that has no vector.

        Returns
        -------
        dict of int to float
            The share for every k.
        """
        self._check_words()
        if not len(ks) or min(ks) < 1:
            raise ValueError(f"ks is {ks}; expected positive numbers.")
        rows, gold = gold_targets(self.source_, self.target_, pairs, missing)
        ids = self._search(rows, max(ks), retrieval)[0]
        right = np.array([[j in of for j in row] for row, of in zip(ids, gold, strict=True)])
        return {k: float(right[:, :k].any(axis=1).mean()) for k in ks}

    def _search(
        self, rows: NDArray[np.int64], k: int, retrieval: str
    ) -> tuple[NDArray[np.int64], Singles]:
        if retrieval not in _RETRIEVAL:
            raise ValueError(f"retrieval is {retrieval!r}; expected 'nearest' or 'csls'.")
        if k < 1:
            raise ValueError(f"k is {k}; expected a positive number.")
        k, n_threads = min(k, len(self.target_)), effective_threads(self.n_jobs)
        Y = self._of_target(self.target_.vectors)
        if retrieval == "nearest":
            return nearest(self._mapped(self.source_.vectors[rows]), Y, k, n_threads)
        if self._hub_scores is None:
            everything = self._mapped(self.source_.vectors)
            if _MOST_WORDS * len(rows) > len(everything):
                of_all = csls_of_all(everything, Y, k, self.neighborhood, n_threads)
                self._hub_scores = of_all.hub_scores
                return of_all.ids[rows], of_all.values[rows]
            self._hub_scores = hubness(everything, Y, self.neighborhood, n_threads)
        X = self._mapped(self.source_.vectors[rows])
        return csls(X, Y, k, self._hub_scores, self.neighborhood, n_threads)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(cast("dict[str, Any]", super().__getstate__()))
        state.pop("steps_", None)
        return state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.single_output, tags.target_tags.multi_output = False, True
        return tags

    def _learn(self, A: NDArray[Any], B: NDArray[Any]) -> None:
        """Set R_ from the vectors of pairs."""
        A, B = self._prepared(A, self.source_mean_), self._prepared(B, self.target_mean_)
        self._hub_scores = None
        self.__dict__.pop("steps_", None)
        self.n_features_in_, self.n_iter_ = A.shape[1], 1
        if self.method == "orthogonal":
            self.R_ = solvers.orthogonal(A, B)
        elif self.method == "least_squares":
            self.R_ = solvers.least_squares(A, B)
        elif self.method == "ridge":
            alphas = np.atleast_1d(np.asarray(self.alpha, dtype=np.float64))
            if alphas.ndim != 1 or not len(alphas) or not (alphas > 0).all():
                raise ValueError(f"alpha is {self.alpha}; expected positive numbers.")
            path = solvers.ridge_path(A, B, list(alphas))
            best = int(np.argmin(path.errors))
            self.R_, self.alpha_ = path.maps[best], float(alphas[best])
            self.left_out_errors_ = path.errors
        else:
            found = solvers.gradient_descent(
                A, B, self.learning_rate, self.max_iter, self.tol, self.keep_steps
            )
            self.R_, self.losses_ = found.R, found.losses
            if self.keep_steps:
                self.steps_ = found.steps
            self.n_iter_ = max(1, len(found.losses))
            if not found.converged:
                gradient = solvers.loss_and_gradient(found.R, A, B)[1]
                first = 2.0 * float(np.linalg.norm(A.T @ B))
                reached = float(np.linalg.norm(gradient)) / max(first, np.finfo(float).tiny)
                warn_not_converged(
                    "VectorMap", self.max_iter, "norm of the gradient", reached, self.tol
                )
        self.loss_ = float(np.sum((A @ self.R_ - B) ** 2))

    def _refine(self, seed: NDArray[np.int64]) -> None:
        """Learn again from mutual neighbours, until they no longer change."""
        before = None
        for _ in range(self.n_refinements):
            n = self.refine_vocabulary
            X, Y = self._mapped(self.source_.vectors[:n]), self._of_target(self.target_.vectors[:n])
            found = mutually_best(X, Y, self.neighborhood, effective_threads(self.n_jobs))
            if before is not None and np.array_equal(found, before):
                break
            before = found
            rows = np.unique(np.vstack([seed, found]), axis=0)
            self._learn(self.source_.vectors[rows[:, 0]], self.target_.vectors[rows[:, 1]])
            self.dictionary_sizes_.append(len(rows))

    def _set_means(self, A: NDArray[Any], B: NDArray[Any]) -> None:
        self.source_mean_, self.target_mean_ = np.zeros(A.shape[1]), np.zeros(B.shape[1])
        if self.center:
            self.source_mean_, self.target_mean_ = self._mean_of(A), self._mean_of(B)

    def _mean_of(self, X: NDArray[Any]) -> Floats:
        total = np.zeros(X.shape[1])
        for start in range(0, len(X), _ROWS):
            total += self._prepared(X[start : start + _ROWS], np.zeros(X.shape[1])).sum(axis=0)
        return total / len(X)

    def _prepared(self, X: NDArray[Any], mean: Floats) -> Floats:
        X = np.asarray(X, dtype=np.float64)
        return (unit_rows(X) if self.normalize else X) - mean

    def _mapped(self, X: NDArray[Any]) -> Singles:
        """Return directions of mapped vectors, about the target's mean."""
        mapped = np.empty((len(X), self.R_.shape[1]), dtype=np.float32)
        for start in range(0, len(X), _ROWS):
            rows = slice(start, start + _ROWS)
            mapped[rows] = unit_rows(self._prepared(X[rows], self.source_mean_) @ self.R_)
        return _finite(mapped, "source")

    def _of_target(self, Y: NDArray[Any]) -> Singles:
        directions = np.empty(Y.shape, dtype=np.float32)
        for start in range(0, len(Y), _ROWS):
            rows = slice(start, start + _ROWS)
            directions[rows] = unit_rows(self._prepared(Y[rows], self.target_mean_))
        return _finite(directions, "target")

    def _check_words(self) -> None:
        check_is_fitted(self, "R_")
        if not hasattr(self, "source_"):
            raise ValueError(
                "This map was fitted on arrays and knows no words. Fit it on two WordVectors and "
                "pairs to translate."
            )


def unit_rows(X: Floats) -> Floats:
    """Scale rows to length 1; zeros stay zeros."""
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    scaled: Floats = X / np.where(lengths > 0, lengths, 1.0)
    return scaled


def _finite(X: Singles, whose: str) -> Singles:
    """Check vectors that came from a memory map, which nobody has looked at before."""
    if not np.isfinite(X).all():
        row = int(np.flatnonzero(~np.isfinite(X).all(axis=1))[0])
        raise ValueError(f"Row {row} of the {whose}'s vectors holds NaN or infinity. Leave it out.")
    return X
