"""Tune the weights of a game's scripted agent: ``python -m training.tune --out FOLDER``.

CMA-ES (N. Hansen, *The CMA Evolution Strategy: A Tutorial*, arXiv 1604.00772; the package `cmaes`) over what the agents
of a game say can be tuned (`TUNABLE` of ``agents.GAME``).  A candidate's fitness is how often it wins against the
game's rivals on duplicate deals, and a little of its margin; every generation has deals of its own.  The mean of the
last generation is then played on held-out deals, with 95 % intervals, against each opponent, and written as JSON.

The folder keeps the state after every generation: the same command goes on where an interrupted one stopped.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import tyro
from cmaes import CMA  # type: ignore[import-untyped]
from tqdm import tqdm  # type: ignore[import-untyped]

from agents.arena.ratings import share_of_deals, win_shares
from porta_nigra_env.core.arrays.rng import later_seed
from porta_nigra_env.core.batch.policy import Policy
from porta_nigra_env.core.files import write_whole
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.results import margin
from porta_nigra_env.envs.play import play_games
from porta_nigra_env.games import DEFAULT_GAME, game_entry, make_game
from training.run.checks import check_least, check_players, check_positive
from training.run.folder import check_own, locked
from training.run.opponents import agents_of, opponent, rivals
from training.run.resume import check_same
from training.run.seeds import check_run_seed, later_run_seed
from training.run.trainer import answer

Floats = npt.NDArray[np.float64]

#: Held-out deals follow from the seed plus this.
HELD_OUT: Final = 1_000_003
#: What a point of margin counts beside a win share.
MARGIN: Final = 0.002
STATE: Final = "state.pickle"
RESULT: Final = "weights.json"


@dataclass(frozen=True)
class Arguments:
    """Tune weights with CMA-ES; the same command goes on after an interruption."""

    out: Path
    """Folder of state and result."""
    game: str = DEFAULT_GAME
    """What is played (porta_nigra_env.games)."""
    players: tuple[int, ...] = ()
    """Numbers of players; by default all that the game allows."""
    generations: int = 60
    """In all."""
    population: int = 16
    """Candidates of a generation."""
    deals: int = 40
    """Of each opponent and number of players."""
    sigma: float = 0.3
    """First step, as a share of each weight."""
    held_out: int = 2000
    """Deals of the final measurement."""
    seed: int = 1
    """Of deals and candidates."""


class Tunable(NamedTuple):
    """What is tuned: names of the weights, their values now (k,), and the policy of a name and other values."""

    names: tuple[str, ...]
    values: Floats
    policy: Callable[[str, Floats], Policy]


def tunable(game: str) -> Tunable:
    """What the agents of a game say can be tuned; ValueError if there is nothing."""
    found = getattr(agents_of(game), "TUNABLE", None)
    if found is None:
        raise ValueError(f"--game: {game} has no agent with weights to tune (TUNABLE in agents.{game})")
    valuation, column = found
    return Tunable(valuation.names, valuation.weights(column), valuation.policy)


def duel(first: Policy, second: Policy, game: Game, seeds: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Win shares and margins of one policy among others of a second kind, float64 (deals * players,): every deal in all
    rotations of the seats."""
    players = game.num_players
    count = len(seeds) * players
    lineups = np.ones((count, players), dtype=np.int64)
    seats = np.tile(np.arange(players), len(seeds))
    lineups[np.arange(count), seats] = 0
    played = play_games(game, [first, second], np.repeat(seeds, players), lineups)
    margins = [margin(totals, int(seat)) for totals, seat in zip(played.totals, seats, strict=True)]
    return win_shares(played.places)[np.arange(count), seats], np.array(margins)


def deals(seed: int, generation: int, count: int) -> npt.NDArray[np.int64]:
    """Seeds of a generation's deals."""
    first = later_run_seed(seed, generation + 1)
    return np.arange(first, first + count, dtype=np.int64)


def fitness(
    candidate: Policy, opponents: Sequence[Policy], games: Sequence[Game], seeds: npt.NDArray[np.int64]
) -> float:
    """Mean over opponents and games: win share times half the players, and a little of the margin."""
    found = []
    for other in opponents:
        for game in games:
            wins, margins = duel(candidate, other, game, seeds)
            found.append(float(wins.mean()) * game.num_players / 2 + MARGIN * float(margins.mean()))
    return float(np.mean(found))


def held_out(
    candidate: Policy, opponents: Sequence[Policy], games: Sequence[Game], seed: int, count: int
) -> dict[str, dict[str, list[float]]]:
    """Win share with its interval by opponent and number of players, on deals that tuning has not seen."""
    result: dict[str, dict[str, list[float]]] = {}
    for other in opponents:
        result[other.name] = {}
        for game in games:
            wins, _ = duel(candidate, other, game, deals(seed + HELD_OUT, 0, count))
            # The deal is the unit: its rotations have the same cards.
            sums = wins.reshape(count, game.num_players).sum(axis=1)
            share = share_of_deals(sums, np.full(count, float(game.num_players)))
            result[other.name][str(game.num_players)] = [round(value, 4) for value in share]
    return result


