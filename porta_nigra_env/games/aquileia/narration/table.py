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
)
from porta_nigra_env.core.narration.language import Noun
from porta_nigra_env.games.aquileia.components.load import Components
from porta_nigra_env.games.aquileia.components.names import KINDS, MAX_BUILDINGS, MAX_PLAYERS, MAX_SPACES, PHASES
from porta_nigra_env.games.aquileia.narration.explanations import explanations
from porta_nigra_env.games.aquileia.narration.remedies import REMEDIES

_COIN_NOUNS: Final = tuple(Noun(f"{{n}} {kind} coin", f"{{n}} {kind} coins") for kind in KINDS)
_COIN_TEXTS: Final = tuple(f"{kind} coin" for kind in KINDS)
_MISSING: Final = "This is not open to you now."
_NO_SPACE: Final = "This space is taken, or an equal one before it is free."

PHRASES: Final = {
    "place": Phrase("send a follower to {space}", ("space",), ("place",), _NO_SPACE),
    "crest": Phrase("put your crest on the next rank of the advantage track", (), ("place",)),
    "pass": Phrase("pass", (), ("place", "equi", "servi", "auction", "forum", "portus")),
    "done": Phrase("stop here", (), ("pecunia", "arena_cards", "stadium_cards")),
    "exchange": Phrase("exchange {exchange}", ("exchange",), ("pecunia",), _MISSING),
    "buy": Phrase("pay for {cards}", ("cards",), ("equi", "servi"), _MISSING),
    "play": Phrase("play {face}", ("face",), ("arena_cards", "stadium_cards"), _MISSING),
    "dice": Phrase("roll {blue}", ("blue",), ("arena_dice",)),
    "take": Phrase("take {prize} as your prize", ("prize",), ("arena_prize",)),
    "keep": Phrase("keep {kept}", ("kept",), ("stadium_prize",)),
    "bid": Phrase("raise the bid by a {coin_name}", ("coin_name",), ("auction",)),
    "build": Phrase("build {building}", ("building",), ("forum",), _MISSING),
    "activate": Phrase("pay the stolen coin again and activate your buildings", (), ("portus",)),
}

PHASE_TEXTS: Final = (
    "place a follower", "exchange coins or stop", "buy the equi card or not", "buy slave cards or not",
    "play cards for the fight or stop", "roll blue dice", "choose the prize of the fight",
    "play cards for the race or stop", "choose the stadium card", "bid or pass", "build or pass",
    "pay again and activate, or pass", "the game is over",
)  # fmt: skip

_POINTS: Final = Noun("{n} victory point", "{n} victory points")
#: Chance that changes coins, and all that follows from them.
_ROLLED: Final = ("dice",)

