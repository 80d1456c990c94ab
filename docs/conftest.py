"""Of this folder pytest runs the pages; the Python files belong to Sphinx."""

collect_ignore_glob = ["*.py", "_ext/*.py", "_build/*", "figures/*.py"]
