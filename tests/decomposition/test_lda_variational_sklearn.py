"""scikit-learn's own tests of latent Dirichlet allocation, with our class."""

from tests.helpers.sklearn_suite import run_scikit_learns_tests

CONFTEST = """
import numpy
import pytest

@pytest.fixture(params=["float32", "float64"])
def global_dtype(request):
    return numpy.dtype(request.param).type

@pytest.fixture(params=[0, 42])
def global_random_seed(request):
    return request.param
"""


def test_scikit_learns_tests_pass_with_our_class(tmp_path):
    old = "from sklearn.decomposition import LatentDirichletAllocation"
    new = (
        "from quire.decomposition._lda_variational import VariationalLDA\n\n"
        "class LatentDirichletAllocation(VariationalLDA):\n"
        "    pass\n"
    )
    run_scikit_learns_tests(
        "sklearn.decomposition.tests", "test_online_lda.py", {old: new}, tmp_path, CONFTEST
    )
