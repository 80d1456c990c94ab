r"""How many principal components to keep, by five rules.

=================  ===============================================================================
rule               keeps
=================  ===============================================================================
``variance``       as few as reach a share of the variance
``kaiser``         those with more than the mean variance of a feature
``broken_stick``   the first ones whose share is above that of a stick broken at random
``parallel``       the first ones above the given quantile of data whose columns were shuffled,
                   all columns brought to variance 1
``mle``            as many as Minka's approximation to the evidence prefers
=================  ===============================================================================

References
----------
Jackson, D. A. (1993). Stopping rules in principal components analysis. Ecology, 74, 2204-2214.
Horn, J. L. (1965). A rationale and test for the number of factors. Psychometrika, 30, 179-185.
Minka, T. P. (2000). Automatic choice of dimensionality for PCA. NIPS 13, 598-604.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.decomposition import PCA as _PCA
from sklearn.utils import check_random_state
from sklearn.utils.sparsefuncs import mean_variance_axis
from sklearn.utils.validation import check_is_fitted

from quire._shared.sklearn import infer_dimension
from quire._shared.threads import effective_threads
from quire._shared.typing import Floats
from quire._shared.validation import check_array
from quire.decomposition._operator import CenteredOperator
from quire.decomposition._reading import broken_sticks

__all__ = ["choose_components"]


_RULES = ("variance", "kaiser", "broken_stick", "parallel", "mle")
_MOST_FORMED = 10_000
_SHUFFLES = 100
_CONSTANT = "All features of X are constant, so that there is no variance to divide."


def choose_components(
    X: Any,
    rule: str = "variance",
    *,
    share: float = 0.9,
    n_shuffles: int | None = None,
    quantile: float = 0.95,
    random_state: Any = 0,
    n_jobs: int | None = None,
    standardize: bool | None = None,
) -> int:
    """Choose a number of principal components.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features) or fitted PCA
        The data, or a model of them. A model with fewer components than the rule would need is
        an error for "variance", "kaiser" and "broken_stick".
    rule : {"variance", "kaiser", "broken_stick", "parallel", "mle"}, default="variance"
        See the table above. "parallel" and "mle" need the data.
    share : float, default=0.9
        Share of variance to reach, for "variance".
    n_shuffles : int, default=None
        Shuffled data sets, for "parallel". ``None`` means 100, and where the answer hangs by a few
        of them more, up to 1,000.
    quantile : float, default=0.95
        What a variance has to exceed among shuffled data, for "parallel".
    random_state : int, RandomState instance or None, default=0
        Shuffles, for "parallel". With the default the answer is the same every time.
    n_jobs : int, default=None
        Threads; ``None`` means all cores.
    standardize : bool, default=None
        Whether columns are brought to variance 1 first, as for a PCA of standardised columns;
        constant ones are left out. ``None`` means yes for "parallel" and no for the other rules.
        Horn's rule compares correlations: shuffling leaves the variances of the columns as they
        are, and where these differ the largest ones hide what the columns have in common.

    Returns
    -------
    int
        The number of components, which may be 0 except for "variance" and "mle".

    Raises
    ------
    ValueError
        If an argument does not fit, or the data are constant.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from quire.decomposition import choose_components
    >>> X = load_iris().data
    >>> [choose_components(X, rule, random_state=0)
    ...  for rule in ("variance", "kaiser", "broken_stick", "parallel", "mle")]
    [1, 1, 1, 1, 3]

    Two things that nine columns of different size have in common:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> two = rng.normal(size=(200, 2)) @ rng.normal(size=(2, 9)) + rng.normal(size=(200, 9))
    >>> choose_components(two * np.geomspace(1, 100, 9), "parallel")
    2
    """
    if rule not in _RULES:
        raise ValueError(f"rule is {rule!r}; expected one of {', '.join(map(repr, _RULES))}.")
    for name, value in (("share", share), ("quantile", quantile)):
        if not 0 < value < 1:
            raise ValueError(f"{name} is {value!r}; expected a number between 0 and 1.")
    if n_shuffles is not None and n_shuffles < 1:
        raise ValueError(f"n_shuffles is {n_shuffles!r}; expected at least 1, or None.")
    if isinstance(X, _PCA):
        if standardize:
            raise ValueError("standardize=True needs the data: give X rather than a fitted model.")
        return _of_model(X, rule, share)
    X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_min_samples=2)
    n_threads = effective_threads(n_jobs)
    if rule == "parallel" if standardize is None else standardize:
        X = _standardized(X)
    variances = _variances(X, n_threads)
    total = variances.sum()
    if not total > 0:
        raise ValueError(_CONSTANT)
    if rule == "parallel":
        rng = check_random_state(random_state)
        return _parallel(X, variances, n_shuffles, quantile, rng, n_threads)
    if rule == "mle":
        if X.shape[0] < X.shape[1]:
            raise ValueError(
                f"rule='mle' needs at least as many samples as features; X has {X.shape[0]} samples"
                f" and {X.shape[1]} features. Use 'parallel' or 'broken_stick'."
            )
        return int(infer_dimension(variances, X.shape[0]))
    return _by_spectrum(variances, total, X.shape[1], len(variances), rule, share)


def _of_model(model: Any, rule: str, share: float) -> int:
    check_is_fitted(model)
    if rule in ("parallel", "mle"):
        raise ValueError(f"rule={rule!r} needs the data: give X rather than a fitted model.")
    variances = np.asarray(model.explained_variance_, dtype=np.float64)
    total = float(variances[0] / model.explained_variance_ratio_[0])
    n_features = model.components_.shape[1]
    size = min(model.n_samples_, n_features)
    found = _by_spectrum(variances, total, n_features, size, rule, share)
    if found >= len(variances) and len(variances) < size:
        reached = variances.sum() / total
        if rule != "variance" or reached < share:
            raise ValueError(
                f"The model has {len(variances)} components, with {reached:.1%} of the variance, "
                f"and rule={rule!r} may need more. Fit more components, or give X."
            )
    return found


def _by_spectrum(
    variances: Floats, total: float, n_features: int, size: int, rule: str, share: float
) -> int:
    if rule == "kaiser":
        return int(np.sum(variances > total / n_features))
    if rule == "broken_stick":
        return _leading(variances / total > broken_sticks(size)[: len(variances)])
    reached = np.cumsum(variances) / total
    return min(int(np.searchsorted(reached, share)) + 1, len(variances))


def _leading(above: NDArray[np.bool_]) -> int:
    """Return how many are true before the first that is not."""
    return len(above) if above.all() else int(np.argmin(above))


def _parallel(
    X: Any,
    variances: Floats,
    n_shuffles: int | None,
    quantile: float,
    rng: np.random.RandomState,
    n_threads: int,
) -> int:
    """Return how many variances are above the quantile of those of shuffled data."""
    shuffled: list[Floats] = []
    least, most = (_SHUFFLES, 10 * _SHUFFLES) if n_shuffles is None else (n_shuffles, n_shuffles)
    while True:
        step = least if not shuffled else _SHUFFLES
        shuffled += [_variances(_shuffled(X, rng), n_threads) for _ in range(step)]
        found = _leading(variances > np.quantile(shuffled, quantile, axis=0))
        # The share of shuffled data below the last variance that is kept and the first that is not
        # decides; it is known up to its standard error.
        below = np.mean(np.less(shuffled, variances), axis=0)[max(found - 1, 0) : found + 1]
        error = np.sqrt(quantile * (1 - quantile) / len(shuffled))
        if len(shuffled) >= most or (np.abs(below - quantile) > 2 * error).all():
            return found


def _standardized(X: Any) -> Any:
    """Return the columns that vary, with variance 1; a sparse matrix is scaled, not centred."""
    is_sparse = sparse.issparse(X)
    if is_sparse:
        X = sparse.csc_array(X)
        varies = X.max(axis=0).toarray().ravel() > X.min(axis=0).toarray().ravel()
    else:
        varies = X.max(axis=0) > X.min(axis=0)
    if not varies.any():
        raise ValueError(_CONSTANT)
    X = X[:, varies]
    if is_sparse:
        scale = 1.0 / np.sqrt(mean_variance_axis(X, axis=0)[1])
        return sparse.csr_array(X @ sparse.diags_array(scale))
    X = X - X.mean(axis=0)
    return X / np.sqrt((X**2).mean(axis=0))


def _variances(X: Any, n_threads: int) -> Floats:
    """Return the variances along all components."""
    n, p = X.shape
    if min(n, p) > _MOST_FORMED:
        raise ValueError(
            f"X is {n} x {p}: all variances would need a matrix of {min(n, p)} x {min(n, p)}. Give "
            "a fitted PCA with some components, or a sample of the rows."
        )
    values = np.linalg.eigvalsh(CenteredOperator(X, True, n_threads).gram(n < p))[::-1]
    variances: Floats = np.maximum(values, 0) / (n - 1)
    return variances


def _shuffled(X: Any, rng: np.random.RandomState) -> Any:
    """Return X with every column in an order of its own; a sparse one stays sparse."""
    n, p = X.shape
    if not sparse.issparse(X):
        return np.column_stack([X[rng.permutation(n), j] for j in range(p)])
    columns = sparse.csc_array(X)
    rows = [rng.choice(n, count, replace=False) for count in np.diff(columns.indptr)]
    indices = np.concatenate(rows) if rows else columns.indices
    return sparse.csr_array(sparse.csc_array((columns.data, indices, columns.indptr), (n, p)))
