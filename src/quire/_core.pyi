"""Types of the compiled kernels; each is described in the header of the same name in cpp/."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

# Runtime: SIMD level, threads (bindings/base/runtime.cpp)
def simd_supported() -> str: ...
def simd_level() -> str: ...
def set_simd_level(level: str) -> None: ...
def thread_limit() -> int: ...
def set_thread_limit(limit: int) -> None: ...
def parallel_probe(
    n_parts: int,
    n_threads: int,
    spin_ms: float = 0.0,
    failing_part: int = -1,
    n_loops: int = 1,
) -> tuple[float, int]: ...

# Class labels (cpp/counts/labels.hpp)
def factorize(
    bytes: NDArray[np.uint8], item_size: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]: ...

# Coordinate descent on a quadratic (cpp/linear/csc_quadratic_descent.hpp)
def csc_quadratic_descent(
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    n_samples: int,
    working: NDArray[np.int64],
    curvature: NDArray[np.float64],
    h: NDArray[np.float64],
    residual: NDArray[np.float64],
    w: NDArray[np.float64],
    l1: float,
    l2: float,
    tol: float,
    max_passes: int,
) -> float: ...

# Linear support vector machines (cpp/margins/csr_svm_descent.hpp)
def csr_svm_descent(
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    n_cols: int,
    codes: NDArray[np.int32],
    costs: NDArray[np.float64],
    positives: NDArray[np.int32],
    positive_costs: NDArray[np.float64],
    negative_costs: NDArray[np.float64],
    squared: bool,
    bias: float,
    tol: float,
    max_passes: int,
    seed: int,
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...
def csr_svr_descent(
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    n_cols: int,
    y: NDArray[np.float64],
    costs: NDArray[np.float64],
    epsilon: float,
    squared: bool,
    bias: float,
    tol: float,
    max_passes: int,
    seed: int,
) -> tuple[NDArray[np.float64], int]: ...

# Kernel machines (cpp/margins/kernel_rows.hpp, cpp/margins/smo.hpp)
def csr_gram(
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    n_cols: int,
    t_data: NDArray[Any],
    t_indices: NDArray[Any],
    t_indptr: NDArray[Any],
    width: int,
    n_threads: int = 1,
) -> NDArray[np.float64]: ...
def kernel_rows(
    products: NDArray[np.float64],
    squares: NDArray[np.float64],
    other_squares: NDArray[np.float64],
    kind: int,
    gamma: float,
    coef0: float,
    degree: int,
    single: bool,
    n_threads: int = 1,
) -> NDArray[Any]: ...
def kernel_rows_into(
    products: NDArray[np.float64],
    squares: NDArray[np.float64],
    other_squares: NDArray[np.float64],
    kind: int,
    gamma: float,
    coef0: float,
    degree: int,
    places: NDArray[np.int64],
    table: NDArray[np.float32],
    n_threads: int = 1,
) -> None: ...
def smo(
    K: NDArray[np.float32],
    segments: NDArray[np.int64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    tol: float,
    max_iter: int,
    beta: NDArray[np.float64],
    slack: NDArray[np.float64],
) -> tuple[int, float]: ...
def smo_slack(
    table: NDArray[np.float32],
    which: NDArray[np.int64],
    change: NDArray[np.float64],
    slack: NDArray[np.float64],
    n_threads: int = 1,
) -> None: ...

# Nearest rows (cpp/neighbors/csr_nearest.hpp, cpp/neighbors/dense_nearest.hpp)
def csr_nearest(
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    query_data: NDArray[Any],
    query_indices: NDArray[Any],
    query_indptr: NDArray[Any],
    n_cols: int,
    distance: int,
    k: int,
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...
def dense_nearest(
    X: NDArray[Any],
    Q: NDArray[Any],
    distance: int,
    k: int,
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...

# Sparse times dense (cpp/sparse/csr_matmul.hpp)
def csr_matmul(
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    n_cols: int,
    W: NDArray[np.float64],
    offset: NDArray[np.float64],
    threshold: float | None,
    n_threads: int = 1,
) -> NDArray[np.float64]: ...
def csr_argmax(
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    n_cols: int,
    W: NDArray[np.float64],
    offset: NDArray[np.float64],
    threshold: float | None,
    n_threads: int = 1,
) -> tuple[NDArray[np.int64], bool]: ...

# L1 and elastic-net logistic regression (cpp/linear/sparse_logistic.hpp)
class SparseLogistic:
    def null_objective(self) -> float: ...
    def l1_max(self, n_threads: int = 1) -> float: ...
    def start(
        self, coef: NDArray[np.float64], intercept: NDArray[np.float64], n_threads: int = 1
    ) -> None: ...
    def fit(
        self,
        l1: float,
        l2: float,
        wanted: float,
        max_iter: int,
        l1_before: float,
        n_threads: int = 1,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], float, float, int, bool]: ...

def csr_sparse_logistic(
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    n_cols: int,
    codes: NDArray[np.int32],
    n_classes: int,
    weights: NDArray[np.float64],
    fit_intercept: bool,
    n_threads: int = 1,
) -> SparseLogistic: ...
def dense_sparse_logistic(
    X: NDArray[Any],
    codes: NDArray[np.int32],
    n_classes: int,
    weights: NDArray[np.float64],
    fit_intercept: bool,
) -> SparseLogistic: ...

# Sparse times a vector (cpp/sparse/csr_vector.hpp)
def csr_matvec(
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    n_cols: int,
    v: NDArray[np.float64],
    offset: float = 0.0,
    n_threads: int = 1,
) -> NDArray[np.float64]: ...
def csr_t_matvec(
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    n_cols: int,
    u: NDArray[np.float64],
    n_threads: int = 1,
) -> NDArray[np.float64]: ...

# Bases of Krylov spaces (cpp/linear/block_project.hpp)
def block_project(
    Q: NDArray[np.float64], n_used: int, Z: NDArray[np.float64], n_threads: int = 1
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...

# Nearest neighbours by tiles of similarities (cpp/neighbors/tile_top_k.hpp)
def tile_top_k(
    tile: NDArray[np.float32],
    first_column: int,
    penalty: NDArray[np.float32],
    best: NDArray[np.float32],
    ids: NDArray[np.int64],
    n_threads: int = 1,
) -> None: ...
def tile_top_k_columns(
    tile: NDArray[np.float32],
    first_row: int,
    best: NDArray[np.float32],
    ids: NDArray[np.int64],
    n_threads: int = 1,
) -> None: ...

# The columns of a sparse matrix
# (cpp/sparse/csr_columns.hpp, cpp/sparse/csr_frequent.hpp, cpp/sparse/csr_transpose.hpp)
def csr_frequent_first(
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    n_cols: int,
    n_threads: int = 1,
) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.float32], NDArray[Any], NDArray[Any]]: ...
def csr_check(
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    n_cols: int,
    n_threads: int = 1,
) -> bool: ...
def csr_transpose(
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    n_cols: int,
    n_threads: int = 1,
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]: ...

# Sums over Dirichlet parameters (cpp/topics/dirichlet_terms.hpp)
def dirichlet_terms(q: NDArray[Any], prior: float, n_threads: int = 1) -> float: ...

# Variational Bayes for topic models (cpp/topics/lda_variational.hpp)
def lda_variational_documents(
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
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
    data: NDArray[np.float64],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    gamma: NDArray[np.float64],
    topics: NDArray[np.float64],
    totals: NDArray[np.float64],
    expected: NDArray[np.float64],
    n_threads: int = 1,
) -> float: ...

# Logistic regression (cpp/linear/logistic.hpp, cpp/linear/logistic_newton.hpp)
def logistic_loss(
    scores: NDArray[np.float64],
    codes: NDArray[np.int32],
    weights: NDArray[np.float64],
    direction: NDArray[np.float64],
    step: float,
    n_threads: int = 1,
) -> float: ...
def logistic_state(
    scores: NDArray[np.float64],
    codes: NDArray[np.int32],
    weights: NDArray[np.float64],
    single: bool,
    n_threads: int = 1,
) -> tuple[float, NDArray[np.float64], NDArray[Any]]: ...
def logistic_newton(
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    n_cols: int,
    t_data: NDArray[Any],
    t_indices: NDArray[Any],
    t_indptr: NDArray[Any],
    n_rows: int,
    curvature: NDArray[Any],
    weights: NDArray[np.float64],
    l2: float,
    intercept_l2: float,
    has_intercept: bool,
    squares: NDArray[np.float64],
    head: NDArray[Any],
    gradient: NDArray[np.float64],
    accuracy: float,
    largest: float,
    max_products: int,
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.float64], int, float, float]: ...
def logistic_gradient(
    t_data: NDArray[Any],
    t_indices: NDArray[Any],
    t_indptr: NDArray[Any],
    n_rows: int,
    residuals: NDArray[np.float64],
    weights: NDArray[np.float64],
    l2: float,
    intercept_l2: float,
    has_intercept: bool,
    single: bool,
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], float, float]: ...
def logistic_hessian_product(
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    n_cols: int,
    t_data: NDArray[Any],
    t_indices: NDArray[Any],
    t_indptr: NDArray[Any],
    n_rows: int,
    curvature: NDArray[Any],
    weights: NDArray[np.float64],
    l2: float,
    intercept_l2: float,
    has_intercept: bool,
    head: NDArray[Any],
    vector: NDArray[np.float64],
    n_threads: int = 1,
) -> NDArray[np.float64]: ...

# Naive Bayes (cpp/counts/naive_bayes.hpp)
def multinomial_log_prob(
    counts: NDArray[Any],
    totals: NDArray[np.float64],
    alpha: NDArray[np.float64],
    n_threads: int = 1,
) -> NDArray[np.float64]: ...
def bernoulli_log_prob(
    counts: NDArray[Any],
    n: NDArray[np.float64],
    alpha: NDArray[np.float64],
    n_threads: int = 1,
) -> NDArray[np.float64]: ...
def bernoulli_weights(
    counts: NDArray[Any],
    n: NDArray[np.float64],
    alpha: NDArray[np.float64],
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def complement_weights(
    counts: NDArray[Any],
    totals: NDArray[np.float64],
    alpha: NDArray[np.float64],
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...

# Normal densities (cpp/counts/class_moments.hpp, cpp/counts/gaussian.hpp)
def dense_class_moments(
    X: NDArray[Any],
    labels: NDArray[np.int32],
    n_classes: int,
    weights: NDArray[np.float64],
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
def dense_gaussian_log_likelihood(
    X: NDArray[Any],
    mean: NDArray[np.float64],
    scale: NDArray[np.float64],
    offset: NDArray[np.float64],
    n_threads: int = 1,
) -> NDArray[np.float64]: ...

# Random numbers (cpp/base/random.hpp)
def philox_raw(
    seed: int, stream: int, position: int, n: int, n_threads: int = 1
) -> NDArray[np.uint64]: ...
def philox_uniform(
    seed: int, stream: int, position: int, n: int, n_threads: int = 1
) -> NDArray[np.float64]: ...
def philox_normal(
    seed: int, stream: int, position: int, n: int, n_threads: int = 1
) -> NDArray[np.float64]: ...
def philox_integers(
    seed: int, stream: int, position: int, bound: int, n: int, n_threads: int = 1
) -> NDArray[np.uint64]: ...

# Sums by class and term scores (cpp/counts/class_sums.hpp, cpp/counts/term_scores.hpp)
def csr_class_sums(
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    n_cols: int,
    labels: NDArray[np.int32],
    n_classes: int,
    weights: NDArray[np.float64],
    threshold: float | None,
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def csr_class_counts(
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    n_cols: int,
    labels: NDArray[np.int32],
    n_classes: int,
    threshold: float | None,
    n_threads: int = 1,
) -> tuple[NDArray[np.uint32], NDArray[np.float64]] | None: ...
def csr_has_duplicates(
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    n_cols: int,
    n_threads: int = 1,
) -> bool: ...
def dense_class_sums(
    X: NDArray[Any],
    labels: NDArray[np.int32],
    n_classes: int,
    weights: NDArray[np.float64],
    threshold: float | None,
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def csr_chi2(
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    n_cols: int,
    labels: NDArray[np.int32],
    n_classes: int,
    n_threads: int = 1,
) -> NDArray[np.float64]: ...
def csr_mutual_info(
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    n_cols: int,
    labels: NDArray[np.int32],
    n_classes: int,
    n_threads: int = 1,
) -> NDArray[np.float64]: ...

# Documents and text kernels (bindings/text/documents.hpp, cpp/text_*.hpp, cpp/text/tfidf.hpp)
unicode_version: str

class Documents:
    @staticmethod
    def from_list(documents: list[Any]) -> Documents: ...
    @staticmethod
    def from_arrow(column: Any) -> Documents: ...
    @property
    def bad_row(self) -> int: ...
    def __len__(self) -> int: ...

class AnalyzerOptions:
    def __init__(
        self,
        kind: str,
        lowercase: bool,
        accents: str | None,
        shortest_word: int,
        min_n: int,
        max_n: int,
    ) -> None: ...

_Csr = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]
_Terms = tuple[
    NDArray[np.uint8],
    NDArray[np.int64],
    int,
    NDArray[np.int32],
    NDArray[np.int64],
    NDArray[np.int64],
]

class TextCounter:
    def __init__(
        self,
        options: AnalyzerOptions,
        stop_words: list[str],
        keep_rows: bool,
        threshold: float | None = None,
        move_limit: int = 2**31,
    ) -> None: ...
    def add_documents(self, documents: Documents, n_threads: int) -> None: ...
    def add_labelled(
        self,
        documents: Documents,
        labels: NDArray[np.int32],
        weights: NDArray[np.float64],
        n_threads: int,
    ) -> None: ...
    def add_terms(
        self,
        words: NDArray[np.uint8],
        word_offsets: NDArray[np.int64],
        width: int,
        grams: NDArray[np.int32],
        document_frequency: NDArray[np.int64],
        term_frequency: NDArray[np.int64],
    ) -> NDArray[np.uint32]: ...
    def finish(self, n_threads: int) -> _Terms: ...
    def places_of(self, numbers: NDArray[np.uint32]) -> NDArray[np.int64]: ...
    def class_counts(self, n_classes: int, n_threads: int) -> NDArray[np.float64]: ...
    def to_csr(
        self,
        dtype: str,
        column_of_term: NDArray[np.int32] | None,
        n_columns: int,
        binary: bool,
        n_threads: int,
    ) -> _Csr: ...

class CountRows:
    def to_csr(self, dtype: str, n_columns: int, binary: bool, n_threads: int) -> _Csr: ...

class TextLookup:
    def __init__(
        self,
        options: AnalyzerOptions,
        stop_words: list[str],
        words: NDArray[np.uint8],
        word_offsets: NDArray[np.int64],
        width: int,
        grams: NDArray[np.int32],
        columns: NDArray[np.int32],
    ) -> None: ...
    def count(self, documents: Documents, n_threads: int) -> CountRows: ...

def hash_documents(
    documents: Documents,
    options: AnalyzerOptions,
    stop_words: list[str],
    n_features: int,
    alternate_sign: bool,
    n_threads: int,
) -> CountRows | int: ...
def term_strings(
    words: NDArray[np.uint8],
    word_offsets: NDArray[np.int64],
    width: int,
    grams: NDArray[np.int32],
    chosen: NDArray[np.int64],
) -> list[str]: ...
def csr_tfidf(
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    n_cols: int,
    idf: NDArray[Any] | None,
    norm: str | None,
    n_threads: int,
) -> None: ...
def csr_document_frequency(
    indices: NDArray[Any], n_cols: int, n_threads: int
) -> NDArray[np.int64]: ...

# Coordinate descent for the lasso and the elastic net (cpp/linear/coordinate_descent.hpp)
def csc_enet_path(
    data: NDArray[Any],
    indices: NDArray[Any],
    indptr: NDArray[Any],
    n_samples: int,
    means: NDArray[np.float64],
    root_weights: NDArray[np.float64],
    y: NDArray[np.float64],
    l1: NDArray[np.float64],
    l2: NDArray[np.float64],
    start: NDArray[np.float64],
    tol: float,
    max_iter: int,
    positive: bool,
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]: ...
def dense_enet_path(
    X: NDArray[Any],
    y: NDArray[np.float64],
    l1: NDArray[np.float64],
    l2: NDArray[np.float64],
    start: NDArray[np.float64],
    tol: float,
    max_iter: int,
    positive: bool,
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]: ...
def gram_enet_path(
    gram: NDArray[np.float64],
    Xy: NDArray[np.float64],
    yy: float,
    l1: NDArray[np.float64],
    l2: NDArray[np.float64],
    start: NDArray[np.float64],
    tol: float,
    max_iter: int,
    positive: bool,
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]: ...

# Topics of tokens (cpp/topics/lda_gibbs.hpp)
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

# Documents under known topics (cpp/topics/lda_documents.hpp)
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

# k-means (cpp/cluster/kmeans.hpp)
def kmeans_operand(
    sums: NDArray[np.float64], scale: float, n_threads: int = 1
) -> NDArray[np.float32]: ...
def csr_kmeans_assign(*arguments: Any) -> None: ...
def csr_kmeans_update(*arguments: Any) -> NDArray[np.float64]: ...
def csr_kmeans_distances(*arguments: Any) -> NDArray[np.float64]: ...
def dense_kmeans_assign(*arguments: Any) -> None: ...
def dense_kmeans_update(*arguments: Any) -> NDArray[np.float64]: ...
def dense_kmeans_distances(*arguments: Any) -> NDArray[np.float64]: ...

# Distances to the components of a mixture (cpp/cluster/mahalanobis.hpp)
def dense_mahalanobis(
    X: NDArray[Any],
    means: NDArray[np.float64],
    factors: NDArray[np.float64],
    upper: bool,
    n_threads: int = 1,
) -> NDArray[np.float64]: ...

# The E step of mixtures (cpp/cluster/responsibilities.hpp)
def dense_responsibilities(
    X: NDArray[Any],
    means: NDArray[np.float64],
    factors: NDArray[np.float64],
    offsets: NDArray[np.float64],
    upper: bool,
    least: float,
    likely: NDArray[np.int32],
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def log_responsibilities(
    offsets: NDArray[np.float64], logs: NDArray[np.float64], n_threads: int = 1
) -> NDArray[np.float64]: ...

# Trees (cpp/trees/tree_data.hpp, cpp/trees/tree_grow.hpp)
class TreeData:
    def __init__(
        self, X: tuple[Any, ...], n_threads: int, categories: NDArray[np.uint8]
    ) -> None: ...
    @property
    def n_rows(self) -> int: ...
    def stop(self) -> None: ...
    def grow_class_tree(
        self,
        codes: NDArray[np.int32],
        n_classes: int,
        weights: NDArray[np.float64],
        criterion: int,
        random_splits: bool,
        seed: int,
        limits: tuple[Any, ...],
    ) -> tuple[Any, ...]: ...
    def grow_value_tree(
        self,
        y: NDArray[np.float64],
        weights: NDArray[np.float64],
        criterion: int,
        random_splits: bool,
        seed: int,
        limits: tuple[Any, ...],
    ) -> tuple[Any, ...]: ...

# What trees say about rows (cpp/trees/forest_predict.hpp)
def forest_check(nodes: NDArray[np.uint8], begin: NDArray[np.int64], n_cols: int) -> None: ...
def forest_check_sums(
    nodes: NDArray[np.uint8],
    begin: NDArray[np.int64],
    sum_begin: NDArray[np.int64],
    sum_class: NDArray[np.int32],
    sum_weight: NDArray[np.float64],
    n_classes: int,
) -> None: ...
def forest_leaves(
    nodes: NDArray[np.uint8], begin: NDArray[np.int64], X: tuple[Any, ...], n_threads: int = 1
) -> NDArray[np.int32]: ...
def forest_shares(
    nodes: NDArray[np.uint8],
    begin: NDArray[np.int64],
    sum_begin: NDArray[np.int64],
    sum_class: NDArray[np.int32],
    sum_weight: NDArray[np.float64],
    n_classes: int,
    hard: bool,
    X: tuple[Any, ...],
    n_threads: int = 1,
) -> NDArray[np.float64]: ...
def forest_values(
    nodes: NDArray[np.uint8],
    begin: NDArray[np.int64],
    values: NDArray[np.float64],
    X: tuple[Any, ...],
    n_threads: int = 1,
) -> NDArray[np.float64]: ...
def tree_class_sums(
    nodes: NDArray[np.uint8],
    sum_begin: NDArray[np.int64],
    sum_class: NDArray[np.int32],
    sum_weight: NDArray[np.float64],
    n_classes: int,
) -> NDArray[np.float64]: ...
