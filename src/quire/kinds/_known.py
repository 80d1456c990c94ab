"""What is known about quire's and scikit-learn's models, by the names of their classes.

A new family joins by its lines here. Only what differs from the classes that it derives from has to
be said: everything that scikit-learn calls a classifier predicts labels, and so on.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from quire.kinds._kind import Predicts, Saving

__all__ = ["KNOWN"]


# Models around others ---------------------------------------------------------------------------


def _of_pipeline(model: Any) -> tuple[list[Any], Any] | None:
    steps = [step for _, step in model.steps]
    if not steps:
        return None
    before = [step for step in steps[:-1] if step is not None and not isinstance(step, str)]
    return before, steps[-1]


def _of_search(model: Any) -> tuple[list[Any], Any] | None:
    fitted = vars(model)
    if "best_estimator_" in fitted:
        return [], fitted["best_estimator_"]
    if "cv_results_" in fitted and model.refit is False:
        raise ValueError(
            f"This {type(model).__name__} kept no model (refit=False). Search with refit=True, or "
            "fit the best parameters and explain that model."
        )
    return None


def _of_averaged(model: Any) -> list[tuple[str, Any]]:
    fitted = vars(model)
    if "weights_" not in fitted:
        return []
    return list(zip(fitted["named_estimators_"], fitted["estimators_"], strict=True))


def _of_frozen(model: Any) -> tuple[list[Any], Any]:
    return [], model.estimator


def _of_calibrated(model: Any) -> tuple[Any, str]:
    if len(model.calibrated_classifiers_) != 1:
        raise TypeError(
            f"This CalibratedClassifierCV averages the probabilities of "
            f"{len(model.calibrated_classifiers_)} classifiers, so that no parts of words add up "
            "to its decision. Fit it with ensemble=False to explain its one classifier."
        )
    note = "The parts add up to the score before calibration; probabilities are calibrated."
    return model.calibrated_classifiers_[0].estimator, note


def _of_threshold(model: Any) -> tuple[Any, str]:
    note = "The parts add up to a score; the model predicts by a threshold of its own."
    return model.estimator_, note


def _of_quires_calibrated(model: Any) -> tuple[Any, str]:
    note = "The parts add up to the score before calibration; probabilities are calibrated."
    return model.estimator_, note


def _of_quires_threshold(model: Any) -> tuple[Any, str]:
    usual, own = model.default_threshold_, model.best_threshold_
    what = "a score" if usual == 0 else "a probability"
    note = (
        f"The parts add up to a score; the model predicts {model.pos_label_!r} from {what} for it "
        f"of {own:.4g} on, where {usual:g} is usual."
    )
    return model.estimator_, note


# Model files ------------------------------------------------------------------------------------


def _without_growth(vectorizer: Any) -> Any:
    """Return a vectorizer without what only growing needs; the one given is not changed."""
    if not vectorizer.__sklearn_is_fitted__():
        return vectorizer
    return copy.copy(vectorizer).compact()


def _without_folder(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return attributes without a folder, which is of one machine and has pickles in it."""
    return {**state, "memory": None}


