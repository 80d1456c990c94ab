"""Saved and loaded: every estimator of quire, and pipelines of known parts, give equal bits."""

import importlib
import inspect
import pkgutil

import numpy as np
import pytest
from scipy import sparse, stats
from sklearn import calibration, compose, model_selection, multiclass, preprocessing
from sklearn import linear_model as sk_linear
from sklearn.base import BaseEstimator, clone
from sklearn.decomposition import TruncatedSVD
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.feature_extraction import text as sk_text
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.feature_selection import chi2 as sk_chi2
from sklearn.impute import SimpleImputer
from sklearn.naive_bayes import MultinomialNB as SkMultinomialNB
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline

import quire
from quire.alignment import VectorMap
from quire.calibration import CalibratedClassifier
from quire.cluster import KMeans, MiniBatchKMeans
from quire.decomposition import PCA, LatentDirichletAllocation
from quire.decomposition import TruncatedSVD as QuireTruncatedSVD
from quire.discriminant_analysis import LinearDiscriminantAnalysis
from quire.ensemble import (
    AveragedClassifier,
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from quire.feature_extraction.select import SelectTerms, mutual_info
from quire.feature_extraction.table import TableEncoder
from quire.feature_extraction.text import (
    BM25Transformer,
    BM25Vectorizer,
    CountVectorizer,
    HashingVectorizer,
    RelevanceTransformer,
    TfidfTransformer,
    TfidfVectorizer,
    strip_tags,
)
from quire.linear_model import (
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    LeastSquaresClassifier,
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    NBLogistic,
    OrdinalRegression,
    Ridge,
    RidgeCV,
)
from quire.mixture import GaussianMixture
from quire.model_selection import ThresholdClassifier
from quire.multiclass import OneVsAllClassifier
from quire.multilabel import BinaryRelevance, LabelPowerset, label_sets
from quire.naive_bayes import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    GaussianNB,
    MixedNB,
    MultinomialNB,
)
from quire.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    NearestNeighbors,
    TextSearch,
)
from quire.persistence import UnsavableModelError
from quire.svm import NBSVM, SVC, SVR, LinearSVC, LinearSVR, PolynomialMap
from quire.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)

METHODS = (
    "predict",
    "predict_proba",
    "kneighbors",
    "predict_log_proba",
    "decision_function",
    "transform",
    "get_feature_names_out",
)
rng = np.random.default_rng(5)
COUNTS = rng.poisson(0.6, (90, 14))
LABELS = rng.choice(["ham", "späm", "🎉"], 90)
TARGET = COUNTS @ rng.normal(size=14) + rng.normal(size=90)
WORDS = np.array(["film", "gut", "böse", "über", "plot", "naïve", "🎬", "star", "cast"])
DOCUMENTS = [" ".join(rng.choice(WORDS, n)) for n in rng.integers(0, 9, 90)]

