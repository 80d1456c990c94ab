"""The best of rows and columns, tile by tile, against sorting."""

import numpy as np
import pytest
from tests.reference.neighbors import tile_top_k as reference

from quire import _core

NOTHING = np.empty(0, dtype=np.float32)


def fresh(n, k):
    return np.full((n, k), -np.inf, np.float32), np.full((n, k), -1, np.int64)


@pytest.mark.parametrize("shape", [(1, 1), (5, 15), (17, 16), (40, 100), (33, 1500)])
@pytest.mark.parametrize("k", [1, 3, 12])
@pytest.mark.parametrize("penalised", [False, True])
@pytest.mark.parametrize("n_threads", [1, 3])
def test_two_tiles(shape, k, penalised, n_threads):
    rng = np.random.default_rng(k)
    # Few distinct values, so that there are ties.
    tiles = [rng.integers(0, 9, shape).astype(np.float32) for _ in range(2)]
    penalty = rng.integers(0, 3, shape[1]).astype(np.float32) if penalised else NOTHING
    best, ids = fresh(shape[0], k)
    twin_best, twin_ids = fresh(shape[0], k)
    columns, rows = fresh(shape[1], k)
    twin_columns, twin_rows = fresh(shape[1], k)
    for number, tile in enumerate(tiles):
        first = number * shape[1]
        _core.neighbors.tile_top_k(tile, first, penalty, best, ids, n_threads)
        twin_best, twin_ids = reference.tile_top_k(tile, first, penalty, twin_best, twin_ids)
    for number in (1, 0):  # of columns tiles may come in any order
        first = number * shape[0]
        _core.neighbors.tile_top_k_columns(tiles[number], first, columns, rows, n_threads)
        twin_columns, twin_rows = reference.tile_top_k_columns(
            tiles[number], first, twin_columns, twin_rows
        )
    np.testing.assert_array_equal(best, twin_best)
    np.testing.assert_array_equal(ids, twin_ids)
    np.testing.assert_array_equal(columns, twin_columns)
    there = np.isfinite(columns)
    np.testing.assert_array_equal(rows[there], twin_rows[there])


@pytest.mark.parametrize("level", ["portable", "avx2"])
def test_every_instruction_set(level):
    tile = np.random.default_rng(0).normal(size=(50, 333)).astype(np.float32)
    results = []
    before = _core.base.simd_level()
    for name in (before, level):
        if name not in ("portable", before) and before == "portable":
            continue
        best, ids = fresh(50, 4)
        columns, rows = fresh(333, 4)
        try:
            _core.base.set_simd_level(name)
            _core.neighbors.tile_top_k(tile, 0, NOTHING, best, ids)
            _core.neighbors.tile_top_k_columns(tile, 0, columns, rows)
        finally:
            _core.base.set_simd_level(before)
        results.append((best, ids, columns, rows))
    for a, b in zip(results[0], results[-1], strict=True):
        np.testing.assert_array_equal(a, b)


def test_sizes_that_do_not_fit():
    tile = np.ones((3, 4), np.float32)
    best, ids = fresh(2, 2)
    with pytest.raises(ValueError, match="n_rows"):
        _core.neighbors.tile_top_k(tile, 0, NOTHING, best, ids)
    with pytest.raises(ValueError, match="n_cols"):
        _core.neighbors.tile_top_k_columns(tile, 0, best, ids)
