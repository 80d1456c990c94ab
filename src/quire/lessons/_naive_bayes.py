"""The lesson on multinomial naive Bayes: counts, smoothing, log-odds, a decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from quire._shared.page.html import join
from quire._shared.page.picture import bars
from quire._shared.page.tables import table
from quire.feature_extraction.text import CountVectorizer
from quire.lessons._lesson import Lesson, Setting, Step, runs_over
from quire.lessons._reading import about_texts, read_texts, texts_table
from quire.lessons._two_classes import TwoClasses, most_probable
from quire.lessons._wording import fraction, listed, signed
from quire.naive_bayes import MultinomialNB

__all__ = ["naive_bayes"]

_READ = 8  # terms of the document that have a step of their own
_SHOWN = 10  # terms in tables and pictures
_SETTINGS = [
    Setting("alpha", "what is added to every count", (0, 0.1, 1, 10), 1),
    Setting(
        "prior", "what P(k) is in proportion to", ("documents", "tokens", "uniform"), "documents"
    ),
]


def naive_bayes(
    file: Any = None,
    *,
    text: str | list[str] | None = None,
    label: str | None = None,
    document: str | None = None,
) -> Lesson:
    """Multinomial naive Bayes: counts of words, smoothed, become evidence for a class.

    The steps count documents and words, add alpha, divide, take logarithms, and then read a
    document word by word. Without a file the data is the textbook's: three documents about China,
    one about Japan, and one to classify.

    Parameters
    ----------
    file : path or data frame, default=None
        Texts with classes, as :func:`quire.io.read_corpus` reads them.
    text, label : str, default=None
        Columns of the file; guessed if clear.
    document : str, default=None
        What is to be classified; the last document of the file, which is then not learned from.

    Returns
    -------
    Lesson
        The page, its steps and their numbers.

    Examples
    --------
    >>> from quire.lessons import naive_bayes
    >>> lesson = naive_bayes()
    >>> divided = lesson.start.steps[3]
    >>> divided.title
    'Divide'
    >>> print(divided.caption[:60])
    P(chinese | c) = (5 + 1) / (8 + 6) = 3/7 and P(chinese | not
    """
    found = read_texts(file, text, label, document)
    vectorizer = CountVectorizer()
    X = vectorizer.fit_transform(found.texts)
    x = vectorizer.transform([found.document])
    terms = [str(term) for term in vectorizer.get_feature_names_out()]
    pair = most_probable(MultinomialNB().fit(X, found.labels), x)

    def run(alpha: float, prior: str) -> tuple[list[Step], dict[str, Any]]:
        model = MultinomialNB(alpha=alpha, class_prior=prior).fit(X, found.labels)
        walk = _Walk(TwoClasses(model, x, pair), terms, alpha, prior)
        return walk.steps(), walk.two.result()

    return Lesson(
        name="naive-bayes",
        title="Naive Bayes on counts",
        idea=[
            "Each class is a bag of words of its own. Whoever writes a document of the class draws "
            "its words from the bag, one by one, without looking at those drawn before. Learning "
            "is counting what each bag holds. To classify a document, ask of every bag how "
            "probable it is that these words came out of it, and weigh the answer with how "
            "frequent the class is.",
            "A word that a bag has never held would make the whole product zero. So every count "
            "gets a little more, alpha, as if each word had been seen that often before anything "
            "was read.",
        ],
        formulas=[
            r"P(i \mid k) = \frac{N_{ki} + \alpha}{N_k + I \alpha}",
            r"\log P(k \mid d) = \log P(k) + \sum_i X_{di} \log P(i \mid k) + \text{const}",
        ],
        symbols=[
            ("N_{ki}", "how often term i occurs in the documents of class k"),
            ("N_k", "all tokens of class k"),
            ("I", "the number of terms in the vocabulary"),
            (r"\alpha", "what is added to every count"),
            ("X_{di}", "how often term i occurs in document d"),
            ("P(k)", "the prior: how probable the class is before anything is read"),
        ],
        about_data=about_texts(found),
        data=texts_table(found),
        settings=_SETTINGS,
        runs=runs_over(_SETTINGS, run),
        code=(
            "from quire.naive_bayes import MultinomialNB\n"
            "model = MultinomialNB(alpha=1).fit_text(texts, labels)\n"
            "model.to_pipeline().predict_proba([document])"
        ),
        given={"texts": found.texts, "labels": found.labels, "document": found.document},
        guide=["Naive Bayes"],
    )


@dataclass(frozen=True)
class _Walk:
    """The steps of one fitted model."""

    two: TwoClasses
    terms: list[str]
    alpha: float
    prior: str

    def steps(self) -> list[Step]:
        """Return the steps."""
        shown = self._shown_terms()
        return [
            self._documents(),
            self._counts(shown),
            self._smoothed(shown),
            self._divided(shown),
            self._compared(shown),
            *self._read(),
            self.two.posterior_step("Prior times the probabilities of all words"),
        ]

    @property
    def _model(self) -> Any:
        return self.two.model

    def _shown_terms(self) -> list[int]:
        """Return the terms of the document, and the most frequent others."""
        totals = self._model.feature_count_.sum(axis=0)
        inside = sorted(self.two.x.indices.tolist(), key=lambda k: -totals[k])[:_READ]
        frequent = np.argsort(-totals, kind="stable").tolist()
        return list(dict.fromkeys([*inside, *frequent]))[:_SHOWN]

    def _named(self, shown: list[int]) -> list[str]:
        return [self.terms[column] for column in shown]

    def _documents(self) -> Step:
        why = {
            "documents": "The prior of a class is its share of the documents",
            "tokens": "The prior of a class is its share of all tokens",
            "uniform": "Before anything is read, all classes are equally probable",
        }[self.prior]
        counted = {
            "Documents": self._model.class_count_,
            "Tokens": self._model.feature_count_.sum(axis=1),
        }
        prior = np.exp(self._model.class_log_prior_)
        return self.two.prior_step(prior, why, counted, "Count the documents")

    def _counts(self, shown: list[int]) -> Step:
        counts = self._model.feature_count_
        totals = self.two.of(counts.sum(axis=1))
        first, second = self.two.names
        said = (
            f"All documents of a class become one bag of words. {first} has {int(totals[0]):,} "
            f"tokens and {second} has {int(totals[1]):,}; the vocabulary has {len(self.terms):,} "
            "terms. Where a word stands does not matter any more."
        )
        return self.two.per_term(
            "Count the words",
            said,
            self._named(shown),
            self.two.of(counts)[:, shown],
            "{:g}".format,
            n_terms=len(self.terms),
            sums=totals,
            numbers={
                **self.two.numbers_of(self.terms, shown, counts=counts),
                "tokens": counts.sum(axis=1),
            },
        )

    def _smoothed(self, shown: list[int]) -> Step:
        counts = self._model.feature_count_
        added = counts + self.alpha
        totals, sums = self.two.of(added.sum(axis=1)), self.two.of(counts.sum(axis=1))
        first, second = self.two.names
        n_terms = len(self.terms)
        if self.alpha == 0:
            said = (
                "With alpha = 0 nothing is added: maximum likelihood. A word that a class has "
                "never used keeps its count of zero."
            )
        else:
            said = (
                f"Add alpha = {self.alpha:g} to every count, also to those that are zero. The sum "
                f"of {first} grows to {sums[0]:g} + {n_terms:,} · {self.alpha:g} = {totals[0]:g}, "
                f"that of {second} to {sums[1]:g} + {n_terms:,} · {self.alpha:g} = {totals[1]:g}."
            )
        return self.two.per_term(
            "Add alpha",
            said,
            self._named(shown),
            self.two.of(added)[:, shown],
            "{:g}".format,
            n_terms=n_terms,
            sums=totals,
            numbers={
                **self.two.numbers_of(self.terms, shown, smoothed_counts=added),
                "smoothed_tokens": added.sum(axis=1),
            },
        )

    def _divided(self, shown: list[int]) -> Step:
        probabilities = np.exp(self._model.feature_log_prob_)
        counts = self._model.feature_count_
        n_terms = len(self.terms)
        parts = []
        example = shown[0]
        for k, name in zip(self.two.pair, self.two.names, strict=True):
            p = fraction(float(probabilities[k, example]))
            count, total = float(counts[k, example]), float(counts[k].sum())
            grown = f"({count:g} + {self.alpha:g}) / ({total:g} + {n_terms * self.alpha:g})"
            parts.append(f"P({self.terms[example]} | {name}) = {grown} = {p}")
        return self.two.per_term(
            "Divide",
            f"{listed(parts)}. The probabilities of each class add up to one.",
            self._named(shown),
            self.two.of(probabilities)[:, shown],
            fraction,
            n_terms=n_terms,
            numbers=self.two.numbers_of(self.terms, shown, probabilities=probabilities),
        )

    def _compared(self, shown: list[int]) -> Step:
        ratio = self.two.ratio(self._model.feature_log_prob_)
        first, second = self.two.names
        values, names = ratio[shown], self._named(shown)
        strongest = int(np.argmax(np.abs(values)))
        towards = first if values[strongest] > 0 else second
        said = (
            f"The logarithm of P(i | {first}) / P(i | {second}) says how much one occurrence of a "
            f"term speaks for {first}, or, below zero, for {second}. Here {names[strongest]!r} "
            f"speaks most clearly: {signed(float(values[strongest]))}, for {towards}."
        )
        if np.isinf(ratio).any():
            said += " A count of zero makes it infinite: one word decides against all others."
        texts = [signed(float(value)) for value in values]
        picture = bars("Log-ratio of each term", names, [values], [texts], colours=[0, 1])
        return Step(
            "Compare the classes",
            said,
            join([picture, self.two.legend()]),
            table(
                ["Term", "Log-ratio"],
                list(zip(names, texts, strict=True)),
                "Log-ratio of each term",
            ),
            self.two.numbers_of(self.terms, shown, log_ratio=ratio),
        )

    def _read(self) -> list[Step]:
        """Return a step for the prior and one for each term of the document."""
        log_prior = self.two.of(self._model.class_log_prior_)
        row = self.two.x.tocsr()
        counts = dict(zip(row.indices.tolist(), row.data.tolist(), strict=True))
        ratio = self.two.ratio(self._model.feature_log_prob_)
        columns = sorted(counts, key=lambda column: (-abs(counts[column] * ratio[column]), column))
        names, parts = ["before any word"], [float(log_prior[0] - log_prior[1])]
        for column in columns[:_READ]:
            times = f" × {counts[column]:g}" if counts[column] != 1 else ""
            names.append(f"{self.terms[column]}{times}")
            parts.append(float(counts[column] * ratio[column]))
        rest = columns[_READ:]
        if rest:
            names.append(f"{len(rest):,} other terms")
            with np.errstate(invalid="ignore"):
                parts.append(float(sum(counts[column] * ratio[column] for column in rest)))
        return self.two.running(names, parts)
