"""Tune the weights of a game's scripted agent: ``python -m training.tune --out FOLDER``.

CMA-ES (N. Hansen, *The CMA Evolution Strategy: A Tutorial*, arXiv 1604.00772; the package `cmaes`) optimizes the
weights that the agents of a game declare (`TUNABLE` of ``agents.GAME``).  The fitness of a candidate is its win rate
against the default opponents on duplicate deals, plus a little of its margin.  Every generation has new deals.  At the
end the mean of the last generation plays each opponent on held-out deals; the results are written as JSON.

The folder has the state after every generation.  Repeat the command to resume.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple, TypedDict

import numpy as np
import numpy.typing as npt
import tyro
from cmaes import CMA  # type: ignore[import-untyped]
from msgspec import Meta, convert
from tqdm import tqdm  # type: ignore[import-untyped]

from agents.arena.ratings import share_of_deals, win_shares
from agents.registry import game_package
from porta_nigra_env.core.arrays.rng import later_seed
from porta_nigra_env.core.batch.policy import Policy
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.results import margin
from porta_nigra_env.envs.play import play_games
from porta_nigra_env.games import DEFAULT_GAME, game_entry, make_game
from training.run.evaluation import default_opponents, make_opponent
from training.run.folder import (
    Count,
    RunError,
    check_folder_kind,
    check_same,
    lock_folder,
    names_in,
    read_json,
    write_json,
)  # fmt: skip
from training.run.options import check_players, derive_seed
from training.run.ranges import Positive, PositiveInt, Range, Seed, check_ranges
from training.run.trainer import run_program

Floats = npt.NDArray[np.float64]

#: Offset of the held-out deals.
HELD_OUT: Final = 1_000_003
#: Weight of a point of margin relative to the win rate.
MARGIN: Final = 0.002
STATE: Final = "state.json"
#: State of earlier versions: a pickle, which can run any code when it is read.
OLD_STATE: Final = "state.pickle"
RESULT: Final = "weights.json"


@dataclass(frozen=True)
class Options:
    """Tune weights with CMA-ES; repeat the command to resume."""

    out: Path
    """Folder of state and result."""
    game: str = DEFAULT_GAME
    """Name of the game (porta_nigra_env.games)."""
    players: tuple[int, ...] = ()
    """Numbers of players; by default all of the game."""
    generations: PositiveInt = 60
    """Total number of generations."""
    population: Annotated[int, Range(4)] = 16
    """Candidates per generation."""
    deals: PositiveInt = 40
    """Deals per opponent and number of players."""
    sigma: Positive = 0.3
    """Initial step size, relative to each weight."""
    held_out: PositiveInt = 2000
    """Deals of the final measurement."""
    seed: Seed = 1
    """Seed of deals and candidates."""


class Tunable(NamedTuple):
    """Names of the weights, their current values (k,), and a function that makes a policy of a name and values."""

    names: tuple[str, ...]
    values: Floats
    policy: Callable[[str, Floats], Policy]


def tunable(game: str) -> Tunable:
    """Return the weights that a game's agents declare; ValueError if there are none."""
    declared = getattr(game_package(game), "TUNABLE", None)
    if declared is None:
        raise ValueError(f"--game: {game} has no agent with weights to tune (TUNABLE in agents.{game})")
    valuation, column = declared
    return Tunable(valuation.names, valuation.weights(column), valuation.policy)


