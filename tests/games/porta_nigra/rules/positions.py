"""Positions for tests of the rules, and one adapter through which these tests run against engine and referee.

A `Table` begins with seat 0 about to choose a card: all builders next to the basilica, about two bricks in every shop,
cards in the order of the component file.  Every method returns the table and conserves bricks, Romans and cards for any
component set.  `effect` returns the changes of an action, `legal` the legal actions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Self

from porta_nigra_env.games.porta_nigra.components.load import Components, load
from porta_nigra_env.games.porta_nigra.components.names import BUILDINGS, COLOURS, ROWS
from porta_nigra_env.games.porta_nigra.game import State
from tests.games.porta_nigra.oracle.referee import Referee
from tests.lockstep.differences import UNRULED
from tests.lockstep.judges import RefereeState

Position = dict[str, Any]
#: A component set in which every number differs from the packaged one.
OTHER = str(Path(__file__).parents[1] / "components" / "other.toml")

#: Integers that name something: `effect` returns their new value, not the difference.
_NAMES = frozenset({"current_player", "starting_player", "round", "early_end.player"})


@cache
def data_of(components: Components) -> dict[str, Any]:
    """Return the data of a component set; read-only."""
    return components.data


@cache
def referee_of(components: Components) -> Referee:
    """Return the referee for a component set."""
    return Referee(components.data)


#: A game played by the engine or by the referee.
Played = State | RefereeState


def played_by_engine(state: State) -> Played:
    """Return the state itself."""
    return state


def played_by_referee(state: State) -> Played:
    """Return the state as the referee plays it."""
    return RefereeState(state, referee_of(state.components))


#: The rules under test; the fixture `rules` replaces it by `played_by_referee`.
play = played_by_engine


def new_game(players: int, seed: int, components: Components | str = "standard") -> Played:
    """Return a new game under the rules under test."""
    return play(State.new(players, seed, components))


def load_game(position: Position, seed: int = 0) -> Played:
    """Return the game of a position under the rules under test."""
    return play(State.from_dict(position, seed))


def spot_names() -> Iterator[str]:
    """Yield the names of all spots, `basilica A1` first."""
    for building, row, size in ROWS:
        for number in range(1, size + 1):
            yield f"{building} {row}{number}"


class Table:
    """A position under construction.

    Attributes:
        position: the current dict of the format porta_nigra/1.
        seat: the player whose turn it is.
        data: the component set's data.
    """

    def __init__(self, components: Components | str = "standard", players: int = 2, seat: int = 0) -> None:
        self.components = load(components)
        self.data = data_of(self.components)
        self.constants: dict[str, Any] = self.data["constants"]
        self.players = players
        self.seat = seat
        constants = self.constants
        in_a_shop = constants["market_refill_below"] // len(COLOURS) + 1
        building_cards = [[building, colour] for colour in COLOURS for building in BUILDINGS]
        honour_cards = [card["name"] for card in self.data["honour_cards"] for _ in range(card["copies"])]
        deck, hand = self.deck(), constants["hand_size"]
        self.position: Position = {
            "format": "porta_nigra/1",
            "components": self.components.name,
            "components_digest": self.components.digest,
            "num_players": players,
            "phase": "choose_card",
            "current_player": seat,
            "round": 1,
            "starting_player": seat,
            "youngest_first": list(range(players)),
            "reserve": constants["bricks_total"] - len(COLOURS) * in_a_shop,
            "market": dict.fromkeys(COLOURS, in_a_shop),
            "supply_cards": {"draw": list(range(len(self.data["supply_cards"]))), "discard": []},
            "building_cards": {
                "display": building_cards[: constants["building_display"]],
                "draw": building_cards[constants["building_display"] :],
            },
            "honour_cards": {
                "display": honour_cards[: constants["honour_display"]],
                "draw": honour_cards[constants["honour_display"] :],
            },
            "spots": {},
            "players": [
                {
                    "sesterces": constants["start_sesterces"],
                    "torches": constants["start_torches"],
                    "influence": 0,
                    "romans": constants["start_romans"],
                    "romans_reserve": constants["romans_per_player"] - constants["start_romans"],
                    "vp": 0,
                    "bricks": dict.fromkeys(COLOURS, 0),
                    "quarter": "basilica",
                    "hand": deck[:hand],
                    "draw": deck[hand:],
                    "discard": [],
                    "building_cards": dict.fromkeys(BUILDINGS, 0),
                    "final_cards": [],
                }
                for _ in range(players)
            ],
            "turn": None,
            "early_end": None,
            "split": None,
        }
        for building, row, size in ROWS:
            self.position["spots"].setdefault(building, {})[row] = [None] * size

    def state(self, seed: int = 0) -> Played:
        """Return the game of the position under the rules under test."""
        return load_game(self.position, seed)

    def engine_state(self) -> State:
        """Return the engine's state of the position."""
        return State.from_dict(self.position)

    def set(self, **fields: Any) -> Self:
        """Replace top-level fields of the position."""
        assert set(fields) <= set(self.position), f"no such field: {sorted(set(fields) - set(self.position))}"
        self.position.update(fields)
        return self

    # -- component set

    @property
    def me(self) -> Position:
        """The current player's part of the position."""
        return self.player(self.seat)

    def player(self, seat: int) -> Position:
        """Return a player's part of the position."""
        player: Position = self.position["players"][seat]
        return player

    def deck(self) -> list[str]:
        """Return the action cards of each player's deck."""
        cards = self.data["action_cards"]
        return [card["name"] for card in cards if card.get("max_players", self.players) >= self.players]

    def card(self, *icons: str, markers: int = 0) -> str:
        """Return the first action card with all these icons and at least this number of torches."""
        for card in self.data["action_cards"]:
            if (
                card["name"] in self.deck()
                and card["torches"] >= markers
                and not Counter(icons) - Counter(card["icons"])
            ):
                return str(card["name"])
        raise LookupError(f"no card shows {icons}")

    def honour(self, *kinds: str) -> dict[str, Any]:
        """Return the first honour card whose data has all these keys, e.g. `substitute` or the name of a gain."""
        for card in self.data["honour_cards"]:
            entries = {key for key, value in {**card, **card.get("gains", {})}.items() if value not in (0, False, None)}
            if set(kinds) <= entries:
                return dict(card)
        raise LookupError(f"no honour card has {kinds}")

    def price(self, colour: str) -> int:
        """Return the price of a brick."""
        return int(self.constants["brick_price"][colour])

    def quarter_of(self, colour: str) -> str:
        """Return the building next to a coloured shop."""
        return next(str(building) for building, shop in self.data["board"]["quarter"].items() if shop == colour)

    def way(self, start: str, end: str) -> int:
        """Return the price of the clockwise way between the quarters of two buildings, counted border by border."""
        ring, shop = self.data["board"]["shop_ring"], self.data["board"]["quarter"]
        place, borders = ring.index(shop[start]), 0
        while ring[place] != shop[end]:
            place, borders = (place + 1) % len(ring), borders + 1
        return borders * int(self.constants["border_cost"])

    def colour(self, spot: str) -> str:
        """Return the colour of a spot."""
        building, row, place = _place(spot)
        entry = self.data["spots"][building][row][place]
        return str(entry if building == "porta_nigra" else entry[0])

    def height(self, spot: str) -> int:
        """Return the printed bricks of a spot, or the lowest height in the Porta Nigra."""
        building, row, place = _place(spot)
        if building == "porta_nigra":
            return int(self.constants["porta_nigra_min_height"])
        return int(self.data["spots"][building][row][place][1])

    def heights(self, spot: str) -> list[int]:
        """Return all heights an element on the spot may have."""
        if spot.startswith("porta_nigra"):
            return list(range(self.height(spot), self.constants["porta_nigra_max_height"] + 1))
        return [self.height(spot)]

    def points(self, spot: str) -> int:
        """Return the printed VP of a spot."""
        building, row, place = _place(spot)
        return int(self.data["spots"][building][row][place][2])

    def gives_card(self, spot: str) -> bool:
        """Return whether an element on the spot can give a building card."""
        building, row, _ = _place(spot)
        return row not in self.data["building_cards"]["no_card_rows"].get(building, [])

    def spots(self, building: str = "", colour: str = "") -> list[str]:
        """Return the empty spots of a building and a colour; each filter is optional."""
        return [
            spot
            for spot in spot_names()
            if spot.startswith(building) and colour in ("", self.colour(spot)) and self.element(spot) is None
        ]

    def build_text(self, spot: str, height: int | None = None) -> str:
        """Return the action that builds on a spot."""
        return f"build {spot}" + (f" x{height or self.height(spot)}" if spot.startswith("porta_nigra") else "")

    # -- bricks, Romans, amounts

    def element(self, spot: str) -> Position | None:
        """Return the element on a spot."""
        building, row, place = _place(spot)
        element: Position | None = self.position["spots"][building][row][place]
        return element

    def put(self, spot: str, owner: int | None = None, height: int | None = None) -> Self:
        """Put an element of reserve bricks; its Roman comes from the owner's reserve, or from the play area."""
        building, row, place = _place(spot)
        owner = self.seat if owner is None else owner
        height = self.height(spot) if height is None else height
        assert self.element(spot) is None, f"{spot} is occupied"
        player = self.player(owner)
        player["romans_reserve" if player["romans_reserve"] else "romans"] -= 1
        self.position["spots"][building][row][place] = {"owner": owner, "height": height}
        return self._take(height)

    def fill(self, owner: int, count: int, avoid: tuple[str, ...] = ()) -> Self:
        """Put `count` elements on the empty spots with the fewest bricks, without spots that begin with `avoid`."""
        spots = [spot for spot in self.spots() if not spot.startswith(("porta_nigra", *avoid))]
        for spot in sorted(spots, key=self.height)[:count]:
            self.put(spot, owner)
        return self

    def bricks(self, seat: int | None = None, **colours: int) -> Self:
        """Set the personal supply to exactly these bricks."""
        player = self.player(self.seat if seat is None else seat)
        wanted = {colour: colours.pop(colour, 0) for colour in COLOURS}
        assert not colours, f"no such colour: {sorted(colours)}"
        self._take(sum(wanted.values()) - sum(player["bricks"].values()))
        player["bricks"] = wanted
        return self

    def market(self, **colours: int) -> Self:
        """Set the shops to exactly these bricks."""
        wanted = {colour: colours.pop(colour, 0) for colour in COLOURS}
        assert not colours, f"no such colour: {sorted(colours)}"
        self._take(sum(wanted.values()) - sum(self.position["market"].values()))
        self.position["market"] = wanted
        return self

    def reserve(self, bricks: int) -> Self:
        """Set the reserve; the surplus goes to the last seat as black bricks."""
        surplus = self.position["reserve"] - bricks
        assert surplus >= 0, f"only {self.position['reserve']} bricks are in the reserve"
        self.player(self.players - 1)["bricks"]["black"] += surplus
        return self._take(surplus)

    def _take(self, bricks: int) -> Self:
        self.position["reserve"] -= bricks
        assert self.position["reserve"] >= 0, "not enough bricks in the reserve"
        return self

    def give(self, seat: int | None = None, **amounts: Any) -> Self:
        """Set a player's sesterces, torches, influence, vp or quarter."""
        seat = self.seat if seat is None else seat
        assert set(amounts) <= {"sesterces", "torches", "influence", "vp", "quarter"}, sorted(amounts)
        self.player(seat).update(amounts)
        return self

    def romans(
        self, play: int, reserve: int | None = None, seat: int | None = None, avoid: tuple[str, ...] = ()
    ) -> Self:
        """Set the Romans in play area and reserve; with both given, the other Romans stand on elements."""
        seat = self.seat if seat is None else seat
        player = self.player(seat)
        free = player["romans"] + player["romans_reserve"]
        if reserve is not None:
            assert free >= play + reserve, f"only {free} Romans are not built"
            self.fill(seat, free - play - reserve, avoid)
            free = play + reserve
        player["romans"], player["romans_reserve"] = play, free - play
        return self

    # -- cards

    def show_building(self, building: str, colour: str) -> Self:
        """Put a building card into the display in exchange for its last card."""
        return self._show("building_cards", [building, colour])

    def hide_building(self, building: str, colour: str) -> Self:
        """Put a building card under the draw pile; the next one of the pile takes its place in the display."""
        cards = self.position["building_cards"]
        if [building, colour] in cards["display"]:
            cards["display"].remove([building, colour])
            cards["display"].append(cards["draw"].pop(0))
            cards["draw"].append([building, colour])
        return self

    def show_honour(self, name: str) -> Self:
        """Put an honour card into the display in exchange for its last card."""
        return self._show("honour_cards", name)

    def _show(self, kind: str, card: object) -> Self:
        display, draw = self.position[kind]["display"], self.position[kind]["draw"]
        if card not in display:
            draw.remove(card)
            display.insert(0, card)
            draw.append(display.pop())
        return self

    def _remove(self, kind: str, card: object) -> None:
        """Remove a card from the piles; the display is refilled while cards last."""
        cards = self.position[kind]
        if card in cards["draw"]:
            cards["draw"].remove(card)
            return
        cards["display"].remove(card)
        if cards["draw"]:
            cards["display"].append(cards["draw"].pop(0))

    def own_building(self, seat: int, building: str, colour: str = "", builder: int | None = None) -> Self:
        """A building card for a player, and an element that gave it (the builder's, else the player's own)."""
        cards = [*self.position["building_cards"]["draw"], *self.position["building_cards"]["display"]]
        for kind, brick in cards:
            fitting = [spot for spot in self.spots(building, brick) if self.gives_card(spot)]
            if kind == building and brick.startswith(colour) and fitting:
                self._remove("building_cards", [kind, brick])
                self.put(min(fitting, key=self.height), seat if builder is None else builder)
                self.player(seat)["building_cards"][building] += 1
                return self
        raise LookupError(f"no {colour} card of the {building} is left")

    def own_substitute(self, seat: int, building: str) -> Self:
        """Give a player a substitute building card."""
        name = next(card["name"] for card in self.data["honour_cards"] if card.get("substitute") == building)
        self._remove("honour_cards", name)
        self.player(seat)["building_cards"][building] += 1
        return self

    def own_final(self, seat: int, vp: int, builder: int | None = None) -> Self:
        """Give a player a final scoring card; its price is out of the game."""
        card = next(card for card in self.data["honour_cards"] if card.get("final_vp") == vp)
        self._remove("honour_cards", card["name"])
        if card.get("discard_buildings"):
            for building in BUILDINGS:
                self.own_building(seat, building, builder=builder)
                self.player(seat)["building_cards"][building] -= 1
        if card.get("discard_final"):
            self.own_final(seat, card["discard_final"], builder)
            self.player(seat)["final_cards"].remove(card["discard_final"])
        self.player(seat)["final_cards"].append(vp)
        return self

    def honour_draw(self, count: int) -> Self:
        """Cut the honour draw pile to `count` cards; the others have been bought."""
        draw = self.position["honour_cards"]["draw"]

        def lasting(name: str) -> bool:
            card = next(card for card in self.data["honour_cards"] if card["name"] == name)
            return "final_vp" in card or "substitute" in card

        # Cards with an effect that lasts are exchanged for others of the display before the pile is cut.
        display = self.position["honour_cards"]["display"]
        for place, name in enumerate(draw):
            if lasting(name) and any(not lasting(shown) for shown in display):
                other = next(i for i, shown in enumerate(display) if not lasting(shown))
                draw[place], display[other] = display[other], name
        while len(draw) > count:
            name = next((name for name in draw if not lasting(name)), draw[-1])
            card = next(card for card in self.data["honour_cards"] if card["name"] == name)
            if "substitute" in card:
                self.player(self.players - 1)["building_cards"][card["substitute"]] += 1
            draw.remove(name)
        return self

    def building_draw(self, count: int) -> Self:
        """Cut the building draw pile to `count` cards; the players in turn own the others."""
        cards = self.position["building_cards"]
        display, draw = cards["display"], cards["draw"]
        for place, card in enumerate(draw):  # a card that no spot gives has to stay
            if not self._givers(*card):
                other = next(i for i, shown in enumerate(display) if self._givers(*shown))
                draw[place], display[other] = display[other], card
        for seat in range(len(draw) - count):
            building, colour = min(draw, key=lambda card: min(map(self.height, self._givers(*card))))
            self.own_building(seat % self.players, building, colour)
        return self

    def _givers(self, building: str, colour: str) -> list[str]:
        return [spot for spot in self.spots(building, colour) if self.gives_card(spot)]

    def hand(self, seat: int, hand: int, draw: int = 0) -> Self:
        """Set the sizes of hand and draw pile, in the order of the component file; the others are played."""
        player, deck = self.player(seat), self.deck()
        player["hand"], player["draw"], player["discard"] = deck[:hand], deck[hand : hand + draw], deck[hand + draw :]
        return self

    def play(self, *icons: str, markers: int = 0, card: str | None = None) -> Self:
        """Play a card of the current seat with these icons and markers left; the hand is a card shorter."""
        name = card or self.card(*icons, markers=markers)
        me = self.me
        if name not in me["hand"]:
            pile = me["draw"] if name in me["draw"] else me["discard"]
            if me["hand"]:
                pile[pile.index(name)] = me["hand"].pop()
            else:
                pile.remove(name)
        else:
            me["hand"].remove(name)
        self.position["turn"] = {
            "card": name,
            "icons_left": list(icons),
            "markers_left": markers,
            "honour_bought": False,
        }
        return self.set(phase="main")

    def last_turn(self, seat: int | None = None, **hands: int) -> Self:
        """Set the turn of a seat that has just played its last card, with nothing left on it; other hands are empty.

        hands: `p1=2` leaves seat 1 two cards in hand.
        """
        self.seat = self.seat if seat is None else seat
        for other in range(self.players):
            self.hand(other, hands.get(f"p{other}", 0))
        self.set(current_player=self.seat)
        return self.play(markers=0)

    def over(self) -> Self:
        """End the game after the last round."""
        for seat in range(self.players):
            self.hand(seat, 0)
        return self.set(phase="over", current_player=None, turn=None, round=self.constants["rounds"][str(self.players)])

    def early(self, player: int, *final_turns: int) -> Self:
        """Let a player have triggered the early end; these seats still have their final turns."""
        return self.set(early_end={"player": player, "final_turns_left": list(final_turns)})


