"""Principal components: equal to scikit-learn's, exact on sparse data, and readable."""

import matplotlib
import numpy as np
import pytest
from scipy import sparse
from sklearn import decomposition as sk
from sklearn.datasets import load_iris, make_low_rank_matrix
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from quire.decomposition import PCA, TruncatedSVD, _choose, choose_components
from quire.decomposition import _block_krylov as krylov
from quire.decomposition._reading import broken_sticks

matplotlib.use("Agg")


def text_like(n, p, density=0.02, seed=0):
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n, p), density=density, rng=rng, format="csr")
    return X @ sparse.diags_array(1.0 / np.sqrt(1.0 + np.arange(p)))


def assert_same_components(ours, theirs, tol):
    np.testing.assert_allclose(ours.singular_values_, theirs.singular_values_, rtol=tol)
    np.testing.assert_allclose(ours.components_, theirs.components_, atol=tol)
    np.testing.assert_allclose(ours.explained_variance_, theirs.explained_variance_, rtol=tol)
    np.testing.assert_allclose(
        ours.explained_variance_ratio_, theirs.explained_variance_ratio_, rtol=tol
    )


@pytest.mark.parametrize("shape", [(120, 80), (80, 120), (1300, 1500), (1500, 1300)])
@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_matrix, np.asarray])
def test_pca_equals_scikit_learns(shape, kind):
    X = text_like(*shape, density=0.05)
    X = X.toarray() if kind is np.asarray else kind(X)
    ours = PCA(6, svd_solver="arpack", random_state=0).fit(X)
    theirs = sk.PCA(6, svd_solver="arpack", random_state=0).fit(X)
    assert_same_components(ours, theirs, 1e-7)
    np.testing.assert_allclose(ours.noise_variance_, theirs.noise_variance_, rtol=1e-9)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), atol=1e-7)
    whole = PCA(6, svd_solver="arpack", whiten=True, random_state=0)
    np.testing.assert_allclose(whole.fit_transform(X), whole.transform(X), atol=1e-7)


@pytest.mark.parametrize("shape", [(150, 60), (60, 150)])
@pytest.mark.parametrize("n_components", [5, 0.6, None, "mle"])
def test_sparse_covariance_and_its_numbers_of_components(shape, n_components):
    if n_components == "mle" and shape[0] < shape[1]:
        with pytest.raises(ValueError, match="n_samples >= n_features"):
            PCA("mle").fit(text_like(*shape, density=0.3))
        return
    X = text_like(*shape, density=0.3)
    ours = PCA(n_components, svd_solver="covariance_eigh").fit(X)
    theirs = sk.PCA(n_components, svd_solver="full").fit(X.toarray())
    assert ours.n_components_ == theirs.n_components_
    k = min(5, ours.n_components_)
    np.testing.assert_allclose(ours.singular_values_[:k], theirs.singular_values_[:k], rtol=1e-8)
    np.testing.assert_allclose(ours.components_[:k], theirs.components_[:k], atol=1e-7)
    if n_components in (0.6, "mle"):  # of all solvers
        assert PCA(n_components).fit(X).n_components_ == theirs.n_components_


@pytest.mark.parametrize("algorithm", ["arpack", "randomized"])
@pytest.mark.parametrize("shape", [(90, 130), (1400, 1600)])
def test_truncated_svd_equals_arpack(algorithm, shape):
    X = text_like(*shape, density=0.05)
    ours = TruncatedSVD(5, algorithm=algorithm, random_state=1).fit(X)
    theirs = sk.TruncatedSVD(5, algorithm="arpack", random_state=0).fit(X)
    assert_same_components(ours, theirs, 1e-7 if algorithm == "arpack" else 2e-3)
    np.testing.assert_allclose(ours.transform(X), X @ ours.components_.T, atol=1e-12)


def test_large_sparse_residuals_are_rounding():
    X = text_like(2500, 4000)
    model = PCA(40, random_state=0)
    Z = model.fit_transform(X)
    centred = X.toarray() - X.toarray().mean(axis=0)
    U = Z / model.singular_values_
    residual = centred.T @ U - model.components_.T * model.singular_values_
    assert np.abs(residual).max() < 1e-12 * model.singular_values_[0]
    np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(40), atol=1e-12)


