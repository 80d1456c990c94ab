"""What is known about models: by class, by base class, by registration; and that it is true."""

import importlib
import inspect
import pkgutil
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cluster import DBSCAN, AffinityPropagation
from sklearn.cluster import KMeans as SklearnKMeans
from sklearn.decomposition import IncrementalPCA
from sklearn.ensemble import HistGradientBoostingClassifier, IsolationForest
from sklearn.feature_extraction.text import CountVectorizer as SklearnCountVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression as SklearnLogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import MultinomialNB as SklearnMultinomialNB
from sklearn.pipeline import make_pipeline

import quire
from quire.cluster import KMeans
from quire.decomposition import PCA, LatentDirichletAllocation
from quire.feature_extraction.text import CountVectorizer, TfidfVectorizer
from quire.inspection import explain, model_card
from quire.io import read_corpus
from quire.kinds import (
    ModelCard,
    Predicts,
    classes_of,
    kind_of,
    kind_of_class,
    last_step,
    look_inside,
    output_columns,
    register,
    steps_of,
    takes_of,
)
from quire.kinds._known import KNOWN
from quire.linear_model import Lasso, LogisticRegression, OrdinalRegression, Ridge
from quire.mixture import GaussianMixture
from quire.naive_bayes import BernoulliNB, ComplementNB, MixedNB, MultinomialNB
from quire.neighbors import TextSearch
from quire.prediction import predict_table
from quire.svm import SVC

TEXTS = ["cat dog", "dog fur", "tax law", "law vote", "cat fur", "vote tax"] * 5
TRANSFORMERS = (TransformerMixin, SklearnCountVectorizer)
LABELS = ["pets", "pets", "law", "law", "pets", "law"] * 5


def public_estimators():
    modules = [
        m.name for m in pkgutil.walk_packages(quire.__path__, "quire.") if "._" not in m.name
    ]
    for name in modules:
        if name.startswith("quire.cli"):
            continue
        module = importlib.import_module(name)
        for exported in getattr(module, "__all__", ()):
            value = getattr(module, exported)
            if inspect.isclass(value) and issubclass(value, BaseEstimator):
                yield value


@pytest.mark.parametrize("name", list(KNOWN))
def test_every_name_in_the_table_is_a_class(name):
    module, _, cls = name.rpartition(".")
    found = importlib.import_module(module)
    if not hasattr(found, cls):  # a base class in a private module
        parts = [m.name for m in pkgutil.iter_modules(getattr(found, "__path__", ()), f"{module}.")]
        homes = [importlib.import_module(part) for part in parts if "._" in part]
        found = next(home for home in homes if cls in vars(home))
    assert inspect.isclass(getattr(found, cls))


def test_every_estimator_of_quire_has_a_kind():
    unknown = [
        cls.__name__
        for cls in public_estimators()
        if kind_of_class(cls).predicts is Predicts.NOTHING and not issubclass(cls, TRANSFORMERS)
    ]
    assert unknown == []


