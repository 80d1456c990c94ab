"""Pairs of word vectors of which one is the other turned, with some noise."""

import numpy as np

from quire.alignment import WordVectors

__all__ = ["maps"]


def maps(n=80, d=6, dimensions=6, noise=0.2):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    turn = np.linalg.qr(rng.normal(size=(max(d, dimensions),) * 2))[0][:d, :dimensions]
    source = WordVectors([f"s<{i}>" for i in range(n)], X)
    target = WordVectors(
        [f"t&{i}" for i in range(n)], X @ turn + noise * rng.normal(size=(n, dimensions))
    )
    pairs = [(f"s<{i}>", f"t&{i}") for i in range(n - 10)]
    return source, target, pairs
