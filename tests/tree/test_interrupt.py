"""Ctrl-C while trees grow: the call ends soon, in one thread and in several."""

import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from quire import _core

GROW = """
import sys, threading, time
import numpy as np
from {module} import {name}

rng = np.random.default_rng(0)
X = rng.normal(size=(400_000, 30)).astype(np.float32)
y = rng.integers(0, 2, 400_000)
print("go", flush=True)
try:
    {name}({options}).fit(X, y)
except KeyboardInterrupt:
    before = time.process_time()
    time.sleep(0.5)
    print("stopped", time.process_time() - before, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT for one process")
@pytest.mark.parametrize(
    ("module", "name", "options"),
    [
        ("quire.tree", "DecisionTreeClassifier", ""),
        ("quire.ensemble", "RandomForestClassifier", "20, max_features=None, n_jobs=2"),
    ],
)
def test_ctrl_c(module, name, options):
    code = GROW.format(module=module, name=name, options=options)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "go\n"
        time.sleep(1.5)
        start = time.perf_counter()
        process.send_signal(signal.SIGINT)
        word, still_used = process.stdout.readline().split()
        took = time.perf_counter() - start
        process.communicate(timeout=30)
    finally:
        process.kill()
        process.communicate()
    assert word == "stopped"
    assert took < 2.5  # half a second of it is spent looking whether other threads go on
    assert float(still_used) < 0.35
    assert process.returncode == 0


def test_stopped_rows_end_a_tree_in_another_thread():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60_000, 30)).astype(np.float32)
    data = _core.trees.TreeData(X, 1, np.empty(0, dtype=np.uint8))
    codes = rng.integers(0, 2, len(X)).astype(np.int32)
    limits = (30, 2**62, 2, 1, 0.0, 0.0, 0)
    timer = threading.Timer(0.1, data.stop)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        data.grow_class_tree(codes, 2, np.empty(0), 0, False, 0, limits)
    timer.join()
    with pytest.raises(KeyboardInterrupt):
        data.grow_class_tree(codes, 2, np.empty(0), 0, False, 0, limits)