@pytest.mark.parametrize(
    ("model", "predicts", "evidence"),
    [
        (MultinomialNB(), "label", "own"),
        (SklearnMultinomialNB(), "label", "counts"),
        (OrdinalRegression(), "ordered label", "ordered"),
        (Ridge(), "number", "linear"),
        (SVC(), "label", "machine"),
        (HistGradientBoostingClassifier(), "label", "linear"),
        (KMeans(), "cluster", None),
        (AffinityPropagation(), "cluster", None),
        (GaussianMixture(), "cluster", None),
        (IsolationForest(), "number", None),
        (IncrementalPCA(), "place", None),
        (LatentDirichletAllocation(), "topic", None),
        (TextSearch(), "neighbors", None),
        (make_pipeline(CountVectorizer(), LogisticRegression()), "label", "own"),
        (GridSearchCV(Ridge(), {"alpha": [1.0]}), "number", None),
        (CountVectorizer(), "nothing", None),
        (object(), "nothing", None),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else value,
)
def test_kinds_come_from_the_class_and_what_it_derives_from(model, predicts, evidence):
    assert (kind_of(model).predicts, kind_of(model).evidence) == (predicts, evidence)


def test_what_comparisons_and_paths_ask():
    assert kind_of(MultinomialNB()).features == "counts"
    assert kind_of(SklearnMultinomialNB()).features == "counts"
    assert kind_of(LogisticRegression()).features == "tfidf"
    warm = [LogisticRegression, SklearnLogisticRegression, Lasso, OrdinalRegression]
    assert all(kind_of_class(cls).starts_warm for cls in warm)
    assert not kind_of_class(Ridge).starts_warm
    assert kind_of_class(Ridge).penalty == "alpha"
    assert kind_of_class(SklearnLogisticRegression).penalty == ""


def corpus():
    return read_corpus(pl.DataFrame({"text": TEXTS}), text="text")


def models():
    y = np.array(LABELS)
    numbers = np.arange(len(TEXTS), dtype=float)
    yield make_pipeline(CountVectorizer(), MultinomialNB()).fit(TEXTS, y)
    yield make_pipeline(CountVectorizer(), SVC()).fit(TEXTS, y)
    yield make_pipeline(CountVectorizer(), SVC()).fit(TEXTS, (y == "law").astype(int))
    yield make_pipeline(CountVectorizer(), OrdinalRegression()).fit(TEXTS, (y == "law").astype(int))
    yield MultinomialNB().fit_text(TEXTS, y)
    yield make_pipeline(CountVectorizer(), Ridge()).fit(TEXTS, numbers)
    yield make_pipeline(TfidfVectorizer(), KMeans(2, random_state=0)).fit(TEXTS)
    yield make_pipeline(TfidfVectorizer(), SklearnKMeans(2, random_state=0)).fit(TEXTS)
    yield make_pipeline(TfidfVectorizer(), PCA(2)).fit(TEXTS)
    yield make_pipeline(TfidfVectorizer(), PCA(3)).fit(TEXTS)
    yield LatentDirichletAllocation(
        2, max_iter=5, vectorizer=CountVectorizer(), random_state=0
    ).fit(TEXTS)
    yield make_pipeline(CountVectorizer(), CalibratedClassifierCV(MultinomialNB(), cv=3)).fit(
        TEXTS, y
    )
    search = GridSearchCV(make_pipeline(CountVectorizer(), MultinomialNB()), {}, cv=2)
    yield search.fit(TEXTS, y)


@pytest.mark.parametrize("model", list(models()), ids=lambda one: type(last_step(one)).__name__)
@pytest.mark.parametrize("probabilities", [True, False])
def test_predictions_have_the_columns_that_are_announced(model, probabilities):
    announced = output_columns(model, probabilities=probabilities)
    table = predict_table(model, corpus(), probabilities=probabilities).drop("text")
    assert [(one.name, one.dtype) for one in announced] == list(table.schema.items())


@pytest.mark.parametrize("cls", [MultinomialNB, ComplementNB, BernoulliNB, LogisticRegression])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_labels_from_probabilities_are_those_of_predict(cls, n_classes):
    rng = np.random.default_rng(0)
    words = np.array([*"abcdefgh"])
    texts = [" ".join(f"w{word}" for word in rng.choice(words, 3)) for _ in range(200)]
    texts += ["unknown", ""] * 5  # equal probabilities
    y = np.arange(len(texts)) % n_classes
    model = make_pipeline(CountVectorizer(), cls()).fit(texts, y)
    table = predict_table(model, read_corpus(pl.DataFrame({"text": texts}), missing="empty"))
    np.testing.assert_array_equal(table["predicted"], model.predict(texts))


def test_what_models_take():
    y = LABELS
    assert takes_of(make_pipeline(CountVectorizer(), Ridge()).fit(TEXTS, range(30))).what == "texts"
    assert takes_of(MultinomialNB().fit_text(TEXTS, y)).what == "texts"
    assert takes_of(MultinomialNB().fit(np.eye(2), [0, 1])).what == "matrix"
    table = pl.DataFrame({"text": TEXTS, "age": np.arange(30.0)})
    taken = takes_of(MixedNB().fit(table, y))
    assert (taken.what, taken.columns) == ("table", ("text", "age"))
    with pytest.raises(ValueError, match="takes rows of numbers"):
        predict_table(MultinomialNB().fit(np.eye(2), [0, 1]), corpus())


def test_models_that_predict_nothing_say_so():
    for model in (DBSCAN(), TextSearch(), CountVectorizer()):
        with pytest.raises(ValueError, match=f"{type(model).__name__} predicts nothing"):
            output_columns(model)


def test_models_are_taken_apart_in_one_place():
    inner = make_pipeline(CountVectorizer(), MultinomialNB()).fit(TEXTS, LABELS)
    calibrated = CalibratedClassifierCV(FrozenEstimator(inner), ensemble=False).fit(TEXTS, LABELS)
    inside = look_inside(calibrated)
    assert inside.answering is calibrated
    assert inside.deciding is inner.steps[1][1]
    assert inside.within == [inner.steps[0][1]]
    assert last_step(calibrated) is calibrated
    assert last_step(FrozenEstimator(inner)) is inner.steps[1][1]
    search = GridSearchCV(inner, {}, cv=2)
    assert last_step(search) is search
    assert steps_of(search.fit(TEXTS, LABELS))[1] is search.best_estimator_.steps[1][1]
    kept_nothing = GridSearchCV(inner, {}, cv=2, refit=False).fit(TEXTS, LABELS)
    assert last_step(kept_nothing) is kept_nothing
    with pytest.raises(ValueError, match="kept no model"):
        look_inside(kept_nothing)
    assert list(classes_of(calibrated)) == ["law", "pets"]
    assert classes_of(Ridge()) is None


class Scale(ClassifierMixin, BaseEstimator):
    """A classifier that nobody has said anything about."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.n_features_in_ = 2
        return self

    def predict(self, X):
        return self.classes_[np.asarray(X)[:, 0].astype(int)]


def test_registered_facts_add_to_what_base_classes_say(monkeypatch):
    monkeypatch.setattr("quire.kinds._registry._BY_CLASS", {})
    monkeypatch.setattr("quire.kinds._registry._BY_NAME", {k: dict(v) for k, v in KNOWN.items()})
    monkeypatch.setattr("quire.kinds._registry._KINDS", {})
    model = Scale().fit([[0, 1], [1, 0]], ["a", "b"])
    assert kind_of(model).predicts is Predicts.LABEL
    assert model_card(model).classes == ("a", "b")
    register(Scale, card=lambda model, n_terms, metadata: ModelCard(predicts=Predicts.LABEL))
    assert model_card(model).classes == ()
    assert kind_of(model).predicts is Predicts.LABEL
    register("tests.kinds.test_kinds.Scale", features="counts")
    assert kind_of_class(type("Finer", (Scale,), {})).card is kind_of(model).card


def test_wrong_registrations():
    with pytest.raises(TypeError, match="expects a class"):
        register(MultinomialNB(), features="counts")
    with pytest.raises(TypeError, match="no 'feature'; it has: card"):
        register(Scale, feature="counts")


def test_models_without_weights_are_not_explained():
    X, y = np.eye(40), np.arange(40) % 2
    with pytest.raises(TypeError, match=r"cannot be explained by parts\. Supported are"):
        explain(HistGradientBoostingClassifier(max_iter=1).fit(X, y), X[:1])
    with pytest.raises(TypeError, match="KMeans cannot be explained by parts"):
        explain(KMeans(2, random_state=0).fit(sparse.csr_array(X)), X[:1])


def test_a_naive_bayes_model_is_asked_without_trees_and_charts(tmp_path):
    model = make_pipeline(CountVectorizer(), MultinomialNB()).fit(TEXTS, LABELS)
    path = quire.save(model, tmp_path / "model.quire")
    pl.DataFrame({"text": TEXTS}).write_csv(tmp_path / "texts.csv")
    code = (
        "import sys\n"
        "from quire.cli import main\n"
        "try:\n"
        "    main(sys.argv[1:])\n"
        "except SystemExit as done:\n"
        "    assert not done.code\n"
        "packages = {name.split('.')[1] for name in sys.modules if name.startswith('quire.')}\n"
        "unwanted = packages & {'tree', 'ensemble', 'linear_model', 'report', 'model_selection'}\n"
        "print('unwanted:', sorted(unwanted), file=sys.stderr)\n"
    )
    for command in (
        ["predict", path, tmp_path / "texts.csv"],
        ["explain", path, "cat"],
        ["inspect", path],
    ):
        done = subprocess.run(
            [sys.executable, "-c", code, *map(str, command)],
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stderr.endswith("unwanted: []\n"), done.stderr
