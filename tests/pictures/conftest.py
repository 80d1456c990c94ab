"""Figures are closed after each test."""

import matplotlib
import pytest

matplotlib.use("Agg")
from matplotlib import pyplot


@pytest.fixture(autouse=True)
def _closed():
    yield
    pyplot.close("all")
