"""Multinomial, complement and Bernoulli naive Bayes: the same as scikit-learn's, and more."""

import pickle

import numpy as np
import pytest
import sklearn.naive_bayes as peer
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfTransformer

import quire.naive_bayes as ours

NAMES = ["MultinomialNB", "ComplementNB", "BernoulliNB"]
METHODS = ["predict_joint_log_proba", "predict_log_proba", "predict_proba"]
ATTRIBUTES = ["feature_log_prob_", "feature_count_", "class_count_", "class_log_prior_"]


def make(n=300, p=60, n_classes=4, seed=0, values=np.int64):
    rng = np.random.default_rng(seed)
    X = rng.poisson(0.4, (n, p)).astype(values)
    X[:3] = 0  # empty documents
    X[:, 5] = 0  # a term that never occurs
    y = rng.choice([f"class {k}" for k in range(n_classes)], n)
    return X, y, rng.random(n)


FORMS = {
    "dense": lambda X: X,
    "csr": sparse.csr_array,
    "matrix": sparse.csr_matrix,
    "csc": sparse.csc_array,
    "float32": lambda X: sparse.csr_array(X, dtype=np.float32),
    "int8": lambda X: sparse.csr_array(X, dtype=np.int8),
    "bool": lambda X: X > 0,
    "fortran": lambda X: np.asfortranarray(X, dtype=np.float64),
    "tf-idf": lambda X: TfidfTransformer().fit_transform(sparse.csr_array(X)),
    "int64 indices": lambda X: _with_indices(sparse.csr_array(X), np.int64),
    "list": lambda X: X.tolist(),
}


def _with_indices(X, dtype):
    X.indices, X.indptr = X.indices.astype(dtype), X.indptr.astype(dtype)
    return X


def assert_equal_models(mine, theirs, X, attributes=ATTRIBUTES):
    for name in attributes:
        np.testing.assert_allclose(getattr(mine, name), getattr(theirs, name), rtol=1e-10)
        assert getattr(mine, name).dtype == getattr(theirs, name).dtype
    np.testing.assert_array_equal(mine.classes_, theirs.classes_)
    for method in METHODS:
        found, expected = getattr(mine, method)(X), getattr(theirs, method)(X)
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)
        assert found.dtype == expected.dtype
    np.testing.assert_array_equal(mine.predict(X), theirs.predict(X))


