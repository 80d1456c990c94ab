"""Projections out of a basis against two products."""

import numpy as np
import pytest
from tests.reference.linear import block_project as reference

from quire import _core


@pytest.mark.parametrize("n_rows", [1, 7, 8, 513, 1500])
@pytest.mark.parametrize("n_used", [0, 1, 30])
@pytest.mark.parametrize("width", [8, 16, 24])
def test_agrees_with_two_products(n_rows, n_used, width):
    rng = np.random.default_rng(n_rows + width)
    Q, Z = rng.normal(size=(n_rows, 33)), rng.normal(size=(n_rows, width))
    ours, twin = _core.linear.block_project(Q, n_used, Z), reference.block_project(Q, n_used, Z)
    for a, b in zip(ours, twin, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9 * max(n_rows, 1))


def test_same_bits_for_threads_and_instructions():
    rng = np.random.default_rng(0)
    Q, Z = rng.normal(size=(3000, 50)), rng.normal(size=(3000, 16))
    expected = _core.linear.block_project(Q, 41, Z, 1)
    level = _core.base.simd_level()
    try:
        for name in ("portable", "avx2", "avx512"):
            if name in ("portable", _core.base.simd_supported()):
                _core.base.set_simd_level(name)
                for n_threads in (1, 2, 5):
                    for a, b in zip(
                        _core.linear.block_project(Q, 41, Z, n_threads), expected, strict=True
                    ):
                        np.testing.assert_array_equal(a, b)
    finally:
        _core.base.set_simd_level(level)


@pytest.mark.parametrize(("n_used", "width"), [(4, 8), (2, 3)])
def test_sizes_that_do_not_fit(n_used, width):
    with pytest.raises(ValueError, match="must"):
        _core.linear.block_project(np.ones((5, 3)), n_used, np.ones((5, width)))
