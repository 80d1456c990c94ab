"""top_evidence: the strongest terms of fitted models."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import linear_model as sk_linear
from sklearn import naive_bayes as sk_bayes
from sklearn import svm as sk_svm
from sklearn.pipeline import make_pipeline

from quire.feature_extraction.select import SelectTerms
from quire.feature_extraction.text import CountVectorizer, HashingVectorizer
from quire.inspection import top_evidence
from quire.linear_model import LogisticRegression, OrdinalRegression, Ridge
from quire.naive_bayes import MultinomialNB
from quire.svm import SVC, SVR, LinearSVC

WORDS = "good fine warm dull awful long film plot cast scene story the and it".split()


def corpus(n=90, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    texts = []
    for code in y:
        p = np.ones(len(WORDS))
        p[2 * code : 2 * code + 2] += 4
        texts.append(" ".join(rng.choice(WORDS, size=8, p=p / p.sum())))
    return texts, y


def test_top_evidence():
    texts, y = corpus()
    for classifier in (MultinomialNB(), sk_bayes.MultinomialNB(), sk_linear.LogisticRegression()):
        model = make_pipeline(CountVectorizer(), SelectTerms(k=9), classifier).fit(texts, y)
        found = top_evidence(model, 2)
        assert {term.term for term in found[0]} == {"good", "fine"}
        assert {term.term for term in found[2]} == {"awful", "long"}
    hashed = make_pipeline(HashingVectorizer(n_features=16), LogisticRegression()).fit(texts, y)
    assert all(isinstance(term.term, int) for term in top_evidence(hashed)[0])
    regression = make_pipeline(CountVectorizer(), Ridge()).fit(texts, y.astype(float))
    ends = top_evidence(regression, 2)
    assert {term.term for term in ends["higher"]} <= {"awful", "long"}
    assert all(term.weight < 0 for term in ends["lower"])
    with pytest.raises(ValueError, match="n_terms"):
        top_evidence(regression, -1)


def test_ordered_classes_have_two_ends():
    texts, y = corpus()
    model = make_pipeline(CountVectorizer(), OrdinalRegression()).fit(texts, y)
    ends = top_evidence(model, 2)
    assert {term.term for term in ends["higher"]} == {"awful", "long"}
    assert {term.term for term in ends["lower"]} == {"good", "fine"}
    assert ends["higher"][0].weight == model[-1].coef_.max()


def test_several_numbers_have_no_two_ends():
    texts, y = corpus()
    model = make_pipeline(CountVectorizer(), Ridge()).fit(texts, np.column_stack([y, y]))
    with pytest.raises(TypeError, match="predicts 2 numbers"):
        top_evidence(model)


MACHINES = [SVC, sk_svm.SVC, sk_svm.NuSVC]


@pytest.mark.parametrize("machine", MACHINES)
def test_machines_of_pairs(machine):
    texts, y = corpus()
    model = make_pipeline(CountVectorizer(), machine(kernel="linear")).fit(texts, y)
    found = top_evidence(model, 2)
    assert {term.term for term in found[0]} == {"good", "fine"}
    assert {term.term for term in found[1]} == {"warm", "dull"}
    assert {term.term for term in found[2]} == {"awful", "long"}


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("machine", MACHINES)
def test_weights_of_a_class_are_the_means_over_its_pairs(machine, kind):
    texts, y = corpus()
    y = np.where((y == 2) & (np.arange(90) % 2 == 0), 3, y)  # four classes
    X = CountVectorizer().fit_transform(texts).toarray().astype(float)
    model = machine(kernel="linear", decision_function_shape="ovo").fit(kind(X), y)
    unit = np.eye(X.shape[1])
    decisions = model.decision_function(kind(unit)) - model.decision_function(kind(0 * unit))
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    for label, terms in top_evidence(model, X.shape[1]).items():
        toward = [
            (1.0 if label == i else -1.0) * decisions[:, pair]
            for pair, (i, j) in enumerate(pairs)
            if label in (i, j)
        ]
        assert len(toward) == 3
        expected = np.mean(toward, axis=0)
        weights = [term.weight for term in terms]
        assert weights == sorted(weights, reverse=True)
        for term in terms:
            assert term.weight == pytest.approx(expected[term.term], abs=1e-9)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("machine", [*MACHINES, LinearSVC])
def test_machines_of_two_classes_take_rows_of_either_kind(machine, kind):
    texts, y = corpus()
    vectorizer = CountVectorizer()
    X = kind(vectorizer.fit_transform(texts).toarray().astype(float))
    options = {} if machine is LinearSVC else {"kernel": "linear"}
    found = top_evidence(machine(**options).fit(X, y == 0), 2)
    names = vectorizer.get_feature_names_out()
    assert {names[term.term] for term in found[True]} == {"good", "fine"}


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("kernel", ["rbf", "poly"])
@pytest.mark.parametrize("machine", [SVC, SVR])
def test_other_kernels_have_no_terms(machine, kernel, kind):
    texts, y = corpus()
    X = kind(CountVectorizer().fit_transform(texts).toarray().astype(float))
    with pytest.raises(TypeError, match="has no weights that are the same"):
        top_evidence(machine(kernel=kernel).fit(X, y))
