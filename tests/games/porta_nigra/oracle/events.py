"""Rare events of a game, recognised from two positions and the action between them.

A comparison of games in which nothing rare happens proves little; the lock-step runs count these and fail if one of
them was never met.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.games.porta_nigra.oracle.edits import elements_of

Position = dict[str, Any]

#: Every event, with the rulings it exercises.
EVENTS = {
    "early end by the fifteenth element": "R29",
    "early end by empty reserve and market": "R29",
    "final turns across a round's end": "R30",
    "last round cut short": "R30",
    "appointed seat has no final turn": "R30",
    "reserve empty": "R8",
    "partial refill": "R8",
    "supply pile shuffled within a refill": "R7",
    "building deck empty": "R9",
    "honour deck empty": "R9",
    "grey icon": "R17",
    "torch token after the markers": "R12",
    "white bricks as substitutes": "R18",
    "reward short of Romans": "R21",
    "30 bought": "R25",
    "42 bought": "R25",
    "56 bought": "R25",
    "substitute bought": "R25",
    "crown": "R26",
    "crown with a reward": "R26",
    "crown without a target": "R26",
    "built by influence": "R23",
    "interim total of zero": "R27",
    "appointed by the youngest of a tie": "R28",
    "tie for first, broken": "R3",
    "tie for second, broken": "R3",
    "tie for first, unbroken": "R35",
    "tie for second, unbroken": "R35",
    "several winners": "R36",
}


def _refill(before: Position, after: Position, data: dict[str, Any], events: Counter[str]) -> None:
    """Events of the supply cards; `before` has the piles before the refill."""
    old, new = before["supply_cards"], after["supply_cards"]
    if len(new["draw"]) > len(old["draw"]) or (not old["draw"] and new["discard"] != old["discard"]):
        if old["draw"]:
            events["supply pile shuffled within a refill"] += 1
        return
    drawn = new["discard"][len(old["discard"]) :]
    shown = sum(len(data["supply_cards"][card]["shops"]) for card in drawn)
    if shown > before["reserve"] - after["reserve"] and drawn:
        events["partial refill"] += 1


def _turn(before: Position, action: str, after: Position, data: dict[str, Any], events: Counter[str]) -> None:
    seat = before["current_player"]
    old, new = before["players"][seat], after["players"][seat]
    if action.startswith("buy "):
        _, colour, _, icon = action.split()
        events["grey icon"] += icon not in ("buy_any", f"buy_{colour}")
    if action.startswith(("buy ", "take ")) and before["turn"]["markers_left"] == 0:
        events["torch token after the markers"] += 1
    if action.startswith("build "):
        events["built by influence"] += action.endswith("by influence")
        colours = sum(old["bricks"][colour] != new["bricks"][colour] for colour in old["bricks"])
        gained = old["bricks"]["white"] - new["bricks"]["white"]
        events["white bricks as substitutes"] += colours > 1 and gained > 0
        events["reward short of Romans"] += new["romans_reserve"] == 0 < old["romans_reserve"]
    if action.startswith("honour "):
        kind = next(card for card in data["honour_cards"] if card["name"] == action.split()[1])
        if "final_vp" in kind:
            events[f"{kind['final_vp']} bought"] += 1
        events["substitute bought"] += "substitute" in kind
        events["crown without a target"] += bool(kind.get("porta_nigra_brick")) and after["phase"] != "crown"
    if action.startswith("crown "):
        events["crown"] += 1
        events["crown with a reward"] += new["influence"] > old["influence"]
    if before["early_end"] is None and after["early_end"] is not None:
        if elements_of(after, seat) == data["constants"]["romans_per_player"]:
            events["early end by the fifteenth element"] += 1
        else:
            events["early end by empty reserve and market"] += 1


def _ties(position: Position, scores: list[dict[str, Any]], data: dict[str, Any], events: Counter[str]) -> None:
    """Ties for a place, by the points that were given for them."""
    for building, areas in data["majorities"].items():
        for area, (first, second) in areas.items():
            if building == "porta_nigra":
                spots = [s for s in position["spots"][building]["A"] if s and s["height"] == int(area)]
                counts = Counter(spot["owner"] for spot in spots)
            else:
                counts = Counter()
                for spot in position["spots"][building][area]:
                    if spot:
                        counts[spot["owner"]] += spot["height"]
            points = {seat: scores[seat]["majorities"][building][area] for seat in counts}
            if not counts or not first > second > 0:
                continue
            leaders = [seat for seat in counts if counts[seat] == max(counts.values())]
            if len(leaders) > 1:
                broken = any(points[seat] == first for seat in leaders)
                events["tie for first, broken" if broken else "tie for first, unbroken"] += 1
            else:
                rest = [seat for seat in counts if seat not in leaders]
                runners_up = [seat for seat in rest if counts[seat] == max(counts[other] for other in rest)]
                if len(runners_up) > 1:
                    broken = any(points[seat] == second for seat in runners_up)
                    events["tie for second, broken" if broken else "tie for second, unbroken"] += 1


def count_events(before: Position, action: str, after: Position, data: dict[str, Any], events: Counter[str]) -> None:
    """Count the events between two positions of a game."""
    if action == "end" or action.startswith("appoint"):
        if after["phase"] != "over":
            _refill(before, after, data, events)
    elif before["turn"] is not None:
        _turn(before, action, after, data, events)
    events["reserve empty"] += after["reserve"] == 0 < before["reserve"]
    events["building deck empty"] += bool(before["building_cards"]["draw"]) and not after["building_cards"]["draw"]
    events["honour deck empty"] += bool(before["honour_cards"]["draw"]) and not after["honour_cards"]["draw"]
    if action.startswith("appoint") and after["early_end"] is not None:
        events["final turns across a round's end"] += 1
        events["appointed seat has no final turn"] += after["starting_player"] != after["current_player"]
    if after["phase"] == "split_tens" and after["split"]["total"] == 0:
        events["interim total of zero"] += 1
    if after["phase"] == "appoint":
        points = [player["vp"] for player in after["players"]]
        events["appointed by the youngest of a tie"] += points.count(min(points)) > 1
    if after["phase"] == "over" and after["early_end"] and after["early_end"]["final_turns_left"]:
        events["last round cut short"] += 1


def count_result(position: Position, scores: list[dict[str, Any]], data: dict[str, Any], events: Counter[str]) -> None:
    """Add the events of a game's end."""
    _ties(position, scores, data, events)
    totals = [line["total"] for line in scores]
    events["several winners"] += totals.count(max(totals)) > 1
