"""explain: parts that add up to the decision, for every family of models."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn import linear_model as sk_linear
from sklearn import naive_bayes as sk_bayes
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer as SklearnTfidf
from sklearn.feature_selection import SelectKBest
from sklearn.feature_selection import chi2 as sk_chi2
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC

from quire.discriminant_analysis import LinearDiscriminantAnalysis
from quire.feature_extraction.select import SelectTerms
from quire.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from quire.inspection import Explanation, Explanations, explain, register_evidence, top_evidence
from quire.linear_model import (
    ElasticNet,
    Lasso,
    LeastSquaresClassifier,
    LinearRegression,
    LogisticRegression,
    OrdinalRegression,
    Ridge,
)
from quire.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MixedNB, MultinomialNB

WORDS = "good fine warm dull awful long film plot cast scene story the and it".split()
VECTORIZERS = {
    "counts": CountVectorizer(),
    "tf-idf of bigrams": TfidfVectorizer(ngram_range=(1, 2)),
    "characters": CountVectorizer(analyzer="char", ngram_range=(1, 3)),
    "within words": TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4)),
    "hashing": HashingVectorizer(n_features=64, alternate_sign=False, ngram_range=(1, 2)),
    "scikit-learn": SklearnTfidf(stop_words=["the", "it"]),
}
CLASSIFIERS = [
    MultinomialNB(),
    ComplementNB(),
    BernoulliNB(),
    LogisticRegression(),
    LeastSquaresClassifier(),
    LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.5),
    sk_bayes.MultinomialNB(),
    sk_bayes.ComplementNB(),
    sk_bayes.BernoulliNB(),
    sk_linear.LogisticRegression(),
    sk_linear.RidgeClassifier(),
    LinearSVC(C=0.01),
    OneVsRestClassifier(LinearSVC(C=0.01)),
]
REGRESSORS = [
    LinearRegression(),
    Ridge(),
    Lasso(alpha=0.01),
    ElasticNet(alpha=0.01),
    sk_linear.Ridge(),
    sk_linear.SGDRegressor(random_state=0),
]
NEW = [
    "A GOOD, good film: the plot is dull!",
    "awful awful scene unseen words",
    "",
    "nothing known at all" * 2,
    "good film good film 😀 caf\u00e9",
]


def corpus(n=90, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % n_classes
    texts = []
    for code in codes:
        p = np.ones(len(WORDS))
        p[2 * code : 2 * code + 2] += 4
        texts.append(" ".join(rng.choice(WORDS, size=rng.integers(4, 12), p=p / p.sum())))
    return texts, codes, rng.normal(size=n) + codes


def name(model):
    return f"{type(model).__module__.split('.')[0]} {type(model).__name__}"


def scores_of(model, X):
    if hasattr(model[-1], "predict_joint_log_proba"):
        return model[-1].predict_joint_log_proba(model[:-1].transform(X))
    scores = model.decision_function(X)
    return np.column_stack([np.zeros(len(scores)), scores]) if scores.ndim == 1 else scores


def check_parts(explanation, score):
    total = explanation.offset + sum(term.contribution for term in explanation.terms)
    assert abs(total - explanation.score) < 1e-10
    assert abs(explanation.log_odds - score) < 1e-10
    placed = sum(span.contribution for span in explanation.spans)
    words = sum(word.score for passage in explanation.passages for word in passage.words)
    assert abs(words - placed) < 1e-10
    if explanation.passages and all(passage.is_located for passage in explanation.passages):
        assert abs(placed - (explanation.score - explanation.offset)) < 1e-10


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("vectorizer", VECTORIZERS)
@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=name)
def test_parts_add_up_to_the_decision(classifier, vectorizer, n_classes):
    texts, y, _ = corpus(n_classes=n_classes)
    labels = np.array(["low", "middle", "top"])[y]
    model = make_pipeline(VECTORIZERS[vectorizer], classifier).fit(texts, labels)
    scores = scores_of(model, NEW)
    predicted = model.predict(NEW)
    found = explain(model, NEW)
    assert isinstance(found, Explanations)
    assert len(found) == len(NEW)
    for row, explanation in enumerate(found):
        assert explanation.target == explanation.prediction == predicted[row]
        assert explanation.text == NEW[row]
        a, b = (
            model.classes_.tolist().index(label)
            for label in (explanation.target, explanation.against)
        )
        check_parts(explanation, scores[row, a] - scores[row, b])
    given = explain(model, NEW[0], target="low", against="middle")
    assert (given.target, given.against) == ("low", "middle")
    check_parts(given, scores[0, 0] - scores[0, 1])


@pytest.mark.parametrize("vectorizer", VECTORIZERS)
@pytest.mark.parametrize("regressor", REGRESSORS, ids=name)
def test_parts_add_up_to_the_predicted_number(regressor, vectorizer):
    texts, _, y = corpus()
    model = make_pipeline(VECTORIZERS[vectorizer], regressor).fit(texts, y)
    for text, prediction in zip(NEW, model.predict(NEW), strict=True):
        explanation = explain(model, text)
        check_parts(explanation, prediction)
        assert explanation.prediction == prediction
        assert explanation.target is explanation.against is explanation.probabilities is None
    assert "predicted" in str(explanation)
    with pytest.raises(ValueError, match="predicts a number"):
        explain(model, NEW[0], against=1)


def test_several_outputs():
    texts, codes, y = corpus()
    model = make_pipeline(CountVectorizer(), Ridge()).fit(texts, np.column_stack([y, codes]))
    second = explain(model, NEW[0], target=1)
    check_parts(second, model.predict(NEW[:1])[0, 1])
    assert second.target == 1
    assert "output 1" in second.headline
    with pytest.raises(ValueError, match="from 0 to 1"):
        explain(model, NEW[0], target=2)


@pytest.mark.parametrize("link", ["logit", "probit"])
def test_ordered_classes_are_compared_at_a_threshold(link):
    texts, codes, _ = corpus()
    model = make_pipeline(CountVectorizer(), OrdinalRegression(link=link)).fit(texts, codes)
    regression = model[-1]
    latent = regression.latent(model[:-1].transform(NEW))
    theta = regression.thresholds_
    up = explain(model, NEW, target=1, against=0)
    down = explain(model, NEW, target=1, against=2)
    for row in range(len(NEW)):
        check_parts(up[row], latent[row] - theta[0])
        check_parts(down[row], theta[1] - latent[row])
    assert up[0].headline == "1 or higher rather than 0 or lower"
    assert down[0].headline == "1 or lower rather than 2 or higher"
    assert explain(model, NEW[0]).target == model.predict(NEW[:1])[0]
    assert explain(model, NEW[0], against=0).target == 1
    with pytest.raises(ValueError, match="beside"):
        explain(model, NEW[0], target=0, against=2)
    with pytest.raises(ValueError, match="not a class"):
        explain(model, NEW[0], target=7)
    if link == "logit":
        higher = model.predict_proba(NEW)[:, 1:].sum(axis=1)
        np.testing.assert_allclose(up[0].score, np.log(higher[0] / (1 - higher[0])))


def test_two_ordered_classes_have_the_decision_function():
    texts, codes, _ = corpus(n_classes=2)
    model = make_pipeline(CountVectorizer(), OrdinalRegression()).fit(texts, codes)
    check_parts(explain(model, NEW[0], target=1), model.decision_function(NEW[:1])[0])


@pytest.mark.parametrize(
    "steps",
    [
        [CountVectorizer(), TfidfTransformer()],
        [CountVectorizer(ngram_range=(1, 2)), SelectTerms(k=8)],
        [CountVectorizer(), TfidfTransformer(), SelectKBest(sk_chi2, k=5), MaxAbsScaler()],
        [make_pipeline(CountVectorizer(), SelectTerms(k=6)), TfidfTransformer()],
        [HashingVectorizer(n_features=32), StandardScaler(with_mean=False)],
    ],
)
def test_steps_between(steps):
    texts, y, _ = corpus()
    model = make_pipeline(*steps, LogisticRegression()).fit(texts, y)
    explanation = explain(model, NEW[0], target=0, against=1)
    scores = model.decision_function(NEW[:1])[0]
    check_parts(explanation, scores[0] - scores[1])
    for span in explanation.spans:
        assert NEW[0][span.start : span.end].lower() == span.term


def test_terms_that_were_not_selected_are_not_known():
    texts, y, _ = corpus()
    model = make_pipeline(CountVectorizer(), SelectTerms(k=3), MultinomialNB()).fit(texts, y)
    kept = set(model[:-1].get_feature_names_out())
    explanation = explain(model, " ".join(WORDS))
    assert {term.term for term in explanation.terms} == kept
    assert explanation.n_unknown == len(WORDS) - 3
    assert f"{len(WORDS) - 3} of {len(WORDS)} words are not known" in str(explanation)


def test_a_union_of_words_and_characters():
    texts, y, _ = corpus()
    union = FeatureUnion(
        [("word", CountVectorizer()), ("char", CountVectorizer(analyzer="char_wb"))]
    )
    model = make_pipeline(union, LogisticRegression()).fit(texts, y)
    explanation = explain(model, NEW[0], target=0, against=1)
    scores = model.decision_function(NEW[:1])[0]
    check_parts(explanation, scores[0] - scores[1])
    assert len(explanation.passages) == 1
    assert {"word__good", "char__g"} <= {term.term for term in explanation.terms}


def frame(texts, y):
    return {
        "title": texts,
        "body": [text[::-1] for text in texts],
        "kind": [["a", "b"][(code + i) % 2] for i, code in enumerate(y)],
        "size": [float(code + i % 5) for i, code in enumerate(y)],
    }


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_tables_with_texts_categories_and_numbers(library):
    texts, y, _ = corpus()
    data = library(frame(texts, y))
    columns = ColumnTransformer(
        [
            ("title", TfidfVectorizer(), "title"),
            ("kind", OneHotEncoder(), ["kind"]),
            ("size", "passthrough", ["size"]),
        ]
    )
    model = make_pipeline(columns, LogisticRegression(C=10)).fit(data, y)
    found = explain(model, data[:4], target=0, against=2)
    scores = model.decision_function(data[:4])
    for row, explanation in enumerate(found):
        assert explanation.text == texts[row]
        total = explanation.offset + sum(term.contribution for term in explanation.terms)
        assert abs(total - (scores[row, 0] - scores[row, 2])) < 1e-10
        assert {"size__size", "kind__kind_a"} & {term.term for term in explanation.terms}
        assert {span.field for span in explanation.spans} == {"title"}


def test_tables_with_hashed_texts_keep_the_names_of_other_columns():
    texts, y, _ = corpus()
    data = pd.DataFrame(frame(texts, y))
    columns = ColumnTransformer(
        [
            ("title", HashingVectorizer(n_features=2**10), "title"),
            ("size", MaxAbsScaler(), ["size"]),
        ]
    )
    model = make_pipeline(columns, LogisticRegression()).fit(data, y)
    explanation = explain(model, data[1:2])[0]
    names = {term.term for term in explanation.terms}
    assert "size__size" in names
    assert names - {"size__size"} == set(texts[1].split())


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_mixed_naive_bayes_reads_its_own_texts(library):
    texts, y, _ = corpus()
    data = library(frame(texts, y))
    kinds = {"text": ["title", "body"], "categorical": "kind", "continuous": "size"}
    model = MixedNB(kinds).fit(data, y)
    joint = model.predict_joint_log_proba(data[:3])
    for row, explanation in enumerate(explain(model, data[:3], target=1, against=0)):
        total = explanation.offset + sum(term.contribution for term in explanation.terms)
        assert abs(total - (joint[row, 1] - joint[row, 0])) < 1e-9
        assert [passage.field for passage in explanation.passages] == ["title", "body"]
        span = explanation.spans[0]
        assert texts[row][span.start : span.end] == span.term
    one = {"title": "good story", "body": "", "kind": "a", "size": 2.0}
    explanation = explain(model, one)
    assert isinstance(explanation, Explanation)
    assert explanation.passages[0].text == "good story"
    with pytest.raises(ValueError, match="reads rows of a table, with texts in"):
        explain(model, "good story")
    row = pd.Series(one)
    assert explain(model, row).score == explanation.score
    assert top_evidence(model, 3)[0][0].term.startswith(("title: ", "body: ", "kind="))


def test_models_of_fit_text():
    texts, y, _ = corpus()
    model = MultinomialNB().fit_text(texts, y)
    explanation = explain(model, NEW[0])
    joint = scores_of(model.to_pipeline(), NEW[:1])[0]
    check_parts(explanation, joint[explanation.target] - joint[explanation.against])
    assert explanation.probabilities.keys() == {0, 1, 2}
    assert explain(model.to_pipeline(), NEW[0]).to_dict() == explanation.to_dict()
    assert top_evidence(model.to_pipeline(), 3) == top_evidence(model, 3)


@pytest.mark.parametrize("kind", [GaussianNB, sk_bayes.GaussianNB, sk_bayes.CategoricalNB])
def test_rows_of_numbers(kind):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (60, 3)).astype(float)
    model = kind().fit(X, rng.integers(0, 3, 60))
    joint = model.predict_joint_log_proba(X)
    for row, explanation in enumerate(explain(model, X[:5], target=2, against=0)):
        check_parts(explanation, joint[row, 2] - joint[row, 0])
    assert explain(model, X[0].tolist(), target=2, against=0).score == pytest.approx(
        joint[0, 2] - joint[0, 0]
    )
    with pytest.raises(TypeError, match="no weights"):
        top_evidence(model)


def test_rows_of_a_sparse_matrix_have_columns():
    texts, y, _ = corpus()
    X = CountVectorizer().fit_transform(texts)
    model = LogisticRegression().fit(X, y)
    explanation = explain(model, X[:2])[1]
    assert "column " in str(explanation)
    assert explanation.passages == []
    with pytest.raises(ValueError, match="knows no vectorizer"):
        explain(model, "a text")
    assert sparse.issparse(X)


class _Dense(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Keeps columns, and stores their zeros."""

    def fit(self, X, y=None):
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X):
        return X.toarray()


