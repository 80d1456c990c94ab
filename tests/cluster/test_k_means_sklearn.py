"""scikit-learn's own tests of k-means, with our import."""

from tests.helpers.sklearn_suite import run_scikit_learns_tests

CONFTEST = """
import numpy as np
import pytest
import sklearn.cluster

import quire.cluster

# Functions that the module under test imports from the same place; they are not ours.
quire.cluster.k_means = sklearn.cluster.k_means
quire.cluster.kmeans_plusplus = sklearn.cluster.kmeans_plusplus

@pytest.fixture(params=["float32", "float64"])
def global_dtype(request):
    return np.dtype(request.param)

@pytest.fixture(params=[42])
def global_random_seed(request):
    return request.param
"""
# Functions, public and private, that stay scikit-learn's.
THEIRS = [
    "test_relocate_empty_clusters",
    "test_minibatch_update_consistency",
    "test_k_means_function",
    "test_euclidean_distance",
    "test_inertia",
    "test_kmeans_plusplus_.*",
    "test_is_same_clustering",
]


def test_scikit_learns_tests_pass_with_our_import(tmp_path):
    old = "from sklearn.cluster import KMeans, MiniBatchKMeans, k_means, kmeans_plusplus"
    run_scikit_learns_tests(
        "sklearn.cluster.tests", "test_k_means.py", old, tmp_path, CONFTEST, THEIRS
    )
