"""Small damage to bytes, as hostile files have it."""

from __future__ import annotations

from random import Random

__all__ = ["mutated"]

_INTERESTING = [b"\x00", b"\xff", b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\x80", b"\r\n", b'"']


def mutated(random: Random, content: bytes, tokens: list[bytes]) -> bytes:
    """Return the content with a few changes: bytes, pieces cut, repeated, swapped or put in."""
    data = bytearray(content)
    for _ in range(random.choice([1, 1, 2, 3, 5, 9])):
        place = random.randrange(len(data) + 1)
        size = min(random.choice([1, 1, 2, 4, 8, 50, 500]), len(data) - place)
        kind = random.randrange(8)
        if kind == 0 and place < len(data):
            data[place] = random.randrange(256)
        elif kind == 1 and place < len(data):
            data[place] ^= 1 << random.randrange(8)
        elif kind == 2:
            del data[place : place + size]
        elif kind == 3:
            data[place:place] = data[place : place + size] * random.choice([1, 2, 9, 100])
        elif kind == 4:
            data[place:place] = random.choice(tokens)
        elif kind == 5:
            piece = random.choice(_INTERESTING)
            data[place : place + len(piece)] = piece
        elif kind == 6:
            del data[place:]
        else:
            other = random.randrange(len(data) + 1)
            data[place:place] = data[other : other + size]
    return bytes(data[: 1 << 20])
