"""The page of a lesson: idea, formula, data, the steps with what can be changed, the code."""

from __future__ import annotations

from quire._shared.page.formula import formula
from quire._shared.page.html import NOTHING, Html, html, join
from quire._shared.page.sections import Section, section
from quire._shared.page.shell import asset, controls, script_with_data, shell
from quire._shared.page.tables import boxed_table, cell, column_head
from quire.lessons._catalogue import LESSONS
from quire.lessons._lesson import Lesson, Run, Setting, Step, Text

__all__ = ["index_page", "lesson_page"]

_PACKAGE = "quire.lessons"
_PRINTED = 8  # steps of a run that are printed


def lesson_page(lesson: Lesson) -> Html:
    """Return the page.

    Parameters
    ----------
    lesson : Lesson
        What is shown.
    """
    script = script_with_data(asset(_PACKAGE, "lesson.js"), "lesson-data", lesson.to_dict())
    return shell(
        lesson.title,
        f"A lesson: {_about(lesson.name)}.",
        [
            section("idea", "The idea", *map(_paragraph, lesson.idea)),
            _formula_section(lesson),
            section("data", "The data", *map(_paragraph, lesson.about_data), lesson.data),
            _steps_section(lesson),
            _changes_section(lesson),
            _code_section(lesson),
        ],
        kind="lesson",
        styles=[controls(), asset(_PACKAGE, "lesson.css")],
        scripts=[script],
    )


def index_page(titles: dict[str, str]) -> Html:
    """Return a page with links to the pages of lessons, which lie beside it.

    Parameters
    ----------
    titles : dict
        From the name of each, which is in the file ``NAME.html``, to its title.
    """
    items = [
        html('<li><a href="{}.html">{}</a>: {}</li>', name, title, _about(name))
        for name, title in titles.items()
    ]
    body = html('<ul class="lessons">{}</ul>', join(items))
    return shell(
        "Lessons",
        "Methods step by step, each on a page of its own.",
        [section("lessons", "All lessons", body)],
        kind="list",
        styles=[asset(_PACKAGE, "lesson.css")],
    )


def _about(name: str) -> str:
    return LESSONS[name.replace("-", "_")]


def _paragraph(text: Text) -> Html:
    return html("<p>{}</p>", text)


def _formula_section(lesson: Lesson) -> Section:
    formulas = [
        html('<div class="formula" tabindex="0">{}</div>', formula(tex)) for tex in lesson.formulas
    ]
    symbols = [
        html("<div><dt>{}</dt><dd>{}</dd></div>", formula(tex, block=False), meaning)
        for tex, meaning in lesson.symbols
    ]
    meanings = html('<dl class="symbols">{}</dl>', join(symbols)) if symbols else NOTHING
    return section("formula", "The formula", *formulas, meanings)


def _steps_section(lesson: Lesson) -> Section:
    start = lesson.start
    others = [
        html('<template data-run="{}">{}</template>', _key(lesson, run), _steps(run))
        for run in lesson.runs
        if run is not start
    ]
    player = html(
        '<div id="player">\n'
        '<div class="settings js">{settings}</div>\n'
        '<div class="bar-of-steps js" role="group" aria-label="Steps">\n'
        '<button type="button" id="first">First</button>\n'
        '<button type="button" id="back">Back</button>\n'
        '<button type="button" id="play" aria-pressed="false">Play</button>\n'
        '<button type="button" id="next">Next</button>\n'
        '<button type="button" id="last">Last</button>\n'
        '<label class="slider"><span class="hidden">Step</span>\n'
        '<input type="range" id="slider" min="1" max="{last}" value="1" step="1"></label>\n'
        "</div>\n"
        '<p id="said" class="hidden" aria-live="polite"></p>\n'
        '<div data-saved="" aria-label="this step">\n<div id="stage" role="group" '
        'aria-label="The step that is shown" tabindex="0" data-run="{key}">\n'
        "{steps}</div>\n</div>\n"
        '<p class="note js">Arrow keys or swipes step, Home and End jump, the space bar plays. '
        "The address of the page holds the step and the settings.</p>\n"
        "</div>",
        settings=join(_choice(setting) for setting in lesson.settings),
        last=len(start.steps),
        key=_key(lesson, start),
        steps=_steps(start),
    )
    return section("steps", "Step by step", player, join(others))


def _key(lesson: Lesson, run: Run) -> str:
    """Return the places of the values of a run among those of each setting."""
    return ",".join(str(one.values.index(run.values[one.name])) for one in lesson.settings)


def _choice(setting: Setting) -> Html:
    start = setting.values.index(setting.start)
    options = [
        html(
            '<label><input type="radio" name="{}" value="{}"{}> {}</label>',
            setting.name,
            place,
            html(" checked") if place == start else NOTHING,
            label,
        )
        for place, label in enumerate(setting.labels)
    ]
    return html(
        '<fieldset class="setting"><legend>{}: <span class="soft">{}</span></legend>{}</fieldset>',
        setting.name.replace("_", " "),
        setting.about,
        join(options),
    )


def _steps(run: Run) -> Html:
    n_steps = len(run.steps)
    every = max(1, -(-(n_steps - 1) // (_PRINTED - 1)))
    return join(
        _step(step, place, n_steps, (n_steps - 1 - place) % every == 0 or place == 0)
        for place, step in enumerate(run.steps)
    )


def _step(step: Step, place: int, n_steps: int, is_printed: bool) -> Html:
    picture = html('<div class="shown">{}</div>', step.picture) if step.picture else NOTHING
    table = html('<div class="state">{}</div>', step.table) if step.table else NOTHING
    return html(
        '<article class="step{printed}">'
        '<h3><span class="soft">{number} of {n_steps}</span> <span class="what">{title}</span></h3>'
        '<p class="caption">{caption}</p><div class="sides">{picture}{table}</div></article>\n',
        printed=" printed" if is_printed else "",
        number=place + 1,
        n_steps=n_steps,
        title=step.title,
        caption=step.caption,
        picture=picture,
        table=table,
    )


def _changes_section(lesson: Lesson) -> Section:
    if len(lesson.runs) < 2:
        return section("changes", "What changes")
    names = [setting.name.replace("_", " ") for setting in lesson.settings]
    heads = [column_head(name) for name in (*names, *lesson.start.result)]
    rows = []
    for run in lesson.runs:
        chosen = [
            setting.labels[setting.values.index(run.values[setting.name])]
            for setting in lesson.settings
        ]
        first = html('<th scope="row">{}</th>', chosen[0])
        rest = [html("<td>{}</td>", one) for one in chosen[1:]]
        rest += [html("<td>{}</td>", cell(value)) for value in run.result.values()]
        rows.append(html('<tr data-run="{}">{}{}</tr>', _key(lesson, run), first, join(rest)))
    words = html("<p>The last step for every choice of the settings.</p>")
    caption = "What comes out with each choice of settings"
    return section("changes", "What changes", words, boxed_table(heads, rows, caption))


def _code_section(lesson: Lesson) -> Section:
    names = list(lesson.given)
    use = NOTHING
    if names:
        listed = join([html("<code>{}</code>", name) for name in names], html(", "))
        use = html("<p>With the data above as {}:</p>", listed)
    code = html('<pre tabindex="0"><code>{}</code></pre>', lesson.code)
    pages = join([html("<em>{}</em>", page) for page in lesson.guide], html(", "))
    more = html("<p>More in the guide: {}.</p>", pages) if lesson.guide else NOTHING
    return section("code", "In quire", use, code, more)
