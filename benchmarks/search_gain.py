"""What a network leaves unused of what it knows: ``python -m benchmarks.search_gain network runs/distil-1/network.safetensors``.

A search that a network guides (`agents.search.mirror`) has one seat of every deal, in turn each of them, and the
network that it asks all the others.  The share of games that the search wins is the gap between the two: an even share
would say that looking ahead finds nothing that the network does not know at a glance.  Many games are searched side by
side, without a clock, so that the answer follows from networks, deals and seed.

Of several networks all play the same deals, and each of the others, alone and with its search, also meets the first
one: so one sees whether a gap has shrunk because the network has become better, or because the search has become worse.
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

from agents.arena.matches import deal_seed
from agents.arena.search_matches import share_text
from agents.arena.tables import markdown
from agents.files import write_whole
from agents.networks.network import PlayingNetwork
from agents.networks.neural import NetworkAgent, check_reward, evaluator_of, loaded, network_file
from agents.search.mirror import Effort, MirrorSearch
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.games import DEFAULT_GAME, make_game
from training.ppo.arguments import in_bfloat16
from training.run.checks import check_least, check_players
from training.run.evaluation import Decide, Strength, best_action, strength
from training.run.seeds import check_run_seed
from training.run.trainer import answer

#: Deals that are played side by side.
TOGETHER: Final = 128
#: Games that a search plays on at once.
ROWS: Final = 2048


@dataclass(frozen=True)
class Arguments:
    """Measure by how much a search beats the network that it asks, of one network or of several."""

    networks: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="NETWORK")]
    """Files of networks; network is the published one."""
    game: str = DEFAULT_GAME
    """What is played (porta_nigra_env.games)."""
    players: tuple[int, ...] = ()
    """Numbers of players; by default the fewest of the game."""
    deals: int = 250
    """Duplicate deals, each from every seat."""
    worlds: int = 32
    """In which an action is tried."""
    candidates: int = 8
    """Actions that are tried, the likeliest."""
    plies: int = 8
    """Decisions that the network plays on for, of all seats."""
    step: float = 100.0
    """What a difference of results counts against log-probabilities."""
    seed: int = 1
    """Of deals, worlds and what is drawn."""
    threads: int = 0
    """Of torch; 0: as many as there are cores."""
    precision: str = "auto"
    """Of searches: float32, bfloat16, or auto: bfloat16 where the machine multiplies it fast."""
    out: Path | None = None
    """A JSON file for the figures, replaced when all are there."""


@dataclass(frozen=True)
class Pairing:
    """A decider on one seat, a network on all others.

    Attributes:
        players: at the table; one over them is an even share.
        who: the network's name that decides, and searched: whether by a search that it guides.
        against: the name of the network on the other seats.
    """

    players: int
    who: str
    searched: bool
    against: str


def pairings(names: Sequence[str], players: Sequence[int]) -> Iterator[Pairing]:
    """What is played: every network's search against itself, and all against the first one."""
    for number in players:
        for name in names:
            yield Pairing(number, name, True, name)
            if name != names[0]:
                yield Pairing(number, name, False, names[0])
                yield Pairing(number, name, True, names[0])


def searched(network: PlayingNetwork, game: Game, asked: Arguments) -> Decide:
    """The action that a search prefers, of many games side by side."""
    effort = Effort(asked.worlds, asked.candidates, asked.plies, max(ROWS, asked.candidates))
    inner, bfloat16 = evaluator_of(network), in_bfloat16(asked.precision, "cpu")

    def evaluate(observations: Any, masks: Any) -> tuple[Any, Any]:
        with torch.autocast("cpu", torch.bfloat16, enabled=bfloat16):
            return inner(observations, masks)

    search = MirrorSearch(game, evaluate, effort, asked.step)
    rng = np.random.default_rng(asked.seed)

    def decide(env: BatchEnv, rows: Any) -> Any:
        actions = env.action_masks[rows].argmax(axis=1)
        choices = np.flatnonzero(env.action_masks[rows].sum(axis=1) > 1)
        if len(choices):
            views = env.views(rows[choices])
            found = search.run_all(list(views), rng.integers(1 << 62, size=len(choices)).tolist())
            actions[choices] = [one.improved.argmax() for one in found]
        return actions

    return decide


def played(pairing: Pairing, asked: Arguments) -> Strength:
    """All deals of a pairing."""
    game = make_game(asked.game, pairing.players)
    network, other = (network_of(name, game) for name in (pairing.who, pairing.against))
    decide = searched(network, game, asked) if pairing.searched else best_action(network)
    seeds = [deal_seed(asked.seed, deal) for deal in range(asked.deals)]
    with tqdm(total=len(seeds), desc=text_of(pairing), unit="deal") as bar:
        return strength(decide, NetworkAgent("network", game, other), game, seeds, TOGETHER, bar.update)


def network_of(name: str, game: Game) -> PlayingNetwork:
    """A network by its file, or the published one; CheckpointError if there is none, or its values are of points."""
    found = loaded(network_file("published" if name == "network" else name, game), game, "cpu")
    check_reward(found)
    return found


def text_of(pairing: Pairing) -> str:
    """A pairing as a line's name."""
    who = f"search of {pairing.who}" if pairing.searched else pairing.who
    return f"{pairing.players} players: {who} against {pairing.against}"


def numbers_of(asked: Arguments) -> tuple[int, ...]:
    """The numbers of players, each once; ValueError as of `check_players`."""
    return tuple(dict.fromkeys(check_players(asked.game, asked.players)))


def check(asked: Arguments) -> None:
    """ValueError that names the first argument that cannot be used."""
    numbers = numbers_of(asked)
    check_run_seed(asked.seed)
    in_bfloat16(asked.precision, "cpu")
    check_least(asked, {"deals": 1, "worlds": 1, "candidates": 2, "plies": 0, "step": 0, "threads": 0})
    for players in numbers:
        game = make_game(asked.game, players)
        known = {network_of(name, game).fingerprint() for name in asked.networks}
        if not 0 < len(known) == len(asked.networks):
            raise ValueError(f"NETWORK: one or several different ones are needed for {players} players")
    if asked.out is not None and (asked.out.is_dir() or not asked.out.parent.is_dir()):
        raise ValueError(f"--out: {asked.out} must be a file, in a folder that is there")


def measure(asked: Arguments) -> int:
    """Play all pairings, print a table, write the figures."""
    torch.set_num_threads(asked.threads or os.cpu_count() or 1)
    lines, figures = [], []
    for pairing in pairings(asked.networks, numbers_of(asked)):
        found = played(pairing, asked)
        lines.append([text_of(pairing), share_text(found.share), f"{1 / pairing.players:.0%}", f"{found.margin:+.1f}"])
        figures.append(asdict(pairing) | {"wins": list(found.share), "margin": found.margin})
        tqdm.write(f"{lines[-1][0]}: wins {lines[-1][1]}, margin {lines[-1][3]}")
    print(markdown([f"{asked.deals} deals from every seat", "wins, 95 %", "even", "margin"], lines, left=1))
    if asked.out is not None:
        told = {"arguments": json.loads(json.dumps(asdict(asked), default=str)), "pairings": figures}
        write_whole(asked.out, json.dumps(told, indent=1) + "\n")
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 2 for arguments it cannot use."""
    asked = tyro.cli(Arguments, args=argv, prog="python -m benchmarks.search_gain")

    def checked() -> Arguments:
        check(asked)
        return asked

    return answer(checked, measure, lambda _: "the same command begins anew")
