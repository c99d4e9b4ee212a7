"""MaskablePPO by self-play: the pool, going on, what is refused, and that long runs do not stumble."""

from __future__ import annotations

import io
import json
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
import torch

from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.game import PortaNigra
from training.runs import METRICS, POOL, read_lines
from training.sb3_maskable_ppo import (
    DESCRIPTION,
    MODEL,
    Arguments,
    Frozen,
    check_description,
    choose,
    copied,
    main,
    make_env,
    make_model,
)

SMALL = ["--envs", "8", "--rollout", "16", "--batch", "64", "--width", "8", "--deals", "2", "--evaluations", "2"]
SMALL += ["--epochs", "1", "--refresh", "1", "--pool", "2", "--scripted", "greedy"]


# The learner's libraries warn about each other.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")


def test_a_run_and_its_continuation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    assert main([*SMALL, "--steps", "512", "--out", str(folder)]) == 0
    lines = read_lines(folder / METRICS)
    assert [line["decisions"] for line in lines] == [256, 512]
    assert [line["iteration"] for line in lines] == [2, 4]
    assert (folder / "curve.png").exists()
    assert sorted(file.name for file in (folder / POOL).iterdir()) == ["0.pt", "1.pt"]
    # The rate has fallen over the whole run, not over its parts.
    assert lines[0]["learning_rate"] == pytest.approx(5e-4 * 0.5, rel=0.01)
    assert lines[1]["learning_rate"] == pytest.approx(0.0, abs=1e-9)
    assert main(["--resume", str(folder), "--steps", "768"]) == 0
    description = check_description(folder, PortaNigra(2))
    assert (description["decisions"], description["rollouts"]) == (768, 6)
    assert "greedy: wins" in capsys.readouterr().out


def test_copies_are_frozen_and_play_legally() -> None:
    arguments = Arguments(envs=8, rollout=16, batch=64, width=8)
    env = make_env(arguments)
    model = make_model(arguments, env)
    frozen = Frozen("copy", copied(model.policy))
    batch = BatchEnv(env.games.game, 32, seat="rotate", opponents=frozen)
    batch.reset(seed=1)
    rng = np.random.default_rng(1)
    for _ in range(80):
        batch.step(batch.random_actions(rng))
    views = batch.views()
    before = choose(frozen.policy, views.observations, views.action_masks, deterministic=True)
    for weights in model.policy.parameters():
        weights.data.add_(1.0)
    after = choose(frozen.policy, views.observations, views.action_masks, deterministic=True)
    assert before.tolist() == after.tolist()
    env.close()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--players", "5"], "--players must be 2, 3 or 4"),
        (["--batch", "100000"], "--batch must be in 2..envs * rollout = 128"),
        (["--rollout", "0"], "--rollout must be at least 1"),
        (["--scripted", "ismcts"], "is no compiled agent"),
        (["--seed", "-3"], "seed must be in"),
    ],
)
def test_wrong_arguments(options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SMALL, "--out", str(tmp_path / "run"), *options]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_models_that_cannot_be_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    assert main([*SMALL, "--steps", "128", "--out", str(folder)]) == 0
    capsys.readouterr()

    def fails(message: str, *options: str) -> None:
        assert main(list(options)) == 2
        assert message in capsys.readouterr().err

    fails("is not empty", *SMALL, "--out", str(folder))
    fails("only --steps may change", "--resume", str(folder), "--width", "16")
    fails("there is no run to resume", "--resume", str(tmp_path / "elsewhere"))
    whole = (folder / MODEL).read_bytes()
    for damaged in (whole[: len(whole) // 2], whole[:2000] + b"x" + whole[2001:], b""):
        (folder / MODEL).write_bytes(damaged)
        fails("missing or damaged", "--resume", str(folder))
    with ZipFile(io.BytesIO(whole)) as old, ZipFile(folder / MODEL, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == DESCRIPTION:
                description = json.loads(content)
                description["made_for"]["actions"] = "0123"
                content = json.dumps(description).encode()
            new.writestr(name, content)
    fails("actions is '0123', here it is", "--resume", str(folder))


def test_a_run_that_was_cut_off_before_its_first_model_starts_again(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert main([*SMALL, "--steps", "128", "--out", str(folder)]) == 0
    for name in (MODEL, "curve.png"):
        (folder / name).unlink()
    (folder / "partial.zip").write_bytes(b"half")
    assert main([*SMALL, "--steps", "128", "--out", str(folder)]) == 0
    assert (folder / MODEL).exists()


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_long_run_does_not_stumble_over_its_probabilities(tmp_path: Path) -> None:
    """Half a million decisions at a high rate; checks of torch that fail by rounding have ended such runs."""
    options = ["--steps", "500000", "--envs", "256", "--rollout", "64", "--rate", "0.002", "--evaluations", "4"]
    assert main([*options, "--deals", "20", "--out", str(tmp_path / "run")]) == 0
    last = read_lines(tmp_path / "run" / METRICS)[-1]
    assert last["decisions"] >= 500_000
    assert all(np.isfinite(value) for value in last.values())
    assert torch.distributions.Distribution._validate_args
