"""The fuzz targets run shortly; defects that are planted are seen; what was found stays mended."""

import re
from pathlib import Path

import pytest
from fuzz.command import main
from fuzz.model_files import watched
from fuzz.runner import ROOT, Watch, replay, run
from fuzz.target import TARGETS, Target

CORPUS = Path(__file__).parent / "corpus"


@pytest.mark.parametrize(
    ("defect", "kind"),
    [
        ("Crash", "crash"),
        ("Killed", "crash"),
        ("HalfSaid", "crash"),
        ("Hang", "hang"),
        ("Greedy", "memory"),
        ("Wrong", "finding"),
        ("Error", "KeyError"),
    ],
)
def test_planted_defects_are_seen(defect, kind, tmp_path):
    done = run(f"tests.fuzz.planted:{defect}", 7, seconds=0.2, failures=tmp_path)
    assert {outcome.kind for outcome in done.outcomes} == {kind}
    kept = done.outcomes[0].path
    assert float(kept.read_bytes()) < 1
    assert kept.with_suffix(".txt").read_text().startswith(kind)


def test_a_sound_target_has_no_findings(tmp_path):
    done = run("tests.fuzz.planted:Sound", 7, count=20, workers=2, failures=tmp_path)
    assert done.units >= 20
    assert done.outcomes == []


def test_a_worker_may_need_several_starts(tmp_path):
    done = run("tests.fuzz.planted:FalseStart", 7, count=5, failures=tmp_path)
    assert done.units >= 5
    assert done.outcomes == []
    with pytest.raises(RuntimeError, match="did not start"):
        run("tests.fuzz.planted:NeverReady", 7, count=5, failures=tmp_path)


def test_a_worker_that_gets_no_processor_does_not_hang():
    watch = Watch(10.0, now=0.0, seconds=0.0)
    for now in range(0, 500, 5):
        assert not watch.hangs(now, now / 100, wants_more=True)
    assert not watch.hangs(504.0, 5.0, wants_more=False)
    assert not watch.hangs(513.0, 5.1, wants_more=False)  # it has computed a little
    assert not watch.hangs(522.0, 5.1, wants_more=False)
    assert watch.hangs(524.0, 5.1, wants_more=False)


def test_a_worker_that_computes_for_too_long_hangs():
    watch = Watch(10.0, now=0.0, seconds=3.0)
    assert not watch.hangs(12.0, 12.9, wants_more=True)
    assert watch.hangs(13.0, 13.1, wants_more=True)


def test_reports_are_printed_on_request(tmp_path, capsys):
    arguments = ["tests.fuzz.planted:Wrong", "--seconds", "0.1", "--workers", "1", "--reports"]
    places = ["--failures", str(tmp_path), "--log", str(tmp_path / "log.tsv")]
    assert main([*arguments, *places]) == 1
    assert "two and two are five" in capsys.readouterr().out


def test_seeds_repeat_a_run_and_are_logged(tmp_path, capsys):
    log = tmp_path / "log.tsv"
    arguments = ["tests.fuzz.planted:Wrong", "--count", "1", "--seed", "5", "--seconds", "0.1"]
    for folder in ("one", "two"):
        places = ["--failures", str(tmp_path / folder), "--log", str(log), "--workers", "1"]
        assert main([*arguments, *places]) == 1
    assert "seed 5" in capsys.readouterr().out
    names = [{path.name for path in (tmp_path / name).rglob("*.input")} for name in ("one", "two")]
    assert names[0] & names[1]
    assert len(log.read_text().splitlines()) == 3


def test_the_watch_sees_code(tmp_path):
    import sys

    from fuzz import model_files

    sys.addaudithook(model_files._hook)
    with watched() as met:
        exec("pass")
        (tmp_path / "file").write_text("written")
    assert any(event.startswith("exec") for event in met)
    assert any("for writing" in event for event in met)


def test_marking_a_block_as_free_takes_no_more_than_an_input_may():
    """A sanitizer takes an eighth of a block for that, whenever garbage is collected: of nine
    gigabytes that nobody has touched, more than the input may that happens to be checked then."""
    limit = re.search(r"max_allocation_size_mb=(\d+)", (ROOT / "Makefile").read_text())
    assert limit is not None
    assert int(limit[1]) << 20 <= Target.spare_memory


@pytest.mark.parametrize("name", ["text", "kills"])
def test_targets_find_nothing(name, tmp_path):
    done = run(name, 7, count=3, failures=tmp_path)
    assert done.units >= 3
    assert done.outcomes == []


@pytest.mark.parametrize("name", TARGETS)
def test_kept_inputs_stay_mended(name, tmp_path):
    paths = sorted((CORPUS / name).glob("*.input"))
    if not paths:
        pytest.skip("nothing is kept for this target yet")
    done = replay(name, paths, workers=2, failures=tmp_path)
    assert done.inputs == len(paths)
    assert done.outcomes == []
