"""Ctrl-C while trees grow: the call ends, and with it the trees that other threads grow."""

import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from quire import _core
from quire.ensemble import RandomForestClassifier

GROW = """
import numpy as np
from {module} import {name}

rng = np.random.default_rng(0)
X = rng.normal(size=(400_000, 30)).astype(np.float32)
y = rng.integers(0, 2, 400_000)
print("go", flush=True)
try:
    {name}({options}).fit(X, y)
except KeyboardInterrupt:
    print("stopped", flush=True)
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
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
    finally:
        process.kill()
        process.communicate()
    assert output == "stopped\n"
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


def test_a_fit_that_fails_stops_the_trees_of_its_other_threads():
    """And only those: another fit has data of its own."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3)).astype(np.float32)
    y = rng.integers(0, 2, 50)
    stopped = []

    def fail(y, shares):
        stopped.append(forest._growth)
        raise RuntimeError("no")

    forest = RandomForestClassifier(20, oob_score=fail, random_state=0)
    with pytest.raises(RuntimeError, match="no"):
        forest.fit(X, y)
    with pytest.raises(KeyboardInterrupt), stopped[0].rows(X, X):
        pass
    forest.set_params(oob_score=False).fit(X, y)