def test_searches_and_calibrated_classifiers():
    texts, y, _ = corpus(n_classes=2)
    pipeline = make_pipeline(CountVectorizer(), LogisticRegression())
    search = GridSearchCV(pipeline, {"logisticregression__C": [0.1, 1.0]}, cv=2).fit(texts, y)
    check_parts(explain(search, NEW[0], target=1), search.decision_function(NEW[:1])[0])
    calibrated = CalibratedClassifierCV(
        make_pipeline(CountVectorizer(), LinearSVC(C=0.01)), ensemble=False, cv=3
    ).fit(texts, y)
    explanation = explain(calibrated, NEW[0], target=1)
    inner = calibrated.calibrated_classifiers_[0].estimator
    check_parts(explanation, inner.decision_function(NEW[:1])[0])
    assert explanation.probabilities[1] == calibrated.predict_proba(NEW[:1])[0, 1]
    assert "before calibration" in str(explanation)
    inside = make_pipeline(CountVectorizer(), CalibratedClassifierCV(LinearSVC(), ensemble=False))
    assert explain(inside.fit(texts, y), NEW[0]).spans
    several = CalibratedClassifierCV(pipeline, cv=2).fit(texts, y)
    with pytest.raises(TypeError, match="averages the probabilities of 2"):
        explain(several, NEW[0])
    strict = FixedThresholdClassifier(pipeline.fit(texts, y), threshold=0.999).fit(texts, y)
    held = explain(strict, "good good good", target=1)
    assert held.prediction == strict.predict(["good good good"])[0]
    assert "threshold of its own" in str(held)
    check_parts(held, pipeline.decision_function(["good good good"])[0])
    ridge = sk_linear.RidgeCV(store_cv_results=True)
    numbers = make_pipeline(CountVectorizer(), _Dense(), ridge).fit(texts, y.astype(float))
    check_parts(explain(numbers, NEW[0]), numbers.predict(NEW[:1])[0])
    kept_none = GridSearchCV(pipeline, {"logisticregression__C": [1.0]}, cv=2, refit=False)
    kept_none.best_index_ = 0
    with pytest.raises(ValueError, match="refit=True"):
        explain(kept_none.fit(texts, y), NEW[0])