#: Everything public, the observer's cards, and the stadium cards that it knows.
FACTS: Final = (
    Fact("coins", entries("coins"), (SEAT, "coin"), down=PAY, drawn=_ROLLED, left=True),
    Fact("vp", entries("vp"), (SEAT,), down=LOSE, drawn=_ROLLED, noun=_POINTS, left=True),
    Fact(
        "standing",
        members("standing", MAX_SPACES),
        (SEAT, "space"),
        aside=True,
        up=Verb("your follower goes to {space}", "a follower of {seat} goes to {space}"),
        down=Verb("your follower comes home from {space}", "a follower of {seat} comes home from {space}"),
    ),
    Fact(
        "crest",
        entries("crest"),
        (SEAT,),
        values="rank",
        drawn=_ROLLED,
        up=Verb("your crest takes rank {what}", "the crest of {seat} takes rank {what}"),
        none=Verb("your crest comes back", "the crest of {seat} comes back"),
    ),
    Fact(
        "buildings",
        members("buildings", MAX_BUILDINGS),
        (SEAT, "building"),
        aside=True,
        up=Verb("you build {building}", "{seat} builds {building}"),
    ),
    Fact(
        "slaves",
        entries("slaves"),
        (SEAT, "slave_card"),
        seen_by="owner",
        drawn=True,
        down=Verb("you give {what}", "{seat} gives {what}"),
    ),
    Fact(
        "num_slaves",
        entries("num_slaves"),
        (SEAT,),
        aside=True,
        noun=Noun("{n} slave card", "{n} slave cards"),
        down=Verb("you give {what}", "{seat} gives {what}"),
    ),
    Fact(
        "equi",
        entries("equi"),
        (SEAT, "equi_card"),
        seen_by="some",
        drawn=True,
        down=Verb("you give {what}", "{seat} gives {what}"),
    ),
    Fact(
        "num_equi",
        entries("num_equi"),
        (SEAT,),
        aside=True,
        noun=Noun("{n} equi card", "{n} equi cards"),
        down=Verb("you give {what}", "{seat} gives {what}"),
    ),
    Fact("dice", entries("dice"), ("roll", "side"), drawn=True, aside=True, up=plain("{roll}: now {after} x {side}")),
    Fact(
        "strength",
        entries("strength"),
        (SEAT,),
        drawn=True,
        up=Verb("your strength is now {after}", "the strength of {seat} is now {after}"),
    ),
    Fact(
        "blue_owner",
        entries("blue_owner"),
        values=SEAT,
        drawn=_ROLLED,
        up=Verb("you get the blue dice", "{seat} gets the blue dice"),
        none=plain("the blue dice go back"),
    ),
    Fact("blue_left", entries("blue_left"), aside=True, up=plain("blue dice left: {after}")),
    Fact(
        "bid",
        entries("bid"),
        ("coin",),
        aside=True,
        up=plain("the bid rises by {what}"),
        down=plain("the bid is cleared of {what}"),
    ),
    Fact(
        "auction_card",
        entries("auction_card"),
        values="theatre_card",
        drawn=True,
        aside=True,
        up=plain("{what} is on sale"),
        none=plain("{what} is no longer on sale"),
    ),
    Fact(
        "bidder",
        entries("bidder"),
        values=SEAT,
        drawn=_ROLLED,
        up=Verb("you hold the highest bid", "{seat} holds the highest bid"),
        none=plain("the auction is over"),
    ),
    Fact(
        "theatre_owner",
        entries("theatre_owner"),
        ("theatre_card",),
        values=SEAT,
        drawn=_ROLLED,
        up=Verb("you win {theatre_card}", "{seat} wins {theatre_card}"),
    ),
    Fact(
        "portus_coins",
        members("portus_coins", len(KINDS)),
        ("coin_name",),
        aside=True,
        up=plain("a {coin_name} lies in the Portus"),
        down=plain("the {coin_name} leaves the Portus"),
    ),
    Fact(
        "equi_row",
        entries("equi_row"),
        ("equi_space",),
        values="equi_name",
        drawn=True,
        aside=True,
        up=plain("{what} lies open at {equi_space}"),
        none=plain("no card lies open at {equi_space}"),
    ),
    Fact(
        "slave_discard",
        entries("slave_discard"),
        ("slave_card",),
        drawn=True,
        aside=True,
        up=plain("discarded: {what}"),
        down=plain("shuffled into the pile: {what}"),
    ),
    Fact(
        "equi_discard",
        entries("equi_discard"),
        ("equi_card",),
        drawn=True,
        aside=True,
        up=plain("discarded: {what}"),
        down=plain("shuffled into the pile: {what}"),
    ),
    Fact("slave_pile", entries("num_slave_draw"), drawn=True, aside=True, up=plain("slave cards in the pile: {after}")),
    Fact("equi_pile", entries("num_equi_draw"), drawn=True, aside=True, up=plain("equi cards in the pile: {after}")),
    Fact(
        "stadium_open",
        entries("stadium_open"),
        values="stadium_card",
        drawn=True,
        aside=True,
        up=plain("the open stadium card is {what}"),
        none=plain("the open stadium card is gone"),
    ),
    Fact(
        "past_first",
        entries("past_first"),
        ("past",),
        values=SEAT,
        aside=True,
        up=Verb("you are first in the race of round {past}", "{seat} is first in the race of round {past}"),
    ),
    Fact(
        "past_second",
        entries("past_second"),
        ("past",),
        values=SEAT,
        aside=True,
        up=Verb("you are second in the race of round {past}", "{seat} is second in the race of round {past}"),
    ),
    Fact(
        "past_open",
        entries("past_open"),
        ("past",),
        values="stadium_card",
        aside=True,
        up=plain("the open stadium card of round {past} was {what}"),
    ),
    Fact(
        "past_drawn",
        entries("past_drawn"),
        ("past",),
        values="stadium_card",
        seen_by="some",
        aside=True,
        up=plain("the drawn stadium card of round {past} was {what}"),
    ),
    Fact(
        "past_kept",
        entries("past_kept"),
        ("past",),
        values="kept",
        seen_by="some",
        aside=True,
        up=plain("the first of round {past} has {what}"),
    ),
    Fact(
        "builds_left", entries("builds_left"), aside=True, up=plain("buildings that can still be built here: {after}")
    ),
    Fact("round", entries("round"), drawn=_ROLLED, up=plain("round {after} begins")),
    STARTING_PLAYER,
    PHASE,
    MOVER,
)

