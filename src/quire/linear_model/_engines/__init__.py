"""Solvers that the models of :mod:`quire.linear_model` use in earnest.

Everything is a product with X or with its transpose, and the question is how few of them are
needed. :class:`quire._shared.design.Design` gives both, centred without a copy; the transpose of a
sparse matrix is made once, so that every number of a result is written by one thread, in one order.
A single vector needs no transpose.

Least squares and ridge
    An intercept and weights are a projection on the side of the samples (``row_operator``), so that
    X is neither centred nor scaled. Many targets with one penalty are solved as a block
    (``block_cg``), in the smaller of the two spaces: an entry of X meets all targets side by side,
    and targets share their search space. Targets with penalties of their own, or none, go side by
    side (``cgls``, the iterates of LSQR). All penalties of a grid come from one Krylov space
    (``block_lanczos``). Small problems are factorised; dense ones go to LAPACK by scikit-learn.
Lasso and elastic net
    ``enet``: a working set from the strong rule and the worst violators, cyclic descent in it,
    through its Gram matrix while that is small and through the residual after, extrapolation by
    Anderson's method, and the duality gap of the whole problem as the certificate. A path of
    penalties is one call.
Smooth logistic regression
    ``smooth_logistic``: Newton's method, its systems solved by preconditioned conjugate gradients
    in C++ in single precision, while objective and line search are in double, and the gradient,
    too, unless `tol` is far above what single precision adds up to. What all
    penalties and starts need of X (in single precision, the frequent columns first and the most
    frequent ones dense for two classes, the transpose for more) belongs to a ``logistic_problem``
    and is made once. A fit stops where scikit-learn's criterion does: at the largest component of
    the gradient. Along a path each fit starts from the best linear combination of the last three
    (``path_start``), which needs no product with X; a single fit at a weak penalty climbs there
    the same way. Folds of a search stop by what Newton's step expects to gain. They are fitted
    side by side and scored one after another, because scorers of users need not be safe in
    threads.
L1 parts of logistic regression
    ``sparse_logistic``: proximal Newton with working sets, the full softmax Hessian one class at a
    time, and the intercepts eliminated from every step, which on text saves most of the passes.

scikit-learn's solver names are kept as names of an objective and its restrictions; which algorithm
runs is one table in ``logistic_fit``, and ``solver_`` says it.
"""
