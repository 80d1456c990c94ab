"""The lesson on Bernoulli naive Bayes: each term is in a document or not, and both speak."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from quire._shared.page.html import join
from quire._shared.page.picture import bars, legend
from quire._shared.page.tables import table
from quire._shared.typing import Floats
from quire.feature_extraction.text import CountVectorizer
from quire.lessons._lesson import Lesson, Setting, Step, runs_over
from quire.lessons._reading import about_texts, read_texts, texts_table
from quire.lessons._two_classes import TwoClasses, most_probable
from quire.lessons._wording import fraction, listed, signed
from quire.naive_bayes import BernoulliNB

__all__ = ["bernoulli_naive_bayes"]

_SHOWN = 10  # terms in tables and pictures, and with a step of their own
_SETTINGS = [
    Setting("alpha", "added to the documents with a term and without", (0, 0.1, 1, 10), 1),
    Setting("prior", "what P(k) is in proportion to", ("documents", "uniform"), "documents"),
]


def bernoulli_naive_bayes(
    file: Any = None,
    *,
    text: str | list[str] | None = None,
    label: str | None = None,
    document: str | None = None,
) -> Lesson:
    """Bernoulli naive Bayes: words that are there speak, and so do those that are not.

    The data is that of :func:`naive_bayes`, and the decision is the other one: how often a word
    occurs does not matter here, and words that are absent count.

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
    >>> from quire.lessons import bernoulli_naive_bayes
    >>> bernoulli_naive_bayes().start.result["Class"]
    'not c'
    """
    found = read_texts(file, text, label, document)
    vectorizer = CountVectorizer(binary=True)
    X = vectorizer.fit_transform(found.texts)
    x = vectorizer.transform([found.document])
    terms = [str(term) for term in vectorizer.get_feature_names_out()]
    pair = most_probable(BernoulliNB().fit(X, found.labels), x)

    def run(alpha: float, prior: str) -> tuple[list[Step], dict[str, Any]]:
        model = BernoulliNB(alpha=alpha, class_prior=prior).fit(X, found.labels)
        walk = _Walk(TwoClasses(model, x, pair), terms, alpha, prior)
        return walk.steps(), walk.two.result()

    return Lesson(
        name="bernoulli-naive-bayes",
        title="Naive Bayes on presence",
        idea=[
            "A document is a row of switches, one for each term of the vocabulary: on if the term "
            "occurs, off if not. Each class sets its switches by tossing one coin per term, "
            "independently of the others. Learning is finding how each coin falls. To classify a "
            "document, ask of every class how probable this row of switches is.",
            "Unlike in the model of counts, a term that occurs three times says no more than one "
            "that occurs once, and a term that is absent speaks, too: where a class as good as "
            "always has it, its absence is evidence against the class.",
        ],
        formulas=[
            r"p_{ki} = \frac{N_{ki} + \alpha}{N_k + 2 \alpha}",
            r"P(x \mid k) = \prod_i p_{ki}^{x_i} (1 - p_{ki})^{1 - x_i}",
        ],
        symbols=[
            ("N_{ki}", "documents of class k that contain term i"),
            ("N_k", "all documents of class k"),
            (r"\alpha", "what is added to the documents with the term, and to those without"),
            ("x_i", "1 if the document contains term i, else 0"),
            ("p_{ki}", "the probability that a document of class k contains term i"),
        ],
        about_data=about_texts(found),
        data=texts_table(found),
        settings=_SETTINGS,
        runs=runs_over(_SETTINGS, run),
        code=(
            "from quire.naive_bayes import BernoulliNB\n"
            "model = BernoulliNB(alpha=1).fit_text(texts, labels)\n"
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
            self._compared(shown),
            *self._read(),
            self.two.posterior_step("Prior times the probabilities of all switches"),
        ]

    @property
    def _model(self) -> Any:
        return self.two.model

    @property
    def _absent(self) -> Floats:
        """The logarithm of 1 - p, for all classes."""
        with np.errstate(divide="ignore"):
            logs: Floats = np.log1p(-np.exp(self._model.feature_log_prob_))
        return logs

    def _shown_terms(self) -> list[int]:
        """Return the terms of the document, and the most frequent others."""
        totals = self._model.feature_count_.sum(axis=0)
        inside = sorted(self.two.x.indices.tolist(), key=lambda k: -totals[k])
        frequent = np.argsort(-totals, kind="stable").tolist()
        return list(dict.fromkeys([*inside[: _SHOWN // 2 + 1], *frequent]))[:_SHOWN]

    def _named(self, shown: list[int]) -> list[str]:
        return [self.terms[column] for column in shown]

    def _documents(self) -> Step:
        why = {
            "documents": "The prior of a class is its share of the documents",
            "uniform": "Before anything is read, all classes are equally probable",
        }[self.prior]
        prior = np.exp(self._model.class_log_prior_)
        counted = {"Documents": self._model.class_count_}
        return self.two.prior_step(prior, why, counted, "Count the documents")

    def _counts(self, shown: list[int]) -> Step:
        counts, documents = self._model.feature_count_, self._model.class_count_
        example = shown[0]
        parts = [
            f"{counts[k, example]:g} of {documents[k]:g} documents of {name}"
            for k, name in zip(self.two.pair, self.two.names, strict=True)
        ]
        said = (
            f"Count the documents that contain a term, not its occurrences: "
            f"{self.terms[example]!r} is in {listed(parts)}."
        )
        return self.two.per_term(
            "Count documents with each term",
            said,
            self._named(shown),
            self.two.of(counts)[:, shown],
            "{:g}".format,
            n_terms=len(self.terms),
            numbers={
                **self.two.numbers_of(self.terms, shown, counts=counts),
                "documents": documents,
            },
        )

    def _smoothed(self, shown: list[int]) -> Step:
        probabilities = np.exp(self._model.feature_log_prob_)
        counts, documents = self._model.feature_count_, self._model.class_count_
        example = shown[0]
        parts = [
            f"({counts[k, example]:g} + {self.alpha:g}) / ({documents[k]:g} + 2 · {self.alpha:g}) "
            f"= {fraction(float(probabilities[k, example]))} in {name}"
            for k, name in zip(self.two.pair, self.two.names, strict=True)
        ]
        if self.alpha == 0:
            why = "With alpha = 0 nothing is added, and a term that is never or always there "
            why += "has a probability of 0 or 1."
        else:
            why = "Alpha is added to the documents with the term and once more to those without."
        return self.two.per_term(
            "Add alpha and divide",
            f"{self.terms[example]!r}: {listed(parts)}. {why}",
            self._named(shown),
            self.two.of(probabilities)[:, shown],
            fraction,
            n_terms=len(self.terms),
            numbers=self.two.numbers_of(self.terms, shown, probabilities=probabilities),
        )

    def _compared(self, shown: list[int]) -> Step:
        present = self.two.ratio(self._model.feature_log_prob_)
        absent = self.two.ratio(self._absent)
        first, second = self.two.names
        example = shown[0]
        said = (
            f"Each term speaks twice: where it is there, log p({first}) / p({second}), and where "
            f"it is not, log (1 − p({first})) / (1 − p({second})). {self.terms[example]!r} adds "
            f"{signed(float(present[example]))} if it is there and "
            f"{signed(float(absent[example]))} if it is not. Above zero is for {first}."
        )
        names = self._named(shown)
        values = np.stack([present, absent])[:, shown]
        texts = [[signed(float(value)) for value in row] for row in values]
        picture = bars("What presence and absence say", names, values, texts, colours=[2, 3])
        rows = list(zip(names, *texts, strict=True))
        return Step(
            "Compare the classes",
            said,
            join([picture, legend([(2, "if it is there"), (3, "if it is not")])]),
            table(["Term", "There", "Not there"], rows, "What presence and absence say"),
            self.two.numbers_of(self.terms, shown, present=present, absent=absent),
        )

    def _read(self) -> list[Step]:
        """Return a step for the prior and one for each term, be it there or not."""
        log_prior = self.two.of(self._model.class_log_prior_)
        inside = set(self.two.x.indices.tolist())
        present = self.two.ratio(self._model.feature_log_prob_)
        absent = self.two.ratio(self._absent)
        said = np.where(np.isin(np.arange(len(self.terms)), sorted(inside)), present, absent)
        order = sorted(range(len(self.terms)), key=lambda k: (k not in inside, -abs(said[k]), k))
        # Half of the steps are for terms that are there, the others for those that are not.
        n_inside = min(len(inside), max(_SHOWN // 2, _SHOWN - (len(self.terms) - len(inside))))
        chosen = [*order[:n_inside], *order[len(inside) :][: _SHOWN - n_inside]]
        names, parts = ["before any term"], [float(log_prior[0] - log_prior[1])]
        for column in chosen:
            names.append(self.terms[column] if column in inside else f"no {self.terms[column]}")
            parts.append(float(said[column]))
        rest = [column for column in order if column not in set(chosen)]
        if rest:
            names.append(f"{len(rest):,} other terms")
            with np.errstate(invalid="ignore"):
                parts.append(float(said[rest].sum()))
        return self.two.running(names, parts)
