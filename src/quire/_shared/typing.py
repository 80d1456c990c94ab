"""The array types of quire, each named once: what a signature means by ``Floats`` or ``Codes``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["AnyArray", "Bools", "Codes", "Floats", "Ints", "Objects", "Places", "Reals", "Singles"]

AnyArray = NDArray[Any]
Bools = NDArray[np.bool_]
Codes = NDArray[np.int32]  # classes, clusters or categories as numbers
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Objects = NDArray[np.object_]
Places = NDArray[np.intp]  # what NumPy indexes with
Reals = NDArray[Any]  # float32 or float64, as the data are
Singles = NDArray[np.float32]
