"""Comparing models fairly: which one, with how large a vocabulary, and under what penalty."""

from quire.model_selection._bias_variance import bias_variance
from quire.model_selection._compare import compare
from quire.model_selection._compare_models import Candidate, model_names, register_model
from quire.model_selection._comparison import Comparison, Trial
from quire.model_selection._complexity import ComplexityCurve
from quire.model_selection._complexity_curve import complexity_curve
from quire.model_selection._curve import VocabularyCurve
from quire.model_selection._decomposition import BiasVariance
from quire.model_selection._instability import TreeInstability
from quire.model_selection._learning import LearningCurve
from quire.model_selection._learning_curve import learning_curve
from quire.model_selection._path import RegularizationPath
from quire.model_selection._pruning import PruningCurve
from quire.model_selection._pruning_curve import pruning_curve
from quire.model_selection._regularization_path import regularization_path
from quire.model_selection._risk import RiskCurve
from quire.model_selection._risk_curve import risk_curve
from quire.model_selection._tree_instability import tree_instability
from quire.model_selection._vocabulary_curve import vocabulary_curve

__all__ = [
    "BiasVariance",
    "Candidate",
    "Comparison",
    "ComplexityCurve",
    "LearningCurve",
    "PruningCurve",
    "RegularizationPath",
    "RiskCurve",
    "TreeInstability",
    "Trial",
    "VocabularyCurve",
    "bias_variance",
    "compare",
    "complexity_curve",
    "learning_curve",
    "model_names",
    "pruning_curve",
    "register_model",
    "regularization_path",
    "risk_curve",
    "tree_instability",
    "vocabulary_curve",
]
