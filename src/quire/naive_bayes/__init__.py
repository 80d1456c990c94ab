"""Naive Bayes: counts, presence, categories, measurements, and all of them at once."""

from quire.naive_bayes._bernoulli import BernoulliNB
from quire.naive_bayes._categorical import CategoricalNB
from quire.naive_bayes._complement import ComplementNB
from quire.naive_bayes._gaussian import GaussianNB
from quire.naive_bayes._mixed import MixedNB
from quire.naive_bayes._multinomial import MultinomialNB

__all__ = [
    "BernoulliNB",
    "CategoricalNB",
    "ComplementNB",
    "GaussianNB",
    "MixedNB",
    "MultinomialNB",
]
