"""The twin of cpp/parallel_probe: a sum in parts, one after the other."""

from functools import reduce
from operator import add


def parallel_probe(n_parts: int, part_size: int = 1000) -> float:
    """Sum 1 / (1 + i) over i in [0, part_size * n_parts), part sums added in part order."""
    parts = [range(p * part_size, (p + 1) * part_size) for p in range(n_parts)]
    return reduce(add, [reduce(add, (1 / (1 + i) for i in part), 0.0) for part in parts], 0.0)
