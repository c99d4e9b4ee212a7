"""RLlib on the PettingZoo environment: ``python -m training.rllib_ppo --iterations 20 --env-runners 2``.

For those who outgrow one machine: RLlib spreads environment runners over the machines of a Ray cluster and restarts
those that are lost (docs/scaling.md).  One masked network plays all seats (PPO on RLlib's new API stack).  On one
machine `training.ppo` is far faster, since here every game is a Python object of its own.

Ray pins versions that the rest of this project does not: ``make rllib`` makes an environment of its own for it.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import gymnasium
import numpy as np
import ray
import tyro
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

from agents.files import write_whole
from porta_nigra_env.core.game import Game, check_seed
from porta_nigra_env.envs.aec import GameAEC
from porta_nigra_env.envs.rewards import REWARDS
from porta_nigra_env.games import DEFAULT_GAME, make_game
from porta_nigra_env.players.checkpoint import made_for
from training.checks import check_least, check_players

#: RLlib's name of the environment.
NAME: Final = "game"
#: The one network of all seats.
SHARED: Final = "shared"
SETTINGS, METRICS = "config.json", "metrics.jsonl"


@dataclass(frozen=True)
class Arguments:
    """Train with RLlib's PPO, one network for all seats."""

    game: str = DEFAULT_GAME
    """What is played (porta_nigra_env.games)."""
    out: Path = Path("runs/rllib")
    """Folder of the checkpoint and metrics; an existing run goes on."""
    iterations: int = 20
    """In all."""
    env_runners: int = 2
    """Processes that play; on a cluster, as many as there are cores."""
    learners: int = 0
    """Processes that learn, each from its part of an iteration; 0: the one that leads."""
    gpus_per_learner: float = 0.0
    """Graphics processors of each of them; 0: they learn on processors."""
    envs_per_runner: int = 8
    """Games of each at the same time."""
    players: int | None = None
    """By default the fewest of the game."""
    reward: str = "outcome"
    """outcome, margin or points."""
    train_batch: int = 8192
    """Decisions of an iteration, of all learners together."""
    minibatch: int = 1024
    """Decisions of a gradient step, of each learner."""
    epochs: int = 4
    """Passes over an iteration's decisions."""
    learning_rate: float = 5e-4
    """Of all iterations."""
    gae_lambda: float = 0.95
    """Lambda of the advantages; RLlib's own default, 1, takes the values for the ends of fragments alone."""
    width: int = 256
    """Units of each of two layers."""
    seed: int = 1
    """Of weights and games."""
    address: str = ""
    """Of a running Ray cluster, e.g. auto; by default Ray starts on this machine."""


class MaskedEnv(PettingZooEnv):  # type: ignore[misc]
    """The PettingZoo environment as RLlib's masking module wants it: the key "observations", a mask of float32."""

    def __init__(self, config: dict[str, Any]) -> None:
        game = make_game(config["game"], config["players"])
        super().__init__(GameAEC(game, reward=config["reward"]))
        spaces: dict[str, Any] = self.observation_spaces
        given = next(iter(spaces.values()))
        mask = gymnasium.spaces.Box(0.0, 1.0, given["action_mask"].shape, np.float32)
        space = gymnasium.spaces.Dict({"observations": given["observation"], "action_mask": mask})
        self.observation_spaces: dict[str, Any] = dict.fromkeys(spaces, space)
        self.observation_space = gymnasium.spaces.Dict(self.observation_spaces)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:
        """The first player's observation."""
        observations, info = super().reset(seed=seed, options=options)
        return renamed(observations), info

    def step(self, action: dict[str, Any]) -> tuple[Any, ...]:
        """One decision."""
        observations, *rest = super().step(action)
        return renamed(observations), *rest


def renamed(observations: dict[str, Any]) -> dict[str, Any]:
    """Observations of PettingZoo as RLlib's masking module wants them."""
    return {
        agent: {"observations": one["observation"], "action_mask": one["action_mask"].astype(np.float32)}
        for agent, one in observations.items()
    }


def train_batch_of(arguments: Arguments) -> int:
    """Decisions of an iteration for each learner."""
    return arguments.train_batch // max(1, arguments.learners)


def configured(arguments: Arguments) -> PPOConfig:
    """The configuration of RLlib."""
    register_env(NAME, MaskedEnv)
    module = RLModuleSpec(
        module_class=ActionMaskingTorchRLModule,
        # One body for policy and values; PPOConfig.training has an argument of this name that does nothing.
        model_config=DefaultModelConfig(
            fcnet_hiddens=[arguments.width, arguments.width], fcnet_activation="relu", vf_share_layers=True
        ),
    )
    return (
        PPOConfig()
        # RLlib's own check samples actions without the mask.
        .environment(
            NAME,
            env_config={"game": arguments.game, "players": arguments.players, "reward": arguments.reward},
            disable_env_checking=True,
        )
        .learners(num_learners=arguments.learners, num_gpus_per_learner=arguments.gpus_per_learner)
        .env_runners(num_env_runners=arguments.env_runners, num_envs_per_env_runner=arguments.envs_per_runner)
        .multi_agent(policies={SHARED}, policy_mapping_fn=lambda agent, *_, **__: SHARED)
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={SHARED: module}))
        .training(
            train_batch_size_per_learner=train_batch_of(arguments),
            minibatch_size=arguments.minibatch,
            num_epochs=arguments.epochs,
            lr=arguments.learning_rate,
            gamma=1.0,
            lambda_=arguments.gae_lambda,
            entropy_coeff=0.01,
        )
        .debugging(seed=arguments.seed)
    )


