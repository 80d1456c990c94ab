"""A page decides as the model does: every way of cutting texts, every kind of model."""

import os

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression as SklearnLogistic
from sklearn.naive_bayes import BernoulliNB as SklearnBernoulli
from sklearn.pipeline import FeatureUnion, make_pipeline
from tests.helpers.browser import needs_browser
from tests.helpers.classifier_pages import check_models, wild_texts
from tests.helpers.comparisons import corpus, reviews

from quire.calibration import CalibratedClassifier
from quire.discriminant_analysis import LinearDiscriminantAnalysis
from quire.ensemble import AveragedClassifier
from quire.feature_extraction.select import SelectTerms
from quire.feature_extraction.text import (
    BM25Vectorizer,
    CountVectorizer,
    RelevanceTransformer,
    TfidfTransformer,
    TfidfVectorizer,
    words_and_characters,
)
from quire.linear_model import Lasso, LogisticRegression, NBLogistic, OrdinalRegression, Ridge
from quire.model_selection import ThresholdClassifier
from quire.multilabel import BinaryRelevance
from quire.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from quire.svm import NBSVM, LinearSVC

pytestmark = needs_browser
N_TEXTS = int(os.environ.get("QUIRE_FUZZ_PAGE", "80"))
CUTS = [
    {},
    {"token_pattern": r"\w+|[^\w\s]", "ngram_range": (1, 3)},
    {"tokens": "words+emoji+hashtags+urls+mentions+punctuation", "ngram_range": (1, 2)},
    {
        "token_pattern": r"(?u)\b\w+\b",
        "negation": "english",
        "ngram_range": (1, 2),
        "stop_words": ["the", "a", "good"],
    },
    {"tokens": "words+punctuation", "negation": ["not", "no"], "lowercase": False},
    {"analyzer": "char", "ngram_range": (1, 4)},
    {"analyzer": "char_wb", "ngram_range": (2, 5)},
    {"strip_accents": "unicode", "token_pattern": r"(?u)\b\w+\b"},
    {"strip_accents": "ascii", "analyzer": "char_wb", "ngram_range": (3, 4)},
    {"strip_accents": "unicode", "analyzer": "char", "ngram_range": (1, 2), "lowercase": False},
    {"token_pattern": r"[#@](\w+)", "lowercase": False},
    {"token_pattern": r"[a-z\u00e9]+?\d*\b|\S"},
]


def test_every_way_of_cutting(tmp_path):
    train, texts = wild_texts(150, 1), wild_texts(N_TEXTS, 2)
    y = np.arange(len(train)) % 3
    models = [
        make_pipeline(CountVectorizer(**cut, dtype=np.float64), MultinomialNB()).fit(train, y)
        for cut in CUTS
    ]
    widths = check_models(tmp_path, models, train[:50], texts)
    assert max(width for width, _ in widths) < 1e-3
    assert max(differ for _, differ in widths) > 0  # weights are in steps


