"""What ``quire align`` checks, shows and writes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from quire._shared.how_many import how_many
from quire._shared.progress import counted
from quire.cli import _typer as typer
from quire.cli._arguments import check_choice
from quire.cli._provenance import data_of, this_command, where_from
from quire.cli._show import as_text, new_table, show, show_json, working
from quire.cli._tables import write_table
from quire.cli._tell import tell, tell_written

if TYPE_CHECKING:
    from quire.alignment import MapComparison, Translation, VectorMap, WordVectors

__all__ = [
    "as_plain",
    "chosen",
    "finish",
    "listed_words",
    "show_parts",
    "tell_missing",
    "use_saved",
]

_METHODS = ("orthogonal", "least_squares", "ridge", "gradient")
_RETRIEVALS = ("csls", "nearest")
_NAMED = 8  # missing words
_EXAMPLES = 6
_BLOCK = 20_000  # words that are translated at a time


def chosen(method: str, retrieval: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the methods and retrievals to compare."""
    check_choice(method, (*_METHODS, "all"), "--method")
    if retrieval not in (*_RETRIEVALS, "both", None):
        raise typer.BadParameter(
            f"expected csls, nearest or both; got {retrieval!r}.", param_hint="--retrieval"
        )
    methods = _METHODS if method == "all" else (method,)
    both = retrieval == "both" or (retrieval is None and method == "all")
    return methods, _RETRIEVALS if both else (retrieval or "csls",)


def listed_words(words: str | None, source: WordVectors) -> list[str]:
    """Return the words to translate; those without a vector are said, with words close to them.

    Raises
    ------
    ValueError
        If none of them has one.
    """
    listed = [word.strip() for word in (words or "").split(",") if word.strip()]
    known, missing = [], []
    for word in listed:
        try:
            source.rows([word])
            known.append(word)
        except KeyError as error:
            missing.append(str(error.args[0]))
    if missing and not known:
        raise ValueError(f"--words: {missing[0]}.")
    for message in missing:
        tell(f"--words: {message}; left out")
    return known


def tell_missing(comparison: MapComparison, source: str, target: str) -> None:
    """Say on standard error which words of pairs have no vector."""
    sides = ((comparison.missing_source, source), (comparison.missing_target, target))
    for words, path in sides:
        if words:
            shown = ", ".join(words[:_NAMED])
            more = f" and {len(words) - _NAMED:,} more" if len(words) > _NAMED else ""
            what = "1 word" if len(words) == 1 else f"{len(words):,} words"
            verb = "has" if len(words) == 1 else "have"
            tell(
                f"{what} of the pairs {verb} no vector in {Path(path).name} and "
                f"{'is' if len(words) == 1 else 'are'} left out: {shown}{more}"
            )


def finish(
    comparison: MapComparison,
    *,
    names: tuple[str, str],
    whole: bool,
    wanted: list[str],
    top: int,
    translate_all: str | None,
    model: str | None,
    report: str | None,
    settings: dict[str, Any],
) -> list[Translation]:
    """Learn the best map from all pairs if it is needed, use it, keep it; return translations."""
    from quire.alignment import translate_words

    best = comparison.best
    final = comparison.best_model
    if whole and (wanted or translate_all or model):
        with working("Fitting on all pairs"):
            from sklearn.base import clone

            known = comparison.train_pairs + comparison.test_pairs
            final = clone(final).fit(final.source_, final.target_, known)
    apart = final.source_ is final.target_
    found: list[Translation] = []
    if wanted:
        with working("Translating"):
            found = translate_words(final, wanted, top, best.retrieval, apart)
    if translate_all is not None:
        _write_all(final, top, best.retrieval, apart, translate_all)
    if model is not None:
        _save(final, comparison, names, settings | {"exclude_self": apart}, model)
    if report is not None:
        with working(f"Writing {report}"):
            from quire.report import alignment_report

            command = {"command": this_command(), "data": data_of(None)}
            title = f"A map {_between(names, apart)}"
            alignment_report(
                comparison, words=found, path=report, title=title, settings=command | settings
            )
    return found


def _write_all(model: VectorMap, top: int, retrieval: str, apart: bool, path: str) -> None:
    import polars as pl

    from quire.alignment import translate_words

    words = model.source_.words
    frames = []
    with counted("Translating") as tell:
        for start in range(0, len(words), _BLOCK):
            block = words[start : start + _BLOCK]
            listed = translate_words(model, block, top, retrieval, apart)
            rows = [
                (one.word, rank, word, score)
                for one in listed
                for rank, (word, score) in enumerate(one.candidates, start=1)
            ]
            schema = {"word": pl.String, "rank": pl.Int64, "found": pl.String, "score": pl.Float64}
            frames.append(pl.DataFrame(rows, schema=schema, orient="row"))
            tell(start + len(block), len(words))
    write_table(pl.concat(frames), path)


def _save(
    model: VectorMap,
    comparison: MapComparison,
    names: tuple[str, str],
    settings: dict[str, Any],
    path: str,
) -> None:
    import quire

    best = comparison.best
    with working(f"Saving {path}"):
        quire.save(
            model,
            path,
            scores={f"precision@{k}": value for k, value in best.precision.items()},
            settings=settings,
            metadata={
                "title": f"Map {_between(names, settings['exclude_self'])}",
                "task": "translation",
                "retrieval": best.retrieval,
                "exclude_self": settings["exclude_self"],
                "pairs": len(comparison.train_pairs) + len(comparison.test_pairs),
                "provenance": where_from(data_of(None), settings["seed"]),
            },
        )


