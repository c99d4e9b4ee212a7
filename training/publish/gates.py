"""Gates of published networks: ``python -m training.publish gate all_players two_players``.

A network passes a gate if a sequential test (`agents.arena.sequential`) accepts that it is stronger than another one.
It has one seat, the other network all others, in duplicate deals; both take their most probable action.  The command
writes the results into the network's card.  `training.publish network` replaces a published network only by one that
passes a gate against it at every number of players.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Final

import msgspec
import numpy as np
import tyro
from tqdm import tqdm  # type: ignore[import-untyped]

from agents.arena.sequential import Decision, Sprt, decide, summary
from agents.networks.network import load_network
from porta_nigra_env.core.game.game import Game
from training import ppo
from training.publish.cards import Card, CardError, Gate, card_of, read_card
from training.publish.pages import write_card
from training.publish.reproduce import held_out
from training.run.evaluation import BestAction, deal_shares, make_opponent, play_deals, seeds_of_set
from training.run.folder import RunError
from training.run.options import make_games
from training.run.ranges import PositiveInt, check_ranges
from training.run.trainer import run_program

#: First seed of the deals, which no training and no other measurement plays.
SEED: Final = 515_151
#: Deals between two looks at the test.
DEALS: Final = 200
#: Games per number of players after which a test without a decision stops, by default.
LIMIT: Final = 20_000


@dataclass(frozen=True)
class Options:
    """Test whether a published network is stronger than another one, and write the result into its card."""

    model: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="MODEL")]
    """Name of the published network."""
    against: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="OTHER")]
    """Name of the other published network."""
    elo1: float = 10.0
    """Hypothesis H1, in Elo points; H0 is 0."""
    limit: PositiveInt = LIMIT
    """Games per number of players after which a test without a decision stops, rounded up to 200 deals."""


def sequential_test(network: Path, other: Path, games: Sequence[Game], test: Sprt, limit: int) -> Decision:
    """Return the decision of a test, with a progress bar.

    Args:
        network: file of the tested network.
        other: file of the network on all other seats.
        games: with one number of players and one component set each; the deals are spread over them.
        test: the hypotheses.
        limit: number of games, rounded up to `DEALS` deals.
    """
    tested, players = load_network(network, games[0]), games[0].num_players
    pairs = [(BestAction(tested.for_game(game)), make_opponent(f"network:checkpoint={other}", game)) for game in games]
    results, count = np.zeros(0), max(1, DEALS // len(games))
    with tqdm(total=limit, unit="game", desc=f"{players} players") as bar:
        for first in itertools.count(0, count):
            parts = [
                deal_shares(play_deals(own, [opponent] * (players - 1), game, seeds_of_set(SEED, number, first, count)))
                for number, (game, (own, opponent)) in enumerate(zip(games, pairs, strict=True))
            ]
            # Deal by deal, so that every part of the sequence has all component sets.
            results = np.concatenate([results, np.stack(parts, axis=1).reshape(-1)])
            decision, games_played = decide(test, results, players), len(results) * players
            bar.set_postfix_str(f"log-likelihood ratio {decision.ratio:.2f}", refresh=False)
            bar.update(games_played - bar.n)
            if decision.accepted or games_played >= limit:
                break
    return decision


def run_gates(
    network: Path, other: Path, name: str, options: ppo.Options, test: Sprt, limit: int
) -> tuple[dict[str, Gate], list[str]]:
    """Return the gates of a network by number of players, and a line about each.

    Args:
        network, other: files.
        name: name of the other network.
        options: of the network's last run, with the numbers of players to test.
        test, limit: as in `sequential_test`.
    """
    gates, lines, fingerprint = dict[str, Gate](), list[str](), load_network(other).fingerprint()
    sets = held_out(options) if options.component_sets else [options]
    for games in zip(*map(make_games, sets), strict=True):
        players = games[0].num_players
        found = sequential_test(network, other, games, test, limit)
        passed = found.accepted == "elo1"
        gates[str(players)] = Gate(
            name, passed, found.games, round(found.share, 4), (test.elo0, test.elo1), fingerprint
        )
        lines.append(f"{players} players: {'passed' if passed else 'NOT PASSED'}: {summary(test, found, players)}")
    return gates, lines


def check(options: Options) -> tuple[Card, Path, Path, ppo.Options]:
    """Return card and file of the network, the other file and the options of the games; ValueError if unusable."""
    check_ranges(options)
    card, other = read_card(card_of(options.model)), read_card(card_of(options.against))
    last, others = card.options()[-1], other.options()[-1]
    if options.model == options.against:
        raise CardError(f"OTHER: {options.against} is MODEL itself")
    if last.component_sets and not others.component_sets:
        raise CardError(f"OTHER: {options.against} plays one component set, and {options.model} is tested with others")
    players = tuple(sorted(set(card.players) & set(other.players)))
    if last.game != others.game or not players:
        raise CardError(f"OTHER: {options.against} and {options.model} share no game with a number of players")
    try:
        Sprt(elo1=options.elo1)
    except ValueError as error:
        raise CardError(f"--elo1: {error}") from None
    network, against = (card_of(name).with_suffix(".safetensors") for name in (options.model, options.against))
    return card, network, against, replace(last, players=players)


def with_gates(card: Card, gates: Mapping[str, Gate]) -> Card:
    """Return a card with further gates; of two against the same network, the later one counts."""
    kept = {players: tuple(ones) for players, ones in card.gates.items()}
    for players, gate in gates.items():
        others = tuple(one for one in kept.get(players, ()) if one.against != gate.against)
        kept[players] = (*others, gate)
    return msgspec.structs.replace(card, gates=dict(sorted(kept.items())))


def run(options: Options) -> int:
    """Test, write card and page; return 1 if a gate is not passed, else the code of `run_program`."""

    def work(checked: tuple[Card, Path, Path, ppo.Options]) -> int:
        _, network, other, games = checked
        tested = load_network(network).fingerprint()
        gates, lines = run_gates(network, other, options.against, games, Sprt(elo1=options.elo1), options.limit)
        print("\n".join(lines))
        # The games take long, so another program may have written the card in the meantime.
        if load_network(network).fingerprint() != tested:
            raise RunError(f"MODEL: {options.model} was replaced during its games; repeat the command")
        file = card_of(options.model)
        write_card(file, with_gates(read_card(file), gates))
        return 0 if all(gate.passed for gate in gates.values()) else 1

    return run_program(lambda: check(options), work, lambda _: "repeat the command, which starts again")
