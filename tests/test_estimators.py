"""Every exported estimator, enumerated: scikit-learn's checks, labels, vocabulary.

A new estimator is here as soon as it is exported. If it needs other settings than its defaults, or
other data than scikit-learn draws, CASES says so.
"""

import importlib
import inspect
import pkgutil
import sys
import warnings

import numpy as np
import pytest
from sklearn import feature_selection
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.exceptions import SkipTestWarning
from sklearn.utils import all_estimators, estimator_checks
from sklearn.utils._test_common.instance_generator import (
    INIT_PARAMS,
    PER_ESTIMATOR_CHECK_PARAMS,
    PER_ESTIMATOR_XFAIL_CHECKS,
)
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

import quire
from quire import cluster, decomposition, ensemble, linear_model, naive_bayes, neighbors, svm, tree
from quire._shared import labels
from quire.alignment import VectorMap
from quire.calibration import CalibratedClassifier
from quire.decomposition import LatentDirichletAllocation
from quire.discriminant_analysis import LinearDiscriminantAnalysis
from quire.feature_extraction.select import SelectTerms
from quire.feature_extraction.table import TableEncoder
from quire.feature_extraction.text import TfidfTransformer
from quire.model_selection import ThresholdClassifier


def exported():
    """Return all estimator classes that public modules of quire export."""
    found = []
    for module in pkgutil.walk_packages(quire.__path__, "quire."):
        if "._" in module.name or module.name.startswith("quire.cli"):
            continue
        names = getattr(importlib.import_module(module.name), "__all__", ())
        values = (getattr(importlib.import_module(module.name), name) for name in names)
        found += [v for v in values if inspect.isclass(v) and issubclass(v, BaseEstimator)]
    return found


ESTIMATORS = exported()


