"""All lessons, in the order in which they are listed: the name of each, and what it shows.

The lesson ``NAME`` is the function of that name in the file ``_NAME.py``.
"""

from __future__ import annotations

__all__ = ["LESSONS"]

LESSONS = {
    "naive_bayes": "counts of words, smoothed, become evidence for a class",
    "bernoulli_naive_bayes": "words that are there speak, and so do those that are not",
    "decision_tree": "questions divide the plane, one after the other",
}
