"""Models of several labels against scikit-learn, thresholds against trying all, what goes wrong."""

import itertools

import numpy as np
import pytest
from scipy import sparse
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics import f1_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline

from quire._shared.label_thresholds import corners_of, thresholds_of
from quire.datasets import make_multilabel_texts
from quire.feature_extraction.text import TfidfVectorizer
from quire.inspection import explain, top_evidence
from quire.kinds import Blueprint, check_blueprint
from quire.linear_model import LogisticRegression
from quire.model_selection import evaluate
from quire.multilabel import BinaryRelevance, LabelPowerset, label_sets
from quire.naive_bayes import ComplementNB, MultinomialNB
from quire.svm import LinearSVC

N_LABELS = 6


@pytest.fixture(scope="module")
def drawn():
    """Counts whose first columns belong to labels; labels are dependent, and some are rare."""
    rng = np.random.default_rng(0)
    Y = (rng.random((500, N_LABELS)) < np.array([0.5, 0.3, 0.2, 0.1, 0.06, 0.04])).astype(int)
    Y[:, 1] |= Y[:, 2]
    rates = np.full((500, 60), 0.4)
    for label in range(N_LABELS):
        rates[:, 5 * label : 5 * label + 5] += 0.7 * Y[:, [label]]
    return sparse.csr_array(rng.poisson(rates).astype(float)), Y


@pytest.mark.parametrize("base", [LinearSVC(random_state=0), LogisticRegression(), MultinomialNB()])
def test_without_thresholds_it_is_one_against_the_rest(base, drawn):
    X, Y = drawn
    ours = BinaryRelevance(base, threshold=None).fit(X, Y)
    theirs = OneVsRestClassifier(base).fit(X, Y)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert np.isnan(ours.best_score_)
    if hasattr(base, "decision_function"):
        np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X))
    if hasattr(base, "predict_proba"):
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X))


def best_of_all(scores, Y, aim):
    """Return the best F1 of any thresholds: every cut of every label, all together for "micro"."""
    cuts = [[-np.inf, *np.unique(column)] for column in scores.T]
    if aim == "f1_macro":
        each = [
            max(f1_score(y, column > cut, zero_division=0) for cut in some)
            for column, y, some in zip(scores.T, Y.T, cuts, strict=True)
        ]
        return np.mean(each)
    return max(
        f1_score(Y, scores > np.array(one), average="micro") for one in itertools.product(*cuts)
    )


@pytest.mark.parametrize("aim", ["f1_micro", "f1_macro"])
@pytest.mark.parametrize("seed", range(5))
def test_thresholds_are_the_best_there_are(aim, seed):
    rng = np.random.default_rng(seed)
    Y = (rng.random((12, 3)) < [0.5, 0.3, 0.2]).astype(int)
    Y[0] = 1
    scores = np.round(rng.normal(size=(12, 3)) + Y, 1)  # with ties
    corners = [corners_of(column, y == 1) for column, y in zip(scores.T, Y.T, strict=True)]
    thresholds, score = thresholds_of(corners, aim, 0.0, 0.0)
    average = aim.removeprefix("f1_")
    assert score == pytest.approx(best_of_all(scores, Y, aim))
    assert f1_score(Y, scores > thresholds, average=average, zero_division=0) == pytest.approx(
        score
    )


def test_a_label_with_few_documents_is_decided_as_others_are():
    often = corners_of(np.array([3.0, 2.9, 2.8, 0.0] * 20), np.array([1, 1, 1, 0] * 20) == 1)
    seldom = corners_of(np.array([9.0, 0.0]), np.array([1, 0]) == 1)
    (middle, own), _ = thresholds_of([often, seldom], "f1_macro", 0.0, 0.0)
    (_, drawn_to), _ = thresholds_of([often, seldom], "f1_macro", 0.0, 4.0)
    assert (middle, own) == (1.4, 4.5)
    assert drawn_to == pytest.approx((4.5 + 4 * (1.4 + 4.5) / 2) / 5)
    (unknown, _), _ = thresholds_of([None, often], "f1_micro", 0.0, 4.0)
    assert unknown == pytest.approx(1.4)


@pytest.mark.parametrize("base", [LinearSVC(random_state=0), LogisticRegression(), ComplementNB()])
def test_thresholds_help_on_new_documents(base):
    data = make_multilabel_texts(1600, n_labels=10, random_state=0)
    X, Y = TfidfVectorizer().fit_transform(data.texts), data.labels.indicator.toarray()
    plain = OneVsRestClassifier(base).fit(X[:1000], Y[:1000]).predict(X[1000:])
    for aim in ("micro", "macro"):
        model = BinaryRelevance(base, threshold=f"f1_{aim}").fit(X[:1000], Y[:1000])
        found = model.predict(X[1000:])
        assert f1_score(Y[1000:], found, average=aim) > f1_score(Y[1000:], plain, average=aim)
        assert 0 < model.best_score_ <= 1


