"""The table of stand-ins: ``python -m tests.helpers.stand_ins`` makes it from the classes."""

import inspect
import json
import sys
from functools import cached_property
from importlib import import_module
from numbers import Integral, Real
from pathlib import Path

import numpy as np
from sklearn.utils import _param_validation as validation

from quire._shared.class_names import public_name
from quire.kinds import _stand_ins

PATH = Path(_stand_ins.__file__).with_name("_stand_ins.json")

# The classes of which a model that can be scored from its file may have objects.
SERVED = {
    "quire.calibration": "CalibratedClassifier",
    "quire.discriminant_analysis": "LinearDiscriminantAnalysis",
    "quire.ensemble": "AveragedClassifier",
    "quire.feature_extraction.select": "SelectTerms",
    "quire.feature_extraction.text": (
        "BM25Transformer BM25Vectorizer ClassCounts CountVectorizer HashingVectorizer "
        "TfidfTransformer TfidfVectorizer"
    ),
    "quire.linear_model": (
        "LeastSquaresClassifier LogisticRegression LogisticRegressionCV NBLogistic"
    ),
    "quire.model_selection": "ThresholdClassifier",
    "quire.naive_bayes": "BernoulliNB ComplementNB MultinomialNB",
    "quire.naive_bayes._bernoulli": "_Presence",  # what a saved BernoulliNB keeps for itself
    "quire.svm": "LinearSVC NBSVM",
    "sklearn.pipeline": "FeatureUnion Pipeline",
}


def served():
    return [
        getattr(import_module(module), name)
        for module, names in SERVED.items()
        for name in names.split()
    ]


def table():
    """Return what the file must have."""
    found = {}
    for cls in served():
        for base in cls.__mro__[:-1]:
            found.setdefault(key(base), facts(base))
        found[key(cls)] |= of_objects(cls)
    return dict(sorted(found.items()))


def key(cls):
    return f"{cls.__module__}:{cls.__qualname__}"


def facts(cls):
    states = {}
    for name, value in vars(cls).items():
        if not (name.startswith("__") and name.endswith("__")):
            if name in ("_parameter_constraints", "_get_param_names"):
                kind = "value" if name == "_parameter_constraints" else "method"
            elif hasattr(type(value), "__set__"):
                kind = "property"
            elif isinstance(value, cached_property):
                kind = "cached"
            else:
                kind = "method" if inspect.isroutine(value) else "value"
            states.setdefault(kind, []).append(name)
    return {
        "bases": [key(base) for base in cls.__bases__],
        "states": {kind: sorted(names) for kind, names in sorted(states.items())},
    }


def of_objects(cls):
    more = {"public": public_name(cls)}
    parameters = inspect.signature(cls).parameters.values()
    more["parameters"] = [
        [one.name] + ([] if one.default is one.empty else [written(one.default)])
        for one in parameters
    ]
    if hasattr(cls, "_get_param_names"):
        more["names"] = list(cls._get_param_names())
    if hasattr(cls, "_parameter_constraints"):
        more["constraints"] = {
            name: stated if isinstance(stated, str) else [constraint(one) for one in stated]
            for name, stated in cls._parameter_constraints.items()
        }
    if hasattr(cls, "__dataclass_fields__"):
        more["fields"] = sorted(cls.__dataclass_fields__)
    return more


def written(default):
    if isinstance(default, tuple):
        return {"tuple": [written(one) for one in default]}
    if isinstance(default, type):
        return {"dtype": np.dtype(default).name}
    assert default is None or isinstance(default, bool | int | float | str), default
    return default


def constraint(one):
    """Return one constraint of scikit-learn's as a list."""
    if isinstance(one, validation.Hidden):
        return constraint(one.constraint)
    if one is None:
        return ["none"]
    if one is callable:
        return ["callable"]
    if isinstance(one, str):
        return [one]
    if isinstance(one, validation.StrOptions):
        return ["options", *sorted(one.options)]
    if isinstance(one, validation.HasMethods):
        return ["methods", *one.methods]
    if isinstance(one, validation.Interval):
        kinds = {Integral: "integral", Real: "real", validation.RealNotInt: "float"}
        right = "inf" if one.right == np.inf else one.right
        return ["interval", kinds[one.type], one.left, right, one.closed]
    assert isinstance(one, type), one
    return ["type", one.__name__]


def text():
    return json.dumps(table(), indent=1, allow_nan=False) + "\n"


if __name__ == "__main__":
    sys.stdout.write(f"{PATH}\n")
    PATH.write_text(text())
