"""Features times log-count ratios: what NBLogistic and NBSVM share."""

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression as SklearnLogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC as SklearnLinearSVC

from quire._shared.nb_weighted import log_count_ratios, presence
from quire.feature_extraction.text import CountVectorizer
from quire.inspection import explain
from quire.linear_model import NBLogistic
from quire.svm import NBSVM

# Four documents: the second class has the features 0, 1, 2 of them, the first 2, 1, 1.
X4 = np.array([[1, 0, 1], [3, 1, 0], [0, 1, 1], [0, 0, 2]])
Y4 = ["a", "a", "b", "b"]
RATIOS = np.log([(1 / 6) / (3 / 7), (2 / 6) / (2 / 7), (3 / 6) / (2 / 7)])

MODELS = [NBLogistic(tol=1e-9), NBSVM(C=0.5, tol=1e-13, max_iter=100_000, random_state=0)]
BOTH = pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
PEERS = {
    NBLogistic: lambda C: SklearnLogisticRegression(C=C, tol=1e-12, max_iter=10_000),
    NBSVM: lambda C: SklearnLinearSVC(C=C, tol=1e-12, max_iter=10_000, dual=False),
}


def make(n_classes, n=150, p=30, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.5, (n, p))
    X[0] = 0
    y = (X[:, :n_classes] + 0.8 * rng.random((n, n_classes))).argmax(axis=1)
    return X, np.array(list("abcdef"))[y]


def by_hand(X, y, model, values=None):
    """Return weights and intercept of two classes, from scikit-learn on weighted features."""
    values = (X > 0).astype(float) if values is None else values
    second = y == np.unique(y)[1]
    p, q = model.alpha + values[second].sum(axis=0), model.alpha + values[~second].sum(axis=0)
    r = np.log(p / p.sum()) - np.log(q / q.sum())
    fitted = PEERS[type(model)](model.C).fit(values * r, second)
    v = fitted.coef_[0]
    v = (1 - model.beta) * np.abs(v).mean() + model.beta * v
    return r * v, fitted.intercept_[0]


def test_ratios_of_four_documents():
    sums = np.array([[2.0, 1.0, 1.0], [0.0, 1.0, 2.0]])
    np.testing.assert_allclose(log_count_ratios(sums, 1, 1.0), RATIOS)
    np.testing.assert_allclose(log_count_ratios(sums, 0, 1.0), -RATIOS)


def test_ratios_of_a_class_against_several():
    sums = np.array([[2.0, 1.0], [0.0, 3.0], [1.0, 1.0]])
    expected = np.log([(0.5 / 4) / (3.5 / 6), (3.5 / 4) / (2.5 / 6)])
    np.testing.assert_allclose(log_count_ratios(sums, 1, 0.5), expected)


def test_features_that_never_occur_do_not_count():
    sums = np.array([[2.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 2.0]])
    np.testing.assert_allclose(log_count_ratios(sums, 1, 1.0), np.insert(RATIOS, 1, 0.0))
    assert log_count_ratios(np.zeros((2, 3)), 1, 1.0).tolist() == [0, 0, 0]


@BOTH
def test_without_learned_weights_it_is_naive_bayes_times_a_number(model):
    learned = clone(model).fit(X4, Y4)
    mean = np.abs(learned.coef_[0] / RATIOS).mean()
    ratios_alone = clone(model).set_params(beta=0.0).fit(X4, Y4)
    np.testing.assert_allclose(ratios_alone.coef_[0], mean * RATIOS, rtol=1e-6)
    np.testing.assert_allclose(ratios_alone.intercept_, learned.intercept_, rtol=1e-6)


@BOTH
@pytest.mark.parametrize("beta", [1.0, 0.25])
@pytest.mark.parametrize("alpha", [1.0, 0.1])
def test_two_classes_are_scikit_learn_on_weighted_features(model, alpha, beta):
    X, y = make(2)
    model = clone(model).set_params(alpha=alpha, beta=beta).fit(X, y)
    coef, intercept = by_hand(X, y, model)
    np.testing.assert_allclose(model.coef_[0], coef, atol=2e-6)
    np.testing.assert_allclose(model.intercept_[0], intercept, atol=2e-6)


