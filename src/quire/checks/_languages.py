"""Which language a text is in: by its letters, and by the small words that no text is without."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl

from quire._shared.typing import AnyArray, Floats, Ints
from quire.checks._findings import Finding
from quire.checks._material import Material, as_texts, of_documents, percent, rows_beyond_ascii
from quire.feature_extraction.text import CountVectorizer

__all__ = ["guess_languages", "several_languages"]

# Articles, pronouns, prepositions, conjunctions and forms of "to be" of two letters or more. A word
# that several languages have counts for each of them.
_SMALL_WORDS = {
    "English": """the and of to in is that it was for on with as are this be at by not but from they
        have had were which you his her an or he she we there their been has will would
        who what""",
    "German": """der die das und ist nicht ein eine einen zu den mit von auf für im dem des sich
        auch es als wie ich sie wir aber oder war werden wird sind bei nach aus noch nur
        haben hat über zum zur kann""",
    "French": """le la les et des est une un du que qui dans pour pas sur au aux avec ne ce cette
        il elle nous vous mais ou par plus sont été être fait comme leur ses son tout très""",
    "Spanish": """el la los las de que y en un una por con no para es se del al lo como más pero sus
        le ya este sí porque esta entre cuando muy sin sobre también fue ser hay todo""",
    "Portuguese": """de que não do da em um para com uma os no se na por mais as dos como mas ao ele
        das seu sua ou quando muito nos já eu também só pelo pela até isso ela entre foi
        são você""",
    "Italian": """di che il la non per una in un sono mi si ho lo ha le con cosa se io come da ti
        del della dei nel alla anche più gli questo ma era essere molto della delle""",
    "Dutch": """de het een en van ik te dat die in is niet zijn op aan met als voor er maar om hem
        dan zou of wat mijn men dit zo door over ze zich bij ook tot je uit der naar heb
        haar werd""",
    "Swedish": """och det att i en jag hon som han på den med var sig för så till är men ett om hade
        de av icke mig du henne då sin nu har inte hans honom skulle hennes där min""",
    "Danish": """og det at en den til er som på de med han af for ikke der var mig sig men et har
        om vi min havde ham hun nu over da fra du ud sin dem os op hans hvor eller hvad""",
    "Norwegian": """og det at en den til er som på de med han av ikke der så var meg seg men et har
        om vi min hadde hun nå over da ved fra du ut sin dem oss opp hans hvor eller hva""",
    "Finnish": """ja on ei se että hän oli mutta niin kuin myös joka ovat tai olla kun mukaan jos
        sen sitä tämä nyt vain mitä minä sinä ole vielä jo""",
    "Polish": """nie się na jest do to że jak ale za co po od jego tak przez czy już tylko dla jej
        są być może także oraz który było tym""",
    "Czech": """je se na že to jako pro by ale od do co jak tak byl když jen podle není jsem které
        který která nebo jsou také už aby""",
    "Turkish": """bir ve bu da için çok ne gibi daha en ile mi kadar sonra ama olan olarak var yok
        her şey değil ben sen""",
    "Romanian": """și de în la nu care cu un pe este mai din că pentru sau dar fi sunt ce au lui ale
        după fost acest această când""",
    "Indonesian": """yang dan di ini itu dengan untuk tidak dari dalam akan pada juga saya ke karena
        adalah ada mereka kami oleh atau bisa sudah""",
}
_SCRIPTS = {  # those in which few languages are written
    "Cyrillic": r"\p{Cyrillic}",
    "Arabic": r"\p{Arabic}",
    "Greek": r"\p{Greek}",
    "Hebrew": r"\p{Hebrew}",
    "Devanagari": r"\p{Devanagari}",
    "Bengali": r"\p{Bengali}",
    "Tamil": r"\p{Tamil}",
    "Thai": r"\p{Thai}",
    "Hangul": r"\p{Hangul}",
    "Japanese": r"[\p{Hiragana}\p{Katakana}]",
    "Chinese": r"\p{Han}",
}
_LEAST_HITS, _LEAST_SHARE, _AHEAD = 4, 0.08, 1.5  # small words; of all words; times the next
_LETTERS = 0.3  # of a text in a script
_LEAST_TEXTS, _LEAST_OF_ALL = 3, 0.005
_UNKNOWN = -1
_CHUNK = 50_000  # texts that are looked at together


def guess_languages(texts: Any, *, n_jobs: int | None = None) -> pl.Series:
    """Return the language of each text, by its letters and its small words.

    Languages in the Latin script are told by articles, pronouns, prepositions and the like: at
    least four of them, well ahead of those of any other language. Of others it is the script that
    is told: "Cyrillic", "Arabic", "Devanagari" and so on.

    Parameters
    ----------
    texts : sequence of str, Series or Corpus
        The texts.
    n_jobs : int, default=None
        Threads; ``None`` means as many as may be used.

    Returns
    -------
    polars.Series of str
        Null where it cannot be told, as of short texts.

    Examples
    --------
    >>> from quire.checks import guess_languages
    >>> texts = ["the cat and the dog are in the house", "der Hund und die Katze sind im Haus"]
    >>> guess_languages([*texts, "Die Hard"]).to_list()
    ['English', 'German', None]
    """
    texts = getattr(texts, "texts", texts)
    series = as_texts(texts)
    names = pl.Series([*_SMALL_WORDS, *_SCRIPTS])
    found = languages_of(series, n_jobs)
    return names.gather(np.maximum(found, 0)).set(pl.Series(found < 0), None).alias("language")


def several_languages(material: Material) -> Iterator[Finding]:
    """QT011: texts of more than one language."""
    names = [*_SMALL_WORDS, *_SCRIPTS]
    language = languages_of(material.texts, material.n_jobs, material.accented)
    sizes = np.bincount(language[language >= 0], minlength=len(names))
    known = int(sizes.sum())
    if not known:
        return
    main = int(sizes.argmax())
    least = max(_LEAST_TEXTS, _LEAST_OF_ALL * known)
    others = [k for k in np.argsort(-sizes, kind="stable") if k != main and sizes[k] >= least]
    if not others:
        return
    rows = np.flatnonzero(np.isin(language, others))
    parts = ", ".join(f"{names[k]} {percent(sizes[k] / known)}" for k in [main, *others[:5]])
    what = f"{parts} of the {known:,} texts whose language can be told"
    told = _goes_with_class(material, language == main, language >= 0)
    yield Finding(
        "QT011",
        f"{what}: {of_documents(len(rows))} in another language than most.{told}",
        "warning" if told or len(rows) >= 0.1 * known else "note",
        rows,
        terms=tuple(names[k] for k in [main, *others]),
        details={"texts": {names[k]: int(sizes[k]) for k in [main, *others]}},
    )


def _goes_with_class(material: Material, is_main: AnyArray, known: AnyArray) -> str:
    """Say for which class the main language is most unlike all others, if much."""
    if material.codes is None or material.labels is None:
        return ""
    rows = np.flatnonzero((material.codes >= 0) & known)
    sizes = np.bincount(material.codes[rows], minlength=len(material.labels))
    foreign = np.bincount(
        material.codes[rows], weights=~is_main[rows], minlength=len(material.labels)
    )
    large = np.flatnonzero(sizes >= 10)
    if not len(large):
        return ""
    shares = foreign[large] / sizes[large]
    k = int(large[shares.argmax()])
    most, overall = float(shares.max()), float(foreign.sum() / sizes.sum())
    if most < 0.1 or most < 2 * overall:
        return ""
    return f" Of class {material.labels[k]!r} it is {percent(most)}, of all {percent(overall)}."


def languages_of(texts: pl.Series, n_jobs: int | None, accented: Ints | None = None) -> Ints:
    """Return the number of the language of each text, -1 where it cannot be told."""
    words = sorted({word for listed in _SMALL_WORDS.values() for word in listed.split()})
    words = [word for word in words if len(word) > 1]
    place = {word: j for j, word in enumerate(words)}
    profile = np.zeros((len(words), len(_SMALL_WORDS)), dtype=np.float32)
    for k, listed in enumerate(_SMALL_WORDS.values()):
        profile[[place[word] for word in listed.split() if word in place], k] = 1
    counter = CountVectorizer(vocabulary=words, dtype=np.float32, n_jobs=n_jobs)
    parts = [
        _by_small_words(texts.slice(start, _CHUNK), counter, profile)
        for start in range(0, len(texts), _CHUNK)
    ]
    language: Ints = np.concatenate([np.zeros(0, dtype=np.int64), *parts])
    rows = rows_beyond_ascii(texts) if accented is None else accented
    if len(rows):
        script = _scripts_of(texts.gather(rows))
        language[rows[script >= 0]] = script[script >= 0] + len(_SMALL_WORDS)
    return language


def _by_small_words(texts: pl.Series, counter: CountVectorizer, profile: AnyArray) -> Ints:
    hits: Floats = np.asarray(counter.transform(texts) @ profile, dtype=np.float64)
    n_words = np.asarray(texts.str.count_matches(r"\s+").to_numpy()) + 1
    best = hits.argmax(axis=1)
    ordered = np.sort(hits, axis=1)
    is_clear = (ordered[:, -1] >= _LEAST_HITS) & (ordered[:, -1] >= _AHEAD * ordered[:, -2])
    is_clear &= ordered[:, -1] >= _LEAST_SHARE * n_words
    found: Ints = np.where(is_clear, best, _UNKNOWN).astype(np.int64)
    return found


def _scripts_of(texts: pl.Series) -> Ints:
    """Return the script of each text, -1 if it is none of those that are known."""
    letters = np.maximum(texts.str.count_matches(r"\p{L}").to_numpy().astype(np.int64), 1)
    found = np.full(len(texts), _UNKNOWN, dtype=np.int64)
    left = np.flatnonzero(letters >= _LEAST_HITS)
    for number, pattern in enumerate(_SCRIPTS.values()):
        n = texts.gather(left).str.count_matches(pattern).to_numpy()
        found[left[n >= _LETTERS * letters[left]]] = number
        left = left[found[left] < 0]
    return found
