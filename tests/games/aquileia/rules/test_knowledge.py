"""Hidden and open information (A5 to A10)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from porta_nigra_env.games.aquileia.game import State
from tests.games.aquileia.rules.positions import Table


def seen(table: Table, player: int) -> bytes:
    """Return a seat's observation, mask and view as bytes."""
    state = table.state()
    view = state.view(player)
    # Environments observe the true state, views a redacted one.
    assert state.observation(player).tobytes() == view.observation.tobytes()
    return view.observation.tobytes() + view.action_mask.tobytes() + repr(view.position()).encode()


def test_the_number_of_cards_is_open_faces_are_not_A5() -> None:
    """A5: hands of slave and equi cards."""
    table = Table().slaves(1, 2, 1).equi(1, "weapon_1")
    position = table.state().to_dict(view=0)
    assert position["players"][1]["slaves"] == {"count": 3}
    assert position["players"][1]["equi"] == {"count": 1}
    other = Table().slaves(1, 1, 2).equi(1, "weapon_3")
    assert seen(table, 0) == seen(other, 0)
    assert seen(table, 1) != seen(other, 1)
    assert seen(table, 0) != seen(Table().slaves(1, 1, 1).equi(1, "weapon_3"), 0)


def test_known_faces_are_seen_A6() -> None:
    """A6: cards bought from the row."""
    table, other = (Table().equi(1, face, known=True).equi(1, "weapon_1") for face in ("weapon_2", "weapon_3"))
    assert table.state().to_dict(view=0)["players"][1]["equi_known"]["weapon_2"] == 1
    assert seen(table, 0) != seen(other, 0)


def test_questions_depend_on_open_facts_alone_A7() -> None:
    """A7: the legal actions may depend on secret cards, and only their player sees them."""
    for faces in (("gold_horse_1",), ("weapon_3",)):
        table = Table().stand(arena_1=1, forum_1=2).equi(1, *faces).contest("arena_cards", 1, p1=2)
        assert table.state().current_player == 1
        assert not table.state().view(0).action_mask.any()
    masks = [
        Table().stand(arena_1=1).equi(1, face).contest("arena_cards", 1, p1=2).state().action_mask().tolist()
        for face in ("gold_horse_1", "weapon_3")
    ]
    assert masks[0] != masks[1]


def race(kept: str, drawn: str = "laurel_7", second: int | None = 1) -> Table:
    """A round is over in which seat 0 was first."""
    return Table(players=4).past("blue", drawn, 0, second, kept)


@pytest.mark.parametrize(("kept", "knows_face"), [("open", {0, 1}), ("drawn", {0})])
def test_first_and_second_know_the_stadium_cards_of_a_round_A8(kept: str, knows_face: set[int]) -> None:
    """A8: the first sees the drawn card, the second only a received one; both know the owners."""
    other = "drawn" if kept == "open" else "open"
    for seat in range(4):
        entry = race(kept).state().to_dict(view=seat)["stadium"]["past"][0]
        assert entry["drawn"] == ("laurel_7" if seat in knows_face else None)
        assert entry["first_kept"] == (kept if seat in (0, 1) else None)
        assert (seen(race(kept), seat) == seen(race(kept, "white"), seat)) == (seat not in knows_face)
        assert (seen(race(kept), seat) == seen(race(other), seat)) == (seat not in (0, 1))


def test_racers_are_visible_A8() -> None:
    """A8: an observer tells all pairs and all single racers apart."""
    others = (1, 2, 3, 4)
    pairs = [(first, second) for first in others for second in others if first < second]
    constants = [Table(players=5).past("blue", "white", *pair, "open") for pair in pairs]
    constants += [Table(players=5).past("blue", "white", seat, None, "open") for seat in others]
    assert len({table.state().observation(0).tobytes() for table in constants}) == len(constants)
    swapped = Table(players=5).past("blue", "white", 2, 1, "open")
    assert swapped.state().observation(0).tobytes() == constants[0].state().observation(0).tobytes(), (
        "it is a fair coin"
    )