def test_found_residuals_are_what_was_promised():
    """Orthogonality that is lost on the way would make the vectors worse than T says."""
    rng = np.random.default_rng(0)
    values = np.concatenate([[1e3, 1e2], np.linspace(10, 5, 60), np.linspace(4, 0, 1438)])
    Q = np.linalg.qr(rng.normal(size=(1500, 1500)))[0]
    S = (Q * values) @ Q.T
    found = krylov.largest_eigenpairs(lambda V: S @ V, rng.normal(size=(1500, 8)), 60, 0, 320, 1)
    assert found.converged
    residual = np.linalg.norm(S @ found.vectors - found.vectors * found.values, axis=0).max()
    assert residual < 2e-14 * values[0]
    np.testing.assert_allclose(found.vectors.T @ found.vectors, np.eye(60), atol=1e-13)


@pytest.mark.parametrize("cls", [PCA, TruncatedSVD])
def test_threads_and_seeds_change_nothing(cls):
    X = text_like(1500, 2000)
    one, three = (cls(8, random_state=0, n_jobs=n).fit(X).components_ for n in (1, 3))
    np.testing.assert_array_equal(one, three)
    exact = {"svd_solver": "arpack"} if cls is PCA else {"algorithm": "arpack"}
    a, b = (cls(8, random_state=s, **exact).fit(X).components_ for s in (0, 1))
    np.testing.assert_allclose(a, b, atol=1e-9)


def test_float32_stays():
    X = text_like(200, 300).astype(np.float32)
    for model in (PCA(3), TruncatedSVD(3), PCA(0.5)):
        assert model.fit_transform(X).dtype == np.float32
        assert model.components_.dtype == np.float32


@pytest.mark.parametrize("most", [60, 200])
def test_block_krylov_with_and_without_restarts(most):
    rng = np.random.default_rng(0)
    values = np.concatenate([np.linspace(2, 1.2, 20), np.linspace(1, 0, 480)])
    Q = np.linalg.qr(rng.normal(size=(500, 500)))[0]
    S = (Q * values) @ Q.T
    found = krylov.largest_eigenpairs(lambda V: S @ V, rng.normal(size=(500, 8)), 20, 0, most, 1)
    assert found.converged
    np.testing.assert_allclose(found.values, values[:20], rtol=1e-12)
    assert np.abs(S @ found.vectors - found.vectors * found.values).max() < 1e-12


def test_block_krylov_of_low_rank_and_of_nothing():
    rng = np.random.default_rng(1)
    L = rng.normal(size=(300, 5))
    start = rng.normal(size=(300, 8))
    found = krylov.largest_eigenpairs(lambda V: L @ (L.T @ V), start, 7, 1e-12, 80, 1)
    np.testing.assert_allclose(found.values[:5], np.linalg.eigvalsh(L.T @ L)[::-1], rtol=1e-10)
    np.testing.assert_allclose(found.values[5:], 0, atol=1e-9)
    found = krylov.largest_eigenpairs(np.zeros_like, start, 3, 1e-12, 80, 1)
    np.testing.assert_array_equal(found.values, 0)


def test_too_few_products_are_told(monkeypatch):
    monkeypatch.setattr(krylov, "_MOST_PRODUCTS", 3)
    with pytest.warns(ConvergenceWarning, match="truncated SVD did not converge"):
        PCA(10, random_state=0).fit(text_like(1500, 1600))


def test_duplicates_and_constant_columns():
    X = sparse.csr_array(np.tile([[1.0, 2.0, 0.0, 5.0]], (30, 1)))
    X = sparse.vstack([X, 2 * X[:5]]).tocsr()
    model = PCA(2).fit(X)
    np.testing.assert_allclose(model.explained_variance_ratio_, [1, 0], atol=1e-12)
    np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(2), atol=1e-12)


@pytest.mark.parametrize(
    ("model", "X", "match"),
    [
        (PCA(9), text_like(30, 9), "strictly less than"),
        (PCA(50), text_like(30, 40), "between 1 and"),
        (PCA(3, svd_solver="full"), text_like(30, 40), "arpack"),
        (PCA(2), sparse.csr_array([[1.0, np.nan], [2, 3]]), "NaN"),
        (TruncatedSVD(50), text_like(60, 40), "n_features"),
        (TruncatedSVD(40, algorithm="arpack"), text_like(60, 40), "below both sides"),
    ],
)
def test_bad_input(model, X, match):
    with pytest.raises((ValueError, TypeError), match=match):
        model.fit(X)


