"""II Arena and III Stadium: fights, races, and the stadium cards (A28 to A36)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from porta_nigra_env.games.aquileia.components.load import Components
from tests.games.aquileia.rules.positions import OTHER, Table, after, coins, data_of, effect, gained, legal

pytestmark = pytest.mark.usefixtures("implementation")

CARDS = ("slave_1", "slave_2", "weapon_1", "weapon_2", "weapon_3")


def strengths(position: dict[str, Any]) -> dict[str, int]:
    """Return the strengths counted so far."""
    strengths: dict[str, int] = position["contest"]["strength"]
    return strengths


def fight(players: int = 4, **spaces: int) -> Table:
    """Set up a fight; another player waits in the Forum."""
    return Table(players=players).stand(**spaces, forum_5=players - 1)


# ------------------------------------------------------------------------------------------------ the fight


def test_all_fighters_roll_before_the_first_is_asked_A28(components: Components) -> None:
    """A28: strength is that of the spaces, and 1 for each die of the kind."""
    arena, dice = data_of(components)["arena"], data_of(components)["constants"]["contest_red_dice"]
    table = Table(components, starter=1).stand(arena_1=0, arena_2=2, arena_3=0).equi(0, components.equi_faces[0])
    state = table.equi(2, components.equi_faces[0]).state().apply("pass")
    position = state.to_dict()
    rolled = {seat: Counter(faces) for seat, faces in position["dice"]["arena"].items()}
    assert {seat: faces.total() for seat, faces in rolled.items()} == {"0": dice, "2": dice}
    spaces = {"0": arena["spaces"][0] + arena["spaces"][2], "2": arena["spaces"][1]}
    assert strengths(position) == {seat: spaces[seat] + rolled[seat][arena["coin"]] for seat in spaces}
    assert (state.current_player, position["phase"]) == (2, "arena_cards"), "turn order begins with seat 1"


def test_a_fighter_with_any_card_is_asked_A20_A29() -> None:
    """A20, A29: a fighter with only horses has only `done`; one without cards is not asked."""
    table = fight(arena_1=0, arena_2=1, arena_3=2).equi(1, "gold_horse_1").slaves(2, 1)
    state = table.state().apply("pass")
    assert (state.current_player, state.legal_actions()) == (1, ["done"])
    state.apply("done")
    assert (state.current_player, state.legal_actions()) == (2, ["done", "play slave_1"])


def test_cards_are_played_one_by_one_in_order_A29() -> None:
    """A29: slaves, then weapons; the next is never before the last, equal ones may follow; horses never."""
    table = fight(arena_1=0).slaves(0, 2, 1).equi(0, "weapon_1", "weapon_2", "weapon_3", "silver_horse_1")
    state = table.contest("arena_cards", 0, p0=4).state()
    assert legal(state, "play") == [f"play {face}" for face in CARDS]
    assert effect(state, "play slave_1") == {
        "p0.slaves.slave_1": -1, "slaves.discard.slave_1": 1, "contest.strength.0": 1, "contest.last": "slave_1",
    }  # fmt: skip
    for card, left in (("slave_2", CARDS[2:]), ("weapon_1", CARDS[3:]), ("weapon_3", ())):
        state.apply(f"play {card}")
        assert legal(state, "play") == [f"play {face}" for face in left]
    assert strengths(state.to_dict()) == {"0": 4 + 2 + 1 + 3}
    equal = fight(arena_1=0).slaves(0, 2).contest("arena_cards", 0, p0=1).state().apply("play slave_1")
    assert legal(equal, "play") == ["play slave_1"]


def test_the_last_card_ends_the_turn_A29() -> None:
    """A29: a fighter is asked again while holding any slave or equi card."""
    table = fight(arena_1=0, arena_2=1).slaves(0, 0, 1).equi(1, "weapon_2").contest("arena_cards", 0, p0=2, p1=2)
    assert effect(table, "play slave_2") == {
        "p0.slaves.slave_2": -1, "slaves.discard.slave_2": 1, "contest.strength.0": 2, "current_player": 1,
    }  # fmt: skip
    changed = effect(table, "play slave_2", "play weapon_2")
    assert changed["phase"] == "arena_prize"
    assert changed["equi.discard.weapon_2"] == 1


def test_of_equal_cards_the_known_one_is_played_first_A6() -> None:
    """A6: the unknown cards stay unknown."""
    table = fight(arena_1=0).equi(0, "weapon_1", known=True).equi(0, "weapon_1", "weapon_1")
    table.contest("arena_cards", 0, p0=2)
    first = gained(table, "play weapon_1")
    assert first == {"p0.equi.weapon_1": -1, "p0.equi_known.weapon_1": -1}
    assert gained(table, "play weapon_1", "play weapon_1") == {"p0.equi.weapon_1": -2, "p0.equi_known.weapon_1": -1}


def test_the_owner_says_how_many_blue_dice_she_rolls_A30(components: Components) -> None:
    """A30: 0 up to all, at once; the rest stays for the race."""
    dice, coin = data_of(components)["constants"]["blue_dice"], data_of(components)["arena"]["coin"]
    table = Table(components).stand(arena_1=1, gold_1=1, silver_1=2).contest("arena_dice", 1, p1=3).blue(1)
    state = table.state()
    assert legal(state) == [f"dice {n}" for n in range(dice + 1)]
    for number in range(dice + 1):
        position = after(table, f"dice {number}")
        rolled = Counter(position["dice"]["arena_blue"])
        assert rolled.total() == number
        assert position["blue_dice"] == {"owner": 1, "left": dice - number}
        assert strengths(position) == {"1": 3 + rolled[coin]}


def test_an_owner_who_does_not_fight_is_not_asked_A30() -> None:
    """A30: and does not roll."""
    state = fight(potentia=0, arena_1=1, gold_1=0).state().apply("pass")
    assert state.to_dict()["phase"] == "arena_prize"
    assert state.to_dict()["blue_dice"] == {"owner": 0, "left": 4}


@pytest.mark.parametrize(
    ("crests", "starter", "order"),
    [
        ((2, 1, 0), 0, (2, 1, 0)),
        ((1,), 0, (1, 0, 2)),
        ((), 0, (0, 1, 2)),
        ((), 1, (1, 2, 0)),
        ((), 2, (2, 0, 1)),
        ((0, 2), 1, (0, 2, 1)),
    ],
)
def test_ties_are_broken_by_crests_then_by_turn_order_A31(
    crests: tuple[int, ...], starter: int, order: tuple[int, ...]
) -> None:
    """A31: both placed, one placed, none placed."""
    table = Table(starter=starter).stand(arena_1=0, arena_2=1, arena_3=2, forum_1=0).crests(*crests)
    table.slaves(order[0], 1).contest("arena_cards", order[0], p0=4, p1=4, p2=4)
    position = after(table, "done")
    assert (position["phase"], position["current_player"]) == ("arena_prize", order[0])
    assert gained(table, "done") == {f"p{seat}.coins.bronze": 3 - rank for rank, seat in enumerate(order)}


def test_ties_in_a_race_are_broken_alike_A35_A31() -> None:
    """A35, A31: strength first, then the crest, on any side; a fourth racer receives nothing."""
    table = Table(players=5).stand(gold_1=0, silver_1=1, gold_2=2, silver_2=4).crests(4, 3, 2).equi(4, "weapon_1")
    table.contest("stadium_cards", 4, p0=7, p1=7, p2=7, p4=7)
    assert gained(table, "done") == {"p4.coins.silver": 3, "p2.coins.gold": 2, "p0.coins.gold": 1}
    assert after(table, "done")["current_player"] == 4
    table.position["contest"]["strength"].update({"1": 8})
    assert gained(table, "done") == {"p1.coins.silver": 3, "p4.coins.silver": 2, "p2.coins.gold": 1}


def test_strength_comes_before_crests_A31() -> None:
    """A31: and the ranking is complete."""
    table = fight(4, arena_1=0, arena_2=1, arena_3=2).crests(0, 1, 2).slaves(2, 1)
    table.contest("arena_cards", 2, p0=3, p1=3, p2=3)
    assert gained(table, "play slave_1") == {
        "p2.slaves.slave_1": -1, "p2.coins.bronze": 3, "p0.coins.bronze": 2, "p1.coins.bronze": 1,
    }  # fmt: skip


def test_the_first_takes_points_and_the_second_a_slave_A32(components: Components) -> None:
    """A32: VP for each point of strength, or the top slave card; the second gets the other one."""
    arena = data_of(components)["arena"]
    table = Table(components).stand(arena_1=0, arena_2=1, forum_1=2).contest("arena_prize", 0, p0=7, p1=4)
    top, slave = table.position["slaves"]["draw"][0], "p{}.slaves.{}"
    assert legal(table) == ["take points", "take slave"]
    assert gained(table, "take points") == {"p0.vp": 7 * arena["vp_per_strength"], slave.format(1, top): 1}
    assert gained(table, "take slave") == {slave.format(0, top): 1, "p1.vp": 4 * arena["vp_per_strength"]}
    position = after(table, "take points")
    assert position["spaces"] == {"forum_1": 2}
    assert position["contest"] is None


def test_prizes_are_coins_for_the_first_three_A32(components: Components) -> None:
    """A32: of the arena's kind, before the question; a fourth gets nothing."""
    arena = data_of(components)["arena"]
    spaces = dict(zip(("arena_1", "arena_2", "arena_3", "arena_4"), (0, 1, 2, 3), strict=True))
    spaces = {space: seat for space, seat in spaces.items() if space in components.spaces}
    table = Table(components, 4).stand(**spaces, forum_1=3).slaves(0, doubles=1)
    table.contest("arena_cards", 0, None, **{f"p{seat}": 9 - seat for seat in spaces.values()})
    changed = gained(table, "done")
    wanted = {f"p{seat}.coins.{arena['coin']}": prize for seat, prize in enumerate(arena["prizes"]) if prize}
    assert changed == wanted