def test_all_followers_and_houses_are_seen() -> None:
    constants = [Table().stand(dolus=1, **{space: 1}) for space in ("pecunia", "latro", "forum_5")]
    constants += [Table().built(1, "villa_white_4", name) for name in ("workshop_smith", "money_house_all_coins")]
    assert len({table.state().observation(0).tobytes() for table in constants}) == len(constants)


def test_the_first_alone_looks_at_the_drawn_card_A8() -> None:
    """A8: it still lies on its pile during the choice."""
    constants = [
        Table(players=4).stand(gold_1=0, silver_1=1).stadium("blue", face).contest("stadium_prize", 0, p0=3, p1=2)
        for face in ("laurel_7", "white")
    ]
    assert constants[0].state().to_dict(view=0)["stadium"]["draw"]["next"] == "laurel_7"
    for seat in range(4):
        assert (seen(constants[0], seat) == seen(constants[1], seat)) == (seat != 0)
        sample = constants[0].state().determinize(seat, 5).to_dict()["stadium"]["draw"]
        assert seat != 0 or sample[0] == "laurel_7"


def test_a_single_racer_and_no_racer_A8_A36() -> None:
    """A8, A36: others do not see a card that leaves the game; without a racer no player sees the drawn card."""
    for seat in range(4):
        entry = race("open", second=None).state().to_dict(view=seat)["stadium"]["past"][0]
        assert entry["drawn"] == ("laurel_7" if seat == 0 else None)
        assert entry["first_kept"] == ("open" if seat == 0 else None)
    nobody = Table(players=4).past("blue", "laurel_7", None, None, None)
    assert all(nobody.state().to_dict(view=seat)["stadium"]["past"][0]["drawn"] is None for seat in range(4))


def determinizations(state: State, player: int, samples: int = 120) -> list[dict[str, Any]]:
    """Determinizations of a position for a player."""
    return [state.determinize(player, seed).to_dict() for seed in range(samples)]


def test_unseen_faces_are_one_pool_A9() -> None:
    """A9: dealt uniformly to hands and pile; known cards stay."""
    table = Table(players=4).slaves(1, 2).slaves(0, 3, 1).equi(1, "weapon_2", known=True).equi(2, "gold_horse_1")
    positions = determinizations(table.state(), 0)
    hands = [sample["players"][1]["slaves"]["slave_1"] for sample in positions]
    assert {0, 1, 2} == set(hands)
    assert abs(np.mean(hands) - 2 * 8 / 18) < 0.25
    assert all(sample["players"][1]["equi"]["weapon_2"] == 1 for sample in positions)
    assert all(sample["players"][0] == positions[0]["players"][0] for sample in positions)
    assert len({repr(sample["players"][2]["equi"]) for sample in positions}) >= 5
    assert len({tuple(sample["theatre"]["draw"]) for sample in positions}) > 60


def test_an_unknown_choice_is_a_fair_coin_A9() -> None:
    """A9: and its drawn card lies in one pool with the pile."""
    positions = determinizations(race("drawn").state(), 3)
    kept = [sample["stadium"]["past"][0]["first_kept"] == "open" for sample in positions]
    assert abs(np.mean(kept) - 0.5) < 0.15
    assert len({sample["stadium"]["past"][0]["drawn"] for sample in positions}) == 8
    known = determinizations(race("drawn").state(), 1, 30)
    assert {sample["stadium"]["past"][0]["first_kept"] for sample in known} == {"drawn"}
    assert len({sample["stadium"]["past"][0]["drawn"] for sample in known}) > 3


def test_at_the_end_stadium_cards_are_laid_open_A10() -> None:
    """A10: those of all rounds; piles and hands stay hidden."""
    table = race("drawn").round(6).slaves(1, 2)
    state = table.state().apply("pass")
    for seat in range(4):
        position = state.to_dict(view=seat)
        assert position["stadium"]["past"] == state.to_dict()["stadium"]["past"]
        assert seat == 1 or position["players"][1]["slaves"] == {"count": 2}
        assert all(state.determinize(seat, seed).scores() == state.scores() for seed in range(8))
