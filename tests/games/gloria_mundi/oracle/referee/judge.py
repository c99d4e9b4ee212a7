"""The referee: legal actions, the position after an action, scores, winners, and the setup."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

from tests.games.gloria_mundi.oracle.referee import activation, buying, goth
from tests.games.gloria_mundi.oracle.referee.cards import BASES, STONES, Board
from tests.games.gloria_mundi.oracle.referee.table import Ended, Position, RefereeError, Table
from tests.lockstep.differences import UNRULED, differences

KEYS: Final = frozenset({
    "format", "components", "num_players", "phase", "current_player", "active_player", "turn", "deck", "forum", "fire",
    "goth", "tribute", "players", "played", "activation", "purchase", "payment", "raid", "end",
})  # fmt: skip

#: Decision points: the choices, and the effect of a choice.
POINTS: Final[dict[str, tuple[Callable[[Table], Iterable[str]], Callable[[Table, str], None]]]] = {
    "play": (buying.play_choices, buying.answer_play),
    "exclusive": (activation.exclusive_choices, activation.answer_exclusive),
    "activate": (activation.activate_choices, activation.answer_activate),
    "repeat": (activation.repeat_choices, activation.answer_repeat),
    "give": (activation.give_choices, activation.answer_give),
    "discard": (activation.discard_choices, activation.answer_discard),
    "take": (activation.take_choices, activation.answer_take),
    "buy": (buying.buy_choices, buying.answer_buy),
    "place": (buying.place_choices, buying.answer_place),
    "pay": (buying.pay_choices, buying.answer_pay),
    "goth": (goth.goth_choices, goth.answer_goth),
    "pay_tribute": (goth.pay_tribute_choices, goth.answer_pay_tribute),
    "lose": (goth.lose_choices, goth.answer_lose),
    "reclaim": (goth.reclaim_choices, goth.answer_reclaim),
}


class Referee:
    """Knows the rules and one component file; every question comes with the whole position.

    Attributes:
        board: the component file.
        notes: rare events of the last `apply`.
    """

    def __init__(self, components: dict[str, Any]) -> None:
        self.board = Board(components)
        self.notes: list[str] = []

    @classmethod
    def from_file(cls, path: str | Path) -> Referee:
        """The referee for a component file (TOML)."""
        return cls(tomllib.loads(Path(path).read_text(encoding="utf-8")))

    def legal_actions(self, position: Position) -> list[str]:
        """All that the player to decide may do, sorted by code point; [] when the game is over."""
        if position["phase"] == "over":
            return []
        return sorted(POINTS[position["phase"]][0](Table(self.board, position)))

    def apply(self, position: Position, action: str, after: Position | None = None) -> Position:
        """Return the position after a legal action and all forced actions after it (G5), as a new dict.

        No action depends on chance, so `after` is ignored.
        """
        t = Table(self.board, copied(position))
        try:
            POINTS[t.p["phase"]][1](t, action)
            self._settle(t)
        except Ended:
            pass
        self.notes = t.notes
        return t.p

    def _settle(self, t: Table) -> None:
        """G5: as long as exactly one action is legal, it is carried out."""
        while True:
            choices, answer = POINTS[t.p["phase"]]
            legal = list(choices(t))
            assert legal, f"nothing is legal in phase {t.p['phase']}"
            if len(legal) > 1:
                return
            t.notes.append(f"forced: {t.p['phase']}")
            answer(t, legal[0])

    def scores(self, position: Position) -> list[dict[str, int]]:
        """G41, G42: player by player, as if the game ended now."""
        keys = [(player["steps"], sum(player["stones"].values())) for player in position["players"]]
        return [
            {"steps": steps, "stones": stones, "rank": 1 + sum(key > (steps, stones) for key in keys)}
            for steps, stones in keys
        ]

    def winners(self, position: Position) -> list[int]:
        """Return the winners (G41); none before the end."""
        if position["phase"] != "over":
            return []
        return [seat for seat, score in enumerate(self.scores(position)) if score["rank"] == 1]

    # ------------------------------------------------------------------------------------------------------ setup

    def start(self, players: int, first: int, deck: list[str]) -> Position:
        """Return the first decision, given the random values (G1 to G3, G44).

        Args:
            players: seats.
            first: the starting player.
            deck: the shuffled building cards, next card first.
        """
        components = self.board.components
        constants, dealt = components["constants"], self.board.hands(players)
        shown = constants["start_display"]
        p: Position = {
            "format": "gloria_mundi/1",
            "components": components["name"],
            "num_players": players,
            "phase": "play",
            "current_player": first,
            "active_player": first,
            "turn": 1,
            "deck": list(deck),
            "forum": dict.fromkeys(self.board.places),
            "fire": [],
            "goth": 0,
            "tribute": [],
            "players": [
                {
                    "steps": 0,
                    "stones": {stone: constants["start_stones"][stone] for stone in STONES},
                    "hand": {base: dealt[base] - shown[base] for base in BASES},
                    "bare": {base: shown[base] for base in BASES},
                    "buildings": {},
                }
                for _ in range(players)
            ],
            "played": None,
            "activation": None,
            "purchase": None,
            "payment": None,
            "raid": None,
            "end": None,
        }
        t = Table(self.board, p)
        for _ in range(self.board.start_cards):
            buying.reveal(t)
        try:
            buying.begin_turn(t)
            self._settle(t)
        except Ended:
            pass
        self.notes = t.notes
        return t.p

    def check_start(self, position: Position) -> None:
        """Raise a RefereeError unless this can be the first decision after a setup."""
        found = {key: value for key, value in position.items() if key not in UNRULED}
        if set(found) != KEYS:
            raise RefereeError(f"keys: missing or unknown: {sorted(set(found) ^ KEYS)}")
        # Without purchases the order of the revealed cards is visible.  (With strange components a forced purchase may
        # precede the first decision; then the deck is unknown.)
        bought = [name for player in found["players"] for name in player["buildings"]]
        if bought:
            return
        shown = [card for card in found["forum"].values() if card is not None]
        deck = [*found["fire"], *reversed(shown), *found["deck"]]
        if sorted(deck) != sorted(self.board.cards):
            raise RefereeError(f"deck: not exactly the cards of the component file: {deck}")
        first = (found["active_player"] - found["turn"] + 1) % found["num_players"]
        wrong = differences(found, self.start(found["num_players"], first, deck))
        if wrong:
            raise RefereeError(f"start: {'; '.join(wrong)}")


def copied(position: Position) -> Position:
    """A copy of everything that play changes in place, without random state.  (A deep copy takes ten times as long.)"""
    p = {key: value for key, value in position.items() if key not in UNRULED}
    p["forum"] = dict(p["forum"])
    p["players"] = [
        {key: value.copy() if type(value) is dict else value for key, value in player.items()}
        for player in p["players"]
    ]
    for field in ("purchase", "payment"):
        if p[field] is not None:
            p[field] = dict(p[field])
    if p["activation"] is not None:
        p["activation"] = p["activation"] | {"left": list(p["activation"]["left"])}
    if p["raid"] is not None:
        p["raid"] = {key: dict(value) for key, value in p["raid"].items()}
    return p
