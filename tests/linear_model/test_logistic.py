"""LogisticRegression: the minimum, its options, and what can be read from it."""

import pickle
import warnings

import numpy as np
import pytest
import sklearn.linear_model
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier

from quire._shared.evidence import GivesEvidence
from quire.linear_model import LogisticRegression
from quire.linear_model._engines.logistic_problem import LogisticProblem
from quire.linear_model._engines.newton_systems import DenseSystem, SparseSystem
from quire.linear_model._engines.smooth_logistic import smooth_logistic


def data(n_classes=3, n=300, p=20, seed=0, form=np.asarray, dtype=np.float64):
    X, y = make_classification(
        n, p, n_informative=8, n_classes=n_classes, flip_y=0.2, random_state=seed
    )
    X *= np.random.default_rng(seed).random(X.shape) < 0.5
    return form(X.astype(dtype)), y


def objective(model, X, y, weights=None):
    """C sum of losses + penalty of W."""
    codes = np.searchsorted(model.classes_, y)
    log_p = model.predict_log_proba(X)[np.arange(len(y)), codes]
    weights = np.ones(len(y)) if weights is None else weights
    return -model.C * (weights * log_p).sum() + 0.5 * (model.coef_**2).sum()


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_weights_are_those_of_scikit_learn(n_classes, form, fit_intercept, weighted):
    X, y = data(n_classes, form=form)
    weights = np.random.default_rng(1).integers(0, 3, len(y)) if weighted else None
    options = {"C": 0.7, "fit_intercept": fit_intercept}
    ours = LogisticRegression(**options, tol=1e-9).fit(X, y, weights)
    theirs = sklearn.linear_model.LogisticRegression(
        **options, solver="newton-cg", tol=1e-10, max_iter=500
    ).fit(X, y, weights)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.coef_.shape == theirs.coef_.shape
    assert ours.intercept_.shape == theirs.intercept_.shape


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_objective_is_no_worse_than_that_of_any_solver(n_classes, form):
    X, y = data(n_classes, form=form)
    ours = objective(LogisticRegression().fit(X, y), X, y)
    for solver in ("lbfgs", "newton-cg", "newton-cholesky", "sag", "saga"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            other = sklearn.linear_model.LogisticRegression(solver=solver, random_state=0).fit(X, y)
        assert ours <= objective(other, X, y) * (1 + 1e-7)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(("l1_ratio", "dual"), [(0, False), (0, True), (1, False)])
def test_liblinear_penalises_the_intercept(form, l1_ratio, dual):
    X, y = data(2, form=form)
    options = {"solver": "liblinear", "l1_ratio": l1_ratio, "dual": dual, "intercept_scaling": 2.0}
    ours = LogisticRegression(**options, tol=1e-9).fit(X, y)
    theirs = sklearn.linear_model.LogisticRegression(
        **options, tol=1e-11, max_iter=100_000, random_state=0
    ).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("solver", ["newton", "auto", "sag", "newton-cholesky"])
def test_every_solver_has_the_same_minimum(n_classes, solver):
    X, y = data(n_classes)
    expected = LogisticRegression(tol=1e-10).fit(X, y)
    found = LogisticRegression(solver=solver, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(found.coef_, expected.coef_, atol=1e-7)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_gradient_descent_gets_there_in_the_end(n_classes, form, fit_intercept):
    X, y = data(n_classes, form=form)
    options = {"C": 0.1, "fit_intercept": fit_intercept}
    expected = LogisticRegression(tol=1e-10, **options).fit(X, y)
    slow = LogisticRegression(solver="gradient-descent", tol=1e-7, max_iter=10_000, **options)
    slow.fit(X, y)
    assert slow.solver_ == "gradient-descent"
    assert slow.n_iter_[0] > expected.n_iter_[0]
    np.testing.assert_allclose(slow.coef_, expected.coef_, atol=1e-5)
    np.testing.assert_allclose(slow.intercept_, expected.intercept_, atol=1e-4)
    with pytest.warns(ConvergenceWarning, match=r"did not converge in 2 iterations: largest"):
        slow.set_params(max_iter=2).fit(X, y)


def test_solvers_refuse_what_they_cannot_do():
    X, y = data(3)
    with pytest.raises(ValueError, match="Solver newton supports only 'l2' or None penalties"):
        LogisticRegression(solver="newton", l1_ratio=0.5).fit(X, y)
    with pytest.raises(ValueError, match="Solver auto supports only dual=False"):
        LogisticRegression(solver="auto", dual=True).fit(X, y)
    with pytest.raises(ValueError, match="Solver lbfgs supports only 'l2' or None penalties"):
        LogisticRegression(l1_ratio=0.5).fit(X, y)
    with pytest.raises(ValueError, match="'liblinear' solver does not support multiclass"):
        LogisticRegression(solver="liblinear").fit(X, y)
    with pytest.raises(ValueError, match="factorises a Hessian of 30,003 rows"):
        LogisticRegression(solver="newton").fit(sparse.random_array((30, 10_000)), y[:30])
    with pytest.raises(ValueError, match="at least 2 classes in the data"):
        LogisticRegression().fit(X, np.zeros(len(X)))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("l1_ratio", [0.5, 1.0])
def test_auto_takes_every_penalty(n_classes, l1_ratio):
    X, y = data(n_classes)
    ours = LogisticRegression(solver="auto", l1_ratio=l1_ratio, C=0.1, tol=1e-8).fit(X, y)
    theirs = sklearn.linear_model.LogisticRegression(
        solver="saga", l1_ratio=l1_ratio, C=0.1, tol=1e-8, max_iter=20_000, random_state=0
    ).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-5)
    assert (ours.coef_ == 0).any()
    assert ours.solver_ == "working-set"


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_single_precision_in_and_out(form):
    X, y = data(form=form, dtype=np.float32)
    model = LogisticRegression().fit(X, y)
    assert model.coef_.dtype == model.intercept_.dtype == np.float32
    assert model.decision_function(X).dtype == np.float32
    double = LogisticRegression().fit(X.astype(np.float64), y)
    np.testing.assert_allclose(model.coef_, double.coef_, atol=1e-4)
    assert LogisticRegression(solver="liblinear").fit(X, y > 0).coef_.dtype == np.float64


@pytest.mark.parametrize("n_classes", [2, 5])
def test_threads_change_nothing(n_classes):
    X, y = data(n_classes, n=2000, p=60, form=sparse.csr_array)
    one, four = (LogisticRegression(n_jobs=n).fit(X, y) for n in (1, 4))
    np.testing.assert_array_equal(one.coef_, four.coef_)
    np.testing.assert_array_equal(one.predict_proba(X), four.predict_proba(X))


@pytest.mark.parametrize("n_classes", [2, 4])
def test_single_precision_inside_reaches_the_same_minimum(n_classes):
    X, y = data(n_classes, form=sparse.csr_array)
    problem = LogisticProblem(X, y.astype(np.int32), n_classes)
    expected = smooth_logistic(problem, l2=1.0, tol=1e-9)
    rough = SparseSystem(problem, 1.0, 0.0, single=True)
    loss, residuals, curvature = problem.state(np.zeros((len(y), problem.width)), single=True)
    G = problem.back(residuals)
    step = rough.solve(G, curvature, 1e-3, 0.0)
    exact = rough.exact().solve(G, curvature.astype(np.float64), 1e-3, 0.0)
    assert step.n_products == exact.n_products
    assert step.slope < 0 < loss
    np.testing.assert_allclose(step.direction, exact.direction, rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(step.scores, exact.scores, rtol=1e-3, atol=1e-5)
    dense = LogisticProblem(X.toarray(), problem.codes, n_classes)
    by_cg = smooth_logistic(dense, l2=1.0, tol=1e-9, method="cg")
    np.testing.assert_allclose(by_cg.coef, expected.coef, atol=1e-6)
    assert isinstance(DenseSystem(dense, 1.0, 0.0).exact(), DenseSystem)


def test_warm_start_needs_fewer_iterations():
    X, y = data(4)
    model = LogisticRegression(warm_start=True, tol=1e-8).fit(X, y)
    first, coef = model.n_iter_[0], model.coef_.copy()
    model.fit(X, y)
    assert model.n_iter_[0] < min(first, 2)
    np.testing.assert_allclose(model.coef_, coef, atol=1e-7)
    with pytest.raises(ValueError, match="Initialization coef is of shape"):
        model.fit(X, y > 0)


def test_class_weights_multiply_sample_weights():
    X, y = data(3)
    weights = np.random.default_rng(0).random(len(y))
    by_class = LogisticRegression(class_weight={0: 2.0, 1: 1.0, 2: 0.5}, tol=1e-9)
    by_class.fit(X, y, weights)
    by_sample = LogisticRegression(tol=1e-9).fit(X, y, weights * np.array([2.0, 1.0, 0.5])[y])
    np.testing.assert_allclose(by_class.coef_, by_sample.coef_, atol=1e-8)
    zeros = np.where(np.arange(len(y)) < 200, 1.0, 0.0)
    some = LogisticRegression(tol=1e-9).fit(X[:200], y[:200])
    all_of_them = LogisticRegression(tol=1e-9).fit(X, y, zeros)
    np.testing.assert_allclose(some.coef_, all_of_them.coef_, atol=1e-8)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_separable_classes_without_penalty_warn(form):
    X = form(np.array([[0.0, 1], [1, 1], [2, 1], [3, 1]]))
    with pytest.warns(ConvergenceWarning, match=r"perfect separation.*Use a penalty"):
        model = LogisticRegression(C=np.inf).fit(X, [0, 0, 1, 1])
    assert np.isfinite(model.coef_).all()
    assert model.predict(X).tolist() == [0, 0, 1, 1]
    with pytest.warns(ConvergenceWarning, match="separation"):
        LogisticRegression(C=np.inf).fit(X, [0, 1, 2, 2])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_no_penalty_with_collinear_and_empty_columns(form, n_classes):
    X, y = data(n_classes, p=10)
    X = np.column_stack([X, X[:, 0], np.zeros(len(X)), np.ones(len(X))])
    model = LogisticRegression(C=np.inf).fit(form(X), y)
    plain = LogisticRegression(C=np.inf).fit(X[:, :10], y)
    np.testing.assert_allclose(model.predict_proba(X), plain.predict_proba(X[:, :10]), atol=1e-3)
    assert (abs(model.coef_[:, 11]) < 1e-12).all()


def test_not_converged():
    X, y = data()
    with pytest.warns(ConvergenceWarning, match=r"did not converge in 1 iterations: largest comp"):
        model = LogisticRegression(max_iter=1).fit(X, y)
    assert model.n_iter_.tolist() == [1]
    assert model.gap_ > 0.01


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::UserWarning")
@pytest.mark.parametrize("n_classes", [2, 3])
def test_numbers_that_overflow_do_not_go_on_for_ever(n_classes):
    X, y = data(n_classes, p=10, form=sparse.csr_array)
    model = LogisticRegression().fit(X * 1e200, y)
    assert model.n_iter_[0] <= 100


def test_gap_bounds_the_distance_to_the_minimum():
    X, y = data(3, form=sparse.csr_array)
    best = objective(LogisticRegression(tol=1e-10).fit(X, y), X, y)
    for tol in (1e-1, 1e-2, 1e-4):
        model = LogisticRegression(tol=tol).fit(X, y)
        assert objective(model, X, y) - best <= model.gap_ + 1e-9 * best


def test_log_probabilities_keep_their_digits():
    X = np.array([[0.0], [1.0]])
    model = LogisticRegression().fit(X, [0, 1])
    model.coef_, model.intercept_ = np.array([[50.0]]), np.array([0.0])
    np.testing.assert_allclose(model.predict_log_proba([[1.0]]), [[-50, -np.exp(-50)]], rtol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_reference_coding_and_odds_ratios(n_classes):
    X, y = data(n_classes)
    names = np.array(["a", "b", "c"])[y]
    model = LogisticRegression().fit(X, names)
    for reference in model.classes_:
        coef, intercept = model.reference_coding(reference)
        code = list(model.classes_).index(reference)
        assert (coef[code] == 0).all()
        assert intercept[code] == 0
        log_p = model.predict_log_proba(X)
        np.testing.assert_allclose(X @ coef.T + intercept, log_p - log_p[:, [code]], atol=1e-9)
    np.testing.assert_allclose(model.odds_ratios("b"), np.exp(model.reference_coding("b")[0]))
    np.testing.assert_array_equal(model.odds_ratios()[0], 1.0)
    with pytest.raises(ValueError, match="'z' is not a class of this model"):
        model.reference_coding("z")


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_evidence_adds_up_to_the_log_odds(n_classes, form):
    X, y = data(n_classes, form=form)
    model = LogisticRegression().fit(X, y)
    assert isinstance(model, GivesEvidence)
    evidence = model.evidence(X[:5])
    log_p = model.predict_log_proba(X[:5])
    np.testing.assert_allclose(evidence.log_odds(1, 0), log_p[:, 1] - log_p[:, 0], atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_few_and_many_sparse_rows_have_the_same_scores(n_classes):
    X, y = data(n_classes, form=sparse.csr_array)
    model = LogisticRegression().fit(X, y)
    scores = model.decision_function(X)
    np.testing.assert_allclose(scores, model.decision_function(X.toarray()), atol=1e-10)
    for row in (0, 7):
        np.testing.assert_array_equal(model.decision_function(X[[row]]), scores[[row]])
        assert model.predict(X[[row]]) == model.predict(X)[row]
    model.sparsify()
    np.testing.assert_allclose(model.decision_function(X), scores, atol=1e-10)


def test_reductions_pickles_and_clones():
    X, y = data(4)
    assert OneVsRestClassifier(LogisticRegression()).fit(X, y).score(X, y) > 0.5
    assert OneVsOneClassifier(LogisticRegression()).fit(X, y).score(X, y) > 0.5
    model = clone(LogisticRegression(C=3.0)).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_verbose_prints_a_line(capsys):
    X, y = data()
    LogisticRegression(verbose=1).fit(X, y)
    assert "iterations of newton-cg, gap" in capsys.readouterr().out


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("C", [1e-3, 1.0, 30.0, 1e4])
def test_weak_penalties_are_reached_by_way_of_stronger_ones(n_classes, C, monkeypatch):
    monkeypatch.setattr(LogisticProblem, "is_small", False)
    X, y = data(n_classes, n=400, p=60, form=sparse.csr_array)
    ladder = LogisticRegression(C=C, tol=1e-12, max_iter=200).fit(X, y)
    direct = LogisticRegression(C=C, tol=1e-12, max_iter=49).fit(X, y)  # too few for a ladder
    np.testing.assert_allclose(ladder.coef_, direct.coef_, rtol=1e-5, atol=1e-6)
    assert objective(ladder, X, y) == pytest.approx(objective(direct, X, y), rel=1e-10)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_fits_stop_where_scikit_learns_do(n_classes, monkeypatch):
    monkeypatch.setattr(LogisticProblem, "is_small", False)
    X, y = data(n_classes, n=400, p=60, form=sparse.csr_array)
    model = LogisticRegression(C=1.0).fit(X, y)
    exact = LogisticRegression(C=1.0, tol=1e-10).fit(X, y)
    problem = LogisticProblem(X, y.astype(np.int32), n_classes)
    W = np.vstack([model.coef_.T, model.intercept_])
    residuals = problem.state(problem.scores(W))[1]
    largest = problem.gradient(residuals, W, 1.0, 0.0).largest / len(y)
    assert 1e-9 < largest <= 1e-4
    assert model.n_iter_[0] < exact.n_iter_[0]
    assert objective(model, X, y) <= objective(exact, X, y) * (1 + 1e-3)


def test_forms_of_x_are_made_once(monkeypatch):
    X, y = data(2, n=400, p=60, form=sparse.csr_array)
    problem = LogisticProblem(X, y.astype(np.int32), 2)
    arrays = SparseSystem(problem, 1.0, 0.0, single=True)._arrays
    assert SparseSystem(problem, 2.0, 0.0, single=True)._arrays is arrays
    assert problem.newton_arrays(True) is arrays
    assert problem.newton_arrays(False) is problem.newton_arrays(False)


def test_a_path_of_fits_leaves_the_model_alone():
    X, y = data(3, n=400, p=60, form=sparse.csr_array)
    model = LogisticRegression()
    Cs = [0.01, 1.0]
    for one, C in zip(model.fit_path(X, y, Cs, tol=1e-9), Cs, strict=True):
        expected = LogisticRegression(C=C).fit(X, y)
        assert one.C == C
        np.testing.assert_allclose(one.predict_proba(X), expected.predict_proba(X), atol=1e-3)
    assert not hasattr(model, "coef_")


def test_a_loose_tolerance_is_taken_at_its_word():
    X, y = data(4, n=400, p=60, form=sparse.csr_array)
    exact = LogisticRegression(C=10.0, tol=1e-10, max_iter=1000).fit(X, y)
    rough = LogisticRegression(C=10.0, tol=0.1).fit(X, y)
    assert rough.n_iter_[0] < exact.n_iter_[0]
    assert objective(rough, X, y) <= objective(exact, X, y) * (1 + 3e-3)


def test_many_classes_end_nearer_to_the_minimum_than_scikit_learns():
    rng = np.random.default_rng(0)
    y = np.arange(600) % 200
    X = 2 * rng.normal(size=(200, 10))[y] + rng.normal(size=(600, 10))

    def objective(model):
        log_p = model.predict_log_proba(X)
        return 0.5 * (model.coef_**2).sum() - log_p[np.arange(600), y].sum()

    ours = LogisticRegression().fit(X, y)
    theirs = sklearn.linear_model.LogisticRegression().fit(X, y)
    best = objective(LogisticRegression(tol=1e-8).fit(X, y))
    assert best <= objective(ours) <= objective(theirs)
    assert objective(ours) < best * (1 + 1e-3)
    np.testing.assert_allclose(ours.intercept_.sum(), 0, atol=1e-9)
