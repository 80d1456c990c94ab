"""For all tests and examples: figures are closed when each is over, whoever drew them."""

import sys


def pytest_runtest_teardown() -> None:
    """Close what a test or an example has drawn: matplotlib warns of many open figures."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")
