"""Run the command line as ``python -m quire.cli``."""

from quire.cli import main

if __name__ == "__main__":
    main()
