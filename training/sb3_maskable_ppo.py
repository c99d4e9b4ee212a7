"""Stable-Baselines3 on any game: ``python -m training.sb3_maskable_ppo --steps 2000000 --out runs/sb3``.

The tutorial for those who know Stable-Baselines3: sb3-contrib's MaskablePPO on the native masked VecEnv, with self-play
as a callback.  The learner sits on one seat of every game, the next one in each game; the others are

1. named agents; those that are compiled policies play inside the environment's step;
2. frozen copies of the learner, which are asked for all their games at once (`act_batch`).

Every `refresh` rollouts the learner as it is now joins the pool (the oldest copy leaves), and every game draws its
opponent for the next time anew.  `training.ppo` is much faster: every seat learns, and only legal actions are computed.
"""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final
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
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.view import BatchView
from porta_nigra_env.envs.opponents import BatchAgent
from porta_nigra_env.envs.sb3 import MaskedVecEnv
from porta_nigra_env.games import DEFAULT_GAME, make_game
from porta_nigra_env.players.checkpoint import CheckpointError, made_for
from training.ppo.arguments import changed, check_heard
from training.run.checks import check_least, check_players, check_positive
from training.run.evaluation import Decide, Strength, strength, summary
from training.run.folder import Run, RunError, as_config, read_config
from training.run.opponents import opponent, rivals
from training.run.seeds import check_run_seed
from training.run.trainer import UNSEEN, DivergedError, answer

#: File of a run beside those of `training.run.folder`, and what it holds beside Stable-Baselines3's own parts: what it was
#: made for and how far it is, and the copies of the learner in the pool.
MODEL, DESCRIPTION, COPY = "model.zip", "porta_nigra_env.json", "pool/{}.pt"

#: Decisions of a run that is not told how many.
STEPS: Final = 2_000_000


@dataclass(frozen=True)
class Arguments:
    """Train with MaskablePPO of Stable-Baselines3, by self-play."""

    game: str = DEFAULT_GAME
    """What is played (porta_nigra_env.games)."""
    out: Path | None = None
    """Folder of the run; by default runs/sb3-SEED."""
    resume: Path | None = None
    """Folder of a run to go on with; only `steps` may be given beside it."""
    steps: int = 0
    """Decisions of the learner in the whole run, all games together; 0: two million, or those it was started with."""
    players: int | None = None
    """By default the fewest of the game."""
    seed: int = 1
    """Of weights, games and actions."""
    envs: int = 512
    """Games at the same time."""
    rollout: int = 64
    """Decisions of the learner in each game before it learns."""
    opponents: tuple[str, ...] | None = None
    """Agents that are met, and measured against; by default the game's own, else random."""
    pool: int = 4
    """Frozen copies of the learner among the opponents."""
    refresh: int = 5
    """A copy joins the pool after so many rollouts."""
    width: int = 256
    """Units of each of two layers."""
    batch: int = 2048
    """Decisions of a gradient step."""
    epochs: int = 4
    """Passes over the decisions of a rollout."""
    learning_rate: float = 5e-4
    """At the start; it falls to nothing."""
    entropy: float = 0.01
    """Weight of the entropy bonus."""
    threads: int = 1
    """Of torch and of the games; more pay on cores that nobody else uses."""
    evaluations: int = 8
    """How often the learner is measured against the named agents."""
    deals: int = 100
    """Duplicate deals of an evaluation, each from every seat."""


def choose(policy: Any, observations: Any, masks: Any, deterministic: bool) -> npt.NDArray[np.int64]:
    """Ids of legal actions, int64 (k,), as a policy of MaskablePPO chooses them."""
    with torch.no_grad():
        given = torch.from_numpy(np.array(observations)).to(policy.device)
        actions: Any = policy._predict(given, deterministic=deterministic, action_masks=np.array(masks))
    return actions.cpu().numpy().astype(np.int64)  # type: ignore[no-any-return]


class Frozen:
    """A copy of the learner that learns no more, as an opponent."""

    def __init__(self, name: str, policy: Any) -> None:
        self.name = name
        self.policy = policy

    def act_batch(self, views: BatchView) -> npt.NDArray[np.int64]:
        """One action for each game, drawn from the copy's probabilities."""
        return choose(self.policy, views.observations, views.action_masks, deterministic=False)