@pytest.mark.parametrize(
    "model", [BinaryRelevance(LinearSVC(random_state=0)), LabelPowerset(LinearSVC(random_state=0))]
)
def test_predictions_are_the_signs_of_decisions(model, drawn):
    X, Y = drawn
    model.fit(X, Y)
    np.testing.assert_array_equal(model.decision_function(X) > 0, model.predict(X) == 1)
    sparsely = type(model)(**model.get_params(deep=False)).fit(X, sparse.csr_array(Y)).predict(X)
    assert sparse.issparse(sparsely)
    np.testing.assert_array_equal(sparsely.toarray(), model.predict(X))


@pytest.mark.parametrize("model", [BinaryRelevance(), LabelPowerset()])
def test_names_come_back(model, drawn):
    X, Y = drawn
    names = np.array([f"label {k}" for k in range(N_LABELS)], dtype=object)
    lists = [list(names[row == 1]) for row in Y]
    model.fit(X, lists)
    assert model.classes_.tolist() == names.tolist()
    found = model.predict_labels(X)
    np.testing.assert_array_equal(np.asarray(found), model.predict(X))
    assert model.fit(X, ["|".join(one) for one in lists]).multilabel_ is False
    assert model.fit(X, label_sets(["; ".join(one) for one in lists], separator=";")).multilabel_
    assert model.separator_ == ";"
    assert list(model.predict_labels(X)) == list(found)
    assert ";" in "".join(model.predict_labels(X).joined())


def test_threads_give_the_same_bits(drawn):
    X, Y = drawn
    one, four = (BinaryRelevance(LinearSVC(random_state=0), n_jobs=n).fit(X, Y) for n in (1, 4))
    np.testing.assert_array_equal(one.thresholds_, four.thresholds_)
    np.testing.assert_array_equal(one.decision_function(X), four.decision_function(X))


def test_probabilities_of_sets_add_up_over_them(drawn):
    X, Y = drawn
    model = LabelPowerset(LogisticRegression()).fit(X, Y)
    P = model.estimator_.predict_proba(X)
    np.testing.assert_allclose(model.predict_proba(X), P @ model.sets_.toarray())
    with pytest.raises(AttributeError):
        LabelPowerset(LinearSVC()).predict_proba  # noqa: B018


def test_rare_sets_are_folded_into_the_nearest_frequent_one():
    Y = [["a"]] * 4 + [["a", "b"]] * 3 + [["c"]] * 3 + [["b", "a", "d"], ["d"]]
    X = np.eye(len(Y))
    model = LabelPowerset().fit(X, Y)
    assert [tuple(model.classes_[row == 1]) for row in model.sets_.toarray()] == [
        ("a",), ("a", "b"), ("c",),
    ]  # fmt: skip
    assert model.n_folded_ == 2
    sizes = np.bincount(model.estimator_.predict(X), minlength=3)
    assert sizes.sum() == len(Y)
    everything = LabelPowerset(min_documents=1).fit(X, Y)
    assert everything.sets_.shape[0] == 5
    assert everything.n_folded_ == 0
    all_rare = LabelPowerset(min_documents=99).fit(X, Y)
    assert all_rare.sets_.shape[0] == 1
    assert list(all_rare.predict_labels(X)) == [("a",)] * len(Y)
    assert (all_rare.decision_function(X) > 0).tolist() == [[True, False, False, False]] * len(Y)


def test_labels_that_all_or_none_have_need_no_model():
    X = np.arange(12.0).reshape(6, 2)
    Y = np.array([[1, 0, k % 2] for k in range(6)])
    model = BinaryRelevance().fit(X, Y)
    assert model.constants_.tolist() == [1, -1, 0]
    assert len(model.estimators_) == 1
    assert model.predict(X)[:, :2].tolist() == [[1, 0]] * 6
    assert model.predict_proba(X)[:, :2].tolist() == [[1.0, 0.0]] * 6
    assert explain(model, X, target=0)[0].score > 0 > explain(model, X, target=1)[0].score


def test_shares_have_a_threshold_of_a_half(drawn):
    X, Y = drawn
    forest = RandomForestClassifier(10, random_state=0)
    model = BinaryRelevance(forest, threshold=None).fit(X.toarray(), Y)
    assert model.default_threshold_ == 0.5
    P = model.predict_proba(X.toarray())
    np.testing.assert_array_equal(model.predict(X.toarray()), P > 0.5)


def test_a_baseline_predicts_the_most_frequent_labels(drawn):
    X, Y = drawn
    model = BinaryRelevance(DummyClassifier(strategy="prior"), min_documents=0).fit(X, Y)
    predicted = model.predict(X)
    assert (predicted == predicted[0]).all()
    best = max(
        f1_score(Y, np.tile(one, (len(Y), 1)), average="micro", zero_division=0)
        for one in itertools.product([0, 1], repeat=N_LABELS)
    )
    assert f1_score(Y, predicted, average="micro") == pytest.approx(best)


# Evidence ----------------------------------------------------------------------------------------

TEXTS = ["rain and wind", "a storm, rain", "sun", "sun and wind", "rain", "wind"] * 5
LABELS = [["wet", "windy"], ["wet", "windy"], ["dry"], ["dry", "windy"], ["wet"], ["windy"]] * 5


