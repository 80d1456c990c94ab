"""Averages of linear models: sums of scores worked by hand, evidence that adds up, files, texts."""

import io
import json

import numpy as np
import polars as pl
import pytest
import sklearn.linear_model
from scipy import sparse
from scipy.special import expit, softmax
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.feature_extraction.text import TfidfVectorizer as SklearnTfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from tests.helpers.forged_files import rebuilt

import quire
from quire.cli import main
from quire.decomposition import PCA, TruncatedSVD
from quire.ensemble import AveragedClassifier
from quire.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from quire.inspection import top_evidence
from quire.kinds import takes_of
from quire.linear_model import (
    LeastSquaresClassifier,
    LogisticRegression,
    NBLogistic,
    OrdinalRegression,
)
from quire.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB
from quire.neighbors import KNeighborsClassifier
from quire.report._comparison.evidence import strongest_terms

rng = np.random.default_rng(0)
WORDS = np.array(["good", "bad", "fine", "dull", "film", "plot", "cast", "naïve", "🎬", "story"])
TEXTS = [" ".join(rng.choice(WORDS, n)) for n in rng.integers(1, 9, 60)] + [""]
MANY = np.resize(np.array(["a", "b", "c"], dtype=object), 61)
TWO = np.where(MANY == "c", "yes", "no")
NEW = ["A GOOD film, a dull plot", "🎬 naïve naïve story", "nothing known here", ""]


def of_texts(**options):
    return AveragedClassifier(
        [
            ("bayes", make_pipeline(CountVectorizer(), MultinomialNB())),
            ("pairs", make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), LogisticRegression())),
            (
                "letters",
                make_pipeline(
                    TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 3)),
                    LeastSquaresClassifier(alpha=1.0),
                ),
            ),
        ],
        **options,
    )


def of_scikit_learn():
    return AveragedClassifier(
        [
            ("bayes", make_pipeline(CountVectorizer(), BernoulliNB())),
            (
                "theirs",
                make_pipeline(
                    SklearnTfidfVectorizer(token_pattern=r"\w+", lowercase=False),
                    sklearn.linear_model.LogisticRegression(),
                ),
            ),
        ]
    )


def test_a_sum_worked_by_hand():
    """Multinomial counts with add-one smoothing, and a least-squares line through four points."""
    X = np.array([[2.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 2.0]])
    y = ["left", "left", "right", "right"]
    model = AveragedClassifier(
        [("bayes", MultinomialNB()), ("line", LeastSquaresClassifier())], weights=[0.5, 2.0]
    ).fit(X, y)
    # P(first word | left) = 4/5, P(first word | right) = 1/5, so that a word says log 4
    bayes = 0.5 * np.log(4) * np.array([-1.0, 3.0])
    line = 2.0 * model.estimators_[1].decision_function([[1.0, 0.0], [0.0, 3.0]])
    scores = model.decision_function([[1.0, 0.0], [0.0, 3.0]])
    np.testing.assert_allclose(scores, bayes + line, rtol=1e-12)
    assert model.predict([[1.0, 0.0], [0.0, 3.0]]).tolist() == ["left", "right"]
    np.testing.assert_allclose(model.predict_proba([[1.0, 0.0]])[:, 1], expit(scores[:1]))


def test_default_weights_bring_scores_to_one_scale():
    X, y = load_iris(return_X_y=True)
    model = AveragedClassifier([("a", LogisticRegression()), ("b", GaussianNB())]).fit(X, y)
    a = model.estimators_[0].decision_function(X)
    a = a - a.mean(axis=1, keepdims=True)
    b = model.estimators_[1].predict_joint_log_proba(X)
    b = b - b.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(model.weights_, [0.5 / a.std(), 0.5 / b.std()], rtol=1e-12)
    scores = model.decision_function(X)
    np.testing.assert_allclose(scores, model.weights_[0] * a + model.weights_[1] * b, atol=1e-10)
    np.testing.assert_allclose(model.predict_proba(X), softmax(scores, axis=1), atol=1e-12)
    np.testing.assert_allclose(
        model.predict_log_proba(X), np.log(model.predict_proba(X)), atol=1e-9
    )
    two = AveragedClassifier([("a", LogisticRegression())]).fit(X[:100], y[:100])
    np.testing.assert_allclose(two.decision_function(X[:100]).std(), 1.0, rtol=1e-12)


