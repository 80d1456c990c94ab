"""All lessons, in the order in which they are listed: the name of each, and what it shows.

The lesson ``NAME`` is the function of that name in the file ``_NAME.py``.
"""

from __future__ import annotations

__all__ = ["LESSONS"]

LESSONS = {
    "naive_bayes": "counts of words, smoothed, become evidence for a class",
    "bernoulli_naive_bayes": "words that are there speak, and so do those that are not",
    "gaussian_naive_bayes": "measurements have a bell in each class, and densities multiply",
    "logistic_regression": "scores become probabilities, and the boundary finds its place",
    "ordered_outcomes": "a score that nobody sees, and thresholds that cut it",
    "least_squares_classification": "squares let outliers turn the boundary",
    "fisher_discriminant": "the direction on which classes are apart, and each together",
    "support_vector_machine": "the widest margin, multipliers two at a time",
    "nearest_neighbors": "the points that are nearest vote on the class of a new one",
    "decision_tree": "questions divide the plane, one after the other",
    "random_forest": "trees on samples of the points, and their vote",
    "ridge_and_lasso": "a penalty shrinks coefficients, and the lasso makes some zero",
    "bias_and_variance": "what the mean of many fits misses, and how far fits are from it",
    "k_means": "points go to the nearest centre, centres to the middle of their points",
    "mixture": "points belong to bells in shares, and bells fit themselves to their shares",
    "principal_components": "the directions in which the data varies most",
    "dirichlet": "proportions that are random, and what counts say about them",
    "topics": "every token asks its document and its word for a topic",
    "word_vector_map": "one matrix takes countries to their capitals",
}
