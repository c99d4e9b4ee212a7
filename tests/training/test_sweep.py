"""Hyperparameter search: trials are runs, the sweep is resumed, wrong options are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import optuna
import pytest
from optuna.trial import TrialState

from tests.training.small import Refused, words
from training import ppo
from training.run.folder import LOCK, NETWORK
from training.run.trainer import DivergedError
from training.sweep import SETTINGS, SPACE, STUDY, Options, load_study, main

SMALL = words("--ppo.game kuhn --ppo.width 8 --ppo.deals 20 --ppo.evaluations 2 --ppo.threads 1")
SMALL += words("--ppo.num-envs 64 --ppo.num-steps 16 --ppo.total-timesteps 4096 --ppo.precision float32")
SMALL += words("--ppo.minibatch-size 256 --options learning_rate update_epochs --trials 3")


def rows(shown: str) -> list[list[str]]:
    """Return the cells of the printed table."""
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in shown.splitlines() if line.startswith("|")][2:]


def test_trials_are_runs_and_the_best_comes_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "sweep"
    assert main(["--out", str(folder), *SMALL]) == 0
    shown = capsys.readouterr().out
    table = rows(shown)
    assert 1 <= len(table) <= 3
    shares = [float(cells[2].rstrip("%")) for cells in table]
    assert shares == sorted(shares, reverse=True)
    for _, name, _, learning_rate, epochs in table:
        started = json.loads((folder / name / "config.json").read_text(encoding="utf-8"))["arguments"]
        assert f"{started['learning_rate']:.4g}" == learning_rate
        assert str(started["update_epochs"]) == epochs
        assert (folder / name / NETWORK).exists()
    assert "python -m training.ppo --game kuhn" in shown
    # More trials keep the earlier ones, also of a sweep from before an option existed.
    settings = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
    del settings["ppo"]["teacher_coef"]
    (folder / SETTINGS).write_text(json.dumps(settings), encoding="utf-8")
    assert main(["--out", str(folder), *SMALL[:-1], "4"]) == 0
    assert {cells[0] for cells in table} <= {cells[0] for cells in rows(capsys.readouterr().out)}


def test_an_interrupted_trial_is_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    iterate, times = ppo.Training.iterate, iter(range(6))

    def broken(training: ppo.Training) -> dict[str, Any]:
        if next(times, None) is None:
            raise KeyboardInterrupt
        return iterate(training)

    folder = tmp_path / "sweep"
    with monkeypatch.context() as patch:
        patch.setattr(ppo.Training, "iterate", broken)
        assert main(["--out", str(folder), *SMALL]) == 130
    folders = {one.name for one in folder.glob("trial-*")}
    unfinished = [name for name in folders if not (folder / name / NETWORK).exists()]
    assert len(unfinished) == 1
    assert main(["--out", str(folder), *SMALL, "--warmup", "5"]) == 0
    assert (folder / unfinished[0] / NETWORK).exists()
    assert len(list(folder.glob("trial-*"))) == 3


def test_a_trial_that_diverges_wins_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def diverged(training: ppo.Training, folder: Path) -> None:
        raise DivergedError(folder)

    monkeypatch.setattr(ppo.Training, "check_finite", diverged)
    folder = tmp_path / "sweep"
    assert main(["--out", str(folder), *SMALL]) == 0
    assert not list(folder.glob(f"trial-*/{NETWORK}"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--options luck", "--options: 'luck' is not one of learning_rate"),
        ("--trials 0", "--trials must be at least 1"),
        ("--ppo.total-timesteps 0", "--ppo.total-timesteps: give a number of steps"),
        ("--ppo.out there", "--ppo.out: the sweep sets it"),
        ("--ppo.players 7", "--players must be out of 2"),
        ("--ppo.teacher missing", "--teacher: file not found: missing"),
        ("--ppo.start-teaches --ppo.component-sets 2", "--start-teaches: only with --start"),
        ("--ppo.evaluate", "--ppo.evaluate must name at least one opponent"),
        # Choices that conflict with fixed options.
        (
            "--options minibatch_size",
            "--options: a trial may choose minibatch_size 4096: --minibatch-size must be at most num_envs",
        ),
        (
            "--options keep_fraction --ppo.minibatch-size 512",
            "a trial may choose keep_fraction 0.25: --minibatch-size must",
        ),
        ("--options pool_fraction --ppo.collectors 2", "a trial may choose pool_fraction 0.5: --collectors: only"),
        ("--options width --ppo.start there", "--options: the network of --ppo.start fixes width"),
        (
            "--options pool_fraction --ppo.pool-fraction 0.5 --ppo.pool-networks there",
            "--options: pool_fraction may be 0, but --ppo.pool-networks",
        ),
        ("--options layer_norm --ppo.start there", "--options: the network of --ppo.start fixes layer_norm"),
    ],
)
def test_wrong_options(options: str, message: str, refused: Refused) -> None:
    refused(main, [*SMALL, *options.split()], message)


def test_a_wrong_command_does_not_block_the_right_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "sweep"
    for wrong in (["--ppo.evaluate", "nobody"], ["--ppo.pool-fraction", "0.5", "--ppo.pool-agents", "nobody"]):
        assert main(["--out", str(folder), *SMALL, *wrong]) == 2
        assert "there is no agent 'nobody'" in capsys.readouterr().err
    with monkeypatch.context() as patch:
        patch.setattr(ppo.Training, "iterate", stopped)
        assert main(["--out", str(folder), *SMALL]) == 130
    assert main(["--out", str(folder), *SMALL, "--seed", "9", "--trials", "1"]) == 0, "nothing had been learned"


def stopped(_: ppo.Training) -> Any:
    raise KeyboardInterrupt


def test_an_interrupted_trial_is_queued_once(tmp_path: Path) -> None:
    asked = Options(out=tmp_path, ppo=ppo.Options(game="kuhn"))
    study = load_study(asked)
    study.tell(study.ask({"update_epochs": optuna.distributions.IntDistribution(1, 8)}), state=TrialState.FAIL)
    for _ in range(3):
        study = load_study(asked)
    assert [one.state for one in study.get_trials()] == [TrialState.FAIL, TrialState.WAITING]


def test_folders_that_hold_something_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "letter").write_text("dear", encoding="utf-8")
    assert main(["--out", str(tmp_path), *SMALL]) == 2
    assert "is not empty and holds no sweep" in capsys.readouterr().err
    folder = tmp_path / "sweep"
    assert main(["--out", str(folder), *SMALL[:-1], "1"]) == 0
    assert {SETTINGS, STUDY} <= {one.name for one in folder.iterdir()}
    capsys.readouterr()
    assert main(["--out", str(folder), *SMALL, "--seed", "9"]) == 2
    assert "seed is 1 there, not 9; name another folder with --out" in capsys.readouterr().err


def test_a_sweep_may_move_to_another_machine(tmp_path: Path) -> None:
    (tmp_path / LOCK).touch()
    assert main(["--out", str(tmp_path), *SMALL[:-1], "1"]) == 0
    assert main(["--out", str(tmp_path), *SMALL[:-1], "2", "--ppo.threads", "2"]) == 0


def test_the_search_space_has_options_of_ppo() -> None:
    assert set(SPACE) <= set(ppo.Options.__dataclass_fields__)