def test_scores_that_do_not_vary_keep_their_weight():
    model = AveragedClassifier([("a", LogisticRegression()), ("b", MultinomialNB())])
    model.fit(np.zeros((4, 2)), [0, 1, 0, 1])
    assert model.weights_.tolist() == [0.5, 0.5]


def test_one_factor_in_all_weights_changes_no_label():
    model = of_texts(weights=[0.1, 2.0, 1.0]).fit(TEXTS, MANY)
    sharper = of_texts(weights=[0.4, 8.0, 4.0]).fit(TEXTS, MANY)
    np.testing.assert_allclose(
        sharper.decision_function(TEXTS), 4 * model.decision_function(TEXTS), rtol=1e-9, atol=1e-9
    )
    assert (model.predict(TEXTS) == sharper.predict(TEXTS)).all()


@pytest.mark.parametrize("y", [TWO, MANY], ids=["two", "many"])
@pytest.mark.parametrize("make", [of_texts, of_scikit_learn])
def test_explanations_add_up_over_all_models(make, y):
    model = make().fit(TEXTS, y)
    scores = model.decision_function(NEW)
    scores = np.c_[np.zeros(len(NEW)), scores] if scores.ndim == 1 else scores
    for row, explanation in enumerate(quire.explain(model, NEW)):
        a, b = (model.classes_.tolist().index(c) for c in (explanation.target, explanation.against))
        assert explanation.prediction == model.predict(NEW)[row] == explanation.target
        assert explanation.score == pytest.approx(scores[row, a] - scores[row, b], abs=1e-9)
        parts = explanation.parts
        assert parts.offset + parts.contributions.sum() == pytest.approx(parts.score, abs=1e-12)
        names = explanation.names.tolist()
        assert len(set(names)) == len(names)


@pytest.mark.parametrize("y", [TWO, MANY], ids=["two", "many"])
def test_evidence_is_the_weighted_sum_of_that_of_the_models(y):
    model = of_texts().fit(TEXTS, y)
    evidence = model.evidence(NEW)
    names = evidence.feature_names.tolist()
    a, b = model.classes_[:2]
    joined = evidence.contributions(a, b)
    assert joined.format == "csr"
    assert joined.has_canonical_format
    expected = np.zeros(joined.shape)
    for weight, member, mark in zip(
        model.weights_, model.estimators_, ["", "", "char_wb__"], strict=True
    ):
        own = member[-1].evidence(member[:-1].transform(NEW)).contributions(a, b).toarray()
        for j, term in enumerate(member[0].get_feature_names_out()):
            expected[:, names.index(mark + term)] += weight * own[:, j]
    np.testing.assert_allclose(joined.toarray(), expected, atol=1e-14)
    scores = model.decision_function(NEW)
    difference = -scores if y is TWO else scores[:, 0] - scores[:, 1]
    np.testing.assert_allclose(evidence.log_odds(a, b), difference, atol=1e-10)
    assert names.count("good") == 1
    found = {term.term: term for term in evidence[1].terms}
    assert found["naïve"].value == 2  # as the first model has it: a count


def test_the_words_of_a_text_carry_what_all_models_say():
    model = of_texts().fit(TEXTS, TWO)
    explanation = quire.explain(model, NEW[0])
    (passage,) = explanation.passages
    words = [passage.text[word.start : word.end] for word in passage.words]
    assert words == ["GOOD", "film", "dull", "plot"]
    total = sum(word.score for word in passage.words)
    assert total == pytest.approx(explanation.parts.contributions.sum(), abs=1e-12)
    spans = [span for span in explanation.spans if span.term == "good"]
    assert [(span.start, span.end) for span in spans] == [(2, 6)]
    place = explanation.names.tolist().index("good")
    assert spans[0].contribution == pytest.approx(explanation.parts.contributions[place])