def _place(spot: str) -> tuple[str, str, int]:
    """Return (building, row, index from 0) of a spot name."""
    building, number = spot.split()
    return building, number[0], int(number[1:]) - 1


def _leaves(position: Position) -> Iterator[tuple[str, Any]]:
    """Yield every value of a position with its path, e.g. `reserve`, `p0.bricks.red` or `basilica A2`."""
    for key, value in position.items():
        if key == "players":
            for seat, player in enumerate(value):
                for path, leaf in _leaves(player):
                    yield f"p{seat}.{path}", leaf
        elif key == "spots":
            for spot in spot_names():
                building, row, place = _place(spot)
                yield spot, value[building][row][place]
        elif key == "hand":
            yield key, sorted(value)
        elif isinstance(value, dict):
            for path, leaf in _leaves(value):
                yield f"{key}.{path}", leaf
        elif key not in UNRULED:
            yield key, value


def effect(before: Played | Table, *actions: str) -> dict[str, Any]:
    """Return all changes by the actions, by path: the difference for amounts, else the new value (None if removed).

    The dict holds every change, so comparing it with the expected one also proves that nothing else changed.
    """
    state = before.state() if isinstance(before, Table) else before.clone()
    old = dict(_leaves(state.to_dict()))
    for action in actions:
        state.apply(action)
    new = dict(_leaves(state.to_dict()))
    changed: dict[str, Any] = {}
    for path in {**old, **new}:
        was, now = old.get(path), new.get(path)
        if was != now:
            changed[path] = now
            if type(was) is int and type(now) is int and path not in _NAMES:
                changed[path] = now - was
    return changed


def legal(before: Played | Table, *beginnings: str) -> list[str]:
    """Return the legal actions that begin with one of these words; all of them without any word."""
    state = before.state() if isinstance(before, Table) else before
    return [action for action in state.legal_actions() if not beginnings or action.startswith(beginnings)]
