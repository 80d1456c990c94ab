"""Losses of linear models: values written out, derivatives against differences, tails."""

import numpy as np
import pytest
from scipy import integrate, sparse, stats

from quire._shared.design import Design
from quire.optimize import (
    ElasticNetPenalty,
    LogisticLoss,
    MultinomialLoss,
    OrdinalLoss,
    SquaredLoss,
    check_gradient,
)
from quire.optimize._ordinal_links import LINKS, log_probability

LOSSES = ["squared", "logistic", "multinomial", "logit", "probit"]


def data(n=40, p=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.6)
    X[3] = 0.0  # an empty row
    X[:, 2] = 0.0  # an empty column
    return X, rng.random(n) * (rng.random(n) < 0.9), rng


def make(name, X, weights=None, fit_intercept=True, n=None):
    rng = np.random.default_rng(7)
    n = X.shape[0] if n is None else n
    if name == "squared":
        return SquaredLoss(X, rng.normal(size=n), weights, fit_intercept)
    if name == "logistic":
        return LogisticLoss(X, rng.integers(0, 2, n), weights, fit_intercept)
    if name == "multinomial":
        return MultinomialLoss(X, np.arange(n) % 3, weights, fit_intercept)
    return OrdinalLoss(X, np.arange(n) % 4, weights, link=name)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_derivatives_agree_with_differences(name, as_sparse, weighted, fit_intercept):
    X, weights, _ = data()
    loss = make(
        name,
        sparse.csr_array(X) if as_sparse else X,
        weights if weighted else None,
        fit_intercept,
    )
    for seed in (0, 1):
        check = check_gradient(loss, random_state=seed)
        assert check.gradient_error < 1e-8
        assert check.hessian_error < 1e-7


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("centered", [False, True])
@pytest.mark.parametrize("as_sparse", [False, True])
def test_hessian_as_a_matrix_and_its_diagonal(name, centered, as_sparse):
    X, weights, rng = data()
    design = Design(sparse.csr_array(X) if as_sparse else X, 2)
    loss = make(name, design.centered() if centered else design, weights)
    point = loss.at(loss.start() + 0.05 * rng.normal(size=loss.size))
    columns = np.stack([point.hessian_product(e) for e in np.eye(loss.size)], axis=1)
    np.testing.assert_allclose(point.hessian(), columns, atol=1e-12)
    np.testing.assert_allclose(point.hessian_diagonal, np.diag(columns), atol=1e-12)
    assert np.linalg.eigvalsh(columns).min() > -1e-12  # all these losses are convex


@pytest.mark.parametrize("name", LOSSES)
def test_weights_are_numbers_of_rows(name):
    X, _, rng = data()
    counts = rng.integers(0, 3, len(X))
    weighted, repeated = make(name, X, counts), _repeated(name, X, counts)
    w = np.linspace(-1, 1, weighted.size)
    assert weighted.value(w) == pytest.approx(repeated.value(w))
    np.testing.assert_allclose(weighted.gradient(w), repeated.gradient(w), atol=1e-14)


def _repeated(name, X, counts):
    whole = make(name, X)
    y = np.repeat(whole.y, counts)
    many = np.repeat(X, counts, axis=0)
    if name in ("logit", "probit"):
        return OrdinalLoss(many, y, link=name)
    return type(whole)(many, y)


def test_values_written_out():
    X, weights, rng = data()
    w, b = rng.normal(size=6), 0.3
    eta, s = X @ w + b, weights / weights.sum()
    y = rng.normal(size=40)
    assert SquaredLoss(X, y, weights).value([*w, b]) == pytest.approx(s @ (y - eta) ** 2 / 2)
    t = rng.integers(0, 2, 40)
    p = 1 / (1 + np.exp(-eta))
    likelihood = np.log(np.where(t == 1, p, 1 - p))
    assert LogisticLoss(X, t, weights).value([*w, b]) == pytest.approx(-s @ likelihood)
    k, W, c = np.arange(40) % 3, rng.normal(size=(6, 3)), rng.normal(size=3)
    e = np.exp(X @ W + c)
    likelihood = np.log(e[np.arange(40), k] / e.sum(axis=1))
    multinomial = MultinomialLoss(X, k, weights).value(np.concatenate([W.ravel(), c]))
    assert multinomial == pytest.approx(-s @ likelihood)
    ends = np.array([-np.inf, -1.0, 0.5, np.inf])
    for link, F in (("logit", stats.logistic.cdf), ("probit", stats.norm.cdf)):
        P = F(ends[k + 1] - X @ w) - F(ends[k] - X @ w)
        ordinal = OrdinalLoss(X, k, weights, link=link)
        assert ordinal.value([*w, -1.0, 0.5]) == pytest.approx(-s @ np.log(P))


LOG_DENSITIES = {
    "logit": lambda t: -np.abs(t) - 2 * np.log1p(np.exp(-np.abs(t))),
    "probit": lambda t: -(t**2) / 2 - np.log(2 * np.pi) / 2,
}


