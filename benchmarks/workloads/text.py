"""Text to numbers: the vectorizers against scikit-learn's of the same name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from inspect import signature
from typing import Any

import polars as pl
from sklearn.feature_extraction import text as sklearn_text

from benchmarks.checks import same_matrix, same_vectorizer
from benchmarks.comparison import Comparison, Side
from benchmarks.data import Corpus, growing_texts, imdb, newsgroups
from benchmarks.records import Quality
from benchmarks.registry import Context, Data, register
from benchmarks.scaling import Scaling
from quire.feature_extraction import text as quire_text

Run = Callable[[Any, int], Any]


def reviews(context: Context) -> Data:
    """IMDB as a list of str."""
    data = imdb(context)
    return replace(data, value=data.value.texts)


def posts(context: Context) -> Data:
    """20 newsgroups as a list of str."""
    data = newsgroups(context)
    return replace(data, value=data.value.texts)


def some_reviews(context: Context) -> Data:
    """Pick some reviews to serve one by one; all of them give the vocabulary."""
    corpus: Corpus = imdb(context).value
    served = corpus.texts[:: max(1, len(corpus.texts) // 1000)]
    return Data(
        f"{len(served):,} single documents; vocabulary of {corpus.description}",
        (corpus.texts, served),
        items=len(served),
    )


def counts(context: Context) -> Data:
    """Unigram counts of IMDB."""
    data = reviews(context)
    matrix = quire_text.CountVectorizer().fit_transform(data.value)
    rows, columns = matrix.shape
    return Data(f"counts {rows:,} x {columns:,} of {data.description}", matrix)


def fit_transform(make: Callable[..., Any], **params: Any) -> Run:
    """Make a new vectorizer and run it; quire's gets the number of threads."""
    threaded = "n_jobs" in signature(make).parameters

    def run(documents: Any, n_jobs: int) -> Any:
        vectorizer = make(**params, n_jobs=n_jobs) if threaded else make(**params)
        return vectorizer, vectorizer.fit_transform(documents)

    return run


def fit_names(make: Callable[..., Any]) -> Run:
    """As `fit_transform`, and asks for the feature names and the vocabulary as well."""
    fit = fit_transform(make)

    def run(documents: Any, n_jobs: int) -> Any:
        vectorizer, matrix = fit(documents, n_jobs)
        vectorizer.get_feature_names_out()
        len(vectorizer.vocabulary_)
        return vectorizer, matrix

    return run


def fit_first(make: Callable[..., Any], documents: Any, n_jobs: int) -> Any:
    """Fit outside of the clock; the run transforms the same documents."""
    return fit_transform(make)(documents, n_jobs)[0], documents


def fit_to_serve(make: Callable[..., Any], value: Any, n_jobs: int) -> Any:
    """Fit on the whole corpus outside of the clock; the run transforms single documents."""
    documents, served = value
    return fit_transform(make)(documents, n_jobs)[0], served


def transform(fitted: Any, n_jobs: int) -> Any:
    """Transform all documents in one call."""
    vectorizer, documents = fitted
    return vectorizer.transform(documents)


def transform_one_by_one(fitted: Any, n_jobs: int) -> Any:
    """Transform each document in a call of its own, as a server does."""
    vectorizer, documents = fitted
    return [vectorizer.transform([document]) for document in documents]


def both(name: str, *, slow: int | None = None, **params: Any) -> dict[str, Side]:
    """Return ``fit_transform`` of the class of that name in quire and in scikit-learn."""
    return {
        "quire": Side(fit_transform(getattr(quire_text, name), **params)),
        "scikit-learn": Side(fit_transform(getattr(sklearn_text, name), **params), repeats=slow),
    }


