"""Probabilities that can be taken at their word.

Of the documents to which a model gives a probability of 0.8, eight in ten should be of the class.
Naive Bayes claims far more, a linear model with a small penalty as well, and a support vector
machine gives no probabilities at all. :class:`CalibratedClassifier` learns from documents that were
held out what scores are worth. One model is fitted to all documents, so that its words explain
what it decides as before.
"""

from quire.calibration._calibrated import CalibratedClassifier

__all__ = ["CalibratedClassifier"]
