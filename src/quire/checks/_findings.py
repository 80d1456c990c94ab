"""What checks found: what, where, why it matters and what to do, as a table and as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from textwrap import TextWrapper
from typing import TYPE_CHECKING, Any

import numpy as np

from quire._shared.notebooks import ShownInNotebooks
from quire._shared.number_tables import html_table
from quire._shared.typing import Ints
from quire.checks._catalogue import CHECKS, SEVERITIES, Check

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Finding", "Findings"]

_OF_CODE = {check.code: check for check in CHECKS}
_ROWS_IN_JSON = 100
_NO_ROWS: Ints = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Finding(ShownInNotebooks):
    """One thing that was found.

    Attributes
    ----------
    code : str
        Which check found it, such as ``"QT001"``.
    what : str
        What is there, with numbers and examples.
    severity : {"error", "warning", "note"}
        How grave it is.
    rows : ndarray of int
        The rows that it is about, from 0, rising; empty where it is about no rows in particular.
    terms : tuple of str
        Words or passages that it is about.
    classes : tuple
        Classes that it is about.
    details : dict
        Its numbers.
    """

    code: str
    what: str
    severity: str
    rows: Ints = field(default_factory=lambda: _NO_ROWS)
    terms: tuple[str, ...] = ()
    classes: tuple[Any, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def check(self) -> Check:
        """The check that found it."""
        return _OF_CODE[self.code]

    @property
    def title(self) -> str:
        """What was found, in a few words."""
        return self.check.title

    @property
    def why(self) -> str:
        """Why it matters."""
        return self.check.why

    @property
    def advice(self) -> str:
        """What to do."""
        return self.check.advice

    def __str__(self) -> str:
        return f"{self.code} {self.severity}: {self.what}"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, with the first 100 rows."""
        return {
            "code": self.code,
            "severity": self.severity,
            "title": self.title,
            "what": self.what,
            "why": self.why,
            "advice": self.advice,
            "n_rows": len(self.rows),
            "rows": self.rows[:_ROWS_IN_JSON].tolist(),
            "terms": list(self.terms),
            "classes": list(self.classes),
            "details": self.details,
        }


@dataclass(frozen=True, eq=False, repr=False)
class Findings:
    """All that was found in a corpus, the gravest first.

    Attributes
    ----------
    findings : tuple of Finding
        What was found, by severity and code. Iterating and indexing go there, and
        ``findings["QT003"]`` is the list of those with this code.
    n_documents : int
        How many documents were looked at.
    checked : tuple of str
        Codes of the checks that were run.
    silenced : tuple of str
        Codes that were not looked for because they were silenced.
    notes : tuple of str
        What was assumed, and why checks were left out.

    Examples
    --------
    >>> from quire.checks import check_texts
    >>> findings = check_texts(["rain", "sun", "Rain ", "snow"], ["wet", "dry", "dry", "Wet"])
    >>> [finding.code for finding in findings]
    ['QT001', 'QT003', 'QT009', 'QT008']
    >>> findings["QT003"][0].rows
    array([0, 2])
    """

    findings: tuple[Finding, ...]
    n_documents: int
    checked: tuple[str, ...]
    silenced: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.findings)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __getitem__(self, key: int | str) -> Any:
        if isinstance(key, str):
            return [finding for finding in self.findings if finding.code == key.upper()]
        return self.findings[key]

    def __repr__(self) -> str:
        return f"<{self.summary}>"

    def count(self, severity: str) -> int:
        """Return how many findings have a severity.

        Parameters
        ----------
        severity : {"error", "warning", "note"}
            Which.
        """
        if severity not in SEVERITIES:
            raise ValueError(f"severity is {severity!r}; expected one of {', '.join(SEVERITIES)}.")
        return sum(finding.severity == severity for finding in self.findings)

    def to_frame(self) -> pl.DataFrame:
        """Return a table with a row for each finding."""
        import polars as pl

        names = ("code", "severity", "title", "what", "why", "advice")
        columns = {name: [getattr(one, name) for one in self.findings] for name in names}
        return pl.DataFrame(
            {**columns, "rows": [one.rows.tolist() for one in self.findings]},
            schema={**dict.fromkeys(names, pl.String), "rows": pl.List(pl.Int64)},
        )

    def rows(self) -> pl.DataFrame:
        """Return a table with a row for each document of each finding: code, severity, row."""
        import polars as pl

        sizes = [len(one.rows) for one in self.findings]
        return pl.DataFrame(
            {
                "row": np.concatenate([_NO_ROWS, *(one.rows for one in self.findings)]),
                "code": np.repeat([one.code for one in self.findings] or [""], sizes or [0]),
                "severity": np.repeat(
                    [one.severity for one in self.findings] or [""], sizes or [0]
                ),
            },
            schema={"row": pl.Int64, "code": pl.String, "severity": pl.String},
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, ready for JSON."""
        return {
            "documents": self.n_documents,
            "counts": {severity: self.count(severity) for severity in SEVERITIES},
            "findings": [finding.to_dict() for finding in self.findings],
            "checked": list(self.checked),
            "silenced": list(self.silenced),
            "notes": list(self.notes),
        }

    @property
    def summary(self) -> str:
        """How many findings of each severity there are, in one line."""
        several = ", ".join(
            f"{n} {severity}{'' if n == 1 else 's'}"
            for severity in SEVERITIES
            if (n := self.count(severity))
        )
        documents = "1 document" if self.n_documents == 1 else f"{self.n_documents:,} documents"
        return f"{documents}: {several or 'nothing was found'}"

    def __str__(self) -> str:
        lines = [self.summary]
        wrap = TextWrapper(width=88, initial_indent="  ", subsequent_indent="  ")
        for finding in self.findings:
            lines += ["", f"{finding.code} {finding.severity}: {finding.title}"]
            for sentence in (finding.what, finding.why, finding.advice):
                lines += wrap.wrap(sentence)
        lines.extend(f"note: {note}" for note in self.notes)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        heads = ["code", "severity", "what", "why", "advice"]
        rows = [[getattr(one, name) for name in heads] for one in self.findings]
        return html_table(self.summary, [heads, *rows])