register(
    Comparison(
        name="text.count",
        title="CountVectorizer().fit_transform",
        data=reviews,
        sides=both("CountVectorizer"),
        check=same_vectorizer,
        mark=25,
        fresh=True,
        fresh_mark=25,
    )
)
register(
    Comparison(
        name="text.count-1-thread",
        title="CountVectorizer(n_jobs=1).fit_transform",
        data=reviews,
        sides=both("CountVectorizer"),
        check=same_vectorizer,
        mark=10,
        threads=1,
        fresh=True,
    )
)
register(
    Comparison(
        name="text.count-names",
        title="CountVectorizer().fit_transform, then feature names and vocabulary_",
        data=reviews,
        sides={
            "quire": Side(fit_names(quire_text.CountVectorizer)),
            "scikit-learn": Side(fit_names(sklearn_text.CountVectorizer)),
        },
        check=same_vectorizer,
    )
)
register(
    Comparison(
        name="text.count-bigrams",
        title="CountVectorizer(ngram_range=(1, 2)).fit_transform",
        data=reviews,
        sides=both("CountVectorizer", slow=3, ngram_range=(1, 2)),
        check=same_vectorizer,
        mark=30,
        memory_mark=0.5,
        fresh=True,
    )
)
register(
    Comparison(
        name="text.tfidf",
        title="TfidfVectorizer().fit_transform",
        data=reviews,
        sides=both("TfidfVectorizer"),
        check=same_vectorizer,
        mark=25,
        fresh=True,
    )
)
register(
    Comparison(
        name="text.hashing",
        title="HashingVectorizer().fit_transform",
        data=reviews,
        sides=both("HashingVectorizer"),
        check=same_matrix,
        mark=20,
        fresh=True,
    )
)
register(
    Comparison(
        name="text.char-wb",
        title='CountVectorizer(analyzer="char_wb", ngram_range=(3, 5)).fit_transform',
        data=reviews,
        sides=both("CountVectorizer", slow=2, analyzer="char_wb", ngram_range=(3, 5)),
        check=same_vectorizer,
        mark=15,
        fresh=True,
    )
)
_PATTERNS = {
    "punctuation": r"\w+|[^\w\s]",
    "letters": r"[a-zA-Z]+",
    "apostrophes": r"\w+(?:'\w+)?",
    "blanks": r"\S+",
    "hashtags": r"#\w+|@\w+|\w+",
}
for kind, pattern in _PATTERNS.items():
    register(
        Comparison(
            name=f"text.pattern-{kind}",
            title=f'CountVectorizer(token_pattern=r"{pattern}").fit_transform',
            data=reviews,
            sides=both("CountVectorizer", slow=3, token_pattern=pattern),
            check=same_vectorizer,
        )
    )
register(
    Comparison(
        name="text.tokens-words",
        title='CountVectorizer(tokens="words").fit_transform, and the same pattern',
        data=reviews,
        sides={
            "quire": Side(fit_transform(quire_text.CountVectorizer, tokens="words")),
            "scikit-learn": Side(
                fit_transform(
                    sklearn_text.CountVectorizer,
                    token_pattern=quire_text.CountVectorizer(tokens="words").word_pattern(),
                ),
                repeats=3,
            ),
        },
        check=same_vectorizer,
        mark=20,
    )
)


def more_or_fewer_tokens(results: Any) -> Quality:
    """Tell how many tokens each side has counted; they are not the same ones."""
    figures = {name: float(matrix.sum()) for name, (_, matrix) in results.items()}
    summary = ", ".join(f"{name}: {n:,.0f} tokens" for name, n in figures.items())
    return Quality(min(figures.values()) > 0, summary, figures)


_KINDS = {name: {"token_pattern": pattern} for name, pattern in _PATTERNS.items()}
for kind, settings in {**_KINDS, "words": {"tokens": "words"}}.items():
    shown = ", ".join(f'{name}="{value}"' for name, value in settings.items())
    register(
        Comparison(
            name=f"text.beside-default-{kind}",
            title=f"CountVectorizer({shown}).fit_transform beside the default pattern, one thread",
            data=reviews,
            sides={
                "quire": Side(fit_transform(quire_text.CountVectorizer, **settings)),
                "quire, default": Side(fit_transform(quire_text.CountVectorizer)),
            },
            check=more_or_fewer_tokens,
            mark=0.67,
            threads=1,
            memory=False,
        )
    )


