"""Bytes in any encoding become blocks of valid UTF-8, or an error that says where they are not."""

import codecs
import io
from collections.abc import Iterator

import numpy as np

from quire.exceptions import CorpusError
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


class Utf8Blocks:
    """A stream as blocks of UTF-8, cut after a line break if there is one; without its BOM.

    What the reader of a block could not use yet goes in front of the next one (`read`). A block of
    UTF-8 is therefore written once, when it is read, and handed on as it is.

    Raises
    ------
    CorpusError
        If the bytes are not valid in ``encoding``: the message has the line and the byte offset.
    """

    def __init__(
        self,
        stream: io.BufferedReader,
        encoding: str,
        name: str,
        notes: Notes,
        block_size: int = BLOCK_SIZE,
    ) -> None:
        start = stream.read(_SAMPLE_SIZE)
        codec, bom = resolve_encoding(start, encoding, name)
        if codec != "utf-8" and encoding in ("utf-8", "auto"):
            how = "it begins with a byte order mark" if bom else "detected"
            notes.add(f"read as {codec} ({how})")
        self.at_end = not start[bom:]  # nothing comes after the last block
        self._stream, self._name = stream, name
        self._block_size = block_size if len(start) == _SAMPLE_SIZE else 1  # all is read
        self._codec = codec
        self._decoder = None if codec == "utf-8" else codecs.getincrementaldecoder(codec)()
        self._kept = start[bom:]  # read, and not given out yet
        self._line, self._offset = 1, bom  # of the first byte not given out

    def __iter__(self) -> Iterator[bytes]:
        while not self.at_end:
            block = self.read()
            if block:
                yield block

    def read(self, before: bytes = b"") -> bytes:
        """Return ``before``, which came from the last block, and more of the stream.

        At least as much more as that is, so that a record which goes over many blocks is looked
        at a few times and not once for each.
        """
        size = max(self._block_size, len(before))
        if self._decoder is not None:
            return before + self._transcoded(self._decoder, size)
        head = before + self._kept
        room = len(head) + size
        buffer = io.BytesIO()
        buffer.write(head)
        buffer.seek(room - 1)
        buffer.write(b"\0")
        with buffer.getbuffer() as view:
            end = len(head) + self._stream.readinto(view[len(head) :])
            self.at_end = end < room
            cut = end if self.at_end else _after_last_line(view[:end], len(before))
            cut = self._checked(view[len(before) : cut]) + len(before)
            self._kept = bytes(view[cut:end])
        buffer.truncate(cut)
        block = buffer.getvalue()  # not a copy
        self._line += int(np.count_nonzero(np.frombuffer(block, np.uint8)[len(before) :] == 10))
        self._offset += cut - len(before)
        return block

    def _checked(self, text: memoryview) -> int:
        """Return how much of the text is whole characters; refuse what is not UTF-8."""
        used = 0
        try:
            while used < len(text):
                last = self.at_end and len(text) - used <= _SLICE_SIZE
                n_valid = codecs.utf_8_decode(text[used : used + _SLICE_SIZE], "strict", last)[1]
                used += n_valid
                if not n_valid:
                    break
        except UnicodeDecodeError:
            try:  # again, for the position in all the text
                codecs.utf_8_decode(text, "strict", self.at_end)
            except UnicodeDecodeError as error:
                raise CorpusError(self._not_valid(error)) from None
        return used

    def _transcoded(self, decoder: codecs.IncrementalDecoder, size: int) -> bytes:
        block, self._kept = self._kept, self._stream.read(size)
        self.at_end = not self._kept
        try:
            text = decoder.decode(block, self.at_end).encode("utf-8")
        except UnicodeDecodeError as error:
            self._offset += len(block) - len(error.object)  # the decoder had kept some bytes back
            raise CorpusError(self._not_valid(error)) from None
        except UnicodeError as error:
            raise CorpusError(_cannot_be(f"{self._name}, line {self._line:,}", error)) from None
        self._line += text.count(b"\n")
        self._offset += len(block)
        return text

    def _not_valid(self, error: UnicodeDecodeError) -> str:
        return _not_valid(self._name, self._codec, self._line, self._offset, error)


def _after_last_line(text: memoryview, start: int) -> int:
    """Return where the last line break in ``text[start:]`` ends, or the end if there is none."""
    stop = len(text)
    while stop > start:
        piece = max(start, stop - _SLICE_SIZE)
        found = bytes(text[piece:stop]).rfind(b"\n")
        if found >= 0:
            return piece + found + 1
        stop = piece
    return len(text)


def decode(data: bytes, encoding: str, name: str) -> tuple[str, str]:
    """Decode the whole of a small file; give the text and the codec that was used."""
    codec, bom = resolve_encoding(data, encoding, name)
    try:
        text = data[bom:].decode(codec)
        if codec != "utf-8":
            text.encode("utf-8")  # UTF-7 can hold half of a surrogate pair
        return text, codec
    except UnicodeDecodeError as error:
        raise CorpusError(_not_valid(name, codec, 1, bom, error)) from None
    except UnicodeError as error:
        raise CorpusError(_cannot_be(name, error)) from None


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
        raise CorpusError(
            f"{name}: the encoding could not be detected. Pass its name, for example "
            "encoding='cp1252'; if this is not a text file, pass format=."
        )
    return codecs.lookup(best.encoding).name


def _cannot_be(where: str, error: UnicodeError) -> str:
    """Write the message for what a codec refuses as a whole, or that gives no characters."""
    return f"{where}: this encoding does not fit ({error}). Pass another one with encoding=."


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