PARAMETERS = [
    {},
    {"alpha": 0.01},
    {"alpha": 1e-12, "force_alpha": True},
    {"fit_prior": False},
    {"class_prior": [0.1, 0.2, 0.3, 0.4]},
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("weighted", [False, True])
def test_equals_scikit_learn_on_any_matrix(name, form, weighted):
    dense, y, weights = make()
    X = FORMS[form](dense)
    extra = {"sample_weight": weights} if weighted else {}
    mine = getattr(ours, name)().fit(X, y, **extra)
    assert_equal_models(mine, getattr(peer, name)().fit(X, y, **extra), X)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("parameters", PARAMETERS, ids=str)
def test_equals_scikit_learn_with_any_parameters(name, parameters):
    X, y, _ = make()
    X = sparse.csr_array(X)
    mine = getattr(ours, name)(**parameters).fit(X, y)
    assert_equal_models(mine, getattr(peer, name)(**parameters).fit(X, y), X)


@pytest.mark.parametrize("name", ["MultinomialNB", "ComplementNB"])
def test_alpha_for_each_feature(name):
    X, y, _ = make()
    alpha = np.random.default_rng(1).random(X.shape[1])
    mine = getattr(ours, name)(alpha=alpha).fit(X, y)
    assert_equal_models(mine, getattr(peer, name)(alpha=alpha).fit(X, y), X)


def test_bernoulli_alpha_for_each_feature_is_per_feature():
    X, y, _ = make()
    alpha = np.random.default_rng(1).random(X.shape[1])
    model = ours.BernoulliNB(alpha=alpha).fit(X, y)
    expected = (model.feature_count_ + alpha) / (model.class_count_[:, None] + 2 * alpha)
    np.testing.assert_allclose(np.exp(model.feature_log_prob_), expected)
    present = X > 0
    joint = np.log(expected) @ present.T + np.log(1 - expected) @ ~present.T
    np.testing.assert_allclose(
        model.predict_joint_log_proba(X), joint.T + model.class_log_prior_, rtol=1e-10
    )


def test_complement_norm_and_feature_all():
    X, y, _ = make()
    mine = ours.ComplementNB(norm=True).fit(X, y)
    assert_equal_models(
        mine, peer.ComplementNB(norm=True).fit(X, y), X, [*ATTRIBUTES, "feature_all_"]
    )


@pytest.mark.parametrize("binarize", [0.0, 1.0, None])
@pytest.mark.parametrize("form", ["dense", "csr"])
def test_bernoulli_binarize(binarize, form):
    X, y, _ = make()
    X = FORMS[form](X.clip(max=1) if binarize is None else X)
    mine = ours.BernoulliNB(binarize=binarize).fit(X, y)
    assert_equal_models(mine, peer.BernoulliNB(binarize=binarize).fit(X, y), X)


@pytest.mark.parametrize("form", ["dense", "csr"])
def test_binary_multinomial_equals_the_model_on_binary_counts(form):
    X, y, _ = make()
    mine = ours.MultinomialNB(binarize=0.0).fit(FORMS[form](X), y)
    theirs = peer.MultinomialNB().fit(X.clip(max=1), y)
    np.testing.assert_allclose(mine.feature_log_prob_, theirs.feature_log_prob_, rtol=1e-12)
    np.testing.assert_allclose(
        mine.predict_joint_log_proba(FORMS[form](X)),
        theirs.predict_joint_log_proba(X.clip(max=1)),
        rtol=1e-12,
    )


def test_entries_stored_in_pieces_are_one_entry():
    X = sparse.csr_array((np.ones(3), [0, 0, 1], [0, 2, 3]), shape=(2, 2))
    assert not X.has_canonical_format
    np.testing.assert_array_equal(
        ours.BernoulliNB().fit(X, ["a", "b"]).feature_count_, [[1, 0], [0, 1]]
    )
    np.testing.assert_array_equal(
        ours.MultinomialNB().fit(X, ["a", "b"]).feature_count_, [[2, 0], [0, 1]]
    )
    assert X.nnz == 3, "the caller's matrix is as it was"


def test_entries_in_pieces_are_joined_before_a_prediction_too():
    X = sparse.csr_array((np.ones(3), [0, 0, 1], [0, 2, 3]), shape=(2, 2))
    model = ours.BernoulliNB().fit(X, ["a", "b"])
    np.testing.assert_allclose(model.predict_proba(X), model.predict_proba(X.toarray()))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("weighted", [False, True])
def test_partial_fit_equals_scikit_learn_and_one_fit(name, weighted):
    X, y, weights = make()
    X = sparse.csr_array(X)
    classes = np.unique(y)
    mine, theirs = getattr(ours, name)(), getattr(peer, name)()
    for start in range(0, 300, 90):
        rows = slice(start, start + 90)
        extra = {"sample_weight": weights[rows]} if weighted else {}
        first = {"classes": classes} if start == 0 else {}
        mine.partial_fit(X[rows], y[rows], **first, **extra)
        theirs.partial_fit(X[rows], y[rows], **first, **extra)
        assert_equal_models(mine, theirs, X)
    extra = {"sample_weight": weights} if weighted else {}
    assert_equal_models(mine, getattr(ours, name)().fit(X, y, **extra), X)


@pytest.mark.parametrize("name", NAMES)
def test_smoothing_anew_equals_a_fit(name):
    rng = np.random.default_rng(0)
    X, y = rng.poisson(1.0, (30, 12)), rng.integers(0, 3, 30)
    model = getattr(ours, name)().fit(X, y)
    model.set_params(alpha=0.3, fit_prior=False).smooth()
    fitted = getattr(ours, name)(alpha=0.3, fit_prior=False).fit(X, y)
    np.testing.assert_array_equal(model.feature_log_prob_, fitted.feature_log_prob_)
    np.testing.assert_array_equal(model.predict_proba(X), fitted.predict_proba(X))
    with pytest.raises(ValueError, match="alpha"):
        model.set_params(alpha=-1.0).smooth()


@pytest.mark.parametrize("name", NAMES)
def test_merge_equals_one_fit(name):
    X, y, _ = make()
    X = sparse.csr_array(X)
    left, right = y < "class 2", y >= "class 1"  # classes that overlap and classes that do not
    left[:150], right[:150] = True, False
    right[150:] = ~left[150:]
    model, other = getattr(ours, name)().fit(X[left], y[left]), getattr(ours, name)()
    other.fit(X[right], y[right])
    before = pickle.dumps(other)
    assert model.merge(other) is model
    assert pickle.dumps(other) == before
    assert_equal_models(model, getattr(ours, name)().fit(X, y), X)


def test_merge_with_new_classes():
    X = [[1, 0], [0, 1]]
    model = ours.MultinomialNB().fit(X, ["b", "d"]).merge(ours.MultinomialNB().fit(X, ["a", "b"]))
    assert model.classes_.tolist() == ["a", "b", "d"]
    np.testing.assert_array_equal(model.feature_count_, [[1, 0], [1, 1], [0, 1]])
    np.testing.assert_array_equal(model.class_count_, [1, 2, 1])


def test_merge_refuses_what_does_not_fit():
    model = ours.MultinomialNB().fit([[1, 0], [0, 1]], [0, 1])
    with pytest.raises(TypeError, match="expects a fitted MultinomialNB of quire, got BernoulliNB"):
        model.merge(ours.BernoulliNB().fit([[1, 0], [0, 1]], [0, 1]))
    with pytest.raises(ValueError, match="Models of 2 and 3 columns"):
        model.merge(ours.MultinomialNB().fit([[1, 0, 0], [0, 1, 0]], [0, 1]))
    with pytest.raises(ValueError, match=r"different binarize cannot be merged: None and 0\.0"):
        model.merge(ours.MultinomialNB(binarize=0.0).fit([[1, 0], [0, 1]], [0, 1]))
    with pytest.raises(ValueError, match="not fitted"):
        model.merge(ours.MultinomialNB())


def test_merge_refuses_other_names():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1, 0], "b": [0, 1]})
    model = ours.MultinomialNB().fit(frame, [0, 1])
    with pytest.raises(ValueError, match="different names"):
        model.merge(ours.MultinomialNB().fit(frame.rename(columns={"a": "c"}), [0, 1]))


