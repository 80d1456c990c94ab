"""Hypothesis strategies for documents: all of Unicode, with the places where text goes wrong.

They are shared by the tests of the kernels and of the vectorizers.
"""

from hypothesis import strategies as st
from tests.reference.text.texts import AnalyzerOptions

N_CODE_POINTS = 0x110000
WHITE_SPACE = [chr(cp) for cp in range(N_CODE_POINTS) if chr(cp).isspace()]

# Lower case is two characters, depends on neighbours, or takes another number of UTF-8 bytes.
CASE = (
    "\u0130\u0131\u017f\u03a3\u03c3\u03c2\u00df\u1e9e\u212a\u212b\u2126"
    "\u023a\u023e\u01c5\u01c8\u01f2\u1f88\u0345\u10a0\u13a0\u2160\u24b6"
)
# Passed over when a capital sigma looks for its neighbours.
IGNORABLE = "'.:^`\u00a8\u00ad\u00b4\u00b7\u02bc\u0301\u0308\u2019\u200d\u200b\ufe0f\u05b0"
# Word characters that one may not expect, and the other way round.
WORDS = "_0\u00b2\u00b9\u00bd\u0661\u2460\u00aa\u00ba\u00b5\u20dd\u0903\u0e33\u3400\u4e00\u3042"
# NFKD is long, empty, or algorithmic (Hangul).
ACCENTS = (
    "\u00e9\u0041\u030a\u1ea5\ufb01\ufdfa\u0344\uac00\ud55c\u1100\u1161"
    "\u11a8\U0002f800\uff21\u00a0\u2026\u3300"
)
PLANES = "\U0001d400\U00010400\U0001f600\U00020000\U000e0001\U0010ffff\uffff\ue000"
BAD = "\x00\x7f\x80\xff\ud800\udbff\udc00\udfff"
AWKWARD = CASE + IGNORABLE + WORDS + ACCENTS + PLANES + BAD + "".join(WHITE_SPACE)

any_character = st.integers(0, N_CODE_POINTS - 1).map(chr)
awkward_character = st.sampled_from(AWKWARD)
letters = st.sampled_from("abcABCzZ\u03a3\u03c3'")

# The sizes at which the kernels change their ways: a key is inline up to 15 bytes, a block is 64.
LENGTHS = [1, 2, 3, 7, 8, 9, 14, 15, 16, 17, 31, 32, 33, 61, 62, 63, 64, 65, 66, 127, 128, 129]
long_words = st.builds(
    lambda character, length: character * length,
    st.sampled_from("aAzZ_9\u00e9\u03a3\u4e00\U0001d400"),
    st.sampled_from(LENGTHS),
)
gaps = st.one_of(
    st.just(" "), st.sampled_from(WHITE_SPACE), st.sampled_from(LENGTHS).map(" ".__mul__)
)
pieces = st.one_of(
    st.text(letters, max_size=4),
    st.text(awkward_character, max_size=4),
    st.text(any_character, max_size=3),
    long_words,
    gaps,
)
wild_documents = st.lists(pieces, max_size=10).map("".join)
# One for each way in which Python stores characters (PEP 393).
ascii_documents = st.text(st.integers(0, 0x7F).map(chr), max_size=40)
latin1_documents = st.text(st.integers(0, 0xFF).map(chr), max_size=40)
ucs2_documents = st.text(st.integers(0, 0xFFFF).map(chr), max_size=20)
# Few words, so that they meet again in other documents.
tame_documents = st.lists(
    st.sampled_from(
        [
            "one",
            "two",
            "Two",
            "three",
            "a",
            "the",
            "fa\u00e7ade",
            "\u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03a3",
            "x" * 20,
        ]
    ),
    max_size=12,
).map(" ".join)
documents = st.one_of(
    wild_documents, tame_documents, ascii_documents, latin1_documents, ucs2_documents
)
corpora = st.lists(documents, max_size=5)
# The same without lone surrogates, which Arrow and files cannot hold.
encodable_documents = documents.map(lambda text: text.encode("utf-8", "replace").decode())

STOP_WORDS = [
    "the",
    "two",
    "a",
    "\u03c3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2",
    "x" * 20,
    "",
    "never there",
    "\ud800",
]


@st.composite
def analyzer_options(draw):
    kind = draw(st.sampled_from(["word", "char", "char_wb"]))
    min_n = draw(st.integers(1, 4))
    return AnalyzerOptions(
        kind,
        draw(st.booleans()),
        draw(st.sampled_from([None, "unicode", "ascii"])),
        draw(st.integers(1, 3)) if kind == "word" else 1,
        min_n,
        min_n + draw(st.integers(0, 3)),
    )
