r"""Write the character tables of cpp/text/unicode.cpp from the running interpreter.

The tables answer what Python's ``re`` and ``str`` answer: which characters are ``\w`` and ``\s``,
how ``str.lower`` maps each one, which of them the rule for the Greek final sigma looks through or
at, and what ``unicodedata.normalize("NFKD", c)`` leaves of each once combining marks are gone. They
are made at build time by the interpreter the extension is built for, and so always agree with it.

Usage: ``python make_unicode_tables.py OUTPUT``
"""

import re
import sys
import unicodedata
from collections.abc import Iterable

N_CODE_POINTS = 0x110000
BLOCK = 256
WORD, SPACE, CASED, IGNORABLE, LOWER_SPECIAL = 1, 2, 4, 8, 16
SIGMA, FINAL_SIGMA = "Σ", "ς"


def two_stage(values: list[int]) -> tuple[list[int], list[int]]:
    """Split a list over all code points into a list of block numbers and the distinct blocks."""
    blocks: dict[tuple[int, ...], int] = {}
    stage1 = []
    for start in range(0, N_CODE_POINTS, BLOCK):
        block = tuple(values[start : start + BLOCK])
        stage1.append(blocks.setdefault(block, len(blocks)))
    return stage1, [value for block in blocks for value in block]


def character_records() -> tuple[list[int], list[tuple[int, int]]]:
    """Return the record number of each code point, and the records (flags, lower-case offset)."""
    every = "".join(map(chr, range(N_CODE_POINTS)))
    words = {ord(match[0]) for match in re.finditer(r"\w", every)}
    spaces = {ord(match[0]) for match in re.finditer(r"\s", every)}
    assert spaces == {cp for cp in range(N_CODE_POINTS) if chr(cp).isspace()}
    records: dict[tuple[int, int], int] = {}
    numbers = []
    for cp in range(N_CODE_POINTS):
        c = chr(cp)
        lower = c.lower()
        flags = WORD * (cp in words) | SPACE * (cp in spaces)
        # A final sigma follows a cased letter, with ignorable characters between them passed over.
        if (c + SIGMA).lower()[-1] == FINAL_SIGMA:
            flags |= CASED
        elif ("a" + c + SIGMA).lower()[-1] == FINAL_SIGMA:
            flags |= IGNORABLE
        flags |= LOWER_SPECIAL * (len(lower) != 1 or c == SIGMA)
        offset = ord(lower) - cp if len(lower) == 1 else 0
        numbers.append(records.setdefault((flags, offset), len(records)))
    return numbers, list(records)


def stripped_forms() -> tuple[list[int], list[int], list[int]]:
    """Return a number for each code point, and pool and offsets of the forms without accents.

    Number 0 means that the character stays as it is; number k is ``pool[offsets[k-1]:offsets[k]]``.
    """
    forms: dict[str, int] = {}
    numbers = []
    for cp in range(N_CODE_POINTS):
        c = chr(cp)
        form = "".join(d for d in unicodedata.normalize("NFKD", c) if not unicodedata.combining(d))
        numbers.append(0 if form == c else forms.setdefault(form, len(forms) + 1))
    pool: list[int] = []
    offsets = [0]
    for form in forms:
        pool.extend(map(ord, form))
        offsets.append(len(pool))
    return numbers, pool, offsets


def bounds(members: set[int]) -> list[int]:
    """Return where runs of members begin and end, by turns."""
    edges = [cp for cp in range(N_CODE_POINTS) if (cp in members) != (cp - 1 in members)]
    return edges + [N_CODE_POINTS] * (len(edges) % 2)


def character_sets() -> dict[str, list[int]]:
    """Return the bounds of sets of characters, by name."""
    every = "".join(map(chr, range(N_CODE_POINTS)))
    patterns = {"word": r"\w", "space": r"\s", "digit": r"\d"}
    return {
        name: bounds({match.start() for match in re.finditer(pattern, every)})
        for name, pattern in patterns.items()
    }


def array(kind: str, name: str, values: Iterable[int]) -> str:
    """Write one C++ array."""
    return f"constexpr {kind} {name}[] = {{{','.join(map(str, values))}}};\n"


def main(path: str) -> None:
    """Write all tables to ``path``."""
    numbers, records = character_records()
    record_stage1, record_stage2 = two_stage(numbers)
    form_numbers, pool, offsets = stripped_forms()
    form_stage1, form_stage2 = two_stage(form_numbers)
    assert len(records) < 1 << 16
    assert len(offsets) < 1 << 16
    lowered = [(cp, chr(cp).lower()) for cp in range(N_CODE_POINTS) if len(chr(cp).lower()) > 1]
    assert [cp for cp, _ in lowered] == [0x130], (
        "str.lower gives several characters for another one"
    )
    text = (
        f'constexpr char kUnicodeVersion[] = "{unicodedata.unidata_version}";\n'
        + array("std::uint8_t", "kRecordBlock", record_stage1)
        + array("std::uint16_t", "kRecordNumber", record_stage2)
        + f"constexpr CharRecord kRecords[] = {{{','.join(f'{{{d},{f}}}' for f, d in records)}}};\n"
        + array("char32_t", "kLowerOf0130", map(ord, lowered[0][1]))
        + array("std::uint8_t", "kFormBlock", form_stage1)
        + array("std::uint16_t", "kFormNumber", form_stage2)
        + array("std::uint16_t", "kFormOffsets", offsets)
        + array("char32_t", "kFormPool", pool)
    )
    sets = character_sets()
    for name, ends in sets.items():
        text += array("std::int32_t", f"kBounds_{name}", ends)
    text += "constexpr struct { const char* name; std::span<const std::int32_t> bounds; } "
    text += "kCharacterSets[] = {"
    text += ",".join(f'{{"{name}",kBounds_{name}}}' for name in sets) + "};\n"
    assert max(record_stage1) < BLOCK
    assert max(form_stage1) < BLOCK
    assert max(offsets) < 1 << 16
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


if __name__ == "__main__":
    main(sys.argv[1])
