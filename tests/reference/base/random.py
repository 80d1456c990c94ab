"""The twins of cpp/random: NumPy's own Philox for the words, and the words turned into numbers.

NumPy's generator steps its counter before it encrypts, so it starts one block earlier than ours.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

Words = NDArray[np.uint64]


def _words(seed: int, stream: int, block: int, attempt: int, n: int) -> Words:
    counter = (block + (attempt << 64) - 1) % 2**256
    key = np.array([seed, stream], dtype=np.uint64)
    return np.random.Philox(key=key, counter=counter).random_raw(n)


def philox_raw(seed: int, stream: int, position: int, n: int) -> Words:
    """Words `position` to `position + n` of the stream."""
    skipped = position % 4
    return _words(seed, stream, position // 4, 0, skipped + n)[skipped:]


def philox_uniform(seed: int, stream: int, position: int, n: int) -> NDArray[np.float64]:
    """The top 53 bits of a word as a fraction."""
    return (philox_raw(seed, stream, position, n) >> np.uint64(11)) / 2.0**53


def philox_normal(seed: int, stream: int, position: int, n: int) -> NDArray[np.float64]:
    """The normal quantile at the middle of one of 2**52 intervals."""
    return ndtri(((philox_raw(seed, stream, position, n) >> np.uint64(12)) + 0.5) / 2.0**52)


def philox_integers(seed: int, stream: int, position: int, bound: int, n: int) -> Words:
    """The high half of word * bound, the low half at least 2**64 mod bound."""
    out = []
    for place, first in enumerate(philox_raw(seed, stream, position, n), start=position):
        word, attempt = int(first), 0
        while (word * bound) % 2**64 < 2**64 % bound:
            attempt += 1
            word = int(_words(seed, stream, place // 4, attempt, 4)[place % 4])
        out.append((word * bound) >> 64)
    return np.array(out, dtype=np.uint64)
