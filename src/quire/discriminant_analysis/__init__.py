"""Fisher's discriminant and its relatives: classes by their means and one common covariance.

The within-class scatter is an operator. Where features are few it is formed; otherwise conjugate
gradients solve for all classes at once on the smaller side, with a preconditioner of low rank that
is added only when the first steps are slow. Without shrinkage a large sparse problem has no good
answer, and the error says so.
"""

from quire.discriminant_analysis._fisher import (
    ScatterMatrices,
    fisher_criterion,
    fisher_direction,
    scatter_matrices,
)
from quire.discriminant_analysis._linear import LinearDiscriminantAnalysis

__all__ = [
    "LinearDiscriminantAnalysis",
    "ScatterMatrices",
    "fisher_criterion",
    "fisher_direction",
    "scatter_matrices",
]