def test_a_single_fighter_chooses_too_A32() -> None:
    """A32: the other half is lost."""
    table = fight(arena_3=1).contest("arena_prize", 1, p1=12)
    assert gained(table, "take points") == {"p1.vp": 24}
    assert list(gained(table, "take slave")) == ["p1.slaves.slave_1"]


def test_no_slave_card_anywhere_A32() -> None:
    """A32: none is received; both choices stay legal."""
    table = fight(arena_1=0, arena_2=1).slaves(3, 11, 11).contest("arena_prize", 0, p0=5, p1=3)
    assert legal(table) == ["take points", "take slave"]
    assert gained(table, "take points") == {"p0.vp": 10}
    assert gained(table, "take slave") == {"p1.vp": 6}


def test_the_slave_card_of_the_prize_can_come_from_the_rebuilt_pile_A51_A32() -> None:
    """A51, A32: the pile is rebuilt only when a card is needed."""
    table = fight(arena_1=0).pile("slaves", 0, discarded=False).contest("arena_prize", 0, p0=5)
    table.player(3)["slaves"]["slave_2"] -= 1
    table.position["slaves"]["discard"]["slave_2"] += 1
    assert effect(table, "take slave")["slaves.discard.slave_2"] == -1
    assert gained(table, "take slave") == {"p0.slaves.slave_2": 1}
    assert "slaves.discard.slave_2" not in effect(table, "take points")