SILENT: Final = {
    "key": "random key",
    "counters": "positions of random streams",
    "num_players": "constant",
    "received": "coins received at Pecunia, told by `coins`",
    "followers_left": "those that stand nowhere",
    "houses_left": "those on no building",
    "passed": "told by the action",
    "out": "told by the action, or follows from the bid",
    "slave_cards": "hidden",
    "equi_cards": "hidden",
    "equi_known": "shown by `equi`",
    "stadium_cards": "hidden, but for the drawn card while the first of the race chooses",
    "num_stadium_draw": "follows from the round",
    "theatre_cards": "hidden order",
    "num_theatre_draw": "follows from the cards owned and on sale",
    "last": "the last card or exchange, told by the action",
}

#: Fields that change if and only if a step draws or rolls something, but for the dice taken up after a placement.
CHANCE: Final = ("counters", "num_slave_draw", "num_equi_draw", "num_stadium_draw", "num_theatre_draw", "dice")


def _title(names: Sequence[str]) -> list[str]:
    return [name.replace("_", " ").title() for name in names]


@cache
def narration_of(components: Components) -> Narration:
    """Return the words of a component set."""
    slaves, equi = components.slave_faces, components.equi_faces
    faces = [_face(*face.rsplit("_", 1)) for face in (*slaves, *equi)]
    equi_spaces = [space for space in components.spaces if space.startswith("equi")]
    seats = range(MAX_PLAYERS)
    rolls = ["Dolus", "Latro", "blue dice in the Arena", "blue dice in the Stadium"]
    rolls += [f"red dice of player {seat} in the {area}" for area in ("Arena", "Stadium") for seat in seats]
    exchanges = [f"a {give} coin for a {get} one" for give, get in (name.split() for name in components.exchanges)]
    theatre = [f"the theatre card {name.replace('_', ' and ')}" for name in components.theatre_cards]
    cards = [Noun("{n} card", "{n} cards")]
    axes = {
        "space": Axis(components.spaces, [_space(name) for name in components.spaces]),
        "equi_space": Axis(equi_spaces, _title(equi_spaces)),
        "coin": Axis(KINDS, _COIN_NOUNS),
        "coin_name": Axis(KINDS, _COIN_TEXTS),
        "rank": numbered(range(1, MAX_PLAYERS + 1)),
        "building": Axis(components.buildings, _title(components.buildings)),
        "exchange": Axis(components.exchanges, exchanges),
        "cards": Axis(
            [str(number) for number in range(1, components.sizes.buys + 1)],
            [_numbered(cards[0], number) for number in range(1, components.sizes.buys + 1)],
        ),
        "face": Axis((*slaves, *equi), [f"a {face.one[4:]}" for face in faces]),
        "slave_card": Axis(slaves, faces[: len(slaves)]),
        "equi_card": Axis(equi, faces[len(slaves) :]),
        "equi_name": Axis(equi, [f"a {face.one[4:]}" for face in faces[len(slaves) :]]),
        "blue": Axis(
            [str(number) for number in range(components.sizes.blue_dice + 1)],
            ["no blue dice", "1 blue die", *(f"{n} blue dice" for n in range(2, components.sizes.blue_dice + 1))],
        ),
        "prize": Axis(("points", "slave"), ("points for your strength", "a slave card")),
        "kept": Axis(("open", "drawn"), ("the open stadium card", "the drawn stadium card")),
        "side": named(KINDS, "side"),
        "roll": Axis([str(roll) for roll in range(len(rolls))], rolls),
        "stadium_card": Axis(components.stadium_faces, _spaced(components.stadium_faces)),
        "theatre_card": Axis(components.theatre_cards, theatre),
        "past": numbered(range(1, len(components.constants[0]["stadium_copies"]) + 1)),
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
        veils=("equi_known",),
        remedies=REMEDIES,
        explanations=explanations(components),
        sources=("on the scoring track", "laurels", "villas"),
    )


def _space(name: str) -> str:
    return _title([f"stadium_{name}" if name.split("_")[0] in KINDS else name])[0]


def _face(kind: str, number: str) -> Noun:
    """Return the text of a slave or equi card."""
    if kind == "slave":
        what = ("single", "double")[int(number) - 1]
        return Noun(f"{{n}} {what} slave card", f"{{n}} {what} slave cards")
    thing = kind.replace("_", " ")
    return Noun(f"{{n}} {thing} of strength {number}", f"{{n}} {thing}s of strength {number}")


def _numbered(noun: Noun, number: int) -> str:
    return (noun.one if number == 1 else noun.many).format(n=number)


def _spaced(names: Sequence[str]) -> list[str]:
    return [name.replace("_", " ") for name in names]
