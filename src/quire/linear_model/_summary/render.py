"""A summary as lines of text and as HTML."""

from __future__ import annotations

import unicodedata
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from quire.linear_model._summary.summary import Equation, Summary

__all__ = ["as_html", "as_text"]

Rows = list[list[str]]
_NARROWEST_NAME = 8


def as_text(summary: Summary, width: int, max_terms: int) -> str:
    """Return the summary as text that is `width` columns wide, or little more if that is few.

    Parameters
    ----------
    summary : Summary
        What to show.
    width : int
        Columns of the terminal.
    max_terms : int
        Parameters to show of each equation.
    """
    decimals = _decimals(summary)
    bodies = [_rows(equation, decimals, max_terms) for equation in summary.equations]
    head = _header(summary)
    columns = zip(head, *(row for body, _ in bodies for row in body), strict=True)
    widths = [max(map(_columns, column)) for column in columns]
    widths[0] = min(widths[0], max(_NARROWEST_NAME, width - sum(widths[1:]) - 2 * len(widths[1:])))

    lines = [title(summary), ""]
    several = _targets(summary) > 1
    if not several:
        lines += [*_side_by_side(measures(summary), width), ""]
    for number, (equation, (body, rest)) in enumerate(zip(summary.equations, bodies, strict=True)):
        if number:
            lines.append("")
        if equation_title(summary, equation):
            lines.append(_shortened(equation_title(summary, equation), width))
        if several:
            lines += [*_side_by_side(measures(summary, number), width), ""]
        if several or number == 0:
            lines.append(_line(head, widths))
        lines += [_line(row, widths) for row in body]
        if rest:
            lines.append(f"... {rest:,} more: to_frame() has all")
    for note in summary.notes:
        lines += ["", *_wrapped(note, width)]
    return "\n".join(lines)


def as_html(summary: Summary, max_terms: int) -> str:
    """Return the summary as a table element.

    Parameters
    ----------
    summary : Summary
        What to show.
    max_terms : int
        Parameters to show of each equation.
    """
    head = _header(summary)
    several = _targets(summary) > 1
    left = ' style="text-align: left"'
    lines = ['<table class="quire-summary">', f"<caption>{escape(title(summary))}</caption>"]
    if not several:
        lines += ["<tbody>", *_html_measures(measures(summary), len(head)), "</tbody>"]
    for number, equation in enumerate(summary.equations):
        lines.append("<tbody>")
        label = equation_title(summary, equation)
        if label:
            lines.append(
                f'<tr><th scope="rowgroup" colspan="{len(head)}"{left}>{escape(label)}</th></tr>'
            )
        if several:
            lines += _html_measures(measures(summary, number), len(head))
        cells = "".join(f'<th scope="col">{escape(cell or "term")}</th>' for cell in head)
        lines.append(f"<tr>{cells}</tr>")
        body, rest = _rows(equation, _decimals(summary), max_terms)
        for name, *numbers in body:
            cells = "".join(f"<td>{escape(cell)}</td>" for cell in numbers)
            lines.append(f'<tr><th scope="row"{left}>{escape(name)}</th>{cells}</tr>')
        if rest:
            lines.append(
                f'<tr><td colspan="{len(head)}">{rest:,} more: to_frame() has all</td></tr>'
            )
        lines.append("</tbody>")
    if summary.notes:
        notes = "<br>".join(map(escape, summary.notes))
        lines.append(f'<tfoot><tr><td colspan="{len(head)}"{left}>{notes}</td></tr></tfoot>')
    return "\n".join([*lines, "</table>"])


def title(summary: Summary) -> str:
    """Return what was fitted, and by which class."""
    return f"{summary.method} ({summary.model})"


def equation_title(summary: Summary, equation: Equation) -> str:
    """Return what an equation is about, or nothing."""
    if equation.label is None:
        return ""
    if summary.reference is None:
        return f"target {equation.label}"
    return f"class {equation.label} against {summary.reference}"


def measures(summary: Summary, number: int = 0) -> list[tuple[str, str]]:
    """Return the measures of fit with their names; `number` is that of the target."""

    def value(measure: Any) -> float:
        return float(np.ravel(measure)[number])

    found = [
        ("samples", f"{summary.n_samples:,.10g}"),
        ("parameters", f"{summary.n_parameters:,}"),
        ("residual df", f"{summary.df_residual:,.10g}"),
        ("log-likelihood", f"{value(summary.log_likelihood):,.3f}"),
        ("null log-likelihood", f"{value(summary.null_log_likelihood):,.3f}"),
        ("AIC", f"{value(summary.aic):,.3f}"),
        ("BIC", f"{value(summary.bic):,.3f}"),
    ]
    least_squares = summary.residual_standard_error is not None
    found.append(("R2" if least_squares else "McFadden's R2", f"{value(summary.r2):.4f}"))
    if least_squares:
        found += [
            ("adjusted R2", f"{value(summary.adjusted_r2):.4f}"),
            ("residual std. error", f"{value(summary.residual_standard_error):,.5g}"),
            (
                f"F({summary.df_model:g}, {summary.df_residual:g})",
                _short(value(summary.f_statistic)),
            ),
            ("P(F)", _p_value(value(summary.f_p_value))),
        ]
    found += [
        (f"LR chi2({summary.df_model:g})", _short(value(summary.likelihood_ratio))),
        ("P(chi2)", _p_value(value(summary.likelihood_ratio_p_value))),
        ("covariance", summary.covariance_type),
    ]
    return found