SMALL = {"n_estimators": 5, "random_state": 0}
TIGHT = {"cv": 3, "tol": 1e-12, "max_iter": 100_000}
CHOSEN = {"l1_ratios": (0,), "scoring": "neg_log_loss", "use_legacy_attributes": False}
MEMBERS = [
    ("logistic", linear_model.LogisticRegression(tol=1e-9)),
    ("squares", linear_model.LeastSquaresClassifier(alpha=1.0)),
]
CASES = {
    CalibratedClassifier: [
        CalibratedClassifier(cv=3),
        CalibratedClassifier(linear_model.LogisticRegression(), method="isotonic", cv=3),
        CalibratedClassifier(linear_model.LogisticRegression(), method="temperature", cv=3),
    ],
    # Of classes that are apart: elsewhere predictions are not the signs of decisions, which is
    # what it is for, and a check of scikit-learn's wants them to be.
    ThresholdClassifier: [ThresholdClassifier(linear_model.LogisticRegression(), cv=3)],
    LatentDirichletAllocation: [
        LatentDirichletAllocation(),
        LatentDirichletAllocation(3, max_iter=20),
        LatentDirichletAllocation(3, learning_method="batch", max_iter=2),
    ],
    LinearDiscriminantAnalysis: [
        LinearDiscriminantAnalysis(),
        LinearDiscriminantAnalysis("eigen", 0.1),
    ],
    SelectTerms: [
        SelectTerms(),
        SelectTerms("mutual_info", k=0.5),
    ],
    TableEncoder: [TableEncoder(), TableEncoder("plain"), TableEncoder("table")],
    TfidfTransformer: [
        TfidfTransformer(),
        TfidfTransformer(use_idf=False, norm=None),
        TfidfTransformer(smooth_idf=False, norm="l1", n_jobs=2),
    ],
    VectorMap: [VectorMap(), VectorMap("gradient"), VectorMap("ridge", normalize=False)],
    decomposition.TruncatedSVD: [decomposition.TruncatedSVD()],
    linear_model.ElasticNetCV: [linear_model.ElasticNetCV(**TIGHT)],
    linear_model.LassoCV: [linear_model.LassoCV(**TIGHT), linear_model.LassoCV(max_iter=5, cv=3)],
    linear_model.LeastSquaresClassifier: [
        linear_model.LeastSquaresClassifier(),
        linear_model.LeastSquaresClassifier(alpha=1.0),
    ],
    linear_model.LogisticRegression: [
        linear_model.LogisticRegression(tol=1e-7),
        linear_model.LogisticRegression(l1_ratio=0.5, solver="auto", C=10.0),
        linear_model.LogisticRegression(solver="liblinear"),
        linear_model.LogisticRegression(solver="liblinear", l1_ratio=1.0),
    ],
    linear_model.LogisticRegressionCV: [
        linear_model.LogisticRegressionCV(Cs=3, cv=3, **options, **CHOSEN)
        for options in ({}, {"solver": "liblinear"})
    ],
    linear_model.NBLogistic: [
        linear_model.NBLogistic(),
        linear_model.NBLogistic(binarize=None, beta=0.5, tol=1e-7),
    ],
    linear_model.OrdinalRegression: [
        linear_model.OrdinalRegression(),
        linear_model.OrdinalRegression(link="probit", l1_ratio=0.5, class_weight="balanced"),
        linear_model.OrdinalRegression(solver="lbfgs", max_iter=1000),
    ],
    linear_model.Ridge: [linear_model.Ridge(), linear_model.Ridge(solver="lsqr")],
    naive_bayes.CategoricalNB: [
        naive_bayes.CategoricalNB(),
        naive_bayes.CategoricalNB(alpha=0, class_prior="uniform"),
    ],
    naive_bayes.MixedNB: [
        naive_bayes.MixedNB(),
        naive_bayes.MixedNB(alpha=0, class_prior="uniform"),
    ],
    neighbors.KNeighborsClassifier: [
        neighbors.KNeighborsClassifier(algorithm="brute"),
        neighbors.KNeighborsClassifier(metric="cosine"),
    ],
    neighbors.KNeighborsRegressor: [neighbors.KNeighborsRegressor(algorithm="brute")],
    neighbors.NearestNeighbors: [neighbors.NearestNeighbors(algorithm="brute")],
    svm.NBSVM: [
        svm.NBSVM(tol=1e-14, max_iter=100_000),
        svm.NBSVM(binarize=None, beta=0.5, tol=1e-14, max_iter=100_000),
    ],
    **{
        getattr(ensemble, name): [getattr(ensemble, name)(**SMALL)]
        for name in ensemble.__all__
        if name != "AveragedClassifier"
    },
    ensemble.AveragedClassifier: [
        ensemble.AveragedClassifier(MEMBERS),
        ensemble.AveragedClassifier(MEMBERS, weights=[1, 3], n_jobs=2),
    ],
    **{
        getattr(tree, f"{kind}Tree{task}"): [
            getattr(tree, f"{kind}Tree{task}")(random_state=0, **settings)
            for settings in ({}, {"criterion": other})
        ]
        for kind in ("Decision", "Extra")
        for task, other in (("Classifier", "entropy"), ("Regressor", "absolute_error"))
    },
}

# Expected to fail, and why -----------------------------------------------------------------------

BOOTSTRAP = "weighted and repeated rows draw different bootstrap samples from one seed"
DRAWN = "rows that are drawn twice are not rows of weight two; scikit-learn's classes say so"
STOPS = "the solver stops at its tolerance; equal with a smaller one"
SCALE = "gamma='scale' counts rows without their weights; equal with a gamma and a smaller tol"
LIBLINEAR = "solver='liblinear' takes two classes, and says so with scikit-learn's error"
COUNTS = "takes counts and says so with its tags; the check draws negative numbers"
NEGATIVE_NUMBERS = (
    "check_class_weight_balanced_linear_classifier",
    "check_class_weight_classifiers",
    "check_decision_proba_consistency",
)
NOT_WEIGHTS = {
    cluster.KMeans: DRAWN,
    cluster.MiniBatchKMeans: DRAWN,
    svm.LinearSVC: STOPS,
    svm.LinearSVR: STOPS,
    svm.SVC: SCALE,
    svm.SVR: SCALE,
}


