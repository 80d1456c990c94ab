"""An explanation: one decision in parts that add up, on the words of its text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from quire._shared.evidence import DocumentParts, TermEvidence
from quire._shared.notebooks import ShownInNotebooks
from quire._shared.term_weights import plain

__all__ = ["Explanation", "Explanations", "Passage", "Span", "Word"]


N_TERMS = 10  # shown, where the caller did not say


@dataclass(frozen=True, slots=True)
class Span:
    """One occurrence of a term in a text.

    Attributes
    ----------
    start, end : int
        Its place: ``text[start:end]``, whatever lower case and accents did to it since.
    term : str
        The term as the model knows it.
    contribution : float
        Its share of what the term contributes: the same for all its occurrences.
    field : object
        The column of the table that the text is in; ``None`` where documents are texts.
    """

    start: int
    end: int
    term: str
    contribution: float
    field: Any = None


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text and what it adds to the decision.

    Attributes
    ----------
    start, end : int
        Its place in the text.
    score : float
        The sum over all terms in which it occurs of their contributions, each divided by the number
        of words (of characters, for n-grams of characters) that the occurrence has.
    is_known : bool
        Whether a term of the model occurs here.
    """

    start: int
    end: int
    score: float
    is_known: bool = True


@dataclass(frozen=True, eq=False)
class Passage(ShownInNotebooks):
    """A text of the explained document, with its words.

    Attributes
    ----------
    text : str
        As it was given.
    field : object
        The column of the table that it is in; ``None`` where documents are texts.
    words : list of Word
        The words, in the order of the text; they do not overlap.
    is_located : bool
        ``False`` where the vectorizer leaves no positions: there are no spans and words then.
    make_spans : callable
        Makes `spans` when they are asked for: a long text has hundreds of thousands.
    """

    text: str
    field: Any
    words: list[Word]
    is_located: bool = True
    make_spans: Callable[[], list[Span]] = list

    @cached_property
    def spans(self) -> list[Span]:
        """Occurrences of terms, in the order of the text."""
        return sorted(self.make_spans(), key=lambda span: (span.start, span.end))

    def __reduce__(self) -> tuple[Any, ...]:
        made: Any = partial(list, self.spans)  # a function of a function cannot be pickled
        return Passage, (self.text, self.field, self.words, self.is_located, made)

    @property
    def n_words(self) -> int:
        """The number of words that the vectorizer sees."""
        return len(self.words)

    @property
    def n_unknown(self) -> int:
        """The number of words in which no term of the model occurs."""
        return sum(not word.is_known for word in self.words)