class Tuning:
    """A run in its folder, from its first or its next generation on; it has the folder's lock until `close`.

    Raises:
        ValueError: an argument out of range, nothing to tune, or a folder that holds a run with other settings or in
            which another process works.
    """

    def __init__(self, arguments: Arguments) -> None:
        self.arguments = arguments
        check_run_seed(arguments.seed)
        check_least(arguments, {"generations": 1, "population": 4, "deals": 1, "held_out": 1})
        check_positive(arguments, ("sigma",))
        numbers = check_players(arguments.game, arguments.players)
        numbers = numbers if arguments.players else game_entry(arguments.game).seats
        self.games = [make_game(arguments.game, players) for players in numbers]
        self.tunable = tunable(arguments.game)
        found = [opponent(name, self.games[0]) for name in rivals(arguments.game)]
        self.opponents = [one for one in found if isinstance(one, Policy)]
        # Weights differ in size: candidates are vectors of shares of these.
        self.unit = np.maximum(np.abs(self.tunable.values), 0.3)
        self.settings = {name: getattr(arguments, name) for name in ("game", "population", "deals", "sigma", "seed")}
        self.settings |= {"players": list(numbers), "base": self.tunable.values.tolist()}
        check_own(arguments.out, STATE, "weights in tuning")
        self._lock = locked(arguments.out)
        try:
            self.state = self._state()
        except ValueError:
            self.close()
            raise

    def close(self) -> None:
        """Leave the folder to others."""
        self._lock.release()

    def _state(self) -> dict[str, Any]:
        file, chosen = self.arguments.out / STATE, self.arguments
        if file.exists():
            # Only what this program has written itself is read back.
            state: dict[str, Any] = pickle.loads(file.read_bytes())
            check_same(chosen.out, state["settings"], self.settings)
            return state
        start = self.tunable.values / self.unit
        optimizer = CMA(start, chosen.sigma, seed=chosen.seed % 2**32, population_size=chosen.population)
        return {"settings": self.settings, "generation": 0, "means": [], "cma": optimizer}

    def run(self) -> None:
        """All generations that are missing, each kept when it is done."""
        first, last = int(self.state["generation"]), self.arguments.generations
        for generation in tqdm(range(first, last), initial=first, total=last):
            values = self._generation(generation)
            write_whole(self.arguments.out / STATE, pickle.dumps(self.state))
            tqdm.write(f"generation {generation + 1}: best {max(values):.3f}, mean {np.mean(values):.3f}")

    def _generation(self, generation: int) -> list[float]:
        """Fitness of all candidates of a generation."""
        seed = self.arguments.seed
        seeds = deals(seed, generation, self.arguments.deals)
        optimizer: CMA = self.state["cma"]
        # The optimizer does not keep its generator when it is pickled: each generation has one of its own.
        optimizer.reseed_rng((seed + later_seed(seed, generation)) % 2**32)
        found = []
        for _ in range(optimizer.population_size):
            candidate = optimizer.ask()
            policy = self.tunable.policy("candidate", candidate * self.unit)
            found.append((candidate, -fitness(policy, self.opponents, self.games, seeds)))
        optimizer.tell(found)
        self.state["generation"] = generation + 1
        self.state["means"].append((optimizer.mean * self.unit).tolist())
        return [-value for _, value in found]

    def result(self) -> dict[str, Any]:
        """The weights by name, and how they do on held-out deals; also written into the folder."""
        chosen, tuned = self.arguments, np.array(self.state["means"][-1])
        policy = self.tunable.policy("tuned", tuned)
        result = {
            "settings": self.settings,
            "generations": self.state["generation"],
            "weights": {name: round(float(value), 4) for name, value in zip(self.tunable.names, tuned, strict=True)},
            "held_out": held_out(policy, self.opponents, self.games, chosen.seed, chosen.held_out),
        }
        write_whole(chosen.out / RESULT, json.dumps(result, indent=1) + "\n")
        return result


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; its answers are those of `trainer.answer`."""
    arguments = tyro.cli(Arguments, args=argv, prog="python -m training.tune")

    def to_its_end(tuning: Tuning) -> int:
        with closing(tuning):
            tuning.run()
            print(summary(tuning.result()))
        return 0

    return answer(lambda: Tuning(arguments), to_its_end)


def summary(result: Mapping[str, Any]) -> str:
    """The weights, and the win shares on held-out deals."""
    lines = [f"{name:<14}{value:>9.3f}" for name, value in result["weights"].items()]
    for name, by_players in result["held_out"].items():
        for count, (share, low, high) in by_players.items():
            lines.append(f"{count} players against {name}: {share:.1%} ({low:.1%} to {high:.1%})")
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