@pytest.mark.parametrize(
    "base", [LinearSVC(random_state=0), LogisticRegression(), MultinomialNB(), ComplementNB()]
)
@pytest.mark.parametrize("around", [BinaryRelevance, LabelPowerset])
def test_evidence_adds_up_to_the_decision_about_each_label(around, base):
    model = make_pipeline(TfidfVectorizer(), around(base)).fit(TEXTS, LABELS)
    decided = model.decision_function(["a storm, sun"])[0]
    for k, label in enumerate(["dry", "wet", "windy"]):
        found = explain(model, "a storm, sun", target=label)
        assert found.target == label
        assert found.score == pytest.approx(decided[k])
        total = found.offset + sum(term.contribution for term in found.terms)
        assert total == pytest.approx(decided[k])
    several = explain(model, ["a storm, rain", "sun"])
    for row, one in enumerate(several):
        predicted = model.predict(["a storm, rain", "sun"])[row]
        assert {part.target for part in one} == set(model[-1].classes_[predicted == 1])
        assert all(part.score > 0 for part in one)
    assert top_evidence(model, 1)["dry"][0].term == "sun"


def test_without_a_label_the_nearest_is_explained():
    model = make_pipeline(TfidfVectorizer(), BinaryRelevance(LinearSVC(random_state=0)))
    model.fit([*TEXTS, *["nothing of note"] * 20], [*LABELS, *[[]] * 20])
    assert model.predict(["nothing of note"]).sum() == 0
    (found,) = explain(model, "nothing of note")
    assert found.score < 0
    assert found.prediction == ()
    with pytest.raises(ValueError, match="explained against not having it"):
        explain(model, "sun", target="dry", against="wet")
    with pytest.raises(ValueError, match="'snow' is not a class"):
        explain(model, "sun", target="snow")


def test_scikit_learns_model_of_columns_is_explained_too():
    model = make_pipeline(TfidfVectorizer(), OneVsRestClassifier(LinearSVC(random_state=0)))
    model.fit(TEXTS, label_sets(LABELS).indicator)
    decided = model.decision_function(["rain and sun"])[0]
    for label in range(3):
        assert explain(model, "rain and sun", target=label).score == pytest.approx(decided[label])


# What goes wrong ---------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", [BinaryRelevance, LabelPowerset])
def test_errors_say_what_is_wrong(cls, drawn):
    X, Y = drawn
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        cls().fit(X, Y[:-1])
    with pytest.raises(ValueError, match="No document has a label"):
        cls().fit(X[:3], [[], [], []])
    with pytest.raises(ValueError, match="one class"):
        cls().fit(X[:3], ["a", "a", "a"])
    with pytest.raises(ValueError, match="features"):
        cls().fit(X, Y).predict(X[:, :3])


@pytest.mark.parametrize("cv", [1, 0, 2.5])
def test_cv_is_a_number_of_folds(cv, drawn):
    with pytest.raises(ValueError, match="cv"):
        BinaryRelevance(cv=cv).fit(*drawn)


def test_models_of_scikit_learn_that_say_nothing_of_their_columns_are_refused_in_words(drawn):
    X, Y = drawn
    ridge = RidgeClassifier().fit(X, Y)
    for ask in (lambda: evaluate(ridge, X, ["a"] * 500), lambda: explain(ridge, X)):
        with pytest.raises(ValueError, match="predicts 6 columns for a row"):
            ask()


# Model files -------------------------------------------------------------------------------------


def forged(model, **changes):
    state = {**vars(model), **changes}
    check_blueprint(Blueprint(type(model), state))


def test_files_whose_parts_do_not_fit_are_refused(drawn):
    X, Y = drawn
    model = BinaryRelevance(LinearSVC(random_state=0)).fit(X, Y)
    forged(model)
    one_class = LinearSVC(random_state=0).fit(X, Y[:, 0] + 5)
    for changes, words in (
        ({"estimators_": model.estimators_[1:]}, "5 models do not fit 6 labels"),
        ({"constants_": np.array([0, 0, 0, 0, 0, 3], dtype=np.int8)}, "other numbers than"),
        ({"constants_": model.constants_[1:]}, "constants_"),
        ({"thresholds_": np.full(N_LABELS, np.nan)}, "thresholds_"),
        ({"default_threshold_": 0.3}, "neither 0 nor 0.5"),
        ({"estimators_": [one_class, *model.estimators_[1:]]}, "0 to 1 apart"),
        ({"separator_": 3}, "separator_"),
    ):
        with pytest.raises(ValueError, match=words):
            forged(model, **changes)
    sets = LabelPowerset(LinearSVC(random_state=0)).fit(X, Y)
    forged(sets)
    other = sets.sets_.copy()
    other.data[0] = 7
    for changes, words in (
        ({"sets_": other}, "other numbers than 0 and 1"),
        ({"sets_": sets.sets_[:1]}, "1 sets do not fit a model"),
        ({"sets_": sets.sets_[:-1]}, "0 to"),
        ({"estimator_": None}, "no model"),
    ):
        with pytest.raises(ValueError, match=words):
            forged(sets, **changes)
