"""The referee's interface: legal actions, the position after an action, scores, winners, and the setup."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from tests.games.aquileia.oracle.referee import contests, forum, mercatus, placement, portus, rounds, scoring, theatrum
from tests.games.aquileia.oracle.referee.board import KINDS, Board
from tests.games.aquileia.oracle.referee.chance import Chance, Outcome, Position, demand
from tests.games.aquileia.oracle.referee.table import Table
from tests.lockstep.differences import UNRULED, differences

KEYS: Final = frozenset({
    "format", "components", "num_players", "phase", "current_player", "round", "starting_player", "spaces",
    "portus_coins", "advantage", "passed", "blue_dice", "dice", "equi", "slaves", "stadium", "theatre", "buildings",
    "players", "contest", "auction", "exchange", "builds_left",
})  # fmt: skip

#: The choices of a phase.
CHOICES: Final[dict[str, Callable[[Table], Iterator[str]]]] = {
    "place": placement.choices,
    "pecunia": mercatus.exchanges,
    "equi": mercatus.equi_choices,
    "servi": mercatus.servi_choices,
    "arena_cards": contests.cards,
    "arena_dice": contests.dice,
    "arena_prize": contests.arena_prizes,
    "stadium_cards": contests.cards,
    "stadium_prize": contests.stadium_prizes,
    "auction": theatrum.bids,
    "forum": forum.choices,
    "portus": portus.choices,
}
#: The effect of an action; True when a player is asked within the same action, fight, race or placement.
ANSWERS: Final[dict[str, Callable[[Table, str], bool]]] = {
    "place": placement.answer,
    "pecunia": mercatus.answer_exchange,
    "equi": mercatus.answer_equi,
    "servi": mercatus.answer_servi,
    "arena_cards": contests.answer_cards,
    "arena_dice": contests.answer_dice,
    "arena_prize": contests.answer_arena_prize,
    "stadium_cards": contests.answer_cards,
    "stadium_prize": contests.answer_stadium_prize,
    "auction": theatrum.answer,
    "forum": forum.answer,
    "portus": portus.answer,
}


class Referee:
    """Knows the rules and one component file; every question comes with the whole position."""

    def __init__(self, components: dict[str, Any]) -> None:
        self.board = Board(components)

    @classmethod
    def from_file(cls, path: str | Path) -> Referee:
        """The referee for a component file (TOML)."""
        return cls(tomllib.loads(Path(path).read_text(encoding="utf-8")))

    def legal_actions(self, position: Position) -> list[str]:
        """All that the player to decide may do, sorted by code point; [] when the game is over."""
        if position["phase"] == "over":
            return []
        return sorted(CHOICES[position["phase"]](Table(self.board, position)))

    def apply(self, position: Position, action: str, after: Position | None = None) -> Position:
        """Return the position after a legal action, as a new dict; chance is read from `after`, the engine's position.

        Raises:
            ValueError: chance without an outcome.
            RefereeError: an impossible outcome.
        """
        return self.follow(position, action, None if after is None else Outcome(after, self.board.die))

    def follow(self, position: Position, action: str, chance: Chance | None) -> Position:
        """`apply` with any source of chance."""
        p = copied({key: value for key, value in position.items() if key not in UNRULED})
        t = Table(self.board, p, chance)
        if not ANSWERS[p["phase"]](t, action):
            rounds.advance(t)
        return p

    def scores(self, position: Position) -> list[dict[str, Any]]:
        """A54, player by player, as if the game ended now."""
        return scoring.scores(self.board, position)

    def winners(self, position: Position) -> list[int]:
        """A55; none before the end."""
        return scoring.winners(self.board, position)

    # ------------------------------------------------------------------------------------------------------ setup

    def start(self, players: int, first: int, decks: dict[str, list[str]]) -> Position:
        """Return the first position (A3, A4), given the starting player and the four shuffled decks.

        Args:
            players: seats (A1).
            first: the starting player.
            decks: `slaves`, `equi`, `stadium` and `theatre`, next card first.
        """
        board, size = self.board, len(self.board.components["mercatus"]["equi"])
        slaves, equi = dict.fromkeys(board.slaves, 0), dict.fromkeys(board.equi, 0)
        return {
            "format": "aquileia/1",
            "components": board.components["name"],
            "num_players": players,
            "phase": "place",
            "current_player": first,
            "round": 1,
            "starting_player": first,
            "spaces": {},
            "portus_coins": [],
            "advantage": [],
            "passed": [],
            "blue_dice": None,
            "dice": {roll: kind() for roll, kind in placement.NO_DICE.items()},
            "equi": {"row": decks["equi"][:size], "draw": decks["equi"][size:], "discard": dict(equi)},
            "slaves": {"draw": list(decks["slaves"]), "discard": dict(slaves)},
            "stadium": {"open": decks["stadium"][0], "draw": decks["stadium"][1:], "past": []},
            "theatre": {"draw": list(decks["theatre"]), "won": {}},
            "buildings": {},
            "players": [
                {
                    "vp": 0,
                    "coins": {kind: board.components["start"].get(kind, 0) for kind in KINDS},
                    "slaves": dict(slaves),
                    "equi": dict(equi),
                    "equi_known": dict(equi),
                }
                for _ in range(players)
            ],
            "contest": None,
            "auction": None,
            "exchange": None,
            "builds_left": None,
        }

    def check_start(self, position: Position) -> None:
        """Raise a RefereeError unless this can be the position right after the setup."""
        found = {key: value for key, value in position.items() if key not in UNRULED}
        demand(set(found) == KEYS, "keys", f"missing or unknown: {sorted(set(found) ^ KEYS)}")
        players, board = found["num_players"], self.board
        demand(players in board.constants["players"], "num_players", f"{players} cannot play")
        demand(found["starting_player"] in range(players), "starting_player", "no seat")
        decks = {
            "slaves": found["slaves"]["draw"],
            "equi": found["equi"]["row"] + found["equi"]["draw"],
            "stadium": [found["stadium"]["open"], *found["stadium"]["draw"]],
            "theatre": found["theatre"]["draw"],
        }
        for name, cards in self.decks().items():
            demand(Counter(decks[name]) == cards, name, f"not exactly the cards of the deck (A2): {decks[name]}")
        wrong = differences(found, self.start(players, found["starting_player"], decks))
        demand(not wrong, "start", "; ".join(wrong))

    def decks(self) -> dict[str, Counter[str]]:
        """A2: return the four decks by card type."""
        return {
            "slaves": self.board.slave_deck(),
            "equi": self.board.equi_deck(),
            "stadium": self.board.stadium_deck(),
            "theatre": Counter(list(self.board.theatre)),
        }


def copied(position: Position) -> Position:
    """Return a copy of everything that play changes in place."""
    p = {key: _copied(value) for key, value in position.items()}
    p["players"] = [_copied(player) for player in p["players"]]
    return p


def _copied(value: Any) -> Any:
    """Return a copy of a list, or of a dict and of the lists and dicts in it."""
    if type(value) is not dict:
        return value.copy() if type(value) is list else value
    return {key: item.copy() if type(item) in _CONTAINERS else item for key, item in value.items()}


_CONTAINERS: Final = frozenset({dict, list})