def classifiers():
    words = CountVectorizer(dtype=np.float64)
    tfidf = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2))
    union = words_and_characters(character_weight=0.5)
    half = FeatureUnion([("a", clone(words)), ("b", TfidfVectorizer(analyzer="char"))])
    return {
        "complement": make_pipeline(words, ComplementNB()),
        "bernoulli": make_pipeline(words, BernoulliNB()),
        "presence": make_pipeline(CountVectorizer(), MultinomialNB(binarize=1.0)),
        "binary counts": make_pipeline(CountVectorizer(binary=True), MultinomialNB()),
        "logistic": make_pipeline(tfidf, LogisticRegression()),
        "single": make_pipeline(TfidfVectorizer(dtype=np.float32), LogisticRegression()),
        "l1": make_pipeline(TfidfVectorizer(norm="l1", use_idf=False), LogisticRegression()),
        "svm": make_pipeline(words, RelevanceTransformer(), LinearSVC()),
        "nb-logistic": make_pipeline(words, NBLogistic()),
        "nb-svm": make_pipeline(words, TfidfTransformer(), NBSVM()),
        "bm25": make_pipeline(BM25Vectorizer(), LogisticRegression()),
        "bm25 with a norm": make_pipeline(BM25Vectorizer(norm="l2"), LinearSVC()),
        "discriminant": make_pipeline(
            tfidf, LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.5)
        ),
        "union": make_pipeline(union, LinearSVC()),
        "two blocks": make_pipeline(half, LogisticRegression()),
        "selected": make_pipeline(words, SelectTerms(k=40), TfidfTransformer(), LinearSVC()),
        "selected behind": make_pipeline(tfidf, SelectTerms(k=40), LogisticRegression()),
        "scikit-learn": make_pipeline(words, SklearnLogistic(C=0.1)),
        "scikit-learn's bayes": make_pipeline(words, SklearnBernoulli()),
        "average": AveragedClassifier(
            [
                ("a", make_pipeline(tfidf, LinearSVC())),
                ("b", make_pipeline(clone(words), MultinomialNB())),
                ("c", make_pipeline(CountVectorizer(analyzer="char_wb"), NBLogistic())),
            ],
            weights=[1.0, 0.3, 0.5],
        ),
        **{
            f"{method} of {name}": make_pipeline(
                clone(words), CalibratedClassifier(model, method=method)
            )
            for method in ("sigmoid", "isotonic", "temperature")
            for name, model in (("svm", LinearSVC()), ("bayes", MultinomialNB()))
        },
    }


@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_classifier(tmp_path, n_classes):
    texts, y = corpus(120, n_classes)
    known = {name: clone(model).fit(texts, y) for name, model in classifiers().items()}
    if n_classes == 2:
        known |= {
            name: make_pipeline(
                TfidfVectorizer(), ThresholdClassifier(model, scoring="f1", pos_label="politics")
            ).fit(texts, y)
            for name, model in (
                ("threshold", LinearSVC()),
                ("threshold of bayes", LogisticRegression()),
                ("threshold of shares", CalibratedClassifier(LinearSVC())),
            )
        }
    new = [*corpus(60, n_classes, seed=5)[0], *wild_texts(20, 3), "", " ", "goal " * 500]
    widths = check_models(tmp_path, list(known.values()), texts, new, terms=False)
    assert max(width for width, _ in widths) < 0.05


def test_numbers_orders_and_labels(tmp_path):
    texts, z = reviews(150)
    words = TfidfVectorizer()
    grades = np.digitize(z, [-0.5, 0.5, 1.5])
    sets = [[w for w in ("goal", "team", "law") if w in text.split()] for text in texts]
    models = [
        make_pipeline(clone(words), Ridge()).fit(texts, z),
        make_pipeline(CountVectorizer(), Lasso(alpha=0.01)).fit(texts, z),
        make_pipeline(clone(words), OrdinalRegression()).fit(texts, grades),
        make_pipeline(clone(words), OrdinalRegression(link="probit")).fit(texts, grades),
        make_pipeline(clone(words), OrdinalRegression()).fit(texts, (z > 0).astype(int)),
        make_pipeline(clone(words), BinaryRelevance(LogisticRegression())).fit(texts, sets),
        make_pipeline(clone(words), BinaryRelevance(LinearSVC())).fit(texts, sets),
        make_pipeline(CountVectorizer(), BinaryRelevance(MultinomialNB())).fit(texts, sets),
    ]
    new = [*reviews(60, seed=3)[0], *wild_texts(20, 4), ""]
    check_models(tmp_path, models, texts, new, terms=False)


def test_with_terms_left_out_bounds_hold(tmp_path):
    texts, y = corpus(400, 3)
    words = [f"{text} {' '.join(f'w{n * 37 % 4999}' for n in range(i, i + 60))}"
             for i, text in enumerate(texts)]  # fmt: skip
    models = [
        make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), LinearSVC()).fit(words, y),
        make_pipeline(CountVectorizer(ngram_range=(1, 2)), NBLogistic()).fit(words, y),
    ]
    new = [*words[:40], *texts[:20], *wild_texts(20, 5)]
    widths = check_models(tmp_path, models, words, new, limit=60_000, terms=False)
    assert all(0 < differ <= width for width, differ in widths)