def _not_sampling(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes of a topic model at rest: no bar, nothing to resume."""
    quiet = dict(state)
    if callable(quiet.get("progress")):
        quiet["progress"] = False
    if "_interrupted" in quiet:
        quiet["_interrupted"] = False
    return quiet


_GROWS = Saving(compacted=_without_growth)
_FOLDER = Saving(at_rest=_without_folder)
_LOSS = Saving(left_out=("_loss_function_",))  # made again by every fit and used by nothing else
_TOPICS = Saving(
    left_out=("_chains", "_interrupted_fit"),  # samplers that live in compiled memory
    bulky=("topic_assignments_",),  # one number for each token of the training documents
    at_rest=_not_sampling,
)


# All of them ------------------------------------------------------------------------------------

_COUNTS = {"features": "counts", "vectorizer": "vectorizer_"}
_TEXTS = {"reads": "texts"}
_TREES = {"evidence": "trees", "card": "trees"}
_PLACE = {"predicts": Predicts.PLACE, "reads": "matrix", "card": "axes"}
_WARM = {"starts_warm": True}

_SKLEARN: dict[str, dict[str, Any]] = {
    "base.ClassifierMixin": {
        "predicts": Predicts.LABEL,
        "reads": "matrix",
        "evidence": "linear",
        "card": "terms",
    },
    "base.RegressorMixin": {
        "predicts": Predicts.NUMBER,
        "reads": "matrix",
        "evidence": "linear",
        "card": "terms",
    },
    "base.ClusterMixin": {"predicts": Predicts.CLUSTER, "reads": "matrix", "outputs": "groups"},
    "base.DensityMixin": {"predicts": Predicts.CLUSTER, "reads": "matrix", "outputs": "groups"},
    "base.OutlierMixin": {"predicts": Predicts.NUMBER, "reads": "matrix", "outputs": "groups"},
    # around other models
    "pipeline.Pipeline": {"passes_on": _of_pipeline, "saving": _FOLDER},
    "model_selection.BaseSearchCV": {"passes_on": _of_search},
    "frozen.FrozenEstimator": {"passes_on": _of_frozen},
    "calibration.CalibratedClassifierCV": {"decides_by": _of_calibrated},
    "model_selection.FixedThresholdClassifier": {"decides_by": _of_threshold},
    "model_selection.TunedThresholdClassifierCV": {"decides_by": _of_threshold},
    "multiclass.OneVsRestClassifier": {"evidence": "one against rest"},
    # texts
    "feature_extraction.text.CountVectorizer": _TEXTS,
    "feature_extraction.text.HashingVectorizer": _TEXTS,
    # families
    "naive_bayes._BaseDiscreteNB": {"features": "counts"},
    "naive_bayes.MultinomialNB": {"evidence": "counts"},
    "naive_bayes.ComplementNB": {"evidence": "complement"},
    "naive_bayes.BernoulliNB": {"evidence": "presence"},
    "naive_bayes.GaussianNB": {"evidence": "normal"},
    "naive_bayes.CategoricalNB": {"evidence": "categories"},
    "linear_model.LogisticRegression": _WARM,
    "linear_model.LogisticRegressionCV": {"starts_warm": False},
    "linear_model.ElasticNet": _WARM,
    "linear_model.Perceptron": {"saving": _LOSS},
    "linear_model.PassiveAggressiveClassifier": {"saving": _LOSS},
    "linear_model.SGDClassifier": {"saving": _LOSS},
    "linear_model.SGDOneClassSVM": {"saving": _LOSS},
    "neighbors.NearestNeighbors": {"predicts": Predicts.NEIGHBORS, "reads": "matrix"},
    "neighbors.KNeighborsClassifier": {"evidence": "neighbors", "card": None},
    "neighbors.KNeighborsRegressor": {"evidence": "neighbors", "card": None},
    "svm.SVC": {"evidence": "machine"},
    "svm.NuSVC": {"evidence": "machine"},
    "svm.SVR": {"evidence": "machine"},
    "svm.NuSVR": {"evidence": "machine"},
    "tree.DecisionTreeClassifier": _TREES,
    "tree.DecisionTreeRegressor": _TREES,
    "ensemble.BaggingClassifier": _TREES,
    "ensemble.BaggingRegressor": _TREES,
    "ensemble.ExtraTreesClassifier": _TREES,
    "ensemble.ExtraTreesRegressor": _TREES,
    "ensemble.RandomForestClassifier": _TREES,
    "ensemble.RandomForestRegressor": _TREES,
    "cluster._BaseKMeans": {"outputs": "nearest"},
    "cluster.AgglomerativeClustering": {"saving": _FOLDER},
    "cluster.FeatureAgglomeration": {"saving": _FOLDER},
    "decomposition._BasePCA": _PLACE,
    "decomposition.TruncatedSVD": _PLACE,
}

_QUIRE: dict[str, dict[str, Any]] = {
    "feature_extraction.text.CountVectorizer": {"saving": _GROWS},
    "feature_extraction.text.TfidfVectorizer": {"saving": _GROWS},
    "feature_extraction.text.BM25Vectorizer": {"saving": _GROWS},
    "feature_extraction.table.TableEncoder": {"reads": "table"},
    "feature_extraction.text.TermMapping": {"saving": Saving(plain=dict)},
    "naive_bayes.MultinomialNB": _COUNTS,
    "naive_bayes.ComplementNB": _COUNTS,
    "naive_bayes.BernoulliNB": _COUNTS,
    "naive_bayes.MixedNB": {"reads": "table"},
    "calibration.CalibratedClassifier": {"decides_by": _of_quires_calibrated},
    "model_selection.ThresholdClassifier": {"decides_by": _of_quires_threshold},
    "multiclass.OneVsAllClassifier": {"evidence": None, "card": None},
    "multilabel.BinaryRelevance": {"evidence": "labels"},
    "multilabel.LabelPowerset": {"evidence": "label powerset"},
    "linear_model.LogisticRegression": {"penalty": "C"},
    "linear_model.LogisticRegressionCV": {"penalty": ""},
    "linear_model.NBLogistic": {"features": "counts"},
    "linear_model.OrdinalRegression": {
        "predicts": Predicts.ORDERED_LABEL,
        "evidence": "ordered",
        "penalty": "C",
        **_WARM,
    },
    "linear_model.LeastSquaresClassifier": {"penalty": "alpha"},
    "linear_model.Ridge": {"penalty": "alpha"},
    "linear_model.ElasticNet": {"penalty": "alpha"},
    "linear_model.Lasso": {"penalty": "alpha"},
    "svm.NBSVM": {"features": "counts"},
    "ensemble.AveragedClassifier": {"evidence": "averaged", "members": _of_averaged},
    "cluster.KMeans": {"card": "clusters"},
    "cluster.MiniBatchKMeans": {"card": "clusters"},
    "decomposition.LatentDirichletAllocation": {
        "predicts": Predicts.TOPIC,
        "vectorizer": "vectorizer_",
        "reads": "matrix",
        "card": "topics",
        "saving": _TOPICS,
    },
    "neighbors.TextSearch": {
        "predicts": Predicts.NEIGHBORS,
        "vectorizer": "vectorizer_",
        "reads": "texts",
    },
    "alignment.VectorMap": {"predicts": Predicts.TRANSLATION, "reads": "matrix"},
}

KNOWN: dict[str, dict[str, Any]] = {
    **{f"sklearn.{name}": facts for name, facts in _SKLEARN.items()},
    **{f"quire.{name}": facts for name, facts in _QUIRE.items()},
}
