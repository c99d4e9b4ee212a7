"""The grammar of abilities on building cards.

An ability has a kind, and the sides of this kind.  A side is written in one of several ways, each of one or two
fields::

    { kind = "give", pay = { food = 2 }, gain = { peace = 3 } }
    { kind = "give", pay_choose = ["food", "gold"], pay_count = 3, choose = ["peace", "glory"], count = 2 }
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from porta_nigra_env.core.positions.checks import Check, Place, amounts, boolean, integer, keys, list_of, one_of
from porta_nigra_env.games.gloria_mundi.components.names import BASES, GAINS, KINDS, MAX_COUNT, STONES

#: Things that "have" counts, besides stones.
PER: Final = (*BASES, "building")
#: Gains for another building card given up: its laurel steps, or the stones of its price.
GAIN_CARD: Final = ("steps", "price")

_COUNT: Final = integer(1, MAX_COUNT)


def _stones(fewest: int) -> Check:
    """Return a check of a list of different stones."""
    return list_of(one_of(STONES), fewest, len(STONES), distinct=True)


_FIELDS: Final[Mapping[str, Check]] = {
    "pay": amounts(dict.fromkeys(STONES, _COUNT), 1),
    "pay_choose": _stones(2),
    "pay_count": _COUNT,
    "pay_card": one_of(("building",)),
    "per": one_of(PER),
    "per_stone": one_of(STONES),
    "each_other": one_of(BASES),
    "goth": one_of(BASES),
    "use": _stones(1),
    "for": _stones(1),
    "gain": amounts(dict.fromkeys(GAINS, _COUNT), 1),
    "choose": _stones(2),
    "count": _COUNT,
    "gain_card": one_of(GAIN_CARD),
    "repeat": boolean,
}


class Side(NamedTuple):
    """A side of an ability: its name, and the fields of each way to write it."""

    called: str
    ways: tuple[tuple[str, ...], ...]


_GAIN: Final = Side("right side", (("gain",),))
_GAIN_OR_CHOOSE: Final = Side("right side", (("gain",), ("choose", "count")))

#: The sides of each kind.
SIDES: Final[Mapping[str, tuple[Side, ...]]] = {
    "produce": (_GAIN_OR_CHOOSE,),
    "give": (
        Side("left side", (("pay",), ("pay_choose", "pay_count"), ("pay_card",))),
        Side("right side", (*_GAIN_OR_CHOOSE.ways, ("gain_card",))),
    ),
    "have": (Side("left side", (("per",), ("per_stone",))), _GAIN),
    "fulfil": (Side("left side", (("each_other",), ("goth",))), _GAIN),
    "replace": (Side("left side", (("use",),)), Side("right side", (("for",),))),
    "wall": (),
}
#: Kinds that may have a printed X.
REPEATED: Final = ("give", "replace")


def ability(value: object, place: Place) -> dict[str, Any]:
    """Return a validated ability: its kind, its sides, and `repeat` if true."""
    fields = keys(value, place, "field", ("kind",), _FIELDS)
    kind: str = one_of(KINDS)(fields["kind"], place.at("field", "kind"))
    known = {field for side in SIDES[kind] for way in side.ways for field in way}
    if kind in REPEATED:
        known.add("repeat")
    for field in fields:
        if field not in known and field != "kind":
            raise place.at("field", field).error(
                f"the kind {kind} has none", f"leave it out, or give another than {kind}"
            )
    result: dict[str, Any] = {"kind": kind}
    for side in SIDES[kind]:
        for field in _way(side, fields, place):
            result[field] = _FIELDS[field](fields[field], place.at("field", field))
    if "repeat" in fields and boolean(fields["repeat"], place.at("field", "repeat")):
        result["repeat"] = True
    return result


def _way(side: Side, fields: Mapping[str, Any], place: Place) -> tuple[str, ...]:
    """Return the fields of the way in which a side is written."""
    written = [way for way in side.ways if any(field in fields for field in way)]
    options = " or ".join(" with ".join(way) for way in side.ways)
    if not written:
        raise place.at("field", side.ways[0][0]).error("is missing", f"give the {side.called}: {options}")
    if len(written) > 1:
        first, second = (next(field for field in way if field in fields) for way in written[:2])
        raise place.at("field", second).error(f"stands beside {first}", f"give one {side.called}: {options}")
    for field in written[0]:
        if field not in fields:
            raise place.at("field", field).error("is missing", "add it")
    return written[0]
