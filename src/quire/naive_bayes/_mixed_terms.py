"""The evidence of several parts of a model, side by side."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from scipy import sparse

from quire.naive_bayes._part import Piece

__all__ = ["MixedTerms"]


@dataclass(eq=False)
class MixedTerms:
    """Contributions of several parts side by side."""

    pieces: list[Piece]
    values: Any = field(init=False)

    def __post_init__(self) -> None:
        self.values = _side_by_side([piece.values for piece in self.pieces])

    def between(self, a: int, b: int) -> Any:
        """Return what every term adds to the log-odds of class number a against b."""
        return _side_by_side(
            [
                sparse.csr_array(
                    (piece.between(piece.values, a, b), piece.values.indices, piece.values.indptr),
                    shape=piece.values.shape,
                )
                for piece in self.pieces
            ]
        )

    def row(self, number: int) -> MixedTerms:
        """Return the same for one document."""
        rows = [number]
        return MixedTerms([replace(piece, values=piece.values[rows]) for piece in self.pieces])

    def is_count(self, column: int) -> bool:
        """Return whether the values of a term say how often it is there."""
        for piece in self.pieces:
            if column < piece.values.shape[1]:
                return piece.is_count
            column -= piece.values.shape[1]
        raise IndexError(column)


def _side_by_side(parts: list[Any]) -> Any:
    return sparse.csr_array(sparse.hstack([sparse.csr_array(part) for part in parts], format="csr"))
