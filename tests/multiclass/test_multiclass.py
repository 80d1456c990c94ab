"""Several classes out of models for two: rules by hand, and where they have no answer."""

from itertools import combinations

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from quire.discriminant_analysis import LinearDiscriminantAnalysis
from quire.ensemble import RandomForestClassifier
from quire.feature_extraction.text import CountVectorizer
from quire.linear_model import LeastSquaresClassifier, LogisticRegression
from quire.multiclass import OneVsAllClassifier, linear_discriminants, undecided, votes
from quire.naive_bayes import GaussianNB, MultinomialNB
from quire.neighbors import KNeighborsClassifier
from quire.svm import SVC, LinearSVC
from quire.tree import DecisionTreeClassifier

CENTRES = np.array([[0.0, 0.0], [4.0, 0.0], [2.0, 3.0]])


def blobs(n=90, spread=0.7, seed=0):
    codes = np.arange(n) % 3
    rng = np.random.default_rng(seed)
    return CENTRES[codes] + spread * rng.normal(size=(n, 2)), np.array(["a", "b", "c"])[codes]


def grid():
    axis = np.linspace(-3, 7, 60)
    return np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)


class Line(ClassifierMixin, BaseEstimator):
    """Divides by the line half-way between the means, in a direction that is turned."""

    def __init__(self, turn=0.0):
        self.turn = turn

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        m0, m1 = X[y == self.classes_[0]].mean(axis=0), X[y == self.classes_[1]].mean(axis=0)
        c, s = np.cos(self.turn), np.sin(self.turn)
        self.w = np.array([[c, -s], [s, c]]) @ (m1 - m0)
        self.b = -self.w @ (m0 + m1) / 2
        return self

    def decision_function(self, X):
        return X @ self.w + self.b

    def predict(self, X):
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


def test_one_against_all_has_one_hyperplane_less_and_a_class_for_the_rest():
    X, y = blobs()
    model = OneVsAllClassifier(LogisticRegression()).fit(X, y)
    assert [*model.claimants_, model.otherwise_] == ["a", "b", "c"]
    planes = [LogisticRegression().fit(X, y == label) for label in "ab"]
    scores = np.column_stack([plane.decision_function(grid()) for plane in planes])
    np.testing.assert_array_equal(model.claims(grid()), scores)
    expected = []
    for one in scores:  # the rule, by hand
        if max(one) <= 0:
            expected.append("c")
        else:
            expected.append("ab"[int(one[1] > one[0])])
    predicted = model.predict(grid())
    np.testing.assert_array_equal(predicted, expected)
    assert set(predicted) == {"a", "b", "c"}
    assert model.score(X, y) > 0.9
    np.testing.assert_array_equal(undecided(model, grid()), (scores > 0).all(axis=1))


def test_the_class_without_a_model_can_be_chosen():
    X, y = blobs()
    model = OneVsAllClassifier(otherwise="a").fit(X, y)
    assert model.claimants_.tolist() == ["b", "c"]
    far_below = np.array([[-2.0, -2.0]])
    assert (model.claims(far_below) < 0).all()
    assert model.predict(far_below) == ["a"]
    with pytest.raises(ValueError, match="'d' is not among the classes"):
        OneVsAllClassifier(otherwise="d").fit(X, y)
    with pytest.raises(ValueError, match=r"not one class: \['a'\]"):
        OneVsAllClassifier().fit(X, np.repeat("a", len(y)))


def test_one_against_rest_is_undecided_where_none_or_several_claim():
    X, y = blobs()
    model = OneVsRestClassifier(LogisticRegression()).fit(X, y)
    claims = np.column_stack([one.decision_function(grid()) > 0 for one in model.estimators_])
    np.testing.assert_array_equal(votes(model, grid()), claims)
    np.testing.assert_array_equal(undecided(model, grid()), claims.sum(axis=1) != 1)
    middle = CENTRES.mean(axis=0, keepdims=True)
    assert undecided(model, middle)
    assert not votes(model, middle).any()
    assert undecided(model, grid()).mean() > 0.05
    # with a class for the rest, what nobody claims is decided
    assert not undecided(OneVsAllClassifier().fit(X, y), middle)


def test_one_against_one_is_undecided_where_votes_go_round_in_a_circle():
    X, y = blobs()
    straight = OneVsOneClassifier(Line()).fit(X, y)  # bisectors of a triangle meet in one point
    turned = OneVsOneClassifier(Line(0.4)).fit(X, y)
    assert undecided(straight, grid()).sum() <= 1
    assert 0.002 < undecided(turned, grid()).mean() < 0.2
    circle = votes(turned, grid())[undecided(turned, grid())]
    np.testing.assert_array_equal(circle, 1)


@pytest.mark.parametrize("model", [LogisticRegression(), Line(0.4), GaussianNB()])
def test_votes_of_pairs_by_hand(model):
    X, y = blobs()
    pairs = OneVsOneClassifier(model).fit(X, y)
    counts = np.zeros((len(grid()), 3), dtype=int)
    for one, (i, j) in zip(pairs.estimators_, combinations(range(3), 2), strict=True):
        if hasattr(one, "decision_function"):
            second = one.decision_function(grid()) > 0
        else:
            second = one.predict_proba(grid())[:, 1] > 0.5
        counts[:, i] += ~second
        counts[:, j] += second
    np.testing.assert_array_equal(votes(pairs, grid()), counts)
    decided = ~undecided(pairs, grid())
    winners = pairs.classes_[counts.argmax(axis=1)]
    np.testing.assert_array_equal(pairs.predict(grid())[decided], winners[decided])
    top = np.sort(counts, axis=1)
    np.testing.assert_array_equal(undecided(pairs, grid()), top[:, -1] == top[:, -2])


