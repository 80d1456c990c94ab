"""Bad input to models of counts: the right type of error, and a message to act on."""

import numpy as np
import pytest
from scipy import sparse

from quire.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

MODELS = [MultinomialNB, ComplementNB, BernoulliNB]
X = np.array([[1, 0, 2], [0, 1, 1], [3, 0, 0]])
Y = ["a", "b", "a"]
FORMS = [np.asarray, sparse.csr_array]


@pytest.mark.parametrize("model", [MultinomialNB, ComplementNB])
@pytest.mark.parametrize("form", FORMS)
def test_negative_counts(model, form):
    bad = X.copy()
    bad[1, 1] = -1
    name = model.__name__
    with pytest.raises(ValueError, match=f"Negative values in data passed to {name}"):
        model().fit(form(bad), Y)
    fitted = model()
    with pytest.raises(ValueError, match=f"Negative values in data passed to {name}"):
        fitted.partial_fit(form(bad), Y, classes=["a", "b"])
    assert not hasattr(fitted, "classes_")
    fitted.partial_fit(form(X), Y, classes=["a", "b"])
    before = fitted.feature_count_.copy()
    with pytest.raises(ValueError, match="Negative values"):
        fitted.partial_fit(form(bad), Y)
    np.testing.assert_array_equal(fitted.feature_count_, before)


def test_negative_values_are_absent_terms_for_bernoulli():
    model = BernoulliNB().fit(-X, Y)
    np.testing.assert_array_equal(model.feature_count_, np.zeros((2, 3)))


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("value", "name"), [(np.nan, "NaN"), (np.inf, "infinity")])
def test_nan_and_infinity(model, form, value, name):
    bad = X.astype(float)
    bad[0, 0] = value
    with pytest.raises(ValueError, match=f"Input X contains {name}"):
        model().fit(form(bad), Y)
    fitted = model().fit(form(X), Y)
    for method in ("predict", "predict_proba", "predict_joint_log_proba", "evidence"):
        with pytest.raises(ValueError, match=f"Input X contains {name}"):
            getattr(fitted, method)(form(bad))


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("form", FORMS)
def test_wrong_width(model, form):
    fitted = model().fit(form(X), Y)
    for method in ("predict", "predict_log_proba", "evidence"):
        with pytest.raises(ValueError, match=r"X has 2 features, but .* is expecting 3 features"):
            getattr(fitted, method)(form(X[:, :2]))
    with pytest.raises(ValueError, match=r"X has 2 features, but .* is expecting 3 features"):
        fitted.partial_fit(form(X[:, :2]), Y)


@pytest.mark.parametrize("model", MODELS)
def test_labels(model):
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        model().fit(X, [0.5, 1.5, 2.5])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model().fit(X, ["a", "b"])
    with pytest.raises(ValueError, match="should be a 1d array"):
        model().fit(X, np.eye(3))
    with pytest.raises(ValueError, match="Input y contains NaN"):
        model().fit(X, [1.0, np.nan, 2.0])
    with pytest.raises(ValueError, match="requires y to be passed"):
        model().fit(X, None)


@pytest.mark.parametrize("model", MODELS)
def test_partial_fit(model):
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        model().partial_fit(X, Y)
    fitted = model()
    with pytest.raises(ValueError, match=r"\['c'\] in y do not exist in the initial classes"):
        fitted.partial_fit(X, ["a", "b", "c"], classes=["a", "b"])
    assert not hasattr(fitted, "classes_"), "nothing was learned, and the model does not say so"
    fitted.partial_fit(X, Y, classes=["a", "b"])
    with pytest.raises(ValueError, match="not the same as on last call"):
        fitted.partial_fit(X, Y, classes=["a", "b", "c"])


@pytest.mark.parametrize("model", MODELS)
def test_parameters(model):
    with pytest.raises(ValueError, match="'alpha' parameter"):
        model(alpha=-1).fit(X, Y)
    with pytest.raises(ValueError, match="Got 2 elements instead of 3"):
        model(alpha=[1.0, 1.0]).fit(X, Y)
    with pytest.raises(ValueError, match="All values in alpha must be greater than 0"):
        model(alpha=[1.0, 1.0, -1.0]).fit(X, Y)
    with pytest.raises(ValueError, match="'n_jobs' parameter"):
        model(n_jobs=1.5).fit(X, Y)
    with pytest.warns(UserWarning, match="alpha too small"):
        model(alpha=0, force_alpha=False).fit(X, Y)
    with pytest.raises(ValueError, match=r"sample_weight\.shape == \(1,\), expected \(3,\)"):
        model().fit(X, Y, sample_weight=[1.0])


def test_bernoulli_without_binarize_refuses_counts():
    with pytest.raises(ValueError, match=r"Use binarize=0\.0"):
        BernoulliNB(binarize=None).fit(X, Y)


@pytest.mark.parametrize("model", MODELS)
def test_not_fitted(model):
    for method in ("predict", "predict_proba", "evidence"):
        with pytest.raises(ValueError, match="not fitted"):
            getattr(model(), method)(X)
    for method in ("top_terms", "to_pipeline"):
        with pytest.raises(ValueError, match="not fitted"):
            getattr(model(), method)()


@pytest.mark.parametrize("model", MODELS)
def test_names_that_do_not_fit(model):
    fitted = model().fit(X, Y)
    with pytest.raises(ValueError, match="2 names; the model has 3 columns"):
        fitted.top_terms(feature_names=["a", "b"])
    with pytest.raises(ValueError, match="'z' is not a class of this model"):
        fitted.evidence(X).log_odds("a", "z")
    with pytest.raises(ValueError, match="knows no vectorizer"):
        fitted.to_pipeline()


def test_likelihood_of_negative_counts():
    fitted = MultinomialNB().fit(X, Y)
    with pytest.raises(ValueError, match="Negative values"):
        fitted.log_likelihood(-X)