@BOTH
def test_counts_on_request(model):
    X, y = make(2)
    model = clone(model).set_params(binarize=None).fit(X, y)
    coef, intercept = by_hand(X, y, model, values=X.astype(float))
    np.testing.assert_allclose(model.coef_[0], coef, atol=2e-6)
    np.testing.assert_allclose(model.intercept_[0], intercept, atol=2e-6)
    np.testing.assert_allclose(model.decision_function(X), X @ coef + intercept, atol=1e-4)


@BOTH
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_present_is_what_is_above_the_threshold(model, form):
    X, y = make(2)
    found = clone(model).set_params(binarize=1.0).fit(form(X), y)
    usual = clone(model).fit(form((X > 1).astype(float)), y)
    np.testing.assert_allclose(found.coef_, usual.coef_, atol=1e-6)
    np.testing.assert_allclose(
        found.decision_function(form(X)),
        usual.decision_function(form((X > 1).astype(float))),
        atol=1e-5,
    )


@BOTH
def test_more_classes_are_each_against_the_rest(model):
    X, y = make(4)
    model = clone(model).fit(X, y)
    assert model.coef_.shape == (4, 30)
    for k, label in enumerate("abcd"):
        one = clone(model).fit(X, y == label)
        np.testing.assert_allclose(model.coef_[k], one.coef_[0], atol=1e-9)
        np.testing.assert_allclose(model.intercept_[k], one.intercept_[0], atol=1e-9)
    np.testing.assert_array_equal(
        model.predict(X), model.classes_[model.decision_function(X).argmax(axis=1)]
    )


@BOTH
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("binarize", [0.0, None])
def test_forms_of_x_give_one_model(model, n_classes, binarize):
    X, y = make(n_classes)
    model = clone(model).set_params(binarize=binarize)
    dense = clone(model).fit(X.astype(float), y)
    long = sparse.csr_array(X)
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    for given in (X, np.asfortranarray(X), sparse.csr_array(X), sparse.csc_array(X), long):
        kept = given.copy()
        one = clone(model).fit(given, y)
        assert one.coef_.dtype == np.float64
        np.testing.assert_allclose(one.coef_, dense.coef_, atol=1e-6)
        np.testing.assert_allclose(
            one.decision_function(given), dense.decision_function(X), atol=1e-5
        )
        assert abs(kept - given).sum() == 0
    single = clone(model).fit(sparse.csr_array(X.astype(np.float32)), y)
    assert single.coef_.dtype == single.intercept_.dtype == np.float32
    assert single.decision_function(sparse.csr_array(X.astype(np.float32))).dtype == np.float32
    np.testing.assert_allclose(single.coef_, dense.coef_, atol=1e-4)


@BOTH
def test_entries_in_pieces_and_stored_zeros(model):
    X, y = make(2)
    whole = sparse.csr_array(X)
    rows = np.repeat(np.arange(X.shape[0]), np.diff(whole.indptr))
    ones = np.ones(3 * whole.nnz)
    ones[2::3] = -2.0  # 1 + x + x - 2 is not above 0 where x is nothing
    pieces = np.stack([np.ones(whole.nnz), whole.data - 1, np.zeros(whole.nnz)], axis=1).ravel()
    columns = np.repeat(whole.indices, 3)
    columns[2::3] = (columns[2::3] + 1) % X.shape[1]  # some of these are zeros that are stored
    broken = sparse.csr_array((pieces, columns, 3 * whole.indptr.astype(np.int32)), shape=X.shape)
    assert (abs(broken - whole)).sum() == 0
    assert broken.nnz > whole.nnz
    assert len(rows) == whole.nnz
    expected = clone(model).fit(whole, y)
    found = clone(model).fit(broken, y)
    np.testing.assert_allclose(found.coef_, expected.coef_, atol=1e-9)
    np.testing.assert_allclose(
        expected.decision_function(broken), expected.decision_function(whole), atol=1e-12
    )
    evidence = expected.evidence(broken)
    np.testing.assert_allclose(
        evidence.log_odds("b", "a"), expected.decision_function(whole), atol=1e-9
    )


