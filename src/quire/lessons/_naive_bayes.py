"""The lesson on multinomial naive Bayes: counts, smoothing, log-odds, a decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from quire._shared.page.html import Html, join
from quire._shared.page.picture import bars, legend
from quire._shared.page.tables import table
from quire._shared.typing import Floats
from quire.datasets import load_chinese_documents
from quire.feature_extraction.text import CountVectorizer
from quire.lessons._lesson import Lesson, Setting, Step, runs_over
from quire.lessons._reading import LabelledTexts, read_texts, texts_table
from quire.lessons._wording import fraction, listed, plain, share, signed
from quire.naive_bayes import MultinomialNB

__all__ = ["naive_bayes"]

_TERMS = 10  # that are shown
_READ = 8  # terms of the document that have a step of their own
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
    found = read_texts(file, text, label, document) if file is not None else _example(document)
    vectorizer = CountVectorizer()
    X = vectorizer.fit_transform(found.texts)
    x = vectorizer.transform([found.document])
    terms = [str(term) for term in vectorizer.get_feature_names_out()]
    pair = _pair(MultinomialNB().fit(X, found.labels), x)

    def run(alpha: float, prior: str) -> tuple[list[Step], dict[str, Any]]:
        model = MultinomialNB(alpha=alpha, class_prior=prior).fit(X, found.labels)
        return _Walk(model, x, terms, pair, alpha, prior).steps()

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
        about_data=_about(found, file is None),
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


def _example(document: str | None) -> LabelledTexts:
    example = load_chinese_documents()
    return LabelledTexts(
        example.texts, example.labels, document or example.test_text, [], "the textbook's example"
    )


def _about(found: LabelledTexts, is_example: bool) -> list[str | Html]:
    if is_example:
        return [
            "Four documents with their classes, and one to classify: the example of Manning, "
            "Raghavan and Schütze, chapter 13, small enough for pencil and paper."
        ]
    said = f"{len(found.texts):,} documents from {found.source} to learn from, and one to classify."
    return [said, *[f"{note[0].upper()}{note[1:]}." for note in found.notes]]


def _pair(model: Any, x: Any) -> tuple[int, int]:
    """Return the two classes that are compared: of two, both; of more, the most probable."""
    if len(model.classes_) == 2:
        return 0, 1
    order = np.argsort(-model.predict_joint_log_proba(x)[0], kind="stable")
    return int(order[0]), int(order[1])


@dataclass(frozen=True)
class _Walk:
    """The steps of one fitted model."""

    model: Any
    x: Any
    terms: list[str]
    pair: tuple[int, int]
    alpha: float
    prior: str

    def steps(self) -> tuple[list[Step], dict[str, Any]]:
        """Return the steps, and what came out."""
        shown = self._shown_terms()
        steps = [
            self._documents(),
            self._counts(shown),
            self._smoothed(shown),
            self._divided(shown),
            self._compared(shown),
            *self._read(),
            self._posterior(),
        ]
        posterior = self.model.predict_proba(self.x)[0]
        best = int(posterior.argmax())
        joint = np.exp(self.model.predict_joint_log_proba(self.x)[0])
        first, second = self.names
        result = {
            "Class": str(self.model.classes_[best]),
            f"P({first} | d)": share(float(posterior[self.pair[0]])),
            f"P({second} | d)": share(float(posterior[self.pair[1]])),
            "Joint probabilities": listed([plain(float(joint[k])) for k in self.pair]),
        }
        return steps, result

    @property
    def names(self) -> tuple[str, str]:
        """The classes that are compared."""
        first, second = self.pair
        return str(self.model.classes_[first]), str(self.model.classes_[second])

    def _of_pair(self, values: Any) -> Floats:
        return np.asarray(values, dtype=float)[list(self.pair)]

    def _log_ratio(self) -> Floats:
        """Return how much each term speaks for the first class; where both rule it out, nothing."""
        first, second = self._of_pair(self.model.feature_log_prob_)
        with np.errstate(invalid="ignore"):
            ratio: Floats = np.where(np.isinf(first) & np.isinf(second), 0.0, first - second)
        return ratio

    def _in_document(self) -> list[int]:
        """Return the terms of the document, the strongest first."""
        row = self.x.tocsr()
        contributions = np.abs(row.data * self._log_ratio()[row.indices])
        order = np.lexsort((row.indices, -contributions))
        return [int(column) for column in row.indices[order]]

    def _shown_terms(self) -> list[int]:
        """Return the terms of the document, and the most frequent others."""
        frequent = np.argsort(-self.model.feature_count_.sum(axis=0), kind="stable")
        inside = sorted(self.x.indices.tolist(), key=lambda k: -self._total(k))[:_READ]
        both = dict.fromkeys([*inside, *frequent.tolist()])
        return list(both)[:_TERMS]

    def _total(self, column: int) -> float:
        return float(self.model.feature_count_[:, column].sum())

    def _legend(self) -> Html:
        return legend(list(enumerate(self.names)))

    def _documents(self) -> Step:
        counts = self.model.class_count_
        prior = np.exp(self.model.class_log_prior_)
        tokens = self.model.feature_count_.sum(axis=1)
        why = {
            "documents": "The prior of a class is its share of the documents",
            "tokens": "The prior of a class is its share of all tokens",
            "uniform": "Before anything is read, all classes are equally probable",
        }[self.prior]
        said = listed(
            [
                f"P({name}) = {fraction(p)}"
                for name, p in zip(self.names, self._of_pair(prior), strict=True)
            ]
        )
        more = len(counts) - 2
        others = f" Of {len(counts)} classes, the two most probable are shown." if more else ""
        rows = [
            [name, int(n), int(t), fraction(p)]
            for name, n, t, p in zip(
                self.names,
                self._of_pair(counts),
                self._of_pair(tokens),
                self._of_pair(prior),
                strict=True,
            )
        ]
        shown = [[fraction(p) for p in self._of_pair(prior)]]
        return Step(
            "Count the documents",
            f"{why}: {said}.{others}",
            bars("Prior of each class", self.names, [self._of_pair(prior)], shown, limits=(0, 1)),
            table(["Class", "Documents", "Tokens", "P(k)"], rows, "Documents of each class"),
            {"documents": counts, "tokens": tokens, "prior": prior},
        )

    def _counts(self, shown: list[int]) -> Step:
        counts = self.model.feature_count_
        totals = self._of_pair(counts.sum(axis=1))
        first, second = self.names
        said = (
            f"All documents of a class become one bag of words. {first} has {int(totals[0]):,} "
            f"tokens and {second} has {int(totals[1]):,}; the vocabulary has {len(self.terms):,} "
            "terms. Where a word stands does not matter any more."
        )
        values = self._of_pair(counts)[:, shown]
        return self._per_term(
            "Count the words",
            said,
            shown,
            values,
            lambda value: f"{value:g}",
            ("Sum", totals),
            {"counts": counts, "tokens": counts.sum(axis=1), "n_terms": len(self.terms)},
        )

    def _smoothed(self, shown: list[int]) -> Step:
        added = self.model.feature_count_ + self.alpha
        totals = self._of_pair(added.sum(axis=1))
        sums = self._of_pair(self.model.feature_count_.sum(axis=1))
        first, second = self.names
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
        return self._per_term(
            "Add alpha",
            said,
            shown,
            self._of_pair(added)[:, shown],
            lambda value: f"{value:g}",
            ("Sum", totals),
            {"smoothed_counts": added, "smoothed_tokens": added.sum(axis=1)},
        )

    def _divided(self, shown: list[int]) -> Step:
        probabilities = np.exp(self.model.feature_log_prob_)
        counts = self.model.feature_count_
        n_terms = len(self.terms)
        parts = []
        example = shown[0]
        for k, name in zip(self.pair, self.names, strict=True):
            p = fraction(float(probabilities[k, example]))
            count, total = float(counts[k, example]), float(counts[k].sum())
            grown = f"({count:g} + {self.alpha:g}) / ({total:g} + {n_terms * self.alpha:g})"
            parts.append(f"P({self.terms[example]} | {name}) = {grown} = {p}")
        said = f"{listed(parts)}. The probabilities of each class add up to one."
        return self._per_term(
            "Divide",
            said,
            shown,
            self._of_pair(probabilities)[:, shown],
            fraction,
            None,
            {"probabilities": probabilities},
        )

    def _per_term(
        self,
        title: str,
        said: str,
        shown: list[int],
        values: Floats,
        write: Any,
        last: tuple[str, Floats] | None,
        numbers: dict[str, Any],
    ) -> Step:
        """Return a step with a number for each term and class."""
        names = [self.terms[column] for column in shown]
        texts = [[write(float(value)) for value in row] for row in values]
        picture = bars(f"{title}: {listed(self.names)}", names, values.tolist(), texts)
        rows: list[list[Any]] = [[name, texts[0][k], texts[1][k]] for k, name in enumerate(names)]
        if last is not None:
            rows.append([last[0], *[write(float(value)) for value in last[1]]])
        more = len(self.terms) - len(shown)
        heads = ["Term" if not more else f"Term ({len(shown)} of {len(self.terms):,})", *self.names]
        kind = "last" if last is not None else ""
        return Step(
            title,
            said,
            join([picture, self._legend()]),
            table(heads, rows, title, kind=kind),
            numbers,
        )

    def _compared(self, shown: list[int]) -> Step:
        ratio = self._log_ratio()
        first, second = self.names
        values = [float(ratio[column]) for column in shown]
        names = [self.terms[column] for column in shown]
        strongest = max(range(len(shown)), key=lambda k: (abs(values[k]), -k))
        towards = first if values[strongest] > 0 else second
        said = (
            f"The logarithm of P(i | {first}) / P(i | {second}) says how much one occurrence of a "
            f"term speaks for {first}, or, below zero, for {second}. Here {names[strongest]!r} "
            f"speaks most clearly: {signed(values[strongest])}, for {towards}."
        )
        if np.isinf(ratio).any():
            said += " A count of zero makes it infinite: one word decides against all others."
        texts = [[signed(value) for value in values]]
        rows = [[name, text] for name, text in zip(names, texts[0], strict=True)]
        return Step(
            "Compare the classes",
            said,
            join(
                [
                    bars("Log-ratio of each term", names, [values], texts, colours=[0, 1]),
                    self._legend(),
                ]
            ),
            table(["Term", "Log-ratio"], rows, "Log-ratio of each term"),
            {"log_ratio": ratio},
        )

    def _read(self) -> list[Step]:
        """Return a step for the prior and one for each term of the document."""
        log_prior = self._of_pair(self.model.class_log_prior_)
        start = float(log_prior[0] - log_prior[1])
        row = self.x.tocsr()
        counts = dict(zip(row.indices.tolist(), row.data.tolist(), strict=True))
        ratio = self._log_ratio()
        columns = self._in_document()
        names, parts = ["before any word"], [start]
        for column in columns[:_READ]:
            times = f" × {counts[column]:g}" if counts[column] != 1 else ""
            names.append(f"{self.terms[column]}{times}")
            parts.append(float(counts[column] * ratio[column]))
        rest = columns[_READ:]
        if rest:
            names.append(f"{len(rest):,} other terms")
            with np.errstate(invalid="ignore"):
                parts.append(float(sum(counts[column] * ratio[column] for column in rest)))
        reached = np.array([*parts, *np.cumsum([p for p in parts if np.isfinite(p)])])
        reached = reached[np.isfinite(reached)]
        limits = float(min(0, *reached)), float(max(0, *reached))
        if not np.isfinite(parts).all():  # an arrow without end needs room on its side
            limits = (min(limits[0], -1.0), max(limits[1], 1.0))
        first, second = self.names
        steps = []
        for n in range(1, len(parts) + 1):
            total = _sum(parts[:n])
            if n == 1:
                title = "Begin with the prior"
                said = (
                    f"log P({first}) / P({second}) = {signed(start)}: the log-odds before any word."
                )
            else:
                title = f"Read {names[n - 1]}"
                said = (
                    f"It adds {signed(parts[n - 1])}; the log-odds of {first} are now "
                    f"{signed(total)}, so {_leaning(total, first, second)}."
                )
            values = [[*parts[:n], *[float("nan")] * (len(parts) - n), total]]
            texts = [[*map(signed, parts[:n]), *[""] * (len(parts) - n), signed(total)]]
            rows = [[name, value] for name, value in zip([*names, "sum"], texts[0], strict=True)]
            picture = bars(
                "What was added so far, and the sum",
                [*names, "sum"],
                values,
                texts,
                colours=[0, 1],
                limits=limits,
            )
            steps.append(
                Step(
                    title,
                    said,
                    join([picture, self._legend()]),
                    table(["Part", "Log-odds"], rows, "What was added", kind="last"),
                    {"added": parts[n - 1], "log_odds": total},
                )
            )
        return steps

    def _posterior(self) -> Step:
        posterior = self.model.predict_proba(self.x)[0]
        log_joint = self.model.predict_joint_log_proba(self.x)[0]
        joint = np.exp(log_joint)
        best = str(self.model.classes_[int(posterior.argmax())])
        rows = [
            [name, plain(float(joint[k])), share(float(posterior[k]))]
            for k, name in zip(self.pair, self.names, strict=True)
        ]
        products = listed(
            [
                f"{plain(float(joint[k]))} for {name}"
                for k, name in zip(self.pair, self.names, strict=True)
            ]
        )
        if joint.max() > 0:
            said = (
                f"Prior times the probabilities of all words: {products}. Divided by their sum "
                f"over the classes they are the posterior. The class is {best}."
            )
        elif np.isfinite(log_joint).any():
            said = f"Divided by their sum, the joint probabilities are the posterior: {best}."
        else:
            said = f"No class can produce this document, so the prior decides: {best}."
        values = self._of_pair(posterior)
        return Step(
            "The posterior",
            said,
            bars(
                "Posterior of each class",
                self.names,
                [values],
                [[share(float(p)) for p in values]],
                limits=(0, 1),
            ),
            table(["Class", "Joint", "Posterior"], rows, "Joint and posterior probabilities"),
            {"joint": joint, "posterior": posterior, "class": best},
        )


def _sum(parts: list[float]) -> float:
    """Return the sum; where infinities of both signs meet, there is none."""
    with np.errstate(invalid="ignore"):
        return float(np.sum(parts))


def _leaning(total: float, first: str, second: str) -> str:
    if np.isnan(total):
        return "both classes are ruled out"
    if total == 0:
        return "neither class is ahead"
    return f"{first if total > 0 else second} is ahead"
