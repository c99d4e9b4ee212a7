"""The table of words: axes, phrases of actions, and facts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from porta_nigra_env.core.narration.facts import (
    LOSE,
    MOVER,
    PAY,
    PHASE,
    SEAT,
    STARTING_PLAYER,
    Axis,
    Fact,
    Narration,
    Phrase,
    Verb,
    entries,
    members,
    named,
    numbered,
    plain,
    shown_counts,
)
from porta_nigra_env.core.narration.language import Noun
from porta_nigra_env.games.porta_nigra.components.load import Components
from porta_nigra_env.games.porta_nigra.components.names import (
    BUILDINGS,
    BUY_ICONS,
    COLOURS,
    FIXED_SPOTS,
    HIGHEST_HEIGHT,
    ICONS,
    LOWEST_HEIGHT,
    NUM_ACTION_CARDS,
    NUM_HONOUR_CARDS,
    NUM_SPOTS,
    NUM_SUPPLY_CARDS,
    PHASES,
    TAKE_ICONS,
    spot_name,
)
from porta_nigra_env.games.porta_nigra.narration.explanations import explanations
from porta_nigra_env.games.porta_nigra.narration.remedies import REMEDIES

_BUILDING_TEXTS: Final = ("the Basilica", "the Amphitheatre", "the City Wall", "the Porta Nigra")
_COLOUR_TEXTS: Final = COLOURS
_ICON_TEXTS: Final = (
    "buy black", "buy blue", "buy red", "buy yellow", "buy white", "buy any colour",
    "build", "influence", "torch", "3 coins", "4 coins", "5 coins",
)  # fmt: skip
_SPOTS: Final = ["{} {}{}".format(*spot_name(spot)) for spot in range(NUM_SPOTS)]
_SHOWN_SPOTS: Final = [spot.replace("_", " ").title() for spot in _SPOTS]

_MISSING: Final = "Several things are missing for it."
_NO_SPLIT: Final = "This does not fit the points that you split."
_NO_CROWN: Final = "You have no element there that can be crowned."
_NO_SEAT: Final = "This player cannot be appointed."

PHRASES: Final = {
    "place": Phrase("place your master builder at {building}", ("building",), ("place_builder",)),
    "card": Phrase("play the card {card}", ("card",), ("choose_card",), _MISSING),
    "buy": Phrase("buy {brick} with the icon “{buy_icon}”", ("buy_icon", "brick"), ("main",), _MISSING),
    "take": Phrase("use the icon “{take_icon}”", ("take_icon",), ("main",), _MISSING),
    "roman": Phrase("recruit a Roman for influence", (), ("main",), _MISSING),
    "coin": Phrase("give up an action marker or torch token for 1 sesterce", (), ("main",), _MISSING),
    "end": Phrase("end your turn", (), ("main",)),
    "build": Phrase("build on {fixed_spot}", ("fixed_spot",), ("main",), _MISSING),
    "build_porta_nigra": Phrase("build {height} on {tower}", ("height", "tower"), ("main",), _MISSING),
    "influence_build": Phrase("build on {fixed_spot} by influence", ("fixed_spot",), ("main",), _MISSING),
    "influence_build_porta_nigra": Phrase(
        "build {height} on {tower} by influence", ("height", "tower"), ("main",), _MISSING
    ),
    "crown": Phrase(
        "crown your element on {tower}", ("tower",), ("crown",), "You have no element there that can be crowned."
    ),
    "units": Phrase("take {number} single points as sesterces", ("number",), ("split_units",), _NO_SPLIT),
    "appoint": Phrase(
        "appoint {seat} as the next starting player", (SEAT,), ("appoint",), "This player cannot be appointed."
    ),
    "honour": Phrase("buy the honour card {honour}", ("honour",), ("main",), _MISSING),
    "tens": Phrase("take {tens} tens of points as sesterces", ("tens",), ("split_tens",), _NO_SPLIT),
}

PHASE_TEXTS: Final = (
    "place the master builder", "choose a card", "use the card", "choose the element to crown",
    "split the points, tens first", "split the points, single ones", "appoint the starting player", "the game is over",
)  # fmt: skip

_SESTERCES: Final = Noun("{n} sesterce", "{n} sesterces")
_POINTS: Final = Noun("{n} victory point", "{n} victory points")
_CARDS: Final = Noun("{n} card", "{n} cards")


#: Everything public, and the hand of the observer.
FACTS: Final = (
    Fact("sesterces", entries("sesterces"), (SEAT,), down=PAY, noun=_SESTERCES, left=True),
    Fact(
        "influence",
        entries("influence"),
        (SEAT,),
        down=PAY,
        noun=Noun("{n} influence token", "{n} influence tokens"),
        left=True,
    ),
    Fact("torches", entries("torches"), (SEAT,), down=PAY, noun=Noun("{n} torch token", "{n} torch tokens"), left=True),
    Fact(
        "quarter",
        entries("quarter"),
        (SEAT,),
        values="building",
        up=Verb("your master builder goes to {what}", "the master builder of {seat} goes to {what}"),
    ),
    Fact("bricks", entries("bricks"), (SEAT, "brick"), down=Verb("you use {what}", "{seat} uses {what}")),
    Fact(
        "spot_owner",
        entries("spot_owner"),
        ("spot",),
        values=SEAT,
        aside=True,
        up=Verb("you build on {spot}", "{seat} builds on {spot}"),
    ),
    Fact(
        "height",
        entries("spot_height"),
        ("spot",),
        aside=True,
        up=plain("the element on {spot} now has height {after}"),
    ),
    Fact(
        "romans",
        entries("romans"),
        (SEAT,),
        down=Verb("you use {what}", "{seat} uses {what}"),
        noun=Noun("{n} Roman", "{n} Romans"),
    ),
    Fact("vp", entries("vp"), (SEAT,), down=LOSE, noun=_POINTS),
    Fact("building_cards", entries("buildings_owned"), (SEAT, "building_card"), down=LOSE),
    Fact("final_cards", entries("finals_owned"), (SEAT, "final_card"), down=LOSE),
    Fact(
        "hand",
        members("hand", NUM_ACTION_CARDS),
        (SEAT, "card"),
        seen_by="owner",
        drawn=True,
        aside=True,
        up=Verb("you draw the card {what}", "{seat} draws the card {what}"),
        down=Verb("you play the card {what}", "{seat} plays the card {what}"),
    ),
    Fact(
        "card_in_play",
        entries("card_in_play"),
        (),
        values="card",
        aside=True,
        up=plain("the card {what} is in play"),
        none=plain("the card {what} is put away"),
    ),
    Fact(
        "icons",
        entries("icons_left"),
        ("icon",),
        aside=True,
        up=plain("the icon “{icon}” is free"),
        down=plain("the icon “{icon}” is no longer free"),
    ),
    Fact(
        "markers",
        entries("markers_left"),
        (),
        up=plain("action markers ready: {after}"),
        down=plain("action markers left: {after}"),
    ),
    Fact(
        "honour_bought",
        entries("honour_bought"),
        (),
        aside=True,
        up=plain("no second honour card can be bought now"),
        down=plain("an honour card can be bought again"),
    ),
    Fact(
        "early_player",
        entries("early_player"),
        (),
        values=SEAT,
        up=Verb("you trigger the early end", "{seat} triggers the early end"),
    ),
    Fact("final_turns", entries("num_final_turns"), (), up=plain("final turns to come: {after}")),
    Fact(
        "market",
        entries("market"),
        ("brick",),
        drawn=True,
        aside=True,
        up=plain("the market gets {what}"),
        down=plain("the market gives {what}"),
    ),
    Fact(
        "reserve",
        entries("reserve"),
        (),
        drawn=True,
        aside=True,
        up=plain("the reserve gets {what}"),
        down=plain("the reserve gives {what}"),
        noun=Noun("{n} brick", "{n} bricks"),
    ),
    Fact(
        "supply_discard",
        shown_counts("supply_cards", "num_supply_draw", NUM_SUPPLY_CARDS, total=NUM_SUPPLY_CARDS),
        ("supply_card",),
        drawn=True,
        aside=True,
        up=plain("{what} is drawn"),
        down=plain("{what} goes back into the pile"),
    ),
    Fact(
        "building_display",
        shown_counts("building_cards", "num_building_display", len(BUILDINGS) * len(COLOURS)),
        ("display_card",),
        drawn=True,
        aside=True,
        up=plain("laid out: {what}"),
        down=plain("gone from the display: {what}"),
    ),
    Fact(
        "honour_display",
        shown_counts("honour_cards", "num_honour_display", NUM_HONOUR_CARDS),
        ("honour_card",),
        drawn=True,
        aside=True,
        up=plain("laid out: {what}"),
        down=plain("gone from the display: {what}"),
    ),
    Fact(
        "num_hand",
        entries("num_hand"),
        (SEAT,),
        aside=True,
        up=Verb("you take {what} in hand", "{seat} takes {what} in hand"),
        down=Verb("you play {what} from your hand", "{seat} plays {what} from the hand"),
        noun=_CARDS,
    ),
    Fact(
        "num_draw",
        entries("num_action_draw"),
        (SEAT,),
        aside=True,
        up=Verb("your draw pile gets {what}", "the draw pile of {seat} gets {what}"),
        down=Verb("cards left in your draw pile: {after}", "cards left in the draw pile of {seat}: {after}"),
        noun=_CARDS,
    ),
    Fact(
        "split_tens",
        entries("split_tens"),
        (),
        values="tens",
        aside=True,
        up=plain("{what} tens are chosen"),
        none=plain("the points are split"),
    ),
    Fact("round", entries("round"), (), up=plain("round {after} begins")),
    STARTING_PLAYER,
    PHASE,
    MOVER,
)

SILENT: Final = {
    "key": "random key",
    "counters": "positions of random streams, empty for every observer",
    "occupied": "the spots with an owner",
    "num_players": "constant",
    "youngest_first": "constant",
    "num_supply_draw": "the supply cards that are not discarded",
    "building_cards": "display by `building_display`, the pile holds the rest",
    "num_building_display": "the size of `building_display`",
    "num_building_draw": "follows from display and owners",
    "honour_cards": "display by `honour_display`, the pile holds the rest",
    "num_honour_display": "the size of `honour_display`",
    "num_honour_draw": "follows from the display",
    "romans_reserve": "those neither in the play area nor built",
    "action_cards": "discarded after `card_in_play`",
    "num_action_discard": "discarded after `card_in_play`",
    "built": "the heights of a player's elements",
}

#: Fields that change if and only if a step draws something.
CHANCE: Final = ("counters", "num_supply_draw", "num_building_draw", "num_honour_draw", "num_action_draw")


def _spaced(ids: Sequence[str]) -> list[str]:
    return [name.replace("_", " ") for name in ids]


@cache
def narration_of(components: Components) -> Narration:
    """Return the words of a component set."""
    colours, spots, buildings = COLOURS, _SPOTS, BUILDINGS
    towers = range(FIXED_SPOTS, NUM_SPOTS)
    heights = range(LOWEST_HEIGHT, HIGHEST_HEIGHT + 1)
    titles = _spaced(buildings)
    cards = [f"{building} {colour}" for building in buildings for colour in colours]
    finals = components.final_values
    axes = {
        "building": Axis(buildings, _BUILDING_TEXTS),
        "building_card": Axis(buildings, [Noun(f"{{n}} {name} card", f"{{n}} {name} cards") for name in titles]),
        "brick": Axis(colours, [Noun(f"{{n}} {colour} brick", f"{{n}} {colour} bricks") for colour in colours]),
        "colour": named(colours),
        "icon": Axis(ICONS, _ICON_TEXTS),
        "buy_icon": Axis(BUY_ICONS, _ICON_TEXTS[: len(BUY_ICONS)]),
        "take_icon": Axis(TAKE_ICONS, _ICON_TEXTS[-len(TAKE_ICONS) :]),
        "card": named(components.card_names),
        "honour": named(components.honour_names),
        "honour_card": Axis(
            components.honour_names,
            [
                Noun(f"the honour card {name}", f"{{n}} honour cards {name}")
                for name in _spaced(components.honour_names)
            ],
        ),
        "final_card": Axis(
            [f"final_{value}" for value in finals],
            [Noun(f"{{n}} final scoring card of {value}", f"{{n}} final scoring cards of {value}") for value in finals],
        ),
        "display_card": Axis(cards, [f"the {colour} {name} card" for name in titles for colour in colours]),
        "supply_card": Axis(
            [str(card) for card in range(NUM_SUPPLY_CARDS)],
            [f"supply card {card}" for card in range(1, NUM_SUPPLY_CARDS + 1)],
        ),
        "spot": Axis(spots, _SHOWN_SPOTS),
        "fixed_spot": Axis(spots[:FIXED_SPOTS], _SHOWN_SPOTS[:FIXED_SPOTS]),
        "tower": Axis([spots[i] for i in towers], [_SHOWN_SPOTS[i] for i in towers]),
        "height": Axis([f"x{height}" for height in heights], [f"{height} bricks" for height in heights]),
        "number": numbered(range(10)),
        "tens": numbered(range(components.num_tens)),
        "phase": Axis(PHASES, PHASE_TEXTS, "phase"),
    }
    return Narration(
        folder=Path(__file__).parent,
        axes=axes,
        phrases=PHRASES,
        phases=PHASE_TEXTS,
        facts=FACTS,
        silent=SILENT,
        chance=CHANCE,
        remedies=REMEDIES,
        explanations=explanations(components),
        sources=(
            "on the scoring track",
            "sets of building cards",
            "final scoring cards",
            "supplies",
            "rows",
            "heights",
        ),
    )
