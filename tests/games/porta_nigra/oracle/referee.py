"""The referee: the rules of Porta Nigra in plain Python, to settle disputes and to check the engine.

It works on position dicts of the format `porta_nigra/1`, follows `docs/rules.md` chapter by chapter and cites the
ruling (R1..R36) at each decision. It is slow on purpose and shares no code with the engine.
"""

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.lockstep.differences import UNRULED, differences

Position = dict[str, Any]
Player = dict[str, Any]
Element = tuple[str, str, int]  # row, colour, height

COLOURS = ("black", "blue", "red", "yellow", "white")
BUILDINGS = ("basilica", "amphitheatre", "city_wall", "porta_nigra")
BUY_ICONS = ("buy_black", "buy_blue", "buy_red", "buy_yellow", "buy_white", "buy_any")
TAKE_ICONS = ("influence", "torch", "coins_3", "coins_4", "coins_5")
ICONS = (*BUY_ICONS, "build", *TAKE_ICONS)
KEYS = frozenset({
    "format", "components", "num_players", "phase", "current_player", "round", "starting_player", "youngest_first",
    "reserve", "market", "supply_cards", "building_cards", "honour_cards", "spots", "players", "turn", "early_end",
    "split",
})  # fmt: skip
UNORDERED = frozenset({"hand", "icons_left", "final_cards"})  # lists whose order has no meaning


class RefereeError(AssertionError):
    """An outcome of the engine that the rules do not allow; the message names the field."""


def demand(condition: bool, field: str, complaint: str) -> None:
    """Raise a RefereeError about `field` unless the condition holds."""
    if not condition:
        raise RefereeError(f"{field}: {complaint}")


