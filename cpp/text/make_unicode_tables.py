r"""Write the character tables of cpp/text/unicode.cpp from the running interpreter.

The tables answer what Python's ``re`` and ``str`` answer: which characters are ``\w`` and ``\s``,
how ``str.lower`` maps each one, which of them the rule for the Greek final sigma looks through or
at, and what ``unicodedata.normalize("NFKD", c)`` leaves of each once combining marks are gone. They
are made at build time by the interpreter the extension is built for, and so always agree with it.

The sets that words by UAX #29 are cut with are made of general categories and names, for Python
does not know the property Word_Break itself; what the annex lists one by one is listed here.

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


def category_sets() -> dict[str, set[int]]:
    """Return the code points of each general category, and of each of their groups (L, M, ...)."""
    sets: dict[str, set[int]] = {}
    for cp in range(N_CODE_POINTS):
        category = unicodedata.category(chr(cp))
        sets.setdefault(category, set()).add(cp)
        sets.setdefault(category[0], set()).add(cp)
    return sets


def listed(ranges: str) -> set[int]:
    """Read code points and ranges of them in hexadecimal digits."""
    parts = [part.split("-") for part in ranges.split()]
    return {cp for part in parts for cp in range(int(part[0], 16), int(part[-1], 16) + 1)}


# Blocks of scripts whose words are not told apart by spaces: Thai, Lao, Myanmar, Khmer, Tai.
UNSPACED = listed("E00-EFF 1000-109F 1780-17FF 1950-19FF 1A20-1AAF A9E0-A9FF AA60-AADF 11700-1174F")
# Letters by their name, of the groups L and N.
ALONE = ("CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "HIRAGANA", "TANGUT", "NUSHU", "KHITAN")
IDEOGRAPHS = listed("3006 3007 3021-3029 3038-303A")
KATAKANA = listed("3031-3035 309B 309C 30A0 30FC-30FF 31F0-31FF 32D0-32FE 3300-3357 FF66-FF9D")
CIRCLED = listed("24B6-24E9 1F130-1F149 1F150-1F169 1F170-1F189")
MODIFIERS = listed(
    "2C2-2C5 2D2-2D7 2DE 2DF 2E5-2EB 2ED 2EF-2FF 55A-55C 55E 58A 5F3 A708-A716 A720 A721 A789 A78A "
    "AB5B"
)
SIGNS_OF_NUMBERS = listed("600-605 6DD 70F 890 891 8E2 110BD 110CD")
REGIONAL = listed("1F1E6-1F1FF")
PICTURES = listed(
    "A9 AE 203C 2049 2122 2139 2194-2199 21A9 21AA 231A 231B 2328 2388 23CF 23E9-23F3 "
    "23F8-23FA 24C2 25AA 25AB 25B6 25C0 25FB-25FE 2600-2605 2607-2612 2614-2685 2690-2705 "
    "2708-2712 2714 2716 271D 2721 2728 2733 2734 2744 2747 274C 274E 2753-2755 2757 "
    "2763-2767 2795-2797 27A1 27B0 27BF 2934 2935 2B05-2B07 2B1B 2B1C 2B50 2B55 3030 303D "
    "3297 3299 1F000-1F0FF 1F10D-1F10F 1F12F 1F16C-1F171 1F17E 1F17F 1F18E 1F191-1F19A "
    "1F1AD-1F1E5 1F201-1F20F 1F21A 1F22F 1F232-1F23A 1F23C-1F23F 1F249-1F3FA 1F400-1F53D "
    "1F546-1F64F 1F680-1F6FF 1F774-1F77F 1F7D5-1F7FF 1F80C-1F80F 1F848-1F84F 1F85A-1F85F "
    "1F888-1F88F 1F8AE-1F8FF 1F90C-1F93A 1F93C-1F945 1F947-1FAFF 1FC00-1FFFD"
)


def word_break_sets() -> dict[str, set[int]]:
    """Return the classes of characters of the rules for words (UAX #29, table 3)."""
    of = category_sets()
    names = {cp: unicodedata.name(chr(cp), "") for cp in of["L"] | of["N"]}
    hebrew = {cp for cp in of["Lo"] if names[cp].startswith("HEBREW L")}
    katakana = {cp for cp in of["L"] if "KATAKANA" in names[cp]} | KATAKANA
    extend = of["M"] | listed("200C FF9E FF9F 1F3FB-1F3FF E0020-E007F")
    formats = of["Cf"] - listed("200B") - SIGNS_OF_NUMBERS  # with U+200D, the joiner
    extend |= formats
    katakana -= extend
    alone = {cp for cp in names if names[cp].startswith(ALONE)} | IDEOGRAPHS
    alone |= UNSPACED & of["L"]
    alone -= katakana | extend
    numeric = of["Nd"] | listed("66B") | SIGNS_OF_NUMBERS
    letters = of["L"] | of["Nl"] | CIRCLED | MODIFIERS
    letters -= hebrew | katakana | alone | extend | numeric
    return {
        "letter": letters,
        "hebrew": hebrew,
        "katakana": katakana,
        "numeric": numeric,
        "connector": of["Pc"] | listed("202F"),
        "extend": extend,
        "alone": alone,
        "mid_letter": listed("3A B7 387 55F 5F4 2027 FE13 FE55 FF1A"),
        "mid_number": listed("2C 3B 37E 589 60C 60D 66C 7F8 2044 FE10 FE14 FE50 FE54 FF0C FF1B"),
        "mid_both": listed("2E 2018 2019 2024 FE52 FF07 FF0E"),
        "regional": REGIONAL,
        "picture": PICTURES,
        "sign": of["P"] | of["S"],
    }


def character_sets() -> dict[str, list[int]]:
    """Return the bounds of sets of characters, by name."""
    every = "".join(map(chr, range(N_CODE_POINTS)))
    patterns = {"word": r"\w", "space": r"\s", "digit": r"\d"}
    sets = {
        name: {match.start() for match in re.finditer(pattern, every)}
        for name, pattern in patterns.items()
    }
    return {name: bounds(members) for name, members in (sets | word_break_sets()).items()}


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