@BOTH
def test_columns_that_never_occur_change_nothing(model):
    X, y = make(2)
    wide = np.insert(X, [5, 5, 20], 0, axis=1)
    for beta in (1.0, 0.5):
        model = clone(model).set_params(beta=beta)
        found = clone(model).fit(sparse.csr_array(wide), y)
        empty = wide.sum(axis=0) == 0
        assert (found.coef_[0, empty] == 0).all()
        np.testing.assert_allclose(
            found.coef_[:, ~empty], clone(model).fit(sparse.csr_array(X), y).coef_, atol=1e-9
        )


@BOTH
def test_nothing_is_present(model):
    y = np.array(["a"] * 3 + ["b"])
    found = clone(model).set_params(beta=0.5).fit(sparse.csr_array((4, 2)), y)
    assert found.coef_.tolist() == [[0.0, 0.0]]
    assert found.predict(np.ones((1, 2))).tolist() == ["a"]


@BOTH
@pytest.mark.parametrize("n_classes", [2, 3])
def test_weights_are_repetitions(model, n_classes):
    X, y = make(n_classes)
    times = np.random.default_rng(1).integers(0, 4, len(y))
    model = clone(model).set_params(beta=0.7)
    found = clone(model).fit(sparse.csr_array(X), y, sample_weight=times)
    repeated = clone(model).fit(sparse.csr_array(np.repeat(X, times, axis=0)), np.repeat(y, times))
    np.testing.assert_allclose(found.coef_, repeated.coef_, atol=1e-6)
    of_class = {"a": 2.0, "b": 0.5, "c": 1.0}
    by_class = clone(model).set_params(class_weight={k: of_class[k] for k in set(y.tolist())})
    np.testing.assert_array_equal(
        by_class.fit(X, y).coef_,
        clone(model).fit(X, y, sample_weight=[of_class[label] for label in y]).coef_,
    )


@BOTH
@pytest.mark.parametrize("n_classes", [2, 3])
def test_threads_change_no_bit(model, n_classes):
    X, y = make(n_classes, n=400, p=200)
    X = sparse.csr_array(X)
    found = [clone(model).set_params(n_jobs=n, tol=1e-4).fit(X, y) for n in (1, 4)]
    np.testing.assert_array_equal(found[0].coef_, found[1].coef_)
    np.testing.assert_array_equal(found[0].intercept_, found[1].intercept_)


@BOTH
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_evidence_adds_up_to_the_scores(model, n_classes, form):
    X, y = make(n_classes)
    model = clone(model).fit(form(X), y)
    scores = model.decision_function(form(X))
    odds = scores if n_classes == 2 else scores[:, 1] - scores[:, 0]
    evidence = model.evidence(form(X))
    np.testing.assert_allclose(evidence.log_odds("b", "a"), odds, atol=1e-10)
    contributions = evidence.contributions("b", "a")
    contributions = contributions.toarray() if sparse.issparse(contributions) else contributions
    weights = model.coef_[0] if n_classes == 2 else model.coef_[1] - model.coef_[0]
    np.testing.assert_allclose(contributions, (X > 0) * weights, atol=1e-12)
    assert evidence[0].terms == []


@BOTH
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("n_rows", [1, 3, 150])
def test_few_documents_have_the_scores_of_many(model, n_classes, n_rows):
    X, y = make(n_classes)
    model = clone(model).fit(X, y)
    some = sparse.csr_array(X)[:n_rows]
    np.testing.assert_allclose(
        model.decision_function(some), model.decision_function(X)[:n_rows], atol=1e-12
    )
    np.testing.assert_array_equal(model.predict(some), model.predict(X)[:n_rows])


