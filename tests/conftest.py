"""Settings of all the tests: how Hypothesis looks for examples, and Ctrl-C.

The default profile tries the same examples every time: a change is judged by what it changed.
``HYPOTHESIS_PROFILE=explore make test`` looks for new ones, with a blob to repeat a failure.
"""

import gc
import os
import signal

from hypothesis import settings

settings.register_profile("quire", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, derandomize=False, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quire"))

# A shell starts what runs in the background deaf to Ctrl-C; the tests of Ctrl-C need ears.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Keep the thousands of collected tests out of every later garbage collection."""
    gc.collect()
    gc.freeze()