@pytest.mark.parametrize(
    "classifier",
    [
        GradientBoostingClassifier(n_estimators=2, random_state=0),
        OneVsRestClassifier(MultinomialNB()),
    ],
    ids=["boosting", "one against the rest"],
)
def test_what_is_no_sum_is_refused(classifier):
    texts, y, _ = corpus()
    model = make_pipeline(CountVectorizer(), classifier).fit(texts, y)
    with pytest.raises(TypeError, match="Supported are naive Bayes"):
        explain(model, NEW[0])
    with pytest.raises(TypeError, match="Supported are naive Bayes"):
        top_evidence(model)


def test_a_link_is_not_a_sum():
    texts, y, _ = corpus()
    model = make_pipeline(CountVectorizer(), sk_linear.PoissonRegressor()).fit(texts, y + 1)
    with pytest.raises(TypeError, match="do not add up to its predict"):
        explain(model, NEW[0])


def test_errors():
    texts, y, _ = corpus()
    model = make_pipeline(CountVectorizer(), MultinomialNB())
    with pytest.raises(NotFittedError):
        explain(model, "text")
    model.fit(texts, y)
    for missing in (None, float("nan")):
        with pytest.raises(ValueError, match="no text to explain"):
            explain(model, missing)
    with pytest.raises(ValueError, match="not a class of this model"):
        explain(model, "text", target="other")
    with pytest.raises(ValueError, match="not a class of this model"):
        explain(model, NEW, against="other")
    with pytest.raises(ValueError, match="n_terms"):
        explain(model, "text", n_terms=-1)
    with pytest.raises(ValueError, match="name two classes"):
        explain(model, "text", target=1, against=1)
    with pytest.raises(TypeError, match="TfidfTransformer predicts nothing"):
        explain(make_pipeline(CountVectorizer(), TfidfTransformer()).fit(texts), "text")
    with pytest.raises(TypeError, match="got int"):
        explain(model, 7)
    with pytest.raises(TypeError, match="a class of estimators"):
        register_evidence(model, lambda model, X: None)
    assert len(explain(model, [])) == 0


