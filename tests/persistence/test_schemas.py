"""Every class that a model file may name is checked, attribute by attribute.

Sound models of all kinds are saved, loaded and asked the same; then each of their
arrays is exchanged for one that is almost the same, and has to be refused unless it is
listed as harmless.
"""

import inspect
import io
import warnings

import numpy as np
import pytest
import sklearn.ensemble
from fuzz.seeds import COUNTS, DOCUMENTS, LABELS, TARGET, exported
from sklearn import calibration, cluster, compose, linear_model, model_selection, preprocessing
from sklearn.base import BaseEstimator
from sklearn.decomposition import NMF
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction import text as sk_text
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.frozen import FrozenEstimator
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.utils import all_estimators
from tests.helpers.forged_files import rebuilt, state_of
from tests.helpers.saved_models import answers, configured_models, plain_models

import quire
from quire.ensemble import BaggingClassifier, RandomForestClassifier, RandomForestRegressor
from quire.kinds import Blueprint, check_blueprint, schema_of, schemas, why_refused
from quire.linear_model import LogisticRegression, Ridge
from quire.naive_bayes import MultinomialNB
from quire.persistence import ModelFileError, UnsavableModelError
from quire.persistence._registry import Registry, portable_state

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")


@pytest.fixture(scope="module")
def saved():
    """All models, with what they are asked: made once."""
    return [*plain_models(), *configured_models()]


def again(model, **options):
    file = io.BytesIO()
    quire.save(model, file, **options)
    file.seek(0)
    return quire.load(file)


# The list ---------------------------------------------------------------------------------------


def test_the_list_of_classes_is_the_list_of_tables():
    registry = Registry()
    for name, schema in schemas().items():
        in_files = "quire.tree.Categories" if name == "quire.Categories" else name
        cls = registry.find_class(in_files)
        assert inspect.isclass(cls), name
        assert registry.class_name(cls) == in_files
        assert schema_of(cls) is schema


def test_every_exported_estimator_has_a_table():
    assert all(schema_of(cls) is not None for cls in exported())


def test_tables_name_attributes_and_no_parameters():
    registry = Registry()
    for name, schema in schemas().items():
        cls = registry.find_class("quire.tree.Categories" if name == "quire.Categories" else name)
        if not issubclass(cls, BaseEstimator):
            continue
        parameters = inspect.signature(cls).parameters
        assert not {key for key in schema.fitted if key[-1] != "?"} & set(parameters), name
        assert set(schema.parameters) <= set(parameters), name


# Of modules that were on the list as a whole.
_NARROWED = ("cluster", "decomposition", "ensemble", "linear_model", "neighbors", "preprocessing",
             "svm")  # fmt: skip


def test_scikit_learns_classes_without_a_table_say_why():
    missing = [
        cls
        for _, cls in all_estimators()
        if schema_of(cls) is None and cls.__module__.split(".")[1] in _NARROWED
    ]
    assert len(missing) >= 20
    assert all(why_refused(cls) for cls in missing)