def test_a_word_that_only_the_second_vectorizer_finds_is_marked():
    """The first cuts no words of one letter; a term of both is located by whichever finds it."""
    model = AveragedClassifier(
        [
            ("lower", make_pipeline(CountVectorizer(), MultinomialNB())),
            ("as is", make_pipeline(CountVectorizer(token_pattern=r"\w"), MultinomialNB())),
        ]
    ).fit(["ab b", "c ca", "ab c", "b ca"], [0, 1, 0, 1])
    explanation = quire.explain(model, "ab")
    assert {(span.term, span.start, span.end) for span in explanation.spans} == {
        ("ab", 0, 2), ("a", 0, 1), ("b", 1, 2),
    }  # fmt: skip


def test_hashed_words_are_named_from_the_text():
    model = AveragedClassifier(
        [
            ("hashed", make_pipeline(HashingVectorizer(n_features=64), LogisticRegression())),
            ("counts", make_pipeline(CountVectorizer(), MultinomialNB())),
        ]
    ).fit(TEXTS, MANY)
    explanation = quire.explain(model, "good film")
    scores = model.decision_function(["good film"])[0]
    a, b = (model.classes_.tolist().index(c) for c in (explanation.target, explanation.against))
    assert explanation.score == pytest.approx(scores[a] - scores[b], abs=1e-10)
    assert set(explanation.names.tolist()) == {"good", "film"}
    assert len(explanation.names) == 4  # hashed and counted


def test_strongest_terms_are_those_of_the_sum():
    model = of_texts().fit(TEXTS, MANY)
    found = model.top_terms(3)
    assert found == top_evidence(model, 3)
    members = model.estimators_
    vocabulary = [members[m][0].vocabulary_ for m in (0, 1)]
    logs, coef = members[0][-1].feature_log_prob_, members[1][-1].coef_
    for label, terms in found.items():
        k = model.classes_.tolist().index(label)
        for term in terms:
            total = 0.0
            for words, weights, share in zip(
                vocabulary, (logs, coef), model.weights_, strict=False
            ):
                if term.term in words:
                    column = weights[:, words[term.term]]
                    total += share * (column[k] - np.delete(column, k).mean())
            if "__" not in term.term:
                assert term.weight == pytest.approx(total, rel=1e-9)
    assert any("__" not in term.term for terms in found.values() for term in terms)
    assert set(top_evidence(of_scikit_learn().fit(TEXTS, TWO), 2)) == {"no", "yes"}


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_models_of_one_matrix_share_its_columns(form):
    X, y = load_iris(return_X_y=True)
    scaler = StandardScaler(with_mean=form is np.asarray)
    model = AveragedClassifier(
        [("plain", LogisticRegression()), ("scaled", make_pipeline(scaler, LogisticRegression()))]
    ).fit(form(X), y)
    assert model.n_features_in_ == 4
    evidence = model.evidence(form(X))
    assert evidence.contributions(0, 1).shape == X.shape
    assert evidence.feature_names is None
    scores = model.decision_function(form(X))
    for a, b in ((0, 1), (2, 1)):
        np.testing.assert_allclose(
            evidence.log_odds(a, b), scores[:, a] - scores[:, b], rtol=1e-9, atol=1e-9
        )
    np.testing.assert_array_equal(quire.explain(model, form(X))[7].parts.values, X[7])
    named = model.evidence(form(X), feature_names=["a", "b", "c", "d"])
    assert {term.term for term in named[0].terms} <= {"a", "b", "c", "d"}


