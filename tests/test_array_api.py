"""Estimators that claim other arrays than NumPy's: scikit-learn's check with array-api-strict.

In a process of its own: SciPy decides about other arrays when it is imported.
"""

import json
import os
import subprocess
import sys

PROGRAM = """
import importlib, inspect, json, pkgutil, warnings
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_array_api_input, check_array_api_input_and_values
import quire
from quire.decomposition import PCA
from quire.linear_model import LogisticRegression, Ridge, RidgeCV
from quire.mixture import GaussianMixture
from quire.discriminant_analysis import LinearDiscriminantAnalysis
from quire.naive_bayes import GaussianNB

MODELS = {
    GaussianMixture: [
        GaussianMixture(init_params="random", covariance_type=kind, reg_covar=reg)
        for kind, reg in [("full", 1e-6), ("tied", 1.0), ("diag", 1e-6), ("spherical", 1e-6)]
    ],
    GaussianNB: [GaussianNB()],
    LinearDiscriminantAnalysis: [LinearDiscriminantAnalysis()],
    LogisticRegression: [LogisticRegression(tol=1e-9)],
    PCA: [PCA(n_components=2)],
    Ridge: [Ridge(solver="svd")],
    RidgeCV: [RidgeCV()],
}
claiming = set()
for module in pkgutil.walk_packages(quire.__path__, "quire."):
    if "._" in module.name or module.name.startswith("quire.cli"):
        continue
    public = importlib.import_module(module.name)
    for cls in map(vars(public).get, getattr(public, "__all__", ())):
        if inspect.isclass(cls) and issubclass(cls, BaseEstimator):
            try:
                model = MODELS.get(cls, [cls()])[0]
            except TypeError:
                continue
            if get_tags(model).array_api_support:
                claiming.add(cls.__name__)
done = []
warnings.simplefilter("ignore")
for cls, models in MODELS.items():
    for model in models:
        values = cls is not LogisticRegression  # scikit-learn's solver ends near another point
        check = check_array_api_input_and_values if values else check_array_api_input
        check(cls.__name__, model, "array_api_strict", dtype_name="float64")
        done.append(cls.__name__)
print(json.dumps([sorted(claiming), done]))
"""


def test_estimators_that_claim_other_arrays_take_them():
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    claiming, checked = json.loads(done.stdout)
    assert set(claiming) == set(checked)
    assert len(checked) == 10
