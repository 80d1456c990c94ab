"""Imports of a command are not looked at by the collector, where the process is its own."""

import gc
import json

from tests.helpers.processes import run_python

from quire.cli._loading import loading


def test_what_is_imported_is_frozen_in_a_process_of_its_own():
    code = (
        "import gc, json\n"
        "from quire.cli._loading import loading, own_process\n"
        "own_process()\n"
        "with loading():\n"
        "    inside, some = gc.isenabled(), [[] for _ in range(1000)]\n"
        "print(json.dumps([inside, gc.isenabled(), gc.get_freeze_count() >= 1000]))\n"
    )
    assert json.loads(run_python(code)) == [False, True, True]


def test_the_collector_is_back_after_an_error():
    code = (
        "import gc\n"
        "from quire.cli._loading import loading, own_process\n"
        "own_process()\n"
        "try:\n"
        "    with loading():\n"
        "        import nothing_of_this_name\n"
        "except ImportError:\n"
        "    print(gc.isenabled())\n"
    )
    assert run_python(code) == "True\n"


def test_programs_that_call_the_command_line_keep_their_collector(run):
    frozen = gc.get_freeze_count()
    with loading():
        assert gc.isenabled()
    assert run("--version")[0] == 0
    assert gc.get_freeze_count() <= frozen


def test_reading_begins_before_scikit_learn_is_imported(tmp_path):
    """Where the file is opened, neither scikit-learn nor SciPy nor pandas is there yet."""
    path = tmp_path / "corpus.csv"
    path.write_text("text,label\n" + "good film,pos\nbad film,neg\n" * 20)
    code = (
        "import builtins, json, pathlib, sys\n"
        "open_path, seen = pathlib.Path.open, []\n"
        "def opened(self, *args, **options):\n"
        "    if self.name == 'corpus.csv':\n"
        "        seen.append({name.split('.')[0] for name in sys.modules})\n"
        "    return open_path(self, *args, **options)\n"
        "pathlib.Path.open = opened\n"
        "from quire.cli import main\n"
        "try:\n"
        "    main(sys.argv[1:])\n"
        "except SystemExit as ended:\n"
        "    assert not ended.code\n"
        "print(json.dumps(sorted(seen[0])))\n"
    )
    for arguments in (
        ["compare", path, "--models", "majority"],
        ["fit", path, "--model", "multinomial-nb", "-o", tmp_path / "model.quire"],
    ):
        loaded = set(json.loads(run_python(code, *arguments).splitlines()[-1]))
        assert "polars" in loaded
        heavy = {"sklearn", "scipy", "pandas", "pyarrow", "matplotlib", "typer", "pydantic", "rich"}
        assert not loaded & heavy