def copied(policy: Any) -> Any:
    """A policy with the same weights and a life of its own."""
    twin = type(policy)(**policy._get_constructor_parameters())
    twin.load_state_dict(policy.state_dict())
    twin.set_training_mode(False)
    return twin


class SelfPlay(BaseCallback):
    """Keeps the pool, measures the learner, saves, and shows how far it is.

    Args:
        run: where everything goes.
        arguments: of the run.
        rollouts, seconds: that are done already.
    """

    def __init__(self, run: Run, arguments: Arguments, rollouts: int, seconds: float) -> None:
        super().__init__()
        self.run, self.arguments, self.rollouts, self.seconds = run, arguments, rollouts, seconds
        self.rng = np.random.default_rng(arguments.seed + rollouts)
        self.parts = max(1, min(arguments.evaluations, arguments.steps // (arguments.envs * arguments.rollout)))
        self.begun = time.perf_counter()

    def _on_training_start(self) -> None:
        env = self.training_env
        assert isinstance(env, MaskedVecEnv)
        self.games = env.games
        names = self.arguments.opponents or ()
        self.agents = {name: opponent(name, self.games.game) for name in names}
        self.slots = [Frozen(f"copy {slot}", copied(self.model.policy)) for slot in range(self.arguments.pool)]
        read_pool(self.run.folder / MODEL, self.slots)
        self.saved, self.evaluated = self.rollouts, self.due()
        self.bar = tqdm(
            total=self.arguments.steps, initial=self.model.num_timesteps, unit=" decisions", unit_scale=True
        )
        self.draw_opponents()

    def draw_opponents(self) -> None:
        """Whom every game meets the next time: named agents, and copies that have joined."""
        present = min(self.arguments.pool, self.rollouts // self.arguments.refresh)
        members: list[Policy | BatchAgent] = [*self.agents.values(), *self.slots[:present]]
        if not members:
            return
        drawn = self.rng.integers(len(members), size=self.games.num_envs)
        for number, member in enumerate(members):
            self.games.set_opponents(member, np.flatnonzero(drawn == number))

    def _on_rollout_start(self) -> None:
        # The learner has learned from the rollout before, if there was one in this process.
        if self.rollouts > self.saved:
            self.finish()

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        self.rollouts += 1
        if self.arguments.pool and self.rollouts % self.arguments.refresh == 0:
            slot = (self.rollouts // self.arguments.refresh - 1) % self.arguments.pool
            self.slots[slot].policy.load_state_dict(self.model.policy.state_dict())
        self.draw_opponents()

    def _on_training_end(self) -> None:
        self.finish()
        self.bar.close()

    def finish(self) -> None:
        """End an iteration, after rollout and learning: a line of metrics, an evaluation if it is time, the model."""
        model, decisions = self.model, self.model.num_timesteps
        assert isinstance(model, MaskablePPO)
        for name, weights in model.policy.state_dict().items():
            if not torch.isfinite(weights).all():
                raise DivergedError(f"{name} is no longer finite after {decisions} decisions; lower --learning-rate")
        learned = {name: one for name, one in model.logger.name_to_value.items() if name.startswith("train/")}
        figures = {name.removeprefix("train/"): float(one) for name, one in learned.items()}
        figures |= {"seconds": self.elapsed(), "decisions_per_second": decisions / self.elapsed()}
        # In this order: lines that no saved model knows of are dropped when the run goes on.
        self.run.log(self.rollouts, decisions, figures)
        measured = self.due() > self.evaluated
        if measured:
            self.evaluated = self.due()
            found = self.measure()
            self.run.log_evaluation(self.rollouts, decisions, self.elapsed(), found)
            tqdm.write(f"{self.elapsed() / 60:6.1f} min {decisions / 1e6:6.1f} M decisions: {summary(found)}")
        save(self.run, model, self)
        self.saved = self.rollouts
        if measured:
            self.run.draw()
        self.bar.update(decisions - self.bar.n)

    def due(self) -> int:
        """How many of the evaluations lie behind."""
        return min(self.parts, self.model.num_timesteps * self.parts // self.arguments.steps)

    def elapsed(self) -> float:
        """Seconds of the run, those before an interruption included."""
        return self.seconds + time.perf_counter() - self.begun

    def measure(self) -> dict[str, Strength]:
        """The learner's most probable actions against the named agents, on deals that training does not see."""
        policy, game, chosen = self.model.policy, self.games.game, self.arguments
        policy.set_training_mode(False)
        seeds = [deal_seed(chosen.seed + UNSEEN, deal) for deal in range(chosen.deals)]
        return {name: strength(deciding(policy), one, game, seeds) for name, one in self.agents.items()}


def deciding(policy: Any) -> Decide:
    """The most probable action, for `training.run.evaluation`."""
    return lambda env, rows: choose(policy, env.observations[rows], env.action_masks[rows], deterministic=True)


def save(run: Run, model: MaskablePPO, callback: SelfPlay) -> None:
    """The model, its pool, and what it was made for, in one file that replaces the one before when it is whole."""
    partial = run.folder / "partial.zip"
    model.save(partial)
    description = {
        "made_for": made_for([callback.games.game]), "rollouts": callback.rollouts, "decisions": model.num_timesteps,
        "seconds": callback.elapsed(),
    }  # fmt: skip
    with ZipFile(partial, "a") as file:
        for number, one in enumerate(callback.slots):
            weights = io.BytesIO()
            torch.save(one.policy.state_dict(), weights)
            file.writestr(COPY.format(number), weights.getvalue())
        file.writestr(DESCRIPTION, json.dumps(description, indent=1) + "\n")
    partial.replace(run.folder / MODEL)


def read_pool(file: Path, slots: Sequence[Frozen]) -> None:
    """Give the copies the weights that were saved with the model, if there is one."""
    if file.exists():
        with ZipFile(file) as model:
            for number, one in enumerate(slots):
                if COPY.format(number) in model.namelist():
                    weights = io.BytesIO(model.read(COPY.format(number)))
                    one.policy.load_state_dict(torch.load(weights, weights_only=True))


def check_description(folder: Path, game: Game) -> dict[str, Any]:
    """The description of a saved model; CheckpointError if it is damaged or belongs to something else."""
    file = folder / MODEL
    try:
        with ZipFile(file) as model:
            if damaged := model.testzip():
                raise ValueError(f"the checksum of {damaged} is wrong")
            found: dict[str, Any] = json.loads(model.read(DESCRIPTION))
        made = found["made_for"]
    except (OSError, BadZipFile, ValueError, KeyError, TypeError) as error:
        raise CheckpointError(f"{file}: missing or damaged: {error}") from error
    for name, value in made_for([game]).items():
        if made.get(name) != value:
            raise CheckpointError(f"{file}: {name} is {made.get(name)!r}, here it is {value!r}")
    return found


def make_env(arguments: Arguments) -> MaskedVecEnv:
    """The games: the learner's seat is the next one in each."""
    game = make_game(arguments.game, arguments.players)
    # The first opponents; the callback deals out others as soon as training begins.
    env = MaskedVecEnv(game, arguments.envs, seat="rotate", opponents="random", threads=arguments.threads)
    env.seed(arguments.seed)
    return env


def falling(learning_rate: float) -> Callable[[float], float]:
    """A learning rate that is nothing at the end, a function of how much of the run is left, 1 to 0."""
    return lambda left: learning_rate * max(0.0, left)


def make_model(arguments: Arguments, env: MaskedVecEnv) -> MaskablePPO:
    """A new model; every value that is not given here is that of Stable-Baselines3."""
    return MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=arguments.rollout,
        batch_size=arguments.batch,
        n_epochs=arguments.epochs,
        learning_rate=falling(arguments.learning_rate),
        ent_coef=arguments.entropy,
        gamma=1.0,  # games end, and only their result counts
        policy_kwargs={"net_arch": [arguments.width, arguments.width], "activation_fn": torch.nn.ReLU},
        seed=arguments.seed % 2**32,
        device="cpu",
    )


def prepared(arguments: Arguments) -> tuple[MaskablePPO, SelfPlay]:
    """The learner, and what goes with it; ValueError for arguments, folders or models that cannot be used."""
    if arguments.resume is None:
        arguments = completed(arguments)
        check(arguments)
        model = make_model(arguments, make_env(arguments))
        folder = arguments.out or Path("runs") / f"sb3-{arguments.seed}"
        run = Run(folder, as_config("sb3_maskable_ppo", arguments))
        return model, SelfPlay(run, arguments, 0, 0.0)
    folder, given = arguments.resume, changed(arguments, ("steps",))
    started = replace(read_config(folder, "sb3_maskable_ppo", Arguments), **given)
    check(started)
    found = check_description(folder, make_game(started.game, started.players))
    rollouts, seconds, decisions = int(found["rollouts"]), float(found["seconds"]), int(found["decisions"])
    if decisions >= started.steps:
        raise RunError(f"--steps: the run has {decisions:,} decisions already; --steps tells how many in all")
    rate = {"learning_rate": falling(started.learning_rate)}
    model = MaskablePPO.load(folder / MODEL, env=make_env(started), device="cpu", custom_objects=rate)
    # Not the deals and draws of the beginning once more.
    model.set_random_seed(int(later_seed(started.seed, rollouts + 1)) % 2**32)
    run = Run(folder, as_config("sb3_maskable_ppo", started), resume=True, iteration=rollouts)
    return model, SelfPlay(run, started, rollouts, seconds)


def train(model: MaskablePPO, callback: SelfPlay) -> None:
    """Learn to the end; the callback does everything else."""
    left = callback.arguments.steps - model.num_timesteps
    with unchecked(), closing(callback.run):
        model.learn(left, callback=callback, reset_num_timesteps=False)


@contextmanager
def unchecked() -> Iterator[None]:
    """Without the checks of torch on probabilities, in learning as in choosing.

    They want a sum of one, to 1e-6; those of hundreds of masked actions in float32 miss that now and then by rounding,
    and sb3-contrib before 2.8 lets torch see them: the run ends with "Expected parameter probs ... to satisfy the
    constraint Simplex()".  What matters is checked instead: that weights are finite (`SelfPlay.finish`), and that
    actions are legal, which the environment sees to.
    """
    before = torch.distributions.Distribution._validate_args
    torch.distributions.Distribution.set_default_validate_args(False)
    try:
        yield
    finally:
        torch.distributions.Distribution.set_default_validate_args(before)


def completed(arguments: Arguments) -> Arguments:
    """The same with the defaults of its game; ValueError if there is no such game, or not for so many players."""
    given = () if arguments.players is None else (arguments.players,)
    return replace(
        arguments,
        players=check_players(arguments.game, given)[0],
        opponents=rivals(arguments.game) if arguments.opponents is None else arguments.opponents,
        steps=arguments.steps or STEPS,
    )


def check(arguments: Arguments) -> None:
    """ValueError that names the first argument out of range."""
    check_run_seed(arguments.seed)
    positive = ("steps", "envs", "rollout", "refresh", "width", "epochs", "evaluations", "deals", "threads")
    check_least(arguments, dict.fromkeys(positive, 1) | {"pool": 0, "entropy": 0})
    check_positive(arguments, ("learning_rate",))
    if not 2 <= arguments.batch <= (most := arguments.envs * arguments.rollout):
        raise ValueError(f"--batch must be in 2..envs * rollout = {most}, not {arguments.batch}")
    for name in arguments.opponents or ():
        opponent(name, make_game(arguments.game, arguments.players))


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; its answers are those of `trainer.answer`."""
    program = "python -m training.sb3_maskable_ppo"
    arguments = tyro.cli(Arguments, args=argv, prog=program)
    torch.set_num_threads(max(1, arguments.threads))

    def begun() -> tuple[MaskablePPO, SelfPlay]:
        check_heard(arguments, argv)
        return prepared(arguments)

    def to_its_end(made: tuple[MaskablePPO, SelfPlay]) -> int:
        train(*made)
        print(f"model, metrics and learning curve: {made[1].run.folder}")
        return 0

    return answer(begun, to_its_end, lambda made: f"{program} --resume {made[1].run.folder} goes on")


if __name__ == "__main__":
    raise SystemExit(main())
