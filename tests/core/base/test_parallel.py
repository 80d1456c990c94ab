"""The parallel loop: same bits, every part once, errors and interrupts come out."""

import json
import subprocess
import sys
import threading

import pytest
from tests.reference.base.parallel_probe import parallel_probe

from quire import _core


@pytest.mark.parametrize("n_threads", [1, 2, 4, 64])
@pytest.mark.parametrize("n_parts", [0, 1, 2, 37, 500])
def test_parallel_probe_same_bits_at_any_number_of_threads(n_parts, n_threads):
    total, n_workers = _core.base.parallel_probe(n_parts, n_threads)
    assert total == parallel_probe(n_parts)
    assert n_workers <= min(n_threads, n_parts)


@pytest.mark.parametrize("n_threads", [-3, 0, 1])
def test_fewer_than_two_threads_means_the_calling_one(n_threads):
    assert _core.base.parallel_probe(5, n_threads)[1] == 1


def test_workers_share_the_parts():
    assert _core.base.parallel_probe(8, 4, spin_ms=30)[1] == 4


@pytest.mark.parametrize("n_threads", [1, 2, 4])
@pytest.mark.parametrize("failing_part", [0, 3, 19])
def test_an_exception_in_a_part_comes_out(failing_part, n_threads):
    with pytest.raises(RuntimeError, match=f"part {failing_part} failed"):
        _core.base.parallel_probe(20, n_threads, failing_part=failing_part)


def test_an_exception_ends_the_other_parts_too():
    # Part 0 would take a minute: it must notice that part 1 failed.
    with pytest.raises(RuntimeError, match="part 1 failed"):
        _core.base.parallel_probe(2, 2, spin_ms=60_000, failing_part=1)


@pytest.mark.parametrize("n_threads", [1, 2, 4, 16])
@pytest.mark.parametrize("spin_ms", [0.0, 2.0])
def test_a_team_runs_one_loop_after_another(n_threads, spin_ms):
    n_loops = 20 if spin_ms else 1000
    total, n_workers = _core.base.parallel_probe(5, n_threads, spin_ms, n_loops=n_loops)
    assert total == sum([parallel_probe(5)] * n_loops)
    assert n_workers <= min(n_threads, 5)
    if spin_ms and n_threads > 1:
        assert n_workers > 1


@pytest.mark.parametrize("n_threads", [1, 2, 4])
def test_a_team_survives_an_exception(n_threads):
    with pytest.raises(RuntimeError, match="part 3 failed"):
        _core.base.parallel_probe(20, n_threads, 0.1, failing_part=3, n_loops=5)


def test_loops_in_several_python_threads_at_once():
    expected = parallel_probe(50)
    totals = []
    threads = [
        threading.Thread(target=lambda: totals.append(_core.base.parallel_probe(50, 3, 0.2)[0]))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert totals == [expected] * 4


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_where_no_more_threads_can_start_the_others_do_the_work():
    code = """
import json, resource
from quire import _core
pages = int(open("/proc/self/statm").read().split()[0])
most = pages * resource.getpagesize() + (60 << 20)  # a thread's stack takes 8 MB of addresses
resource.setrlimit(resource.RLIMIT_AS, (most, most))
print(json.dumps(_core.base.parallel_probe(500, 200, 0.5)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    total, n_workers = json.loads(done.stdout)
    assert total == parallel_probe(500)
    assert n_workers < 100
