"""Fisher's discriminant and its relatives: classes by their means and one common covariance."""

from quire.discriminant_analysis._linear import LinearDiscriminantAnalysis

__all__ = ["LinearDiscriminantAnalysis"]
