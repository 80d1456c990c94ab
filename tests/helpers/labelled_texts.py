"""Texts with labels for the tests of class counts, and settings that need Python."""

import numpy as np

WORDS = [*"good bad fine dull the a of film plot Star caf\u00e9 na\u00efve 7 42".split(), "w" * 30]
LABELS = ["pos", "neg", "mixed"]


def make(n_documents=300, seed=0):
    """Texts with rare and frequent words, and their labels."""
    rng = np.random.default_rng(seed)
    words = WORDS + [f"rare{i}" for i in range(150)]
    shares = 1 / np.arange(1, len(words) + 1)
    texts = [
        " ".join(rng.choice(words, rng.integers(0, 30), p=shares / shares.sum()))
        for _ in range(n_documents)
    ]
    return texts, rng.choice(LABELS, n_documents)


def own_tokens(text):
    return text.split("a")


def reversed_words(text):
    return [word[::-1] for word in text.split()]


def setting_names(settings):
    """The id of a test: an address in it would differ between processes."""
    return "-".join(settings) or "defaults"


TEXTS, Y = make()
