"""The states of sequential minimal optimisation, one after each update of two multipliers."""

from __future__ import annotations

from dataclasses import dataclass

from quire._shared.typing import Floats

__all__ = ["N_STEPS", "SmoStep"]

N_STEPS = 1000  # that are kept of a pair of classes


@dataclass(frozen=True, eq=False)
class SmoStep:
    r"""A state of the dual problem, in ``steps_`` of :class:`SVC` with `keep_steps`.

    Every update changes the multipliers of two samples, so that
    :math:`\sum_d \alpha_d y_d = 0` stays true. A fit with ``max_iter=n`` ends in the state after n
    updates.

    Attributes
    ----------
    pair : tuple of int
        The rows of the training data whose multipliers were changed; empty at the start.
    alpha : ndarray of shape (n_samples,)
        The multipliers, between 0 and C.
    objective : float
        :math:`\sum_d \alpha_d - \tfrac12 \sum_{de} \alpha_d \alpha_e y_d y_e k(x_d, x_e)`, which no
        update lets fall.
    gap : float
        By how much the optimality conditions are missed; the solver ends below `tol`.
    intercept : float
        What ``intercept_`` would be here.
    problem : int
        Which pair of classes, in the order of ``intercept_``; 0 for two classes.

    Examples
    --------
    >>> from quire.svm import SVC
    >>> model = SVC(kernel="linear", C=1.0, keep_steps=True)
    >>> model = model.fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
    >>> for step in model.steps_:
    ...     print(step.pair, step.alpha.round(3), f"{step.objective:.3f} {step.gap:.3f}")
    () [0. 0. 0. 0.] 0.000 2.000
    (0, 2) [0.222 0.    0.222 0.   ] 0.222 0.667
    (1, 0) [0.    0.222 0.222 0.   ] 0.346 1.111
    (1, 2) [0.  0.5 0.5 0. ] 0.500 0.000
    """

    pair: tuple[int, ...]
    alpha: Floats
    objective: float
    gap: float
    intercept: float
    problem: int
