"""Labels and probabilities from one look at the rows: the same as from two."""

import numpy as np
import pytest
import sklearn.linear_model
from scipy import sparse

from quire._shared.decisions import decisions
from quire.discriminant_analysis import LinearDiscriminantAnalysis
from quire.ensemble import BaggingClassifier, RandomForestClassifier
from quire.linear_model import LogisticRegression, OrdinalRegression
from quire.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB
from quire.neighbors import KNeighborsClassifier
from quire.svm import SVC
from quire.tree import DecisionTreeClassifier

MODELS = [
    MultinomialNB(),
    MultinomialNB(alpha=0.0, force_alpha=True),
    ComplementNB(),
    BernoulliNB(),
    GaussianNB(),
    LogisticRegression(),
    OrdinalRegression(),
    LinearDiscriminantAnalysis(),
    DecisionTreeClassifier(random_state=0, max_depth=3),
    RandomForestClassifier(10, random_state=0, max_depth=3),
    KNeighborsClassifier(4),
    KNeighborsClassifier(4, weights="distance"),
    SVC(probability=True, random_state=0),
    BaggingClassifier(n_estimators=3, random_state=0),
    sklearn.linear_model.LogisticRegression(),
]


@pytest.mark.filterwarnings("ignore:The `probability` parameter:FutureWarning")
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("model", MODELS, ids=lambda model: str(model)[:40])
def test_decisions_are_those_of_predict_and_predict_proba(model, n_classes):
    generator = np.random.default_rng(n_classes)
    y = 10 * generator.integers(n_classes, size=80)
    X = generator.poisson(0.6, (80, 12)) + (y[:, None] == 10 * (np.arange(12) % 4))
    X = X.astype(float)
    X[:3] = 0.0
    if not isinstance(model, GaussianNB | LinearDiscriminantAnalysis):
        X = sparse.csr_matrix(X)
    with np.errstate(divide="ignore"):
        model.fit(X, y)
    codes, probabilities = decisions(model, X)
    np.testing.assert_array_equal(model.classes_[codes], model.predict(X))
    np.testing.assert_array_equal(probabilities, model.predict_proba(X))


def test_one_class_of_a_discriminant():
    X = np.arange(6.0).reshape(3, 2)
    model = LinearDiscriminantAnalysis().fit(X, ["a", "a", "a"])
    codes, probabilities = decisions(model, X)
    assert codes.tolist() == [0, 0, 0]
    assert probabilities.tolist() == [[1.0]] * 3


class Careful(MultinomialNB):
    """Predicts the first class unless it is sure."""

    def predict(self, X):
        sure = self.predict_proba(X).max(axis=1) > 0.9
        return np.where(sure, super().predict(X), self.classes_[0])


def test_a_class_that_predicts_in_a_way_of_its_own_is_asked_itself():
    X = np.array([[9, 0], [0, 9], [1, 1]])
    model = Careful().fit(X, ["a", "b", "b"])
    codes, _ = decisions(model, X)
    np.testing.assert_array_equal(model.classes_[codes], model.predict(X))
    assert model.predict(X).tolist() == ["a", "b", "a"]
