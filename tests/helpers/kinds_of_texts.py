"""Short texts of three kinds, and odd ones: empty, blank, a sign, HTML."""

import numpy as np

__all__ = ["KINDS", "LABELS", "ODD", "TEXTS", "corpus"]

KINDS = {
    "pets": "cat dog paw fur tail kitten puppy",
    "law": "tax vote court judge law budget minister",
    "food": "bread cheese wine olive soup pepper salt",
}


def corpus(n=120, seed=0):
    rng = np.random.default_rng(seed)
    labels = [list(KINDS)[i % 3] for i in range(n)]
    texts = [" ".join(rng.choice(KINDS[label].split(), 9)) for label in labels]
    return texts, labels


TEXTS, LABELS = corpus()
ODD = [*TEXTS, "", "  ", "🎉", "<b>cat</b> <script>alert(1)</script> dog &amp; paw"]
