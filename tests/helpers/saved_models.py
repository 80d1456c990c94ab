"""Small fitted models of every class in many configurations, and what they answer, bit for bit."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from fuzz.seeds import COUNTS, DOCUMENTS, LABELS, TARGET, exported
from scipy import sparse
from sklearn.base import is_regressor

from quire.alignment import VectorMap, WordVectors
from quire.calibration import CalibratedClassifier
from quire.cluster import KMeans, MiniBatchKMeans
from quire.decomposition import PCA, LatentDirichletAllocation
from quire.discriminant_analysis import LinearDiscriminantAnalysis
from quire.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from quire.feature_extraction.select import SelectTerms
from quire.feature_extraction.table import TableEncoder
from quire.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from quire.linear_model import (
    ElasticNet,
    ElasticNetCV,
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    OrdinalRegression,
    Ridge,
    RidgeCV,
)
from quire.mixture import GaussianMixture
from quire.model_selection import ThresholdClassifier
from quire.multiclass import OneVsAllClassifier
from quire.multilabel import BinaryRelevance, LabelPowerset
from quire.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, MixedNB, MultinomialNB
from quire.neighbors import KNeighborsClassifier, KNeighborsRegressor, NearestNeighbors, TextSearch
from quire.svm import SVC, SVR, LinearSVC
from quire.tree import DecisionTreeClassifier, DecisionTreeRegressor

__all__ = ["METHODS", "answers", "bits", "configured_models", "plain_models"]

METHODS = (
    "predict",
    "predict_proba",
    "kneighbors",
    "predict_log_proba",
    "decision_function",
    "transform",
    "get_feature_names_out",
    "search",
)
TWO = LABELS == "ham"
PAIRS = np.c_[TARGET, 2 * TARGET]
LABEL_PAIRS = np.c_[LABELS, LABELS[::-1]]
SPARSE = sparse.csr_array(COUNTS)
TABLE = pd.DataFrame(COUNTS, columns=list("abcdefg"))
MIXED = pd.DataFrame(
    {
        "size": TARGET,
        "kind": pd.Categorical(LABELS),
        "flag": TWO,
        "a": COUNTS[:, 0],
        "b": COUNTS[:, 1],
        "text": DOCUMENTS,
    }
)
_COLUMNS = [
    ("numbers", "continuous", ["size"]),
    ("kinds", "categorical", ["kind"]),
    ("words", "counts", ["a", "b"]),
    ("flags", "presence", ["flag"]),
    ("texts", "text", ["text"]),
]
_SETTINGS: dict[str, dict[str, Any]] = {
    "AveragedClassifier": {"estimators": [("a", LogisticRegression()), ("b", MultinomialNB())]},
    "GaussianMixture": {"n_components": 2, "random_state": 0, "reg_covar": 0.01},
    "KMeans": {"n_clusters": 3, "random_state": 0},
    "LatentDirichletAllocation": {"n_components": 2, "max_iter": 3, "random_state": 0},
    "LogisticRegressionCV": {
        "Cs": 2,
        "cv": 2,
        "l1_ratios": (0.0,),
        "scoring": "accuracy",
        "use_legacy_attributes": False,
    },
    "MiniBatchKMeans": {"n_clusters": 3, "random_state": 0},
    "OrdinalRegression": {"categories": list(LABELS[:3])},
    "PCA": {"n_components": 2, "random_state": 0},
    "TruncatedSVD": {"n_components": 2},
}


def bits(value: Any) -> Any:
    """Return what is equal for equal bits."""
    if sparse.issparse(value):
        value = value.tocsr()
        return [bits(part) for part in (value.data, value.indices, value.indptr)] + [value.shape]
    if isinstance(value, tuple | list):
        return [bits(part) for part in value]
    if isinstance(value, np.ndarray) and value.dtype == object:
        return value.tolist()
    if isinstance(value, pl.DataFrame):
        return value.columns, value.rows()
    array = np.asarray(value)
    return array.dtype.str, array.shape, array.tobytes()


def answers(model: Any, question: Any) -> dict[str, Any]:
    """Return all that a model says about rows, documents or a table."""
    found = {}
    for name in METHODS:
        if hasattr(model, name):
            arguments = () if name == "get_feature_names_out" else (question,)
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                try:
                    answer = getattr(model, name)(*arguments)
                except Exception as error:  # what the one cannot say, the other cannot
                    answer = str(error)
            found[name] = bits(answer)
    return found


def plain_models() -> Iterator[tuple[str, Any, Any]]:
    """Yield every exported estimator, fitted to each kind of data that it takes, with a question.

    The kinds: rows of 64 and 32 bits, sparse rows, a table with names, several outputs, documents.
    """
    for cls in exported():
        made = cls(**_SETTINGS.get(cls.__name__, {}))
        target = TARGET if is_regressor(made) else LABELS
        pairs = PAIRS if is_regressor(made) else LABEL_PAIRS
        inputs = {
            "rows": (COUNTS, target),
            "single": (COUNTS.astype(np.float32), target),
            "sparse": (SPARSE, target),
            "table": (TABLE, target),
            "outputs": (COUNTS, pairs),
            "documents": (DOCUMENTS, target),
            "places": (COUNTS, PAIRS),
            "two": (COUNTS, TWO),
        }
        n = 0
        for name, (X, y) in inputs.items():
            if name in ("places", "two") and n:  # for what takes two spaces, or two classes
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    model = cls(**_SETTINGS.get(cls.__name__, {})).fit(X, y)
                except Exception:
                    continue
            n += 1
            yield f"{cls.__name__}-{name}", model, X
        assert n, f"{cls.__name__} could not be fitted to anything"


def _grown(vectorizer: Any) -> Any:
    return vectorizer.partial_fit(DOCUMENTS[:20]).partial_fit(DOCUMENTS[20:])


def _edited() -> Any:
    vectorizer = CountVectorizer().fit(["one two three"])
    vectorizer.vocabulary_["four"] = 3
    return vectorizer


def _continued(forest: Any) -> Any:
    return forest.fit(COUNTS, LABELS).set_params(n_estimators=4).fit(COUNTS, LABELS)


def configured_models() -> Iterator[tuple[str, Any, Any]]:
    """Yield models with settings that leave something else behind, with a question."""
    of_classes: list[Any] = [
        LogisticRegression(C=np.inf, class_weight="balanced"),
        LogisticRegression(fit_intercept=False, warm_start=True),
        LogisticRegression().fit(COUNTS, LABELS).sparsify(),
        LogisticRegressionCV(
            Cs=2, cv=2, l1_ratios=(0.0,), scoring="accuracy", use_legacy_attributes=True
        ),
        OrdinalRegression(categories=list(LABELS[:3]), C=np.inf),
        LinearDiscriminantAnalysis(solver="eigen", store_covariance=True),
        LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
        MultinomialNB(alpha=np.arange(1, 8.0)),
        MultinomialNB(alpha=0.0, class_prior=[0.2, 0.3, 0.5]),
        BernoulliNB(alpha=0.0, fit_prior=False),
        SVC(probability=True, class_weight="balanced"),
        SVC(kernel="linear"),
        SVC(kernel="poly"),
        LinearSVC(multi_class="crammer_singer"),
        KNeighborsClassifier(algorithm="kd_tree"),
        KNeighborsClassifier(metric="cosine", weights="distance"),
        SelectTerms(k=3),
        DecisionTreeClassifier(criterion="entropy", max_leaf_nodes=5, class_weight="balanced"),
        DecisionTreeClassifier(ccp_alpha=0.02),
        DecisionTreeClassifier(categorical_features=[0, 1]),
        RandomForestClassifier(3, categorical_features=[0, 1], criterion="entropy"),
        RandomForestClassifier(12, oob_score=True, random_state=0),
        ExtraTreesClassifier(3, max_depth=2),
        _continued(RandomForestClassifier(2, warm_start=True)),
        BaggingClassifier(n_estimators=2, max_features=0.5, bootstrap_features=True),
        BaggingClassifier(LogisticRegression(), 3, voting="hard"),
        OneVsAllClassifier(LogisticRegression(C=3.0)),
        *(
            model.fit(COUNTS, [[label, "b"] if k % 3 else [] for k, label in enumerate(LABELS)])
            for model in (BinaryRelevance(LinearSVC(random_state=0)), LabelPowerset())
        ),
        BaggingClassifier(n_estimators=15, oob_score=True, random_state=0),
        *(
            CalibratedClassifier(LogisticRegression(), method=method, cv=2)
            for method in ("sigmoid", "isotonic", "temperature")
        ),
    ]
    of_numbers: list[Any] = [
        LinearRegression(fit_intercept=False),
        LinearRegression(positive=True),
        Ridge(solver="lsqr"),
        RidgeCV(store_cv_results=True),
        ElasticNet(warm_start=True, positive=True),
        ElasticNetCV(l1_ratio=[0.2, 0.8], cv=2),
        SVR(kernel="linear"),
        KNeighborsRegressor(algorithm="ball_tree"),
        NearestNeighbors(metric="seuclidean", metric_params={"V": np.ones(7)}),
        NearestNeighbors(metric="mahalanobis", metric_params={"VI": np.eye(7)}, algorithm="brute"),
        DecisionTreeRegressor(criterion="absolute_error"),
        DecisionTreeRegressor(monotonic_cst=[1, 0, 0, 0, 0, 0, 0]),
        RandomForestRegressor(12, oob_score=True, random_state=0),
        ExtraTreesRegressor(2, max_leaf_nodes=4),
        BaggingRegressor(Ridge(), 3),
        PCA(2, whiten=True, random_state=0),
        *(
            GaussianMixture(2, covariance_type=kind, random_state=0)
            for kind in ("tied", "diag", "spherical")
        ),
        KMeans(2, random_state=0, keep_steps=True),
        MiniBatchKMeans(2, random_state=0).partial_fit(COUNTS),
        *(
            LatentDirichletAllocation(2, max_iter=4, random_state=0, **options)
            for options in (
                {"seed_words": {0: [1, 2], 1: {3: 5.0}}},
                {"n_chains": 2, "keep_samples": True},
                {"doc_topic_prior": "symmetric"},
                {"learning_method": "online"},
            )
        ),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for model in of_classes:
            is_done = hasattr(model, "n_features_in_")
            yield f"{model}", model if is_done else model.fit(COUNTS, LABELS), COUNTS
        for model in of_numbers:
            is_done = hasattr(model, "n_steps_")
            yield f"{model}", model if is_done else model.fit(COUNTS, TARGET), COUNTS
        for kind in ("rbf", "linear"):
            yield f"sparse {kind}", SVC(kernel=kind).fit(SPARSE, LABELS), SPARSE
            yield f"sparse {kind} numbers", SVR(kernel=kind).fit(SPARSE, TARGET), SPARSE
        two = np.where(LABELS == LABELS[0], LABELS[0], "other")
        for name, model in (
            ("calibrated", CalibratedClassifier(MultinomialNB(), cv=2)),
            ("threshold", ThresholdClassifier(LogisticRegression(), cv=2)),
            ("threshold of costs", ThresholdClassifier(MultinomialNB(), costs=[[0, 2], [1, 0]])),
        ):
            yield name, model.fit(COUNTS, two), COUNTS
        G = COUNTS @ COUNTS.T
        yield "precomputed", SVC(kernel="precomputed").fit(G, LABELS), G
        yield "categories", CategoricalNB(min_categories=9).fit(COUNTS.astype(int), LABELS), COUNTS
        yield (
            "parts",
            MixedNB().fit(MIXED[["size", "kind", "flag"]], LABELS),
            MIXED[["size", "kind", "flag"]],
        )
        yield "all parts", MixedNB(columns=_COLUMNS).fit(MIXED, LABELS), MIXED
        for form in ("scaled", "table"):
            yield f"table {form}", TableEncoder(form).fit(MIXED), MIXED
        for vectorizer in (
            CountVectorizer(min_df=2, ngram_range=(1, 2)),
            CountVectorizer(vocabulary={"film": 0, "gut": 1}),
            CountVectorizer(tokenizer=str.split, token_pattern=None),
            CountVectorizer().fit(DOCUMENTS).compact(),
            _grown(CountVectorizer()),
            _grown(CountVectorizer(vocabulary=["film"])),
            _grown(TfidfVectorizer()),
            _edited(),
            TfidfVectorizer(use_idf=False, analyzer="char_wb", ngram_range=(2, 3)),
            TfidfVectorizer(sublinear_tf=True, dtype=np.float32),
            HashingVectorizer(n_features=32, alternate_sign=False),
        ):
            is_done = "_vocabulary" in vars(vectorizer) or "_growth" in vars(vectorizer)
            made = vectorizer if is_done else vectorizer.fit(DOCUMENTS)
            yield f"{vectorizer}", made, DOCUMENTS
        for cls in (MultinomialNB, ComplementNB, BernoulliNB):
            for vectorizer in (
                CountVectorizer(min_df=2),
                CountVectorizer(analyzer=str.split),
                HashingVectorizer(n_features=32, alternate_sign=False),
            ):
                model = cls().fit_text(DOCUMENTS, LABELS, vectorizer=vectorizer)
                yield f"{cls.__name__} of {vectorizer}", model.to_pipeline(), DOCUMENTS
        words = WordVectors([f"w{i}" for i in range(40)], COUNTS + 0.1)
        for method in ("orthogonal", "ridge", "gradient"):
            alpha = [0.1, 1.0] if method == "ridge" else 1.0
            model = VectorMap(method, alpha=alpha, n_refinements=1, learning_rate=1e-5)
            pairs = [(f"w{i}", f"w{i}") for i in range(20)]
            yield f"words by {method}", model.fit(words, words, pairs), COUNTS
        model = LatentDirichletAllocation(2, max_iter=3, random_state=0).fit(DOCUMENTS)
        yield "topics of texts", model, DOCUMENTS
        yield "texts with labels", TextSearch().fit(DOCUMENTS, LABELS), DOCUMENTS
