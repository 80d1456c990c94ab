"""Texts of words that mean nothing, no two of them alike."""

import numpy as np


def random_words(n_documents, n_words, seed=0, *, vocabulary=20_000):
    """Return texts of so many words each."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(vocabulary, size=(n_documents, n_words))
    return [" ".join(f"w{number}" for number in row) for row in drawn]