def test_features_must_fit():
    model = PCA(2).fit(text_like(30, 9))
    with pytest.raises(ValueError, match="9 features"):
        model.transform(text_like(5, 8))


def test_loadings_are_covariances_and_contributions_shares():
    X = load_iris().data
    model = PCA().fit(X)
    scores = model.transform(X) / np.sqrt(model.explained_variance_)
    expected = (X - X.mean(axis=0)).T @ scores / (len(X) - 1)
    np.testing.assert_allclose(model.loadings_, expected, atol=1e-10)
    np.testing.assert_allclose(model.contributions().sum(axis=0), 1)
    terms = model.top_terms(2, feature_names=list("abcd"))
    assert {number: len(variables) for number, variables in terms.items()} == dict.fromkeys(
        range(4), 2
    )
    assert (terms[0][0].term, round(terms[0][0].weight, 3)) == ("c", 0.857)
    with pytest.raises(ValueError, match="2 names"):
        model.top_terms(feature_names=["a", "b"])
    with pytest.raises(NotFittedError):
        PCA().contributions()


def test_plots():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = PCA().fit(X)
    ax = model.plot_scree()
    np.testing.assert_allclose(ax.lines[0].get_ydata(), model.explained_variance_ratio_)
    np.testing.assert_allclose(ax.lines[1].get_ydata(), broken_sticks(4))
    ax = model.plot_biplot(X, labels=y)
    assert len(ax.lines) == 3
    assert "petal length (cm)" in [text.get_text() for text in ax.texts]
    assert "92.5%" in ax.get_xlabel()
    for options, match in (({"components": (0, 9)}, "from 0 to 3"), ({"labels": [1]}, "150")):
        with pytest.raises(ValueError, match=match):
            model.plot_biplot(X, **options)
    matplotlib.pyplot.close("all")


def test_broken_sticks_are_those_of_the_literature():
    np.testing.assert_allclose(broken_sticks(3), [11 / 18, 5 / 18, 2 / 18])


def planted(n, p, rank, rng):
    signal = rng.normal(size=(n, rank)) @ rng.normal(size=(rank, p)) * 3
    return signal + rng.normal(size=(n, p))


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("shape", [(300, 20), (40, 60)])
def test_rules_find_a_planted_number(kind, shape):
    X = kind(planted(*shape, 3, np.random.default_rng(0)))
    rules = ["kaiser", "broken_stick", "parallel"] + ["mle"] * (shape[0] > shape[1])
    assert [choose_components(X, rule, random_state=0) for rule in rules] == [3] * len(rules)
    share = choose_components(X, share=0.8)
    dense = X.toarray() if sparse.issparse(X) else X
    assert share == sk.PCA(0.8, svd_solver="full").fit(dense).n_components_


def test_rules_of_a_fitted_model():
    X = make_low_rank_matrix(200, 50, effective_rank=5, random_state=0)
    for rule in ("variance", "kaiser", "broken_stick"):
        assert choose_components(PCA(40).fit(X), rule) == choose_components(X, rule)
    with pytest.raises(ValueError, match="may need more"):
        choose_components(PCA(2).fit(X), "variance", share=0.99)


@pytest.mark.parametrize(
    ("X", "options", "match"),
    [
        (np.ones((5, 3)), {}, "constant"),
        (np.eye(3), {"rule": "elbow"}, "expected one of 'variance'"),
        (np.eye(3), {"share": 1.5}, "between 0 and 1"),
        (np.random.default_rng(0).normal(size=(3, 9)), {"rule": "mle"}, "as many samples"),
        (PCA(2).fit(np.eye(4)), {"rule": "parallel"}, "needs the data"),
    ],
)
def test_bad_choices(X, options, match):
    with pytest.raises(ValueError, match=match):
        choose_components(X, **options)