# ------------------------------------------------------------------------------------------------ the race


def test_racers_are_asked_for_horses_of_their_side_A33() -> None:
    """A33: a racer is asked while holding any equi card; the weaker horse comes first."""
    table = Table().stand(gold_1=0, silver_3=1, forum_5=2).equi(1, "silver_horse_1", "silver_horse_2", "gold_horse_1")
    table.equi(0, "weapon_1")
    state = table.state().apply("pass")
    assert (state.to_dict()["phase"], state.current_player, state.legal_actions()) == ("stadium_cards", 0, ["done"])
    state.apply("done")
    assert legal(state) == ["done", "play silver_horse_1", "play silver_horse_2"]
    before = strengths(state.to_dict())["1"]
    state.apply("play silver_horse_2")
    assert strengths(state.to_dict())["1"] == before + 2
    assert legal(state) == ["done"], "she still holds a horse, but none that may follow"


def test_slaves_are_of_no_use_in_a_race_A33() -> None:
    """A33: a racer with slave cards only is not asked."""
    table = Table().stand(gold_1=0, forum_5=2).slaves(0, 3)
    assert after(table, "pass")["phase"] == "stadium_prize"


def test_strengths_of_racers_A33(components: Components) -> None:
    """A33: spaces of the side, and red dice of the side's kind."""
    stadium = data_of(components)["stadium"]
    table = Table(components).stand(gold_2=0, silver_1=1, silver_2=1, forum_1=2).equi(0, components.equi_faces[-1])
    position = after(table, "pass")
    dice = {seat: Counter(faces) for seat, faces in position["dice"]["stadium"].items()}
    assert strengths(position) == {
        "0": stadium["gold"][1] + dice["0"]["gold"],
        "1": stadium["silver"][0] + stadium["silver"][1] + dice["1"]["silver"],
    }