def test_kernel_machines_vote_by_pairs():
    X, y = blobs(spread=1.2)
    machine = SVC(kernel="linear", C=1.0).fit(X, y)
    pairs = OneVsOneClassifier(SVC(kernel="linear", C=1.0)).fit(X, y)
    np.testing.assert_array_equal(votes(machine, grid()), votes(pairs, grid()))
    assert machine.decision_function_shape == "ovr"


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(),
        LinearDiscriminantAnalysis(),
        LeastSquaresClassifier(),
        LinearSVC(),
        OneVsRestClassifier(LogisticRegression()),
    ],
)
def test_linear_discriminants_decide_everywhere_and_their_regions_are_convex(model):
    X, y = blobs()
    model.fit(X, y)
    functions = linear_discriminants(model)
    assert functions.coef.shape == (3, 2)
    np.testing.assert_allclose(
        functions.scores(grid()), grid() @ functions.coef.T + functions.intercept
    )
    labels = functions.predict(grid())
    np.testing.assert_array_equal(labels, model.predict(grid()))
    rng = np.random.default_rng(0)
    for label in "abc":
        region = grid()[labels == label]
        a, b = region[rng.integers(len(region), size=(2, 200))]
        share = rng.random((200, 1))
        assert (functions.predict(share * a + (1 - share) * b) == label).all()
    w, b = functions.boundary("a", "b")
    np.testing.assert_allclose(w, functions.coef[0] - functions.coef[1])
    on_it = -b * w / (w @ w)
    scores = functions.scores(on_it[None])[0]
    np.testing.assert_allclose(scores[0], scores[1], atol=1e-10)
    np.testing.assert_array_equal(functions.scores(sparse.csr_array(X)).shape, (90, 3))
    if not isinstance(model, OneVsRestClassifier):
        assert not undecided(model, grid()).any()
        np.testing.assert_array_equal(model.classes_[votes(model, grid()).argmax(axis=1)], labels)


def test_two_classes_are_always_decided_but_on_the_plane():
    X, y = blobs()
    X, y = X[y != "c"], y[y != "c"]
    for model in (
        OneVsAllClassifier(),
        OneVsRestClassifier(LogisticRegression()),
        OneVsOneClassifier(LogisticRegression()),
        SVC(),
        LogisticRegression(),
    ):
        model.fit(X, y)
        assert not undecided(model, grid()).any()
        labels = model.classes_[votes(model, grid()).argmax(axis=1)]
        np.testing.assert_array_equal(labels, model.predict(grid()))
    functions = linear_discriminants(LogisticRegression().fit(X, y))
    assert not functions.coef[0].any()


@pytest.mark.parametrize("scheme", [OneVsRestClassifier, OneVsOneClassifier, OneVsAllClassifier])
@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(),
        LogisticRegression(l1_ratio=1.0, solver="saga"),
        LeastSquaresClassifier(),
        LinearDiscriminantAnalysis(),
        LinearSVC(),
        SVC(),
        GaussianNB(),
        KNeighborsClassifier(),
        DecisionTreeClassifier(max_depth=3),
        RandomForestClassifier(10, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_every_model_of_ours_goes_into_every_scheme(scheme, model):
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    wrapped = make_pipeline(StandardScaler(), scheme(model)).fit(X, names)
    least = 0.6 if scheme is OneVsAllClassifier else 0.8  # one plane for the class in the middle
    assert wrapped.score(X, names) > least
    left = undecided(wrapped, X)
    assert left.shape == (150,)
    given = votes(wrapped, X)
    np.testing.assert_array_equal(left, undecided(wrapped[-1], wrapped[0].transform(X)))
    assert given.shape == (150, 3)


def test_texts():
    texts = ["warm film", "dull film", "tax law", "law vote", "warm fur", "dull tax"] * 3
    y = ["film", "film", "law", "law", "pets", "law"] * 3
    model = OneVsAllClassifier(make_pipeline(CountVectorizer(), MultinomialNB())).fit(texts, y)
    assert model.predict(["film", "vote"]).tolist() == ["film", "law"]
    inside = make_pipeline(CountVectorizer(), OneVsAllClassifier()).fit(texts, y)
    assert inside.predict(["film", "vote"]).tolist() == ["film", "law"]


def test_what_is_not_linear_has_no_discriminants():
    X, y = blobs()
    with pytest.raises(TypeError, match="no coef_"):
        linear_discriminants(GaussianNB().fit(X, y))
    with pytest.raises(TypeError, match="6 linear functions for 4 classes"):
        linear_discriminants(SVC(kernel="linear").fit(X, np.arange(90) % 4))
    with pytest.raises(ValueError, match="'z' is not among"):
        linear_discriminants(LogisticRegression().fit(X, y)).boundary("a", "z")

    class Silent(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self

    with pytest.raises(TypeError, match="neither decision_function nor predict_proba"):
        undecided(Silent().fit(X, y), X)