def play_match(first: Policy, second: Policy, game: Game, seeds: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Play every deal from every seat of `first`, with `second` on all other seats.

    Returns:
        Win rates and margins, float64 (deals * players,).
    """
    players = game.num_players
    count = len(seeds) * players
    lineups = np.ones((count, players), dtype=np.int64)
    seats = np.tile(np.arange(players), len(seeds))
    lineups[np.arange(count), seats] = 0
    played = play_games(game, [first, second], np.repeat(seeds, players), lineups)
    margins = [margin(totals, int(seat)) for totals, seat in zip(played.totals, seats, strict=True)]
    return win_shares(played.places)[np.arange(count), seats], np.array(margins)


def deals(seed: int, generation: int, count: int) -> npt.NDArray[np.int64]:
    """Return the seeds of a generation's deals."""
    first = derive_seed(seed, generation + 1)
    return np.arange(first, first + count, dtype=np.int64)


def fitness(
    candidate: Policy, opponents: Sequence[Policy], games: Sequence[Game], seeds: npt.NDArray[np.int64]
) -> float:
    """Return the mean over opponents and games of win rate times half the players, plus a little of the margin."""
    values = []
    for other in opponents:
        for game in games:
            wins, margins = play_match(candidate, other, game, seeds)
            values.append(float(wins.mean()) * game.num_players / 2 + MARGIN * float(margins.mean()))
    return float(np.mean(values))


def held_out(
    candidate: Policy, opponents: Sequence[Policy], games: Sequence[Game], seed: int, count: int
) -> dict[str, dict[str, list[float]]]:
    """Return win rates with their intervals by opponent and number of players, on held-out deals."""
    result: dict[str, dict[str, list[float]]] = {}
    for other in opponents:
        result[other.name] = {}
        for game in games:
            wins, _ = play_match(candidate, other, game, deals(seed + HELD_OUT, 0, count))
            # A deal is one trial: its rotations have the same cards.
            sums = wins.reshape(count, game.num_players).sum(axis=1)
            share = share_of_deals(sums, np.full(count, float(game.num_players)))
            result[other.name][str(game.num_players)] = [round(value, 4) for value in share]
    return result


def to_json(optimizer: CMA) -> dict[str, Any]:
    """Return the state of an optimizer, without its generator, as JSON values."""
    state = optimizer.__getstate__()
    return {
        name: value.tolist() if isinstance(value, np.generic | np.ndarray) else value for name, value in state.items()
    }


def restored(optimizer: CMA, saved: Mapping[str, Any]) -> CMA:
    """Give a new optimizer of the same settings the state of `to_json`; ValueError if it is of another one."""
    state = optimizer.__getstate__()
    if saved.keys() != state.keys():
        raise ValueError(f"cma has other entries: {', '.join(sorted(saved.keys() ^ state.keys()))}")
    for name, value in state.items():
        if isinstance(value, np.ndarray):
            state[name] = np.array(saved[name], dtype=value.dtype)
            if state[name].shape != value.shape:
                raise ValueError(f"{name} of cma has the shape {state[name].shape}, expected {value.shape}")
        elif name == "_g":
            state[name] = convert(saved[name], Count)
        elif name == "_sigma":
            state[name] = convert(saved[name], Annotated[float, Meta(gt=0, lt=1e9)])
        elif isinstance(value, int | float) and value != saved[name]:
            raise ValueError(f"{name} of cma is {saved[name]!r}, expected {value!r}")
        # Other values are None between generations.
    optimizer.__setstate__(state)
    return optimizer


class State(TypedDict):
    """Content of the state's file; means: the weights after each generation."""

    settings: dict[str, Any]
    generation: Count
    means: list[list[float]]
    cma: dict[str, Any]


class Tuning:
    """A run in its folder, locked until `close`.

    Raises:
        ValueError: an option out of range, nothing to tune, or a folder that holds a run with other settings or is in
            use by another process.
    """

    def __init__(self, options: Options) -> None:
        self.options = options
        check_ranges(options)
        counts = check_players(options.game, options.players)
        counts = counts if options.players else game_entry(options.game).seats
        self.games = [make_game(options.game, players) for players in counts]
        self.tunable = tunable(options.game)
        opponents = [make_opponent(name, self.games[0]) for name in default_opponents(options.game)]
        self.opponents = [one for one in opponents if isinstance(one, Policy)]
        # Weights differ in size, so candidates are relative to these units.
        self.unit = np.maximum(np.abs(self.tunable.values), 0.3)
        self.settings = {name: getattr(options, name) for name in ("game", "population", "deals", "sigma", "seed")}
        self.settings |= {"players": list(counts), "base": self.tunable.values.tolist()}
        if OLD_STATE in names_in(options.out):
            raise RunError(
                f"{options.out / OLD_STATE}: the state of an earlier version, which this one does not read; "
                "name another folder with --out"
            )
        check_folder_kind(options.out, STATE, "weights in tuning")
        self._lock = lock_folder(options.out)
        try:
            self.state = self._state()
        except ValueError:
            self.close()
            raise

    def close(self) -> None:
        """Release the folder."""
        self._lock.release()

    def _state(self) -> dict[str, Any]:
        options, file = self.options, self.options.out / STATE
        start = self.tunable.values / self.unit
        optimizer = CMA(start, options.sigma, seed=options.seed % 2**32, population_size=options.population)
        state = {"settings": self.settings, "generation": 0, "means": [], "cma": optimizer}
        if not file.exists():
            return state
        saved = read_json(file, State)
        check_same(options.out, saved["settings"], self.settings)
        try:
            means = np.array(saved["means"]).reshape(saved["generation"], len(start))
            if not np.isfinite(means).all():
                raise ValueError("means has NaN or infinite numbers")
            return {**saved, "means": means.tolist(), "cma": restored(optimizer, saved["cma"])}
        except (ValueError, TypeError) as error:
            raise RunError(f"{file}: damaged: {error}; restore it, or name another folder with --out") from error

    def _save(self) -> None:
        state = self.state | {"cma": to_json(self.state["cma"])}
        write_json(self.options.out / STATE, state)

    def run(self) -> None:
        """Run the missing generations and save the state after each."""
        first, last = int(self.state["generation"]), self.options.generations
        for generation in tqdm(range(first, last), initial=first, total=last):
            values = self._generation(generation)
            self._save()
            tqdm.write(f"generation {generation + 1}: best {max(values):.3f}, mean {np.mean(values):.3f}")

    def _generation(self, generation: int) -> list[float]:
        """Run a generation and return the fitness of its candidates."""
        seed = self.options.seed
        seeds = deals(seed, generation, self.options.deals)
        optimizer: CMA = self.state["cma"]
        # A saved optimizer loses its generator, so each generation gets a new one.
        optimizer.reseed_rng((seed + later_seed(seed, generation)) % 2**32)
        candidates = []
        for _ in range(optimizer.population_size):
            candidate = optimizer.ask()
            policy = self.tunable.policy("candidate", candidate * self.unit)
            candidates.append((candidate, -fitness(policy, self.opponents, self.games, seeds)))
        optimizer.tell(candidates)
        self.state["generation"] = generation + 1
        self.state["means"].append((optimizer.mean * self.unit).tolist())
        return [-value for _, value in candidates]

    def result(self) -> dict[str, Any]:
        """Return the weights by name and their results on held-out deals, and write them into the folder."""
        options, tuned = self.options, np.array(self.state["means"][-1])
        policy = self.tunable.policy("tuned", tuned)
        result = {
            "settings": self.settings,
            "generations": self.state["generation"],
            "weights": {name: round(float(value), 4) for name, value in zip(self.tunable.names, tuned, strict=True)},
            "held_out": held_out(policy, self.opponents, self.games, options.seed, options.held_out),
        }
        write_json(options.out / RESULT, result)
        return result


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the code of `trainer.run_program`."""
    options = tyro.cli(Options, args=argv, prog="python -m training.tune")

    def work(tuning: Tuning) -> int:
        with closing(tuning):
            tuning.run()
            print(summary(tuning.result()))
        return 0

    return run_program(lambda: Tuning(options), work)


def summary(result: Mapping[str, Any]) -> str:
    """Return the weights and the win rates on held-out deals."""
    lines = [f"{name:<14}{value:>9.3f}" for name, value in result["weights"].items()]
    for name, by_players in result["held_out"].items():
        for count, (share, low, high) in by_players.items():
            lines.append(f"{count} players against {name}: {share:.1%} ({low:.1%} to {high:.1%})")
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
