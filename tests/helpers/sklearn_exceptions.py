"""scikit-learn's files of tests that run with our classes, and which tests are expected to fail.

The page docs/scikit-learn-tests.md shows these tables; `python -m tests.helpers.sklearn_table`
writes it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["SUITES", "Suite", "suites_of"]


@dataclass(frozen=True)
class Suite:
    """A file of scikit-learn's tests.

    Attributes
    ----------
    family : str
        Heading in the table of the docs.
    package, file : str
        Where it is.
    modules : tuple of str
        Modules of scikit-learn whose names are ours, as far as we have them.
    exceptions : mapping of str to str
        Patterns for the names of tests that fail, as a whole, with their parameters or without, and
        why.
    theirs : tuple of str
        Patterns for the names of tests that run none of our code.
    changes : mapping of str to str
        Other texts to replace, each found once.
    seeds : tuple of int
        The values of the fixture ``global_random_seed``.
    """

    family: str
    package: str
    file: str
    modules: tuple[str, ...]
    exceptions: Mapping[str, str] = field(default_factory=dict)
    theirs: tuple[str, ...] = ()
    changes: Mapping[str, str] = field(default_factory=dict)
    seeds: tuple[int, ...] = (42,)

    def __str__(self) -> str:
        return f"{self.family}-{self.file.removeprefix('test_').removesuffix('.py')}"


def suites_of(family: str) -> list[Suite]:
    """Return the files of a family."""
    return [suite for suite in SUITES if suite.family == family]


_OTHER_ENGINE = (
    "arrays of other libraries go to scikit-learn's own code, whose solver ends near another point "
    "within tol"
)
_DIGITS = (
    "log probabilities near 0 keep their digits with NumPy's arrays; scikit-learn's code, which "
    "takes those of other libraries, rounds them to 0"
)
_CALLBACKS = (
    "models with callbacks are fitted by scikit-learn's own lbfgs, and the test compares its "
    "iterates with ours"
)
_OUTPUTS = "compares trees of several outputs, which scikit-learn grows, with trees of one"
_TIES = "of equally good columns the tree takes the one that its random numbers put first"
_PRIORS = (
    "the default is Gibbs sampling with priors of its own, a better default that the API page "
    'states; with `learning_method="batch"` the test passes'
)

_LINEAR, _ENSEMBLE = "sklearn.linear_model", "sklearn.ensemble"

SUITES = [
    Suite(
        "text",
        "sklearn.feature_extraction.tests",
        "test_text.py",
        ("sklearn.feature_extraction.text",),
    ),
    Suite(
        "naive_bayes",
        "sklearn.tests",
        "test_naive_bayes.py",
        ("sklearn.naive_bayes",),
        {r"test_gnb_array_api_compliance\[array_api_strict-.*\]": _DIGITS},
        seeds=(0, 42),
    ),
    Suite(
        "linear",
        "sklearn.linear_model.tests",
        "test_base.py",
        (_LINEAR,),
    ),
    Suite("linear", "sklearn.linear_model.tests", "test_common.py", (_LINEAR, "sklearn.svm")),
    Suite(
        "linear",
        "sklearn.linear_model.tests",
        "test_coordinate_descent.py",
        (_LINEAR,),
        theirs=(  # models for several tasks, private solvers and helpers
            "test_set_order_dense",
            "test_set_order_sparse",
            "test_cython_solver_equivalence",
            "test_multi_task_lasso_.*",
            "test_multitask_enet_and_lasso_cv",
            "test_warm_start_multitask_lasso",
        ),
        changes={  # where LassoCV finds the model of its last fit
            '"sklearn.linear_model._coordinate_descent.Lasso"': (
                '"quire.linear_model._lasso_cv.Lasso"'
            ),
        },
    ),
    Suite("linear", "sklearn.linear_model.tests", "test_sparse_coordinate_descent.py", (_LINEAR,)),
    Suite(
        "linear",
        "sklearn.linear_model.tests",
        "test_logistic.py",
        (_LINEAR,),
        {
            "test_newton_cholesky_fallback_to_lbfgs": (
                "a singular Hessian is solved by least squares, so that there is no fallback to "
                "warn of"
            ),
            "test_liblinear_dual_random_state": "nothing is random here, so seeds change nothing",
            "test_logisticregression_warns_with_n_jobs": (
                "n_jobs has an effect here, and there is nothing to warn of"
            ),
            "test_logistic_regression_callback_fitted_estimator": _CALLBACKS,
            r"test_logistic_cv_multinomial_score\[neg_log_loss-.*\]": (
                "compares the minimum with scikit-learn's private lbfgs path at tol=1e-4"
            ),
            (
                r"test_logistic_regression_array_api_compliance\[array_api_strict-CPU_DEVICE-float64-"
                r"(None-False-.*|balanced-.*|dict-True-True)-False\]"
            ): _OTHER_ENGINE,
        },
        theirs=("test_logistic_regression_path_.*",),  # a private function
        changes={  # parameters go to a private function; those that are ours alone must not
            'for key in ["C", "n_jobs", "warm_start"]:': (
                'for key in ["C", "n_jobs", "warm_start", "keep_steps", "reference"]:'
            ),
        },
    ),
    Suite(
        "linear",
        "sklearn.linear_model.tests",
        "test_ridge.py",
        (_LINEAR,),
        # Classifiers, functions, private solvers; and leave-one-out on dense data, which `RidgeCV`
        # leaves to scikit-learn. The cases with sparse data run all of ours.
        theirs=(
            "test_primal_dual_relationship",
            "test_ridge_regression_convergence_fail",
            "test_X_CenterStackOp",
            "test_compute_gram",
            "test_compute_covariance",
            "test_check_gcv_mode_choice",
            "test_ridge_classifier_with_scoring",
            "test_ridge_regression_custom_scoring",
            "test_ridge_classifier_multilabel_array_api",
            "test_class_weights",
            "test_class_weight_vs_sample_weight",
            "test_class_weights_cv",
            "test_ridge_classifier_cv_store_cv_results",
            "test_ridge_regression_dtype_stability",
            "test_lbfgs_solver_consistency",
            r"test_ridge_gcv_vs_ridge_loo_cv\[.*-asarray-.*\]",
            r"test_ridge_gcv_sample_weights\[.*-asarray-.*\]",
        ),
    ),
    Suite(
        "discriminant",
        "sklearn.tests",
        "test_discriminant_analysis.py",
        ("sklearn.discriminant_analysis",),
        theirs=(".*qda.*",),  # the quadratic ones
        seeds=(0,),
    ),
    Suite(
        "svm",
        "sklearn.svm.tests",
        "test_svm.py",
        ("sklearn.svm",),
        {
            "test_svr_errors": (
                "a kernel function that returns the wrong shape is an error at fit already, not "
                "only at predict"
            ),
            "test_linear_svm_convergence_warnings": (
                "two steps of Newton's method are enough for these six points, where liblinear "
                "warns"
            ),
        },
    ),
    Suite("svm", "sklearn.svm.tests", "test_sparse.py", ("sklearn.svm",)),
    Suite(
        "svm",
        "sklearn.svm.tests",
        "test_bounds.py",
        ("sklearn.svm",),
        theirs=("test_newrand_.*",),  # the random numbers inside liblinear
    ),
    Suite(
        "neighbors",
        "sklearn.neighbors.tests",
        "test_neighbors.py",
        ("sklearn.neighbors",),
        # Models of a radius and graphs stay scikit-learn's; so does the search within a radius,
        # where one metric of each kind shows that our `fit` leaves what it needs.
        theirs=(
            "test_is_sorted_by_data",
            "test_sort_graph_by_row_values.*",
            "test_radius_neighbors_classifier.*",
            "test_RadiusNeighbors.*",
            "test_radius_neighbors_regressor",
            "test_radius_neighbors_predict_proba",
            "test_same_radius_neighbors_parallel",
            "test_kneighbors_graph(_sparse)?",
            "test_radius_neighbors_graph(_sparse)?",
            "test_include_self_neighbors_graph",
            "test_valid_metrics_has_no_duplicate",
            r"test_radius_neighbors_brute_backend\[(?!.*(cosine|euclidean|manhattan|minkowski)).*\]",
        ),
    ),
    Suite(
        "neighbors",
        "sklearn.neighbors.tests",
        "test_neighbors_pipeline.py",
        ("sklearn.neighbors",),
    ),
    Suite(
        "tree",
        "sklearn.tree.tests",
        "test_tree.py",
        ("sklearn.tree",),
        {
            "test_class_weights": _OUTPUTS,
            "test_huge_allocations": (
                "a limit on leaves reserves no memory here, so that a huge one is no error"
            ),
        },
    ),
    Suite(
        "tree",
        "sklearn.tree.tests",
        "test_monotonic_tree.py",
        ("sklearn.tree", _ENSEMBLE),
    ),
    Suite(
        "tree",
        "sklearn.tree.tests",
        "test_export.py",
        ("sklearn.tree",),
        {
            "test_graphviz_toy": _TIES,
            "test_plot_tree_entropy": _TIES,
            "test_plot_tree_gini": _TIES,
            "test_graphviz_feature_class_names_array_support": _TIES,
        },
    ),
    Suite("tree", "sklearn.tree.tests", "test_split.py", ("sklearn.tree",)),
    Suite(
        "ensemble",
        "sklearn.ensemble.tests",
        "test_forest.py",
        (_ENSEMBLE,),
        {
            "test_class_weights_forest": _OUTPUTS,
            "test_distribution": (
                "expects shares of 1,000 random trees as scikit-learn's random numbers give them"
            ),
        },
        theirs=(r"test_.*\[(.*-)?RandomTreesEmbedding(-.*)?\]", "test_random_hasher.*"),
    ),
    Suite("ensemble", "sklearn.ensemble.tests", "test_bagging.py", (_ENSEMBLE,)),
    Suite("ensemble", "sklearn.ensemble.tests", "test_common.py", (_ENSEMBLE,)),
    Suite("ensemble", "sklearn.ensemble.tests", "test_base.py", (_ENSEMBLE,)),
    Suite(
        "cluster",
        "sklearn.cluster.tests",
        "test_k_means.py",
        ("sklearn.cluster",),
        theirs=(  # functions, public and private
            "test_relocate_empty_clusters",
            "test_minibatch_update_consistency",
            "test_k_means_function",
            "test_euclidean_distance",
            "test_inertia",
            "test_kmeans_plusplus_.*",
            "test_is_same_clustering",
        ),
    ),
    Suite(
        "mixture",
        "sklearn.mixture.tests",
        "test_gaussian_mixture.py",
        ("sklearn.mixture",),
        {
            "test_gaussian_mixture_all_init_does_not_estimate_gaussian_parameters": (
                "counts the calls of a private function of scikit-learn"
            ),
        },
    ),
    Suite("mixture", "sklearn.mixture.tests", "test_mixture.py", ("sklearn.mixture",)),
    Suite(
        "decomposition", "sklearn.decomposition.tests", "test_pca.py", ("sklearn.decomposition",)
    ),
    Suite(
        "decomposition",
        "sklearn.decomposition.tests",
        "test_truncated_svd.py",
        ("sklearn.decomposition",),
    ),
    Suite(
        "lda",
        "sklearn.decomposition.tests",
        "test_online_lda.py",
        ("sklearn.decomposition",),
        {
            "test_lda_default_prior_params": _PRIORS,
        },
        seeds=(0, 42),
    ),
]
