"""Clusters, mixtures, components, topics, discriminants, and maps from one space to another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quire.kinds._language import Mismatch, Spec
from quire.kinds._schema import Schema
from quire.kinds._schemas._common import of_columns, rows_of_classes, same_width

__all__ = [
    "BATCHES",
    "CENTRES",
    "COMPONENTS",
    "DISCRIMINANT",
    "GAUSSIANS",
    "PRINCIPAL",
    "TABLE",
    "no_more_axes_than_classes",
]


def _rows_of_words(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    index = state["_index"]
    if list(index) != state["words"] or list(index.values()) != list(range(sizes["N"])):
        raise Mismatch("_index does not have the row of each word")


CENTRES: dict[str, Spec] = {
    "_tol?": "float",
    "_n_init?": "int",
    "_algorithm?": "str",
    "_n_threads?": "int",
    "cluster_centers_": "float[D, P] finite",
    "_n_features_out?": "int = D",
    "labels_?": "int32[_] >= 0 < D",
    "inertia_?": "float",
    "n_iter_?": "int",
    "trace_?": {"inertia?": "float[_]", "shift?": "float[_]", "moved?": "int[_]"},
}
BATCHES: dict[str, Spec] = {
    **CENTRES,
    "_batch_size?": "int",
    "_init_size?": "int",
    "_counts?": "float[D]",
    "_lengths?": "float[D]",
    "_ewa_inertia?": "float | none",
    "_ewa_inertia_min?": "float | none",
    "_no_improvement?": "int",
    "_n_since_last_reassign?": "int",
    "_random_state?": "random",
    "n_steps_?": "int",
}
COMPONENTS: dict[str, Spec] = {
    "components_": "float[D, P] finite",
    "explained_variance_": "float[D]",
    "explained_variance_ratio_": "float[D]",
    "singular_values_": "float[D]",
}
PRINCIPAL: dict[str, Spec] = {
    **COMPONENTS,
    "_fit_svd_solver?": "str",
    "mean_": "float[P] finite",
    "noise_variance_": "float",
    "n_samples_": "int",
    "n_components_": "int = D",
}
GAUSSIANS: dict[str, Spec] = {
    "converged_": "bool",
    "weights_": "float[D] finite",
    "means_": "float[D, P] finite",
    "covariances_": "float[D, P, P] | float[D, P] | float[P, P] | float[D]",
    "precisions_cholesky_": "float[D, P, P] | float[D, P] | float[P, P] | float[D]",
    "precisions_?": "float[D, P, P] | float[D, P] | float[P, P] | float[D]",
    "n_iter_": "int",
    "lower_bound_": "float",
    "lower_bounds_?": "list of float",
    "warm_start_?": "bool",
}
DISCRIMINANT: dict[str, Spec] = {
    "classes_": "label[K]",
    "priors_": "float[K]",
    "means_": "float[K, P]",
    "covariance_?": "float[P, P]",
    "xbar_?": "float[P]",
    "scalings_?": "float[P, _]",
    "explained_variance_ratio_?": "float[_]",
    "coef_": "float[R, P] finite",
    "intercept_": "float[R] finite",
    "_max_components?": "int",
    "_n_features_out?": "int",
}
_STEPS = "records[_]"  # records of a trace
_TOPICS: dict[str, Spec] = {
    "vectorizer_": "estimator | none",
    "vocabulary_terms_": "label[P] | none",
    "_learning?": "tuple(str, bool) | str | tuple of plain",
    "_interrupted?": "bool",
    "components_": "float[D, P] finite >= 0",
    "_row_sums?": "float[D]",
    "_doc_topic_counts?": "sparse number[N, D]",
    "_theta?": "float[N, D]",
    "_lengths?": "number[N] >= 0",
    "alpha_": "float[D] finite > 0",
    "beta_": "float | float[P] | float[D, P]",
    "doc_topic_prior_": "float | float[D]",
    "topic_word_prior_": "float | float[P] | float[D, P]",
    "topic_assignments_?": "int[_] >= 0 < D",
    "theta_samples_?": "float[_, N, D] | none",
    "n_samples_?": "int",
    "n_iter_": "int",
    "n_batch_iter_?": "int",
    "converged_?": "bool",
    "log_likelihood_trace_?": _STEPS,
    "chain_traces_?": f"list of {_STEPS}",
    "r_hat_?": "float",
    "random_state_?": "random",
    "bound_?": "float",
    "exp_dirichlet_component_?": "float[D, P] finite",
    "doc_lengths_?": "number[N]",
}


def no_more_axes_than_classes(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    """Discriminants have no more axes than columns, and fewer than classes."""
    most = min(sizes["P"], max(sizes["K"] - 1, 0))
    for name in ("_max_components", "_n_features_out"):
        if not 0 <= state.get(name, 0) <= most:
            raise Mismatch(f"{name} is {state[name]}, and there can be {most} axes")


TABLE: dict[str, Schema] = {
    "cluster.KMeans": of_columns(CENTRES),
    "cluster.MiniBatchKMeans": of_columns(BATCHES),
    "mixture.GaussianMixture": of_columns(GAUSSIANS),
    "decomposition.PCA": of_columns(PRINCIPAL),
    "decomposition.TruncatedSVD": of_columns(COMPONENTS),
    "decomposition.LatentDirichletAllocation": of_columns(_TOPICS, same_width("vectorizer_")),
    "discriminant_analysis.LinearDiscriminantAnalysis": of_columns(
        DISCRIMINANT, rows_of_classes, no_more_axes_than_classes
    ),
    "alignment.WordVectors": Schema(
        {
            "words": "list[N] of str",
            "vectors": "float[N, D] finite",
            "_index": "dict of str to int",
        },
        (_rows_of_words,),
    ),
    "alignment.VectorMap": of_columns(
        {
            "source_?": "WordVectors",
            "target_?": "WordVectors",
            "source_mean_": "float[P] | none",
            "target_mean_": "float[D] | none",
            "_hub_scores": "float[_] | none",
            "n_iter_": "int",
            "R_": "float[P, D] finite",
            "loss_": "float",
            "losses_?": "float[_] | list of float",
            "alpha_?": "float",
            "left_out_errors_?": "float[_]",
            "dictionary_sizes_?": "list of int",
        }
    ),
}