@pytest.mark.parametrize("steps", [(), (PCA(2),)], ids=["as it is", "projected"])
def test_models_of_measurements(steps):
    """Gaussian naive Bayes is additive and not linear; projected columns are nobody else's."""
    X, y = load_iris(return_X_y=True)
    model = AveragedClassifier(
        [("normal", make_pipeline(*steps, GaussianNB())), ("line", LogisticRegression())]
    ).fit(X, y)
    evidence, scores = model.evidence(X), model.decision_function(X)
    np.testing.assert_allclose(
        evidence.log_odds(2, 0), scores[:, 2] - scores[:, 0], rtol=1e-9, atol=1e-9
    )
    contributions = evidence.contributions(2, 0)
    assert isinstance(contributions, np.ndarray)
    assert contributions.shape == (150, 6 if steps else 4)
    assert quire.explain(model, X)[3].score == pytest.approx(np.ptp(np.sort(scores[3])[1:]))
    if steps:
        names = ["normal__pca0", "normal__pca1", "x0", "x1", "x2", "x3"]
        assert sorted(evidence.feature_names.tolist()) == names
    with pytest.raises(TypeError, match="no weights"):
        model.top_terms()


def test_projections_and_unions_keep_apart_what_is_not_the_same():
    union = make_union(CountVectorizer(), TfidfVectorizer(analyzer="char", ngram_range=(2, 2)))
    places = make_pipeline(TfidfVectorizer(), TruncatedSVD(2))
    model = AveragedClassifier(
        [
            ("both", make_pipeline(union, LogisticRegression())),
            ("words", make_pipeline(CountVectorizer(), MultinomialNB())),
            ("one", make_pipeline(clone(places), LogisticRegression())),
            ("other", make_pipeline(clone(places), LogisticRegression())),
        ]
    ).fit(TEXTS, TWO)
    evidence = model.evidence(NEW)
    names = evidence.feature_names.tolist()
    assert names.count("good") == 1
    assert "char__go" in names
    assert names[-4:] == [f"{m}__truncatedsvd{i}" for m in ("one", "other") for i in (0, 1)]
    np.testing.assert_allclose(
        evidence.log_odds("yes", "no"), model.decision_function(NEW), atol=1e-10
    )
    explanation = quire.explain(model, NEW[0])
    assert "good" in {span.term for span in explanation.spans}
    assert abs(explanation.score) == pytest.approx(abs(model.decision_function(NEW[:1])[0]))


def test_models_with_other_classes_are_refused():
    X, y = load_iris(return_X_y=True)
    ordered = OrdinalRegression(categories=[2, 1, 0])
    with pytest.raises(ValueError, match=r"'ordered' has the classes .* in this order"):
        AveragedClassifier([("ordered", ordered), ("b", LogisticRegression())]).fit(X, y)


def test_a_vectorizer_before_all_models():
    model = make_pipeline(
        CountVectorizer(), AveragedClassifier([("a", MultinomialNB()), ("b", NBLogistic())])
    ).fit(TEXTS, MANY)
    explanation = quire.explain(model, "a good film")
    assert set(explanation.names.tolist()) == {"good", "film"}
    assert [span.term for span in explanation.spans] == ["good", "film"]
    assert all(isinstance(t.term, str) for terms in top_evidence(model).values() for t in terms)


@pytest.mark.parametrize("y", [TWO, MANY], ids=["two", "many"])
@pytest.mark.parametrize("make", [of_texts, of_scikit_learn])
def test_a_saved_model_answers_and_explains_the_same(make, y, tmp_path):
    model = make().fit(TEXTS, y)
    loaded = quire.load(quire.save(model, tmp_path / "model.quire"))
    assert loaded.decision_function(NEW).tobytes() == model.decision_function(NEW).tobytes()
    assert loaded.predict(NEW).tolist() == model.predict(NEW).tolist()
    assert str(quire.explain(loaded, NEW[0])) == str(quire.explain(model, NEW[0]))
    assert loaded.named_estimators_["bayes"] is loaded.estimators_[0]
    assert takes_of(loaded).what == "texts"