def _between(names: tuple[str, str], same: bool) -> str:
    return f"within {names[0]}" if same else f"from {names[0]} to {names[1]}"


def use_saved(
    path: str,
    words: str | None,
    top: int,
    translate_all: str | None,
    retrieval: str | None,
    threads: int | None,
    *,
    as_json: bool,
) -> None:
    """Translate with a saved map."""
    if words is None and translate_all is None:
        raise typer.BadParameter("nothing to translate. Give --words or --translate-all.")
    with working(f"Loading {path}"):
        import quire
        from quire.alignment import VectorMap, translate_words
        from quire.persistence import read_info

        model = quire.load(path)
        metadata = read_info(path).metadata or {}
    if not isinstance(model, VectorMap) or getattr(model, "source_", None) is None:
        raise ValueError(
            f"{path} holds a {type(model).__name__}; expected a map with its words. Make one: "
            "quire align SOURCE TARGET --pairs FILE --model PATH."
        )
    chosen("all", retrieval)
    if retrieval == "both":
        raise typer.BadParameter("expected csls or nearest.", param_hint="--retrieval")
    how = retrieval or str(metadata.get("retrieval", "csls"))
    apart = bool(metadata.get("exclude_self", model.source_ is model.target_))
    model.n_jobs = threads
    wanted = listed_words(words, model.source_)
    found = translate_words(model, wanted, top, how, apart) if wanted else []
    if translate_all is not None:
        _write_all(model, top, how, apart, translate_all)
    if as_json:
        show_json({"model": path, "retrieval": how, "translations": _plain(found)})
    elif found:
        show(_words_table(found))
    tell_written(translate_all)


def as_plain(
    comparison: MapComparison,
    source: str,
    target: str,
    found: list[Translation],
    settings: dict[str, Any],
) -> dict[str, Any]:
    """Return what was found for JSON."""
    best, model = comparison.best, comparison.best_model
    return {
        "source": {
            "file": source,
            "words": len(model.source_),
            "dimension": model.source_.dimension,
        },
        "target": {
            "file": target,
            "words": len(model.target_),
            "dimension": model.target_.dimension,
        },
        "train_pairs": len(comparison.train_pairs),
        "test_pairs": len(comparison.test_pairs),
        "missing": {"source": comparison.missing_source, "target": comparison.missing_target},
        "scores": comparison.to_frame().drop("seconds").to_dicts(),
        "best": {"method": best.method, "retrieval": best.retrieval},
        "dictionary_sizes": [int(n) for n in model.dictionary_sizes_],
        "held_out": _plain(comparison.translations[best.method, best.retrieval]),
        "translations": _plain(found),
        "settings": settings,
    }


def _plain(found: list[Translation]) -> list[dict[str, Any]]:
    return [
        {
            "word": one.word,
            "found": [{"word": word, "score": score} for word, score in one.candidates],
            **({"right": one.right, "rank": one.rank} if one.right else {}),
        }
        for one in found
    ]


def show_parts(comparison: MapComparison, found: list[Translation]) -> list[Any]:
    """Return what to print: sizes, precision, and words."""
    best, model = comparison.best, comparison.best_model
    n_words = {len(model.source_): None, len(model.target_): None}
    sizes = " and ".join(f"{n:,}" for n in n_words)
    shown: list[Any] = [
        f"{sizes} words of {model.source_.dimension} dimensions, "
        f"{how_many(len(comparison.train_pairs), 'pair')} to learn from, "
        f"{len(comparison.test_pairs):,} to judge by",
        _scores_table(comparison),
    ]
    if model.dictionary_sizes_[-1] > model.dictionary_sizes_[0]:
        shown.append(
            f"Refined {how_many(len(model.dictionary_sizes_) - 1, 'time')}, to "
            f"{how_many(model.dictionary_sizes_[-1], 'pair')}."
        )
    if found:
        return [*shown, _words_table(found)]
    judged = comparison.translations[best.method, best.retrieval]
    step = max(1, len(judged) // _EXAMPLES)
    return [*shown, "Some words that were held out", _words_table(judged[::step][:_EXAMPLES])]


def _scores_table(comparison: MapComparison) -> Any:
    table = new_table()
    table.add_column("method", no_wrap=True)
    table.add_column("retrieval", no_wrap=True)
    for k in comparison.best.precision:
        table.add_column(f"P@{k}", justify="right", no_wrap=True)
    many = len(comparison.scores) > 1
    if many:
        table.add_column("", no_wrap=True)
    for score in comparison.scores:
        is_best = score is comparison.best
        cells = [score.method, score.retrieval, *(f"{v:.3f}" for v in score.precision.values())]
        cells += ["best" if is_best else ""] if many else []
        table.add_row(*map(as_text, cells), style="bold" if is_best and many else None)
    return table


def _words_table(found: list[Translation]) -> Any:
    table = new_table()
    judged = any(one.right for one in found)
    table.add_column("word", overflow="fold")
    table.add_column("found", overflow="fold")
    if judged:
        table.add_column("right", overflow="fold")
    for one in found:
        near = as_text("")
        for place, (word, score) in enumerate(one.candidates[: 3 if judged else None]):
            near.append(", " if place else "")
            near.append_text(as_text(word, style="bold" if word in one.right else ""))
            near.append(f" {score:.3f}", style="dim")
        cells = [as_text(one.word), near]
        if judged:
            cells.append(as_text(", ".join(one.right)))
        table.add_row(*cells)
    return table
