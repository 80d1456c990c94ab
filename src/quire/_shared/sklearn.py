"""The one door to scikit-learn's private names.

scikit-learn gives no promise about names with an underscore, or in modules with one. quire needs
some of them to behave as its classes do, so they are all listed here, and offered without the
underscore. Nothing else in quire imports a private name of scikit-learn (a test holds that), and
``pyproject.toml`` admits only the minor versions of scikit-learn that this list was tested with. A
name is looked up when it is first asked for: a model of counts does not load the code of trees.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

_NAMES = {
    "sklearn.base": "_fit_context",
    "sklearn.cluster._k_means_common": "_is_same_clustering",
    "sklearn.decomposition._pca": "_infer_dimension",
    "sklearn.discriminant_analysis": "_class_cov",
    "sklearn.ensemble._base": "_BaseHeterogeneousEnsemble",
    "sklearn.ensemble._forest": "_generate_unsampled_indices",
    "sklearn.linear_model._base": "LinearClassifierMixin _pre_fit _preprocess_data",
    "sklearn.linear_model._coordinate_descent": "_alpha_grid",
    "sklearn.linear_model._logistic": "_check_solver",
    "sklearn.linear_model._ridge": "_RidgeGCV",
    "sklearn.mixture._gaussian_mixture": (
        "_compute_log_det_cholesky _compute_precision_cholesky "
        "_compute_precision_cholesky_from_precisions"
    ),
    "sklearn.naive_bayes": "_BaseDiscreteNB",
    "sklearn.svm._base": "_get_liblinear_solver_type",
    "sklearn.svm._classes": "_validate_dual_parameter",
    "sklearn.tree._criterion": "Criterion",
    "sklearn.tree._splitter": "Splitter",
    "sklearn.tree._tree": "NODE_DTYPE Tree",
    "sklearn.utils": "_safe_indexing",
    "sklearn.utils._array_api": "check_same_namespace get_namespace _is_numpy_namespace",
    "sklearn.utils._indexing": "_get_column_indices",
    "sklearn.utils._param_validation": (
        "HasMethods Hidden Interval RealNotInt StrOptions _InstancesOf make_constraint "
        "validate_parameter_constraints validate_params"
    ),
    "sklearn.utils._sparse": "_align_api_if_sparse",
    "sklearn.utils.metadata_routing": "_manual_routing _raise_for_params _routing_enabled",
    "sklearn.utils.metaestimators": "_BaseComposition",
    "sklearn.utils.multiclass": "_check_partial_fit_first_call _ovr_decision_function",
    "sklearn.utils.parallel": "_get_threadpool_controller _threadpool_controller_decorator",
    "sklearn.utils.validation": (
        "_check_feature_names _check_method_params _check_n_features _check_sample_weight "
        "_check_y _get_feature_names _is_arraylike_not_scalar _num_features"
    ),
}
_HOMES = {
    name.lstrip("_"): (module, name) for module, names in _NAMES.items() for name in names.split()
}


@cache
def english_stop_words() -> frozenset[str]:
    """Return scikit-learn's list of English stop words, without importing scikit-learn for it.

    The list stands in a file of its own, in which there is nothing else.
    """
    package = find_spec("sklearn")
    if "sklearn.feature_extraction.text" not in sys.modules and package and package.origin:
        path = Path(package.origin).parent / "feature_extraction" / "_stop_words.py"
        spec = spec_from_file_location("quire._shared.english_stop_words", path)
        if path.is_file() and spec is not None and spec.loader is not None:
            listed = module_from_spec(spec)
            spec.loader.exec_module(listed)
            return frozenset(listed.ENGLISH_STOP_WORDS)
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return frozenset(ENGLISH_STOP_WORDS)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, private = _HOMES[name]
    value = getattr(import_module(module), private)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