def test_files_whose_models_do_not_agree_are_refused(tmp_path):
    def refused(model, message):
        with pytest.raises(ValueError, match=message):
            quire.save(model, tmp_path / "model.quire")

    model = of_texts().fit(TEXTS, MANY)
    model.weights_ = model.weights_[:2]
    refused(model, "weights_")
    model = of_texts().fit(TEXTS, MANY)
    model.estimators_[1][-1].classes_ = np.array(["a", "c", "b"], dtype=object)
    refused(model, "has other classes")
    model = of_texts().fit(TEXTS, MANY)
    model.named_estimators_["bayes"] = clone(model.estimators_[0]).fit(TEXTS, MANY)
    refused(model, "named_estimators_ are not estimators_")
    model = of_texts().fit(TEXTS, MANY)
    model.weights_ = -model.weights_
    refused(model, "weights_")


def without_its_last_model(state):
    state["estimators_"]["items"].pop()
    state["named_estimators_"]["keys"].pop()
    state["named_estimators_"]["values"].pop()


@pytest.mark.parametrize(
    ("forge", "message"),
    [
        (without_its_last_model, "weights_"),
        (lambda state: state["named_estimators_"]["values"].reverse(), "are not estimators_"),
        (lambda state: state["classes_"]["items"].reverse(), "has other classes"),
        (lambda state: state.pop("weights_"), "has no weights_"),
        (lambda state: state.update(estimators=3), "estimators"),
        (lambda state: state.update(n_features_in_="many"), "n_features_in_"),
    ],
)
def test_forged_files_are_refused(forge, message, tmp_path):
    path = quire.save(of_texts().fit(TEXTS, MANY), tmp_path / "model.quire")
    path.write_bytes(rebuilt(path, lambda parts: forge(parts.tree["state"])))
    with pytest.raises(quire.exceptions.ModelFileError, match=message):
        quire.load(path)


def test_commands_take_a_saved_average(capfd, tmp_path):
    path = quire.save(of_texts().fit(TEXTS, TWO), tmp_path / "model.quire")
    source = tmp_path / "new.csv"
    pl.DataFrame({"text": NEW[:3]}).write_csv(source)

    def said(*arguments):
        with pytest.raises(SystemExit) as ended:
            main([str(one) for one in arguments])
        assert ended.value.code in (0, None)
        return capfd.readouterr().out

    model = quire.load(path)
    predicted = pl.read_csv(io.StringIO(said("predict", path, source)))
    assert predicted["predicted"].to_list() == model.predict(NEW[:3]).tolist()
    np.testing.assert_allclose(predicted["p(yes)"], model.predict_proba(NEW[:3])[:, 1])
    explained = json.loads(said("explain", path, NEW[0], "--json"))
    assert abs(explained["score"]) == pytest.approx(abs(model.decision_function(NEW[:1])[0]))
    inspected = json.loads(said("inspect", path, "--json"))
    assert inspected["labels"] == ["no", "yes"]
    assert inspected["features"] == sum(len(one[0].vocabulary_) for one in model.estimators_)


def test_the_evidence_of_a_report():
    model = of_texts().fit(TEXTS, MANY)
    found = strongest_terms(model, 4)
    assert [term.term for term in found["a"]] == [
        term.term for term in model.top_terms(4)["a"] if term.weight > 0
    ]


def test_the_same_bits_with_any_number_of_threads():
    scores = [of_texts(n_jobs=n).fit(TEXTS, MANY).decision_function(NEW) for n in (None, 1, 3)]
    assert scores[0].tobytes() == scores[1].tobytes() == scores[2].tobytes()


def test_weights_of_samples_are_repetitions():
    weights = np.arange(61) // 3 % 3
    weighted = of_texts().fit(TEXTS, MANY, sample_weight=weights)
    again = np.repeat(np.arange(61), weights)
    # the vectorizers see texts, not weights: these are the same with and without a weight of zero
    twice = of_texts(weights=[1, 0, 0]).fit([TEXTS[i] for i in again], MANY[again])
    one = of_texts(weights=[1, 0, 0]).fit(TEXTS, MANY, sample_weight=weights)
    np.testing.assert_allclose(one.decision_function(NEW), twice.decision_function(NEW))
    scores = weighted.estimators_[0][-1].predict_joint_log_proba(
        weighted.estimators_[0][0].transform([TEXTS[i] for i in again])
    )
    scores = scores - scores.mean(axis=1, keepdims=True)
    assert weighted.weights_[0] == pytest.approx(1 / (3 * scores.std()), rel=1e-12)


