"""Cards of published networks: training options, strength, and the strength that a reproduction must reach.

A card is the file ``MODEL.json`` next to ``MODEL.safetensors``, in the package of the game.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from agents.networks.network import load_network
from agents.networks.neural import NetworkAgent
from agents.registry import make
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.games import GAMES, game_class
from training import ppo
from training.run.folder import parse_options
from training.run.options import check_players


class CardError(ValueError):
    """A model card that cannot be used."""


class Measured(msgspec.Struct, frozen=True):
    """Strength against the card's opponent on duplicate deals.

    lands_in: interval that the win rate of a reproduction must reach.
    share: win rate with its 95 % confidence interval.
    margin: mean score difference to the best opponent.
    """

    lands_in: tuple[float, float]
    share: tuple[float, float, float] = (0.0, 0.0, 1.0)
    margin: float = 0.0


class Exploiter(msgspec.Struct, frozen=True):
    """Result of ``python -m training.league exploit`` against a network.

    options: its command line.
    curve: steps, win rate, and the bounds of its 95 % confidence interval.
    search: win rate and bounds of a search guided by the exploiter; empty if not measured.
    """

    options: tuple[str, ...]
    curve: tuple[tuple[int, float, float, float], ...]
    search: tuple[float, ...] = ()


class Strongest(msgspec.Struct, frozen=True):
    """The agent whose win rate against a network has the largest lower bound: on one seat, the network on all others.

    agent: its name and parameters; command: measures it; share: win rate and bounds of its 95 % confidence interval.
    games: number of games; 0 on older cards.
    """

    agent: str
    command: str
    share: tuple[float, float, float]
    games: int = 0


class Gate(msgspec.Struct, frozen=True):
    """Result of a sequential test against another network on all other seats (`training.publish.gates`).

    against: name of the other network; passed: whether the test accepted that this one is stronger.
    games, share: counted games and the win rate in them, which an early stop exaggerates.
    elo: the hypotheses H0 and H1, in Elo points.
    fingerprint: of the other network; empty on older cards.
    """

    against: str
    passed: bool
    games: int
    share: float
    elo: tuple[float, float]
    fingerprint: str = ""


class Spent(msgspec.Struct, frozen=True):
    """Minutes of training on a machine."""

    minutes: float
    machine: str


class Card(msgspec.Struct, frozen=True, omit_defaults=True):
    """Card of a model.

    Attributes:
        runs: options of `training.ppo` of each run; a run starts from the network of the run before.
        deals: deals of the measurement.
        opponent: opponent of the measurement.
        against: results, by number of players.
        spent: training time of all runs, by machine.
        remark: text for the page.
        teachers: fingerprints of the networks of --teacher, by name.
        exploiters: exploiters of the network, by number of players.
        strongest: the strongest agent found against the network, searches included, by number of players.
        gates: sequential tests against other networks, by number of players.
    """

    runs: tuple[Mapping[str, Any], ...]
    deals: int
    opponent: str
    against: Mapping[str, Measured]
    spent: tuple[Spent, ...] = ()
    remark: str = ""
    teachers: Mapping[str, str] = {}
    exploiters: Mapping[str, Exploiter] = {}
    strongest: Mapping[str, Strongest] = {}
    gates: Mapping[str, tuple[Gate, ...]] = {}

    def options(self) -> list[ppo.Options]:
        """Return the options of all runs; RunError names an unknown one."""
        return [parse_options(run, ppo.Options, f"runs {number}") for number, run in enumerate(self.runs, 1)]

    @property
    def players(self) -> tuple[int, ...]:
        """Numbers of players of the measurement."""
        return tuple(map(int, self.against))


def cards(games: Sequence[Game] = ()) -> dict[str, Path]:
    """Return the cards of the published networks of games, by default of all, by model name."""
    classes = [type(game) for game in games] or [game_class(name) for name in GAMES]
    folders = {file.parent for one in classes for file in one.network_files()}
    return {card.stem: card for folder in sorted(folders) for card in sorted(folder.glob("*.json"))}


def card_of(model: str | None) -> Path:
    """Return the card of a published network; CardError without one."""
    published = cards()
    if model in published:
        return published[model]
    names = ", ".join(sorted(published))
    if model is None:
        raise CardError(f"MODEL: name a published network: {names}")
    raise CardError(f"MODEL: no published network is called {model!r}; there are {names}")


def cards_of_agent(agent: str, games: Sequence[Game]) -> dict[str, Path]:
    """Return the cards of the published networks that an agent plays in games, by number of players.

    Raises:
        CardError: it is not a published network with its most probable actions.
    """
    known = {load_network(card.with_suffix(".safetensors")).fingerprint(): card for card in cards(games).values()}
    files = {}
    for game in games:
        player, card = make(agent, game), None
        if isinstance(player, NetworkAgent) and player.temperature == 0.0:
            card = known.get(player.network.fingerprint())
        if card is None:
            raise CardError(f"{agent!r} is not a published network, {game.num_players} players")
        files[str(game.num_players)] = card
    return files


def read_card(file: Path) -> Card:
    """Return the card of a file; CardError if it is missing, damaged or incomplete."""
    try:
        card = msgspec.json.decode(file.read_bytes(), type=Card)
        check_players(card.options()[-1].game, card.players)
    except (OSError, ValueError, IndexError) as error:
        raise CardError(f"{file}: not a model card: {error}") from error
    return card


def encode_card(card: Card) -> str:
    """Return the content of a card's file, one value per line."""
    return msgspec.json.format(msgspec.json.encode(card), indent=1).decode() + "\n"
