"""Comparing models fairly: which one, with how large a vocabulary, and under what penalty."""

from quire._shared.reliability import CalibrationBin
from quire._shared.shares import Score
from quire.model_selection._audit.audit import audit_labels
from quire.model_selection._audit.result import AuditedLabel, LabelAudit
from quire.model_selection._compare.compare import compare
from quire.model_selection._compare.models import Candidate, model_names, register_model
from quire.model_selection._compare.result import Comparison, Trial
from quire.model_selection._compare.task import guess_task
from quire.model_selection._curves.complexity import ComplexityCurve, complexity_curve
from quire.model_selection._curves.extrapolation import Expected, Needed
from quire.model_selection._curves.fold_curve import FoldCurve
from quire.model_selection._curves.learning import LearningCurve, learning_curve
from quire.model_selection._curves.path import RegularizationPath, regularization_path
from quire.model_selection._curves.pruning import PruningCurve, pruning_curve
from quire.model_selection._curves.risk import RiskCurve, risk_curve
from quire.model_selection._curves.vocabulary import VocabularyCurve, vocabulary_curve
from quire.model_selection._evaluate.evaluate import evaluate
from quire.model_selection._evaluate.result import ClassScore, Evaluation
from quire.model_selection._experiments.bias_variance import BiasVariance, bias_variance
from quire.model_selection._experiments.parameter import EstimatorBiasVariance
from quire.model_selection._experiments.tree_instability import TreeInstability, tree_instability
from quire.model_selection._scores.catalogue import metric_names
from quire.model_selection._slices.slices import ErrorSlice, ErrorSlices, error_slices
from quire.model_selection._threshold import ThresholdClassifier
from quire.model_selection._update import Update, update

__all__ = [
    "AuditedLabel",
    "BiasVariance",
    "CalibrationBin",
    "Candidate",
    "ClassScore",
    "Comparison",
    "ComplexityCurve",
    "ErrorSlice",
    "ErrorSlices",
    "EstimatorBiasVariance",
    "Evaluation",
    "Expected",
    "FoldCurve",
    "LabelAudit",
    "LearningCurve",
    "Needed",
    "PruningCurve",
    "RegularizationPath",
    "RiskCurve",
    "Score",
    "ThresholdClassifier",
    "TreeInstability",
    "Trial",
    "Update",
    "VocabularyCurve",
    "audit_labels",
    "bias_variance",
    "compare",
    "complexity_curve",
    "error_slices",
    "evaluate",
    "guess_task",
    "learning_curve",
    "metric_names",
    "model_names",
    "pruning_curve",
    "register_model",
    "regularization_path",
    "risk_curve",
    "tree_instability",
    "update",
    "vocabulary_curve",
]
