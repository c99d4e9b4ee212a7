"""Tune the builder's weights: ``python -m training.tune --out FOLDER``.

CMA-ES (N. Hansen, *The CMA Evolution Strategy: A Tutorial*, arXiv 1604.00772; the package `cmaes`) over the weights of
`agents.porta_nigra.heuristics`.  A candidate's worth is how often it wins against the opponents on duplicate deals at
2, 3 and 4 players, and a little of its margin; every generation has deals of its own.  The mean of the last generation
is then played on held-out deals, with 95 % intervals, against each opponent, and written as JSON.

The folder keeps the state after every generation: the same command goes on where an interrupted one stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from cmaes import CMA  # type: ignore[import-untyped]
from tqdm import tqdm  # type: ignore[import-untyped]

from agents.arena.ratings import Estimate, wilson, win_shares
from agents.files import write_whole
from agents.porta_nigra.heuristics import WEIGHTS, policy, weights
from porta_nigra_env.core.game import check_seed
from porta_nigra_env.core.policy import Policy
from porta_nigra_env.core.rng import later_seed
from porta_nigra_env.envs.batch import play_games
from porta_nigra_env.games.porta_nigra.game import PortaNigra

Floats = npt.NDArray[np.float64]

#: Held-out deals follow from the seed plus this.
HELD_OUT: Final = 1_000_003
#: What a point of margin counts beside a win share.
MARGIN: Final = 0.002
STATE: Final = "state.pickle"
RESULT: Final = "weights.json"


def duel(first: Policy, second: Policy, players: int, seeds: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Win shares and margins of one policy among others of a second kind, float64 (deals * players,): every deal in all
    rotations of the seats."""
    count = len(seeds) * players
    lineups = np.ones((count, players), dtype=np.int64)
    games, seats = np.arange(count), np.tile(np.arange(players), len(seeds))
    lineups[games, seats] = 0
    scores, _ = play_games(PortaNigra(players), [first, second], np.repeat(seeds, players), lineups)
    own = scores[games, seats]
    others = (scores.sum(axis=1) - own) / (players - 1)
    return win_shares(scores)[games, seats], own - others


def deals(seed: int, generation: int, count: int) -> npt.NDArray[np.int64]:
    """Seeds of a generation's deals."""
    first = later_seed(seed, generation + 1) >> 1
    return np.arange(first, first + count, dtype=np.int64)


def worth(
    candidate: Policy, opponents: Sequence[Policy], players: Sequence[int], seeds: npt.NDArray[np.int64]
) -> float:
    """Mean over opponents and numbers of players: win share times half the players, and a little of the margin."""
    found = []
    for opponent in opponents:
        for count in players:
            wins, margins = duel(candidate, opponent, count, seeds)
            found.append(float(wins.mean()) * count / 2 + MARGIN * float(margins.mean()))
    return float(np.mean(found))


def held_out(
    candidate: Policy, opponents: Sequence[Policy], players: Sequence[int], seed: int, count: int
) -> dict[str, dict[str, list[float]]]:
    """Win share with its interval by opponent and number of players, on deals that tuning has not seen."""
    result: dict[str, dict[str, list[float]]] = {}
    for opponent in opponents:
        result[opponent.name] = {}
        for number in players:
            wins, _ = duel(candidate, opponent, number, deals(seed + HELD_OUT, 0, count))
            # The deal is the unit: its rotations have the same cards.
            share: Estimate = wilson(float(wins.mean()), count)
            result[opponent.name][str(number)] = [round(value, 4) for value in share]
    return result


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 2 for arguments it cannot use."""
    parser = argparse.ArgumentParser(
        prog="python -m training.tune",
        description="Tune the builder's weights with CMA-ES; the same command goes on after an interruption.",
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="state and result")
    parser.add_argument("--generations", type=int, default=60, help="in all (default 60)")
    parser.add_argument("--population", type=int, default=16, help="candidates of a generation (default 16)")
    parser.add_argument("--deals", type=int, default=40, help="of each opponent and number of players (default 40)")
    parser.add_argument("--sigma", type=float, default=0.3, help="first step, as a share of each weight (default 0.3)")
    parser.add_argument("--players", type=int, nargs="+", choices=(2, 3, 4), default=[2, 3, 4], help="default 2 3 4")
    parser.add_argument("--held-out", type=int, default=2000, help="deals of the final measurement (default 2000)")
    parser.add_argument("--seed", type=int, default=1, help="of deals and candidates (default 1)")
    arguments = parser.parse_args(argv)
    numbers = (arguments.generations, arguments.population - 3, arguments.deals, arguments.held_out)
    if min(numbers) < 1 or not arguments.sigma > 0:
        parser.error("--generations, --deals, --held-out and --sigma must be positive, --population at least 4")
    try:
        check_seed(arguments.seed)
    except ValueError as error:
        parser.error(str(error))
    arguments.out.mkdir(parents=True, exist_ok=True)

    base = weights(1)
    opponents = [policy("greedy", weights(0)), policy("builder before", base)]
    # Weights differ in size: candidates are vectors of shares of these.
    unit = np.maximum(np.abs(base), 0.3)
    settings = {name: getattr(arguments, name) for name in ("population", "deals", "sigma", "players", "seed")}
    settings["base"] = base.tolist()
    state: dict[str, Any] = {"settings": settings, "generation": 0, "means": []}
    file = arguments.out / STATE
    if file.exists():
        # Only what this program has written itself is read back.
        state = pickle.loads(file.read_bytes())
        if state["settings"] != settings:
            parser.error(f"--out: {arguments.out} holds a run with other settings: {state['settings']}")
    else:
        seed = arguments.seed % 2**32
        state["cma"] = CMA(base / unit, arguments.sigma, seed=seed, population_size=arguments.population)

    first = int(state["generation"])
    for generation in tqdm(range(first, arguments.generations), initial=first, total=arguments.generations):
        seeds = deals(arguments.seed, generation, arguments.deals)
        optimizer: CMA = state["cma"]
        # The optimizer does not keep its generator when it is pickled: each generation has one of its own.
        optimizer.reseed_rng((arguments.seed + later_seed(arguments.seed, generation)) % 2**32)
        found = []
        for _ in range(optimizer.population_size):
            candidate = optimizer.ask()
            value = worth(policy("candidate", candidate * unit), opponents, arguments.players, seeds)
            found.append((candidate, -value))
        optimizer.tell(found)
        state["generation"] = generation + 1
        state["means"].append((optimizer.mean * unit).tolist())
        partial = file.with_name(file.name + ".partial")
        partial.write_bytes(pickle.dumps(state))
        os.replace(partial, file)
        best = -min(value for _, value in found)
        tqdm.write(f"generation {generation + 1}: best {best:.3f}, mean {-np.mean([v for _, v in found]):.3f}")

    tuned = np.array(state["means"][-1])
    figures = held_out(policy("tuned", tuned), opponents, arguments.players, arguments.seed, arguments.held_out)
    named = {name: round(float(value), 4) for (name, *_), value in zip(WEIGHTS, tuned, strict=True)}
    result = {"settings": settings, "generations": state["generation"], "weights": named, "held_out": figures}
    write_whole(arguments.out / RESULT, json.dumps(result, indent=1) + "\n")
    for name, value in named.items():
        print(f"{name:<14}{value:>9.3f}")
    for name, by_players in figures.items():
        for count, (share, low, high) in by_players.items():
            print(f"{count} players against {name}: {share:.1%} ({low:.1%} to {high:.1%})")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
