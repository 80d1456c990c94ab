"""How a vectorizer cuts texts into terms, as tables that another language can follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from quire._shared import accents
from quire.feature_extraction.text._automaton import Automaton, compiled
from quire.feature_extraction.text._engine import encodable
from quire.feature_extraction.text._kernels import KernelMixin
from quire.feature_extraction.text._negation import negating_words
from quire.feature_extraction.text._tokens import automaton_of_kinds

__all__ = ["Cutting", "cutting_of"]


@dataclass(frozen=True, eq=False)
class Cutting:
    """What is done to a text before terms are counted.

    Attributes
    ----------
    analyzer : {"word", "char", "char_wb"}
        What terms are made of.
    lowercase : bool
        Whether texts are lower-cased first, as ``str.lower`` does it.
    strip_accents : {"ascii", "unicode"} or None
        What happens to accents after that.
    automaton : Automaton or None
        Finds words; ``None`` where terms are characters.
    ngram_range : tuple of int
        The fewest and the most words, or characters, of a term.
    stop_words : tuple of str
        Words that are left out, before n-grams are made.
    negations : tuple of str or None
        Words that mark those behind them; ``None`` if there are no marks.
    """

    analyzer: str
    lowercase: bool
    strip_accents: str | None
    automaton: Automaton | None
    ngram_range: tuple[int, int]
    stop_words: tuple[str, ...]
    negations: tuple[str, ...] | None

    @property
    def key(self) -> tuple[Any, ...]:
        """What two cuttings have in common that find the same words; n-grams may differ."""
        automaton = None
        if self.automaton is not None:
            one = self.automaton
            tables = (one.starts, one.classes, one.next, one.accepts, one.first)
            automaton = (*(table.tobytes() for table in tables), one.skip, one.keep, one.drop)
        words = self.stop_words, self.negations
        return self.analyzer, self.lowercase, self.strip_accents, automaton, *words


def cutting_of(vectorizer: Any) -> Cutting | str:
    """Return how a vectorizer cuts texts, or why that cannot be written down as tables.

    Parameters
    ----------
    vectorizer : object
        With scikit-learn's parameters: quire's, or scikit-learn's own.
    """
    if not isinstance(vectorizer, KernelMixin):
        vectorizer = _twin(vectorizer)
    v: Any = vectorizer
    reason = v._python_reason()
    if reason is not None:
        return str(reason)
    if v.input != "content":
        return "documents are files"
    if v.analyzer == "word" and v.stemmer is not None:
        return "words are stemmed"
    without = v.strip_accents
    if callable(without):
        without = accents.named(without)
    automaton: Automaton | None = None
    stop_words: tuple[str, ...] = ()
    negations: tuple[str, ...] | None = None
    if v.analyzer == "word":
        found = automaton_of_kinds(v.tokens) if v.tokens else compiled(v.token_pattern)
        if isinstance(found, str):
            return found
        automaton = found[0]
        stop_words = tuple(sorted(set(encodable(v._dropped(v.get_stop_words() or ())))))
        if v.negation is not None:
            words = negating_words(v.negation, lowercase=bool(v.lowercase))
            negations = tuple(sorted(set(encodable(words))))
    low, high = v.ngram_range
    return Cutting(
        v.analyzer,
        bool(v.lowercase),
        without or None,
        automaton,
        (int(low), int(high)),
        stop_words,
        negations,
    )


def _twin(vectorizer: Any) -> Any:
    """Return a vectorizer of quire that cuts as one of scikit-learn does."""
    from quire.feature_extraction.text._count import CountVectorizer

    known = CountVectorizer().get_params()
    given = vectorizer.get_params()
    return CountVectorizer(**{name: given[name] for name in known if name in given})
