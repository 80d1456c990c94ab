"""Near each other: clusters whose centres point in similar directions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from quire._shared.page.sections import Section, paragraph, section
from quire._shared.page.tables import table
from quire._shared.typing import AnyArray

if TYPE_CHECKING:
    from quire.report._clusters.report import ClusterReportData

__all__ = ["ClusterPair", "near_section", "pairs_of"]

_PAIRS = 15


@dataclass(frozen=True)
class ClusterPair:
    """Two clusters whose centres point in similar directions."""

    one: int
    other: int
    cosine: float


def pairs_of(centers: AnyArray) -> list[ClusterPair]:
    """Return the clusters that are most alike."""
    lengths = np.linalg.norm(centers, axis=1, keepdims=True)
    unit = np.divide(centers, lengths, out=np.zeros_like(centers), where=lengths > 0)
    cosines = unit @ unit.T
    one, other = np.triu_indices(len(cosines), 1)
    values = cosines[one, other]
    order = np.argsort(-values, kind="stable")[:_PAIRS]
    return [ClusterPair(int(one[i]), int(other[i]), round(float(values[i]), 3)) for i in order]


def near_section(report: ClusterReportData) -> Section:
    """Return the pairs of clusters that are most alike."""
    name, title = "near", "Near each other"
    if not report.pairs:
        return section(name, title)
    words = {one.cluster: f"{one.cluster}: {' '.join(one.terms[:4])}" for one in report.clusters}
    rows = [[words[one.one], words[one.other], f"{one.cosine:.2f}"] for one in report.pairs]
    intro = paragraph(
        "Pairs of clusters whose centres are most alike, by the cosine between them. Near 1 "
        "they are about the same things: fewer clusters would join them."
    )
    heads = ["Cluster", "Cluster", "Cosine"]
    return section(name, title, intro, table(heads, rows, "Clusters that are alike"))
