"""scikit-learn's models whose state is numbers that NumPy reads, or whose kernels get sound ones.

What is not here keeps trees of pointers, compiled objects or addresses: trees and forests,
boosting, neighbours, machines with kernels, generalised linear models, clusters that are trees.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from quire.kinds._language import Mismatch, Spec
from quire.kinds._schema import Schema
from quire.kinds._schemas._common import of_columns, rows_of_classes
from quire.kinds._schemas._linear import ADDED, COUNTS, OF_CLASSES, of_targets
from quire.kinds._schemas._linear import TABLE as LINEAR
from quire.kinds._schemas._naive_bayes import TABLES, as_many_categories, tables_fit
from quire.kinds._schemas._spaces import (
    BATCHES,
    CENTRES,
    COMPONENTS,
    DISCRIMINANT,
    GAUSSIANS,
    PRINCIPAL,
    no_more_axes_than_classes,
)

__all__ = ["TABLE"]


def _topics_fit(state: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    for name in ("components_", "exp_dirichlet_component_"):
        if not np.isfinite(state[name]).all():
            raise Mismatch(f"{name} has values that are no numbers")


_COUNTS: dict[str, Spec] = {
    "classes_": "label[K]",
    "class_count_": "float[K]",
    "feature_count_": "number[K, P]",
    "feature_log_prob_": "float[K, P]",
    "class_log_prior_": "float[K]",
    "feature_all_?": "float[P]",
}
_DESCENT: dict[str, Spec] = {  # parameters of a common base that the class itself fixes
    "loss?": "str",
    "penalty?": "str | none",
    "learning_rate?": "str",
    "epsilon?": "float",
    "alpha?": "float",
    "l1_ratio?": "float",
    "eta0?": "float",
    "power_t?": "float",
    "average?": "bool | int",
    "early_stopping?": "bool",
    "validation_fraction?": "float",
    "n_iter_no_change?": "int",
    "t_?": "float",
    "n_iter_?": "int",
}
_STOCHASTIC_CLASSES: dict[str, Spec] = {
    **_DESCENT,
    **OF_CLASSES,
    "_expanded_class_weight?": "float64[K]",
    "_standard_coef?": "float[R, P] | float[P]",
    "_average_coef?": "float[R, P] | float[P] | none",
    "_standard_intercept?": "float[R] | float[1]",
    "_average_intercept?": "float[R] | float[1] | none",
}
_STOCHASTIC: dict[str, Spec] = {
    **_DESCENT,
    "coef_": "float[P]",
    "_standard_coef?": "float[P]",
    "_average_coef?": "float[P] | none",
    "_standard_intercept?": "float[1]",
    "_average_intercept?": "float[1] | none",
}
_ANGLES: dict[str, Spec] = {
    "n_iter_": COUNTS,
    "n_nonzero_coefs?": "int",
    "fit_path?": "bool",
    "jitter?": "none",
    "random_state?": "none",
    "alpha_?": "float",
    "alphas_?": "float[_] | list of float[_]",
    "active_?": "list of (int | list of int)",
    "coef_path_?": "float[P, _] | list of float[P, _]",
    "cv_alphas_?": "float[_]",
    "mse_path_?": "float[_, _]",
    "method?": "str",
    "noise_variance_?": "float",
    "criterion_?": "float[_]",
}
_MULTI_TASK: dict[str, Spec] = {
    "coef_": "float[R, P]",
    "intercept_": ADDED,
    "dual_gap_": "float",
    "n_iter_": "int",
    "eps_?": "float",
    "l1_ratio?": "float",
    "precompute?": "str | bool",
    "positive?": "bool",
    "mse_path_?": "float[...]",
    "l1_ratio_?": "float",
    "alpha_?": "float",
    "alphas_?": "float[...]",
}
_BAYESIAN: dict[str, Spec] = {
    "coef_": "float[P]",
    "intercept_": "float",
    "X_offset_": "float[P]",
    "X_scale_": "float[P]",
    "scores_": "list of float | float[_]",
    "n_iter_": "int",
    "alpha_": "float",
    "lambda_": "float | float[P]",
    "sigma_": "float[_, _]",
}
_RIDGE_CLASSES: dict[str, Spec] = {
    "_label_binarizer": "LabelBinarizer",
    "classes_?": "label[_]",
    "coef_": "float[P] | float[R, P]",
    "intercept_": ADDED,
    "n_iter_?": COUNTS,
    "solver_?": "str",
    "gcv_mode?": "str | none",
    "alpha_per_target?": "bool",
    "alpha_?": "float",
    "best_score_?": "float",
    "cv_results_?": "float[...]",
}
_COVARIANCE: dict[str, Spec] = {
    "location_": "float[P]",
    "covariance_": "float[P, P]",
    "precision_?": "float[P, P] | none",
    "shrinkage_?": "float",
    "store_precision?": "bool",
    "costs_?": "list of tuple of float",
    "n_iter_?": "int",
    "alpha_?": "float",
    "cv_results_?": "dict of str to float[_]",
    "raw_location_?": "float[P]",
    "raw_covariance_?": "float[P, P]",
    "raw_support_?": "bool[_]",
    "support_?": "bool[_]",
    "dist_?": "float[_]",
    "offset_?": "float",
}
_PARTIAL_LEAST: dict[str, Spec] = {
    "deflation_mode?": "str",
    "mode?": "str",
    "algorithm?": "str",
    "_predict_1d?": "bool",
    "_norm_y_weights?": "bool",
    "_x_mean": "float[P]",
    "_y_mean": "float[T]",
    "_x_std": "float[P]",
    "_y_std": "float[T]",
    "x_weights_": "float[P, D]",
    "y_weights_": "float[T, D]",
    "_x_scores?": "float[_, D]",
    "_y_scores?": "float[_, D]",
    "x_scores_?": "float[_, D]",
    "y_scores_?": "float[_, D]",
    "x_loadings_?": "float[P, D]",
    "y_loadings_?": "float[T, D]",
    "n_iter_?": "list of int",
    "x_rotations_?": "float[P, D]",
    "y_rotations_?": "float[T, D]",
    "coef_?": "float[T, P]",
    "intercept_?": "float[T]",
    "_n_features_out?": "int = D",
}
_FACTORS: dict[str, Spec] = {
    "_n_components": "int = D",
    "_beta_loss": "float",
    "reconstruction_err_?": "float",
    "n_components_": "int = D",
    "components_": "float[D, P] finite",
    "n_iter_?": "int",
    "n_steps_?": "int",
    "_batch_size?": "int",
    "_rho?": "float",
    "_gamma?": "float",
    "_transform_max_iter?": "int",
    "_components_numerator?": "float[D, P]",
    "_components_denominator?": "float[D, P]",
    "_ewa_cost?": "float | none",
    "_ewa_cost_min?": "float | none",
    "_no_improvement?": "int",
}
_DICTIONARY: dict[str, Spec] = {
    "components_": "float[D, P] finite",
    "mean_?": "float[P]",
    "n_components_?": "int = D",
    "error_?": "list of float",
    "n_iter_?": "float",
}
_SAMPLED: dict[str, Spec] = {
    "_gamma?": "float",
    "random_weights_": "float[P, D]",
    "random_offset_": "float[D]",
    "_n_features_out?": "int = D",
}
_BAYESIAN_GAUSSIANS: dict[str, Spec] = {
    **GAUSSIANS,
    "lower_bound_": "float | float[1]",
    "lower_bounds_?": "list of (float | float[1])",
    "weight_concentration_prior_": "float",
    "mean_precision_prior_": "float",
    "mean_prior_": "float[P]",
    "degrees_of_freedom_prior_": "float",
    "covariance_prior_": "float | float[P] | float[P, P]",
    "weight_concentration_": "tuple of float[_] | float[D]",
    "mean_precision_": "float[D]",
    "degrees_of_freedom_": "float | float[D]",
}
_DUMMY_CLASSES = "label[_] | list[O] of label[_]"
_MERGED: dict[str, Spec] = {
    "children_?": "int[_, 2]",
    "distances_?": "float[_]",
    "n_connected_components_?": "int",
    "n_leaves_?": "int",
    "n_clusters_?": "int",
}

TABLE: dict[str, Schema] = {
    # linear models
    **{
        f"linear_model.{name}": LINEAR[f"linear_model.{name}"]
        for name in (
            "ElasticNet",
            "ElasticNetCV",
            "Lasso",
            "LassoCV",
            "LinearRegression",
            "LogisticRegression",
            "LogisticRegressionCV",
            "Ridge",
            "RidgeCV",
        )
    },
    **{
        f"linear_model.{name}": of_columns(_STOCHASTIC_CLASSES, rows_of_classes)
        for name in ("PassiveAggressiveClassifier", "Perceptron", "SGDClassifier")
    },
    **{
        f"linear_model.{name}": of_columns({**_STOCHASTIC, "intercept_": "float[1]"})
        for name in ("PassiveAggressiveRegressor", "SGDRegressor")
    },
    "linear_model.SGDOneClassSVM": of_columns({**_STOCHASTIC, "offset_": "float[1]"}),
    **{
        f"linear_model.{name}": of_targets(_ANGLES)
        for name in ("Lars", "LarsCV", "LassoLars", "LassoLarsCV", "LassoLarsIC")
    },
    **{
        f"linear_model.{name}": of_columns(_MULTI_TASK)
        for name in (
            "MultiTaskElasticNet",
            "MultiTaskElasticNetCV",
            "MultiTaskLasso",
            "MultiTaskLassoCV",
        )
    },
    **{
        f"linear_model.{name}": of_targets({"n_nonzero_coefs_": "int | none", "n_iter_": COUNTS})
        for name in ("OrthogonalMatchingPursuit", "OrthogonalMatchingPursuitCV")
    },
    "linear_model.ARDRegression": of_columns(_BAYESIAN),
    "linear_model.BayesianRidge": of_columns(_BAYESIAN),
    "linear_model.HuberRegressor": of_targets(
        {"n_iter_": "int", "scale_": "float", "outliers_": "bool[_]"}
    ),
    "linear_model.QuantileRegressor": of_targets({"n_iter_": COUNTS}),
    "linear_model.TheilSenRegressor": of_targets(
        {"n_subpopulation_": "int", "breakdown_": "float", "n_iter_": "int"}
    ),
    "linear_model.RANSACRegressor": of_columns(
        {
            "estimator_": "estimator",
            "inlier_mask_": "bool[_]",
            "n_trials_": "int",
            "n_skips_no_inliers_?": "int",
            "n_skips_invalid_data_?": "int",
            "n_skips_invalid_model_?": "int",
        }
    ),
    "linear_model.RidgeClassifier": of_columns(_RIDGE_CLASSES),
    "linear_model.RidgeClassifierCV": of_columns(_RIDGE_CLASSES),
    "svm.LinearSVC": of_columns({**OF_CLASSES, "n_iter_": "int"}, rows_of_classes),
    "svm.LinearSVR": of_targets({"n_iter_": "int"}),
    # densities of classes
    "naive_bayes.BernoulliNB": of_columns(_COUNTS),
    "naive_bayes.ComplementNB": of_columns(_COUNTS),
    "naive_bayes.MultinomialNB": of_columns(_COUNTS),
    "naive_bayes.GaussianNB": of_columns(
        {
            "classes_": "label[K]",
            "epsilon_": "float",
            "theta_": "float[K, P]",
            "var_": "float[K, P]",
            "class_count_": "float[K]",
            "class_prior_": "float[K]",
        }
    ),
    "naive_bayes.CategoricalNB": of_columns(
        {
            **TABLES,
            "classes_": "label[K]",
            "class_count_": "float[K]",
            "n_categories_": "int[P]",
            "class_log_prior_": "float[K]",
        },
        tables_fit,
        as_many_categories,
    ),
    "discriminant_analysis.LinearDiscriminantAnalysis": of_columns(
        DISCRIMINANT, rows_of_classes, no_more_axes_than_classes
    ),
    "discriminant_analysis.QuadraticDiscriminantAnalysis": of_columns(
        {
            "classes_": "label[K]",
            "priors_": "float[K]",
            "means_": "float[K, P]",
            "covariance_?": "list[K] of float[P, P]",
            "scalings_": "list[K] of float[_]",
            "rotations_": "list[K] of float[P, _]",
        }
    ),
    "neighbors.NearestCentroid": of_columns(
        {
            "classes_": "label[K]",
            "class_prior_": "float[K]",
            "centroids_": "float[K, P]",
            "within_class_std_dev_?": "float[P]",
            "deviations_?": "float[K, P]",
        }
    ),
    "dummy.DummyClassifier": Schema(
        {
            "n_features_in_?": "int",
            "feature_names_in_?": "str[_]",
            "_strategy": "str",
            "sparse_output_": "bool",
            "n_outputs_": "int = O >= 1",
            "classes_": _DUMMY_CLASSES,
            "n_classes_": "int | list[O] of int",
            "class_prior_": "float[_] | list[O] of float[_]",
        },
        (lambda state, sizes: _dummy_classes(state),),
    ),
    "dummy.DummyRegressor": Schema(
        {
            "n_features_in_?": "int",
            "feature_names_in_?": "str[_]",
            "n_outputs_": "int = O >= 1",
            "constant_": "number[1, O]",
        }
    ),
    "kernel_ridge.KernelRidge": of_columns(
        {
            "dual_coef_": "float[N] | float[N, _]",
            "X_fit_": "number[N, P] | sparse number[N, P]",
        }
    ),
    "isotonic.IsotonicRegression": Schema(
        {
            "increasing_": "bool",
            "X_min_": "float",
            "X_max_": "float",
            "X_thresholds_": "float[N] finite sorted",
            "y_thresholds_": "float[N]",
        }
    ),
    # groups and densities
    "cluster.KMeans": of_columns(CENTRES),
    "cluster.MiniBatchKMeans": of_columns(BATCHES),
    "cluster.MeanShift": of_columns(
        {"cluster_centers_": "float[D, P]", "labels_": "int[_] >= -1 < D", "n_iter_": "int"}
    ),
    "cluster.AffinityPropagation": of_columns(
        {
            "affinity_matrix_?": "number[...] | sparse number[_, _]",
            "cluster_centers_indices_": "int[_] >= 0",
            "labels_": "int[_] >= -1",
            "n_iter_": "int",
            "cluster_centers_?": "number[_, P] | sparse number[_, P]",
        }
    ),
    "cluster.DBSCAN": of_columns(
        {
            "core_sample_indices_": "int[_] >= 0",
            "labels_": "int[_] >= -1",
            "components_": "number[_, P] | sparse number[_, P]",
        }
    ),
    "cluster.AgglomerativeClustering": of_columns({**_MERGED, "labels_": "int[_] >= 0"}),
    "cluster.FeatureAgglomeration": of_columns(
        {**_MERGED, "labels_": "int[P] >= 0 < D", "_n_features_out": "int = D"}
    ),
    "cluster.SpectralClustering": of_columns(
        {"affinity_matrix_": "number[N, N] | sparse number[N, N]", "labels_": "int[_] >= 0"}
    ),
    **{
        f"cluster.{name}": of_columns(
            {
                "row_labels_": "int[N] >= 0",
                "column_labels_": "int[P] >= 0",
                "rows_": "bool[D, N]",
                "columns_": "bool[D, P]",
            }
        )
        for name in ("SpectralBiclustering", "SpectralCoclustering")
    },
    "mixture.GaussianMixture": of_columns(GAUSSIANS),
    "mixture.BayesianGaussianMixture": of_columns(_BAYESIAN_GAUSSIANS),
    **{
        f"covariance.{name}": of_columns(_COVARIANCE)
        for name in (
            "EllipticEnvelope",
            "EmpiricalCovariance",
            "GraphicalLasso",
            "GraphicalLassoCV",
            "LedoitWolf",
            "MinCovDet",
            "OAS",
            "ShrunkCovariance",
        )
    },
    # components
    "decomposition.PCA": of_columns(PRINCIPAL),
    "decomposition.TruncatedSVD": of_columns(COMPONENTS),
    "decomposition.IncrementalPCA": of_columns(
        {
            **COMPONENTS,
            "n_samples_seen_": "float",
            "mean_": "float[P]",
            "var_": "float[P]",
            "noise_variance_": "float",
            "batch_size_?": "int",
            "n_components_": "int = D",
        }
    ),
    "decomposition.KernelPCA": of_columns(
        {
            "gamma_?": "float",
            "_centerer": "KernelCenterer",
            "eigenvalues_": "float[D]",
            "eigenvectors_": "float[N, D]",
            "X_fit_": "number[N, P] | sparse number[N, P]",
            "X_transformed_fit_?": "float[_, _]",
            "dual_coef_?": "float[_, _]",
        }
    ),
    "decomposition.FactorAnalysis": of_columns(
        {
            "mean_": "float[P]",
            "components_": "float[D, P]",
            "noise_variance_": "float[P]",
            "loglike_": "list of float",
            "n_iter_": "int",
        }
    ),
    "decomposition.FastICA": of_columns(
        {
            "n_iter_": "int",
            "components_": "float[D, P]",
            "mean_?": "float[P]",
            "whitening_?": "float[D, P]",
            "mixing_": "float[P, D]",
            "_unmixing": "float[D, _]",
        }
    ),
    "decomposition.NMF": of_columns(_FACTORS),
    "decomposition.MiniBatchNMF": of_columns(_FACTORS),
    "decomposition.DictionaryLearning": of_columns(_DICTIONARY),
    "decomposition.MiniBatchDictionaryLearning": of_columns(
        {
            **_DICTIONARY,
            "_n_components?": "int = D",
            "_fit_algorithm?": "str",
            "_batch_size?": "int",
            "_random_state?": "random",
            "_A?": "float[D, D]",
            "_B?": "float[P, D]",
            "_ewa_cost?": "float | none",
            "_ewa_cost_min?": "float | none",
            "_no_improvement?": "int",
            "n_steps_?": "int",
        }
    ),
    "decomposition.SparsePCA": of_columns(_DICTIONARY),
    "decomposition.MiniBatchSparsePCA": of_columns(_DICTIONARY),
    "decomposition.SparseCoder": of_columns({"n_components_?": "int"}),
    "decomposition.LatentDirichletAllocation": of_columns(
        {
            "random_state_?": "random",
            "n_batch_iter_?": "int",
            "n_iter_?": "int",
            "doc_topic_prior_": "float",
            "topic_word_prior_": "float",
            "components_": "float[D, P]",
            "exp_dirichlet_component_": "float[D, P]",
            "bound_?": "float",
        },
        _topics_fit,
    ),
    **{
        f"cross_decomposition.{name}": of_columns(_PARTIAL_LEAST)
        for name in ("CCA", "PLSCanonical", "PLSRegression", "PLSSVD")
    },
    "neighbors.NeighborhoodComponentsAnalysis": of_columns(
        {"components_": "float[D, P]", "n_iter_": "int", "random_state_?": "random"}
    ),
    "random_projection.GaussianRandomProjection": of_columns(
        {
            "n_components_": "int = D",
            "components_": "float[D, P]",
            "inverse_components_?": "float[P, D]",
            "_n_features_out": "int = D",
        }
    ),
    "random_projection.SparseRandomProjection": of_columns(
        {
            "n_components_": "int = D",
            "density_": "float",
            "components_": "float[D, P] | sparse float[D, P]",
            "inverse_components_?": "float[P, D]",
            "_n_features_out": "int = D",
        }
    ),
    # kernels as columns
    "kernel_approximation.AdditiveChi2Sampler": of_columns({"sample_interval_?": "float"}),
    "kernel_approximation.Nystroem": of_columns(
        {
            "normalization_": "float[D, D]",
            "components_": "number[D, P] | sparse number[D, P]",
            "component_indices_": "int[D] >= 0",
            "_n_features_out": "int = D",
        }
    ),
    "kernel_approximation.PolynomialCountSketch": of_columns(
        {
            "indexHash_": "int[_, _] >= 0 < D",
            "bitHash_": "int[_, _]",
            "_n_features_out": "int = D",
        }
    ),
    "kernel_approximation.RBFSampler": of_columns(_SAMPLED),
    "kernel_approximation.SkewedChi2Sampler": of_columns(_SAMPLED),
}


def _dummy_classes(state: Mapping[str, Any]) -> None:
    names = ("classes_", "n_classes_", "class_prior_")
    parts = [state[name] if isinstance(state[name], list) else [state[name]] for name in names]
    if not len(parts[0]) == len(parts[1]) == len(parts[2]) == state["n_outputs_"]:
        raise Mismatch("classes_ are not of n_outputs_ outputs")
    for classes, n_classes, prior in zip(*parts, strict=True):
        if not len(classes) == n_classes == len(prior):
            raise Mismatch(f"{len(classes)} classes are not {n_classes}, of {len(prior)} shares")
