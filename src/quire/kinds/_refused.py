"""Classes of scikit-learn that are in no model file, and why."""

from __future__ import annotations

from quire._shared.class_names import public_name

__all__ = ["why_refused"]

_TREES = (
    "it keeps its trees in compiled objects, which trust what is in them. Use quire.tree or "
    "quire.ensemble, whose trees are checked"
)
_NEIGHBORS = (
    "it searches in C with arrays that nobody checks. Use quire.neighbors, which checks its own"
)
_MACHINES = (
    "it predicts in C with arrays of the model as addresses. Use quire.svm, which checks its own"
)
_LOSS = "it predicts with a loss that is a compiled object"
_OBJECTS = "it keeps a tree of objects that refer to one another"
_PICKLES = "it has a folder of pickles, which can run code"

_REASONS = {
    "sklearn.cluster.Birch": _OBJECTS,
    "sklearn.cluster.BisectingKMeans": _OBJECTS,
    "sklearn.cluster.HDBSCAN": _PICKLES,
    "sklearn.cluster.OPTICS": _PICKLES,
    "sklearn.ensemble.BaseForest": _TREES,
    "sklearn.ensemble.BaseGradientBoosting": _TREES,
    "sklearn.ensemble.BaseHistGradientBoosting": _TREES,
    "sklearn.ensemble.IsolationForest": _TREES,
    "sklearn.linear_model.GammaRegressor": _LOSS,
    "sklearn.linear_model.PoissonRegressor": _LOSS,
    "sklearn.linear_model.TweedieRegressor": _LOSS,
    "sklearn.neighbors.KernelDensity": _NEIGHBORS,
    "sklearn.neighbors.NeighborsBase": _NEIGHBORS,
    "sklearn.preprocessing.SplineTransformer": (
        "it keeps objects of SciPy. Use KBinsDiscretizer or PolynomialFeatures"
    ),
    "sklearn.svm.BaseLibSVM": _MACHINES,
    "sklearn.tree.BaseDecisionTree": _TREES,
}


def why_refused(cls: type) -> str:
    """Return why objects of a class are in no model file, and what to do; "" if nothing is known.

    Parameters
    ----------
    cls : type
        A class that is not on the list.
    """
    reasons = (_REASONS.get(public_name(base), "") for base in cls.__mro__)
    return next(filter(None, reasons), "")
