"""The placement (A11 to A17)."""

from __future__ import annotations

import pytest

from porta_nigra_env.games.aquileia.components.load import Components
from tests.games.aquileia.rules.positions import OTHER, Table, after, effect, legal

pytestmark = pytest.mark.usefixtures("implementation")


def test_every_free_space_the_crest_and_the_pass_are_offered(components: Components) -> None:
    """A12, A16: any other space may be taken, even if its action may turn out impossible."""
    table = Table(components).poor().no_passes()
    spaces = {f"place {space}" for space in components.spaces}
    coin_spaces = {space for space in spaces if space.startswith("place portus")}
    first_of_their_like = {space for space in spaces - coin_spaces if not space.startswith(("place arena", "place gold",
                           "place silver"))}  # fmt: skip
    assert set(legal(table)) >= first_of_their_like | {"place crest", "pass"}
    assert not set(legal(table)) & coin_spaces


def test_a_follower_stands_and_the_next_seat_is_asked_A17(components: Components) -> None:
    """A17: clockwise, one piece at a time."""
    table = Table(components, 4).no_passes()
    assert effect(table, "place dolus") == {"spaces.dolus": 0, "current_player": 1}
    assert effect(table, "place crest") == {"advantage": [0], "current_player": 1}
    assert effect(table, "place dolus", "place crest", "place crest") == {
        "spaces.dolus": 0, "advantage": [1, 2], "current_player": 3,
    }  # fmt: skip


def test_a_pass_is_final_crest_included_A11(components: Components) -> None:
    """A11: a player who has passed is not asked again in this round."""
    table = Table(components, 3).no_passes()
    state = table.state()
    assert effect(state, "pass") == {"passed": [0], "current_player": 1}
    state.apply("pass")
    for _ in range(3):
        state.apply("place crest" if "place crest" in state.legal_actions() else legal(state, "place ")[0])
        assert state.current_player in (1, 2)
    assert 0 not in state.to_dict()["advantage"]


def test_a_crest_ends_nothing_for_its_owner_A12() -> None:
    """A12: its owner is asked again, without a crest to place."""
    state = Table(players=3).state()
    state.apply("place crest")
    assert state.current_player == 0
    assert "place crest" not in state.legal_actions()
    assert legal(state, "place dolus") == ["place dolus"]


def test_crests_take_the_lowest_free_place() -> None:
    table = Table(players=4).crests(2, 3).no_passes()
    assert effect(table, "place crest")["advantage"] == [2, 3, 0]


def test_alike_spaces_are_offered_as_one_A13() -> None:
    """A13: strength 1 in the Arena is `arena_1`, and `arena_2` only when that is taken; the Stadium likewise."""
    table = Table().no_passes()
    contests = ("place arena", "place gold", "place silver")
    assert legal(table, *contests) == ["place arena_1", "place arena_3", "place gold_1", "place gold_3",
                                       "place silver_1", "place silver_3"]  # fmt: skip
    assert legal(table.stand(arena_1=1, gold_1=2), *contests) == ["place arena_2", "place arena_3", "place gold_2",
                                                                  "place gold_3", "place silver_1",
                                                                  "place silver_3"]  # fmt: skip
    assert legal(table.stand(arena_2=1, gold_2=2), *contests) == ["place arena_3", "place gold_3", "place silver_1",
                                                                  "place silver_3"]  # fmt: skip
    assert {"place forum_1", "place forum_4"} <= set(legal(table)), "they act at different times"


def test_alike_spaces_need_not_stand_together_A13() -> None:
    """A13: strengths 2, 1, 2, 3 of another file's Arena: the first and the third are alike."""
    table = Table(OTHER).no_passes()
    assert legal(table, "place arena") == ["place arena_1", "place arena_2", "place arena_4"]
    assert legal(table.stand(arena_1=2), "place arena") == ["place arena_2", "place arena_3", "place arena_4"]


def test_one_side_of_the_stadium_a_player_A14(components: Components) -> None:
    """A14: several spaces of one side are allowed."""
    for side, other in (("gold", "silver"), ("silver", "gold")):
        table = Table(components).stand(**{f"{side}_1": 0, f"{other}_1": 1}).no_passes()
        assert legal(table, f"place {side}")
        assert not legal(table, f"place {other}")


def test_one_coin_space_a_player_and_latro_beside_it_A14() -> None:
    """A14: at most one coin space; Latro is not a coin space."""
    table = Table().purse(0, 3, 3, 3).stand(portus_silver=0).no_passes()
    assert legal(table, "place portus", "place latro") == ["place latro"]
    table = Table().purse(0, 3, 3, 3).stand(portus_silver=1).no_passes()
    assert legal(table, "place portus") == ["place portus_bronze", "place portus_gold"]


def test_a_coin_space_takes_a_coin_at_once_A15(components: Components) -> None:
    """A15: out of the stock, under the follower."""
    for kind in components.data["portus"]["spaces"]:
        table = Table(components).poor().purse(0, **{kind: 2}).no_passes()
        assert legal(table, "place portus") == [f"place portus_{kind}"]
        assert effect(table, f"place portus_{kind}") == {
            f"spaces.portus_{kind}": 0, "portus_coins": [kind], f"p0.coins.{kind}": -1, "current_player": 1,
        }  # fmt: skip


def test_the_coin_under_a_follower_cannot_be_bid_or_paid_A15() -> None:
    """A15: the only gold lies under a follower: nothing to bid, nothing to buy at Servi bottom with."""
    state = Table().poor().purse(0, gold=1).stand(servi_bottom=0, theatrum=0, forum_1=1).state()
    state.apply("place portus_gold").apply("pass")
    position = state.to_dict()
    assert position["phase"] == "forum"
    assert position["theatre"]["won"] == {"white_blue": 0}
    assert position["players"][0]["slaves"] == {"slave_1": 0, "slave_2": 0}
    assert position["portus_coins"] == ["gold"]


def test_the_same_seat_again_if_all_others_are_done_A17() -> None:
    """A17: seats that have nothing left are skipped like those that have passed."""
    table = Table().crests(1).stand(dolus=1, pecunia=1, potentia=1, latro=1, theatrum=1).no_passes()
    assert effect(table, "place forum_1")["current_player"] == 2, "seat 1 has nothing left"
    assert "current_player" not in effect(Table(), "place forum_1")


def test_a_player_without_an_open_space_can_only_pass_A17() -> None:
    """A17: a follower without an open space: no coin for the Portus, the other side in the Stadium."""
    sides = {"silver_1": 0, "silver_2": 0, "silver_3": 0, "gold_2": 1, "gold_3": 1}
    free = ("gold_1", "portus_bronze", "portus_silver", "portus_gold")
    table = Table(players=5).poor().crests(0, 1, 2, 3, 4).no_passes()
    rest = [space for space in table.components.spaces if space not in sides and space not in free]
    holders = [0, *[1] * 3, *[2] * 5, *[3] * 5, *[4] * 5]
    table.stand(**sides, **dict(zip(rest, holders, strict=True)))
    assert [seat for seat in range(5) if table.has_pieces(seat)] == [0]
    assert table.state().legal_actions() == ["pass"]
    assert after(table, "pass")["phase"] != "place"