@pytest.mark.parametrize("name", NAMES)
def test_priors_by_name(name):
    X, y, _ = make()
    model = getattr(ours, name)
    documents = np.unique(y, return_counts=True)[1]
    by_documents = model(class_prior="documents").fit(X, y)
    np.testing.assert_allclose(np.exp(by_documents.class_log_prior_), documents / 300)
    uniform = model(class_prior="uniform").fit(X, y)
    np.testing.assert_allclose(np.exp(uniform.class_log_prior_), np.full(4, 0.25))
    by_tokens = model(class_prior="tokens").fit(X, y)
    values = X > 0 if name == "BernoulliNB" else X
    tokens = np.array([values[y == label].sum() for label in np.unique(y)])
    np.testing.assert_allclose(np.exp(by_tokens.class_log_prior_), tokens / tokens.sum())
    with pytest.raises(ValueError, match="class_prior"):
        model(class_prior="words").fit(X, y)
    with pytest.raises(ValueError, match="Number of priors must match number of classes"):
        model(class_prior=[0.5, 0.5]).fit(X, y)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("parameters", [{}, {"alpha": 0.0}], ids=str)
def test_same_bits_at_any_number_of_threads(name, parameters):
    X, y, weights = make(n=2000, p=900)
    X = sparse.csr_array(X * 0.1)
    one = getattr(ours, name)(n_jobs=1, **parameters).fit(X, y, sample_weight=weights)
    for n_jobs in (2, 3, 8):
        model = clone(one).set_params(n_jobs=n_jobs).fit(X, y, sample_weight=weights)
        for attribute in ATTRIBUTES:
            np.testing.assert_array_equal(getattr(model, attribute), getattr(one, attribute))
        np.testing.assert_array_equal(
            model.predict_joint_log_proba(X), one.predict_joint_log_proba(X)
        )


@pytest.mark.parametrize("name", NAMES)
def test_pickles_and_clones(name):
    X, y, _ = make()
    model = getattr(ours, name)().fit(X, y)
    before = model.predict_proba(X)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), before)
    assert clone(model).get_params() == model.get_params()
    assert isinstance(model, getattr(peer, name))


def test_what_bernoulli_keeps_for_predictions_is_not_pickled():
    X, y, _ = make(p=5000)
    model = ours.BernoulliNB().fit(X, y)
    fresh = len(pickle.dumps(model))
    model.predict(X)
    assert len(pickle.dumps(model)) == fresh


def test_probabilities_set_by_hand_are_used():
    X, y, _ = make()
    for name in NAMES:
        mine, theirs = getattr(ours, name)().fit(X, y), getattr(peer, name)().fit(X, y)
        mine.predict(X)
        changed = np.log(np.random.default_rng(0).uniform(0.1, 0.9, mine.feature_log_prob_.shape))
        mine.feature_log_prob_ = theirs.feature_log_prob_ = changed
        np.testing.assert_allclose(
            mine.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X), rtol=1e-10
        )


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "f2", ">f8", ">i8"])
def test_numbers_of_any_kind(dtype):
    X = np.array([[1, 0], [0, 2]], dtype=dtype)
    for form in (np.asarray, sparse.csr_array):
        if dtype in ("f2", ">f8", ">i8") and form is sparse.csr_array:
            continue  # scipy has no such matrix
        model = ours.MultinomialNB().fit(form(X), [0, 1])
        np.testing.assert_array_equal(model.feature_count_, [[1, 0], [0, 2]])


def test_feature_count_is_an_array_that_can_be_changed():
    X, y, _ = make()
    model = ours.MultinomialNB().fit(sparse.csr_array(X), y)
    assert model.feature_count_.dtype == np.float64
    model.feature_count_ *= 2
    model.partial_fit(sparse.csr_array(X), y)
    whole = ours.MultinomialNB().fit(X, y)
    np.testing.assert_array_equal(model.feature_count_, 3 * whole.feature_count_)
    model.feature_count_ = np.asfortranarray(whole.feature_count_)
    model.partial_fit(X, y)
    np.testing.assert_array_equal(model.feature_count_, 2 * whole.feature_count_)
    assert not hasattr(ours.MultinomialNB(), "feature_count_")


def test_counts_of_any_size():
    X = sparse.csr_array(np.array([[2**33, 1], [2**33, 0], [0, 3]]))
    model = ours.MultinomialNB().fit(X, ["a", "a", "b"])
    np.testing.assert_array_equal(model.feature_count_, [[2.0**34, 1], [0, 3]])