@BOTH
def test_explained_in_a_pipeline(model):
    texts = ["a good good film", "not a bad film", "not a good film", "a bad film"]
    pipeline = make_pipeline(CountVectorizer(ngram_range=(1, 2)), clone(model))
    pipeline.fit(texts, ["pos", "pos", "neg", "neg"])
    explanation = explain(pipeline, ["not bad, not bad"])[0]
    weights = dict(zip(pipeline[0].get_feature_names_out(), pipeline[1].coef_[0], strict=True))
    met = {term.term: term.contribution for term in explanation.terms}
    assert met["not bad"] == pytest.approx(weights["not bad"])  # twice there, and counted once
    assert sum(met.values()) + explanation.offset == pytest.approx(explanation.log_odds)
    top = pipeline[1].top_terms(1, feature_names=pipeline[0].get_feature_names_out())
    assert top["pos"][0].term in ("not bad", "good good")


@BOTH
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_path_is_its_fits(model, n_classes):
    X, y = make(n_classes)
    X = pl.DataFrame(X, schema=[f"term {j}" for j in range(X.shape[1])])
    Cs = [0.01, 0.1, 1.0]
    model = clone(model).set_params(beta=0.5)
    options = {"tol": 1e-9} if isinstance(model, NBLogistic) else {}
    found = list(model.fit_path(X, y, Cs, **options))
    assert [one.C for one in found] == Cs
    assert not hasattr(model, "coef_")
    for one in found:
        fitted = clone(one).fit(X, y)
        np.testing.assert_allclose(one.coef_, fitted.coef_, atol=1e-5)
        np.testing.assert_allclose(one.intercept_, fitted.intercept_, atol=1e-5)
        assert one.feature_names_in_.tolist() == X.columns
        np.testing.assert_array_equal(one.predict(X), fitted.predict(X))
    assert list(model.fit_path(X, y, [])) == []


@BOTH
def test_one_class_is_too_few(model):
    with pytest.raises(ValueError, match=r"at least 2 classes .* only one class: 'a'"):
        clone(model).fit(X4, ["a"] * 4)


@BOTH
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_counts_below_zero(model, form):
    X = X4.astype(float)
    X[1, 1] = -0.5
    with pytest.raises(ValueError, match=r"Negative values .* binarize=0.0"):
        clone(model).set_params(binarize=None).fit(form(X), Y4)
    seen = clone(model).fit(form(X), Y4)
    np.testing.assert_array_equal(seen.coef_, clone(model).fit(form(np.maximum(X, 0)), Y4).coef_)


@BOTH
@pytest.mark.parametrize(
    ("parameter", "value"),
    [("alpha", 0.0), ("C", 0.0), ("beta", 1.1), ("binarize", -1.0), ("tol", 0.0)],
)
def test_parameters_out_of_range(model, parameter, value):
    model = clone(model).set_params(**{parameter: value})
    with pytest.raises(ValueError, match=f"'{parameter}' parameter"):
        model.fit(X4, Y4)
    if parameter != "C":
        with pytest.raises(ValueError, match=f"'{parameter}' parameter"):
            list(model.fit_path(X4, Y4, [1.0]))
    else:
        with pytest.raises(ValueError, match="'C' parameter"):
            list(model.fit_path(X4, Y4, [1.0, value]))


@BOTH
def test_weights_below_zero(model):
    with pytest.raises(ValueError, match="Negative values in data passed to `sample_weight`"):
        clone(model).fit(X4, Y4, sample_weight=[1, 1, 1, -1])


def test_presence_keeps_what_is_no_count():
    X = sparse.csr_array(np.array([[0.0, 2.0, -1.0]]))
    assert presence(X, None) is X
    assert presence(X, 0.0).toarray().tolist() == [[0, 1, 0]]
    assert presence(X.astype(np.float32), 2.0).dtype == np.float32
