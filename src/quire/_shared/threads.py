"""How many threads a kernel gets: ``n_jobs``, the machine, the environment, who else is running.

Threads of our kernels are started for a call and joined before it returns, so there is no pool to
configure; the one question is how many. :func:`effective_threads` answers it in microseconds, since
even the transform of a single document asks. Importing this module makes the kernels known to
threadpoolctl: ``threadpool_limits(1)`` holds them to one thread, ``threadpool_info()`` lists them.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from functools import lru_cache
from importlib.metadata import version
from numbers import Integral
from typing import Any

import threadpoolctl

from quire import _core

__all__ = ["effective_threads"]

_FEW = 64  # so many threads may be asked for on any machine


def effective_threads(n_jobs: int | None = None) -> int:
    """Return the number of threads to run a kernel with.

    Parameters
    ----------
    n_jobs : int or None
        ``None``: as many as may be used, which is the least of the cores of this process (CPU
        affinity, container quota, ``LOKY_MAX_CPU_COUNT``), the environment variables
        ``QUIRE_NUM_THREADS`` and ``OMP_NUM_THREADS``, and the limit set through threadpoolctl. The
        ``n_jobs`` of a surrounding :func:`joblib.parallel_config` takes the place of ``None``.

        Inside a worker of another parallel loop ``None`` leaves the other workers their cores: one
        thread in joblib's threading and multiprocessing backends, and in joblib's (loky's) and
        Dask's worker processes what they announce in ``OMP_NUM_THREADS``.

        Negative: as in joblib, -1 is all of the above, -2 all but one, and so on.

        Positive: that many, but no more than the limit set through threadpoolctl, and no more than
        four for each core (or 64, if that is more): a larger number can only be a mistake.

    Returns
    -------
    int
        At least 1.

    Raises
    ------
    ValueError
        If ``n_jobs`` is 0 or not a whole number, or ``QUIRE_NUM_THREADS`` is not a positive
        integer.

    Notes
    -----
    A limit set through threadpoolctl holds for the Python thread that set it, as OpenMP's does. CPU
    affinity and environment are read at every call; a container's quota is read once.

    Examples
    --------
    >>> from threadpoolctl import threadpool_limits
    >>> with threadpool_limits(1):
    ...     effective_threads(4)
    1
    """
    if n_jobs is not None:
        n_jobs = _checked(n_jobs)
    limit: int = _core.base.thread_limit()  # 0: none
    if limit == 1 and n_jobs != 0:
        return 1
    if n_jobs is None or n_jobs < 0:
        from joblib.parallel import get_active_backend  # takes longer than a document

        backend, context_n_jobs = get_active_backend()
        if n_jobs is None:
            n_jobs = context_n_jobs
        if n_jobs is None or n_jobs < 0:
            allowed = _allowed_threads(nested=bool(backend.nesting_level))
            n_jobs = allowed if n_jobs is None else max(1, allowed + 1 + n_jobs)
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 in Parallel has no meaning")
    n_jobs = min(n_jobs, max(_FEW, 4 * _affinity()))
    return min(n_jobs, limit) if limit else n_jobs


def _checked(n_jobs: Any) -> int:
    """Return a number of jobs as Python's int, or an error in scikit-learn's words."""
    if type(n_jobs) is int:
        return n_jobs
    if not isinstance(n_jobs, Integral):
        raise ValueError(
            f"The 'n_jobs' parameter must be an instance of 'int' or None. Got {n_jobs!r} instead."
        )
    return int(n_jobs)


def _allowed_threads(*, nested: bool) -> int:
    """Return the cores that this thread of this process may use; nested: below a joblib worker."""
    if nested and (
        multiprocessing.current_process().daemon
        or threading.current_thread() is not threading.main_thread()
    ):
        return 1  # one of several threads, or of several forks that were told nothing
    environment = os.environ
    allowed = _usable_cores(_affinity(), environment.get("LOKY_MAX_CPU_COUNT"))
    omp = environment.get("OMP_NUM_THREADS")
    announced = None if omp is None else _omp_num_threads(omp)
    if announced is None:
        # The threads of a Dask worker share its process; one with a nanny has set OMP_NUM_THREADS.
        allowed = max(1, allowed // _dask_worker_threads())
    else:
        allowed = min(allowed, announced)
    ours = environment.get("QUIRE_NUM_THREADS")
    return allowed if ours is None else min(allowed, _quire_num_threads(ours))


def _affinity() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@lru_cache(maxsize=64)
def _usable_cores(affinity: int, loky_max_cpu_count: str | None) -> int:
    """Count cores as joblib does, anew only if the affinity or joblib's variable has changed."""
    import joblib

    cores: int = joblib.cpu_count()
    return min(affinity, cores)


@lru_cache(maxsize=64)
def _omp_num_threads(value: str) -> int | None:
    """Read OMP_NUM_THREADS, a number or one for each level of nesting; None if it is neither."""
    try:
        n_threads = int(value.split(",")[0])
    except ValueError:
        return None
    return n_threads if n_threads > 0 else None


@lru_cache(maxsize=64)
def _quire_num_threads(value: str) -> int:
    if not (value.strip().isdecimal() and int(value) > 0):
        raise ValueError(
            f"the environment variable QUIRE_NUM_THREADS is {value!r}; it should be a positive "
            "integer. Correct or unset it."
        )
    return int(value)


def _dask_worker_threads() -> int:
    """Return how many tasks a Dask worker runs at once; 1 for a caller that is not in a task."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return 1
    try:
        n_threads: int = distributed.get_worker().state.nthreads
    except ValueError:  # not in a task of a worker
        return 1
    return max(1, n_threads)


class _NoLimit(int):
    """The number of threads in use where no limit is set; setting it as the limit removes that.

    threadpoolctl restores what it read. A plain number would come back as a limit nobody set.
    """


class _QuireController(threadpoolctl.LibController):
    """What threadpoolctl calls to read and to set the limit of the calling thread."""

    user_api = "quire"
    internal_api = "quire"
    filename_prefixes = ("_core.",)
    check_symbols = ("quire_get_thread_limit", "quire_set_thread_limit")

    def get_num_threads(self) -> int:
        return self.dynlib.quire_get_thread_limit() or _NoLimit(effective_threads(None))

    def set_num_threads(self, num_threads: int) -> None:
        limit = 0 if isinstance(num_threads, _NoLimit) else num_threads
        self.dynlib.quire_set_thread_limit(limit)

    def get_version(self) -> str:
        return version("quire")


threadpoolctl.register(_QuireController)
