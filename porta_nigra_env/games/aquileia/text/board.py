"""The position as a text board."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.positions.boards import wrapped
from porta_nigra_env.games.aquileia.components.load import Components
from porta_nigra_env.games.aquileia.components.names import KINDS, SIDES
from porta_nigra_env.games.aquileia.text.writing import Position, to_dict

#: One letter for each kind of coins, also on dice.
LETTERS: Final = dict(zip(KINDS, "BSG", strict=True))
LEGEND: Final = "B bronze, S silver, G gold, s slaves; [p0] a follower of player 0, [  ] a free space"


class _Board:
    """The lines of one position, or of the view of a single seat."""

    def __init__(self, components: Components, position: Position) -> None:
        self.components, self.position = components, position
        self.data = components.data

    def lines(self) -> list[str]:
        """Return all lines."""
        seats = range(self.position["num_players"])
        return [
            *self._header(), "", *self._mercatus(), *self._contests(), *self._town(), *self._track(), *self._decision(),
            "", *self._cards(), *self._sites(), "", *(line for seat in seats for line in self._player(seat)),
        ]  # fmt: skip

    # -- pieces of lines

    def _holder(self, space: str) -> str:
        seat = self.position["spaces"].get(space)
        return "[  ]" if seat is None else f"[p{seat}]"

    def _header(self) -> list[str]:
        position, rounds = self.position, self.data["constants"]["rounds"]
        phase, current = position["phase"].replace("_", " "), position["current_player"]
        asked = "the game is over" if current is None else f"player {current} to decide: {phase}"
        start = position["starting_player"]
        return [
            f"AQUILEIA        round {position['round']} of {rounds}, player {start} is first in turn order; {asked}",
            f"{'':<16}{LEGEND}",
        ]

    def _mercatus(self) -> list[str]:
        mercatus, equi = self.data["mercatus"], self.position["equi"]
        price, first = _coins(mercatus["equi_price"]), mercatus["equi"][0]
        row = [
            f"equi_{name} {card or 'gap'}{' and one of the pile' * (name == first)} {self._holder(f'equi_{name}')}"
            for name, card in zip(mercatus["equi"], equi["row"], strict=True)
        ]
        servi = [
            f"servi_{space['name']} {'1 to ' * (space['max'] > 1)}{space['max']} for {LETTERS[space['coin']]} each "
            f"{self._holder('servi_' + space['name'])}" for space in mercatus["servi"]
        ]  # fmt: skip
        dice = self.data["constants"]["blue_dice"]
        return [
            *wrapped("mercatus", [f"dolus {self._holder('dolus')}", f"pecunia {self._holder('pecunia')}"]),
            *wrapped("  equi", [f"for {price}", *row]),
            *wrapped("  servi", servi),
            *wrapped("  potentia", [f"{dice} blue dice {self._holder('potentia')}"]),
        ]

    def _contests(self) -> list[str]:
        """Return the spaces of fights and races with their strengths."""
        areas = {"arena": self.data["arena"]["spaces"], **{side: self.data["stadium"][side] for side in SIDES}}
        lines = []
        for area, strengths in areas.items():
            label = area if area == "arena" else f"stadium {area}"
            spaces = [f"{area}_{end}" for end in range(1, len(strengths) + 1)]
            cells = [
                f"{space} +{strength} {self._holder(space)}" for space, strength in zip(spaces, strengths, strict=True)
            ]
            lines += wrapped(label, cells)
        return lines

    def _town(self) -> list[str]:
        forum = [
            f"forum_{number} {space['builds']} building{'s' * (space['builds'] > 1)}{' and value' * space['value']} "
            f"{self._holder(f'forum_{number}')}" for number, space in enumerate(self.data["forum"]["spaces"], 1)
        ]  # fmt: skip
        lying = self.position["portus_coins"]
        portus = [
            f"portus_{kind} {self._holder(f'portus_{kind}')}{' on its coin' * (kind in lying)}"
            for kind in self.data["portus"]["spaces"]
        ]
        return [
            *wrapped("theatrum", [self._holder("theatrum")]),
            *wrapped("forum", forum),
            *wrapped("portus", [f"latro {self._holder('latro')}", *portus]),
        ]

    def _track(self) -> list[str]:
        """Return the advantage track and the passes."""
        track = [f"{place}: p{seat}" for place, seat in enumerate(self.position["advantage"], 1)]
        passed = [f"p{seat}" for seat in self.position["passed"]]
        return [*wrapped("advantage", track), *(wrapped("passed", passed) if passed else [])]

    # -- the pending question

    def _decision(self) -> list[str]:
        position, lines = self.position, []
        dice = [f"{key.replace('_', ' ')} {_faces(faces)}" for key, faces in position["dice"].items() if faces]
        if dice:
            lines += wrapped("dice", dice)
        if position["blue_dice"] is not None:
            blue = position["blue_dice"]
            lines += wrapped("blue dice", [f"p{blue['owner']}", f"{blue['left']} left"])
        if position["contest"] is not None:
            strengths = [f"p{seat} {strength}" for seat, strength in position["contest"]["strength"].items()]
            last = position["contest"]["last"]
            lines += wrapped("strength", [*strengths, *([f"last played {last}"] if last else [])])
        if position["auction"] is not None:
            auction = position["auction"]
            bid = "no bid" if auction["bidder"] is None else f"p{auction['bidder']} bids {_coins(auction['bid'])}"
            out = [f"p{seat} out" for seat in auction["out"]]
            lines += wrapped("auction", [auction["card"], f"by p{auction['auctioneer']}", bid, *out])
        if position["exchange"] is not None:
            exchange = position["exchange"]
            last = f"last {exchange['last']}" if exchange["last"] else "none yet"
            lines += wrapped("exchanges", [last, f"received {_coins(exchange['received'])}"])
        if position["builds_left"] is not None:
            lines += wrapped("builds left", [str(position["builds_left"])])
        return lines

    def _cards(self) -> list[str]:
        """Return piles, discards and the history of the stadium cards."""
        position, stadium, theatre = self.position, self.position["stadium"], self.position["theatre"]
        lines = []
        for deck in ("slaves", "equi"):
            discard = _table(position[deck]["discard"])
            lines += wrapped(deck, [f"pile {_size(position[deck]['draw'])}", f"discard {discard}"])
        drawn = stadium["draw"].get("next") if isinstance(stadium["draw"], dict) else None
        lines += wrapped(
            "stadium cards",
            [
                f"open {stadium['open'] or '-'}",
                *([f"drawn {drawn}"] if drawn else []),
                f"pile {_size(stadium['draw'])}",
            ],
        )
        for number, race in enumerate(stadium["past"], 1):
            cards = f"open {race['open']}, drawn {race['drawn'] or 'unseen'}"
            if race["first"] is None:
                result = "nobody raced"
            else:
                kept = f"kept {race['first_kept'] or 'one of them'}"
                second = "no second" if race["second"] is None else f"p{race['second']} has the other"
                result = f"p{race['first']} {kept}, {second}"
            lines += wrapped(f"  round {number}", [f"{cards}: {result}"])
        won = [f"{card} p{seat}" for card, seat in theatre["won"].items()]
        return [*lines, *wrapped("theatre cards", [f"pile {_size(theatre['draw'])}", *won])]

    def _sites(self) -> list[str]:
        """Return the free sites with value, cost and yield."""
        free = [site for site in self.data["forum"]["buildings"] if site["name"] not in self.position["buildings"]]
        return wrapped("free sites", [f"{_gives(site)} for {_cost(site['cost'])};" for site in free])

    # -- players

    def _player(self, seat: int) -> list[str]:
        position, player, constants = self.position, self.position["players"][seat], self.data["constants"]
        placed = sum(holder == seat for holder in position["spaces"].values())
        built = [site for site in self.data["forum"]["buildings"] if position["buildings"].get(site["name"]) == seat]
        crest = "" if seat in position["advantage"] else ", crest"
        mark = ">" if seat == position["current_player"] else " "
        coins = "  ".join(f"{kind} {number}" for kind, number in player["coins"].items())
        slaves, equi = player["slaves"], player["equi"]
        lines = wrapped(
            f"{mark} player {seat}",
            [
                *(f"{player['vp']} VP", coins),
                f"to place {constants['followers_per_player'] - placed} followers{crest}",
                f"houses {constants['houses_per_player'] - len(built)}",
            ],
        )
        lines += wrapped("", [f"slaves {_hand(slaves)}", f"equi {_hand(equi)}"])
        if "count" in equi and any(player["equi_known"].values()):
            lines += wrapped("", [f"known of them: {_table(player['equi_known'])}"])
        if built:
            lines += wrapped("    built", [_gives(site) for site in built])
        owned = [
            *self._stadium_cards(seat),
            *(card for card, owner in position["theatre"]["won"].items() if owner == seat),
        ]
        return [*lines, *(wrapped("    cards", owned) if owned else [])]

    def _stadium_cards(self, seat: int) -> list[str]:
        """Return the visible stadium cards of a seat."""
        cards = []
        for race in self.position["stadium"]["past"]:
            if seat in (race["first"], race["second"]):
                kept = race["first_kept"]
                takes_open = None if kept is None else (kept == "open") == (seat == race["first"])
                shown = {True: race["open"], False: race["drawn"], None: None}[takes_open]
                cards.append(shown or f"{race['open']} or unseen" if takes_open is None else shown or "unseen")
        return cards


def _coins(coins: Mapping[str, int]) -> str:
    """Return coins as letters and numbers."""
    return " ".join(f"{LETTERS[kind]}{number}" for kind, number in coins.items() if number) or "nothing"


def _cost(cost: Mapping[str, int]) -> str:
    slaves = cost.get("slaves", 0)
    coins = {kind: number for kind, number in cost.items() if kind in LETTERS}
    return f"{_coins(coins)} s{slaves}" if slaves else _coins(coins)


def _gives(site: Mapping[str, Any]) -> str:
    """Return a building with its value and yield."""
    earns = {"workshop": lambda: f" ({site['vp']} VP)", "money_house": lambda: f" ({_coins(site['pays'])})"}
    return f"{site['name']} {site['value']}{earns.get(site['kind'], str)()}"


def _letters(faces: Iterable[str]) -> str:
    return "".join(LETTERS[face] for face in faces)


def _faces(faces: Any) -> str:
    """Return a roll, or the rolls of several seats."""
    if isinstance(faces, dict):
        return ", ".join(f"p{seat} {_letters(roll)}" for seat, roll in faces.items())
    return _letters(faces)


def _table(cards: Mapping[str, int]) -> str:
    """Return the cards of a table as text, without zeros."""
    return ", ".join(face if number == 1 else f"{number} {face}" for face, number in cards.items() if number) or "-"


def _hand(cards: Mapping[str, int]) -> str:
    return f"{cards['count']} hidden" if "count" in cards else _table(cards)


def _size(pile: Any) -> int:
    return int(pile["count"]) if isinstance(pile, dict) else len(pile)


def board(components: Components, states: npt.NDArray[np.void], row: int = 0, view: int | None = None) -> str:
    """Return the position of ``states[row]`` in lines of at most 100 characters; with `view`, as that seat sees it."""
    return "\n".join(_Board(components, to_dict(components, states, row, view)).lines())
