"""The lesson on topics: latent Dirichlet allocation by Gibbs sampling, token by token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from quire._shared.page.html import Html, html, join
from quire._shared.page.picture import bars, legend
from quire._shared.page.tables import table
from quire._shared.typing import Floats
from quire.decomposition import GibbsStep, LatentDirichletAllocation
from quire.feature_extraction.text import CountVectorizer
from quire.io import read_corpus
from quire.lessons._lesson import Lesson, Setting, Step, runs_over
from quire.lessons._plane import thinned
from quire.lessons._reading import sentences, source_name
from quire.lessons._wording import plain, share

__all__ = ["topics"]

_TEXTS = (
    "flour butter sugar bake oven flour sugar",
    "bake oven butter flour bake sugar butter",
    "rocket launch orbit moon rocket star",
    "orbit moon star launch moon rocket",
    "soil seed rain root leaf seed",
    "rain soil leaf root soil rain",
    "sugar butter seed root bake leaf",
    "moon star rain soil orbit leaf",
)
_SETTINGS = [
    Setting("topics", "how many there are", (2, 3, 4), 3),
    Setting("alpha", "small: few topics in a document", (0.1, 1.0, 10.0), 0.1),
]
_BETA = 0.1
_SWEEPS = 40
_MOST_TEXTS = 200  # that are learned from
_SHOWN_TEXTS, _SHOWN_TOKENS = 8, 24
_TOP = 5
_FEWEST = 12  # tokens that topics can be seen in


def topics(file: Any = None, *, text: str | list[str] | None = None) -> Lesson:
    """Topics by Gibbs sampling: every token asks its document and its word for a topic.

    The steps are those of :class:`quire.decomposition.LatentDirichletAllocation` with
    ``keep_steps=True``: the topics of all tokens at random, and after each sweep over them.

    Parameters
    ----------
    file : path or data frame, default=None
        Texts, as :func:`quire.io.read_corpus` reads them. The first 200 are used, without English
        stop words and words of a single text.
    text : str, default=None
        The column of the texts; guessed if clear.

    Returns
    -------
    Lesson
        The page, its steps and their numbers.

    Examples
    --------
    >>> from quire.lessons import topics
    >>> [step.title for step in topics().start.steps][:3]
    ['Topics at random', 'Sweep 1', 'Sweep 2']
    """
    if file is None:
        texts, about = (
            list(_TEXTS),
            [
                "Eight made-up documents: two about baking, two about space, "
                "two about a garden, and two that mix them."
            ],
        )
        vectorizer = CountVectorizer()
    else:
        corpus = read_corpus(file, text=text, label=False, missing="drop")
        texts = corpus.texts.to_list()[:_MOST_TEXTS]
        about = [
            f"{len(texts):,} texts of {source_name(corpus)}, without English stop words and words "
            "of a single text.",
            *sentences(list(corpus.notes)),
        ]
        vectorizer = CountVectorizer(stop_words="english", min_df=2)
    X = vectorizer.fit_transform(texts).tocsr()
    X.sort_indices()
    words = [str(word) for word in vectorizer.get_feature_names_out()]

    if X.sum() < _FEWEST:
        raise ValueError(f"There are {int(X.sum())} tokens; a lesson on topics needs {_FEWEST}.")

    def run(topics: int, alpha: float) -> tuple[list[Step], dict[str, Any]]:
        model = LatentDirichletAllocation(
            topics,
            doc_topic_prior=alpha,
            topic_word_prior=_BETA,
            max_iter=_SWEEPS,
            tol=0,
            random_state=2,
            keep_steps=True,
        ).fit(X)
        walk = _Walk(model, X, words)
        shares = model.theta_.max(axis=1)
        result = {
            "Log-likelihood per token": plain(float(model.steps_[-1].log_likelihood)),
            "Largest share in a document, on average": share(float(shares.mean())),
            "Words of the first topic": ", ".join(walk.top(model.phi_[0], 3)),
        }
        return walk.steps(), result

    rows = [
        [f"{d + 1}", one if len(one) <= 200 else one[:199] + "…"]
        for d, one in enumerate(texts[:_SHOWN_TEXTS])
    ]
    return Lesson(
        name="topics",
        title="Topics: latent Dirichlet allocation",
        idea=[
            "A topic is a bag of words. A document mixes topics in shares of its own: for each of "
            "its tokens a topic is drawn by the shares, and then a word from the bag of the "
            "topic. Only the words are seen. Which topic each token came from, which shares the "
            "documents have and which words the topics, is what the model finds.",
            "The sampler gives every token a topic at random. Then it takes the tokens one by "
            "one, forgets the topic of each, and draws it anew: a topic is probable if the other "
            "tokens of the document have it, and if the word often has it elsewhere. Topics that "
            "are a little ahead gain more, and after some sweeps the words that go together are "
            "together.",
        ],
        formulas=[
            r"\theta_d \sim \Dir(\alpha), \quad \phi_k \sim \Dir(\beta), \quad "
            r"z_{dn} \sim \Cat(\theta_d), \quad w_{dn} \sim \Cat(\phi_{z_{dn}})",
            r"P(z_{dn} = k \mid \text{all others}) \propto "
            r"(n_{dk} + \alpha) \frac{m_{kw} + \beta}{\sum_v (m_{kv} + \beta)}",
        ],
        symbols=[
            (r"\theta_d", "the shares of the topics in document d"),
            (r"\phi_k", "the probabilities of the words in topic k"),
            ("z_{dn}", "the topic of token n of document d"),
            ("n_{dk}", "the other tokens of document d with topic k"),
            ("m_{kw}", "the other tokens of word w with topic k"),
            (r"\alpha, \beta", f"the priors; beta is {_BETA} here"),
        ],
        about_data=list(about),
        data=table(["", "Text"], rows, "Documents", kind="documents"),
        settings=_SETTINGS,
        runs=runs_over(_SETTINGS, run),
        code=(
            "from quire.decomposition import LatentDirichletAllocation\n"
            "model = LatentDirichletAllocation(3, doc_topic_prior=0.1, random_state=0).fit(texts)\n"
            "model.theta_, model.top_terms(5)"
        ),
        given={"texts": texts},
        guide=["Topic models"],
    )


@dataclass(frozen=True)
class _Walk:
    """The steps of one fitted model."""

    model: Any
    X: Any
    words: list[str]

    def steps(self) -> list[Step]:
        """Return the states that are shown, and what the model makes of the last ones."""
        kept: list[GibbsStep] = self.model.steps_
        steps, before = [], None
        for sweep in thinned(len(kept), 12):
            step = kept[sweep]
            steps.append(
                Step(
                    "Topics at random" if sweep == 0 else f"Sweep {sweep}",
                    self._said(step, before, sweep),
                    self._tokens(step, before),
                    self._words_of(step),
                    {
                        "assignments": step.assignments,
                        "document_topic_counts": step.document_topic_counts,
                        "log_likelihood": step.log_likelihood,
                    }
                    if self.X.shape[0] <= _SHOWN_TEXTS
                    else {"log_likelihood": step.log_likelihood},
                )
            )
            before = step
        steps.append(self._answer())
        return steps

    @property
    def n_topics(self) -> int:
        """The number of topics."""
        return len(self.model.steps_[0].topic_term_counts)

    def top(self, weights: Any, n: int = _TOP) -> list[str]:
        """Return the words with the largest weights."""
        order = np.argsort(-np.asarray(weights), kind="stable")[:n]
        return [self.words[k] for k in order if weights[k] > 0]

    def _said(self, step: GibbsStep, before: GibbsStep | None, sweep: int) -> str:
        level = f"The log-likelihood is {plain(step.log_likelihood)} per token."
        pure = float(
            (step.document_topic_counts.max(axis=1).sum()) / step.document_topic_counts.sum()
        )
        mixed = (
            f"{share(pure)} of the tokens have the topic that is most frequent in their document."
        )
        if before is None:
            return f"Every token has a topic drawn at random, the number beside it. {mixed} {level}"
        moved = int((step.assignments != before.assignments).sum())
        token = "token has" if moved == 1 else "tokens have"
        return f"{moved} {token} another topic than in the step before (marked). {mixed} {level}"

    def _tokens(self, step: GibbsStep, before: GibbsStep | None) -> Html:
        """Return the tokens of the first documents in the colours of their topics."""
        moved = np.zeros(len(step.assignments), dtype=bool)
        if before is not None:
            moved = step.assignments != before.assignments
        ends = np.cumsum(np.asarray(self.X.sum(axis=1)).ravel()).astype(int)
        lines = []
        for d in range(min(_SHOWN_TEXTS, self.X.shape[0])):
            row = self.X[d]
            columns = np.repeat(row.indices, row.data.astype(int))[:_SHOWN_TOKENS]
            begin = int(ends[d - 1]) if d else 0
            spans = [
                html(
                    '<i class="t{}{}">{}<sub>{}</sub></i>',
                    int(step.assignments[begin + n]) % 8 + 1,
                    " moved" if moved[begin + n] else "",
                    self.words[column],
                    int(step.assignments[begin + n]) + 1,
                )
                for n, column in enumerate(columns)
            ]
            more = html(" …") if ends[d] - begin > _SHOWN_TOKENS else html("")
            lines.append(html("<li>{}{}</li>", join(spans, html(" ")), more))
        marks = legend([(k, f"topic {k + 1}") for k in range(self.n_topics)])
        return html('<ol class="tokens">{}</ol>{}', join(lines), marks)

    def _words_of(self, step: GibbsStep) -> Html:
        rows = [
            [
                f"{k + 1}",
                int(counts.sum()),
                ", ".join(f"{self.words[j]} {counts[j]}" for j in _largest(counts)),
            ]
            for k, counts in enumerate(step.topic_term_counts)
        ]
        return table(["Topic", "Tokens", "Most frequent words"], rows, "Words of each topic")

    def _answer(self) -> Step:
        theta: Floats = self.model.theta_[:_SHOWN_TEXTS]
        phi: Floats = self.model.phi_
        names = [f"document {d + 1}" for d in range(len(theta))]
        shown = [[f"{v:.0%}" for v in column] for column in theta.T]
        rows = [
            [f"{k + 1}", ", ".join(f"{self.words[j]} {phi[k, j]:.0%}" for j in _largest(phi[k]))]
            for k in range(len(phi))
        ]
        best = theta[0].argmax()
        return Step(
            "Shares and words",
            f"Averaged over {self.model.n_samples_} of the last sweeps: theta, the shares of the "
            f"topics in each document, and phi, the words of each topic. Document 1 is "
            f"{share(float(theta[0, best]))} topic {best + 1}.",
            join(
                [
                    bars("Shares of topics", names, theta.T, shown, limits=(0, 1)),
                    legend([(k, f"topic {k + 1}") for k in range(self.n_topics)]),
                ]
            ),
            table(["Topic", "Most probable words"], rows, "Words of each topic"),
            {"theta": theta, "phi": phi if phi.size <= 200 else phi[:, :0]},
        )


def _largest(weights: Any) -> list[int]:
    order = np.argsort(-np.asarray(weights), kind="stable")[:_TOP]
    return [int(k) for k in order if weights[k] > 0]
