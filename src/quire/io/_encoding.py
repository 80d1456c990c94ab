"""Bytes in any encoding become blocks of valid UTF-8, or an error that says where they are not."""

import codecs
import io
from collections.abc import Callable, Iterator

from quire.io._options import Notes

BLOCK_SIZE = 1 << 22
_SAMPLE_SIZE = 1 << 20
_SLICE_SIZE = 1 << 16  # validating slices that fit the cache is several times as fast
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its first two bytes are the same
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def utf8_blocks(
    stream: io.BufferedReader,
    encoding: str,
    name: str,
    notes: Notes,
    block_size: int = BLOCK_SIZE,
) -> Iterator[bytes]:
    """Yield the stream as non-empty blocks of UTF-8 that end between characters, without its BOM.

    Raises
    ------
    ValueError
        If the bytes are not valid in ``encoding``: the message has the line and the byte offset.
    """
    start = stream.read(_SAMPLE_SIZE)
    codec, bom = resolve_encoding(start, encoding, name)
    if codec != "utf-8" and encoding in ("utf-8", "auto"):
        notes.add(f"read as {codec} ({'it begins with a byte order mark' if bom else 'detected'})")
    step = _validate_utf8() if codec == "utf-8" else _transcode(codec)
    line, offset = 1, bom  # of the first byte not yet decoded
    block = start[bom:]
    while True:
        following = stream.read(block_size)
        try:
            valid = step(block, not following)
        except UnicodeDecodeError as error:
            offset += len(block) - len(error.object)  # the decoder had kept some bytes back
            raise ValueError(_not_valid(name, codec, line, offset, error)) from None
        line += valid.count(b"\n")
        offset += len(block)
        if valid:
            yield valid
        if not following:
            return
        block = following


def decode(data: bytes, encoding: str, name: str) -> tuple[str, str]:
    """Decode the whole of a small file; give the text and the codec that was used."""
    codec, bom = resolve_encoding(data, encoding, name)
    try:
        return data[bom:].decode(codec), codec
    except UnicodeDecodeError as error:
        raise ValueError(_not_valid(name, codec, 1, bom, error)) from None


def resolve_encoding(start: bytes, encoding: str, name: str) -> tuple[str, int]:
    """Name the codec for data that begins with ``start``, and the length of its byte order mark.

    A byte order mark decides, unless an encoding outside the Unicode family was asked for.
    """
    wanted = "auto" if encoding == "auto" else codecs.lookup(encoding).name.removesuffix("-sig")
    if wanted == "auto" or wanted.startswith("utf"):
        for bom, codec in _BOMS:
            if start.startswith(bom):
                return codec, len(bom)
    return (_detect(start, name) if wanted == "auto" else wanted), 0


def _detect(sample: bytes, name: str) -> str:
    """Guess an encoding: UTF-8 if the sample is valid UTF-8, else what charset-normalizer says."""
    try:
        codecs.utf_8_decode(sample, "strict", False)
        return "utf-8"
    except UnicodeDecodeError:
        pass
    from charset_normalizer import from_bytes

    best = from_bytes(sample).best()
    if best is None:
        raise ValueError(
            f"{name}: the encoding could not be detected. Pass its name, for example "
            "encoding='cp1252'; if this is not a text file, pass format=."
        )
    return codecs.lookup(best.encoding).name


def _validate_utf8() -> Callable[[bytes, bool], bytes]:
    """Make a step that passes UTF-8 through, keeping a character cut in two for the next step."""
    kept = b""

    def step(block: bytes, final: bool) -> bytes:
        nonlocal kept
        data = memoryview(kept + block)
        used = 0
        try:
            while used < len(data):
                last = final and len(data) - used <= _SLICE_SIZE
                n_valid = codecs.utf_8_decode(data[used : used + _SLICE_SIZE], "strict", last)[1]
                used += n_valid
                if not n_valid:
                    break
        except UnicodeDecodeError:
            codecs.utf_8_decode(data, "strict", final)  # raises with the position in all the data
        kept = bytes(data[used:])
        return bytes(data[:used])

    return step


def _transcode(codec: str) -> Callable[[bytes, bool], bytes]:
    """Make a step that turns bytes in ``codec`` into UTF-8."""
    decoder = codecs.getincrementaldecoder(codec)()
    return lambda block, final: decoder.decode(block, final).encode("utf-8")


def _not_valid(name: str, codec: str, line: int, offset: int, error: UnicodeDecodeError) -> str:
    """Write the message; ``line`` and ``offset`` are where the error's data begins."""
    line += error.object[: error.start].decode(codec, errors="replace").count("\n")
    offset += error.start
    byte = error.object[error.start]
    return (
        f"{name}, line {line:,}: byte 0x{byte:02x} at offset {offset:,} is not valid {codec}. "
        "Pass encoding= "
        "with the encoding of this file, for example encoding='cp1252', or encoding='auto' to "
        "detect it."
    )