@pytest.mark.parametrize("link", ["logit", "probit"])
@pytest.mark.parametrize(
    ("a", "b"),
    [(-40, -39), (30, 30.5), (5, np.inf), (-1e-9, 1e-9), (0.2, 0.7), (-np.inf, -36), (-3, 9)],
)
def test_intervals_keep_their_digits_in_the_tails(link, a, b):
    """Against integrals of the density, divided by its largest value in the interval."""
    log_f = LOG_DENSITIES[link]
    top = log_f(np.clip(0.0, a, b))
    integral, _ = integrate.quad(lambda t: np.exp(log_f(t) - top), a, b, epsabs=0, epsrel=1e-11)
    log_p = top + np.log(integral)
    ends = np.array([a], dtype=float), np.array([b], dtype=float)
    at = LINKS[link](*ends, ends[1] - ends[0])
    assert at.loss[0] == pytest.approx(-log_p, rel=1e-7)
    for end, found in ((a, at.lower[0]), (b, at.upper[0])):
        expected = np.exp(log_f(end) - log_p) if np.isfinite(end) else 0.0
        assert found == pytest.approx(expected, rel=1e-6)
    assert at.score_score[0] >= 0


def test_probabilities_add_up_to_one_and_empty_classes_have_none():
    latent = np.array([-900.0, -3.0, 0.0, 2.0, 900.0])
    thresholds = np.array([-np.inf, -1.0, -1.0, 0.5, np.inf])
    for link in ("logit", "probit"):
        P = np.exp(log_probability(latent, thresholds, link))
        np.testing.assert_allclose(P.sum(axis=1), 1)
        assert (P[:, [0, 2, 5]] == 0).all()


def test_logistic_loss_of_huge_scores_is_finite():
    loss = LogisticLoss([[1e4], [-1e4], [1e4]], [1, 0, 0], fit_intercept=False)
    assert loss.value([1.0]) == pytest.approx(1e4 / 3)
    assert np.isfinite(loss.gradient([1.0])).all()


def test_ordinal_loss_is_infinite_where_thresholds_do_not_rise():
    loss = OrdinalLoss(np.eye(4), [0, 1, 2, 1])
    assert loss.value(np.array([0, 0, 0, 0, 1.0, 1.0])) == np.inf
    assert loss.value(np.array([0, 0, 0, 0, 1.0, 0.0])) == np.inf


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda X: SquaredLoss(X, np.ones(3)), "y has shape"),
        (lambda X: SquaredLoss(X, np.ones(5), np.ones(3)), "sample_weight has shape"),
        (lambda X: SquaredLoss(X, np.ones(5), -np.ones(5)), "not negative"),
        (lambda X: SquaredLoss(X, np.ones(5), np.zeros(5)), "not all zero"),
        (lambda X: LogisticLoss(X, [0, 1, 2, 1, 0]), "codes 0 and 1"),
        (lambda X: MultinomialLoss(X, [0, 1, -1, 1, 0]), "codes of classes"),
        (lambda X: MultinomialLoss(X, [0, 1, 2, 1, 0], n_classes=2), "n_classes"),
        (lambda X: OrdinalLoss(X, [0, 1, 3, 1, 0]), "all must occur"),
        (lambda X: OrdinalLoss(X, [0, 0, 0, 0, 0]), "two or more"),
        (lambda X: OrdinalLoss(X, [0, 1, 0, 0, 0], link="cauchit"), "link is 'cauchit'"),
        (lambda X: SquaredLoss(X, np.ones(5)).value(np.ones(9)), "parameters"),
        (lambda X: ElasticNetPenalty(l1=-1.0), "l1 is -1"),
    ],
)
def test_wrong_input_is_named(build, message):
    with pytest.raises(ValueError, match=message):
        build(np.ones((5, 2)))


def test_penalty():
    penalty = ElasticNetPenalty(l1=0.5, l2=2.0)
    w = np.array([1.0, -2.0, 0.0])
    assert penalty.value(w) == pytest.approx(1.5 + 5.0)
    # prox: the minimum over a fine grid
    v = np.linspace(-3, 3, 600_001)
    for at in (-2.0, 0.05, 1.3):
        best = v[np.argmin(0.5 * np.abs(v) + v**2 + (v - at) ** 2 / (2 * 0.3))]
        assert penalty.prox(np.array([at]), 0.3)[0] == pytest.approx(best, abs=1e-5)
    # Fenchel: g(w) + g*(z) >= z'w, equal where z is a subgradient
    z = penalty.l2 * w + penalty.l1 * np.sign(w)
    assert penalty.value(w) + penalty.conjugate(z) == pytest.approx(z @ w)
    assert ElasticNetPenalty(l1=1.0).conjugate(np.array([1.5])) == np.inf
    np.testing.assert_array_equal(penalty.least_subgradient(w, -z), [0, 0, 0])
