"""The shape of a piece of JSON, one character after the other."""


def json_shape(text: bytes) -> tuple[int, int, int]:
    """Return the depth, the number of objects and arrays, and the number of different keys."""
    depth = deepest = n_open = n_slashes = start = 0
    is_string, last, keys = False, None, set()
    for at, byte in enumerate(text):
        character = chr(byte)
        if character == '"' and n_slashes % 2 == 0:
            if is_string:
                last = text[start:at]
            is_string, start = not is_string, at + 1
        elif not is_string:
            if character == ":" and last is not None:
                keys.add(last)
            n_open += character in "{["
            depth += (character in "{[") - (character in "}]")
            deepest = max(deepest, depth)
        n_slashes = n_slashes + 1 if character == "\\" else 0
    return deepest, n_open, len(keys)
