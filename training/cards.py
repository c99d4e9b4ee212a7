"""Cards of published networks: how they were trained, how strong they are, and how strong others like them have to be.

A card lies beside its network, ``MODEL.json`` beside ``MODEL.safetensors``, in a folder of the game's room.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from porta_nigra_env.games import GAMES, game_class
from training.ppo import program as ppo
from training.run.checks import check_players
from training.run.folder import as_arguments


class CardError(ValueError):
    """A model card that cannot be used."""


class Measured(msgspec.Struct, frozen=True):
    """A network against the card's opponent on duplicate deals.

    lands_in: the interval that another run's share of wins has to reach.
    share: of wins, with its 95 % interval; margin: mean points ahead of the best of the others.
    """

    lands_in: tuple[float, float]
    share: tuple[float, float, float] = (0.0, 0.0, 1.0)
    margin: float = 0.0


class Exploiter(msgspec.Struct, frozen=True):
    """What `training.best_response` found against a network.

    options: its command line.
    curve: decisions played, share of wins, lower and upper bound of its 95 % interval.
    search: the share and its bounds of a search that the exploiter guides; empty where it was not measured.
    """

    options: tuple[str, ...]
    curve: tuple[tuple[int, float, float, float], ...]
    search: tuple[float, ...] = ()


class Spent(msgspec.Struct, frozen=True):
    """Minutes of training on a machine."""

    minutes: float
    machine: str


class Card(msgspec.Struct, frozen=True, omit_defaults=True):
    """A model's card.

    Attributes:
        runs: arguments of `training.ppo`, of each run that goes on with the network of the one before.
        deals: of the measurement.
        opponent: name of the agent it was measured against.
        against: what came of it, by the number of players.
        spent: on training, by all runs together, an entry for each machine.
        remark: for the page.
        exploiters: trained against it, by the number of players.
    """

    runs: tuple[Mapping[str, Any], ...]
    deals: int
    opponent: str
    against: Mapping[str, Measured]
    spent: tuple[Spent, ...] = ()
    remark: str = ""
    exploiters: Mapping[str, Exploiter] = {}

    def arguments(self) -> list[ppo.Arguments]:
        """Those of all runs; RunError names one that is not known."""
        return [as_arguments(run, ppo.Arguments, f"runs {number + 1}") for number, run in enumerate(self.runs)]

    @property
    def players(self) -> tuple[int, ...]:
        """The numbers of players that it was measured with."""
        return tuple(int(one) for one in self.against)


def cards() -> dict[str, Path]:
    """The cards beside the published networks, by the name of the model."""
    folders = {file.parent for name in GAMES for file in game_class(name).networks().values()}
    return {card.stem: card for folder in sorted(folders) for card in sorted(folder.glob("*.json"))}


def read_card(file: Path) -> Card:
    """The card of a file.

    Raises:
        CardError: it is missing or damaged, or lacks something.
    """
    try:
        card = msgspec.json.decode(file.read_bytes(), type=Card)
        arguments = card.arguments()
        check_players(arguments[-1].game, card.players)
    except (OSError, ValueError, IndexError) as error:
        raise CardError(f"{file}: not a model card: {error}") from error
    return card


def text_of(card: Card) -> str:
    """What a card's file holds, one value a line."""
    return msgspec.json.format(msgspec.json.encode(card), indent=1).decode() + "\n"
