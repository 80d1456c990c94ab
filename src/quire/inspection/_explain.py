r"""Why this prediction: any model whose decisions are sums, explained on the words of its texts.

.. math:: s_a - s_b = (o_a - o_b) + \sum_i (e_{ia} - e_{ib})

The sum on the right is exact, not an approximation of the model near the document.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quire._shared.decisions import predicted_labels
from quire._shared.evidence import DocumentParts, Evidence
from quire._shared.fitted import check_is_fitted, derives_from, is_classifier
from quire._shared.joined_evidence import JoinedTerms
from quire._shared.locate import Located, locate
from quire._shared.term_weights import plain
from quire.inspection._adapters import evidence_of, unexplained
from quire.inspection._additive import AdditiveDecisions, NamesItsParts, SaysWhatItIs
from quire.inspection._documents import as_batch, text_of
from quire.inspection._explanation import Explanation, Explanations, Passage, Span, Word
from quire.inspection._label_sets import LabelEvidence
from quire.inspection._origins import (
    Origins,
    TextSource,
    origins_of,
    reads_table,
    sources_of,
)
from quire.kinds import Inside, Predicts, classes_of, kind_of, look_inside, takes_of

__all__ = ["explain"]

_TABLE = "quire.feature_extraction.table.TableEncoder"


def explain(
    model: Any, text: Any, *, target: Any = None, against: Any = None, n_terms: int | None = None
) -> Any:
    """Say why a model decided as it did, in contributions of words that add up to the decision.

    Parameters
    ----------
    model : estimator
        Fitted: a pipeline from texts to a naive Bayes model, a linear classifier or regression, a
        discriminant, an ordinal regression, a support vector machine, nearest neighbours, a tree
        or a forest, quire's or scikit-learn's; a model of ``fit_text``; a model over tables of
        texts, categories and numbers (MixedNB, ColumnTransformer); one of these models alone, for
        rows of its matrix; a search or a calibrated classifier around one of them. Other kinds
        join by
        :func:`register_evidence`.
    text : str, sequence of str, mapping, data frame or matrix
        One text, or several; for models of tables one row as a mapping, or several as a data frame.
    target : object, or list of them, default=None
        The class that is explained; the predicted one if ``None``. Where a document may have
        several labels, one of them; each that is predicted if ``None``, or else the nearest to it.
        For a regression with several outputs the number of one of them. A list has one for each of
        several documents.
    against : object, or list of them, default=None
        The class that it is compared with; the one with the next highest score if ``None``. Trees
        and forests compare with no class then: the parts add up to the share of the target.
    n_terms : int, default=None
        How many terms are shown; 10 if ``None``. The explanation itself has all of them.

    Returns
    -------
    Explanation or Explanations
        One explanation for one document, a list of them for several. Where a document may have
        several labels and none is named, one document has a list, too: an explanation for each.

    Raises
    ------
    TypeError
        If the decisions of such a model are not sums of parts.
    ValueError
        If a class is unknown, or a text is missing.

    See Also
    --------
    top_evidence : The strongest terms of a model, whatever the text.
    register_evidence : For models of other kinds.

    Notes
    -----
    The score is the difference of joint log probabilities for naive Bayes, that of decision values
    for linear classifiers (with two classes the decision value of the second, or minus it), the
    prediction for regressions, and the distance from a threshold for ordered classes. Nearest
    neighbours are explained by the training documents that decided: the score is the difference of
    the shares of votes, and a part is a document with its distance. Trees and forests start with
    the class shares, or the mean, of the training data; a part is what the questions about a column
    changed on the way to the leaf, the mean over all trees. Words that are absent have parts, too.

    A label of several is explained against not having it, and its threshold is a part of what is
    there before anything is read: the score is above 0 where the label is predicted.

    What a term contributes is split evenly over its occurrences, and what an occurrence of an
    n-gram contributes evenly over its words (n-grams of characters: over its characters that are
    not blank).

    Support vector machines are explained by terms if their kernel is linear, and otherwise by
    documents: the score is the decision, and a part is a support vector with its kernel value. Of
    several classes, the machine between target and against is explained; what the others vote is
    not in it.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from quire.feature_extraction.text import CountVectorizer
    >>> from quire.inspection import explain
    >>> from quire.naive_bayes import MultinomialNB
    >>> texts = ["good plot, good cast", "a fine film", "bad plot", "dull film, bad cast"]
    >>> model = make_pipeline(CountVectorizer(), MultinomialNB())
    >>> model = model.fit(texts, ["pos", "pos", "neg", "neg"])
    >>> explanation = explain(model, "A GOOD story, fine cast, dull film")
    >>> print(explanation)
       +1.0986  pos rather than neg (probability 0.75)
       +0.0000  before anything is read
       +1.0986  good
       -0.6931  dull
       +0.6931  fine
       +0.0000  cast
       +0.0000  film
    1 of 6 words is not known to the model.
    >>> [(span.term, span.start, span.end) for span in explanation.spans[:3]]
    [('good', 2, 6), ('fine', 14, 18), ('cast', 19, 23)]
    """
    if n_terms is not None and (not isinstance(n_terms, Integral) or n_terms < 0):
        raise ValueError(f"n_terms={n_terms!r}: expected a number of terms, or None for 10.")
    if target is not None and not _is_list(target) and not _is_list(against) and target == against:
        raise ValueError(f"target and against are both {target!r}: name two classes.")
    check_is_fitted(model)
    inside = look_inside(model)
    kind = kind_of(inside.deciding)
    if kind.evidence is None and kind.predicts is not Predicts.CLUSTER:
        raise TypeError(
            f"{type(inside.deciding).__name__} predicts nothing that could be explained. Pass a "
            "fitted classifier or regression, or a pipeline that ends with one."
        )
    if kind.evidence is None:
        raise unexplained(inside.deciding)
    sources = sources_of(inside.transformers, inside.deciding)
    fields = [source for source in sources if source.field is not None]
    is_tabular = not sources or bool(fields) or reads_table(inside.deciding)
    reads_text = bool(inside.transformers or sources) and not fields
    if isinstance(text, str) and fields:
        known = [source.field for source in fields]
        raise ValueError(
            f"A text was passed, and this model reads rows of a table, with texts in {known}. Pass "
            "a row as a mapping from columns to values, or several as a data frame."
        )
    takes = takes_of(model)
    if isinstance(text, str) and takes.what == "table":
        raise ValueError(
            "A text was passed, and this model reads rows of a table with the columns "
            f"{', '.join(takes.columns)}. Pass a row as a mapping from columns to values, or "
            "several as a data frame."
        )
    batch, is_one = as_batch(text, is_tabular=is_tabular, reads_text=reads_text)
    if not is_one and (batch.shape[0] if hasattr(batch, "shape") else len(batch)) == 0:
        return Explanations(0, _none)
    explained = _Explained(inside, batch, target, against, n_terms)
    for name, given in (("target", target), ("against", against)):
        if _is_list(given) and (is_one or len(given) != explained.n):
            of = "one document, which is given by itself" if is_one else f"{explained.n} documents"
            raise ValueError(f"{name} is a list of {len(given)} classes for {of}.")
    explain_one = explained.of_labels if explained.has_labels else explained.explanation
    if is_one:
        return explain_one(0)
    if explained.n:
        explain_one(0)  # an unknown class is an error here, not later
    return Explanations(explained.n, explain_one)


@dataclass(eq=False)
class _Explained:
    """Some documents and what a model made of them."""

    inside: Inside
    batch: Any
    target: Any
    against: Any
    n_terms: int | None

    def __post_init__(self) -> None:
        rows = _transformed(self.inside.before, self.batch)
        answering = self.inside.answering
        self.predictions: Any
        if kind_of(answering).predicts is Predicts.LABELS:
            from quire._shared.label_sets import predicted_sets, sets_probabilities

            self.predictions = predicted_sets(answering, rows)
            self.probabilities = sets_probabilities(answering, rows)
        else:
            one = is_classifier(answering)
            found = predicted_labels(answering, rows) if one else answering.predict(rows)
            self.predictions = np.asarray(found)
            self.probabilities = self._probabilities_of(rows)
        X = _transformed(self.inside.within, rows)
        self.decisions: AdditiveDecisions = evidence_of(self.inside.deciding, X)
        self.n = len(self.decisions)
        self.origins: Origins = self._origins(X)

    def _probabilities_of(self, rows: Any) -> NDArray[Any] | None:
        answering = self.inside.answering
        if is_classifier(answering) and hasattr(answering, "predict_proba"):
            return np.asarray(answering.predict_proba(rows))
        return None

    @property
    def has_labels(self) -> bool:
        """Whether each of several labels is explained, and none was named."""
        return isinstance(self.decisions, LabelEvidence) and self.target is None

    def of_labels(self, row: int) -> Any:
        """Explain each label that is predicted for one document, or else the nearest one."""
        assert isinstance(self.decisions, LabelEvidence)
        labels = self.decisions.labels_of(row)
        if self.against is not None or not labels:
            return self.explanation(row)
        return Explanations(len(labels), lambda k: self.explanation(row, labels[k]))

    def _origins(self, X: Any) -> Origins:
        """Return where the columns of the parts come from."""
        steps, deciding = self.inside.transformers, self.inside.deciding
        if isinstance(self.decisions, Evidence) and isinstance(self.decisions.terms, JoinedTerms):
            from quire.inspection._averaged import averaged_origins

            return averaged_origins(steps, deciding, self.decisions.terms.columns)
        return origins_of(steps, deciding, X.shape[1] if hasattr(X, "shape") else np.shape(X)[1])

    def explanation(self, row: int, label: Any = None) -> Explanation:
        """Explain one document, or one of its labels."""
        prediction = plain(self.predictions[row])
        against = _at(self.against, row)
        target = _at(self.target, row) if label is None else label
        if (
            target is None
            and not isinstance(self.decisions, LabelEvidence)
            and is_classifier(self.inside.answering)
            and against != prediction
        ):
            target = prediction
        parts = self._readable(self.decisions.parts(row, target, against))
        names = self._names(row, parts)
        passages, unplaced = self._passages(row, parts, names)
        return Explanation(
            prediction=prediction,
            target=parts.target,
            against=parts.against,
            headline=self._headline(row, parts),
            score=parts.score,
            offset=parts.offset,
            probabilities=self._probabilities(row),
            names=names,
            parts=parts,
            is_count=np.array(list(map(self.decisions.is_count, parts.columns.tolist())), bool),
            passages=passages,
            notes=self._notes(parts, passages, unplaced),
            n_terms=self.n_terms,
            part_noun=self._part_noun,
        )

    def _readable(self, parts: DocumentParts) -> DocumentParts:
        """Return the parts with the numbers of the table that they come from, if there is one."""
        steps = self.inside.transformers
        if self._is_by_documents or len(steps) != 1 or not derives_from(steps[0], _TABLE):
            return parts
        if reads_table(self.inside.deciding):
            return parts  # it has them as they are
        scale, mean = (every[parts.columns] for every in steps[0].output_scales())
        return replace(parts, values=parts.values * scale + mean)

    def _names(self, row: int, parts: DocumentParts) -> NDArray[Any]:
        names = self._column_names(parts)
        if isinstance(self.decisions, NamesItsParts):
            return self.decisions.names_of(row, parts, names)
        return names

    @property
    def _part_noun(self) -> str:
        return str(getattr(self.decisions, "part_noun", "term"))

    @property
    def _is_by_documents(self) -> bool:
        """Whether the parts are training documents, and not terms of the text."""
        return self._part_noun == "document"

    def _column_names(self, parts: DocumentParts) -> NDArray[Any]:
        if self._is_by_documents:
            return parts.columns.astype(object)
        names = self.origins.names_at(parts.columns)
        if names is not None:
            return names
        known = getattr(self.decisions, "feature_names", None)
        if known is None:
            return parts.columns.astype(object)
        return np.asarray(known, dtype=object)[parts.columns]

    def _probabilities(self, row: int) -> dict[Any, float] | None:
        if self.probabilities is None:
            return None
        labels = classes_of(self.inside.answering)
        found = zip(labels, self.probabilities[row], strict=True)
        return {plain(label): float(p) for label, p in found}

    def _passages(
        self, row: int, parts: DocumentParts, names: NDArray[Any]
    ) -> tuple[list[Passage], int]:
        """Return the texts of a document with their words, and how many terms are not in them.

        Hashed columns get their names here, from the terms that were found in the text.
        """
        passages: list[Passage] = []
        if self._is_by_documents:  # no part is in the text
            texts_of = (text_of(source, self.batch, row) for source in self.origins.sources)
            return [Passage(text, None, [], False) for text in texts_of if text is not None][:1], 0
        placed = np.zeros(len(parts.columns), dtype=bool)
        texts: dict[Any, str] = {}
        for number, source in enumerate(self.origins.sources):
            text = text_of(source, self.batch, row)
            if text is None:
                continue
            mine, columns = self.origins.among(parts.columns, number)
            new = ~placed[mine]  # a term that several vectorizers know is found once
            located = self._locate(number, source, text, mine[new], columns[new], names)
            if located is not None:
                placed[located.column] = True
            passage = _passage(text, source.field, located, parts, names)
            if source.field in texts:  # two vectorizers read it: the first has its words
                passages = _added(passages, passage)
            else:
                texts[source.field] = text
                passages.append(passage)
        return passages, int((~placed & (parts.contributions != 0)).sum())

    def _locate(
        self,
        number: int,
        source: TextSource,
        text: str,
        mine: NDArray[np.intp],
        columns: NDArray[np.intp],
        names: NDArray[Any],
    ) -> Located | None:
        """Find the terms of one source in its text; columns become places in `parts`."""
        if len(self.origins.source) and not self.origins.has_columns_of(number):
            return None  # its columns were mixed on their way
        terms = source.names_at(columns)
        if terms is not None:
            known = dict(zip(terms.tolist(), mine.tolist(), strict=True))
            return locate(source.vectorizer, text, known)
        located = locate(source.vectorizer, text, columns)
        if located is None:
            return None
        place = dict(zip(columns.tolist(), mine.tolist(), strict=True))
        found = np.array([place[column] for column in located.column.tolist()], dtype=np.intp)
        told: dict[int, dict[str, None]] = {}
        for at, term in zip(found.tolist(), located.terms, strict=True):
            told.setdefault(at, {})[term] = None
        for at, same_hash in told.items():
            names[at] = " or ".join(same_hash)
        return replace(located, column=found)

    def _headline(self, row: int, parts: DocumentParts) -> str:
        if isinstance(self.decisions, LabelEvidence):
            return self.decisions.said(row, parts.target)
        if isinstance(self.decisions, SaysWhatItIs):
            said = self.decisions.headline(parts)
            if said is not None:
                return said
        if parts.target is None:
            return "predicted"
        if parts.against is None:
            return f"predicted for output {parts.target}"
        return f"{parts.target} rather than {parts.against}"

    def _notes(self, parts: DocumentParts, passages: list[Passage], unplaced: int) -> list[str]:
        notes = []
        if self._is_by_documents:
            notes.append("Documents have the numbers of rows of the training data, from 0.")
            return notes + self.inside.notes
        if len(parts.columns) == 0:
            empty = passages and not any(passage.text.strip() for passage in passages)
            what = "The text is empty" if empty else "The model knows no term of the text"
            notes.append(f"{what}: prior or intercept alone decide.")
        n, unknown = (
            sum(getattr(p, name) for p in passages if p.is_located)
            for name in ("n_words", "n_unknown")
        )
        if unknown:
            verb = "is" if unknown == 1 else "are"
            noun = "word" if n == 1 else "words"
            notes.append(f"{unknown} of {n} {noun} {verb} not known to the model.")
        if passages and not all(passage.is_located for passage in passages):
            notes.append(
                "Words are not marked in the text: a tokenizer or a step of the model leaves no "
                "positions."
            )
        elif passages and unplaced and not self._has_table_columns(parts):
            noun = "term that is" if unplaced == 1 else "terms that are"
            notes.append(f"{unplaced} {noun} not in the text contribute by being absent.")
        return notes + self.inside.notes

    def _has_table_columns(self, parts: DocumentParts) -> bool:
        return bool((self.origins.source[parts.columns] < 0).any())


def _is_list(classes: Any) -> bool:
    return isinstance(classes, list | np.ndarray)


def _at(classes: Any, row: int) -> Any:
    """Return the class for one document, if there is one for each."""
    return plain(classes[row]) if _is_list(classes) else classes


def _none(row: int) -> Explanation:
    raise IndexError(row)


def _transformed(steps: list[Any], rows: Any) -> Any:
    for step in steps:
        rows = step.transform(rows)
    return rows


def _passage(
    text: str, field: Any, located: Located | None, parts: DocumentParts, names: NDArray[Any]
) -> Passage:
    """Spread contributions over the occurrences of terms, and these over words."""
    if located is None:
        return Passage(text, field, [], is_located=False)
    how_often = np.bincount(located.column, minlength=len(parts.columns))
    shares = parts.contributions[located.column] / how_often[located.column]
    with np.errstate(invalid="ignore"):  # a word may hold terms that rule out both classes
        scores = located.word_scores(shares).tolist()
    is_known = np.zeros(len(scores), dtype=bool)
    is_known[located.covered] = True
    places = zip(located.word_start.tolist(), located.word_end.tolist(), strict=True)
    words = [
        Word(start, end, score, known)
        for (start, end), score, known in zip(places, scores, is_known.tolist(), strict=True)
    ]

    def make_spans() -> list[Span]:
        places = zip(located.start.tolist(), located.end.tolist(), strict=True)
        said = zip(located.terms, shares.tolist(), strict=True)
        return [
            Span(start, end, term, share, field)
            for (start, end), (term, share) in zip(places, said, strict=True)
        ]

    return Passage(text, field, words, make_spans=make_spans)


def _added(passages: list[Passage], more: Passage) -> list[Passage]:
    """Add what a second vectorizer sees in a text to the words of the first."""
    return [_together(one, more) if one.field == more.field else one for one in passages]


def _together(one: Passage, other: Passage) -> Passage:
    def make_spans() -> list[Span]:
        return one.make_spans() + other.make_spans()

    is_located = one.is_located and other.is_located
    if not one.words or not other.words:
        return Passage(one.text, one.field, one.words or other.words, is_located, make_spans)
    start = np.array([word.start for word in one.words])
    score = np.array([word.score for word in one.words])
    known = np.array([word.is_known for word in one.words])
    middle = np.array([(word.start + word.end) // 2 for word in other.words])
    place = np.maximum(np.searchsorted(start, middle, side="right") - 1, 0)
    np.add.at(score, place, [word.score for word in other.words])
    np.logical_or.at(known, place, [word.is_known for word in other.words])
    words = [
        Word(word.start, word.end, float(score[i]), bool(known[i]))
        for i, word in enumerate(one.words)
    ]
    return Passage(one.text, one.field, words, is_located, make_spans)