def expected_failures(model):
    cls = type(model)
    reason = NOT_WEIGHTS.get(cls)
    if getattr(model, "bootstrap", False):
        reason = BOOTSTRAP  # equal on average: see test_weights_are_repetitions_on_average
    kinds = ("dense", "sparse") if reason else ()
    found = {f"check_sample_weight_equivalence_on_{kind}_data": reason for kind in kinds}
    if cls is linear_model.Ridge and model.solver == "auto":
        found["check_non_transformer_estimators_n_iter"] = "n_iter_ is None, as in scikit-learn"
    if getattr(model, "solver", None) == "liblinear":
        found["check_classifier_not_supporting_multiclass"] = LIBLINEAR
        if cls is linear_model.LogisticRegressionCV:
            found["check_class_weight_classifiers"] = LIBLINEAR
    if cls in (linear_model.NBLogistic, svm.NBSVM) and model.binarize is None:
        names = [name for name in NEGATIVE_NUMBERS if "proba" not in name or cls is not svm.NBSVM]
        found |= dict.fromkeys(names, COUNTS)
    if cls is linear_model.NBLogistic and model.binarize is not None:
        found["check_non_transformer_estimators_n_iter"] = (
            "no row of the check's data has a zero, so that all look alike"
        )
    if cls is VectorMap:
        found["check_fit_score_takes_y"] = "the two spaces are called A and B, not X and y"
    return found


def failures():
    """Yield the models that fail a check, the name of the check, and the reason."""
    for cls in ESTIMATORS:
        for model in CASES.get(cls) or [cls()]:
            for check, reason in expected_failures(model).items():
                yield model, check, reason


THEIRS = dict(all_estimators())


