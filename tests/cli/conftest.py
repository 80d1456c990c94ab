"""The one way in which tests run a command."""

import pytest

from quire.cli import main


@pytest.fixture
def run(capfd):
    """Run a command in this process; return exit code, stdout and stderr."""

    def run(*arguments):
        with pytest.raises(SystemExit) as exited:
            main([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        return exited.value.code, captured.out, captured.err

    return run
