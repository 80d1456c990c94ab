"""The fixture of the tests of commands."""

from tests.cli.conftest import run

__all__ = ["run"]