@pytest.mark.parametrize("kind", [sparse.csr_array, np.asarray])
@pytest.mark.parametrize("n_components", [2, 0.9, None])
def test_steps_take_the_components_out_one_by_one(kind, n_components):
    X = text_like(60, 12, density=0.3).toarray()
    model = PCA(n_components, random_state=0, keep_steps=True).fit(kind(X))
    assert len(model.steps_) == model.n_components_
    rest = X - X.mean(axis=0)
    for k, step in enumerate(model.steps_):
        np.testing.assert_array_equal(step.component, model.components_[k])
        assert step.variance == pytest.approx((rest @ step.component).var(ddof=1))
        others = np.random.default_rng(k).normal(size=(50, 12))
        others /= np.linalg.norm(others, axis=1, keepdims=True)
        assert (rest @ others.T).var(axis=0, ddof=1).max() <= step.variance
        rest = rest - np.outer(rest @ step.component, step.component)
        assert step.remaining == pytest.approx(rest.var(axis=0, ddof=1).sum(), abs=1e-12)
    model.set_params(keep_steps=False).fit_transform(X)
    assert not hasattr(model, "steps_")


def correlated(seed, scale=1.0, n=200, p=10, noise=1.0):
    rng = np.random.default_rng(seed)
    two = rng.normal(size=(n, 2)) @ rng.normal(size=(2, p))
    return (two + noise * rng.normal(size=(n, p))) * scale


@pytest.mark.parametrize("scale", [1.0, np.geomspace(1, 1000, 10)], ids=["alike", "different"])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("seed", range(4))
def test_parallel_analysis_finds_two_components(seed, kind, scale):
    X = kind(correlated(seed, scale))
    assert choose_components(X, "parallel") == 2
    assert choose_components(X, "parallel", random_state=seed + 1) == 2


def test_parallel_analysis_answers_the_same_every_time(monkeypatch):
    X = correlated(0, noise=3.6)  # a second component that is hardly there
    counted = []
    shuffled = _choose._shuffled
    monkeypatch.setattr(_choose, "_shuffled", lambda *a: counted.append(0) or shuffled(*a))
    first = choose_components(X, "parallel")
    assert len(counted) == 1000  # ten times the least: the answer hangs by a few
    assert {choose_components(X, "parallel") for _ in range(3)} == {first}
    counted.clear()
    choose_components(X, "parallel", n_shuffles=7)
    assert len(counted) == 7
    counted.clear()
    assert choose_components(correlated(1, noise=0.1), "parallel") == 2
    assert len(counted) == 100


def test_parallel_analysis_is_that_of_horn():
    """Eigenvalues of the correlation matrix against those of shuffled columns."""
    X = correlated(3, np.arange(1, 11), noise=1.5)
    rng = np.random.RandomState(5)
    null = []
    for _ in range(60):
        shuffled = np.column_stack([X[rng.permutation(len(X)), j] for j in range(10)])
        null.append(np.linalg.eigvalsh(np.corrcoef(shuffled.T))[::-1])
    above = np.linalg.eigvalsh(np.corrcoef(X.T))[::-1] > np.quantile(null, 0.9, axis=0)
    expected = int(np.argmin(above))
    found = choose_components(X, "parallel", n_shuffles=60, quantile=0.9, random_state=5)
    assert found == expected


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("rule", ["variance", "kaiser", "broken_stick", "parallel", "mle"])
def test_standardised_columns(kind, rule):
    X = correlated(2, np.geomspace(1, 1000, 10))
    X[:, 4] = 7.0  # a constant column says nothing
    Z = np.delete(X, 4, axis=1)
    Z = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    expected = choose_components(Z, rule, standardize=False)
    assert choose_components(kind(X), rule, standardize=True) == expected
    if rule == "kaiser":
        assert expected == np.sum(np.linalg.eigvalsh(np.corrcoef(Z.T)) > 1)
        assert choose_components(X, rule) == choose_components(X, rule, standardize=False)
        assert choose_components(X, rule) != expected


def test_what_cannot_be_standardised():
    with pytest.raises(ValueError, match="constant"):
        choose_components(np.ones((5, 3)), "parallel")
    with pytest.raises(ValueError, match="needs the data"):
        choose_components(PCA().fit(correlated(0)), standardize=True)
    with pytest.raises(ValueError, match="n_shuffles is 0"):
        choose_components(correlated(0), "parallel", n_shuffles=0)
