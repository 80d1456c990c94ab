"""Latent Dirichlet allocation.

Written by ``make stubs``. What a kernel does is described in its header under cpp/.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._core import Csr

def dirichlet_terms(q: NDArray[Any], prior: float, n_threads: int = 1) -> float: ...
def lda_infer(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    counts: NDArray[np.int32],
    phi: NDArray[np.float32],
    alpha: NDArray[np.float32],
    n_topics: int,
    max_iter: int,
    tol: float,
    n_threads: int = 1,
) -> NDArray[np.float64]: ...
def lda_left_to_right(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    counts: NDArray[np.int32],
    phi: NDArray[np.float32],
    alpha: NDArray[np.float32],
    n_topics: int,
    n_particles: int,
    seed: int,
    n_threads: int = 1,
) -> NDArray[np.float64]: ...
def lda_completion(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    counts: NDArray[np.int32],
    phi: NDArray[np.float32],
    alpha: NDArray[np.float32],
    n_topics: int,
    n_samples: int,
    seed: int,
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...

class LdaGibbs:
    def __init__(
        self,
        indptr: NDArray[np.int64],
        indices: NDArray[np.int32],
        counts: NDArray[np.int32],
        n_words: int,
        n_topics: int,
        n_parts: int = 0,
        storage: str = "auto",
    ) -> None: ...
    @property
    def n_tokens(self) -> int: ...
    @property
    def n_parts(self) -> int: ...
    @property
    def sweep(self) -> int: ...
    @property
    def epoch(self) -> int: ...
    @property
    def has_lists(self) -> bool: ...
    @property
    def totals(self) -> NDArray[np.int32]: ...
    def set_priors(
        self,
        alpha: NDArray[np.float64],
        beta: float,
        seed_begin: NDArray[np.int32],
        seed_topics: NDArray[np.int32],
        seed_weights: NDArray[np.float64],
    ) -> None: ...
    def set_word_priors(
        self,
        alpha: NDArray[np.float64],
        beta: NDArray[np.float64],
        seed_begin: NDArray[np.int32],
        seed_topics: NDArray[np.int32],
        seed_weights: NDArray[np.float64],
    ) -> None: ...
    def run(self, seed: int, sweep: int, n_threads: int = 1) -> None: ...
    def assignments(self) -> NDArray[np.uint16]: ...
    def set_assignments(
        self, topics: NDArray[np.uint16], sweep: int = 0, epoch: int = 0
    ) -> None: ...
    def topic_tails(self, n_threads: int = 1) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
    def word_histogram(self) -> NDArray[np.int64]: ...
    def add_word_topics(self, out: NDArray[np.float64]) -> None: ...
    def word_topics(self, columns: NDArray[np.int32]) -> NDArray[np.int32]: ...
    def doc_topics(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]: ...

def lda_variational_documents(
    X: Csr,
    topics: NDArray[Any],
    prior: NDArray[np.float64],
    gamma: NDArray[Any],
    max_iter: int,
    tol: float,
    learn: bool,
    n_threads: int = 1,
) -> tuple[NDArray[Any], NDArray[Any]] | None: ...
def lda_expected_topics(
    topics: NDArray[Any],
    words: NDArray[np.int64],
    scale: float,
    shift: float,
    totals: NDArray[np.float64],
    n_threads: int = 1,
) -> NDArray[Any]: ...
def lda_variational_bound(
    X: Csr,
    gamma: NDArray[np.float64],
    topics: NDArray[np.float64],
    totals: NDArray[np.float64],
    expected: NDArray[np.float64],
    n_threads: int = 1,
) -> float: ...