def completed(arguments: Arguments) -> Arguments:
    """The same with a number of players; ValueError if there is no such game, or not for so many."""
    given = () if arguments.players is None else (arguments.players,)
    return replace(arguments, players=check_players(arguments.game, given)[0])


def game_of(arguments: Arguments) -> Game:
    """What is played."""
    return make_game(arguments.game, arguments.players)


def check(arguments: Arguments) -> None:
    """ValueError that names the first argument out of range, or a folder that holds a run with other settings."""
    check_seed(arguments.seed)
    if arguments.reward not in REWARDS:
        raise ValueError(f"--reward must be one of {', '.join(REWARDS)}, not {arguments.reward!r}")
    positive = ("iterations", "envs_per_runner", "train_batch", "minibatch", "epochs", "width")
    check_least(arguments, dict.fromkeys(positive, 1) | dict.fromkeys(("env_runners", "learners"), 0))
    check_least(arguments, {"gpus_per_learner": 0})
    if not 0 < arguments.gae_lambda <= 1:
        raise ValueError(f"--gae-lambda must be in (0, 1], not {arguments.gae_lambda}")
    if arguments.minibatch > train_batch_of(arguments):
        raise ValueError(
            f"--minibatch must be at most a learner's part of --train-batch ({train_batch_of(arguments)}), "
            f"not {arguments.minibatch}"
        )
    file = arguments.out / SETTINGS
    if file.exists():
        found, wanted = json.loads(file.read_text()), settings(arguments)
        for name, value in wanted.items():
            if found.get(name) != value:
                raise ValueError(f"{file}: {name} is {found.get(name)!r}, here it is {value!r}; name another --out")


def settings(arguments: Arguments) -> dict[str, Any]:
    """What a run must not change: arguments, and what its network is made for."""
    free = ("out", "iterations", "env_runners", "learners", "gpus_per_learner", "envs_per_runner", "address")
    kept = {name: value for name, value in asdict(arguments).items() if name not in free}
    return kept | made_for([game_of(arguments)])


def train(arguments: Arguments) -> None:
    """All iterations that are missing; every one ends with a line of metrics and a checkpoint."""
    folder = arguments.out.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / SETTINGS, json.dumps(settings(arguments), indent=1) + "\n")
    algorithm = configured(arguments).build_algo()
    checkpoint = folder / "checkpoint"
    if not checkpoint.exists() and checkpoint.with_suffix(".old").exists():
        # The run was cut off between the two renames of `replace_folder`.
        checkpoint.with_suffix(".old").rename(checkpoint)
    if checkpoint.exists():
        algorithm.restore_from_path(str(checkpoint))
    drop_later_lines(folder / METRICS, algorithm.iteration)
    while algorithm.iteration < arguments.iterations:
        begun = time.perf_counter()
        result = algorithm.train()
        line = figures(result, time.perf_counter() - begun)
        # In this order: lines that no checkpoint knows of are dropped when the run goes on.
        with open(folder / METRICS, "a") as out:
            out.write(json.dumps(line) + "\n")
        # A checkpoint is a folder: the new one is whole before the old one goes.
        partial = folder / "checkpoint.partial"
        algorithm.save_to_path(str(partial))
        replace_folder(partial, checkpoint)
        left = (arguments.iterations - line["iteration"]) * line["seconds"]
        print(
            f"iteration {line['iteration']} of {arguments.iterations}: {line['decisions_per_second']:.0f} decisions/s, "
            f"entropy {line['entropy']:.2f}, game length {line['length']:.0f}, {left:.0f} s left",
            flush=True,
        )
    algorithm.stop()


def figures(result: dict[str, Any], seconds: float) -> dict[str, Any]:
    """A line of metrics out of RLlib's result."""
    runners, learner = result["env_runners"], result["learners"][SHARED]
    decisions = int(runners["num_env_steps_sampled"])
    # There is none before the first game has ended.
    length = float(runners.get("episode_len_mean", 0.0))
    return {
        "iteration": int(result["training_iteration"]),
        "decisions": int(runners["num_env_steps_sampled_lifetime"]),
        "length": length if length == length else 0.0,
        "entropy": float(learner["entropy"]),
        "kl": float(learner["mean_kl_loss"]),
        "explained_variance": float(learner["vf_explained_var"]),
        "seconds": seconds,
        "decisions_per_second": decisions / seconds,
    }


def drop_later_lines(file: Path, iteration: int) -> None:
    """Without the lines of iterations that were cut off, and one without its end."""
    if file.exists():
        lines = file.read_text().rpartition("\n")[0].splitlines()
        write_whole(file, "".join(f"{line}\n" for line in lines if json.loads(line)["iteration"] <= iteration))


def replace_folder(new: Path, old: Path) -> None:
    """`new` takes the place of `old`."""
    aside = old.with_suffix(".old")
    shutil.rmtree(aside, ignore_errors=True)
    if old.exists():
        old.rename(aside)
    new.rename(old)
    shutil.rmtree(aside, ignore_errors=True)


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 2 for arguments it cannot use."""
    arguments = tyro.cli(Arguments, args=argv, prog="python -m training.rllib_ppo")
    try:
        arguments = completed(arguments)
        check(arguments)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    # Workers find this checkout as their driver does.
    root = str(Path(__file__).parents[1])
    ray.init(
        address=arguments.address or None, log_to_driver=False, include_dashboard=False, ignore_reinit_error=True,
        runtime_env={"env_vars": {"PYTHONPATH": root}},
    )  # fmt: skip
    try:
        train(arguments)
    finally:
        ray.shutdown()
    print(f"checkpoint and metrics: {arguments.out}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
