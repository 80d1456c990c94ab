"""Comparing models fairly: which one, and with how large a vocabulary."""

from quire.model_selection._curve import VocabularyCurve
from quire.model_selection._vocabulary_curve import vocabulary_curve

__all__ = ["VocabularyCurve", "vocabulary_curve"]