@pytest.mark.parametrize(
    ("model", "check"),
    [
        pytest.param(model, check, id=f"{type(model).__name__}-{check}")
        for model, check, _ in failures()
        if type(model).__name__ in THEIRS
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_own_classes_fail_the_same(model, check):
    """No exception of ours hides what scikit-learn's class of that name does right."""
    cls = THEIRS[type(model).__name__]
    if check in PER_ESTIMATOR_XFAIL_CHECKS.get(cls, {}):
        return  # scikit-learn says so itself
    known = cls._get_param_names()
    settings = {name: value for name, value in model.get_params(False).items() if name in known}
    with pytest.raises(AssertionError):
        getattr(estimator_checks, check)(cls.__name__, cls(**settings))


with warnings.catch_warnings():
    warnings.simplefilter("ignore", SkipTestWarning)  # there are few checks of models of texts
    scikit_learns_checks = parametrize_with_checks(
        [model for cls in ESTIMATORS for model in CASES.get(cls) or [cls()]],
        expected_failed_checks=expected_failures,
    )


@scikit_learns_checks
@pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore::sklearn.exceptions.SkipTestWarning",
    "ignore:The labels are strings:UserWarning",
    "ignore:The least populated class in y",
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings(
    "ignore:Features .* are constant",
    "ignore:invalid value encountered",
    "ignore::sklearn.exceptions.SkipTestWarning",
)
def test_scikit_learns_checks_with_a_score_function_of_its_own():
    check_estimator(SelectTerms(feature_selection.f_classif, k=1))


def scikit_learns_settings():
    """Yield our classes with settings that scikit-learn checks its own of that name with."""
    theirs = {cls.__name__: cls for cls in PER_ESTIMATOR_CHECK_PARAMS}
    for ours in ESTIMATORS:
        known = theirs.get(ours.__name__)
        for name, given in PER_ESTIMATOR_CHECK_PARAMS.get(known, {}).items():
            both = (f"{name}_on_dense_data", f"{name}_on_sparse_data")
            checks = (name,) if hasattr(estimator_checks, name) else both
            for params in given if isinstance(given, list) else [given]:
                for check in checks:
                    if check != "check_array_api_input":  # is tested by family
                        model = ours(**INIT_PARAMS.get(known, {}) | params)
                        if ours is linear_model.LogisticRegressionCV:
                            model.set_params(max_iter=100)  # not 5, far from the minimum
                        yield model, check


@pytest.mark.parametrize(
    ("model", "check"),
    [
        pytest.param(model, check, id=f"{type(model).__name__}-{check}")
        for model, check in scikit_learns_settings()
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_scikit_learns_checks_with_its_settings(model, check):
    """Among them equal weights and repetitions, where the default settings stop too early."""
    getattr(estimator_checks, check)(type(model).__name__, model)


@pytest.mark.parametrize("rows", ["dense", "sparse"])
@pytest.mark.parametrize(
    "model",
    [
        svm.SVC(gamma=0.1, tol=1e-12),
        svm.SVR(gamma=0.1, tol=1e-12),
        svm.LinearSVR(tol=1e-12, max_iter=100_000),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_weights_are_repetitions_at_the_optimum(model, rows):
    """What the reasons above say of the default settings."""
    check = getattr(estimator_checks, f"check_sample_weight_equivalence_on_{rows}_data")
    check(type(model).__name__, model)


SETTINGS = {linear_model.OrdinalRegression: {"categories": ["a", "b", "c"]}}

# Labels ------------------------------------------------------------------------------------------

# scikit-learn's own code, which these leave `fit` to, turns labels into numbers.
ENCODED_BY_SCIKIT_LEARN = {
    neighbors.KNeighborsClassifier: "its search keeps one column of numbers for each output",
}


@pytest.mark.parametrize(
    "cls", [cls for cls in ESTIMATORS if is_classifier((CASES.get(cls) or [cls()])[0])]
)
def test_every_classifier_reads_labels_in_one_place(cls, monkeypatch):
    """Wherever a module took `class_codes` from, it is that of _shared/labels."""
    met = []
    original = labels.class_codes

    def spy(y):
        met.append(np.asarray(y).tolist())
        return original(y)

    for name, module in list(sys.modules.items()):
        if name.startswith("quire.") and getattr(module, "class_codes", None) is original:
            monkeypatch.setattr(module, "class_codes", spy)
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (60, 4)).astype(float)
    model = (CASES.get(cls) or [cls()])[0]
    several = model.__sklearn_tags__().classifier_tags.multi_class
    y = np.array((["b", "a", "c"] if several else ["b", "a", "a"]) * 20)
    model = clone(model).set_params(**SETTINGS.get(cls, {})).fit(X, y)
    assert model.classes_.tolist() == sorted(set(y.tolist()))
    assert (y.tolist() in met) is (cls not in ENCODED_BY_SCIKIT_LEARN)


# Vocabulary --------------------------------------------------------------------------------------

SELF = """
Returns
-------
self : object
    The fitted estimator.
"""


@pytest.mark.parametrize("cls", ESTIMATORS)
@pytest.mark.parametrize("name", ["fit", "partial_fit", "fit_text"])
def test_one_sentence_for_what_fit_returns(cls, name):
    method = inspect.getattr_static(cls, name, None)
    method = inspect.unwrap(getattr(method, "fn", method)) if method is not None else None
    if method is not None and method.__module__.startswith("quire."):
        assert SELF in f"{inspect.getdoc(method)}\n"


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_top_terms_are_asked_for_in_one_way(cls):
    if hasattr(cls, "top_terms"):
        asked = inspect.signature(cls.top_terms).parameters
        assert list(asked) == ["self", "n_terms", "feature_names"]
        assert asked["n_terms"].default == 10
        assert asked["feature_names"].kind is inspect.Parameter.KEYWORD_ONLY


def test_no_signature_says_seed_or_found():
    met = set()
    for module in pkgutil.walk_packages(quire.__path__, "quire."):
        if "._" in module.name or module.name.startswith("quire.cli"):
            continue
        public = importlib.import_module(module.name)
        for name in getattr(public, "__all__", ()):
            value = getattr(public, name)
            parts = [value] if callable(value) else []
            if inspect.isclass(value):
                parts += [
                    p for k, p in vars(value).items() if inspect.isfunction(p) and k[0] != "_"
                ]
            for part in parts:
                try:
                    names = inspect.signature(part).parameters
                except ValueError:  # built in
                    continue
                met |= {(f"{module.name}.{name}", n) for n in names if n in ("seed", "found")}
    assert met == set()
