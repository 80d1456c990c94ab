"""term_strings against its twin."""

import numpy as np
import pytest
from tests.helpers.text_kernels import native_terms
from tests.reference.text import texts as reference
from tests.reference.text.texts import AnalyzerOptions

from quire import _core

NAMES = ["alpha", "beta", "gr\N{LATIN SMALL LETTER U WITH DIAERESIS}n", "\ud800x", "\U0001f600"]


@pytest.mark.parametrize("width", [1, 2, 3])
def test_term_strings(width):
    names = NAMES + [" ".join(NAMES[:n]) for n in range(2, width + 1)]
    words, offsets, _, grams = native_terms(names, AnalyzerOptions(max_n=width))
    for chosen in ([], [0], list(range(len(names)))[::-1]):
        found = _core.text.term_strings(words, offsets, width, grams, np.array(chosen, np.int64))
        assert found == [names[term] for term in chosen]
        twin = reference.term_strings(words.tobytes(), offsets, width, grams.tolist(), chosen)
        assert found == twin
