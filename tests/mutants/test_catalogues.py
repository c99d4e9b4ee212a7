"""Every game has a catalogue of mistakes that fits its rules, and suites to find them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from porta_nigra_env.games import GAMES
from tests.mutants import __main__ as program
from tests.mutants.runner import GROUPS, Mutant, catalogue_of, source_of, suites_of, unplaced


@pytest.mark.parametrize("game", [*GAMES, *GROUPS])
def test_every_mutant_has_its_place(game: str) -> None:
    assert [mutant.mistake for mutant in unplaced(game)] == []
    mutants = [(mutant.file, mutant.old, mutant.new) for mutant in catalogue_of(game)]
    assert len(set(mutants)) == len(mutants) > 0
    assert all(old != new for _, old, new in mutants)


@pytest.mark.parametrize("game", GAMES)
def test_there_are_tests_to_find_them(game: str) -> None:
    assert [f"tests/games/{game}/rules"] in suites_of(game)
    assert ["tests/golden", "-k", game] in suites_of(game)


def test_a_file_with_a_folder_in_its_name_is_one_of_the_package(tmp_path: Path) -> None:
    elsewhere, in_the_kernel = Mutant("core/arrays/rng.py", "", "", ""), Mutant("step.py", "", "", "")
    package = tmp_path / "porta_nigra_env"
    assert source_of(elsewhere, "a_game", tmp_path) == package / "core" / "arrays" / "rng.py"
    assert source_of(in_the_kernel, "a_game", tmp_path) == package / "games" / "a_game" / "rules" / "step.py"


def test_a_text_without_a_mutant_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    game = next(iter(GAMES))
    assert program.main(["--game", game, "--only", "no such mistake"]) == 1
    assert "'no such mistake'" in capsys.readouterr().out
    with pytest.raises(ValueError, match="there is no game 'chess'"):
        program.main(["--game", "chess"])


def test_a_run_goes_on_where_it_was_broken_off(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game, report = next(iter(GAMES)), tmp_path / "report.json"
    first, second = catalogue_of(game)[:2]
    rows = [{**first._asdict(), "found_by": "a test"}, {**second._asdict(), "found_by": ""}]
    report.write_text(json.dumps(rows))
    arguments = ["--game", game, "--report", str(report), "--resume", "--only"]
    assert program.main([*arguments, f"{first.file} {first.mistake}"]) == 0
    assert "1 of 1 mutants found" in capsys.readouterr().out
    assert program.main([*arguments, f"{second.file} {second.mistake}"]) == 1
    assert "0 of 1 mutants found" in capsys.readouterr().out
