"""Measure networks on component sets that they do not know.

``python -m benchmarks generalization ANY.safetensors builder --sets 20`` plays the first agent on every seat of every
deal against the second on all other seats, with drawn component sets (``varied:SEED``) and the standard set.

A network of one component set plays here with every set that has its observations and actions, by index as it learned
them: that is how far its knowledge carries.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import torch
import tyro
from tqdm import tqdm  # type: ignore[import-untyped]

from agents.agent import Agent
from agents.arena import program
from agents.arena.tables import markdown, share_text
from agents.networks.network import load_network
from agents.networks.neural import NetworkAgent, network_file
from porta_nigra_env.core.batch.policy import Policy
from porta_nigra_env.core.files import write_whole
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.positions.components import VARIED
from porta_nigra_env.games import DEFAULT_GAME, make_game
from porta_nigra_env.players.checkpoint import CheckpointError
from training.run.evaluation import (
    HELD_OUT,
    BestAction,
    Decide,
    Strength,
    agent_actions,
    make_opponent,
    over_sets,
    seeds_of_set,
    strength,
)
from training.run.options import check_players
from training.run.ranges import NonNegativeInt, PositiveInt, Range, Seed, check_ranges
from training.run.trainer import run_program

#: How the name of a network's file ends.
SUFFIX: Final = ".safetensors"


@dataclass(frozen=True)
class Options:
    """Measure an agent on drawn component sets."""

    agent: Annotated[str, tyro.conf.Positional]
    """Network file, "network" for the published one, or an agent (agents.registry)."""
    opponent: Annotated[str, tyro.conf.Positional]
    """The same, on all other seats."""
    game: str = DEFAULT_GAME
    """Name of the game (porta_nigra_env.games)."""
    players: tuple[int, ...] = ()
    """Numbers of players; by default the fewest of the game."""
    sets: Annotated[int, Range(2)] = 20
    """Number of drawn component sets; at least two, whose variance the interval comes from."""
    first: NonNegativeInt = HELD_OUT
    """Seed of the first set; training draws from 1 on."""
    deals: PositiveInt = 100
    """Duplicate deals with each set, each played from every seat."""
    seed: Seed = 1
    """Seed of the deals."""
    out: Path | None = None
    """JSON file for the figures, written at the end."""


def network_agent(name: str, game: Game) -> NetworkAgent | None:
    """Return the agent of a network file or of "network"; None for other agents."""
    if name != "network" and not name.endswith(SUFFIX):
        return None
    network = load_network(network_file("published" if name == "network" else name, game)).for_game(game)
    sizes = network.shape.observation_size, network.shape.num_actions
    if sizes != (game.observations.size, game.actions.size):
        raise CheckpointError(f"{name}: a network of {sizes[0]} inputs and {sizes[1]} actions does not fit {game!r}")
    return NetworkAgent(name, game, network)


def opponent_of(name: str, game: Game) -> Policy | Agent:
    """Return an opponent by name or network file."""
    return network_agent(name, game) or make_opponent(name, game)


def decider_of(name: str, game: Game) -> Decide:
    """Return a decider by name or network file."""
    network = network_agent(name, game)
    if network is not None:
        return BestAction(network.network)
    agent = make_opponent(name, game)
    if isinstance(agent, Policy):
        raise ValueError(f"AGENT: {name!r} plays inside batches only; name a network, and this one as OPPONENT")
    return agent_actions(agent)


def set_names(options: Options) -> list[str]:
    """Return the component sets, the standard one first."""
    return ["standard", *(f"{VARIED}{options.first + number}" for number in range(options.sets))]


def check(options: Options) -> Options:
    """Return the options; ValueError names the first that cannot be used."""
    check_ranges(options)
    for players in check_players(options.game, options.players):
        game = make_game(options.game, players, set_names(options)[1])
        decider_of(options.agent, game)
        opponent_of(options.opponent, game)
    program.check_files(out=options.out)
    return options


def measure(options: Options) -> int:
    """Play all deals, print a table and write the figures."""
    torch.set_num_threads(1)
    rows: list[list[str]] = []
    figures: list[dict[str, Any]] = []
    for players in check_players(options.game, options.players):
        results = list[Strength]()
        for number, name in enumerate(tqdm(set_names(options), desc=f"{players} players", unit="set")):
            game = make_game(options.game, players, name)
            seeds = seeds_of_set(options.seed, number, 0, options.deals)
            one = strength(decider_of(options.agent, game), opponent_of(options.opponent, game), game, seeds)
            results.append(one)
            figures.append({"players": players, "components": name, "wins": list(one.share)})
        standard, *drawn = results
        mean = over_sets(drawn).share
        rows.append([str(players), share_text(standard.share), share_text(mean), worst_and_best(drawn)])
    print(f"{options.agent} against {options.opponent}; {options.deals} deals from every seat with each set")
    print(markdown(["players", "standard set", f"{options.sets} drawn sets", "lowest and highest"], rows, left=1))
    if options.out is not None:
        arguments = json.loads(json.dumps(asdict(options), default=str))
        write_whole(options.out, json.dumps({"arguments": arguments, "results": figures}, indent=1) + "\n")
    return 0


def worst_and_best(results: Sequence[Strength]) -> str:
    """Return the lowest and the highest win rate over sets."""
    values = [one.share.value for one in results]
    return f"{min(values):.1%} to {max(values):.1%}"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 2 for options that cannot be used."""
    options = tyro.cli(Options, args=argv, prog="python -m benchmarks generalization")
    return run_program(lambda: check(options), measure, lambda _: "the same command starts again")
