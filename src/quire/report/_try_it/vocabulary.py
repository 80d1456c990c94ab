"""The terms of a model that is taken apart: those of all its blocks together, and what they matter.

Terms that move scores least, times how often they occur, are the first to be left out of a page.
The norm of a row needs them, too: what a term that is not there adds to it on average is measured
on documents, by the number of its words or characters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quire._shared.typing import Floats
from quire.feature_extraction.text import Cutting
from quire.report._try_it.parts import Block, Parts

__all__ = [
    "Agreement",
    "Kept",
    "LeftOut",
    "Vocabulary",
    "agreement_of",
    "left_out",
    "mean_values",
    "spread_of",
]

_MEASURED = 600  # documents: half to learn from, half to see how well that does
_LONGEST = 20_000  # characters of them that are read


@dataclass(frozen=True)
class Agreement:
    """How a page without all terms does on documents of the corpus.

    Attributes
    ----------
    documents : int
        How many were asked about.
    same : int
        Of how many the decision is that of the model.
    error : float
        By how much a score differs from that of the model, in 95 of 100 documents at most.
    """

    documents: int
    same: int
    error: float


@dataclass(frozen=True, eq=False)
class Kept:
    """The terms of a page.

    Attributes
    ----------
    names : list of ndarray of str
        Of each way of cutting, in order.
    columns, places : list of ndarray of int
        Of each block those of its terms that are kept, and their places among the names.
    """

    names: list[NDArray[Any]]
    columns: list[NDArray[np.intp]]
    places: list[NDArray[np.intp]]


class Vocabulary:
    """The terms of all blocks; of blocks that cut alike, those that are equal are one.

    Parameters
    ----------
    parts : Parts
        The model.

    Attributes
    ----------
    cuts : list of Cutting
        The ways of cutting.
    cut_of : list of int
        The way of each block.
    importance : ndarray of shape (n_terms,)
        By how much each term moves the scores of documents on average.
    """

    def __init__(self, parts: Parts) -> None:
        self.cuts: list[Cutting] = []
        self.cut_of: list[int] = []
        keys: list[Any] = []
        for block in parts.blocks:
            if block.key not in keys:
                keys.append(block.key)
                self.cuts.append(block.cutting)
            self.cut_of.append(keys.index(block.key))
        self._blocks = parts.blocks
        self._names: list[NDArray[Any]] = []
        self._places: list[NDArray[np.intp]] = [np.empty(0, dtype=np.intp)] * len(parts.blocks)
        start = 0
        for number in range(len(self.cuts)):
            mine = [i for i, cut in enumerate(self.cut_of) if cut == number]
            listed = [parts.blocks[i].terms.tolist() for i in mine]
            together = sorted(set().union(*listed))
            place = {term: at for at, term in enumerate(together, start)}
            for i, terms in zip(mine, listed, strict=True):
                self._places[i] = np.fromiter(map(place.__getitem__, terms), np.intp, len(terms))
            names = np.empty(len(together), dtype=object)
            names[:] = together
            self._names.append(names)
            start += len(together)
        self.importance = np.zeros(start)
        spread = spread_of(parts)
        for block, places in zip(parts.blocks, self._places, strict=True):
            self.importance[places] += _moved(block, spread)

    def __len__(self) -> int:
        return len(self.importance)

    def kept(self, chosen: NDArray[np.intp]) -> Kept:
        """Return some of the terms.

        Parameters
        ----------
        chosen : ndarray of int
            Their places, rising.
        """
        stays = np.zeros(len(self), dtype=bool)
        stays[chosen] = True
        names, starts, start = [], [], 0
        for of_cut in self._names:
            mine = stays[start : start + len(of_cut)]
            names.append(of_cut[mine])
            starts.append(start)
            start += len(of_cut)
        number = np.cumsum(stays) - 1
        columns, places = [], []
        for block_places, cut in zip(self._places, self.cut_of, strict=True):
            order = np.argsort(block_places)
            mine = order[stays[block_places[order]]]
            columns.append(mine)
            before = int(stays[: starts[cut]].sum())
            places.append((number[block_places[mine]] - before).astype(np.intp))
        return Kept(names, columns, places)


def spread_of(parts: Parts) -> float:
    """Return by how much scores differ as a rule; a few long documents do not change it."""
    middle = np.median(parts.scores, axis=0)
    spread = 1.4826 * float(np.median(np.abs(parts.scores - middle)))
    return spread or float(parts.scores.std()) or 1.0


def mean_values(block: Block) -> Floats:
    """Return the mean value of each term over documents, above zero for those without any."""
    sums = np.asarray(block.values.sum(axis=0)).ravel()
    usual = float(block.values.data.mean()) if block.values.nnz else 1.0
    mean: Floats = (sums + 0.5 * max(usual, 1e-12)) / (block.values.shape[0] + 1)
    return mean


def _moved(block: Block, spread: float) -> Floats:
    """Return by how much each term of a block moves scores."""
    if block.weights.shape[1] == 1:
        widest = np.abs(block.weights[:, 0])
    else:
        widest = np.ptp(block.weights, axis=1)
    moved: Floats = mean_values(block) * widest
    if block.norm == 2:  # what is missing in the norm is missing in all scores
        squares = np.asarray(block.values.power(2).mean(axis=0)).ravel()
        moved += spread * squares * block.scale**2 / 2
    return moved


# What is left out ---------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class LeftOut:
    """What the terms of a block that are left out can add.

    Attributes
    ----------
    low, high : ndarray of shape (n_scores,)
        The least and the largest weight; zero lies between them.
    most : float
        The largest scale.
    means : dict from int to float
        What a term that is not kept adds to the power of the norm on average, by its length.
    """

    low: Floats
    high: Floats
    most: float
    means: dict[int, float]


def left_out(
    parts: Parts, kept: Kept, sample: Sequence[str]
) -> tuple[list[LeftOut | None], Agreement]:
    """Return what the terms that are left out can add, and how well a page does without them.

    Parameters
    ----------
    parts : Parts
        The model.
    kept : Kept
        The terms that are not left out.
    sample : sequence of str
        Documents.
    """
    step = max(1, len(sample) // _MEASURED)
    texts = [text[:_LONGEST] for text in sample[::step]]
    found: list[LeftOut | None] = []
    whole = np.tile(parts.offset, (len(texts), 1))
    without = whole.copy()
    for block, columns in zip(parts.blocks, kept.columns, strict=True):
        out = np.ones(len(block.terms), dtype=bool)
        out[columns] = False
        counted = _Counted(block, out, texts)
        whole += counted.sums(np.ones(len(out), dtype=bool), None)
        if not out.any():
            without += counted.sums(~out, None)
            found.append(None)
            continue
        means = counted.means() if block.norm else {}
        without += counted.sums(~out, means)
        W = block.weights[out]
        found.append(
            LeftOut(
                np.minimum(W.min(axis=0), 0),
                np.maximum(W.max(axis=0), 0),
                float(block.scale[out].max()),
                means,
            )
        )
    return found, agreement_of(parts, whole[1::2], without[1::2])


class _Counted:
    """Documents counted in all their terms, those that the model does not have as well."""

    def __init__(self, block: Block, out: NDArray[np.bool_], texts: list[str]) -> None:
        self.block = block
        counter = block.counter
        X = sparse.csr_array(counter.fit_transform(texts))
        terms = counter.get_feature_names_out().tolist()
        column = {term: number for number, term in enumerate(block.terms.tolist())}
        self.column = np.fromiter((column.get(term, -1) for term in terms), np.intp, len(terms))
        self.is_out = (self.column < 0) | out[self.column]
        self.length = np.array([length_of(term, block.cutting) for term in terms])
        data = X.data.astype(np.float64)
        if block.binary:
            data[:] = 1
        elif block.log:
            data = 1 + np.log(data)
        if block.presence is not None:
            data = (data > block.presence).astype(np.float64)
        self.values = sparse.csr_array((data, X.indices, X.indptr), shape=X.shape)

    def means(self) -> dict[int, float]:
        """Return what a term that is not kept adds to the power of the norm, by its length."""
        known = np.where(self.column >= 0, self.block.scale[self.column], 0.0)
        half = self.values[::2]
        powers = half.data**self.block.norm
        added = powers * known[half.indices] ** self.block.norm
        found = {}
        for length in np.unique(self.length).tolist():
            here = (self.is_out & (self.length == length))[half.indices]
            total = float(powers[here].sum())
            found[length] = float(added[here].sum()) / total if total else 0.0
        return found

    def sums(self, chosen: NDArray[np.bool_], means: dict[int, float] | None) -> Floats:
        """Return the scores of some terms, with the norm of all, or of these and means."""
        block = self.block
        has = (self.column >= 0) & chosen[self.column]
        W = np.where(has[:, None], block.weights[self.column], 0.0)
        scores = np.asarray(self.values @ W)
        if block.norm == 0:
            return scores
        scale = np.where(has, block.scale[self.column], 0.0) ** block.norm
        if means is not None:
            usual = np.array([means[length] for length in self.length.tolist()])
            scale = scale + np.where(self.is_out, usual, 0.0)
        powers = sparse.csr_array(
            (self.values.data**block.norm, self.values.indices, self.values.indptr),
            shape=self.values.shape,
        )
        norms = np.asarray(powers @ scale) ** (1 / block.norm)
        return scores / np.where(norms > 0, norms, 1.0)[:, None]


def length_of(term: str, cutting: Cutting) -> int:
    """Return of how many words or characters a term is made."""
    if cutting.analyzer != "word":
        return len(term)
    return 1 if cutting.ngram_range[1] == 1 else term.count(" ") + 1


def agreement_of(parts: Parts, whole: Floats, without: Floats) -> Agreement:
    """Return how scores agree with those of the model.

    Parameters
    ----------
    parts : Parts
        The model.
    whole, without : ndarray of shape (n_documents, n_scores)
        Scores with all terms, and with those that are kept.
    """
    if parts.answer.kind == "number":
        same = np.ones(len(whole), dtype=bool)
    elif parts.answer.kind == "labels":
        same = ((whole > 0) == (without > 0)).all(axis=1)
    elif whole.shape[1] == 1:
        cuts = np.array(parts.answer.cutoffs or [0.0])
        same = (np.sum(whole > cuts, axis=1)) == (np.sum(without > cuts, axis=1))
    else:
        same = whole.argmax(axis=1) == without.argmax(axis=1)
    error = np.abs(whole - without).max(axis=1)
    return Agreement(len(whole), int(same.sum()), float(np.quantile(error, 0.95)))
