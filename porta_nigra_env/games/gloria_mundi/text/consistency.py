"""What ties the fields of a position together: laws, tried once every field is right by itself.

A law is a function whose docstring states it; it raises through `refuse`, with the field and the rule that is broken.
Those of the pending decision stand in `decision_laws`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from porta_nigra_env.core.positions.position import members, refuse
from porta_nigra_env.games.gloria_mundi.components.names import BASES, BASIC, NUM_CARDS, PHASES
from porta_nigra_env.games.gloria_mundi.text.fields import Reading
from porta_nigra_env.games.gloria_mundi.text.writing import RAID_PHASES

#: Phases in which the card that was revealed in this turn still lies on the first place.
_BEFORE_GOTH: Final = PHASES[: PHASES.index("goth")]

# ------------------------------------------------------------------------------------------------ building cards


def every_building_card_is_somewhere_once(reading: Reading) -> None:
    """Each building card lies once in the deck, the forum, the fire or a display."""
    names = reading.components.cards
    first: dict[int, str] = {}
    for field, card in reading.cards:
        if card in first:
            refuse(field, f"{names[card]} lies in {first[card]} already; each building card is there once")
        first[card] = field
    missing = [name for card, name in enumerate(names) if card not in first]
    if missing:
        refuse("deck", f"{missing[0]} is missing: it must lie in deck, forum, fire or the buildings of a player")


def building_cards_lie_where_they_may(reading: Reading) -> None:
    """Coloured cards lie on their own type, walls on the type they show, builders on any (G23)."""
    for seat in range(reading.players):
        for base, called in enumerate(BASES):
            for card in members(reading.covered(seat, base)):
                if not int(reading.constants["lies_on"][card]) >> base & 1:
                    name = reading.components.cards[card]
                    refuse(f"players[{seat}].buildings.{name}", f"it must not lie on {called} (G23)")


def a_card_is_revealed_in_each_turn(reading: Reading) -> None:
    """The deck has lost the cards laid out at the start and one in each turn (G3, G6, G7)."""
    size, start = int(reading.state["num_deck"]), reading.number("forum_start_cards")
    wanted = NUM_CARDS - start - reading.turn + (reading.end == "deck")
    if wanted < 0:
        refuse("turn", f"must be at most {reading.turn + wanted}: the deck does not last longer (G7)")
    if reading.end == "deck" and wanted:
        refuse("turn", f"must be {reading.turn + wanted} where end is deck: then no card is left (G7)")
    if size != wanted:
        refuse("deck", f"must hold {wanted} cards in turn {reading.turn}, not {size} (G6)")


def this_turns_card_lies_on_the_first_place(reading: Reading) -> None:
    """The revealed card lies there until something is bought (G6)."""
    if reading.phase in _BEFORE_GOTH and reading.state["forum"][0] < 0:
        refuse(f"forum.{reading.components.extras[0]}", f"must hold this turn's card in phase {reading.phase} (G6)")


# ------------------------------------------------------------------------------------------------ base cards


def _seats_and_bases(reading: Reading) -> Iterator[tuple[int, int, str]]:
    """Each seat and base type, and how the hand of this type is called."""
    for seat in range(reading.players):
        for base, called in enumerate(BASES):
            yield seat, base, f"players[{seat}].hand.{called}"


def nobody_has_more_base_cards_than_dealt(reading: Reading) -> None:
    """A hand has at most what was dealt less the start display; with the display at most what was dealt (G2)."""
    for seat, base, field in _seats_and_bases(reading):
        hand, most, dealt = int(reading.state["hand"][seat, base]), reading.in_hand[base], reading.dealt[base]
        if hand > most:
            refuse(field, f"must be at most {most}, the hand at the start (G2)")
        displayed = reading.displayed(seat, base)
        if hand + displayed > dealt:
            refuse(field, f"{hand} in hand and {displayed} in the display are more than the {dealt} dealt (G2)")


def _turns_had(reading: Reading, seat: int) -> int:
    """Turns in which a seat has played a base card."""
    unplayed = reading.phase == "play" or reading.end in ("hand", "deck")
    turns, start = reading.turn - unplayed, (reading.active - reading.turn + 1) % reading.players
    return (turns - (seat - start) % reading.players + reading.players - 1) // reading.players


def _played(reading: Reading, seat: int, base: int) -> int:
    """Base cards of a type that a seat has played."""
    return reading.in_hand[base] - int(reading.state["hand"][seat, base])


def a_base_card_is_played_in_each_turn(reading: Reading) -> None:
    """Each seat has played as many base cards as it has had turns."""
    for seat in range(reading.players):
        played = sum(_played(reading, seat, base) for base in range(len(BASES)))
        turns = _turns_had(reading, seat)
        if played != turns:
            refuse(f"players[{seat}].hand", f"{played} base cards were played in {turns} turns, one in each")


def base_cards_are_lost_to_the_goth_alone(reading: Reading) -> None:
    """What is lost or demanded of a type is at most what the Goth has seen of its symbol (G32, G33)."""
    for base, called in enumerate(BASES):
        seats = range(reading.players)
        left = sum(int(reading.state["hand"][seat, base]) + reading.displayed(seat, base) for seat in seats)
        lost, demanded = reading.players * reading.dealt[base] - left, int(reading.state["demanded"][base])
        symbols = int(reading.constants["symbols_to"][reading.goth, base])
        told = f"the provinces up to the Goth have {symbols} symbols of {called} (G32)"
        if lost > symbols:
            refuse("players", f"{lost} base cards {called} are lost, but {told}")
        if lost + demanded > symbols:
            refuse(f"raid.demanded.{called}", f"{lost} are lost and {demanded} demanded, but {told}")


def the_played_type_was_played(reading: Reading) -> None:
    """The active player has played a card of the type, and shows one until the Goth comes (phase 2)."""
    base, active = int(reading.state["played"]), reading.active
    if base < 0:
        return
    if not _played(reading, active, base):
        refuse("played", f"player {active} has played no {BASES[base]} yet")
    if reading.phase not in RAID_PHASES and not reading.displayed(active, base):
        refuse("played", f"player {active} has no {BASES[base]} in her display")


# ------------------------------------------------------------------------------------------------ ends and the Goth


def nobody_is_in_africa_before_the_end(reading: Reading) -> None:
    """Whoever reaches Africa ends the game (G21)."""
    arrived = [
        seat for seat in range(reading.players) if reading.state["steps"][seat] == reading.constants["escape_steps"]
    ]
    if reading.phase != "over" and arrived:
        refuse(f"players[{arrived[0]}].steps", "is Africa: the game would be over (G21)")
    if reading.end == "africa" and len(arrived) != 1:
        refuse("end", f"one player must be in Africa, not {len(arrived)} (G21, G41)")


def the_goth_is_in_rome_at_the_end(reading: Reading) -> None:
    """The Goth enters Rome only to lose, to share, and to end the game (G38)."""
    in_rome, rome = reading.goth == reading.number("provinces") + 1, reading.number("provinces") + 1
    if in_rome and reading.phase not in RAID_PHASES and reading.end != "rome":
        refuse("goth", f"must be less than {rome}: in Rome the game would be over (G38)")
    if reading.end == "rome" and not in_rome:
        refuse("goth", f"must be {rome}, Rome, where end is rome (G38)")


def an_empty_hand_ends_the_game(reading: Reading) -> None:
    """The end `hand` comes when the active player has nothing to play (G8)."""
    if reading.end == "hand" and reading.state["hand"][reading.active].any():
        refuse("end", f"player {reading.active} has base cards in hand (G8)")


def tribute_lies_ahead_of_the_goth(reading: Reading) -> None:
    """Tribute lies on provinces ahead of the Goth; when he moves it becomes common (G30, G37)."""
    ahead = max(0, reading.number("provinces") - reading.goth)
    if len(reading.tribute) > ahead:
        refuse("tribute", f"{len(reading.tribute)} provinces, but {ahead} lie ahead of the Goth")
    if reading.tribute and reading.phase in RAID_PHASES:
        refuse("tribute", f"must be [] in phase {reading.phase}: its stones are in raid.stones (G37)")


def tribute_matches_the_symbols(reading: Reading) -> None:
    """A stone for each symbol of the province: of its kind, or glory (G30)."""
    for entry, stones in enumerate(reading.tribute):
        symbols = [int(number) for number in reading.constants["symbols"][reading.goth + 1 + entry]]
        field, where = f"tribute[{entry}]", f"province {reading.goth + 1 + entry}"
        for kind, stone in enumerate(BASIC):
            if stones[kind] > symbols[kind]:
                refuse(f"{field}.{stone}", f"must be at most {symbols[kind]}: the symbols of {where} (G30)")
        if sum(stones) != sum(symbols):
            refuse(field, f"must have {sum(symbols)} stones, one for each symbol of {where} (G30)")


def shared_stones_were_paid(reading: Reading) -> None:
    """The stones shared were paid on provinces that the Goth has reached (G37)."""
    stones = sum(int(number) for number in reading.state["raid_stones"])
    symbols = sum(int(number) for number in reading.constants["symbols_to"][reading.goth])
    if stones > symbols:
        refuse("raid.stones", f"{stones} stones, but the provinces up to the Goth have {symbols} symbols (G37)")


def demands_end_before_the_sharing(reading: Reading) -> None:
    """Something is demanded as long as cards are lost, and nothing afterwards (G33)."""
    demanded = bool(reading.state["demanded"].any())
    if reading.phase == "lose" and not demanded:
        refuse("raid.demanded", "must not be all 0 in phase lose (G33)")
    if reading.phase == "reclaim" and demanded:
        refuse("raid.demanded", "must be all 0 in phase reclaim (G33)")


LAWS: Final[tuple[Callable[[Reading], None], ...]] = (
    every_building_card_is_somewhere_once,
    building_cards_lie_where_they_may,
    a_card_is_revealed_in_each_turn,
    this_turns_card_lies_on_the_first_place,
    nobody_has_more_base_cards_than_dealt,
    a_base_card_is_played_in_each_turn,
    base_cards_are_lost_to_the_goth_alone,
    the_played_type_was_played,
    nobody_is_in_africa_before_the_end,
    the_goth_is_in_rome_at_the_end,
    an_empty_hand_ends_the_game,
    tribute_lies_ahead_of_the_goth,
    tribute_matches_the_symbols,
    shared_stones_were_paid,
    demands_end_before_the_sharing,
)
