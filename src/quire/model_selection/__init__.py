"""Comparing models fairly: which one, with how large a vocabulary, and under what penalty."""

from quire.model_selection._curve import VocabularyCurve
from quire.model_selection._path import RegularizationPath
from quire.model_selection._regularization_path import regularization_path
from quire.model_selection._risk import RiskCurve
from quire.model_selection._risk_curve import risk_curve
from quire.model_selection._vocabulary_curve import vocabulary_curve

__all__ = [
    "RegularizationPath",
    "RiskCurve",
    "VocabularyCurve",
    "regularization_path",
    "risk_curve",
    "vocabulary_curve",
]