class Referee:
    """Knows the rules and one component file; every question comes with the whole position."""

    def __init__(self, components: dict[str, Any]) -> None:
        self.components = components
        self.constants: dict[str, Any] = components["constants"]
        self.price: dict[str, int] = self.constants["brick_price"]
        self.supply: list[dict[str, Any]] = components["supply_cards"]
        self.action_cards: dict[str, dict[str, Any]] = {card["name"]: card for card in components["action_cards"]}
        self.honour_cards: dict[str, dict[str, Any]] = {card["name"]: card for card in components["honour_cards"]}
        # R16: the price of the way between each two quarters, and the quarter of each shop.
        self.shop_of: dict[str, str] = components["board"]["quarter"]
        self.quarter_of = {shop: building for building, shop in self.shop_of.items()}
        self.ways = {(start, end): self._way(start, end) for start in BUILDINGS for end in BUILDINGS}
        #: The spots that were scored last, and their points.
        self._scored: dict[str, Any] = {}
        self._points: list[dict[str, dict[str, int]]] = []
        self._sums: list[int] = []
        #: Every spot as (row, index, colour, [(height, target)]) by building.
        self._targets = {building: list(self._spot_targets(building)) for building in BUILDINGS}
        # R8, R3: "dearest first" goes by the price of a brick.
        self.dearest_first = sorted(COLOURS, key=lambda colour: (self.price[colour], COLOURS.index(colour)))[::-1]

    @classmethod
    def from_file(cls, path: str | Path) -> "Referee":
        """The referee for a component file (TOML)."""
        return cls(tomllib.loads(Path(path).read_text(encoding="utf-8")))

    # ------------------------------------------------------------------------------------------ what may be done

    def legal_actions(self, position: Position) -> list[str]:
        """All that the player to decide may do, sorted by code point; [] when the game is over."""
        choices = {
            "place_builder": self._places,
            "choose_card": self._cards,
            "main": self._main_actions,
            "crown": self._crown_targets,
            "split_tens": self._tens,
            "split_units": self._units,
            "appoint": self._appointees,
            "over": self._nothing,
        }[position["phase"]]
        return sorted(set(choices(position)))  # equal icons or equal cards give one action

    def _nothing(self, p: Position) -> Iterator[str]:
        yield from ()

    def _places(self, p: Position) -> Iterator[str]:
        for building in BUILDINGS:  # R10: any quarter, free
            yield f"place {building}"

    def _cards(self, p: Position) -> Iterator[str]:
        for name in self._acting(p)["hand"]:
            yield f"card {name}"

    def _main_actions(self, p: Position) -> Iterator[str]:
        yield from self._buys(p)
        yield from self._builds(p)
        yield from self._takes(p)
        yield from self._influence_actions(p)
        if self._can_pay_torch(p):
            yield "coin"  # R14: one marker or one token each time, as long as any is left
        yield "end"  # R15: whenever the player likes, once the card is played

    def _buys(self, p: Position) -> Iterator[str]:
        if not self._can_pay_torch(p):
            return
        for icon in p["turn"]["icons_left"]:
            for colour in COLOURS:
                if p["market"][colour] > 0 and self._icon_buys(p, icon, colour) and self._can_afford(p, colour):
                    yield f"buy {colour} via {icon}"  # R17: through which icon is the player's choice

    def _icon_buys(self, p: Position, icon: str, colour: str) -> bool:
        """Return whether this icon buys a brick of this colour."""
        if icon not in BUY_ICONS:
            return False
        if icon == "buy_any":
            return True
        own_colour = icon.removeprefix("buy_")
        # R17: grey if its own shop is empty, and only then (not if the player is short of money).
        return own_colour == colour or p["market"][own_colour] == 0

    def _can_afford(self, p: Position, colour: str) -> bool:
        """R16: way and brick together must be affordable beforehand."""
        acting = self._acting(p)
        return bool(acting["sesterces"] >= self._way_to_shop(acting["quarter"], colour) + self.price[colour])

    def _builds(self, p: Position) -> Iterator[str]:
        acting = self._acting(p)
        by_icon = "build" in p["turn"]["icons_left"] and self._can_pay_torch(p)
        by_influence = acting["influence"] >= self.constants["influence_cost_build"]  # R23: no icon, no marker
        for target in self._build_targets(p):
            if by_icon:
                yield f"build {target}"
            if by_influence:
                yield f"build {target} by influence"

    def _build_targets(self, p: Position) -> Iterator[str]:
        """R18: a Roman in the play area, the way paid, an empty spot, its bricks."""
        acting = self._acting(p)
        if acting["romans"] < 1:
            return
        highest = {colour: self._most_bricks(acting, colour) for colour in COLOURS}
        for building in BUILDINGS:
            if acting["sesterces"] < self.ways[acting["quarter"], building]:
                continue
            spots = p["spots"][building]
            for row, index, colour, elements in self._targets[building]:
                if spots[row][index] is not None:
                    continue
                for height, target in elements:
                    if height <= highest[colour]:
                        yield target

    def _spot_targets(self, building: str) -> Iterator[tuple[str, int, str, list[tuple[int, str]]]]:
        """Yield (row, index, colour, [(height, action string of the target)]) of all spots of a building."""
        for row, spots in self.components["spots"][building].items():
            for number in range(1, len(spots) + 1):
                names = {
                    height: f"{building} {row}{number}{f' x{height}' if building == 'porta_nigra' else ''}"
                    for height in self._heights(building, row, number)
                }
                yield row, number - 1, self._spot_colour(building, row, number), list(names.items())

    def _heights(self, building: str, row: str, number: int) -> list[int]:
        """The numbers of bricks an element on this spot may have."""
        if building == "porta_nigra":  # R20: the player chooses
            lowest, highest = self.constants["porta_nigra_min_height"], self.constants["porta_nigra_max_height"]
            return list(range(lowest, highest + 1))
        return [self.components["spots"][building][row][number - 1][1]]

    def _most_bricks(self, player: Player, colour: str) -> int:
        """Return the greatest height of an element of this colour."""
        white: int = player["bricks"]["white"]
        if colour == "white":  # R19: white bricks only
            return white
        own: int = player["bricks"][colour]
        return own + white  # R19: white stands in for any colour

    def _takes(self, p: Position) -> Iterator[str]:
        if self._can_pay_torch(p):
            for icon in p["turn"]["icons_left"]:
                if icon in TAKE_ICONS:
                    yield f"take {icon}"  # R14: `take torch` with the last token is legal too

    def _influence_actions(self, p: Position) -> Iterator[str]:
        """R11: at any time while the card is in play; build by influence stands with the builds."""
        acting = self._acting(p)
        if acting["influence"] >= self.constants["influence_cost_roman"] and acting["romans_reserve"] > 0:
            yield "roman"  # R23
        if p["turn"]["honour_bought"] or self.constants["honour_purchases_per_turn"] < 1:
            return  # R24: at most one a turn
        for name in p["honour_cards"]["display"]:
            if self._can_pay_honour(acting, self.honour_cards[name]):
                yield f"honour {name}"

    def _can_pay_honour(self, player: Player, card: dict[str, Any]) -> bool:
        """R24: its whole cost; whether its effect does anything is of no matter."""
        enough_influence = player["influence"] >= card["cost"]
        has_final = "discard_final" not in card or card["discard_final"] in player["final_cards"]
        # R25: four cards of four different buildings is one of each; substitutes count.
        has_buildings = not card.get("discard_buildings") or all(player["building_cards"][b] > 0 for b in BUILDINGS)
        return bool(enough_influence and has_final and has_buildings)

    def _crown_targets(self, p: Position) -> Iterator[str]:
        """R26: one's own Porta Nigra elements below the greatest height; a lone target is still asked for."""
        for row, spots in p["spots"]["porta_nigra"].items():
            for number, element in enumerate(spots, start=1):
                if element is None or element["owner"] != p["current_player"]:
                    continue
                if element["height"] < self.constants["porta_nigra_max_height"]:
                    yield f"crown {row}{number}"

    def _tens(self, p: Position) -> Iterator[str]:
        for tens in range(p["split"]["total"] // 10 + 1):  # R27: free choice; asked even if the total is 0
            yield f"tens {tens}"

    def _units(self, p: Position) -> Iterator[str]:
        still_to_split = p["split"]["total"] - 10 * p["split"]["tens"]
        for units in range(min(9, still_to_split) + 1):
            yield f"units {units}"

    def _appointees(self, p: Position) -> Iterator[str]:
        for seat in range(p["num_players"]):  # R28: any player
            yield f"appoint {seat}"

    # ------------------------------------------------------------------------------------------------ doing it

    def apply(self, position: Position, action: str, outcome: Position | None = None) -> Position:
        """Return the position after a legal action, as a new dict.

        Results of chance are read from `outcome`, the engine's position after the action, and checked. Chance without
        an outcome is a ValueError; an impossible outcome is a RefereeError.
        """
        p = copied(position)
        verb, *words = action.split(" ")
        if verb == "place":
            self._place_builder(p, words[0])
        elif verb == "card":
            self._play_card(p, words[0])
        elif verb == "end":
            self._end_turn(p, outcome)
        elif verb == "tens":
            self._split_tens(p, int(words[0]))
        elif verb == "units":
            self._split_units(p, int(words[0]))
        elif verb == "appoint":
            self._appoint(p, int(words[0]), outcome)
        else:
            self._act_within_turn(p, verb, words)
        return self._tidied(p)

    def _act_within_turn(self, p: Position, verb: str, words: list[str]) -> None:
        if verb == "buy":
            self._buy(p, colour=words[0], icon=words[2])
        elif verb == "build":
            self._build(p, words)
        elif verb == "take":
            self._take(p, words[0])
        elif verb == "coin":
            self._torch_to_coins(p)
        elif verb == "roman":
            self._influence_for_roman(p)
        elif verb == "honour":
            self._buy_honour_card(p, words[0])
        elif verb == "crown":
            self._crown(p, words[0])
        if p["phase"] == "main":  # in phase `crown` the action is not complete yet
            self._test_early_end(p)  # R29: after each complete action

    # -------------------------------------------------------------------------------------- a turn: start and refill

    def _begin_turn(self, p: Position, seat: int, outcome: Position | None) -> None:
        """R7: every turn starts with the refill: market, then building cards, then honour cards."""
        p["current_player"] = seat
        self._refill_market(p, outcome)
        self._refill_display(p["building_cards"], self.constants["building_display"])
        self._refill_display(p["honour_cards"], self.constants["honour_display"])
        # R10: in the first turn the builder is placed after the refill and before the card.
        p["phase"] = "place_builder" if p["players"][seat]["quarter"] is None else "choose_card"

    def _refill_market(self, p: Position, outcome: Position | None) -> None:
        """R7: below 7 bricks: supply cards until there are at least 14."""
        market, piles = p["market"], p["supply_cards"]
        if sum(market.values()) >= self.constants["market_refill_below"]:
            return
        reshuffled = False
        while sum(market.values()) < self.constants["market_refill_to"]:
            if p["reserve"] == 0:
                break  # R8: with an empty reserve no further card
            if not piles["draw"]:  # R7: reshuffled only when a card is needed
                # With two reshuffles in one refill the outcome shows the last order only.  That is enough: a pile used
                # to its last card gives the same bricks in any order.
                piles["draw"], piles["discard"] = self._reshuffled_supply(piles["discard"], outcome), []
                reshuffled = True
            card = piles["draw"].pop(0)
            piles["discard"].append(card)
            for shop in self.dearest_first:
                for _ in range(self.supply[card]["shops"].count(shop)):
                    if p["reserve"] > 0:  # R8: a short reserve serves the dearest shops first
                        p["reserve"] -= 1
                        market[shop] += 1
        if reshuffled and outcome is not None:
            used = len(piles["discard"])
            demand(
                len(outcome["supply_cards"]["discard"]) == used,
                "supply_cards.discard",
                f"after the reshuffle this refill uses {used} supply cards, not {outcome['supply_cards']['discard']}",
            )

    def _reshuffled_supply(self, cards: list[int], outcome: Position | None) -> list[int]:
        """R7: the new order, as the outcome shows it: the cards used since then first, in the order of their use."""
        if outcome is None:
            raise ValueError("the supply cards are reshuffled: chance decides, an outcome is needed")
        order: list[int] = outcome["supply_cards"]["discard"] + outcome["supply_cards"]["draw"]
        demand(Counter(order) == Counter(cards), "supply_cards", f"{order} is no shuffle of {sorted(cards)}")
        return list(order)

    def _refill_display(self, cards: dict[str, list[Any]], size: int) -> None:
        """R9: up to the display's size as long as the deck lasts; new cards are laid at the end."""
        while len(cards["display"]) < size and cards["draw"]:
            cards["display"].append(cards["draw"].pop(0))

    def _place_builder(self, p: Position, building: str) -> None:
        self._acting(p)["quarter"] = building  # R10: free
        p["phase"] = "choose_card"

    def _play_card(self, p: Position, name: str) -> None:
        self._acting(p)["hand"].remove(name)
        card = self.action_cards[name]
        p["turn"] = {
            "card": name,
            "icons_left": list(card["icons"]),  # R13: each icon once; one shown twice is there twice
            "markers_left": card["torches"],  # R12: the printed torches are the action markers
            "honour_bought": False,
        }
        p["phase"] = "main"

    # ------------------------------------------------------------------------------------- markers, icons and the way

    def _can_pay_torch(self, p: Position) -> bool:
        return bool(p["turn"]["markers_left"] + self._acting(p)["torches"] > 0)

    def _pay_torch(self, p: Position) -> None:
        """R12: markers first, torch tokens after them."""
        if p["turn"]["markers_left"] > 0:
            p["turn"]["markers_left"] -= 1
        else:
            self._acting(p)["torches"] -= 1

    def _use_icon(self, p: Position, icon: str) -> None:
        self._pay_torch(p)
        p["turn"]["icons_left"].remove(icon)  # R13

    def _way(self, start: str, end: str) -> int:
        """R16: return the price of the clockwise way between the quarters of two buildings."""
        ring: list[str] = self.components["board"]["shop_ring"]
        borders = (ring.index(self.shop_of[end]) - ring.index(self.shop_of[start])) % len(ring)
        border_cost: int = self.constants["border_cost"]
        return borders * border_cost

    def _way_to_shop(self, start: str, colour: str) -> int:
        return self.ways[start, self._quarter_to_buy(start, colour)]

    def _quarter_to_buy(self, here: str, colour: str) -> str:
        """The quarter in which the builder buys this colour."""
        # R16: the white shop belongs to every quarter, the builder stays.
        return here if colour == "white" else self.quarter_of[colour]

    def _move(self, p: Position, building: str) -> None:
        acting = self._acting(p)
        acting["sesterces"] -= self.ways[acting["quarter"], building]
        acting["quarter"] = building

    # ------------------------------------------------------------------------------------------- buy, take, coins

    def _buy(self, p: Position, colour: str, icon: str) -> None:
        acting = self._acting(p)
        self._use_icon(p, icon)
        self._move(p, self._quarter_to_buy(acting["quarter"], colour))
        acting["sesterces"] -= self.price[colour]
        p["market"][colour] -= 1
        acting["bricks"][colour] += 1

    def _take(self, p: Position, icon: str) -> None:
        acting = self._acting(p)
        self._use_icon(p, icon)
        if icon == "influence":
            acting["influence"] += 1  # R4: tokens and coins never run out
        elif icon == "torch":
            acting["torches"] += 1
        else:
            acting["sesterces"] += int(icon.removeprefix("coins_"))

    def _torch_to_coins(self, p: Position) -> None:
        self._pay_torch(p)  # R14, R12
        self._acting(p)["sesterces"] += self.constants["torch_to_sesterces"]

    # ------------------------------------------------------------------------------------------------- building

    def _build(self, p: Position, words: list[str]) -> None:
        """`<building> <row><number> [x<height>] [by influence]`."""
        building, row, number = words[0], *split_spot(words[1])
        acting = self._acting(p)
        chosen = [int(word.removeprefix("x")) for word in words[2:3] if word.startswith("x")]  # R20
        (height,) = chosen or self._heights(building, row, number)
        colour = self._spot_colour(building, row, number)

        # The whole price first: R21, a reward never pays for the build that earns it.
        if words[-2:] == ["by", "influence"]:
            acting["influence"] -= self.constants["influence_cost_build"]  # R23
        else:
            self._use_icon(p, "build")
        self._move(p, building)  # R16
        self._pay_bricks(acting, colour, height)
        acting["romans"] -= 1  # R18

        # R21: victory points, building card, placement, rewards.
        acting["vp"] += self._spot_vp(building, row, number, height)
        self._take_building_card(p, building, row, colour)
        before = self._bricks_in(p, p["current_player"], building)
        p["spots"][building][row][number - 1] = {"owner": p["current_player"], "height": height}
        self._take_rewards(p, building, before)

    def _pay_bricks(self, player: Player, colour: str, height: int) -> None:
        """R18: bricks of the colour first, white ones for the missing bricks (R19)."""
        of_the_colour = min(height, player["bricks"][colour])
        player["bricks"][colour] -= of_the_colour
        player["bricks"]["white"] -= height - of_the_colour

    def _spot_colour(self, building: str, row: str, number: int) -> str:
        spot = self.components["spots"][building][row][number - 1]
        return str(spot if building == "porta_nigra" else spot[0])

    def _spot_vp(self, building: str, row: str, number: int, height: int) -> int:
        if building == "porta_nigra":  # R20; R19: white substitutes count as the replaced colour
            return height * self.price[self._spot_colour(building, row, number)]
        points: int = self.components["spots"][building][row][number - 1][2]
        return points

    def _take_building_card(self, p: Position, building: str, row: str, colour: str) -> None:
        """R5: a card of this building and colour in the display is always taken (the first of equal ones)."""
        if row in self.components["building_cards"].get("no_card_rows", {}).get(building, []):
            return  # R22: row C of the amphitheatre
        if [building, colour] in p["building_cards"]["display"]:
            p["building_cards"]["display"].remove([building, colour])
            self._acting(p)["building_cards"][building] += 1

    def _take_rewards(self, p: Position, building: str, bricks_before: int) -> None:
        """R21: one reward for each new multiple of 3 of the player's bricks in the building, one after the other."""
        step = self.constants["reward_every_bricks"]
        bricks_now = self._bricks_in(p, p["current_player"], building)
        for _ in range(bricks_now // step - bricks_before // step):
            self._receive(p, self.components["rewards"][building])  # R1: the German text

    def _receive(self, p: Position, gains: dict[str, int]) -> None:
        """A reward or an honour card's gains, as far as possible (R24)."""
        acting = self._acting(p)
        for thing in ("sesterces", "torches", "influence", "vp"):
            acting[thing] += gains.get(thing, 0)  # R4
        romans = min(gains.get("romans", 0), acting["romans_reserve"])  # R21: from the own reserve while any are left
        acting["romans_reserve"] -= romans
        acting["romans"] += romans
        for colour in self.dearest_first:  # R8: a short reserve gives the dearest colour first
            bricks = min(gains.get(f"{colour}_bricks", 0), p["reserve"])
            p["reserve"] -= bricks
            acting["bricks"][colour] += bricks

    # --------------------------------------------------------------------------------- influence and honour cards

    def _influence_for_roman(self, p: Position) -> None:
        acting = self._acting(p)
        acting["influence"] -= self.constants["influence_cost_roman"]  # R23
        acting["romans_reserve"] -= 1
        acting["romans"] += 1

    def _buy_honour_card(self, p: Position, name: str) -> None:
        acting, card = self._acting(p), self.honour_cards[name]
        acting["influence"] -= card["cost"]
        if card.get("discard_buildings"):
            for building in BUILDINGS:  # R25: one of each; R9: discarded cards leave the game
                acting["building_cards"][building] -= 1
        if "discard_final" in card:
            acting["final_cards"].remove(card["discard_final"])
        p["honour_cards"]["display"].remove(name)  # R9; the first of equal ones
        p["turn"]["honour_bought"] = True  # R24

        if "final_vp" in card:
            acting["final_cards"].append(card["final_vp"])
        if "substitute" in card:
            acting["building_cards"][card["substitute"]] += 1  # R25: a building card in every respect
        self._receive(p, card.get("gains", {}))
        # R26: without a target, or with an empty reserve, no effect.
        if card.get("porta_nigra_brick") and p["reserve"] > 0 and any(self._crown_targets(p)):
            p["phase"] = "crown"

    def _crown(self, p: Position, place: str) -> None:
        row, number = split_spot(place)
        before = self._bricks_in(p, p["current_player"], "porta_nigra")
        p["reserve"] -= 1
        spots = p["spots"]["porta_nigra"][row]
        element = spots[number - 1]
        spots[number - 1] = element | {"height": element["height"] + 1}  # R26: no points, but the height counts
        self._take_rewards(p, "porta_nigra", before)  # R26: rewards can trigger
        p["phase"] = "main"

    # -------------------------------------------------------------------------------- early end, end of turn, round end

    def _test_early_end(self, p: Position) -> None:
        """R29: reserve and market both empty, or the acting player's 15th element; once a game."""
        if p["early_end"] is not None:
            return
        seat = p["current_player"]
        no_bricks = p["reserve"] == 0 and sum(p["market"].values()) == 0
        no_romans = p["players"][seat]["romans"] == 0 and p["players"][seat]["romans_reserve"] == 0
        if no_bricks or no_romans:
            p["players"][seat]["vp"] += self.constants["early_end_bonus_vp"]
            others = [other for other in self._clockwise_from(p, seat) if other != seat]
            p["early_end"] = {"player": seat, "final_turns_left": others}

    def _end_turn(self, p: Position, outcome: Position | None) -> None:
        seat, acting = p["current_player"], self._acting(p)
        acting["discard"].append(p["turn"]["card"])
        if acting["draw"]:
            acting["hand"].append(acting["draw"].pop(0))
        p["turn"] = None  # R15: unused markers are lost

        if p["early_end"] is None:
            waiting = [*self._clockwise_from(p, seat)[1:], seat]
        else:
            waiting = p["early_end"]["final_turns_left"]
            if seat in waiting:
                waiting.remove(seat)
            if not waiting:  # R30: after the last final turn, no interim scoring even if the round ends too
                self._end_game(p)
                return
        with_cards = [other for other in waiting if p["players"][other]["hand"]]
        if with_cards:
            self._begin_turn(p, with_cards[0], outcome)
        else:
            self._end_round(p)  # R27: all cards are played (R30: or all cards of players with a final turn)

    def _end_round(self, p: Position) -> None:
        if p["round"] >= self.constants["rounds"][str(p["num_players"])]:
            self._end_game(p)  # R27: no interim scoring after the last round; R30: with final turns left as well
            return
        order = self._clockwise_from(p, p["starting_player"])  # R27: in turn order; R30: all players split
        self._ask_for_split(p, order[0], order[1:])

    def _ask_for_split(self, p: Position, seat: int, players_left: list[int]) -> None:
        multiplier = self.constants["interim_multiplier"][str(p["num_players"])]
        bricks = sum(self._bricks_in(p, seat, building) for building in BUILDINGS)  # R27: crowning bricks included
        p["phase"], p["current_player"] = "split_tens", seat
        p["split"] = {"total": bricks * multiplier, "tens": None, "players_left": players_left}

    def _split_tens(self, p: Position, tens: int) -> None:
        p["split"]["tens"] = tens
        p["phase"] = "split_units"

    def _split_units(self, p: Position, units: int) -> None:
        acting, split = self._acting(p), p["split"]
        sesterces = 10 * split["tens"] + units
        acting["sesterces"] += sesterces
        acting["vp"] += split["total"] - sesterces  # R27: exactly
        if split["players_left"]:
            self._ask_for_split(p, split["players_left"][0], split["players_left"][1:])
        else:
            p["phase"], p["split"] = "appoint", None
            p["current_player"] = self._fewest_vp(p)

    def _fewest_vp(self, p: Position) -> int:
        """R28: the fewest VP on the marker; of several the youngest (R6)."""
        return min(
            range(p["num_players"]), key=lambda state: (p["players"][state]["vp"], p["youngest_first"].index(state))
        )

    def _appoint(self, p: Position, appointee: int, outcome: Position | None) -> None:
        p["round"] += 1
        p["starting_player"] = appointee  # R30: even without a turn left
        self._deal_new_hands(p, outcome)
        first = appointee
        if p["early_end"] is not None:  # R30: only those who still have a final turn, clockwise from the appointee
            order = self._clockwise_from(p, appointee)
            p["early_end"]["final_turns_left"].sort(key=order.index)
            first = p["early_end"]["final_turns_left"][0]
        self._begin_turn(p, first, outcome)

    def _deal_new_hands(self, p: Position, outcome: Position | None) -> None:
        """Let every player (R30) shuffle the whole deck and draw a hand; the cards come from the outcome."""
        if outcome is None:
            raise ValueError("the action cards are shuffled: chance decides, an outcome is needed")
        deck = self._deck(p["num_players"])
        hand_size = min(self.constants["hand_size"], len(deck))
        for seat, player in enumerate(p["players"]):
            dealt, field = outcome["players"][seat], f"players[{seat}]"
            cards = Counter([*dealt["hand"], *dealt["draw"]])
            demand(cards == Counter(deck), f"{field}.draw", "hand and draw pile are not the whole deck")
            demand(len(dealt["hand"]) == hand_size, f"{field}.hand", f"not {hand_size} cards: {dealt['hand']}")
            player["hand"], player["draw"], player["discard"] = list(dealt["hand"]), list(dealt["draw"]), []

    def _end_game(self, p: Position) -> None:
        p["phase"], p["current_player"], p["turn"], p["split"] = "over", None, None, None

    # ---------------------------------------------------------------------------------------------- final scoring

    def scores(self, position: Position) -> list[dict[str, Any]]:
        """Every player's points if the game ended now: `vp` is the marker, `total` the sum of all."""
        if position["spots"] != self._scored or len(self._points) != position["num_players"]:
            self._scored, self._points = copied(position)["spots"], self._majorities(position)
            self._sums = [sum(sum(points.values()) for points in of_seat.values()) for of_seat in self._points]
        sheets = []
        for seat, player in enumerate(position["players"]):
            sheet: dict[str, Any] = {
                "vp": player["vp"],
                "sets": self._set_points(player["building_cards"]),
                "final_cards": sum(player["final_cards"]),  # R32: those still owned
                "play_area": self._play_area_points(player),
                "majorities": self._points[seat],
            }
            sheet["total"] = sum((sheet[key] for key in ("vp", "sets", "final_cards", "play_area")), self._sums[seat])
            sheets.append(sheet)
        return sheets

    def winners(self, position: Position) -> list[int]:
        """R36: the seats with the most points; [] before the end."""
        if position["phase"] != "over":
            return []
        totals = [sheet["total"] for sheet in self.scores(position)]
        return [seat for seat, total in enumerate(totals) if total == max(totals)]

    def _set_points(self, building_cards: dict[str, int]) -> int:
        """R31: again and again the largest set of different buildings."""
        left, points = list(building_cards.values()), 0
        while largest := sum(count > 0 for count in left):
            left = [count - 1 for count in left]
            points += self.constants["set_vp"][largest]
        return points

    def _play_area_points(self, player: Player) -> int:
        """R32: score the play area; it does not hold the Romans of the reserve."""
        worth: dict[str, int] = self.constants["play_area_vp"]
        points: int = (
            player["romans"] * worth["roman"]
            + player["influence"] * worth["influence"]
            + player["torches"] * worth["torch"]
            + sum(player["bricks"].values()) * worth["brick"]
            + player["sesterces"] // worth["sesterces_per_vp"]
        )
        return points

    def _majorities(self, p: Position) -> list[dict[str, dict[str, int]]]:
        """Per seat, per building: the points of each row, or of each height in the Porta Nigra."""
        sheets: list[dict[str, dict[str, int]]] = [{b: {} for b in BUILDINGS} for _ in p["players"]]
        for building in BUILDINGS:
            owned = [self._elements(p, seat, building) for seat in range(p["num_players"])]
            for area, (first, second) in self.components["majorities"][building].items():
                strengths = self._strengths(owned, building, area)
                for seat, points in enumerate(self._two_places(strengths, first, second)):
                    sheets[seat][building][area] = points
        return sheets

    def _strengths(self, owned: list[list[Element]], building: str, area: str) -> list[tuple[int, ...]]:
        """Return the claims of all seats to an area, most important first; () without bricks there (R33)."""
        strengths: list[tuple[int, ...]] = []
        for of_seat in owned:
            if building == "porta_nigra":
                # R34: the elements of exactly this height; R26: crowned ones with their new height.
                elements = [e for e in of_seat if e[2] == int(area)]
                main_count = len(elements)
            else:
                # R33: the bricks in this row.
                elements = [e for e in of_seat if e[0] == area]
                main_count = sum(height for _, _, height in elements)
            # R3: then the best element alone: the dearer colour, then more bricks.
            best = max(((self.price[colour], height) for _, colour, height in elements), default=())
            strengths.append((main_count, *best) if elements else ())
        return strengths

    def _two_places(self, strengths: list[tuple[int, ...]], first: int, second: int) -> list[int]:
        """R35: players tied for a rank take the next rank's points, and no player behind them moves up."""
        points = [0] * len(strengths)
        ranking = sorted({strength for strength in strengths if strength}, reverse=True)
        if not ranking:
            return points
        leaders = [seat for seat, strength in enumerate(strengths) if strength == ranking[0]]
        if len(leaders) > 1:
            for seat in leaders:
                points[seat] = second
            return points
        points[leaders[0]] = first  # R2: the German table's points
        if len(ranking) > 1:
            runners_up = [seat for seat, strength in enumerate(strengths) if strength == ranking[1]]
            if len(runners_up) == 1:
                points[runners_up[0]] = second
        return points

    # ------------------------------------------------------------------------------------------------------ setup

    def check_start(self, position: Position) -> None:
        """Raise a RefereeError unless this can be the position right after the setup."""
        found = {key: value for key, value in position.items() if key not in UNRULED}
        demand(set(found) == KEYS, "keys", f"missing or unknown: {sorted(set(found) ^ KEYS)}")
        players = found["num_players"]
        demand(str(players) in self.constants["rounds"], "num_players", f"{players} cannot play")
        seats = list(range(players))
        demand(found["starting_player"] in seats, "starting_player", f"{found['starting_player']} is no seat")  # R6
        demand(sorted(found["youngest_first"]) == seats, "youngest_first", "not every seat once")  # R6
        demand(len(found["players"]) == players, "players", f"not {players} of them")

        # The order of shuffled cards is read from the position, if it is possible.
        supply_order = found["supply_cards"]["discard"] + found["supply_cards"]["draw"]
        building_order = found["building_cards"]["display"] + found["building_cards"]["draw"]
        honour_order = found["honour_cards"]["display"] + found["honour_cards"]["draw"]
        self._demand_all_cards("supply_cards", supply_order, range(len(self.supply)))
        self._demand_all_cards("building_cards", [tuple(card) for card in building_order], self._building_deck())
        self._demand_all_cards("honour_cards", honour_order, self._honour_deck())
        for seat, player in enumerate(found["players"]):
            self._demand_all_cards(f"players[{seat}].hand", [*player["hand"], *player["draw"]], self._deck(players))

        expected: Position = {
            "format": "porta_nigra/1",
            "components": self.components["name"],
            "num_players": players,
            "round": 1,
            "starting_player": found["starting_player"],
            "youngest_first": found["youngest_first"],
            "reserve": self.constants["bricks_total"],
            "market": dict.fromkeys(COLOURS, 0),
            "supply_cards": {"draw": list(supply_order), "discard": []},
            "building_cards": {"display": [], "draw": list(building_order)},
            "honour_cards": {"display": [], "draw": list(honour_order)},
            "spots": self._empty_spots(),
            "players": [self._new_player([*p["hand"], *p["draw"]], p["hand"]) for p in found["players"]],
            "turn": None,
            "early_end": None,
            "split": None,
        }
        self._begin_turn(expected, expected["starting_player"], found)  # R7: with the first turn's refill
        wrong = differences(expected, found, UNORDERED)
        demand(not wrong, "start", "; ".join(wrong))

    def _demand_all_cards(self, field: str, found: Iterable[Any], deck: Iterable[Any]) -> None:
        demand(Counter(found) == Counter(deck), field, "not exactly the cards of the deck")

    def _new_player(self, cards: list[str], hand: list[str]) -> Player:
        size = min(self.constants["hand_size"], len(cards))
        demand(len(hand) == size, "hand", f"not {size} cards: {hand}")
        return {
            "sesterces": self.constants["start_sesterces"],
            "torches": self.constants["start_torches"],
            "influence": 0,
            "romans": self.constants["start_romans"],
            "romans_reserve": self.constants["romans_per_player"] - self.constants["start_romans"],
            "vp": 0,
            "bricks": dict.fromkeys(COLOURS, 0),
            "quarter": None,
            "hand": cards[:size],
            "draw": cards[size:],
            "discard": [],
            "building_cards": dict.fromkeys(BUILDINGS, 0),
            "final_cards": [],
        }

    def _empty_spots(self) -> dict[str, dict[str, list[None]]]:
        spots = self.components["spots"]
        return {b: {row: [None] * len(spots[b][row]) for row in spots[b]} for b in BUILDINGS}

    def _building_deck(self) -> list[tuple[str, str]]:
        copies = self.components["building_cards"]["each_building_and_colour"]
        return [(building, colour) for building in BUILDINGS for colour in COLOURS for _ in range(copies)]

    def _honour_deck(self) -> list[str]:
        return [name for name, card in self.honour_cards.items() for _ in range(card["copies"])]

    def _deck(self, num_players: int) -> list[str]:
        """A player's action cards; the "2 or 3 players only" card is in no deck in a game of 4."""
        return [name for name, c in self.action_cards.items() if c.get("max_players", num_players) >= num_players]

    # ------------------------------------------------------------------------------------------- looking things up

    def _acting(self, p: Position) -> Player:
        player: Player = p["players"][p["current_player"]]
        return player

    def _clockwise_from(self, p: Position, seat: int) -> list[int]:
        """All seats, this one first."""
        return [(seat + step) % p["num_players"] for step in range(p["num_players"])]

    def _elements(self, p: Position, seat: int, building: str) -> list[Element]:
        """A player's elements in a building as (row, colour, height); R19: the colour is that of the spot."""
        found = []
        for row, spots in p["spots"][building].items():
            for number, element in enumerate(spots, start=1):
                if element is not None and element["owner"] == seat:
                    found.append((row, self._spot_colour(building, row, number), element["height"]))
        return found

    def _bricks_in(self, p: Position, seat: int, building: str) -> int:
        return sum(height for _, _, height in self._elements(p, seat, building))

    def _tidied(self, p: Position) -> Position:
        """Lists without an order of their own get the order in which the referee writes them."""
        card_names = list(self.action_cards)
        for player in p["players"]:
            player["hand"].sort(key=card_names.index)
            player["final_cards"].sort()
        if p["turn"] is not None:
            p["turn"]["icons_left"].sort(key=ICONS.index)
        return p


def copied(position: Position) -> Position:
    """Return a copy of everything that play changes in place, without random state."""
    p = {key: value for key, value in position.items() if key not in UNRULED}
    p["market"] = dict(p["market"])
    for field in ("supply_cards", "building_cards", "honour_cards"):
        p[field] = {pile: list(cards) for pile, cards in p[field].items()}
    p["spots"] = {building: {row: list(spots) for row, spots in rows.items()} for building, rows in p["spots"].items()}
    p["players"] = [player.copy() for player in p["players"]]
    for player in p["players"]:
        for field in ("bricks", "building_cards", "hand", "draw", "discard", "final_cards"):
            player[field] = player[field].copy()
    if p["turn"] is not None:
        p["turn"] = p["turn"] | {"icons_left": list(p["turn"]["icons_left"])}
    if p["early_end"] is not None:
        p["early_end"] = p["early_end"] | {"final_turns_left": list(p["early_end"]["final_turns_left"])}
    if p["split"] is not None:
        p["split"] = dict(p["split"])
    return p


def split_spot(place: str) -> tuple[str, int]:
    """`A10` is row A, spot 10."""
    row = place.rstrip("0123456789")
    return row, int(place.removeprefix(row))
