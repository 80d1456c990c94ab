"""What bad matrices and weights get from tf-idf: an error that names the thing."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse
from tests.helpers.text_peers import CORPUS

from quire.feature_extraction.text import (
    TfidfTransformer,
    TfidfVectorizer,
)


def test_a_matrix_with_another_number_of_columns():
    transformer = TfidfTransformer().fit([[1, 2], [0, 1]])
    with pytest.raises(ValueError, match="X has 3 features, but TfidfTransformer is expecting 2"):
        transformer.transform([[1, 2, 3]])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_matrix_that_is_not_finite(bad):
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        TfidfTransformer().fit([[1, bad]])
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        TfidfTransformer().fit([[1, 1]]).transform(sparse.csr_array([[1, bad]]))


@pytest.mark.parametrize("step", ["fit(bad)", "fit(good).transform(bad)"])
@pytest.mark.parametrize("column", [3, 1_000_000_000, -1])
def test_a_matrix_whose_columns_are_outside_is_refused(step, column):
    """In a process of its own, since reading past an array may end it."""
    code = f"""
import numpy as np
from scipy import sparse
from quire.feature_extraction.text import TfidfTransformer
good = sparse.csr_array(np.eye(3))
bad = good.copy()
bad.indices[1] = {column}
try:
    TfidfTransformer().{step}
except (ValueError, IndexError) as error:
    print("refused", error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith("refused"), (done.returncode, done.stderr)


def test_weights_of_the_wrong_length():
    vectorizer = TfidfVectorizer().fit(CORPUS)
    with pytest.raises(ValueError, match="idf length = 1 must be equal to vocabulary size = "):
        vectorizer.idf_ = [1.0]
    with pytest.raises(ValueError, match="cannot be set"):
        TfidfVectorizer(use_idf=False).idf_ = [1.0]


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_weights_that_are_not_finite_are_an_error_and_no_row_of_nan(value):
    vectorizer = TfidfVectorizer().fit(["aa bb cc", "dd cc"])
    vectorizer.idf_ = np.array([1.0, 1.0, value, 1.0])
    with pytest.raises(ValueError, match="are all numbers of idf_ finite"):
        vectorizer.transform(["aa cc"])
    transformer = TfidfTransformer().fit([[1, 2], [0, 3]])
    transformer.idf_ = np.array([value, 1.0])
    with pytest.raises(ValueError, match="are all numbers of idf_ finite"):
        transformer.transform([[1, 2], [0, 3]])
    assert np.isfinite(transformer.transform([[0, 2]]).toarray()).all()
