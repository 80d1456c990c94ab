"""Places by neighbours: t-SNE of tf-idf rows, so that documents near each other are alike.

Neighbours are exact, by quire's own search; openTSNE moves the points. References: L. van der
Maaten and G. Hinton, "Visualizing data using t-SNE", 2008; G. Linderman et al., "Fast
interpolation-based t-SNE for improved visualization of single-cell RNA-seq data", 2019; D. Kobak
and P. Berens, "The art of using t-SNE for single-cell transcriptomics", 2019 (a start by principal
components); P. Poličar, M. Stražar and B. Zupan, "openTSNE: a modular Python library for t-SNE",
2024.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from quire import _core
from quire._shared.threads import effective_threads
from quire._shared.typing import Floats, Ints
from quire.exceptions import MissingExtraError

__all__ = ["can_place_by_neighbors", "places_by_neighbors"]

_FAR, _NEAR = 250, 500  # iterations: groups find together, then take their shape
_EXAGGERATION = 12
_MANY = 5_000  # points from which on forces are interpolated on a grid
_EUCLIDEAN = 0


def can_place_by_neighbors() -> bool:
    """Return whether openTSNE is installed."""
    return find_spec("openTSNE") is not None


def places_by_neighbors(Z: Floats, perplexity: float, n_jobs: int | None) -> Floats:
    """Return places in which neighbours stay neighbours.

    Parameters
    ----------
    Z : ndarray of shape (n_documents, n_components)
        Principal components; what counts is their direction.
    perplexity : float
        About how many neighbours a document has; fewer if there are few documents.
    n_jobs : int or None
        Threads for the search. Points are moved by one, so that the same data have the same places.

    Raises
    ------
    MissingExtraError
        If openTSNE is not installed.
    """
    try:
        from openTSNE import TSNEEmbedding
        from openTSNE.affinity import PerplexityBasedNN
        from openTSNE.nearest_neighbors import PrecomputedNeighbors
    except ImportError as error:
        raise MissingExtraError(
            "A map by neighbours (t-SNE) needs openTSNE, which is not installed: "
            "pip install 'quire[map]'. layout='pca' does without it."
        ) from error
    n = len(Z)
    perplexity = min(float(perplexity), (n - 1) / 3)
    lengths = np.sqrt((Z**2).sum(axis=1, keepdims=True))
    rows = np.ascontiguousarray(Z / np.where(lengths > 0, lengths, 1.0))
    distances, indices = _neighbors(rows, min(n - 1, int(3 * perplexity)), n_jobs)
    start = Z[:, :2] - Z[:, :2].mean(axis=0)
    start = start / max(float(start[:, 0].std()), 1e-300) * 1e-4
    with threadpool_limits(1):
        affinities = PerplexityBasedNN(
            perplexity=perplexity, knn_index=PrecomputedNeighbors(indices, distances), n_jobs=1
        )
        places: Any = TSNEEmbedding(
            start,
            affinities,
            negative_gradient_method="fft" if n >= _MANY else "bh",
            n_jobs=1,
            random_state=0,
        )
        places = places.optimize(_FAR, exaggeration=_EXAGGERATION, momentum=0.5)
        places = places.optimize(_NEAR, momentum=0.8)
    points: Floats = np.asarray(places, dtype=np.float64)
    points -= points.mean(axis=0)
    return points


def _neighbors(rows: Floats, k: int, n_jobs: int | None) -> tuple[Floats, Ints]:
    """Return distances and numbers of the nearest rows, none of them the row itself."""
    distances, indices = _core.neighbors.dense_nearest(
        rows, rows, _EUCLIDEAN, k + 1, effective_threads(n_jobs)
    )
    own = indices == np.arange(len(rows))[:, None]
    own[~own.any(axis=1), -1] = True  # among many equal rows it may have been left out
    shape = len(rows), k
    return distances[~own].reshape(shape), indices[~own].reshape(shape)
