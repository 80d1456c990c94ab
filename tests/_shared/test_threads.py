"""How many threads a kernel gets, and that running on them is safe wherever Python runs."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import joblib
import pytest
from tests.reference.base.parallel_probe import parallel_probe
from threadpoolctl import threadpool_info, threadpool_limits

import quire
from quire import _core
from quire._shared import threads as _threads
from quire._shared.threads import effective_threads

LIMITS = ("OMP_NUM_THREADS", "QUIRE_NUM_THREADS", "LOKY_MAX_CPU_COUNT")


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch):
    for name in LIMITS:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def eight_cores(monkeypatch):
    monkeypatch.setattr(_threads, "_affinity", lambda: 8)
    monkeypatch.setattr(_threads, "_usable_cores", lambda affinity, _: affinity)


def run_python(code, **environment):
    env = {name: value for name, value in os.environ.items() if name not in LIMITS}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**env, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# n_jobs ------------------------------------------------------------------------------------------


def test_none_is_every_core_that_joblib_counts():
    assert effective_threads(None) == joblib.cpu_count()


@pytest.mark.parametrize(
    ("n_jobs", "expected"),
    [(None, 8), (1, 1), (3, 3), (20, 20), (-1, 8), (-2, 7), (-8, 1), (-100, 1)],
)
def test_n_jobs(eight_cores, n_jobs, expected):
    assert effective_threads(n_jobs) == expected


@pytest.mark.parametrize(("n_jobs", "expected"), [(64, 64), (65, 64), (10**9, 64), (-(10**9), 1)])
def test_no_more_threads_than_make_sense(eight_cores, n_jobs, expected):
    """Each takes memory: a thousand million of them, from a file or a slip of the hand, all."""
    assert effective_threads(n_jobs) == expected


@pytest.mark.parametrize("n_jobs", [1.5, 1e9, "2", True + 0.0])
def test_what_is_no_whole_number_is_refused(n_jobs):
    with pytest.raises(ValueError, match="'n_jobs' parameter must be an instance of 'int' or None"):
        effective_threads(n_jobs)


def test_zero_is_refused_as_joblib_refuses_it():
    with pytest.raises(ValueError, match="n_jobs == 0 in Parallel has no meaning"):
        effective_threads(0)
    with (
        threadpool_limits(1),
        pytest.raises(ValueError, match="n_jobs == 0 in Parallel has no meaning"),
    ):
        effective_threads(0)


def test_n_jobs_of_the_surrounding_joblib_configuration(eight_cores):
    with joblib.parallel_config("loky", n_jobs=5):
        assert effective_threads(None) == 5
        assert effective_threads(2) == 2
    with joblib.parallel_config("threading", n_jobs=-2):
        assert effective_threads(None) == 7


# threadpoolctl -----------------------------------------------------------------------------------


def quire_info():
    (info,) = [info for info in threadpool_info() if info["user_api"] == "quire"]
    return info


def test_threadpool_info_lists_quire():
    info = quire_info()
    assert info["num_threads"] == effective_threads(None)
    assert info["version"] == quire.__version__
    assert "_core" in info["filepath"]
    json.dumps(info)


def test_threadpool_limits_hold_and_are_restored(eight_cores):
    with threadpool_limits(2):
        assert [effective_threads(n) for n in (None, -1, -2, 4, 1)] == [2, 2, 2, 2, 1]
        assert quire_info()["num_threads"] == 2
        with threadpool_limits(1):
            assert [effective_threads(n) for n in (None, -1, 4)] == [1, 1, 1]
        assert effective_threads(None) == 2
    # Not only the number is back: there is no limit, so more than the cores may be asked for.
    assert _core.base.thread_limit() == 0
    assert effective_threads(20) == 20


def test_threadpool_limits_for_quire_alone(eight_cores):
    with threadpool_limits({"quire": 3}):
        assert effective_threads(None) == 3
    with threadpool_limits(1, user_api="blas"):
        assert effective_threads(None) == 8


def test_a_kernel_runs_on_one_thread_under_the_limit():
    with threadpool_limits(1):
        assert _core.base.parallel_probe(8, effective_threads(4), spin_ms=10)[1] == 1
    assert _core.base.parallel_probe(8, effective_threads(4), spin_ms=10)[1] == 4


def test_limits_of_two_threads_do_not_undo_each_other(eight_cores):
    other_entered, main_left = threading.Event(), threading.Event()
    seen = []

    def other():
        with threadpool_limits({"quire": 2}):
            other_entered.set()
            assert main_left.wait(10)
            seen.append(effective_threads(None))

    thread = threading.Thread(target=other)
    with threadpool_limits({"quire": 3}):
        thread.start()
        assert other_entered.wait(10)
        assert effective_threads(None) == 3
    main_left.set()
    thread.join()
    assert seen == [2]
    assert effective_threads(None) == 8


# Environment and affinity ------------------------------------------------------------------------

ASK = "import json; from quire._shared.threads import effective_threads as e; "


def test_environment_in_a_new_process():
    ask = ASK + "print(json.dumps([e(None), e(-1), e(5)]))"
    assert run_python(ask, OMP_NUM_THREADS="1") == [1, 1, 5]
    assert run_python(ask, QUIRE_NUM_THREADS="1") == [1, 1, 5]


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"OMP_NUM_THREADS": "3"}, 3),
        ({"OMP_NUM_THREADS": "3,2"}, 3),
        ({"OMP_NUM_THREADS": "100"}, 8),
        ({"OMP_NUM_THREADS": "many"}, 8),
        ({"OMP_NUM_THREADS": "-1"}, 8),
        ({"QUIRE_NUM_THREADS": "2"}, 2),
        ({"QUIRE_NUM_THREADS": "2", "OMP_NUM_THREADS": "3"}, 2),
        ({"QUIRE_NUM_THREADS": "6", "OMP_NUM_THREADS": "3"}, 3),
    ],
)
def test_environment_variables(eight_cores, monkeypatch, environment, expected):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert effective_threads(None) == expected


@pytest.mark.parametrize("value", ["0", "-2", "two", "", "1.5"])
def test_a_bad_value_of_our_own_variable_is_named(monkeypatch, value):
    monkeypatch.setenv("QUIRE_NUM_THREADS", value)
    with pytest.raises(ValueError, match=f"QUIRE_NUM_THREADS is '{value}'"):
        effective_threads(None)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system has no CPU affinity")
def test_affinity_is_respected_also_when_it_changes():
    code = ASK + (
        "import os; cores = os.sched_getaffinity(0); before = e(None); "
        "os.sched_setaffinity(0, {min(cores)}); one = e(None); "
        "os.sched_setaffinity(0, cores); print(json.dumps([before, one, e(None)]))"
    )
    n_cores = joblib.cpu_count()
    assert run_python(code) == [n_cores, 1, n_cores]


# Inside other parallel loops ---------------------------------------------------------------------


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_inside_joblib_workers(backend):
    def ask_and_run():  # in here, so that it is sent by value: workers cannot import the tests
        return effective_threads(None), effective_threads(3), _core.base.parallel_probe(50, 3)[0]

    n_workers = max(2, joblib.cpu_count())
    jobs = [joblib.delayed(joblib.wrap_non_picklable_objects(ask_and_run))() for _ in range(4)]
    for default, explicit, total in joblib.Parallel(n_workers, backend=backend)(jobs):
        assert default == 1  # as many workers as cores
        assert explicit == 3
        assert total == parallel_probe(50)


def test_loky_workers_share_the_cores(eight_cores, monkeypatch):
    # What loky announces to each of two workers on eight cores.
    monkeypatch.setenv("OMP_NUM_THREADS", "4")
    assert effective_threads(None) == 4


def test_a_sequential_joblib_loop_leaves_all_cores(eight_cores):
    assert joblib.Parallel(1)([joblib.delayed(effective_threads)(None)]) == [8]


def test_inside_dask_workers():
    distributed = pytest.importorskip("distributed")
    n_threads = max(2, joblib.cpu_count())
    cluster = {"n_workers": 1, "threads_per_worker": n_threads, "dashboard_address": None}
    with distributed.Client(processes=False, **cluster) as client:
        assert client.submit(effective_threads, None).result() == 1
        assert client.submit(effective_threads, 3).result() == 3
    assert effective_threads(None) == joblib.cpu_count()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_after_fork():
    code = """
import json, os, warnings
from quire import _core
warnings.simplefilter("ignore", DeprecationWarning)  # fork in a process with threads: not ours
parent, _ = _core.base.parallel_probe(200, 4, 0.1)
child = os.fork()
if child == 0:
    total, n_workers = _core.base.parallel_probe(200, 4, 0.1)
    os._exit(0 if total == parent and n_workers == 4 else 1)
_, status = os.waitpid(child, 0)
again, _ = _core.base.parallel_probe(200, 4, 0.1)
print(json.dumps([os.waitstatus_to_exitcode(status), again == parent]))
"""
    assert run_python(code) == [0, True]


# Ctrl-C ------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("n_threads", [1, 4])
@pytest.mark.parametrize(
    "loop", ["10_000_000, {}, 5.0", "{}, {}, 60_000.0"], ids=["many parts", "long parts"]
)
def test_ctrl_c_ends_a_long_kernel(n_threads, loop):
    loop = loop.format(n_threads, n_threads)
    code = f"from quire import _core; print('go', flush=True); _core.base.parallel_probe({loop})"
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "go\n"
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
        process.communicate()
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert process.returncode == -signal.SIGINT
