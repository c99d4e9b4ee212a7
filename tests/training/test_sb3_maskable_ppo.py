"""MaskablePPO by self-play: pool, resumption, refused options, long runs."""

from __future__ import annotations

import io
import json
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
import torch

from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from tests.training.small import Refused, words
from training import sb3_maskable_ppo
from training.run.folder import CONFIG, EVALUATIONS, METRICS, read_lines
from training.sb3_maskable_ppo import (
    COPY,
    DESCRIPTION,
    MODEL,
    Frozen,
    Options,
    SelfPlay,
    check_description,
    choose,
    copy_policy,
    main,
    make_env,
    make_model,
)

SMALL = words("--num-envs 8 --n-steps 16 --batch-size 64 --width 8 --deals 2 --evaluations 2")
SMALL += words("--n-epochs 1 --pool-interval 1 --pool-size 2 --opponents greedy")


# The learner's libraries warn about each other.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")


def test_a_run_is_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    assert main([*SMALL, "--total-timesteps", "512", "--out", str(folder)]) == 0
    lines = read_lines(folder / METRICS)
    assert [line["steps"] for line in lines] == [128, 256, 384, 512]
    assert [line["iteration"] for line in lines] == [1, 2, 3, 4]
    assert [line["steps"] for line in read_lines(folder / EVALUATIONS)] == [256, 512]
    assert (folder / "curve.png").exists()
    # The learning rate decreases over the whole run.
    assert [line["learning_rate"] for line in lines] == pytest.approx([3.75e-4, 2.5e-4, 1.25e-4, 0.0])
    assert main(["--resume", str(folder), "--total-timesteps", "768"]) == 0
    assert read_lines(folder / METRICS)[4]["learning_rate"] == pytest.approx(5e-4 * 128 / 768)
    description = check_description(folder, PortaNigra(2))
    assert (description["steps"], description["rollouts"]) == (768, 6)
    assert "greedy: wins" in capsys.readouterr().out


def test_copies_are_frozen_and_play_legally() -> None:
    arguments = Options(players=2, num_envs=8, n_steps=16, batch_size=64, width=8)
    env = make_env(arguments)
    model = make_model(arguments, env)
    frozen = Frozen("copy", copy_policy(model.policy))
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


def test_total_timesteps_of_a_resumed_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    assert main([*SMALL, "--total-timesteps", "256", "--out", str(folder)]) == 0
    before = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    for steps in ([], ["--total-timesteps", "128"], ["--total-timesteps", "256"]):
        assert main(["--resume", str(folder), *steps]) == 2
        assert "--total-timesteps: the run has 256 steps already" in capsys.readouterr().err
    assert before == {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    assert main(["--resume", str(folder), "--total-timesteps", "384"]) == 0
    assert check_description(folder, PortaNigra(2))["steps"] == 384
    assert json.loads((folder / CONFIG).read_text())["arguments"]["total_timesteps"] == 384


def test_copies_are_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    class Counted(Frozen):
        def __init__(self, name: str, policy: object) -> None:
            made.append(name)
            super().__init__(name, policy)

    monkeypatch.setattr(sb3_maskable_ppo, "Frozen", Counted)
    assert main([*SMALL, "--total-timesteps", "512", "--evaluations", "4", "--out", str(tmp_path / "run")]) == 0
    assert len(read_lines(tmp_path / "run" / EVALUATIONS)) == 4
    assert made == ["copy 0", "copy 1"]


def test_a_killed_run_loses_one_rollout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file has the model and the pool of the same moment, without a copy that joined afterwards."""
    folder = tmp_path / "run"
    joins = SelfPlay._on_rollout_end
    before: list[bytes] = []

    def killed(self: SelfPlay) -> None:
        if self.rollouts == 2:
            before.append((folder / MODEL).read_bytes())
        joins(self)
        if self.rollouts == 3:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(SelfPlay, "_on_rollout_end", killed)
        assert main([*SMALL, "--total-timesteps", "512", "--evaluations", "1", "--out", str(folder)]) == 130
    assert [(folder / MODEL).read_bytes()] == before
    assert check_description(folder, PortaNigra(2))["rollouts"] == 2
    with ZipFile(folder / MODEL) as model:
        saved = [torch.load(io.BytesIO(model.read(COPY.format(place))), weights_only=True) for place in range(2)]
    places: list[Frozen] = []
    start = SelfPlay._on_training_start

    def started(self: SelfPlay) -> None:
        start(self)
        places.extend(self.slots)
        for one, weights in zip(self.slots, saved, strict=True):
            assert all(torch.equal(tensor, weights[name]) for name, tensor in one.policy.state_dict().items())

    monkeypatch.setattr(SelfPlay, "_on_training_start", started)
    assert main(["--resume", str(folder)]) == 0
    assert len(places) == 2
    assert [line["iteration"] for line in read_lines(folder / METRICS)] == [1, 2, 3, 4]


def test_torch_does_not_validate_probabilities(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checks = []

    def measured(self: SelfPlay) -> dict[str, object]:
        checks.append(torch.distributions.Distribution._validate_args)
        return {}

    monkeypatch.setattr(SelfPlay, "measure", measured)
    # Stable-Baselines3 may have disabled validation already.
    monkeypatch.setattr(torch.distributions.Distribution, "_validate_args", True)
    assert main([*SMALL, "--total-timesteps", "128", "--out", str(tmp_path / "run")]) == 0
    assert checks == [False]
    assert torch.distributions.Distribution._validate_args


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--players 5", "--players must be out of 2, 3, 4"),
        ("--batch-size 100000", "--batch-size must be in 2..num_envs * n_steps = 128"),
        ("--n-steps 0", "--n-steps must be at least 1"),
        ("--seed -3", "seed must be in"),
    ],
)
def test_wrong_options(options: str, message: str, refused: Refused) -> None:
    refused(main, [*SMALL, *options.split()], message)


def test_models_that_cannot_be_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    assert main([*SMALL, "--total-timesteps", "128", "--out", str(folder)]) == 0
    capsys.readouterr()

    def fails(message: str, *options: str) -> None:
        assert main(list(options)) == 2
        assert message in capsys.readouterr().err

    fails("is not empty", *SMALL, "--out", str(folder))
    fails("only --total-timesteps may change", "--resume", str(folder), "--width", "16")
    fails("there is no run", "--resume", str(tmp_path / "elsewhere"))
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


def test_a_run_cut_off_before_its_first_model_starts_again(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert main([*SMALL, "--total-timesteps", "128", "--out", str(folder)]) == 0
    for name in (MODEL, "curve.png"):
        (folder / name).unlink()
    (folder / "partial.zip").write_bytes(b"half")
    assert main([*SMALL, "--total-timesteps", "128", "--out", str(folder)]) == 0
    assert (folder / MODEL).exists()


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_long_run_does_not_fail_by_rounding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Torch's validation of probabilities has ended such runs: half a million steps at a high learning rate."""
    monkeypatch.setattr(torch.distributions.Distribution, "_validate_args", True)
    options = words("--total-timesteps 500000 --num-envs 256 --n-steps 64 --learning-rate 0.002 --evaluations 4")
    assert main([*options, "--deals", "20", "--out", str(tmp_path / "run")]) == 0
    last = read_lines(tmp_path / "run" / METRICS)[-1]
    assert last["steps"] >= 500_000
    assert all(np.isfinite(value) for value in last.values())
    assert torch.distributions.Distribution._validate_args