REGRESSORS = (
    BaggingRegressor,
    DecisionTreeRegressor,
    ElasticNet,
    ElasticNetCV,
    ExtraTreeRegressor,
    ExtraTreesRegressor,
    KNeighborsRegressor,
    Lasso,
    LassoCV,
    LinearRegression,
    LinearSVR,
    NearestNeighbors,
    RandomForestRegressor,
    Ridge,
    RidgeCV,
    SVR,
)
TEXT = (BM25Vectorizer, CountVectorizer, HashingVectorizer, TfidfVectorizer)
CLASSIFIERS = (
    AveragedClassifier,
    BM25Transformer,
    BaggingClassifier,
    BernoulliNB,
    CalibratedClassifier,
    CategoricalNB,
    ComplementNB,
    DecisionTreeClassifier,
    ExtraTreeClassifier,
    ExtraTreesClassifier,
    GaussianMixture,
    GaussianNB,
    KNeighborsClassifier,
    KMeans,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LinearSVC,
    LogisticRegression,
    LogisticRegressionCV,
    MiniBatchKMeans,
    MixedNB,
    MultinomialNB,
    NBLogistic,
    NBSVM,
    OneVsAllClassifier,
    OrdinalRegression,
    PCA,
    QuireTruncatedSVD,
    PolynomialMap,
    SVC,
    RandomForestClassifier,
    RelevanceTransformer,
    SelectTerms,
    TfidfTransformer,
)
OPTIONS = {
    AveragedClassifier: {"estimators": [("a", LogisticRegression()), ("b", MultinomialNB())]},
    ExtraTreesClassifier: {"n_estimators": 9},
    ExtraTreesRegressor: {"n_estimators": 9},
    RandomForestClassifier: {"n_estimators": 9},
    RandomForestRegressor: {"n_estimators": 9},
    GaussianMixture: {"n_components": 2, "random_state": 0, "reg_covar": 1e-2},
    KMeans: {"random_state": 0},
    MiniBatchKMeans: {"random_state": 0},
    LinearSVC: {"random_state": 0},
    NBSVM: {"random_state": 0},
    LinearSVR: {"random_state": 0, "loss": "squared_epsilon_insensitive"},
    PCA: {"n_components": 3, "random_state": 0},
    OrdinalRegression: {"categories": ["ham", "späm", "🎉"]},
    LogisticRegressionCV: {
        "Cs": 3,
        "cv": 3,
        "l1_ratios": (0.0,),
        "scoring": "accuracy",
        "use_legacy_attributes": False,
    },
}
TOPICS = (LatentDirichletAllocation,)  # in test_persistence_topics.py
DENSE_ONLY = (CategoricalNB, GaussianMixture, GaussianNB, MixedNB, PolynomialMap)
MAPS = (VectorMap,)  # of two matrices: saved and loaded in test_alignment
SEARCHES = (TextSearch,)  # of texts: in test_text_search
TABLES = (TableEncoder,)  # in test_tables
TWO_CLASSES = (ThresholdClassifier,)
SEVERAL_LABELS = (BinaryRelevance, LabelPowerset)


def public_estimators():
    found = set()
    for module in pkgutil.walk_packages(quire.__path__, "quire."):
        if "._" in module.name or module.name.startswith("quire.cli"):
            continue
        public = importlib.import_module(module.name)
        for name in getattr(public, "__all__", ()):
            value = getattr(public, name)
            if inspect.isclass(value) and issubclass(value, BaseEstimator):
                found.add(value)
    return found


def again(model, folder, **options):
    path = quire.save(model, folder / "model.quire", **options)
    return quire.load(path)


def bits(value):
    if sparse.issparse(value):
        value = value.tocsr()
        return [bits(part) for part in (value.data, value.indices, value.indptr)] + [value.shape]
    if isinstance(value, np.ndarray) and value.dtype == object:
        return value.tolist()
    array = np.asarray(value)
    return array.dtype.str, array.shape, array.tobytes()


def assert_equal_models(model, loaded, X):
    assert type(loaded) is type(model)
    assert repr(loaded) == repr(model)
    compared = 0
    for name in METHODS:
        if hasattr(model, name):
            arguments = () if name == "get_feature_names_out" else (X,)
            if not arguments and isinstance(model, Pipeline):
                continue
            assert bits(getattr(loaded, name)(*arguments)) == bits(getattr(model, name)(*arguments))
            compared += 1
    assert compared
    if hasattr(model, "evidence"):
        classes = model.classes_[:2]
        ours, theirs = (m.evidence(X).contributions(*classes) for m in (model, loaded))
        assert bits(theirs) == bits(ours)


def test_every_estimator_is_covered():
    known = {*REGRESSORS, *TEXT, *CLASSIFIERS, *TOPICS, *MAPS, *SEARCHES, *TABLES, *TWO_CLASSES}
    assert public_estimators() == known | {*SEVERAL_LABELS}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("cls", [*REGRESSORS, *CLASSIFIERS], ids=lambda cls: cls.__name__)