register(
    Comparison(
        name="text.negation",
        title='CountVectorizer(negation="english").fit_transform',
        data=reviews,
        sides={
            "quire": Side(fit_transform(quire_text.CountVectorizer, negation="english")),
            "scikit-learn": Side(
                fit_transform(
                    sklearn_text.CountVectorizer,
                    analyzer=quire_text.CountVectorizer(negation="english").build_analyzer(),
                ),
                repeats=2,
            ),
        },
        check=same_vectorizer,
    )
)


@cache
def stem_of(word: str) -> str:
    """Return the stem of an English word; both sides remember what they met."""
    import snowballstemmer

    stem: str = snowballstemmer.stemmer("english").stemWord(word)
    return stem


class StemmingVectorizer(sklearn_text.CountVectorizer):
    """scikit-learn's with stems."""

    def build_tokenizer(self) -> Callable[[str], list[str]]:
        """Return a tokenizer that stems."""
        tokenize = super().build_tokenizer()
        return lambda text: list(map(stem_of, tokenize(text)))


register(
    Comparison(
        name="text.stems",
        title='CountVectorizer(stemmer="english").fit_transform',
        data=reviews,
        sides={
            "quire": Side(
                fit_transform(quire_text.CountVectorizer, stemmer="english"),
                requires="snowballstemmer",
            ),
            "scikit-learn": Side(fit_transform(StemmingVectorizer), repeats=2),
        },
        check=same_vectorizer,
    )
)
register(
    Comparison(
        name="text.transform",
        title="transform of a fitted CountVectorizer()",
        data=reviews,
        sides={
            "quire": Side(transform, partial(fit_first, quire_text.CountVectorizer)),
            "scikit-learn": Side(transform, partial(fit_first, sklearn_text.CountVectorizer)),
        },
        check=same_matrix,
        mark=25,
    )
)
register(
    Comparison(
        name="text.transform-single",
        title="transform of one document at a time, time per document",
        data=some_reviews,
        sides={
            "quire": Side(transform_one_by_one, partial(fit_to_serve, quire_text.CountVectorizer)),
            "scikit-learn": Side(
                transform_one_by_one, partial(fit_to_serve, sklearn_text.CountVectorizer)
            ),
        },
        check=same_matrix,
        per_item="document",
        memory=False,
    )
)
register(
    Comparison(
        name="text.count-polars",
        title="CountVectorizer().fit_transform from a polars column, against the list of str",
        data=reviews,
        sides={
            "quire": Side(
                fit_transform(quire_text.CountVectorizer),
                prepare=lambda texts, n_jobs: pl.Series("text", texts),
            ),
            "quire, list": Side(fit_transform(quire_text.CountVectorizer)),
        },
        check=same_vectorizer,
        mark=1,
    )
)
register(
    Comparison(
        name="text.count-arrow",
        title="CountVectorizer().fit_transform from an Arrow large_utf8 array, against the list",
        data=reviews,
        sides={
            "quire": Side(
                fit_transform(quire_text.CountVectorizer),
                prepare=lambda texts, n_jobs: pl.Series("text", texts).to_arrow(
                    compat_level=pl.CompatLevel.oldest()
                ),
                requires="pyarrow",
            ),
            "quire, list": Side(fit_transform(quire_text.CountVectorizer)),
        },
        check=same_vectorizer,
        mark=1,
    )
)
register(
    Comparison(
        name="text.count-newsgroups",
        title="CountVectorizer().fit_transform",
        data=posts,
        sides=both("CountVectorizer"),
        check=same_vectorizer,
        fresh=True,
    )
)
register(
    Comparison(
        name="text.tfidf-transformer",
        title="TfidfTransformer().fit_transform of counts",
        data=counts,
        sides=both("TfidfTransformer"),
        check=same_matrix,
    )
)
register(
    Scaling(
        name="text.scaling",
        title="CountVectorizer().fit_transform on growing text",
        description="generated Zipf text",
        sizes=(1, 4, 16, 64, 256, 1024),
        quick_sizes=(1, 4, 16, 64),
        data=growing_texts,
        run=fit_transform(quire_text.CountVectorizer),
    )
)