@dataclass(frozen=True, eq=False)
class Explanation:
    """Why a model decided as it did about one document.

    ``score == offset + sum(term.contribution for term in terms)``, up to rounding, and the score is
    the difference of the decision values or joint log probabilities of `target` and `against`, the
    share of `target` (trees and forests), or the predicted number.

    Attributes
    ----------
    prediction : object
        What the model predicts.
    target, against : object
        The two classes that are compared; `against` is ``None`` where it is the share of one class
        that is explained, and both are where a number is predicted (`target` is the number of the
        output if there are several).
    headline : str
        What a positive score speaks for.
    score : float
        The sum of all parts. `log_odds` is another name for it.
    offset : float
        What is said before anything is read: prior or intercept.
    probabilities : dict from class to float, or None
        Probabilities of all classes, if the model has them.
    names : ndarray of shape (n_parts,)
        The terms of `parts`; numbers of columns where names are not known.
    parts : DocumentParts
        Values and contributions as arrays.
    is_count : ndarray of shape (n_parts,)
        Whether values say how often a term is there; otherwise they are measurements.
    passages : list of Passage
        The texts of the document, with its words.
    notes : list of str
        What else a reader should know.
    n_terms : int or None
        How many terms are shown; 10 if ``None``.
    part_noun : str
        What one part is: a "term", or a "document" where documents decided.
    """

    prediction: Any
    target: Any
    against: Any
    headline: str
    score: float
    offset: float
    probabilities: dict[Any, float] | None
    names: NDArray[Any]
    parts: DocumentParts
    is_count: NDArray[np.bool_]
    passages: list[Passage]
    notes: list[str]
    n_terms: int | None = None
    part_noun: str = "term"

    @property
    def log_odds(self) -> float:
        """The sum of all parts: for naive Bayes and logistic regression, the log-odds."""
        return self.score

    @property
    def text(self) -> str | None:
        """The text, if the document has one only."""
        return self.passages[0].text if len(self.passages) == 1 else None

    @property
    def n_words(self) -> int:
        """The number of words in all texts."""
        return sum(passage.n_words for passage in self.passages)

    @property
    def n_unknown(self) -> int:
        """The number of words that the model does not know."""
        return sum(passage.n_unknown for passage in self.passages)

    @property
    def spans(self) -> list[Span]:
        """Where terms occur, in all texts."""
        return [span for passage in self.passages for span in passage.spans]

    @cached_property
    def terms(self) -> list[TermEvidence]:
        """All terms with value and contribution, from the largest contribution down."""
        return self.strongest(None)

    def strongest(self, n_terms: int | None) -> list[TermEvidence]:
        """Return the terms with the largest contributions, of either sign.

        Parameters
        ----------
        n_terms : int or None
            How many; all if ``None``.

        Returns
        -------
        list of TermEvidence
            From the largest down.
        """
        parts = self.parts
        order = np.argsort(-np.abs(parts.contributions), kind="stable")[:n_terms]
        return [
            TermEvidence(
                plain(self.names[i]),
                float(parts.values[i]),
                float(parts.contributions[i]),
                bool(self.is_count[i]) and float(parts.values[i]).is_integer(),
            )
            for i in order
        ]

    def shown(self, n_terms: int | None = None) -> tuple[list[TermEvidence], int, float]:
        """Return the terms that a table shows, and how many others there are with their sum.

        Parameters
        ----------
        n_terms : int or None
            How many; that of the explanation if ``None``.
        """
        n = n_terms if n_terms is not None else self.n_terms
        terms = self.strongest(N_TERMS if n is None else n)
        order = np.argsort(-np.abs(self.parts.contributions), kind="stable")[len(terms) :]
        return terms, len(order), float(self.parts.contributions[order].sum())

    def table(self, n_terms: int | None = None) -> str:
        """Return the most telling terms as lines of text.

        Parameters
        ----------
        n_terms : int, default=None
            How many; the others are summed up in one line.
        """
        from quire.inspection._as_text import table

        return table(self, n_terms)

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return f"<Explanation: {self.score:+.4f} {self.headline}, {len(self.names)} terms>"

    def to_rich(
        self,
        width: int | None = None,
        *,
        n_terms: int | None = None,
        max_chars: int | None = None,
    ) -> Any:
        """Return coloured text and table for a terminal.

        Blue words speak for the target, orange ones against it; the table says so with signs, for
        terminals without colours.

        Parameters
        ----------
        width : int, default=None
            The most columns to use; those of the terminal if ``None``.
        n_terms : int, default=None
            How many terms the table has.
        max_chars : int, default=None
            About how much is shown of each text: the part whose words say most. All if ``None``.

        Returns
        -------
        rich.console.RenderableType
            For ``rich.print``.
        """
        from quire.inspection._as_rich import to_rich

        return to_rich(self, width, n_terms, max_chars)

    def __rich__(self) -> Any:
        return self.to_rich()

    def to_html(self, *, n_terms: int | None = None, max_chars: int | None = None) -> str:
        """Return a piece of HTML that needs nothing else: the text with its words, and the table.

        Parameters
        ----------
        n_terms : int, default=None
            How many terms the table has.
        max_chars : int, default=None
            About how much is shown of each text: the part whose words say most. All if ``None``.

        Returns
        -------
        str
            One ``div`` with its own style. Texts and names are escaped.
        """
        from quire.inspection._as_html import to_html

        return to_html(self, n_terms, max_chars)

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python objects that ``json.dumps`` takes.

        Returns
        -------
        dict
            Terms are cut to `n_terms` if that was given. Infinite numbers are strings.
        """
        from quire.inspection._as_text import to_dict

        return to_dict(self)


class Explanations(Sequence[Explanation]):
    """The explanations of several documents: a list whose items are made when they are read.

    Parameters
    ----------
    n : int
        How many.
    make : callable
        From the number of a document to its explanation.
    """

    def __init__(self, n: int, make: Callable[[int], Explanation]) -> None:
        self._n = n
        self._make = make

    def __len__(self) -> int:
        return self._n

    @overload
    def __getitem__(self, item: int) -> Explanation: ...

    @overload
    def __getitem__(self, item: slice) -> Explanations: ...

    def __getitem__(self, item: int | slice) -> Explanation | Explanations:
        places = range(self._n)[item]
        if isinstance(places, range):
            return Explanations(len(places), lambda i: self._make(places[i]))
        return self._make(places)

    def __iter__(self) -> Iterator[Explanation]:
        return (self._make(i) for i in range(self._n))

    def __repr__(self) -> str:
        return f"<Explanations of {self._n} documents>"

    def __str__(self) -> str:
        return "\n\n".join(map(str, self))

    def __rich__(self) -> Any:
        return self.to_rich()

    def to_rich(
        self,
        width: int | None = None,
        *,
        n_terms: int | None = None,
        max_chars: int | None = None,
    ) -> Any:
        """Return coloured texts and tables for a terminal, one after another.

        Parameters
        ----------
        width, n_terms, max_chars
            As for :meth:`Explanation.to_rich`.
        """
        from rich.console import Group

        return Group(*(item.to_rich(width, n_terms=n_terms, max_chars=max_chars) for item in self))

    def to_html(self, *, n_terms: int | None = None, max_chars: int | None = None) -> str:
        """Return the pieces of HTML of all explanations, one after another.

        Parameters
        ----------
        n_terms : int, default=None
            How many terms each table has.
        max_chars : int, default=None
            About how much is shown of each text.
        """
        return "\n".join(item.to_html(n_terms=n_terms, max_chars=max_chars) for item in self)

    def _repr_html_(self) -> str:
        most = 20  # a notebook is not the place for a corpus
        shown = self[:most].to_html()
        rest = self._n - most
        return shown if rest <= 0 else f"{shown}\n<p>and {rest} more</p>"

    def to_dict(self) -> list[Mapping[str, Any]]:
        """Return a list with the ``to_dict`` of each explanation."""
        return [item.to_dict() for item in self]
