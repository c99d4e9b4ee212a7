"""A position dict as a state record; an impossible position is refused with the field and the rule it breaks.

What is checked are invariants of a position, not whether play can reach it.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core import position as check
from porta_nigra_env.core.position import Json
from porta_nigra_env.core.rng import MASK32, seed_key
from porta_nigra_env.games.porta_nigra.components.load import Components
from porta_nigra_env.games.porta_nigra.components.names import (
    BUILDINGS,
    COLOURS,
    ICONS,
    MAX_PLAYERS,
    NUM_ACTION_CARDS,
    NUM_BUILDING_CARDS,
    NUM_HONOUR_CARDS,
    NUM_SPOTS,
    NUM_SUPPLY_CARDS,
    PHASES,
    PORTA_NIGRA,
    ROWS,
)
from porta_nigra_env.games.porta_nigra.notation.writing import FORMAT, rng_text
from porta_nigra_env.games.porta_nigra.state import GAME_PURPOSE, LARGEST_AMOUNT, NUM_STREAMS, STATE

States = npt.NDArray[np.void]

POSITION_KEYS: Final = (
    *("format", "components", "num_players", "phase", "current_player", "round", "starting_player", "youngest_first"),
    *("reserve", "market", "supply_cards", "building_cards", "honour_cards", "spots", "players"),
    *("turn", "early_end", "split"),
)
PLAYER_KEYS: Final = (
    *("sesterces", "torches", "influence", "romans", "romans_reserve", "vp", "bricks", "quarter"),
    *("hand", "draw", "discard", "building_cards", "final_cards"),
)
#: Phases within a turn; in the others nobody's turn is under way.
TURN_PHASES: Final = ("place_builder", "choose_card", "main", "crown")
SPLIT_PHASES: Final = ("split_tens", "split_units")


def from_dict(components: Components, position: object, seed: int = 0) -> States:
    """The (1,) state array of a position; `position` is not changed.

    Args:
        components: the set the position is played with; its name and digest are checked against the position's.
        position: a mapping of the format porta_nigra/1.
        seed: fixes the future where `rng` is null or absent.

    Raises:
        PositionError: names the field and what is wrong with it.
    """
    return _Reader(components, position, seed).states


class _Reader:
    """Reads a position field by field into a record, then checks what ties the fields together."""

    def __init__(self, components: Components, position: object, seed: int) -> None:
        self.components = components
        self.tables = components.tables[0]
        self.position = check.mapping(position, "", POSITION_KEYS, ("rng", "components_digest"))
        self.states = np.zeros(1, dtype=STATE)
        self.state = self.states[0]
        self._read_frame()
        self._read_table()
        self._read_spots()
        self._read_players()
        self._read_turn()
        self._read_ends()
        self._read_rng(seed)
        self._check_sums()
        self._check_action_cards()
        self._check_ownership()
        self._check_phase()
        self._check_refill()
        self._check_early_end()

    def _number(self, name: str) -> int:
        return int(self.tables[name])

    # -- reading

    def _read_frame(self) -> None:
        position, state = self.position, self.state
        for key, wanted in (("format", FORMAT), ("components", self.components.name)):
            if not isinstance(position[key], str) or position[key] != wanted:
                check.refuse(key, f"expected {wanted!r}, not {check.shown(position[key])}")
        digest = position.get("components_digest")
        if digest is not None and (not isinstance(digest, str) or digest != self.components.digest):
            check.refuse(
                "components_digest",
                f"the components in use have {self.components.digest}, not {check.shown(digest)}",
            )
        self.players = check.integer(position["num_players"], "num_players", 2, MAX_PLAYERS)
        self.phase = PHASES[check.index(position["phase"], "phase", PHASES, "phase")]
        state["num_players"], state["phase"] = self.players, PHASES.index(self.phase)
        state["current_player"] = -1
        if self.phase == "over":
            if position["current_player"] is not None:
                check.refuse("current_player", "must be null when the game is over")
        else:
            state["current_player"] = self._seat(position["current_player"], "current_player")
        self.current = int(state["current_player"])
        rounds = int(self.tables["rounds"][self.players])
        state["round"] = check.integer(position["round"], "round", 1, rounds)
        self.last_round = int(state["round"]) == rounds
        state["starting_player"] = self._seat(position["starting_player"], "starting_player")
        seats = check.listed(position["youngest_first"], "youngest_first", self._seat, self.players, self.players)
        if sorted(seats) != list(range(self.players)):
            check.refuse("youngest_first", f"must name every seat once (R6), not {seats}")
        state["youngest_first"] = -1
        state["youngest_first"][: self.players] = seats

    def _seat(self, value: object, field: str) -> int:
        return check.integer(value, field, 0, self.players - 1)

    def _pile(self, name: str, cells: npt.NDArray[np.int8], front: list[int], draw: list[int]) -> None:
        if len(front) + len(draw) > len(cells):
            check.refuse(name, f"more than the {len(cells)} cards there are")
        cells[:] = -1
        cells[: len(front)] = front
        cells[len(cells) - len(draw) :] = draw

    def _read_table(self) -> None:
        position, state = self.position, self.state
        total = self._number("bricks_total")
        state["reserve"] = check.integer(position["reserve"], "reserve", 0, total)
        state["market"] = check.counts(position["market"], "market", COLOURS, total)

        piles = check.mapping(position["supply_cards"], "supply_cards", ("draw", "discard"))
        supply = {
            key: check.listed(
                piles[key],
                f"supply_cards.{key}",
                lambda v, f: check.integer(v, f, 0, NUM_SUPPLY_CARDS - 1),
                0,
                NUM_SUPPLY_CARDS,
            )
            for key in ("draw", "discard")
        }
        if sorted(supply["draw"] + supply["discard"]) != list(range(NUM_SUPPLY_CARDS)):
            check.refuse("supply_cards", "each supply card lies in exactly one of draw and discard (R7)")
        self._pile("supply_cards", state["supply_cards"], supply["discard"], supply["draw"])
        state["num_supply_draw"] = len(supply["draw"])

        piles = check.mapping(position["building_cards"], "building_cards", ("display", "draw"))
        shown = self._number("building_display")
        display = check.listed(piles["display"], "building_cards.display", self._building_card, 0, shown)
        draw = check.listed(piles["draw"], "building_cards.draw", self._building_card, 0, NUM_BUILDING_CARDS)
        twice = [card for card, count in Counter(display + draw).items() if count > 1]
        if twice:
            check.refuse(
                "building_cards",
                f"there is one card of each building and colour; {self._card_name(twice[0])} lies twice",
            )
        self._pile("building_cards", state["building_cards"], display, draw)
        state["num_building_display"], state["num_building_draw"] = len(display), len(draw)
        self.buildings_missing = set(range(NUM_BUILDING_CARDS)) - {*display, *draw}

        piles = check.mapping(position["honour_cards"], "honour_cards", ("display", "draw"))
        names = self.components.honour_names
        shown = self._number("honour_display")

        def kind(value: object, field: str) -> int:
            return check.index(value, field, names, "honour card")

        display = check.listed(piles["display"], "honour_cards.display", kind, 0, shown)
        draw = check.listed(piles["draw"], "honour_cards.draw", kind, 0, NUM_HONOUR_CARDS)
        lying = Counter(display + draw)
        self.honours_missing = [int(self.tables["honour_copies"][i]) - lying[i] for i in range(len(names))]
        for name, missing in zip(names, self.honours_missing, strict=True):
            if missing < 0:
                check.refuse("honour_cards", f"{-missing} more {name!r} than the component file has copies")
        self._pile("honour_cards", state["honour_cards"], display, draw)
        state["num_honour_display"], state["num_honour_draw"] = len(display), len(draw)

    def _building_card(self, value: object, field: str) -> int:
        pair = check.listed(value, field, lambda v, f: v, 2, 2)
        building = check.index(pair[0], f"{field}[0]", BUILDINGS, "building")
        return building * len(COLOURS) + check.index(pair[1], f"{field}[1]", COLOURS, "colour")

    def _card_name(self, card: int) -> str:
        return f"[{BUILDINGS[card // len(COLOURS)]}, {COLOURS[card % len(COLOURS)]}]"

    def _read_spots(self) -> None:
        state = self.state
        spots = check.mapping(self.position["spots"], "spots", BUILDINGS)
        for building in BUILDINGS:
            letters = [row for name, row, _ in ROWS if name == building]
            check.mapping(spots[building], f"spots.{building}", letters)
        state["spot_owner"] = -1
        occupied = first = 0
        for building, row, size in ROWS:
            field = f"spots.{building}.{row}"
            entries = check.listed(spots[building][row], field, lambda v, f: v, size, size)
            for i, entry in enumerate(entries):
                if entry is None:
                    continue
                spot, place = first + i, f"{field}[{i}]"
                element = check.mapping(entry, place, ("owner", "height"))
                owner = self._seat(element["owner"], f"{place}.owner")
                printed = int(self.tables["spot_bricks"][spot])
                low = printed or self._number("porta_nigra_min_height")
                high = printed or self._number("porta_nigra_max_height")
                height = check.integer(element["height"], f"{place}.height", low, high)
                state["spot_owner"][spot], state["spot_height"][spot] = owner, height
                state["built"][owner, BUILDINGS.index(building)] += height
                occupied |= 1 << spot
            first += size
        state["occupied"] = occupied

    def _read_players(self) -> None:
        state = self.state
        state["quarter"], state["action_cards"], state["final_turns"] = -1, -1, -1
        players = check.listed(self.position["players"], "players", lambda v, f: v, self.players, self.players)
        for seat, entry in enumerate(players):
            field = f"players[{seat}]"
            player = check.mapping(entry, field, PLAYER_KEYS)
            for name in ("sesterces", "torches", "influence", "vp"):
                state[name][seat] = check.integer(player[name], f"{field}.{name}", 0, LARGEST_AMOUNT)
            for name in ("romans", "romans_reserve"):
                state[name][seat] = check.integer(player[name], f"{field}.{name}", 0, self._number("romans_per_player"))
            state["bricks"][seat] = check.counts(
                player["bricks"], f"{field}.bricks", COLOURS, self._number("bricks_total")
            )
            if player["quarter"] is not None:
                state["quarter"][seat] = check.index(player["quarter"], f"{field}.quarter", BUILDINGS, "building")
            self._read_cards(player, seat, field)
            owned = check.counts(player["building_cards"], f"{field}.building_cards", BUILDINGS, 32)
            state["buildings_owned"][seat] = owned
            finals = check.listed(player["final_cards"], f"{field}.final_cards", self._final_card, 0, NUM_HONOUR_CARDS)
            for index in finals:
                state["finals_owned"][seat, index] += 1

    def _action_card(self, value: object, field: str) -> int:
        return check.index(value, field, self.components.card_names, "action card")

    def _final_card(self, value: object, field: str) -> int:
        values = self.components.final_values
        number = check.integer(value, field, 0, 999)
        if number not in values:
            check.refuse(field, f"no final scoring card is worth {number}; there are {list(values)}")
        return values.index(number)

    def _read_cards(self, player: Json, seat: int, field: str) -> None:
        state = self.state
        hand, draw, discard = (
            check.listed(player[key], f"{field}.{key}", self._action_card, 0, NUM_ACTION_CARDS)
            for key in ("hand", "draw", "discard")
        )
        limit = self._number("hand_size")
        if len(hand) > limit:
            check.refuse(f"{field}.hand", f"at most {limit} cards, not {len(hand)}")
        if len(set(hand)) < len(hand):
            check.refuse(f"{field}.hand", "each player owns every action card once")
        state["hand"][seat] = sum(1 << card for card in hand)
        state["num_hand"][seat] = len(hand)
        self._pile(f"{field}.discard", state["action_cards"][seat], discard, draw)
        state["num_action_discard"][seat], state["num_action_draw"][seat] = len(discard), len(draw)

    def _read_turn(self) -> None:
        state, turn = self.state, self.position["turn"]
        state["card_in_play"] = -1
        if self.phase not in ("main", "crown"):
            if turn is not None:
                check.refuse("turn", f"must be null in phase {self.phase}: no card has been played in this turn")
            return
        turn = check.mapping(turn, "turn", ("card", "icons_left", "markers_left", "honour_bought"))
        card = self._action_card(turn["card"], "turn.card")
        state["card_in_play"] = card
        icons = check.listed(turn["icons_left"], "turn.icons_left", lambda v, f: check.index(v, f, ICONS, "icon"), 0, 5)
        for icon in icons:
            state["icons_left"][icon] += 1
        for icon, name in enumerate(ICONS):
            if state["icons_left"][icon] > self.tables["card_icons"][card, icon]:
                check.refuse("turn.icons_left", f"the card {turn['card']!r} does not show {name!r} so often")
        torches = int(self.tables["card_torches"][card])
        state["markers_left"] = check.integer(turn["markers_left"], "turn.markers_left", 0, torches)
        state["honour_bought"] = check.boolean(turn["honour_bought"], "turn.honour_bought")

    def _read_ends(self) -> None:
        state, early, split = self.state, self.position["early_end"], self.position["split"]
        state["early_player"] = state["split_tens"] = -1
        if early is not None:
            early = check.mapping(early, "early_end", ("player", "final_turns_left"))
            state["early_player"] = self._seat(early["player"], "early_end.player")
            left = check.listed(
                early["final_turns_left"], "early_end.final_turns_left", self._seat, 0, self.players - 1
            )
            state["final_turns"][: len(left)] = left
            state["num_final_turns"] = len(left)
        if self.phase not in SPLIT_PHASES:
            if split is not None:
                check.refuse("split", f"must be null in phase {self.phase}")
            return
        split = check.mapping(split, "split", ("total", "tens", "players_left"))
        bricks = int(state["built"][self.current].sum(dtype=np.int64))
        total = bricks * int(self.tables["interim_multiplier"][self.players])
        if check.integer(split["total"], "split.total", 0, 1_000) != total:
            check.refuse("split.total", f"player {self.current} has {bricks} bricks built, which makes {total} (R27)")
        if self.phase == "split_tens":
            if split["tens"] is not None:
                check.refuse("split.tens", "must be null in phase split_tens")
        else:
            state["split_tens"] = check.integer(split["tens"], "split.tens", 0, total // 10)
        left = check.listed(split["players_left"], "split.players_left", self._seat, 0, self.players - 1)
        order = [(int(state["starting_player"]) + i) % self.players for i in range(self.players)]
        wanted = order[order.index(self.current) + 1 :]
        if left != wanted:
            check.refuse("split.players_left", f"after player {self.current} these split in turn order (R27): {wanted}")

    def _read_rng(self, seed: int) -> None:
        state, text = self.state, self.position.get("rng")
        if text is None:
            seed_key(state["key"], state["counters"], seed, GAME_PURPOSE)
            return
        wrong = f"expected null or a string that to_dict has written, not {check.shown(text)}"
        if not isinstance(text, str) or not text.startswith("p1:"):
            check.refuse("rng", wrong)
        try:
            numbers = [int(word, 16) for word in text[3:].split(".")]
        except ValueError:
            check.refuse("rng", wrong)
        limits = [MASK32] * 2 + [MASK32 >> 1] * NUM_STREAMS
        if len(numbers) != len(limits) or any(not 0 <= n <= high for n, high in zip(numbers, limits, strict=True)):
            check.refuse("rng", wrong)
        state["key"], state["counters"] = numbers[:2], numbers[2:]
        # int() also reads "0x1", "+1" and "1_0"; one random state has one text.
        if rng_text(state) != text:
            check.refuse("rng", wrong)

    # -- what ties fields together

    def _check_sums(self) -> None:
        state, total = self.state, self._number("bricks_total")
        bricks = sum(int(state[name].sum(dtype=np.int64)) for name in ("reserve", "market", "bricks", "spot_height"))
        if bricks != total:
            check.refuse("reserve", f"all bricks together must be {total}, not {bricks}")
        for seat in range(self.players):
            elements = int((state["spot_owner"] == seat).sum())
            romans = int(state["romans"][seat]) + int(state["romans_reserve"][seat]) + elements
            wanted = self._number("romans_per_player")
            if romans != wanted:
                check.refuse(
                    f"players[{seat}].romans",
                    f"play area, reserve and elements must make {wanted} Romans, not {romans}",
                )

    def _check_action_cards(self) -> None:
        state, names = self.state, self.components.card_names
        deck = {card for card in range(NUM_ACTION_CARDS) if self.tables["card_players"][card] >= self.players}
        for seat in range(self.players):
            field, player = f"players[{seat}]", self.position["players"][seat]
            cards = [self._action_card(name, field) for key in ("hand", "draw", "discard") for name in player[key]]
            if seat == self.current and state["card_in_play"] >= 0:
                cards.append(int(state["card_in_play"]))
            twice = [card for card, count in Counter(cards).items() if count > 1]
            if twice:
                check.refuse(f"{field}.hand", f"{names[twice[0]]!r} is in two places; each player owns it once")
            strange = sorted(set(cards) - deck)
            if strange:
                check.refuse(f"{field}.hand", f"{names[strange[0]]!r} is not used with {self.players} players")
            missing = sorted(deck - set(cards))
            if missing:
                check.refuse(f"{field}.hand", f"{names[missing[0]]!r} is in none of hand, draw, discard and turn")
            playing = seat == self.current and state["card_in_play"] >= 0
            # Cards are drawn only after a turn, so a full hand beside the card in play would grow beyond its size.
            limit = self._number("hand_size")
            if playing and state["num_hand"][seat] >= limit:
                check.refuse(f"{field}.hand", f"at most {limit - 1} cards beside the card in play, not {limit}")
            if (
                self.phase in TURN_PHASES
                and not playing
                and state["num_hand"][seat] == 0 < state["num_action_draw"][seat]
            ):
                check.refuse(f"{field}.hand", "is empty although cards are left in the draw pile (R15)")

    def _check_ownership(self) -> None:
        """Cards owned against those gone from the piles (R5, R22, R25)."""
        state, tables, kinds = self.state, self.tables, range(self.components.num_honours)
        discards = sum(self.honours_missing[kind] for kind in kinds if tables["honour_discard_buildings"][kind])
        built = {
            int(tables["spot_building"][spot]) * len(COLOURS) + int(tables["spot_colour"][spot])
            for spot in range(NUM_SPOTS)
            if state["spot_owner"][spot] >= 0 and tables["row_gives_card"][tables["spot_row"][spot]]
        }
        for card in sorted(self.buildings_missing):
            if card not in built:
                check.refuse(
                    "building_cards",
                    f"{self._card_name(card)} is gone, but no element that gives it has been built (R5)",
                )
        for building, name in enumerate(BUILDINGS):
            taken = sum(card // len(COLOURS) == building for card in self.buildings_missing)
            taken += sum(self.honours_missing[kind] for kind in kinds if tables["honour_substitute"][kind] == building)
            owned = int(state["buildings_owned"][:, building].sum(dtype=np.int64))
            if owned + discards != taken:
                check.refuse(
                    f"players[0].building_cards.{name}",
                    f"{taken} cards and substitutes of this building have been taken and {discards} discarded (R25), "
                    f"but the players own {owned}",
                )
        for index, value in enumerate(self.components.final_values):
            gained = sum(self.honours_missing[kind] for kind in kinds if tables["honour_final"][kind] == index)
            given = sum(self.honours_missing[kind] for kind in kinds if tables["honour_discard_final"][kind] == index)
            owned = int(state["finals_owned"][:, index].sum(dtype=np.int64))
            if owned != gained - given:
                check.refuse(
                    "players[0].final_cards",
                    f"{gained} final scoring cards worth {value} have been bought and {given} discarded (R25), "
                    f"but the players own {owned}",
                )

    def _check_phase(self) -> None:
        state = self.state
        players = range(self.players)
        if self.phase in TURN_PHASES:
            placed = state["quarter"][self.current] >= 0
            if self.phase == "place_builder" and placed:
                check.refuse(f"players[{self.current}].quarter", "must be null in phase place_builder (R10)")
            if self.phase != "place_builder" and not placed:
                check.refuse(f"players[{self.current}].quarter", f"must not be null in phase {self.phase} (R10)")
            if self.phase in ("place_builder", "choose_card") and state["num_hand"][self.current] == 0:
                check.refuse(f"players[{self.current}].hand", f"must not be empty in phase {self.phase}")
        for seat in players:
            used = state["num_action_discard"][seat] > 0 or (state["spot_owner"] == seat).any()
            if used and state["quarter"][seat] < 0:
                check.refuse(f"players[{seat}].quarter", "must not be null after the player's first turn (R10)")
        if self.phase == "crown":
            own = state["spot_owner"][-9:] == self.current
            low = state["spot_height"][-9:] < self._number("porta_nigra_max_height")
            if not state["honour_bought"]:
                check.refuse("turn.honour_bought", "must be true in phase crown: the card has been bought (R26)")
            if state["reserve"] == 0:
                check.refuse("reserve", "must not be empty in phase crown (R26)")
            if not (own & low).any():
                check.refuse(
                    f"spots.{BUILDINGS[PORTA_NIGRA]}.A", f"player {self.current} has no element to crown (R26)"
                )
            kinds = range(self.components.num_honours)
            if not any(self.honours_missing[kind] and self.tables["honour_crown"][kind] for kind in kinds):
                check.refuse("honour_cards", "no crown has been bought, but one is to be placed (R26)")
        if self.phase in (*SPLIT_PHASES, "appoint"):
            if self.last_round:
                check.refuse("round", f"there is no interim scoring after the last round (phase {self.phase}, R27)")
            self._check_round_over()
        if self.phase == "appoint":
            fewest = min(int(state["vp"][seat]) for seat in players)
            youngest = next(seat for seat in state["youngest_first"].tolist() if state["vp"][seat] == fewest)
            if self.current != youngest:
                check.refuse("current_player", f"player {youngest} appoints: fewest VP, youngest of a tie (R28)")
        if self.phase == "over" and (state["early_player"] < 0 or state["num_final_turns"] > 0):
            if not self.last_round:
                check.refuse("round", "the game is over only after the last round or after the final turns (R27, R29)")
            self._check_round_over()

    def _check_round_over(self) -> None:
        """All cards are played; with an early end, all cards of those who still have a final turn (R27, R30)."""
        state = self.state
        for seat in range(self.players):
            if state["early_player"] >= 0 and seat not in state["final_turns"]:
                continue
            if state["num_hand"][seat] or state["num_action_draw"][seat]:
                check.refuse(
                    f"players[{seat}].hand", f"must be empty with draw in phase {self.phase}: the round is over (R27)"
                )

    def _check_refill(self) -> None:
        """The refill has been done before the first decision of a turn, and nothing is taken before the card (R7)."""
        state = self.state
        if self.phase not in TURN_PHASES:
            return
        if self.phase in ("place_builder", "choose_card"):
            market, low = int(state["market"].sum(dtype=np.int64)), self._number("market_refill_below")
            if market < low and state["reserve"] > 0:
                check.refuse("market", f"fewer than {low} bricks at the start of a turn: the refill is not done (R7)")
            for name in ("building", "honour"):
                shown = int(state[f"num_{name}_display"])
                if shown < self._number(f"{name}_display") and state[f"num_{name}_draw"] > 0:
                    check.refuse(
                        f"{name}_cards.display",
                        f"only {shown} cards at the start of a turn: the refill is not done (R7)",
                    )

    def _check_early_end(self) -> None:
        state = self.state
        left = state["final_turns"][: int(state["num_final_turns"])].tolist()
        early = int(state["early_player"])
        if early < 0:
            for seat in range(self.players):
                if state["romans"][seat] == 0 == state["romans_reserve"][seat]:
                    check.refuse("early_end", f"player {seat} has placed her last element: the early end is due (R29)")
            if state["reserve"] == 0 and not state["market"].any():
                check.refuse("early_end", "reserve and market are empty: the early end is due (R29)")
            return
        field = "early_end.final_turns_left"
        if early in left:
            check.refuse(field, f"player {early} triggered the early end and has no final turn (R29)")
        if len(set(left)) < len(left):
            check.refuse(field, f"a player has one final turn (R29), not {left}")
        turns = [(seat - left[0]) % self.players for seat in left]
        if turns != sorted(turns):
            check.refuse(field, f"must be in clockwise order (R29, R30), not {left}")
        waiting = [seat for seat in left if state["num_hand"][seat] > 0 or seat == self.current]
        if self.phase in TURN_PHASES and self.current != early and waiting[:1] != [self.current]:
            check.refuse(field, f"player {self.current} is on turn, so she must be first in it (R29)")
        if self.phase in TURN_PHASES and self.current == early and self.phase in ("place_builder", "choose_card"):
            check.refuse("current_player", f"player {early} triggered the early end and has no further turn (R29)")
        if self.phase != "over" and not left:
            check.refuse(field, "must not be empty before the game is over (R29)")