def _targets(summary: Summary) -> int:
    return int(np.size(summary.log_likelihood))


def _header(summary: Summary) -> list[str]:
    z = summary.statistic
    level = f"{100 * summary.confidence:g}%"
    return ["", "estimate", "std. error", z, f"P>|{z}|", f"lower {level}", f"upper {level}"]


def _decimals(summary: Summary) -> int:
    """Return how many decimals show three digits of the smallest standard error, within reason."""
    errors = np.concatenate([equation.standard_errors for equation in summary.equations])
    usable = errors[np.isfinite(errors) & (errors > 0)]
    return int(np.clip(2 - np.floor(np.log10(usable.min())), 2, 6)) if usable.size else 4


def _rows(equation: Equation, decimals: int, max_terms: int) -> tuple[Rows, int]:
    """Return the cells of an equation, and how many parameters are left out of them."""
    shown = min(len(equation.terms), max_terms)
    rows = []
    for j in range(shown):
        numbers = (
            _number(equation.estimates[j], decimals),
            _number(equation.standard_errors[j], decimals),
            _short(equation.statistics[j]),
            _p_value(equation.p_values[j]),
            _number(equation.lower[j], decimals),
            _number(equation.upper[j], decimals),
        )
        rows.append([" ".join(equation.terms[j].split()), *numbers])
    return rows, len(equation.terms) - shown


def _number(value: float, decimals: int) -> str:
    if not np.isfinite(value) or value == 0:
        return f"{value:.{decimals}f}"
    if abs(value) < 5 * 10.0**-decimals or abs(value) >= 1e6:
        return f"{value:.3e}"
    before = int(np.log10(max(abs(value), 1))) + 1
    return f"{value:.{min(decimals, 8 - before)}f}"  # no more digits than columns of a table


def _short(value: float) -> str:
    return f"{value:.2f}" if not np.isfinite(value) or abs(value) < 1e5 else f"{value:.2e}"


def _p_value(value: float) -> str:
    return "<0.001" if value < 0.0005 else f"{value:.3f}"


def _line(row: list[str], widths: list[int]) -> str:
    name = _shortened(row[0], widths[0])
    name += " " * (widths[0] - _columns(name))
    numbers = [cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True)]
    return "  ".join([name, *numbers]).rstrip()


def _side_by_side(found: list[tuple[str, str]], width: int) -> list[str]:
    """Return names and values in two columns, or in one where two do not fit."""
    n_columns = 2 if width >= 72 else 1
    per_column = -(-len(found) // n_columns)
    columns = [found[i : i + per_column] for i in range(0, len(found), per_column)]
    blocks = []
    for column in columns:
        names, values = (max(map(len, part)) for part in zip(*column, strict=True))
        lines = [f"{name:<{names}}  {value:>{values}}" for name, value in column]
        blocks.append(lines + [" " * (names + 2 + values)] * (per_column - len(lines)))
    return ["    ".join(parts).rstrip() for parts in zip(*blocks, strict=True)]


def _html_measures(found: list[tuple[str, str]], n_columns: int) -> list[str]:
    return [
        f'<tr><th scope="row" style="text-align: left">{escape(name)}</th>'
        f'<td colspan="{n_columns - 1}" style="text-align: left">{escape(value)}</td></tr>'
        for name, value in found
    ]


def _wrapped(note: str, width: int) -> list[str]:
    from textwrap import wrap

    return wrap(note, max(width, 20))


def _columns(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    marks = sum(unicodedata.combining(character) > 0 for character in text)
    return len(text) + wide - marks


def _shortened(name: str, width: int) -> str:
    """Return the name, its middle left out if it is too long."""
    if _columns(name) <= width:
        return name
    head, tail = name[: len(name) // 2], name[len(name) // 2 :]
    while _columns(head) + _columns(tail) + 1 > width:
        if len(head) >= len(tail):
            head = head[:-1]
        else:
            tail = tail[1:]
    return f"{head}…{tail}"
