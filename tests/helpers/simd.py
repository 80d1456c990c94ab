"""Kernels for each instruction set."""

from collections.abc import Iterator
from contextlib import contextmanager

from quire import _core

SIMD_LEVELS = ["portable", "avx2", "avx512"]  # a level that the machine lacks means the best it has


@contextmanager
def simd(level: str) -> Iterator[None]:
    before = _core.base.simd_level()
    _core.base.set_simd_level(level)
    try:
        yield
    finally:
        _core.base.set_simd_level(before)
