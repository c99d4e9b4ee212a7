"""Stable-Baselines3 on any game: ``python -m training.sb3_maskable_ppo --total-timesteps 2000000 --out runs/sb3``.

A tutorial for users of Stable-Baselines3: sb3-contrib's MaskablePPO on the native masked VecEnv, with self-play as a
callback.  The learner has one rotating seat of every game.  Its opponents are

1. agents; compiled policies play inside the environment's step;
2. frozen copies of the learner, which act in all their games at once (`act_batch`).

Every `pool_interval` rollouts a copy of the learner joins the pool and replaces the oldest, and every game samples its
next opponent.  `training.ppo` is much faster: every seat learns, and it computes only legal actions.
"""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Final
from zipfile import BadZipFile, ZipFile

import numpy as np
import numpy.typing as npt
import torch
import tyro
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from tqdm import tqdm  # type: ignore[import-untyped]

from agents.arena.matches import deal_seed
from porta_nigra_env.core.arrays.rng import later_seed
from porta_nigra_env.core.batch.policy import Policy
from porta_nigra_env.core.files import replacing
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.view import BatchView
from porta_nigra_env.envs.opponents import BatchAgent
from porta_nigra_env.envs.sb3 import MaskedVecEnv
from porta_nigra_env.games import DEFAULT_GAME, make_game
from porta_nigra_env.players.checkpoint import CheckpointError, made_for
from training.run.evaluation import Decide, Strength, default_opponents, make_opponent, strength, summary
from training.run.folder import OLD_METRICS, Run, RunError, read_config, to_config
from training.run.options import changed_options, check_players, check_resume_options
from training.run.ranges import NonNegative, NonNegativeInt, Positive, PositiveInt, Seed, check_ranges
from training.run.trainer import EVALUATION_SEED, DivergedError, run_program

#: File of a run, and its entries next to those of Stable-Baselines3: description, and copies of the learner.
MODEL, DESCRIPTION, COPY = "model.zip", "porta_nigra_env.json", "pool/{}.pt"

#: Default length of a run.
TOTAL_TIMESTEPS: Final = 2_000_000


@dataclass(frozen=True)
class Options:
    """Train with MaskablePPO of Stable-Baselines3, by self-play."""

    OLD_NAMES: ClassVar[Mapping[str, str]] = {
        "steps": "total_timesteps", "envs": "num_envs", "rollout": "n_steps", "pool": "pool_size",
        "refresh": "pool_interval", "batch": "batch_size", "epochs": "n_epochs", "entropy": "ent_coef",
    }  # fmt: skip

    game: str = DEFAULT_GAME
    """Name of the game (porta_nigra_env.games)."""
    out: Path | None = None
    """Folder of the run; by default runs/sb3-SEED."""
    resume: Path | None = None
    """Folder of a run to resume; only total-timesteps may change."""
    total_timesteps: NonNegativeInt = 0
    """Steps of the learner in the whole run, over all games; 0: two million, or those of the resumed run."""
    players: int | None = None
    """Number of players; by default the fewest of the game."""
    seed: Seed = 1
    """Seed of weights, games and actions."""
    num_envs: PositiveInt = 512
    """Parallel games."""
    n_steps: PositiveInt = 64
    """Steps of the learner per game and rollout."""
    opponents: tuple[str, ...] | None = None
    """Opponents in training and evaluations; by default the game's agents, otherwise random."""
    pool_size: NonNegativeInt = 4
    """Frozen copies of the learner among the opponents."""
    pool_interval: PositiveInt = 5
    """Rollouts between two copies that join the pool."""
    width: PositiveInt = 256
    """Units of each of two layers."""
    batch_size: int = 2048
    """Steps per gradient update."""
    n_epochs: PositiveInt = 4
    """Passes over the steps of a rollout."""
    learning_rate: Positive = 5e-4
    """Initial learning rate; it decreases to 0."""
    ent_coef: NonNegative = 0.01
    """Coefficient of the entropy bonus."""
    threads: PositiveInt = 1
    """Threads of torch and the games; more pay off on idle cores."""
    evaluations: PositiveInt = 8
    """Evaluations against the agents."""
    deals: PositiveInt = 100
    """Duplicate deals per evaluation, each played from every seat."""