def test_estimators_of_matrices(cls, kind, dtype, tmp_path):
    kind = np.asarray if cls in DENSE_ONLY else kind
    X = kind(COUNTS.astype(dtype))
    y = TARGET.astype(dtype) if cls in REGRESSORS else LABELS
    model = cls(**OPTIONS.get(cls, {})).fit(X, y)
    assert_equal_models(model, again(model, tmp_path), X)


@pytest.mark.parametrize("cls", TWO_CLASSES)
@pytest.mark.parametrize("base", [LogisticRegression(), MultinomialNB(), LinearSVC(random_state=0)])
def test_estimators_around_models_of_two_classes(cls, base, tmp_path):
    y = np.where(LABELS == "ham", "ham", "other")
    for options in ({}, {"costs": {("ham", "other"): 3.5}, "pos_label": "ham"}):
        model = cls(base, **options).fit(COUNTS, y)
        assert_equal_models(model, again(model, tmp_path), COUNTS)


@pytest.mark.parametrize("cls", SEVERAL_LABELS)
@pytest.mark.parametrize("base", [LogisticRegression(), MultinomialNB(), LinearSVC(random_state=0)])
def test_models_of_several_labels(cls, base, tmp_path):
    lists = [[label, "new"] if k % 3 else [label] for k, label in enumerate(LABELS.tolist())]
    lists[0], lists[1] = [], ["seldom"]
    for y in (LABELS, lists, [[*one, "all"] for one in lists]):
        model = cls(base).fit(COUNTS, y)
        loaded = again(model, tmp_path)
        assert_equal_models(model, loaded, COUNTS)
        assert loaded.predict_labels(COUNTS).joined() == model.predict_labels(COUNTS).joined()
    model = cls(base).fit(COUNTS, label_sets(lists).indicator)
    assert (again(model, tmp_path).predict(COUNTS) != model.predict(COUNTS)).nnz == 0


