"""What tests of the command line share."""


def assert_failed(outcome, *parts, code=1):
    """One line on stderr that names the program, nothing on stdout, no traceback."""
    exit_code, out, err = outcome
    assert exit_code == code, err
    assert out == ""
    assert err.startswith("quire: ")
    assert err.count("\n") == 1, err
    for part in parts:
        assert part in err