@pytest.mark.parametrize("left", [4, 1, 0])
def test_all_remaining_blue_dice_are_rolled_unasked_A34(left: int) -> None:
    """A34: after all cards, if their owner races."""
    table = Table().stand(gold_1=0, silver_1=1, forum_1=2).equi(0, "weapon_1").blue(1, left)
    table.contest("stadium_cards", 0, p0=9, p1=1)
    position = after(table, "done")
    assert len(position["dice"]["stadium_blue"]) == left
    assert position["blue_dice"] is None
    assert strengths(position) == {"0": 9, "1": 1 + position["dice"]["stadium_blue"].count("silver")}


def test_an_owner_who_races_only_has_all_dice_A34() -> None:
    """A34: without a fight all dice remain."""
    state = Table().stand(potentia=1, arena_1=0, gold_1=1, forum_1=2).state().apply("pass").apply("take points")
    assert len(state.to_dict()["dice"]["stadium_blue"]) == 4


def test_an_owner_who_neither_fights_nor_races_rolls_nothing_A34() -> None:
    """A34: they do nothing."""
    state = Table().stand(potentia=1, gold_1=0, forum_1=2).state().apply("pass")
    assert (state.to_dict()["dice"]["stadium_blue"], state.to_dict()["blue_dice"]) == ([], None)


def test_prizes_of_the_race_are_coins_of_the_own_side_A35(components: Components) -> None:
    """A35: for the first three; before the question."""
    prizes = data_of(components)["stadium"]["prizes"]
    sides = {0: "gold", 1: "silver", 2: "silver", 3: "gold"}
    table = Table(components, 4).stand(gold_1=0, silver_1=1, silver_2=2, gold_2=3, forum_1=0)
    table.equi(3, components.equi_faces[-1]).contest("stadium_cards", 3, p0=9, p1=8, p2=7, p3=6)
    assert gained(table, "done") == {f"p{seat}.coins.{sides[seat]}": prizes[seat] for seat in range(3)}
    assert after(table, "done")["current_player"] == 0


def race(*, second: bool = True, kept: str = "open") -> tuple[Table, list[str]]:
    """The question of a race's first, seat 0; seat 1 is second if there is one."""
    table = Table(players=4).stand(gold_1=0, **({"silver_1": 1} if second else {}), forum_1=2)
    table.stadium("blue", "laurel_7").contest("stadium_prize", 0, None, **({"p0": 5, "p1": 3} if second else {"p0": 5}))
    return table, [f"keep {kept}"]


@pytest.mark.parametrize("kept", ["open", "drawn"])
def test_the_second_gets_the_other_card_A35_A8(kept: str) -> None:
    """A35, A8: the first chooses between the open card and the top one of the pile."""
    table, actions = race(kept=kept)
    assert legal(table) == ["keep drawn", "keep open"]
    position = after(table, *actions)
    entry = {"open": "blue", "drawn": "laurel_7", "first": 0, "second": 1, "first_kept": kept}
    assert position["stadium"]["past"] == [entry]
    assert position["stadium"]["open"] is None
    assert position["spaces"] == {"forum_1": 2}
    scores = table.state().apply(actions[0]).scores()
    assert [score["laurels"] for score in scores] == ([0, 7, 0, 0] if kept == "open" else [7, 0, 0, 0])


@pytest.mark.parametrize("kept", ["open", "drawn"])
def test_a_single_racer_leaves_the_other_card_A36(kept: str) -> None:
    """A36: the other card leaves the game."""
    table, actions = race(second=False, kept=kept)
    state = table.state().apply(actions[0])
    assert state.to_dict()["stadium"]["past"][0] == {
        "open": "blue", "drawn": "laurel_7", "first": 0, "second": None, "first_kept": kept,
    }  # fmt: skip
    assert sum(score["laurels"] for score in state.scores()) == (7 if kept == "drawn" else 0)


