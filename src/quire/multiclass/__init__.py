"""More than two classes out of models for two: who claims a sample, and who decides.

Three ways lead from hyperplanes to K classes. *One against all*: each of K - 1 hyperplanes divides
a class from the rest, and what none of them claims goes to the last class
(:class:`OneVsAllClassifier`). *One against one*: each pair of classes has a hyperplane, and the
majority vote decides. *K linear discriminants*: every class has a score, and the largest wins
(:func:`linear_discriminants`). The first two leave parts of the space undecided, which
:func:`undecided` marks; the third does not.

scikit-learn's ``OneVsRestClassifier`` and ``OneVsOneClassifier`` work with every classifier of
quire; here is what they lack.
"""

from quire.multiclass._discriminants import Discriminants, linear_discriminants
from quire.multiclass._one_vs_all import OneVsAllClassifier
from quire.multiclass._votes import undecided, votes

__all__ = [
    "Discriminants",
    "OneVsAllClassifier",
    "linear_discriminants",
    "undecided",
    "votes",
]
