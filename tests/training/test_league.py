"""A league: promotion by proof, and resumption."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from filelock import FileLock

from agents.networks.network import Network, read_tensors, save_network
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from porta_nigra_env.players.network import Shape
from tests.training.small import Refused, words
from training import league
from training.league.generations import LEAGUE, Gate, League, play_gate
from training.ppo import Training
from training.run.folder import CHECKPOINT, LOCK

SMALL = words(
    "--generations 3 --deals 4 --past-champions 2 --ppo.num-envs 8 --ppo.num-steps 16 --ppo.minibatch-size 64"
)
SMALL += words("--ppo.width 8 --ppo.total-timesteps 256 --ppo.evaluations 1 --ppo.deals 1")
SMALL += words("--ppo.evaluate random --ppo.threads 1 --ppo.precision float32 --ppo.pool-fraction 0.5")


def main(options: Sequence[str]) -> int:
    return league.main(["generations", *options])


def test_a_candidate_has_to_be_proven_better_everywhere() -> None:
    assert Gate({"2": [0.56, 0.51, 0.61]}).passed
    assert not Gate({"2": [0.56, 0.49, 0.63]}).passed
    # At four players even is a quarter.
    assert Gate({"4": [0.30, 0.26, 0.34]}).passed
    assert not Gate({"2": [0.56, 0.51, 0.61], "4": [0.27, 0.24, 0.30]}).passed


def test_a_network_is_even_with_itself_on_duplicate_deals(tmp_path: Path) -> None:
    game = PortaNigra(3)
    torch.manual_seed(1)
    save_network(tmp_path / "one", Network(Shape.of(game, width=8)), [game])
    found = play_gate(tmp_path / "one", tmp_path / "one", game, range(5))
    # Equal players win one of three seats of a deal.
    assert found.share.value == pytest.approx(1 / 3)


def test_an_interrupted_league_is_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert main([*SMALL, "--out", str(tmp_path / "whole")]) == 0
    iterate, count = Training.iterate, 0

    def cut_off(self: Training) -> object:
        nonlocal count
        count += 1
        if count in (2, 4, 7):
            raise KeyboardInterrupt
        return iterate(self)

    monkeypatch.setattr(Training, "iterate", cut_off)
    codes = [main([*SMALL, "--out", str(tmp_path / "parts")])]
    while codes[-1] == 130:
        codes.append(main([*SMALL, "--out", str(tmp_path / "parts")]))
    assert codes == [130, 130, 130, 0]
    whole, parts = (json.loads((tmp_path / name / LEAGUE).read_text()) for name in ("whole", "parts"))
    assert parts == whole
    assert len(parts["generations"]) == 3
    assert parts["generations"][0] == {"generation": 1, "promoted": True}
    for number in (1, 2, 3):
        file = Path(f"generation-{number}") / "network.safetensors"
        found, expected = (read_tensors(tmp_path / name / file)[0] for name in ("parts", "whole"))
        for name, tensor in expected.items():
            np.testing.assert_array_equal(found[name].numpy(), tensor.numpy())


def test_a_folder_is_for_one_league_at_a_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    options = [*SMALL, "--out", str(folder), "--generations"]
    assert main([*options, "1"]) == 0
    before = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    with FileLock(folder / LOCK):
        assert main([*options, "2"]) == 2
    assert f"{folder}: another process is training there" in capsys.readouterr().err
    assert before == {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    assert main([*options, "2"]) == 0


def test_past_champions_stay_in_the_pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(League, "gate", lambda *_: Gate({"2": [0.6, 0.55, 0.65]}))
    options = words("--ppo.pool-interval 1 --ppo.pool-size 3 --ppo.total-timesteps 1024")
    assert main([*SMALL, *options, "--out", str(tmp_path / "run")]) == 0
    checkpoint = read_tensors(tmp_path / "run" / "generation-3" / CHECKPOINT)[0]
    for place in range(2):
        champion = read_tensors(tmp_path / "run" / f"champion-{place + 1}.safetensors")[0]
        for name, tensor in champion.items():
            assert torch.equal(checkpoint[f"pool.{place}.{name}"], tensor)


def test_a_champion_that_is_not_beaten_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(League, "gate", lambda *_: Gate({"2": [0.5, 0.4, 0.6]}))
    assert main([*SMALL, "--out", str(tmp_path / "run")]) == 0
    record = json.loads((tmp_path / "run" / LEAGUE).read_text())
    assert record["champion"] == "champion-1.safetensors"
    assert [one["promoted"] for one in record["generations"]] == [True, False, False]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--deals 0", "--deals must be at least 1"),
        ("--past-champions 9", "--past-champions must be at most --ppo.pool-size"),
        ("--ppo.pool-fraction 0", "--past-champions: they play in the pool"),
        ("--ppo.start x", "--ppo.start: the league sets it"),
        ("--ppo.teacher missing", "--teacher: file not found: missing"),
        (
            "--past-champions 0 --ppo.pool-fraction 0 --ppo.component-sets 2",
            "--ppo.component-sets: champions are compared with --ppo.components alone",
        ),
        ("--ppo.start-teaches", "--ppo.start-teaches: champions are compared with --ppo.components alone"),
        ("--ppo.players 7", "--players must be out of"),
    ],
)
def test_wrong_options(options: str, message: str, refused: Refused) -> None:
    refused(main, [*SMALL, *options.split()], message)


def test_a_wrong_command_does_not_block_the_right_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(tmp_path / "run")
    assert main([*SMALL, "--out", folder, "--generations", "1", "--ppo.evaluate", "nobody"]) == 2
    assert "there is no agent 'nobody'" in capsys.readouterr().err
    assert main([*SMALL, "--out", folder, "--generations", "1"]) == 0
    # Threads may change; other options may not.
    assert main([*SMALL, "--out", folder, "--generations", "1", "--ppo.threads", "2"]) == 0
    # A league from before an option existed has its default.
    file = Path(folder) / LEAGUE
    record = json.loads(file.read_text())
    del record["settings"]["ppo.teacher_coef"]
    file.write_text(json.dumps(record))
    assert main([*SMALL, "--out", folder, "--generations", "1"]) == 0
    for name, more, message in (
        ("ppo.max_grad_norm", ["--ppo.max-grad-norm", "1"], "ppo.max_grad_norm is 0.5 there, not 1.0"),
        ("ppo.keep_fraction", [], "ppo.keep_fraction is 1.0 there, not 0.5"),
    ):
        changed = {one: value for one, value in record["settings"].items() if one != name}
        file.write_text(json.dumps(record | {"settings": changed}))
        assert main([*SMALL, "--out", folder, "--generations", "2", *more]) == 2
        assert message in capsys.readouterr().err
    file.write_text(json.dumps(record))
    assert main([*SMALL, "--out", folder, "--generations", "2", "--ppo.width", "24"]) == 2
    assert "ppo.width is" in capsys.readouterr().err


def test_other_settings_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(tmp_path / "run")
    assert main([*SMALL, "--out", folder, "--generations", "1"]) == 0
    assert main([*SMALL, "--out", folder, "--deals", "5"]) == 2
    assert "deals is 4 there, not 5; name another folder with --out" in capsys.readouterr().err
    assert main([*SMALL, "--out", str(tmp_path)]) == 2
    assert "holds no league" in capsys.readouterr().err
