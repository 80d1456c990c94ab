"""Naive Bayes: counts, presence, categories, measurements, and all of them at once.

A model of counts is one table, ``feature_count_`` (classes by terms), and everything else follows
from it.

- ``class_sums`` streams the rows of a class into one row of the table: one addition for each stored
  value, where a product with a one-hot matrix does one for each class. Memory is where the time
  goes, so whole numbers are summed in 32 bits, and ``feature_count_`` becomes float64 when someone
  asks for it.
- ``naive_bayes.cpp`` turns counts into logarithms. Most counts are zero or small whole numbers, so
  that a table replaces nearly all calls of ``log``. The result is written feature-major, as
  predictions read it, and ``feature_log_prob_`` is a transposed view of it: scikit-learn's shape
  without a copy.
- ``csr_matmul`` is the score of all linear models: a stored value meets the weights of all classes
  side by side, asked for from memory some entries ahead, across the ends of rows. ``csr_argmax`` is
  the same for predictions, which need no scores.
- Infinite weights (``alpha=0``) are kept out of the product. A second product counts, for each
  document and class, the reasons why the class is impossible; so zero times infinity never happens
  (``_linear``).
- A class in which nothing was counted has the probabilities of a vanishing alpha: all the same.
- ``GaussianNB`` keeps moments that can be joined (``_moments``), with means in two doubles, so that
  ``merge`` is exact beside large means. Its kernel takes one pass about a row of each class.
- ``MixedNB`` is a list of parts with one protocol (``_part``): learn, add to the scores, give the
  evidence, merge. A new kind of column is a new part. Its continuous columns use the moments and
  densities of ``GaussianNB``.
- Arrays that are not NumPy's go to scikit-learn's code (``_array_api``).
"""

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