def test_without_a_racer_both_cards_leave_A36(components: Components) -> None:
    """A36: as soon as Mercatus and Arena are empty, before Theatrum acts."""
    table = Table(components).stand(dolus=0, theatrum=1)
    opened, drawn = table.position["stadium"]["open"], table.position["stadium"]["draw"][0]
    position = after(table, "pass")
    assert position["phase"] == "auction"
    assert position["stadium"]["past"] == [
        {"open": opened, "drawn": drawn, "first": None, "second": None, "first_kept": None}
    ]
    waiting = after(Table(components).stand(pecunia=0).purse(0, 5, 5, 5), "pass")
    assert waiting["phase"] == "pecunia"
    assert waiting["stadium"]["past"] == []


def test_without_any_follower_both_cards_leave_A36(components: Components) -> None:
    """A36: also when no follower is left anywhere."""
    position = after(Table(components), "pass")
    assert position["round"] == 2
    assert len(position["stadium"]["past"]) == 1
    position = after(Table(components).stand(arena_1=1), "pass", "take points")
    assert position["round"] == 2
    assert len(position["stadium"]["past"]) == 1


# ------------------------------------------------------------------------------------------------ worked examples


def test_the_worked_fight() -> None:
    """A29 to A32: Stefan 0, Chico 2, Livia 3; strengths 2, 2, 4 after the red dice."""
    table = Table(players=4).stand(arena_1=0, arena_3=2, arena_2=3, forum_1=1).crests(0, 3, 1, 2).blue(2)
    table.slaves(0, 1).slaves(2, 1).equi(2, "weapon_2").equi(3, "weapon_2")
    table.contest("arena_cards", 0, p0=2, p2=2, p3=4)
    for seed in range(40):
        state = table.state(seed)
        for action in ("done", "play slave_1", "play weapon_2", "play weapon_2", "dice 2"):
            state.apply(action)
        if state.to_dict()["dice"]["arena_blue"].count("bronze") == 1:
            break
    position = state.to_dict()
    assert strengths(position) == {"0": 2, "2": 6, "3": 6}
    assert (position["current_player"], position["blue_dice"]) == (3, {"owner": 2, "left": 2})
    assert [player["coins"]["bronze"] for player in position["players"]] == [3, 2, 4, 5]
    assert gained(state, "take points") == {"p3.vp": 12, "p2.slaves.slave_1": 1}


def test_the_worked_race() -> None:
    """A33 to A35: Stefan and Chico race silver, Lisa and Livia gold; Chico rolls two blue dice that are left."""
    table = Table(players=4).stand(silver_1=0, gold_1=1, gold_2=1, silver_3=2, gold_3=3, forum_1=1).blue(2, 2)
    table.equi(0, "silver_horse_2").equi(2, "silver_horse_1", "silver_horse_1")
    table.stadium("white", "purple").contest("stadium_cards", 0, p0=3, p1=3, p2=3, p3=4)
    for seed in range(40):
        state = table.state(seed).apply("play silver_horse_2").apply("play silver_horse_1").apply("play silver_horse_1")
        if state.to_dict()["dice"]["stadium_blue"].count("silver") == 1:
            break
    position = state.to_dict()
    assert strengths(position) == {"0": 5, "1": 3, "2": 6, "3": 4}
    assert [player["coins"] for player in position["players"]] == [
        coins(2, 3, 1), coins(2, 1, 1), coins(2, 4, 1), coins(2, 1, 2),
    ]  # fmt: skip
    assert state.current_player == 2


def test_other_files_have_other_horses_A33() -> None:
    """A33: groups and strengths are the file's."""
    table = Table(OTHER).stand(gold_1=0, forum_1=2).equi(0, "gold_horse_1", "gold_horse_3", "silver_horse_2")
    state = table.contest("stadium_cards", 0, p0=4).state()
    assert legal(state) == ["done", "play gold_horse_1", "play gold_horse_3"]
    assert effect(state, "play gold_horse_3")["contest.strength.0"] == 3
