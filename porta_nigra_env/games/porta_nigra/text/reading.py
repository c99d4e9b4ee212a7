"""Read a position dict into a state record.

`Reading` reads every field by itself.  `CHECKS` are the checks across fields: conservation of pieces and
cards, and a phase in which the current player can act.  They keep compiled code in bounds and the game playable.  A
position that play cannot reach may pass.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

import numpy as np

from porta_nigra_env.core.positions import position as check
from porta_nigra_env.core.positions import reading
from porta_nigra_env.core.positions.position import Json, refuse
from porta_nigra_env.core.positions.reading import Reader, reader
from porta_nigra_env.games.porta_nigra.components.load import Components
from porta_nigra_env.games.porta_nigra.components.names import (
    BUILDINGS,
    COLOURS,
    FIXED_SPOTS,
    ICONS,
    MAX_PLAYERS,
    NUM_ACTION_CARDS,
    NUM_BUILDING_CARDS,
    NUM_HONOUR_CARDS,
    NUM_SUPPLY_CARDS,
    PHASES,
    PORTA_NIGRA,
    ROWS,
)
from porta_nigra_env.games.porta_nigra.state import GAME_PURPOSE, LARGEST_AMOUNT, STATE
from porta_nigra_env.games.porta_nigra.text.writing import FORMAT

POSITION_KEYS: Final = (
    *("round", "starting_player", "youngest_first"),
    *("reserve", "market", "supply_cards", "building_cards", "honour_cards", "spots", "players"),
    *("turn", "early_end", "split"),
)
PLAYER_KEYS: Final = (
    *("sesterces", "torches", "influence", "romans", "romans_reserve", "vp", "bricks", "quarter"),
    *("hand", "draw", "discard", "building_cards", "final_cards"),
)
#: Numbers of players.
SEATS: Final = range(2, MAX_PLAYERS + 1)
#: Phases within a turn.
TURN_PHASES: Final = ("place_builder", "choose_card", "main", "crown")
SPLIT_PHASES: Final = ("split_tens", "split_units")


class Reading(reading.Reading):
    """A position as a record, see `core.positions.reading.Reading`.

    Attributes:
        last_round: whether no round follows.
        buildings_missing: copies that lie in no pile, by building card.
        honours_missing: copies that lie in no pile, by kind of honour card.
    """

    format, keys, seats, phases = FORMAT, POSITION_KEYS, SEATS, PHASES
    dtype, purpose = STATE, GAME_PURPOSE

    components: Components

    def read(self) -> None:
        self._read_frame()
        self._read_bricks()
        self._read_supply_cards()
        self._read_displays()
        self._read_spots()
        self._read_players()
        self._read_turn()
        self._read_early_end()
        self._read_split()

    def _read_frame(self) -> None:
        position, state = self.position, self.state
        rounds = int(self.constants["rounds"][self.players])
        state["round"] = check.integer(position["round"], "round", 1, rounds)
        self.last_round = int(state["round"]) == rounds
        state["starting_player"] = self.seat(position["starting_player"], "starting_player")
        seats = check.listed(position["youngest_first"], "youngest_first", self.seat, self.players, self.players)
        if sorted(seats) != list(range(self.players)):
            refuse("youngest_first", f"must name every seat once (R6), not {seats}")
        state["youngest_first"] = -1
        state["youngest_first"][: self.players] = seats

    # -- the table

    def _read_bricks(self) -> None:
        total = self.number("bricks_total")
        self.state["reserve"] = check.integer(self.position["reserve"], "reserve", 0, total)
        self.state["market"] = check.counts(self.position["market"], "market", COLOURS, total)

    def _read_supply_cards(self) -> None:
        state = self.state
        piles = check.mapping(self.position["supply_cards"], "supply_cards", ("draw", "discard"))
        draw, discard = (
            check.listed(piles[key], f"supply_cards.{key}", self._supply_card, 0, NUM_SUPPLY_CARDS)
            for key in ("draw", "discard")
        )
        if sorted(draw + discard) != list(range(NUM_SUPPLY_CARDS)):
            refuse("supply_cards", "each supply card lies in exactly one of draw and discard (R7)")
        check.fill_pile(state["supply_cards"], "supply_cards", discard, draw)
        state["num_supply_draw"] = len(draw)

    def _supply_card(self, value: object, field: str) -> int:
        return check.integer(value, field, 0, NUM_SUPPLY_CARDS - 1)

    def _read_displays(self) -> None:
        def building(card: int) -> str:
            return f"[{BUILDINGS[card // len(COLOURS)]}, {COLOURS[card % len(COLOURS)]}]"

        names, copies = self.components.honour_names, self.constants["honour_copies"].tolist()
        self.buildings_missing = self._read_display("building", self._building_card, [1] * NUM_BUILDING_CARDS, building)
        self.honours_missing = self._read_display("honour", self._honour_card, copies, lambda kind: repr(names[kind]))

    def _read_display(
        self, kind: str, item: Callable[[object, str], int], copies: list[int], name: Callable[[int], str]
    ) -> list[int]:
        """Read the display and draw pile of a kind of cards; return the missing copies of each card."""
        state, field = self.state, f"{kind}_cards"
        piles = check.mapping(self.position[field], field, ("display", "draw"))
        display = check.listed(piles["display"], f"{field}.display", item, 0, self.number(f"{kind}_display"))
        draw = check.listed(piles["draw"], f"{field}.draw", item, 0, sum(copies))
        lying = Counter(display + draw)
        for card, number in lying.items():
            if number > copies[card]:
                refuse(field, f"{name(card)} lies there {number} times, but the component file has {copies[card]}")
        check.fill_pile(state[field], field, display, draw)
        state[f"num_{kind}_display"], state[f"num_{kind}_draw"] = len(display), len(draw)
        return [number - lying[card] for card, number in enumerate(copies)]

    def _building_card(self, value: object, field: str) -> int:
        pair = check.listed(value, field, lambda v, f: v, 2, 2)
        building = check.index(pair[0], f"{field}[0]", BUILDINGS, "building")
        return building * len(COLOURS) + check.index(pair[1], f"{field}[1]", COLOURS, "colour")

    def _honour_card(self, value: object, field: str) -> int:
        return check.index(value, field, self.components.honour_names, "honour card")

    def _read_spots(self) -> None:
        spots = check.mapping(self.position["spots"], "spots", BUILDINGS)
        for building in BUILDINGS:
            letters = [row for name, row, _ in ROWS if name == building]
            check.mapping(spots[building], f"spots.{building}", letters)
        self.state["spot_owner"] = -1
        first = 0
        for building, row, size in ROWS:
            field = f"spots.{building}.{row}"
            entries = check.listed(spots[building][row], field, lambda v, f: v, size, size)
            for i, entry in enumerate(entries):
                if entry is not None:
                    self._read_element(first + i, BUILDINGS.index(building), entry, f"{field}[{i}]")
            first += size

    def _read_element(self, spot: int, building: int, entry: object, field: str) -> None:
        state = self.state
        element = check.mapping(entry, field, ("owner", "height"))
        owner = self.seat(element["owner"], f"{field}.owner")
        printed = int(self.constants["spot_bricks"][spot])
        low = printed or self.number("porta_nigra_min_height")
        high = printed or self.number("porta_nigra_max_height")
        height = check.integer(element["height"], f"{field}.height", low, high)
        state["spot_owner"][spot], state["spot_height"][spot] = owner, height
        state["built"][owner, building] += height
        state["occupied"] = int(state["occupied"]) | 1 << spot

    # -- players

    def _read_players(self) -> None:
        state = self.state
        state["quarter"], state["action_cards"], state["final_turns"] = -1, -1, -1
        players = check.listed(self.position["players"], "players", lambda v, f: v, self.players, self.players)
        for seat, entry in enumerate(players):
            field = f"players[{seat}]"
            player = check.mapping(entry, field, PLAYER_KEYS)
            self._read_amounts(player, seat, field)
            if player["quarter"] is not None:
                state["quarter"][seat] = check.index(player["quarter"], f"{field}.quarter", BUILDINGS, "building")
            self._read_action_cards(player, seat, field)
            owned = check.counts(player["building_cards"], f"{field}.building_cards", BUILDINGS, 32)
            state["buildings_owned"][seat] = owned
            finals = check.listed(player["final_cards"], f"{field}.final_cards", self._final_card, 0, NUM_HONOUR_CARDS)
            for index in finals:
                state["finals_owned"][seat, index] += 1

    def _read_amounts(self, player: Json, seat: int, field: str) -> None:
        state = self.state
        for name in ("sesterces", "torches", "influence", "vp"):
            state[name][seat] = check.integer(player[name], f"{field}.{name}", 0, LARGEST_AMOUNT)
        for name in ("romans", "romans_reserve"):
            state[name][seat] = check.integer(player[name], f"{field}.{name}", 0, self.number("romans_per_player"))
        most = self.number("bricks_total")
        state["bricks"][seat] = check.counts(player["bricks"], f"{field}.bricks", COLOURS, most)

    def action_card(self, value: object, field: str) -> int:
        """Return the index of an action card's name."""
        return check.index(value, field, self.components.card_names, "action card")

    def _final_card(self, value: object, field: str) -> int:
        values = self.components.final_values
        number = check.integer(value, field, 0, 999)
        if number not in values:
            refuse(field, f"no final scoring card is worth {number}; there are {list(values)}")
        return values.index(number)

    def _read_action_cards(self, player: Json, seat: int, field: str) -> None:
        state = self.state
        hand, draw, discard = (
            check.listed(player[key], f"{field}.{key}", self.action_card, 0, NUM_ACTION_CARDS)
            for key in ("hand", "draw", "discard")
        )
        limit = self.number("hand_size")
        if len(hand) > limit:
            refuse(f"{field}.hand", f"at most {limit} cards, not {len(hand)}")
        if len(set(hand)) < len(hand):
            refuse(f"{field}.hand", "each player owns every action card once")
        state["hand"][seat] = sum(1 << card for card in hand)
        state["num_hand"][seat] = len(hand)
        check.fill_pile(state["action_cards"][seat], f"{field}.discard", discard, draw)
        state["num_action_discard"][seat], state["num_action_draw"][seat] = len(discard), len(draw)

    # -- the pending decision

    def _read_turn(self) -> None:
        state, turn = self.state, self.position["turn"]
        state["card_in_play"] = -1
        if self.phase not in ("main", "crown"):
            if turn is not None:
                refuse("turn", f"must be null in phase {self.phase}: no card has been played in this turn")
            return
        turn = check.mapping(turn, "turn", ("card", "icons_left", "markers_left", "honour_bought"))
        card = self.action_card(turn["card"], "turn.card")
        state["card_in_play"] = card
        icons = check.listed(turn["icons_left"], "turn.icons_left", lambda v, f: check.index(v, f, ICONS, "icon"), 0, 5)
        for icon in icons:
            state["icons_left"][icon] += 1
        for icon, name in enumerate(ICONS):
            if state["icons_left"][icon] > self.constants["card_icons"][card, icon]:
                refuse("turn.icons_left", f"the card {turn['card']!r} does not show {name!r} so often")
        torches = int(self.constants["card_torches"][card])
        state["markers_left"] = check.integer(turn["markers_left"], "turn.markers_left", 0, torches)
        state["honour_bought"] = check.boolean(turn["honour_bought"], "turn.honour_bought")

    def _read_early_end(self) -> None:
        state, early = self.state, self.position["early_end"]
        state["early_player"] = -1
        if early is None:
            return
        early = check.mapping(early, "early_end", ("player", "final_turns_left"))
        state["early_player"] = self.seat(early["player"], "early_end.player")
        left = check.listed(early["final_turns_left"], "early_end.final_turns_left", self.seat, 0, self.players - 1)
        if state["early_player"] in left or len(set(left)) < len(left):
            refuse("early_end.final_turns_left", f"must name other seats than the triggering player, once, not {left}")
        state["final_turns"][: len(left)] = left
        state["num_final_turns"] = len(left)

    def _read_split(self) -> None:
        state, split = self.state, self.position["split"]
        state["split_tens"] = -1
        if self.phase not in SPLIT_PHASES:
            if split is not None:
                refuse("split", f"must be null in phase {self.phase}")
            return
        split = check.mapping(split, "split", ("total", "tens", "players_left"))
        bricks = int(state["built"][self.current].sum(dtype=np.int64))
        total = bricks * int(self.constants["interim_multiplier"][self.players])
        if check.integer(split["total"], "split.total", 0, 1_000) != total:
            refuse("split.total", f"player {self.current} has {bricks} bricks built, which makes {total} (R27)")
        if self.phase == "split_tens":
            if split["tens"] is not None:
                refuse("split.tens", "must be null in phase split_tens")
        else:
            state["split_tens"] = check.integer(split["tens"], "split.tens", 0, total // 10)
        left = check.listed(split["players_left"], "split.players_left", self.seat, 0, self.players - 1)
        order = [(int(state["starting_player"]) + i) % self.players for i in range(self.players)]
        wanted = order[order.index(self.current) + 1 :]
        if left != wanted:
            refuse("split.players_left", f"after player {self.current} these split in turn order (R27): {wanted}")


# -- checks across fields


def check_bricks(reading: Reading) -> None:
    """Reserve, market, personal supplies and elements hold all bricks."""
    total = reading.number("bricks_total")
    names = ("reserve", "market", "bricks", "spot_height")
    bricks = sum(int(reading.state[name].sum(dtype=np.int64)) for name in names)
    if bricks != total:
        refuse("reserve", f"all bricks together must be {total}, not {bricks}")


def check_romans(reading: Reading) -> None:
    """A player's Romans are in the play area, in the reserve or on elements."""
    state, wanted = reading.state, reading.number("romans_per_player")
    for seat in range(reading.players):
        romans = int(state["romans"][seat]) + int(state["romans_reserve"][seat])
        romans += int((state["spot_owner"] == seat).sum())
        if romans != wanted:
            field = f"players[{seat}].romans"
            refuse(field, f"play area, reserve and elements must make {wanted} Romans, not {romans}")


def check_action_cards(reading: Reading) -> None:
    """Each card of a player's deck is in exactly one of hand, draw pile, discard pile and turn; no other card is."""
    names, limit = reading.components.card_names, reading.number("hand_size")
    deck = {card for card in range(NUM_ACTION_CARDS) if reading.constants["card_players"][card] >= reading.players}
    for seat in range(reading.players):
        field, player = f"players[{seat}]", reading.position["players"][seat]
        cards = [reading.action_card(name, field) for key in ("hand", "draw", "discard") for name in player[key]]
        if seat == reading.current and reading.state["card_in_play"] >= 0:
            cards.append(int(reading.state["card_in_play"]))
            # A card is drawn when the turn ends.
            if reading.state["num_hand"][seat] >= limit:
                refuse(f"{field}.hand", f"at most {limit - 1} cards next to the card in play, not {limit}")
        for card in range(NUM_ACTION_CARDS):
            if cards.count(card) > 1:
                refuse(f"{field}.hand", f"{names[card]!r} is in two places; each player owns it once")
            if card in cards and card not in deck:
                refuse(f"{field}.hand", f"{names[card]!r} is not used with {reading.players} players")
            if card in deck and card not in cards:
                refuse(f"{field}.hand", f"{names[card]!r} is in none of hand, draw, discard and turn")


def check_cards_owned(reading: Reading) -> None:
    """Building cards, substitutes and final cards taken are owned by a player or were paid for honour cards (R25)."""

    def bought(field: str, value: int) -> int:
        """Return the number of bought honour cards with this value of a field of the constants."""
        kinds = range(reading.components.num_honours)
        return sum(reading.honours_missing[kind] for kind in kinds if reading.constants[field][kind] == value)

    discards = bought("honour_discard_buildings", 1)
    for building, name in enumerate(BUILDINGS):
        cards = reading.buildings_missing[len(COLOURS) * building : len(COLOURS) * (building + 1)]
        taken = sum(cards) + bought("honour_substitute", building)
        owned = int(reading.state["buildings_owned"][:, building].sum(dtype=np.int64))
        if owned + discards != taken:
            refuse(
                f"players[0].building_cards.{name}",
                f"{taken} cards and substitutes of this building have been taken and {discards} discarded (R25), "
                f"but the players own {owned}",
            )
    for index, value in enumerate(reading.components.final_values):
        gained, given = bought("honour_final", index), bought("honour_discard_final", index)
        owned = int(reading.state["finals_owned"][:, index].sum(dtype=np.int64))
        if owned != gained - given:
            refuse(
                "players[0].final_cards",
                f"{gained} final scoring cards worth {value} have been bought and {given} discarded (R25), "
                f"but the players own {owned}",
            )


def check_phase(reading: Reading) -> None:
    """The current player has a legal action, and the game can continue after it."""
    state, phase, field = reading.state, reading.phase, f"players[{reading.current}]"
    if phase in TURN_PHASES:
        placed = state["quarter"][reading.current] >= 0
        if placed == (phase == "place_builder"):
            refuse(f"{field}.quarter", f"must {'' if placed else 'not '}be null in phase {phase} (R10)")
    if phase in ("place_builder", "choose_card") and state["num_hand"][reading.current] == 0:
        refuse(f"{field}.hand", f"must not be empty in phase {phase}")
    if phase == "crown":
        own = state["spot_owner"][FIXED_SPOTS:] == reading.current
        low = state["spot_height"][FIXED_SPOTS:] < reading.number("porta_nigra_max_height")
        if state["reserve"] == 0:
            refuse("reserve", "must not be empty in phase crown (R26)")
        if not (own & low).any():
            refuse(f"spots.{BUILDINGS[PORTA_NIGRA]}.A", f"player {reading.current} has no element to crown (R26)")
    if phase in (*SPLIT_PHASES, "appoint") and reading.last_round:
        refuse("round", f"there is no interim scoring after the last round (phase {phase}, R27)")
    if state["early_player"] >= 0 and state["num_final_turns"] == 0 and phase != "over":
        refuse("early_end.final_turns_left", "must not be empty before the game is over (R29)")


CHECKS: Final[tuple[Callable[[Reading], None], ...]] = (
    check_bricks,
    check_romans,
    check_action_cards,
    check_cards_owned,
    check_phase,
)

#: `core.positions.reading.Reader` of the format porta_nigra/1.
from_dict: Final[Reader] = reader(Reading, CHECKS)