def test_a_model_of_the_weight_zero_is_not_asked():
    model = of_texts(weights=[1, 0, 2]).fit(TEXTS, MANY)
    only = AveragedClassifier([of_texts().estimators[i] for i in (0, 2)], weights=[1, 2])
    only.fit(TEXTS, MANY)
    model.estimators_[1].steps.clear()  # an error for whoever asks it
    assert model.decision_function(NEW).tobytes() == only.decision_function(NEW).tobytes()
    assert str(quire.explain(model, NEW[0])) == str(quire.explain(only, NEW[0]))
    assert str(model.evidence(NEW)[0]) == str(only.evidence(NEW)[0])
    assert top_evidence(model, 3) == top_evidence(only, 3) == model.top_terms(3)


def test_parameters_go_down_to_the_models_and_a_search_sees_them():
    model = of_texts().set_params(pairs__logisticregression__C=7.0, letters="drop")
    assert model.get_params()["pairs__logisticregression__C"] == 7.0
    model.fit(TEXTS, MANY)
    assert list(model.named_estimators_) == ["bayes", "pairs"]
    assert model.estimators_[1][-1].C == 7.0
    assert len(model.weights_) == 2
    grid = {"weights": [[1, 0, 0], [0, 1, 0]], "bayes__multinomialnb__alpha": [0.1, 1.0]}
    search = GridSearchCV(of_texts(), grid, cv=2).fit(TEXTS, MANY)
    explanation = quire.explain(search, "good film")
    assert explanation.target == search.predict(["good film"])[0]


def test_texts_that_are_read_once():
    model = of_texts().fit((text for text in TEXTS), MANY)
    expected = of_texts().fit(TEXTS, MANY).decision_function(NEW)
    np.testing.assert_array_equal(model.decision_function(iter(NEW)), expected)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, 2.0], "one number for each of 3 estimators"),
        ([1.0, -2.0, 1.0], "none below zero"),
        ([1.0, np.nan, 1.0], "finite"),
        ([[1.0, 2.0, 3.0]], "one number for each"),
        (["a", "b", "c"], "one number for each"),
        ([0, 0, 0], "zero for all models"),
    ],
)
def test_weights_that_are_none(weights, message):
    with pytest.raises(ValueError, match=message):
        of_texts(weights=weights).fit(TEXTS, MANY)


def test_models_that_cannot_be_added():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(TypeError, match="'tree' has no scores that can be added"):
        AveragedClassifier([("tree", DecisionTreeClassifier())]).fit(X, y)
    with pytest.raises(ValueError, match="set its alpha above 0"):
        AveragedClassifier([("sure", MultinomialNB(alpha=0))]).fit(np.eye(3), [0, 1, 2])
    with pytest.raises(ValueError, match="not one class"):
        of_texts().fit(TEXTS, ["one"] * 61)
    with pytest.raises(TypeError, match="'knn' takes no sample_weight"):
        AveragedClassifier([("knn", KNeighborsClassifier())]).fit(X, y, sample_weight=np.ones(150))
    theirs = of_scikit_learn().fit(TEXTS, TWO)
    with pytest.raises(TypeError, match=r"'theirs' does not say .* quire\.inspection\.explain"):
        theirs.evidence(NEW)
    damaged = sparse.csr_array(X)
    theirs = sklearn.linear_model.LogisticRegression(max_iter=1000)
    model = AveragedClassifier([("a", theirs)]).fit(X, y)
    damaged.indices[3] = 10**6
    with pytest.raises(ValueError, match="outside"):
        model.predict(damaged)