@pytest.mark.parametrize(
    "model",
    [
        sklearn.ensemble.GradientBoostingClassifier(n_estimators=2),
        sklearn.ensemble.RandomForestClassifier(2),
        sklearn.ensemble.IsolationForest(n_estimators=2),
        cluster.OPTICS(),
        cluster.Birch(),
        linear_model.PoissonRegressor(),
        sklearn.neighbors.KNeighborsClassifier(algorithm="brute"),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_class_without_a_table_is_refused_with_the_reason(model, tmp_path):
    model.fit(COUNTS, np.arange(40) % 2)
    reason = why_refused(type(model))
    with pytest.raises(UnsavableModelError, match="which a model file cannot hold: it ") as caught:
        quire.save({"model": model}, tmp_path / "m.quire")
    assert reason in str(caught.value)
    assert "trusted=" in str(caught.value)
    path = quire.save(Ridge(), tmp_path / "m.quire")
    name = f"sklearn.{type(model).__module__.split('.')[1]}.{type(model).__name__}"
    path.write_bytes(rebuilt(path, lambda parts: parts.tree.update({"class": name})))
    with pytest.raises(ModelFileError, match="not on the list of those that quire loads"):
        quire.load(path)


def test_what_is_not_of_the_model_is_refused_when_it_is_saved(tmp_path):
    model = Ridge().fit(COUNTS, TARGET)
    model.note_ = "mine"
    match = r"model\[1\] cannot be saved: quire.linear_model.Ridge has no attribute note_. Keep"
    with pytest.raises(UnsavableModelError, match=match):
        quire.save([1, model], tmp_path / "m.quire")
    del model.note_, model.intercept_
    with pytest.raises(UnsavableModelError, match="has no intercept_"):
        quire.save(model, tmp_path / "m.quire")


def test_a_forest_whose_trees_do_not_belong_together_says_so(tmp_path):
    model = RandomForestClassifier(2, warm_start=True).fit(COUNTS, LABELS)
    with pytest.raises(ValueError, match="features"):
        model.set_params(n_estimators=3).fit(COUNTS[:, :3], LABELS).predict(COUNTS)
    path = quire.save(RandomForestClassifier(2).fit(COUNTS, LABELS), tmp_path / "m.quire")
    path.write_bytes(
        rebuilt(path, lambda parts: state_of(parts.tree).update(_mismatch="they differ"))
    )
    with pytest.raises(ModelFileError, match="RandomForestClassifier: they differ"):
        quire.load(path)


# Sound models -----------------------------------------------------------------------------------


@pytest.mark.parametrize("compact", [True, False])
def test_models_answer_the_same_after_loading(saved, compact):
    assert len(saved) > 250
    for name, model, question in saved:
        loaded = again(model, compact=compact)
        assert type(loaded) is type(model)
        assert answers(loaded, question) == answers(model, question), name


def test_trees_that_were_added_to_a_forest_are_saved_with_it():
    for cls, y in ((RandomForestClassifier, LABELS), (RandomForestRegressor, TARGET)):
        model = cls(3, random_state=0).fit(COUNTS, y)
        alone = answers(model, COUNTS)
        model.estimators_ += cls(4, random_state=1).fit(COUNTS, y).estimators_
        loaded = again(model)
        assert len(loaded.estimators_) == 7
        assert answers(loaded, COUNTS) == answers(model, COUNTS) != alone


def test_forests_and_bags_whose_trees_were_forged(tmp_path):
    forest = RandomForestClassifier(3, random_state=0).fit(COUNTS, LABELS)
    bag = BaggingClassifier(n_estimators=3, random_state=0).fit(COUNTS, LABELS)
    for model, place, key in ((forest, (), "_packed"), (bag, ("estimators_", 1), "_arrays")):
        path = quire.save(model, tmp_path / "m.quire")

        def point_back(parts, place=place, key=key):
            state = parts.tree["state"]
            if place:
                state = state[place[0]]["items"][place[1]]["state"]
            arrays = state[key]
            node = arrays["values"][arrays["keys"].index("nodes")]
            nodes = parts.arrays[node["member"]].copy()
            nodes["left"][np.flatnonzero(nodes["left"] >= 0)[-1]] = 0
            parts.arrays[node["member"]] = nodes

        path.write_bytes(rebuilt(path, point_back))
        with pytest.raises(ModelFileError, match=r"(RandomForest|DecisionTree)Classifier: "):
            quire.load(path)


def sklearn_models():
    import pandas as pd

    X, y, flags = COUNTS, LABELS, (COUNTS[:, :2] > 0).astype(int)
    gaps, words = X.copy(), np.array([["a", "x"], ["b", "y"], ["c", "y"], ["a", "y"]] * 10)
    gaps[0, 0] = gaps[3, 4] = np.nan
    table = pd.DataFrame({"a": X[:, 0], "k": pd.Categorical(y), "t": DOCUMENTS})
    votes = [("a", GaussianNB()), ("b", MultinomialNB())]
    yield calibration.CalibratedClassifierCV(GaussianNB(), cv=2), X, y
    yield calibration.CalibratedClassifierCV(GaussianNB(), cv=2, method="isotonic"), X, y
    yield calibration.CalibratedClassifierCV(GaussianNB(), cv=2, method="temperature"), X, y
    yield cluster.KMeans(2, random_state=0), X, y
    yield cluster.FeatureAgglomeration(2), X, y
    columns = [("n", preprocessing.StandardScaler(), ["a"]), ("t", sk_text.TfidfVectorizer(), "t")]
    yield compose.ColumnTransformer(columns, remainder="drop"), table, y
    yield (
        compose.TransformedTargetRegressor(Ridge(), func=np.log1p, inverse_func=np.expm1),
        X,
        X[:, 0],
    )
    yield DictVectorizer(), [{"a": 1, "b": i} for i in range(3)], y
    yield FrozenEstimator(Ridge().fit(X, TARGET)), X, TARGET
    yield SimpleImputer(add_indicator=True), gaps, y
    yield KNNImputer(), gaps, y
    yield linear_model.SGDClassifier(average=True, random_state=0), X, y
    yield linear_model.RidgeClassifier(), X, y
    yield linear_model.Lars(), X, TARGET
    yield (
        model_selection.GridSearchCV(
            Ridge(),
            {"alpha": [1, 2]},
            scoring=["r2", "neg_max_error"],
            refit="r2",
            cv=model_selection.RepeatedKFold(n_splits=2, n_repeats=2),
        ),
        X,
        TARGET,
    )
    yield (
        model_selection.GridSearchCV(
            Ridge(), {"alpha": [1, 2]}, cv=list(model_selection.KFold(2).split(X))
        ),
        X,
        TARGET,
    )
    yield model_selection.TunedThresholdClassifierCV(LogisticRegression(), cv=2), X, flags[:, 0]
    yield OneVsOneClassifier(LogisticRegression()), X, y
    yield OneVsRestClassifier(LogisticRegression()), X, y
    yield ClassifierChain(LogisticRegression(), order=[1, 0]), X, flags
    yield MultiOutputClassifier(LogisticRegression()), X, flags
    yield NMF(2, max_iter=500), X, y
    yield FeatureUnion([("a", preprocessing.MinMaxScaler()), ("b", "passthrough")]), X, y
    yield make_pipeline(preprocessing.PolynomialFeatures((1, 3)), SelectKBest(f_classif, k=4)), X, y
    yield (
        preprocessing.OneHotEncoder(drop="first", min_frequency=12, handle_unknown="ignore"),
        words,
        y,
    )
    yield preprocessing.OneHotEncoder(), X, y
    yield preprocessing.OrdinalEncoder(), words, y
    yield preprocessing.KBinsDiscretizer(3, quantile_method="averaged_inverted_cdf"), X, y
    yield preprocessing.TargetEncoder(cv=2, random_state=0), words, y
    yield preprocessing.PowerTransformer(), X, y
    yield preprocessing.QuantileTransformer(n_quantiles=20), X, y
    yield sk_text.CountVectorizer(ngram_range=(1, 2)), DOCUMENTS, y
    yield sk_text.TfidfVectorizer(vocabulary=["film", "gut"]), DOCUMENTS, y
    yield StackingClassifier(votes, LogisticRegression(), cv=2), X, y
    yield VotingClassifier(votes, voting="soft"), X, y
    yield sklearn.ensemble.AdaBoostClassifier(MultinomialNB(), n_estimators=2), X, y
    yield sklearn.ensemble.BaggingClassifier(GaussianNB(), 3), X, y


@pytest.fixture(scope="module")
def of_sklearn():
    """Fitted models of scikit-learn, with what they are asked."""
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for model, X, y in sklearn_models():
            found.append((f"{model}", model.fit(X, y), X))
    return found


def test_models_of_scikit_learn_answer_the_same_after_loading(of_sklearn):
    for name, model, question in of_sklearn:
        assert answers(again(model), question) == answers(model, question), name


# Forged models ----------------------------------------------------------------------------------


def objects_in(value, met):
    """Yield the class and the attributes of every object in a model, once."""
    if id(value) in met:
        return
    met[id(value)] = value
    parts = ()
    if isinstance(value, dict):
        parts = value.values()
    elif isinstance(value, list | tuple):
        parts = value
    elif schema_of(type(value)) is not None:
        forgets = type(value).__reduce__ is not object.__reduce__
        state = {} if forgets else dict(value.__getstate__() or {})
        state.pop("_sklearn_version", None)
        state = portable_state(type(value), state)
        yield type(value), state
        parts = state.values()
    for part in parts:
        yield from objects_in(part, met)


def places_of_arrays(value, path=()):
    """Yield where arrays are in an attribute, and the arrays."""
    if type(value) is np.ndarray:
        yield path, value
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from places_of_arrays(part, (*path, key))
    elif isinstance(value, list | tuple):
        for i, part in enumerate(value[:2]):
            yield from places_of_arrays(part, (*path, i))


def with_other(value, path, other):
    """Return an attribute with something else in a place."""
    if not path:
        return other
    if isinstance(value, dict):
        return {**value, path[0]: with_other(value[path[0]], path[1:], other)}
    changed = list(value)
    changed[path[0]] = with_other(changed[path[0]], path[1:], other)
    return type(value)(changed)


def almost(array):
    """Yield arrays that are almost the same, and what is different."""
    others = {"f": "<i8", "i": "<f8", "u": "<f8", "b": "<i8", "U": "<c16", "O": "<c16", "V": "<f8"}
    yield "type", np.zeros(array.shape, others[array.dtype.kind])
    yield "axis", array[None]
    if len(array):
        yield "shorter", array[:-1]
    if not array.dtype.hasobject:
        yield "masked", np.ma.MaskedArray(array)
    if array.dtype.kind in "iu" and array.size:
        limits = np.iinfo(array.dtype)
        for name, number in (("small", limits.min), ("large", limits.max)):
            changed = array.copy()
            changed.flat[0] = number
            if limits.min or name == "large":
                yield name, changed


# What may differ without harm: numbers that are shown, or that NumPy reads, or that are labels.
def _each(names, changes):
    return {name: changes for name in names}


_FREE = {"type", "axis", "shorter", "small", "large"}
_LABELS = {"type", "shorter", "small", "large"}
_NUMBERS = {"type", "small", "large"}
_LENGTH = {"shorter"}
HARMLESS = {
    # labels stand for themselves; which are too few is an error of a list when it is predicted
    **_each(["classes_", "classes", "claimants_", "y_"], _LABELS),
    # of the training rows, or of the way to the solution: nothing is computed from them
    **_each(["labels_", "row_labels_", "column_labels_"], {"shorter", "large"}),
    **_each(
        ["_num_iter", "trace_",
         "n_iter_", "Cs_", "C_", "l1_ratio_", "l1_ratios_", "coefs_paths_", "scores_",
         "mse_path_", "alphas_", "cv_results_", "oob_decision_function_", "oob_prediction_",
         "_sample_weight", "singular_", "explained_variance_ratio_", "log_likelihood_trace_",
         "chain_traces_", "theta_samples_", "topic_assignments_", "left_out_errors_", "losses_",
         "children_", "distances_", "coef_path_", "estimator_weights_", "estimator_errors_"],
        _FREE,
    ),
    "best_score_": _LENGTH,
    "alpha_": _LENGTH,
    "covariance_": set(),
    # seeds and folds of a further fit
    **_each(["_seeds", "test_fold", "unique_folds", "cv"], _FREE - {"type", "axis"}),
    # counts, which only add up
    **_each(
        ["document_frequency", "term_frequency", "n_categories_", "bitHash_", "ranking_",
         "reliability_"],
        {"large"},
    ),
    **_each(
        ["_feature_count", "feature_count_", "feature_count", "term_counts", "_lengths",
         "pvalues_", "statistics_", "center_", "scale_", "mean_", "var_", "constant_",
         "encodings_", "variances_", "n_samples_seen_"],
        {"type", "large"},
    ),
    "category_count_": set(),
    # read by NumPy alone
    "exponents_": {"large"},
    "_fit_X": {"type"},
    "_y": {"type"},
    "scalings_": _LENGTH,
    "rotations_": _LENGTH,
    "target_mean_": _LENGTH,
    "features_": _LENGTH,
    "coef_": {"axis", "shorter"},  # more or fewer targets
    "intercept_": _LENGTH,  # one for all targets
    "_average_coef": {"axis"},
    "_standard_coef": {"axis"},
    "components_": {"type"},
    # how often names are there is asked of other attributes
    "feature_names_in_": _LENGTH,
    "categories_": {"shorter", "type"},
    "_infrequent_indices": _LENGTH,
    "_tree_state": {"type"},
    # looked at by the object around
    "Categories": _LENGTH,
    "FixedGrowth": _LENGTH,
    "_BaseLibSVM__Xfit": _FREE,
}  # fmt: skip


def accepted(models):
    """Yield the attributes and changes that are taken for sound; count what was tried."""
    met, n = {}, 0
    for _, model, _ in models:
        for cls, state in objects_in(model, met):
            check_blueprint(Blueprint(cls, dict(state)))
            parameters = cls._get_param_names() if hasattr(cls, "_get_param_names") else ()
            for name in state.keys() - set(parameters):
                for path, array in places_of_arrays(state[name]):
                    for what, other in almost(array):
                        n += 1
                        forged = {**state, name: with_other(state[name], path, other)}
                        try:
                            check_blueprint(Blueprint(cls, forged))
                        except ValueError:
                            continue
                        harmless = HARMLESS.get(name, set()) | HARMLESS.get(cls.__name__, set())
                        if what not in harmless:
                            yield cls.__name__, name, path, what
    assert n > 1000


@pytest.mark.parametrize("models", ["saved", "of_sklearn"])
def test_arrays_that_are_almost_sound_are_refused(models, request):
    assert sorted(set(accepted(request.getfixturevalue(models)))) == []
