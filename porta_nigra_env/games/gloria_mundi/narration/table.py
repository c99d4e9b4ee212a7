"""The table of words: axes, phrases of actions, and facts."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from porta_nigra_env.core.narration.facts import (
    PAY,
    PHASE,
    SEAT,
    Axis,
    Fact,
    Narration,
    Phrase,
    Verb,
    entries,
    members,
    numbered,
    plain,
)
from porta_nigra_env.core.narration.language import Noun
from porta_nigra_env.games.gloria_mundi.actions import NUM_AMOUNTS
from porta_nigra_env.games.gloria_mundi.components.load import Components
from porta_nigra_env.games.gloria_mundi.components.names import (
    BASES,
    BASIC,
    ENDS,
    GAINS,
    NUM_CARDS,
    PHASES,
    STONES,
    TYPES,
)
from porta_nigra_env.games.gloria_mundi.narration.explanations import explanations
from porta_nigra_env.games.gloria_mundi.narration.remedies import REMEDIES, refresh

#: Base cards, and stones, as single things.
_BASE_TEXTS: Final = ("farm", "city", "peace card")
_STONE_TEXTS: Final = ("food", "gold", "peace", "glory")
_BASE_NOUNS: Final = (
    Noun("{n} farm", "{n} farms"), Noun("{n} city", "{n} cities"), Noun("{n} peace card", "{n} peace cards"),
)  # fmt: skip
_BARE_NOUNS: Final = (
    Noun("{n} bare farm", "{n} bare farms"), Noun("{n} bare city", "{n} bare cities"),
    Noun("{n} bare peace card", "{n} bare peace cards"),
)  # fmt: skip
_STONE_NOUNS: Final = (
    Noun("{n} food", "{n} food"), Noun("{n} gold", "{n} gold"), Noun("{n} peace", "{n} peace"),
    Noun("{n} glory", "{n} glory"),
)  # fmt: skip
_END_TEXTS: Final = (
    "the Goth has reached Rome", "the player whose turn it is has no base card in hand", "a Roman has reached Africa",
    "the deck is empty",
)  # fmt: skip

_NO_AMOUNT: Final = "No payment that fits and that you can make has this amount."
_NO_WALL: Final = "This card is no wall of yours on a base card of a demanded type."
_NOT_NAMED: Final = "The card does not name this stone."
_NO_USE: Final = "This card has no activation now, or it would have no effect."

PHRASES: Final = {
    "play": Phrase("play a {base_name} from your hand", ("base_name",), ("play",)),
    "use": Phrase("use {card}", ("card",), ("exclusive", "activate"), _NO_USE),
    "base": Phrase("let the base card below {card} produce", ("card",), ("activate",), _NO_USE),
    "done": Phrase("go on without it", (), ("exclusive", "activate", "repeat", "buy")),
    "again": Phrase("give and get once more", (), ("repeat",)),
    "give": Phrase("give 1 {stone_name}", ("stone_name",), ("give",), _NOT_NAMED),
    "discard": Phrase("give up {card}", ("card",), ("discard",)),
    "take": Phrase("take 1 {stone_name}", ("stone_name",), ("take", "reclaim"), _NOT_NAMED),
    "buy": Phrase("buy the card on place {place}", ("place",), ("buy",)),
    "on": Phrase("lay the card on a {base_name}", ("base_name",), ("place",)),
    "pay": Phrase("pay with {amount} {basic}", ("basic", "amount"), ("pay", "pay_tribute"), _NO_AMOUNT),
    "tribute": Phrase("pay the tribute for the next empty space", (), ("goth",)),
    "goth": Phrase("let the Goth move", (), ("goth",)),
    "lose_bare": Phrase("lose a bare {base_name}", ("base_name",), ("lose",)),
    "lose": Phrase("lose {card} and the base card below it", ("card",), ("lose",)),
    "wall": Phrase("give up the wall {card} instead of the base card below it", ("card",), ("lose",), _NO_WALL),
}

PHASE_TEXTS: Final = (
    "play a base card", "use an exclusive card or not", "use building cards", "give and get once more or not",
    "give a stone", "give up a building card", "take a stone", "buy a card or not", "choose the base card for it",
    "pay for the card", "pay the tribute or let the Goth move", "pay the tribute", "lose a base card",
    "take a stone of the tribute", "the game is over",
)  # fmt: skip

_STEPS: Final = Noun("{n} step", "{n} steps")

#: Everything is public but the order of the deck.
FACTS: Final = (
    Fact("stones", entries("stones"), (SEAT, "stone"), down=PAY, left=True),
    Fact(
        "steps",
        entries("steps"),
        (SEAT,),
        up=Verb("your Roman flees {what}", "the Roman of {seat} flees {what}"),
        noun=_STEPS,
        left=True,
    ),
    Fact("hand", entries("hand"), (SEAT, "base"), aside=True, down=Verb("you play {what}", "{seat} plays {what}")),
    Fact(
        "bare",
        entries("bare"),
        (SEAT, "bare_base"),
        aside=True,
        up=Verb("you now have {what} more", "{seat} now has {what} more"),
        down=Verb("you now have {what} less", "{seat} now has {what} less"),
    ),
    Fact(
        "buildings",
        members("covered", NUM_CARDS),
        (SEAT, "base_name", "card"),
        up=Verb("you lay {card} on a {base_name}", "{seat} lays {card} on a {base_name}"),
        down=Verb("you give up {card}", "{seat} gives up {card}"),
    ),
    Fact(
        "forum",
        entries("forum"),
        ("place",),
        values="card",
        drawn=True,
        aside=True,
        up=plain("{what} lies on place {place}"),
        none=plain("place {place} is empty"),
    ),
    Fact("fire", members("fire", NUM_CARDS), ("card",), drawn=True, aside=True, up=plain("{card} goes to the fire")),
    Fact("deck", entries("num_deck"), drawn=True, aside=True, up=plain("cards left in the deck: {after}")),
    Fact(
        "played",
        entries("played"),
        values="base_name",
        aside=True,
        up=plain("the base cards of the turn: {what}"),
        none=plain("the turn is over"),
    ),
    Fact(
        "card", entries("card"), values="card", aside=True, up=plain("{what} is used"), none=plain("{what} is finished")
    ),
    Fact("give_left", entries("give_left"), aside=True, up=plain("stones still to be given: {after}")),
    Fact("take_left", entries("take_left"), aside=True, up=plain("stones still to be taken: {after}")),
    Fact(
        "place",
        entries("place"),
        values="place",
        aside=True,
        up=plain("the card on place {what} is chosen"),
        none=plain("the card on place {what} is bought"),
    ),
    Fact(
        "base",
        entries("base"),
        values="base_name",
        aside=True,
        up=plain("it will lie on a {what}"),
        none=plain("it lies on a {what}"),
    ),
    Fact(
        "paid",
        entries("paid"),
        ("basic",),
        aside=True,
        up=plain("the payment has {after} {basic}"),
        down=plain("the {basic} is paid"),
    ),
    Fact("goth", entries("goth"), up=plain("the Goth moves to space {after} of his track")),
    Fact("num_tribute", entries("num_tribute"), up=plain("provinces with tribute ahead of the Goth: {after}")),
    Fact(
        "tribute",
        entries("tribute"),
        ("space",),
        aside=True,
        up=plain("tribute lies on space {space}"),
        down=plain("the tribute on space {space} is taken up"),
    ),
    Fact(
        "demanded",
        entries("demanded"),
        ("base",),
        up=plain("the Goth demands {what}"),
        down=plain("given to the Goth: {what}"),
    ),
    Fact(
        "raid_stones",
        entries("raid_stones"),
        ("stone",),
        up=plain("to take back from the tribute: {what}"),
        down=plain("taken back from the tribute: {what}"),
    ),
    Fact("turn", entries("turn"), up=plain("turn {after} begins")),
    Fact(
        "active_player",
        entries("active_player"),
        values=SEAT,
        aside=True,
        up=Verb("it is your turn", "it is the turn of {seat}"),
    ),
    PHASE,
    Fact(
        "current_player",
        entries("current_player"),
        values=SEAT,
        aside=True,
        drawn=True,
        up=Verb("you decide", "{seat} decides"),
        none=plain("the game is over"),
    ),
    Fact("end", entries("end"), values="end", up=plain("the end: {what}")),
)

SILENT: Final = {
    "key": "random key",
    "counters": "positions of random streams",
    "num_players": "constant",
    "options": "derived from the other fields",
    "left": "the cards that still have an activation, derived from display and actions",
    "deck": "hidden order; its contents are what has not been seen",
}

#: Fields that change if and only if a step draws something.
CHANCE: Final = ("num_deck",)


@cache
def narration_of(components: Components) -> Narration:
    """Return the words of a component set."""
    cards = [name.replace("_", " ").title() for name in components.cards]
    extras = [f"+{extra}" for extra in components.extras]
    axes = {
        "base": Axis(BASES, _BASE_NOUNS),
        "base_name": Axis(BASES, _BASE_TEXTS),
        "bare_base": Axis(BASES, _BARE_NOUNS),
        "stone": Axis(STONES, _STONE_NOUNS),
        "stone_name": Axis(STONES, _STONE_TEXTS),
        "gain": Axis(GAINS, (*_STONE_TEXTS, "a step")),
        "basic": Axis(BASIC, _STONE_TEXTS[: len(BASIC)]),
        "amount": numbered(range(NUM_AMOUNTS)),
        "card": Axis(components.cards, cards, proper=True),
        "type": Axis(TYPES, ("farm card", "city card", "peace card", "builder", "wall"), "type"),
        "place": Axis([str(extra) for extra in components.extras], extras, proper=True),
        "space": numbered(range(len(components.constants[0]["symbols"]))),
        "end": Axis(ENDS, _END_TEXTS),
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
        refresh=refresh,
        explanations=explanations(components),
        sources=("steps",),
    )
