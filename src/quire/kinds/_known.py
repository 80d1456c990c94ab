"""What is known about quire's and scikit-learn's models, by the names of their classes.

A new family joins by its lines here. Only what differs from the classes that it derives from has to
be said: everything that scikit-learn calls a classifier predicts labels, and so on.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from math import prod
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


# Model files ------------------------------------------------------------------------------------


def _without_growth(vectorizer: Any) -> Any:
    """Return a vectorizer without what only growing needs; the one given is not changed."""
    if not vectorizer.__sklearn_is_fitted__():
        return vectorizer
    return copy.copy(vectorizer).compact()


def _terms_fit(state: Mapping[str, Any]) -> bool:
    """Say whether terms stay within their words: kernels take offsets and numbers as addresses."""
    words, offsets, grams = state["words"], state["word_offsets"], state["grams"]
    width, n_terms = state["width"], len(state["document_frequency"])
    types = (words, "uint8"), (offsets, "int64"), (grams, "int32")
    fits = (
        all(array.dtype == dtype and array.ndim == 1 for array, dtype in types)
        and len(state["term_frequency"]) == n_terms
        and offsets[0] == 0
        and offsets[-1] == len(words)
        and bool((offsets[1:] >= offsets[:-1]).all())
    )
    n_words = len(offsets) - 1
    if width == 1:
        return fits and n_terms == n_words
    fits = fits and len(grams) == prod((n_terms, width))
    return fits and bool(((grams >= -1) & (grams < n_words)).all())


def _topics_fit(state: Mapping[str, Any]) -> bool:
    """Say whether topics have as many words as documents may have: kernels look them up."""
    if "components_" not in state:
        return True
    topics, width, vectorizer = state["components_"], state["n_features_in_"], state["vectorizer_"]
    return bool(
        topics.ndim == 2
        and topics.shape == (len(state["alpha_"]), width)
        and topics.dtype.kind == "f"
        and state["alpha_"].ndim == 1
        and (vectorizer is None or _n_terms(vectorizer) == width)
    )


def _n_terms(vectorizer: Any) -> int:
    """Return how many terms a vectorizer has that is not made yet."""
    terms = vectorizer.state["_vocabulary"].state["terms"]
    return len(terms.state["document_frequency"])


def _encoder_fits(state: Mapping[str, Any]) -> bool:
    """Say whether a table encoder knows as much of every column, and of nothing else."""
    if "kinds_" not in state:
        return True
    n, kinds, categories = state["n_features_in_"], state["kinds_"], state["categories_"]
    lists = (kinds, categories, state["has_other_"], state["has_missing_"])
    numbers = (state["median_"], state["mean_"], state["scale_"])
    names = state.get("feature_names_in_")
    return bool(
        all(isinstance(part, list) and len(part) == n for part in lists)
        and all(kind in ("number", "category") for kind in kinds)
        and all(isinstance(part, list) for part in categories)
        and all(isinstance(one, str) for part in categories for one in part)
        and all(isinstance(flag, bool) for part in lists[2:] for flag in part)
        and all(part.dtype == "float64" and part.shape == (n,) for part in numbers)
        and (names is None or names.shape == (n,))
    )


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
_SPLITS = {"saving": Saving(is_setting=True)}
_LOSS = Saving(left_out=("_loss_function_",))  # made again by every fit and used by nothing else
_ADDRESSES = Saving(
    refused="predicts in C with arrays of the model as addresses: a forged file could reach any "
    "memory"
)
_TOPICS = Saving(
    left_out=("_chains", "_interrupted_fit"),  # samplers that live in compiled memory
    bulky=("topic_assignments_",),  # one number for each token of the training documents
    at_rest=_not_sampling,
    fits=_topics_fit,
    what="a topic model",
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
    "model_selection.BaseCrossValidator": _SPLITS,
    "model_selection.BaseShuffleSplit": _SPLITS,
    "model_selection._RepeatedSplits": _SPLITS,
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
    "svm.SVC": {"evidence": "machine", "saving": _ADDRESSES},
    "svm.NuSVC": {"evidence": "machine", "saving": _ADDRESSES},
    "svm.SVR": {"evidence": "machine", "saving": _ADDRESSES},
    "svm.NuSVR": {"evidence": "machine", "saving": _ADDRESSES},
    "svm.OneClassSVM": {"saving": _ADDRESSES},
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
    "feature_extraction.table.TableEncoder": {
        "reads": "table",
        "saving": Saving(fits=_encoder_fits, what="a table encoder"),
    },
    "feature_extraction.text.TermMapping": {"saving": Saving(plain=dict)},
    "feature_extraction.text.NativeTerms": {
        "saving": Saving(fits=_terms_fit, what="a vocabulary"),
    },
    "naive_bayes.MultinomialNB": _COUNTS,
    "naive_bayes.ComplementNB": _COUNTS,
    "naive_bayes.BernoulliNB": _COUNTS,
    "naive_bayes.MixedNB": {"reads": "table"},
    "multiclass.OneVsAllClassifier": {"evidence": None, "card": None},
    "linear_model.LogisticRegression": {"penalty": "C"},
    "linear_model.LogisticRegressionCV": {"penalty": ""},
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
    "svm.SVC": {"saving": Saving()},
    "svm.SVR": {"saving": Saving()},
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
