"""Excel workbooks of one sheet: what a table needs and nothing more.

All texts are inline strings, so that none is ever taken for a formula.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable
from typing import IO, Any
from xml.sax.saxutils import escape

import polars as pl

__all__ = ["write_workbook"]

_MOST_ROWS, _MOST_LETTERS = 1_048_576, 32_767  # of a sheet and of a cell, as Excel has them
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.'
    'relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_KIND}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_KIND}.worksheet+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
    f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
    '<sheet name="quire" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    "</Relationships>",
}


def write_workbook(parts: Iterable[pl.DataFrame], stream: IO[bytes]) -> int:
    """Write the parts of a table as an Excel workbook; return how many rows there were.

    Parameters
    ----------
    parts : iterable of polars.DataFrame
        Tables with the same columns; lists and structures are no cells.
    stream : file
        Binary, for writing and seeking.

    Raises
    ------
    ValueError
        If there are more rows, or letters in a cell, than Excel reads.

    Examples
    --------
    >>> import io
    >>> import polars as pl
    >>> file = io.BytesIO()
    >>> write_workbook([pl.DataFrame({"word": ["=1+1"], "n": [2]})], file)
    1
    """
    n_rows = 0
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in _PARTS.items():
            archive.writestr(name, _HEAD + text)
        with archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as sheet:
            sheet.write(f'{_HEAD}<worksheet xmlns="{_MAIN}"><sheetData>'.encode())
            for number, part in enumerate(parts):
                if number == 0:
                    sheet.write(_row(part.columns))
                n_rows += part.height
                if n_rows >= _MOST_ROWS:
                    raise ValueError(
                        f"A sheet of Excel has at most {_MOST_ROWS:,} rows. Write CSV or Parquet."
                    )
                for row in part.iter_rows():
                    sheet.write(_row(row))
            sheet.write(b"</sheetData></worksheet>")
    return n_rows


def _row(values: Iterable[Any]) -> bytes:
    return f"<row>{''.join(map(_cell, values))}</row>".encode()


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and not abs(value) < float("inf")):
        return "<c/>"
    if isinstance(value, bool):
        return f'<c t="b"><v>{int(value)}</v></c>'
    if isinstance(value, int | float) and abs(value) < 10**15:
        return f"<c><v>{value!r}</v></c>"
    text = _NOT_IN_XML.sub("\ufffd", str(value))
    if len(text) > _MOST_LETTERS:
        raise ValueError(
            f"A cell of Excel has at most {_MOST_LETTERS:,} letters, and a text has {len(text):,}. "
            "Write CSV or Parquet, or leave the texts out."
        )
    return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>'
