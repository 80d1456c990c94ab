"""scikit-learn's own tests of PCA and of the truncated SVD, with our import."""

import pytest
from tests.helpers.sklearn_suite import run_scikit_learns_tests

CONFTEST = """
import numpy
import pytest

@pytest.fixture(params=[42])
def global_random_seed(request):
    return request.param

@pytest.fixture(params=["float32", "float64"])
def global_dtype(request):
    return numpy.dtype(request.param).type
"""


@pytest.mark.parametrize(
    ("file", "old"),
    [
        ("test_pca.py", "from sklearn.decomposition import PCA\n"),
        ("test_truncated_svd.py", "from sklearn.decomposition import PCA, TruncatedSVD\n"),
    ],
)
def test_scikit_learns_tests_pass_with_our_import(file, old, tmp_path):
    run_scikit_learns_tests("sklearn.decomposition.tests", file, old, tmp_path, CONFTEST)
