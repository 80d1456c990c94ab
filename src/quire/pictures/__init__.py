"""Pictures of methods, one call each: what a method does, drawn from its real estimators.

Every function runs without arguments, on a small example of its own that is the same every time,
and takes your data or your fitted model instead. Each has ``theme="light"`` or ``"dark"``, draws on
axes that you give it or on a new figure, and returns the axes. What is an experiment returns its
numbers, with ``to_frame()`` and ``plot()``. Nothing is computed here that an estimator of quire
computes.
"""

from quire.pictures._bias_variance import bias_and_variance
from quire.pictures._contrast import DistanceContrast, distance_contrast
from quire.pictures._descent import descent_paths
from quire.pictures._dirichlet import beta_curves, dirichlet_triangles
from quire.pictures._feature_map import feature_map
from quire.pictures._fisher import fisher_projections
from quire.pictures._generative import GenerativeDiscriminative, generative_and_discriminative
from quire.pictures._k_means import k_means_steps
from quire.pictures._margin import margin_with_slack
from quire.pictures._mixtures import mixture_density, mixture_ellipses, mixture_steps
from quire.pictures._odds import odds_logit_sigmoid
from quire.pictures._outliers import least_squares_and_outliers
from quire.pictures._partition import tree_partition
from quire.pictures._penalties import penalty_contours
from quire.pictures._polynomials import PolynomialSweep, polynomial_sweep
from quire.pictures._principal import projected_variance, variance_kept
from quire.pictures._several_classes import undecided_regions
from quire.pictures._vocabulary import bernoulli_and_multinomial

__all__ = [
    "DistanceContrast",
    "GenerativeDiscriminative",
    "PolynomialSweep",
    "bernoulli_and_multinomial",
    "beta_curves",
    "bias_and_variance",
    "descent_paths",
    "dirichlet_triangles",
    "distance_contrast",
    "feature_map",
    "fisher_projections",
    "generative_and_discriminative",
    "k_means_steps",
    "least_squares_and_outliers",
    "margin_with_slack",
    "mixture_density",
    "mixture_ellipses",
    "mixture_steps",
    "odds_logit_sigmoid",
    "penalty_contours",
    "polynomial_sweep",
    "projected_variance",
    "tree_partition",
    "undecided_regions",
    "variance_kept",
]
