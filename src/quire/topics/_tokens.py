"""The topic of every token of a document: texts coloured by topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quire._shared.locate import locate
from quire._shared.topic_models import phi_of, relevant_words, terms_of, topic_sizes
from quire._shared.typing import Floats, Ints

__all__ = ["TokenTopics", "token_topics"]

_COLOURS = ("#d55e00", "#0072b2", "#00805f", "#b0518a", "#b07800", "#6a4fb0")
_WORDS = 5


@dataclass(frozen=True, eq=False, repr=False)
class TokenTopics:
    """A text with the topic of each of its tokens, from :func:`token_topics`.

    In a notebook it shows itself, coloured.

    Attributes
    ----------
    text : str
        The document.
    start, end : ndarray of shape (n_tokens,)
        Where the tokens stand that the model knows.
    topic : ndarray of shape (n_tokens,)
        The most probable topic of each.
    probability : ndarray of shape (n_tokens,)
        How probable it is.
    theta : ndarray of shape (n_topics,)
        The shares of topics in the document.
    words : list of lists of str
        For each topic its most relevant words.
    """

    text: str
    start: Ints
    end: Ints
    topic: Ints
    probability: Floats
    theta: Floats
    words: list[list[str]]

    @property
    def table(self) -> pl.DataFrame:
        """The tokens: the columns ``token``, ``start``, ``end``, ``topic`` and ``probability``."""
        places = zip(self.start.tolist(), self.end.tolist(), strict=True)
        return pl.DataFrame(
            {
                "token": pl.Series([self.text[a:b] for a, b in places], dtype=pl.String),
                "start": self.start,
                "end": self.end,
                "topic": self.topic,
                "probability": self.probability,
            }
        )

    def topics(self) -> list[tuple[int, int]]:
        """Return the topics that tokens have, and how many: the most frequent first."""
        counts = np.bincount(self.topic, minlength=len(self.theta))
        order = np.argsort(-counts, kind="stable")
        return [(int(k), int(counts[k])) for k in order if counts[k]]

    def __repr__(self) -> str:
        return f"<TokenTopics: {len(self.topic)} tokens of {len(self.topics())} topics>"

    def _repr_html_(self) -> str:
        found = self.topics()
        colours = {k: _COLOURS[n] for n, (k, _) in enumerate(found) if n < len(_COLOURS)}
        pieces, place = [], 0
        for n, (a, b) in enumerate(zip(self.start.tolist(), self.end.tolist(), strict=True)):
            k = int(self.topic[n])
            is_last = n + 1 == len(self.topic) or self.topic[n + 1] != k
            mark = f"<sup>{k}</sup>" if is_last else ""
            about = f"topic {k}, {self.probability[n]:.0%}: {' '.join(self.words[k])}"
            pieces.append(
                f"{escape(self.text[place:a])}{_chip(colours.get(k), escape(about))}"
                f"{escape(self.text[a:b])}</span>{mark}"
            )
            place = b
        pieces.append(escape(self.text[place:]))
        legend = "".join(
            f"<li>{_chip(colours.get(k), '')}{k}</span> {escape(' '.join(self.words[k]))}: "
            f"{n} tokens</li>"
            for k, n in found
        )
        return (
            f'<div dir="auto" style="white-space:pre-wrap">{"".join(pieces)}</div>'
            f'<ul style="list-style:none;padding:0">{legend}</ul>'
        )


def _chip(colour: str | None, title: str) -> str:
    shade = f"{colour}33" if colour else "#88888822"
    return (
        f'<span title="{title}" style="background:{shade};'
        f'border-bottom:2px solid {colour or "#888888"}">'
    )


def token_topics(
    model: Any, texts: Any, *, theta: Any = None, vectorizer: Any = None, vocabulary: Any = None
) -> TokenTopics | list[TokenTopics]:
    r"""Return the most probable topic of each token of a document, given the document.

    Parameters
    ----------
    model : fitted topic model, or array-like of shape (n_topics, n_words)
        With ``phi_`` or ``components_`` and, unless `theta` is given, ``transform``.
    texts : str or sequence of str
        A document, or several.
    theta : array-like of shape (n_topics,) or (n_documents, n_topics), default=None
        The shares of topics in the documents, such as rows of ``model.theta_``; ``None``
        transforms them.
    vectorizer : vectorizer, default=None
        What cut the texts of the model into words, if the model does not know it.
    vocabulary : sequence of str, default=None
        The words of the columns, if neither the model nor the vectorizer knows them.

    Returns
    -------
    TokenTopics or list of TokenTopics
        One for each document.

    Raises
    ------
    ValueError
        If the vectorizer leaves no positions, or `theta` does not fit.

    Notes
    -----
    The probability of topic z for word w in document d is

    .. math:: p(z \mid w, d) = \frac{\theta_{dz} \phi_{zw}}{\sum_j \theta_{dj} \phi_{jw}},

    with the means over the samples that the model kept for phi and theta. The sampler's own
    assignments, ``topic_assignments_``, are one draw of it. A word that several terms cover, as
    with n-grams, has the mean of theirs.

    Examples
    --------
    >>> from quire.decomposition import LatentDirichletAllocation
    >>> from quire.topics import token_topics
    >>> texts = ["cat dog cat", "dog cat dog", "tax vote law", "law tax vote"] * 5
    >>> model = LatentDirichletAllocation(2, random_state=0, max_iter=60).fit(texts)
    >>> found = token_topics(model, "My cat voted for a lower tax.")
    >>> found
    <TokenTopics: 2 tokens of 2 topics>
    >>> found.table["token"].to_list()
    ['cat', 'tax']
    """
    is_one = isinstance(texts, str)
    documents: Sequence[str] = [texts] if is_one else [text or "" for text in texts]
    phi = phi_of(model)
    cutter = vectorizer if vectorizer is not None else getattr(model, "vectorizer_", None)
    if cutter is None:
        raise ValueError("the model has no vectorizer_; pass the one that made its counts.")
    names = terms_of(model, cutter if vocabulary is None else vocabulary, phi.shape[1])
    assert names is not None
    if theta is None:
        if not hasattr(model, "transform"):
            raise ValueError("topics alone do not know the shares of a document; pass theta=.")
        cut = documents if hasattr(model, "vectorizer_") else cutter.transform(documents)
        theta = model.transform(cut)
    shares = np.atleast_2d(np.asarray(theta, dtype=np.float64))
    if shares.shape != (len(documents), len(phi)):
        raise ValueError(
            f"theta has shape {shares.shape}; expected {len(documents)} rows of {len(phi)} topics."
        )
    columns = {str(name): number for number, name in enumerate(names)}
    words = relevant_words(phi, topic_sizes(model, phi), names, _WORDS)
    words = [[str(word) for word in own] for own in words]
    found = [
        _document(text, row, phi, cutter, columns, words)
        for text, row in zip(documents, shares, strict=True)
    ]
    return found[0] if is_one else found


def _document(
    text: str,
    theta: Floats,
    phi: Floats,
    vectorizer: Any,
    columns: dict[str, int],
    words: list[list[str]],
) -> TokenTopics:
    start, end, posterior = _posterior(text, theta, phi, vectorizer, columns)
    topic = posterior.argmax(axis=1)
    probability = posterior.max(axis=1) if len(posterior) else np.empty(0)
    return TokenTopics(text, start, end, topic, probability, theta, words)


def _posterior(
    text: str, theta: Floats, phi: Floats, vectorizer: Any, columns: dict[str, int]
) -> tuple[Ints, Ints, Floats]:
    """Return where the tokens of a text stand, and the probabilities of topics of each."""
    located = locate(vectorizer, text, columns)
    if located is None:
        raise ValueError(
            "the vectorizer has a tokenizer or an analyzer of its own, which leaves no positions."
        )
    joint = phi[:, located.column].T * theta  # (occurrences, topics)
    sums = joint.sum(axis=1, keepdims=True)
    own = np.divide(joint, sums, out=np.zeros_like(joint), where=sums > 0)
    n = len(located.word_start)
    posterior = np.zeros((n, len(phi)))
    np.add.at(posterior, located.covered, own[located.covering] * located.share[:, None])
    totals = posterior.sum(axis=1)
    kept: NDArray[np.bool_] = totals > 0
    return (
        located.word_start[kept].astype(np.int64),
        located.word_end[kept].astype(np.int64),
        posterior[kept] / totals[kept, None],
    )