def choose(policy: Any, observations: Any, masks: Any, deterministic: bool) -> npt.NDArray[np.int64]:
    """Return the actions of a MaskablePPO policy, int64 (k,)."""
    with torch.no_grad():
        inputs = torch.from_numpy(np.array(observations)).to(policy.device)
        actions: Any = policy._predict(inputs, deterministic=deterministic, action_masks=np.array(masks))
    return actions.cpu().numpy().astype(np.int64)  # type: ignore[no-any-return]


class Frozen:
    """Frozen copy of the learner as an opponent."""

    def __init__(self, name: str, policy: Any) -> None:
        self.name = name
        self.policy = policy

    def act_batch(self, views: BatchView) -> npt.NDArray[np.int64]:
        """Return one sampled action per game."""
        return choose(self.policy, views.observations, views.action_masks, deterministic=False)


def copy_policy(policy: Any) -> Any:
    """Return an independent policy with the same weights."""
    twin = type(policy)(**policy._get_constructor_parameters())
    twin.load_state_dict(policy.state_dict())
    twin.set_training_mode(False)
    return twin


class SelfPlay(BaseCallback):
    """Callback that maintains the pool, evaluates, saves and shows progress.

    Args:
        run: folder of the run.
        options: options of the run.
        rollouts, seconds: finished rollouts and their time.
    """

    def __init__(self, run: Run, options: Options, rollouts: int, seconds: float) -> None:
        super().__init__()
        self.run, self.options, self.rollouts, self.seconds = run, options, rollouts, seconds
        self.rng = np.random.default_rng(options.seed + rollouts)
        self.parts = max(1, min(options.evaluations, options.total_timesteps // (options.num_envs * options.n_steps)))
        self.started = time.perf_counter()
        self.open = ExitStack()

    def _on_training_start(self) -> None:
        env = self.training_env
        assert isinstance(env, MaskedVecEnv)
        self.games = env.games
        names = self.options.opponents or ()
        self.agents = {name: make_opponent(name, self.games.game) for name in names}
        self.slots = [Frozen(f"copy {slot}", copy_policy(self.model.policy)) for slot in range(self.options.pool_size)]
        read_pool(self.run.folder / MODEL, self.slots)
        self.saved, self.evaluated = self.rollouts, self.due()
        steps = self.model.num_timesteps
        bar = tqdm(total=self.options.total_timesteps, initial=steps, unit=" steps", unit_scale=True)
        self.bar = self.open.enter_context(bar)
        self.draw_opponents()

    def draw_opponents(self) -> None:
        """Sample the next opponent of every game among agents and copies."""
        present = min(self.options.pool_size, self.rollouts // self.options.pool_interval)
        members: list[Policy | BatchAgent] = [*self.agents.values(), *self.slots[:present]]
        if not members:
            return
        drawn = self.rng.integers(len(members), size=self.games.num_envs)
        for number, member in enumerate(members):
            self.games.set_opponents(member, np.flatnonzero(drawn == number))

    def _on_rollout_start(self) -> None:
        # The update after the previous rollout of this process is finished.
        if self.rollouts > self.saved:
            self.finish()

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        self.rollouts += 1
        if self.options.pool_size and self.rollouts % self.options.pool_interval == 0:
            slot = (self.rollouts // self.options.pool_interval - 1) % self.options.pool_size
            self.slots[slot].policy.load_state_dict(self.model.policy.state_dict())
        self.draw_opponents()

    def _on_training_end(self) -> None:
        self.finish()

    def finish(self) -> None:
        """Finish an iteration: write metrics, evaluate if due, and save the model."""
        model, steps = self.model, self.model.num_timesteps
        assert isinstance(model, MaskablePPO)
        for name, weights in model.policy.state_dict().items():
            if not torch.isfinite(weights).all():
                raise DivergedError(f"{name} is no longer finite after {steps} steps; lower --learning-rate")
        learned = {name: one for name, one in model.logger.name_to_value.items() if name.startswith("train/")}
        figures = {name.removeprefix("train/"): float(one) for name, one in learned.items()}
        figures |= {"seconds": self.elapsed(), "steps_per_second": steps / self.elapsed()}
        # Metrics first: a resumed run drops lines newer than its model.
        self.run.log(self.rollouts, steps, figures)
        measured = self.due() > self.evaluated
        if measured:
            self.evaluated = self.due()
            results = self.measure()
            self.run.log_evaluation(self.rollouts, steps, self.elapsed(), results, {})
            tqdm.write(f"{self.elapsed() / 60:6.1f} min {steps / 1e6:6.1f} M steps: {summary(results, {})}")
        save(self.run, model, self)
        self.saved = self.rollouts
        if measured:
            self.run.draw()
        self.bar.update(steps - self.bar.n)

    def due(self) -> int:
        """Return the number of evaluations that are due."""
        return min(self.parts, self.model.num_timesteps * self.parts // self.options.total_timesteps)

    def elapsed(self) -> float:
        """Return the seconds of the run, including those before an interruption."""
        return self.seconds + time.perf_counter() - self.started

    def measure(self) -> dict[str, Strength]:
        """Return the strength against the agents on held-out deals."""
        policy, game, options = self.model.policy, self.games.game, self.options
        policy.set_training_mode(False)
        seeds = [deal_seed(options.seed + EVALUATION_SEED, deal) for deal in range(options.deals)]
        return {name: strength(BestAction(policy), one, game, seeds) for name, one in self.agents.items()}


def BestAction(policy: Any) -> Decide:
    """Return a decider that takes the most probable action."""
    return lambda env, rows: choose(policy, env.observations[rows], env.action_masks[rows], deterministic=True)


def save(run: Run, model: MaskablePPO, callback: SelfPlay) -> None:
    """Write the model, its pool and its description to one file, replaced atomically."""
    description = {
        "made_for": made_for([callback.games.game]), "rollouts": callback.rollouts, "steps": model.num_timesteps,
        "seconds": callback.elapsed(),
    }  # fmt: skip
    with replacing(run.folder / MODEL) as partial:
        model.save(partial)
        with ZipFile(partial, "a") as file:
            for number, one in enumerate(callback.slots):
                weights = io.BytesIO()
                torch.save(one.policy.state_dict(), weights)
                file.writestr(COPY.format(number), weights.getvalue())
            file.writestr(DESCRIPTION, json.dumps(description, indent=1) + "\n")


def read_pool(file: Path, slots: Sequence[Frozen]) -> None:
    """Load the weights of the copies from a saved model, if there is one."""
    if file.exists():
        with ZipFile(file) as model:
            for number, one in enumerate(slots):
                if COPY.format(number) in model.namelist():
                    weights = io.BytesIO(model.read(COPY.format(number)))
                    one.policy.load_state_dict(torch.load(weights, weights_only=True))


def check_description(folder: Path, game: Game) -> dict[str, Any]:
    """Return the description of a saved model; CheckpointError if it is damaged or of another game."""
    file = folder / MODEL
    try:
        with ZipFile(file) as model:
            if damaged := model.testzip():
                raise ValueError(f"the checksum of {damaged} is wrong")
            description: dict[str, Any] = json.loads(model.read(DESCRIPTION))
        made = description["made_for"]
    except (OSError, BadZipFile, ValueError, KeyError, TypeError) as error:
        raise CheckpointError(f"{file}: missing or damaged: {error}") from error
    for name, value in made_for([game]).items():
        if made.get(name) != value:
            raise CheckpointError(f"{file}: {name} is {made.get(name)!r}, here it is {value!r}")
    return {OLD_METRICS.get(name, name): value for name, value in description.items()}


def make_env(options: Options) -> MaskedVecEnv:
    """Return the games, in which the learner's seat rotates."""
    game = make_game(options.game, options.players)
    # The callback replaces the opponents when training begins.
    env = MaskedVecEnv(game, options.num_envs, seat="rotate", opponents="random", threads=options.threads)
    env.seed(options.seed)
    return env


def linear_schedule(learning_rate: float) -> Callable[[float], float]:
    """Return a learning rate that decreases to 0, as a function of the remaining fraction of the run."""
    return lambda left: learning_rate * max(0.0, left)


def make_model(options: Options, env: MaskedVecEnv) -> MaskablePPO:
    """Return a new model; all other parameters are the defaults of Stable-Baselines3."""
    return MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=options.n_steps,
        batch_size=options.batch_size,
        n_epochs=options.n_epochs,
        learning_rate=linear_schedule(options.learning_rate),
        ent_coef=options.ent_coef,
        gamma=1.0,  # games end, and only the result counts
        policy_kwargs={"net_arch": [options.width, options.width], "activation_fn": torch.nn.ReLU},
        seed=options.seed % 2**32,
        device="cpu",
    )


def prepare(options: Options) -> tuple[MaskablePPO, SelfPlay]:
    """Return the model and its callback; ValueError for options, folders or models that cannot be used."""
    if options.resume is None:
        options = with_game_defaults(options)
        check(options)
        model = make_model(options, make_env(options))
        folder = options.out or Path("runs") / f"sb3-{options.seed}"
        run = Run(folder, to_config("sb3_maskable_ppo", options))
        return model, SelfPlay(run, options, 0, 0.0)
    folder, changed = options.resume, changed_options(options, ("total_timesteps",))
    started = replace(read_config(folder, "sb3_maskable_ppo", Options), **changed)
    check(started)
    saved = check_description(folder, make_game(started.game, started.players))
    rollouts, seconds, steps = int(saved["rollouts"]), float(saved["seconds"]), int(saved["steps"])
    if steps >= started.total_timesteps:
        raise RunError(f"--total-timesteps: the run has {steps:,} steps already; give the total of the whole run")
    if changed:
        rate = started.learning_rate * (1 - steps / started.total_timesteps)
        print(f"the learning rate follows the longer schedule: it resumes at {rate:.3g}", flush=True)
    rates = {"learning_rate": linear_schedule(started.learning_rate)}
    model = MaskablePPO.load(folder / MODEL, env=make_env(started), device="cpu", custom_objects=rates)
    # A new seed, so that the deals of the start are not repeated.
    model.set_random_seed(int(later_seed(started.seed, rollouts + 1)) % 2**32)
    run = Run(folder, to_config("sb3_maskable_ppo", started), resume=True, iteration=rollouts)
    return model, SelfPlay(run, started, rollouts, seconds)


def train(model: MaskablePPO, callback: SelfPlay) -> None:
    """Train to the end; the callback does everything else."""
    left = callback.options.total_timesteps - model.num_timesteps
    with without_validation(), closing(callback.run), callback.open:
        model.learn(left, callback=callback, reset_num_timesteps=False)


@contextmanager
def without_validation() -> Iterator[None]:
    """Disable torch's validation of probabilities.

    It requires a sum of 1 within 1e-6, which hundreds of masked float32 actions miss occasionally by rounding.  With
    sb3-contrib before 2.8 the run would end with "Expected parameter probs ... to satisfy the constraint Simplex()".
    `SelfPlay.finish` checks that weights are finite, and the environment that actions are legal.
    """
    before = torch.distributions.Distribution._validate_args
    torch.distributions.Distribution.set_default_validate_args(False)
    try:
        yield
    finally:
        torch.distributions.Distribution.set_default_validate_args(before)


def with_game_defaults(options: Options) -> Options:
    """Return the options with the defaults of the game; ValueError for a wrong game or number of players."""
    given = () if options.players is None else (options.players,)
    return replace(
        options,
        players=check_players(options.game, given)[0],
        opponents=default_opponents(options.game) if options.opponents is None else options.opponents,
        total_timesteps=options.total_timesteps or TOTAL_TIMESTEPS,
    )


def check(options: Options) -> None:
    """Raise ValueError for the first option out of range."""
    check_ranges(options)
    if not 2 <= options.batch_size <= (most := options.num_envs * options.n_steps):
        raise ValueError(f"--batch-size must be in 2..num_envs * n_steps = {most}, not {options.batch_size}")
    for name in options.opponents or ():
        make_opponent(name, make_game(options.game, options.players))


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the code of `trainer.run_program`."""
    program = "python -m training.sb3_maskable_ppo"
    options = tyro.cli(Options, args=argv, prog=program)
    torch.set_num_threads(max(1, options.threads))

    def start() -> tuple[MaskablePPO, SelfPlay]:
        if options.resume is not None:
            check_resume_options(options, argv)
        return prepare(options)

    def work(prepared: tuple[MaskablePPO, SelfPlay]) -> int:
        train(*prepared)
        print(f"model, metrics and learning curve: {prepared[1].run.folder}")
        return 0

    return run_program(start, work, lambda prepared: f"resume with {program} --resume {prepared[1].run.folder}")


if __name__ == "__main__":
    raise SystemExit(main())