@pytest.mark.parametrize("form", [tuple, np.array, pd.Series, pl.Series, iter])
def test_texts_in_any_container(form):
    texts, y, _ = corpus()
    model = make_pipeline(CountVectorizer(), MultinomialNB()).fit(texts, y)
    found = explain(model, form(NEW))
    assert [explanation.text for explanation in found] == NEW
    assert [item.score for item in found[1:3]] == [found[1].score, found[2].score]
    assert found[-1].score == explain(model, NEW[-1]).score
    with pytest.raises(IndexError):
        found[len(NEW)]


def test_mixed_columns_have_a_table_and_no_marks():
    texts, y, _ = corpus()
    for step in (
        make_pipeline(CountVectorizer(), TruncatedSVD(3, random_state=0)),
        make_pipeline(CountVectorizer(tokenizer=str.split, token_pattern=None)),
        make_pipeline(CountVectorizer(preprocessor=lambda text: text[::-1])),
    ):
        model = make_pipeline(step, LogisticRegression()).fit(texts, y)
        explanation = explain(model, NEW[0])
        assert explanation.spans == []
        assert "Words are not marked" in str(explanation)
        assert len(explanation.terms) > 0
    cleaned = make_pipeline(
        FunctionTransformer(lambda texts: [text[1:] for text in texts]), CountVectorizer()
    )
    model = make_pipeline(cleaned, LogisticRegression()).fit(texts, y)
    assert explain(model, NEW[0]).passages == []


def test_json():
    texts, y, _ = corpus()
    model = make_pipeline(CountVectorizer(), MultinomialNB(alpha=0)).fit(texts, y)
    found = explain(model, NEW, n_terms=2)
    read = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert len(read[0]["terms"]) == 2
    assert read[0]["texts"][0]["text"] == NEW[0]
    assert read[0]["prediction"] == found[0].prediction
