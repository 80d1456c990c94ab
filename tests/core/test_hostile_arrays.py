"""Every native entry point is given spoiled arguments: it answers or raises, and never crashes."""

import numpy as np
import pytest
from tests.helpers.native_calls import MAKERS, entry_points, valid_call


def test_every_entry_point_has_a_maker():
    assert set(MAKERS) == set(entry_points())


@pytest.mark.parametrize("name", entry_points())
def test_valid_calls_succeed(name):
    for seed in range(5):
        valid_call(name, np.random.default_rng(seed)).run()