@pytest.mark.parametrize("compact", [True, False])
@pytest.mark.parametrize("cls", TEXT, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("options", [{}, {"ngram_range": (1, 2)}, {"analyzer": "char"}])
def test_vectorizers(cls, options, compact, tmp_path):
    model = cls(**options, dtype=np.float32).fit(DOCUMENTS)
    assert_equal_models(model, again(model, tmp_path, compact=compact), DOCUMENTS)


@pytest.mark.parametrize("cls", [BernoulliNB, ComplementNB, MultinomialNB])
@pytest.mark.parametrize("compact", [True, False])
def test_models_of_text_share_their_vectorizer(cls, compact, tmp_path):
    model = cls().fit_text(DOCUMENTS, LABELS, vectorizer=CountVectorizer(min_df=3)).to_pipeline()
    loaded = again(model, tmp_path, compact=compact)
    assert_equal_models(model, loaded, DOCUMENTS)
    assert loaded[0] is loaded[1].vectorizer_
    if not compact:
        assert loaded[1].merge(model[1]).class_count_.sum() == 180


def test_compact_leaves_out_what_was_pruned_and_the_model_alone(tmp_path):
    documents = [*DOCUMENTS, " ".join(f"seldom{i}" for i in range(500))]
    model = CountVectorizer(min_df=2).fit(documents)
    small = quire.save(model, tmp_path / "small")
    large = quire.save(model, tmp_path / "large", compact=False)
    assert large.stat().st_size > small.stat().st_size + 500
    with pytest.raises(ValueError, match="cannot grow"):
        quire.load(small).partial_fit(["seldom1 film"])
    whole = quire.load(large)
    for vectorizer in (model, whole):  # the one in memory can still grow
        assert "seldom1" in vectorizer.partial_fit(["seldom1 film"]).vocabulary_


def test_stale_and_unfitted_vectorizers(tmp_path):
    grown = CountVectorizer().partial_fit(DOCUMENTS[:50]).partial_fit(DOCUMENTS[50:])
    assert_equal_models(grown, again(grown, tmp_path), DOCUMENTS)
    unfitted = again(TfidfVectorizer(min_df=2), tmp_path)
    assert_equal_models(
        unfitted.fit(DOCUMENTS), TfidfVectorizer(min_df=2).fit(DOCUMENTS), DOCUMENTS
    )


def test_an_edited_vocabulary(tmp_path):
    model = CountVectorizer().fit(["one two three"])
    model.vocabulary_["four"] = 3
    assert again(model, tmp_path).transform(["four one"]).toarray().tolist() == [[1, 0, 0, 1]]


def test_refit_is_equal(tmp_path):
    model = LogisticRegression(C=3.0).fit(COUNTS, LABELS)
    loaded = again(model, tmp_path)
    np.testing.assert_array_equal(clone(loaded).fit(COUNTS, LABELS).coef_, model.coef_)


PIPELINES = {
    "tfidf": make_pipeline(TfidfVectorizer(), LogisticRegression()),
    "own scores": make_pipeline(CountVectorizer(), SelectTerms(mutual_info, k=5), BernoulliNB()),
    "functions": make_pipeline(
        CountVectorizer(preprocessor=strip_tags, tokenizer=str.split, token_pattern=None),
        preprocessing.FunctionTransformer(np.log1p),
        SelectKBest(sk_chi2, k=4),
        MultinomialNB(),
    ),
    "scikit-learn": make_pipeline(
        sk_text.TfidfVectorizer(stop_words=["film", "plot"]), SkMultinomialNB()
    ),
    "union": make_pipeline(
        FeatureUnion([("w", CountVectorizer()), ("c", HashingVectorizer(n_features=64))]),
        TruncatedSVD(3, random_state=0),
        preprocessing.StandardScaler(),
        sk_linear.SGDClassifier(loss="log_loss", random_state=np.random.RandomState(3)),
    ),
    "calibrated": make_pipeline(
        CountVectorizer(), calibration.CalibratedClassifierCV(ComplementNB(), cv=3)
    ),
    "isotonic": make_pipeline(
        CountVectorizer(),
        calibration.CalibratedClassifierCV(ComplementNB(), cv=3, method="isotonic"),
    ),
    "one vs rest": make_pipeline(CountVectorizer(), multiclass.OneVsRestClassifier(BernoulliNB())),
    "one vs one": make_pipeline(
        CountVectorizer(), multiclass.OneVsOneClassifier(LeastSquaresClassifier())
    ),
    "vote": make_pipeline(
        CountVectorizer(),
        VotingClassifier([("a", BernoulliNB()), ("b", MultinomialNB())], voting="soft"),
    ),
    "stack": make_pipeline(
        CountVectorizer(),
        StackingClassifier(
            [("a", BernoulliNB()), ("b", MultinomialNB())], LogisticRegression(), cv=2
        ),
    ),
    "search": model_selection.GridSearchCV(
        make_pipeline(CountVectorizer(), MultinomialNB()),
        {"multinomialnb__alpha": [0.1, 1.0], "countvectorizer__ngram_range": [(1, 1), (1, 2)]},
        scoring=["accuracy", "neg_log_loss"],
        refit="accuracy",
        cv=model_selection.StratifiedKFold(3, shuffle=True, random_state=1),
    ),
}


@pytest.mark.parametrize("name", PIPELINES)
def test_pipelines(name, tmp_path):
    model = clone(PIPELINES[name]).fit(DOCUMENTS, LABELS)
    loaded = again(model, tmp_path)
    assert type(loaded) is type(model)
    for method in ("predict", "predict_proba", "decision_function"):
        if hasattr(model, method):
            assert bits(getattr(loaded, method)(DOCUMENTS)) == bits(
                getattr(model, method)(DOCUMENTS)
            )


def test_search_results_survive(tmp_path):
    model = clone(PIPELINES["search"]).fit(DOCUMENTS, LABELS)
    loaded = again(model, tmp_path)
    assert loaded.best_params_ == model.best_params_
    assert loaded.cv_results_["params"] == model.cv_results_["params"]
    alphas = loaded.cv_results_["param_multinomialnb__alpha"]
    assert isinstance(alphas, np.ma.MaskedArray)
    assert loaded.score(DOCUMENTS, LABELS) == model.score(DOCUMENTS, LABELS)


def test_a_search_that_cannot_be_saved_has_a_model_that_can(tmp_path):
    search = model_selection.RandomizedSearchCV(
        MultinomialNB(), {"alpha": stats.uniform(0.1, 1)}, n_iter=2, random_state=0
    ).fit(COUNTS, LABELS)
    match = r"model\.param_distributions\['alpha'\] is of .* Or save model\.best_estimator_ alone"
    with pytest.raises(UnsavableModelError, match=match):
        quire.save(search, tmp_path / "m")
    assert_equal_models(search.best_estimator_, again(search.best_estimator_, tmp_path), COUNTS)


def test_a_tuned_threshold(tmp_path):
    y = COUNTS[:, 0] > 0
    model = model_selection.TunedThresholdClassifierCV(LogisticRegression(), cv=2).fit(COUNTS, y)
    assert_equal_models(model, again(model, tmp_path), COUNTS)


def test_columns_of_a_table(tmp_path):
    import pandas as pd

    table = pd.DataFrame({"text": DOCUMENTS, "size": TARGET, "kind": np.roll(LABELS, 1)})
    table.loc[3, "size"] = np.nan
    numbers = make_pipeline(SimpleImputer(), preprocessing.StandardScaler())
    model = make_pipeline(
        compose.ColumnTransformer(
            [
                ("words", TfidfVectorizer(), "text"),
                ("numbers", numbers, ["size"]),
                ("kinds", preprocessing.OneHotEncoder(), slice(2, 3)),
            ]
        ),
        SelectKBest(f_classif, k=5),
        LogisticRegression(),
    ).fit(table, LABELS)
    loaded = again(model, tmp_path)
    assert bits(loaded.predict_proba(table)) == bits(model.predict_proba(table))
    assert loaded[0].feature_names_in_.tolist() == ["text", "size", "kind"]


def test_naive_bayes_of_mixed_columns(tmp_path):
    import pandas as pd

    table = pd.DataFrame(
        {
            "size": TARGET,
            "kind": pd.Categorical(np.roll(LABELS, 1)),
            "flag": COUNTS[:, 0] > 0,
        }
    )
    model = MixedNB().fit(table, LABELS)
    loaded = again(model, tmp_path)
    assert len(model.parts_) > 1
    assert bits(loaded.predict_proba(table)) == bits(model.predict_proba(table))
    assert list(loaded.feature_names_in_) == ["size", "kind", "flag"]


@pytest.mark.parametrize(
    "model",
    [LinearRegression(), LogisticRegression(C=np.inf), OrdinalRegression(C=np.inf)],
    ids=lambda model: type(model).__name__,
)
def test_summaries_of_loaded_models(model, tmp_path):
    X = COUNTS[:, :3].astype(float)
    y = TARGET if isinstance(model, LinearRegression) else COUNTS[:, 5].clip(0, 1)
    model.fit(X, y)
    loaded = again(model, tmp_path)
    assert str(loaded.summary(X, y)) == str(model.summary(X, y))


def test_the_folder_of_a_cache_is_not_saved(tmp_path):
    model = make_pipeline(CountVectorizer(), MultinomialNB(), memory=str(tmp_path / "cache"))
    assert again(model, tmp_path).memory is None
    assert model.memory == str(tmp_path / "cache")


@pytest.mark.parametrize(
    "model",
    [
        KMeans(2, keep_steps=True, random_state=0),
        GaussianMixture(2, keep_steps=True, random_state=0),
        PCA(2, keep_steps=True),
        LatentDirichletAllocation(2, max_iter=3, keep_steps=True, random_state=0),
    ],
)
def test_steps_are_not_saved(model, tmp_path):
    X = np.random.default_rng(0).integers(0, 5, (40, 4)).astype(float)
    model.fit(X)
    assert model.steps_
    quire.save(model, tmp_path / "model.quire")
    loaded = quire.load(tmp_path / "model.quire")
    assert loaded.keep_steps
    assert not hasattr(loaded, "steps_")
    assert model.steps_  # the one that was saved keeps them
