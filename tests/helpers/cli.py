"""What tests of the command line share."""

NOTES = (
    "texts from column",
    "labels from column",
    "a table without texts",
    "left out",
    "no labels",
    "some labels",
)


def assert_failed(outcome, *parts, code=1):
    """One line on stderr, after notes on what was read, nothing on stdout, no traceback."""
    exit_code, out, err = outcome
    assert exit_code == code, err
    assert out == ""
    lines = err.splitlines()
    assert all(line.startswith("quire: ") for line in lines), err
    assert all(line.removeprefix("quire: ").startswith(NOTES) for line in lines[:-1]), err
    for part in parts:
        assert part in lines[-1]
