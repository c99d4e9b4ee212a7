"""Measure how much search improves a network: ``python -m benchmarks search_gain network NETWORK.safetensors``.

Mirror-descent search guided by a network (`agents.search.mirror`) plays every seat of every deal in turn, against the
same network on all other seats.  An even win rate would mean that search finds nothing new.  Games run in parallel and
without time limits, so networks, deals and seed fix the result.

Several networks play the same deals.  Each also plays the first network, alone and with its search.  This shows whether
a gap has shrunk because the network is better, or because the search is worse.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
import torch
import tyro
from tqdm import tqdm  # type: ignore[import-untyped]

from agents.arena import program
from agents.arena.matches import deal_seed
from agents.arena.tables import markdown, share_text
from agents.networks.network import PlayingNetwork
from agents.networks.neural import NetworkAgent, check_reward, evaluator_of, load_cached, network_file
from agents.search.guided import Evaluator
from agents.search.mirror import Effort, MirrorSearch
from porta_nigra_env.core.files import write_whole
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.games import DEFAULT_GAME, make_game
from training.run.evaluation import BestAction, Decide, Strength, strength
from training.run.options import check_players, use_bfloat16
from training.run.ranges import Choice, NonNegative, NonNegativeInt, PositiveInt, Range, Seed, check_ranges
from training.run.trainer import run_program

#: Deals played in parallel.
PARALLEL_DEALS: Final = 128
#: Rollouts of a search in parallel.
ROWS: Final = 2048


@dataclass(frozen=True)
class Options:
    """Measure how much search improves one or several networks."""

    networks: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="NETWORK")]
    """Network files; "network" is the published one."""
    game: str = DEFAULT_GAME
    """Name of the game (porta_nigra_env.games)."""
    players: tuple[int, ...] = ()
    """Numbers of players; by default the fewest of the game."""
    deals: PositiveInt = 250
    """Duplicate deals, each played from every seat."""
    determinizations: PositiveInt = 32
    """Sampled states in which an action is tried."""
    candidates: Annotated[int, Range(2)] = 8
    """Number of most probable actions to try."""
    rollout_steps: NonNegativeInt = 32
    """Length of a rollout, over all seats."""
    step_size: NonNegative = 100.0
    """Weight of differences in results relative to log-probabilities."""
    noise_std_errors: NonNegative = 0.0
    """Standard errors by which differences in results are reduced, because they may be noise."""
    seed: Seed = 1
    """Seed of deals and searches."""
    threads: NonNegativeInt = 0
    """Threads of torch; 0 uses all cores."""
    precision: Annotated[str, Choice(("float32", "bfloat16", "auto"))] = "auto"
    """Precision of searches: float32, bfloat16 or auto, which uses bfloat16 if the hardware is fast at it."""
    out: Path | None = None
    """JSON file for the figures, written at the end."""


@dataclass(frozen=True)
class Pairing:
    """A match: `who` on one seat, with a search if `searched`, and `against` on all others; both name networks."""

    players: int
    who: str
    searched: bool
    against: str


def pairings(names: Sequence[str], players: Sequence[int]) -> Iterator[Pairing]:
    """Yield the matches: the search of every network against itself, and all against the first network."""
    for count in players:
        for name in names:
            yield Pairing(count, name, True, name)
            if name != names[0]:
                yield Pairing(count, name, False, names[0])
                yield Pairing(count, name, True, names[0])


def evaluator(network: PlayingNetwork, precision: str) -> Evaluator:
    """Return a network as an evaluator with a precision of `Options`."""
    inner, bfloat16 = evaluator_of(network), use_bfloat16(precision, "cpu")

    def evaluate(observations: Any, masks: Any, *histories: Any) -> tuple[Any, Any]:
        with torch.autocast("cpu", torch.bfloat16, enabled=bfloat16):
            return inner(observations, masks, *histories)

    return evaluate


def search_action(network: PlayingNetwork, game: Game, options: Options) -> Decide:
    """Return a decider that takes the preferred action of a search, in many games in parallel."""
    rows = max(ROWS, options.candidates)
    size = options.determinizations, options.candidates, options.rollout_steps
    effort = Effort(*size, rows, doubt=options.noise_std_errors)
    search = MirrorSearch(game, evaluator(network, options.precision), effort, options.step_size)
    rng = np.random.default_rng(options.seed)

    def decide(env: BatchEnv, rows: Any) -> Any:
        actions = env.action_masks[rows].argmax(axis=1)
        choices = np.flatnonzero(env.action_masks[rows].sum(axis=1) > 1)
        if len(choices):
            views = env.views(rows[choices])
            results = search.run_all(list(views), rng.integers(1 << 62, size=len(choices)).tolist())
            actions[choices] = [result.improved.argmax() for result in results]
        return actions

    return decide


def play(pairing: Pairing, options: Options) -> Strength:
    """Play all deals of a match."""
    game = make_game(options.game, pairing.players)
    network, other = (load(name, game) for name in (pairing.who, pairing.against))
    decide = search_action(network, game, options) if pairing.searched else BestAction(network)
    seeds = [deal_seed(options.seed, deal) for deal in range(options.deals)]
    with tqdm(total=len(seeds), desc=label(pairing), unit="deal") as bar:
        return strength(decide, NetworkAgent("network", game, other), game, seeds, PARALLEL_DEALS, bar.update)


def load(name: str, game: Game) -> PlayingNetwork:
    """Return a network by file, or the published one; CheckpointError if it is missing or was trained for points."""
    network = load_cached(network_file("published" if name == "network" else name, game), game, "cpu")
    check_reward(network)
    return network


def label(pairing: Pairing) -> str:
    """Return the name of a match in tables."""
    who = f"search of {pairing.who}" if pairing.searched else pairing.who
    return f"{pairing.players} players: {who} against {pairing.against}"


def player_counts(options: Options) -> tuple[int, ...]:
    """Return the numbers of players without duplicates; ValueError as in `check_players`."""
    return tuple(dict.fromkeys(check_players(options.game, options.players)))


def check(options: Options) -> Options:
    """Return the options; ValueError names the first that cannot be used."""
    check_ranges(options)
    for players in player_counts(options):
        game = make_game(options.game, players)
        known = {load(name, game).fingerprint() for name in options.networks}
        if not 0 < len(known) == len(options.networks):
            raise ValueError(f"NETWORK: name one or several different networks for {players} players")
    program.check_files(out=options.out)
    return options


def measure(options: Options) -> int:
    """Play all matches, print a table and write the figures."""
    torch.set_num_threads(options.threads or os.cpu_count() or 1)
    lines, figures = [], []
    for pairing in pairings(options.networks, player_counts(options)):
        result = play(pairing, options)
        lines.append([label(pairing), share_text(result.share), f"{1 / pairing.players:.0%}", f"{result.margin:+.1f}"])
        figures.append(asdict(pairing) | {"wins": list(result.share), "margin": result.margin})
        tqdm.write(f"{lines[-1][0]}: wins {lines[-1][1]}, margin {lines[-1][3]}")
    print(markdown([f"{options.deals} deals from every seat", "wins, 95 %", "even", "margin"], lines, left=1))
    if options.out is not None:
        settings = json.loads(json.dumps(asdict(options), default=str))
        write_whole(options.out, json.dumps({"arguments": settings, "pairings": figures}, indent=1) + "\n")
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 2 for options that cannot be used."""
    options = tyro.cli(Options, args=argv, prog="python -m benchmarks search_gain")
    return run_program(lambda: check(options), measure, lambda _: "the same command starts again")
