"""Compiled kernels: arrays in, arrays out. Private; use the classes of quire.

Written by ``make stubs``. What a kernel does is described in its header under cpp/.
"""

from typing import Any, Protocol, TypeAlias

from numpy.typing import NDArray

from quire._core import base as base
from quire._core import cluster as cluster
from quire._core import corpus as corpus
from quire._core import counts as counts
from quire._core import linear as linear
from quire._core import margins as margins
from quire._core import neighbors as neighbors
from quire._core import sparse as sparse
from quire._core import text as text
from quire._core import topics as topics
from quire._core import trees as trees

class SparseMatrix(Protocol):
    """A sparse matrix or array of scipy, by its parts."""

    data: Any
    indices: Any
    indptr: Any
    @property
    def shape(self) -> Any: ...
    @property
    def format(self) -> Any: ...

SparseArrays: TypeAlias = tuple[NDArray[Any], NDArray[Any], NDArray[Any], int]
Csr: TypeAlias = SparseMatrix | SparseArrays
Csc: TypeAlias = SparseMatrix | SparseArrays
