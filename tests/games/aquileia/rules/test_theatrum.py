"""IV Theatrum: the auction (A37 to A40)."""

from __future__ import annotations

import pytest

from tests.games.aquileia.rules.positions import Table, after, coins, effect, gained, legal

pytestmark = pytest.mark.usefixtures("implementation")


def sale(players: int = 4, **purses: tuple[int, int, int]) -> Table:
    """Seat 0 is about to turn over a theatre card; ``p1=(0, 1, 0)`` is the stock of seat 1, others have nothing."""
    table = Table(players=players).poor().stand(theatrum=0, forum_1=players - 1)
    for seat, purse in purses.items():
        table.purse(int(seat[1:]), *purse)
    return table


def test_the_auctioneer_is_asked_first_then_clockwise_A37() -> None:
    """A37: each once: one coin of any kind, or pass, the auctioneer included."""
    state = sale(p0=(1, 0, 1), p1=(0, 1, 0), p2=(0, 0, 0), p3=(1, 1, 1)).state().apply("pass")
    card = state.to_dict()["auction"]["card"]
    assert card == "white_blue"
    assert state.to_dict()["theatre"]["won"] == {}
    assert state.to_dict()["auction"] == {"card": card, "auctioneer": 0, "bid": coins(), "bidder": None, "out": []}
    assert (state.current_player, legal(state)) == (0, ["bid bronze", "bid gold", "pass"])
    state.apply("pass")
    assert (state.current_player, legal(state)) == (1, ["bid silver", "pass"])
    state.apply("pass")
    assert state.current_player == 3, "seat 2 has nothing to open with"
    assert state.to_dict()["auction"]["out"] == [0, 1, 2]


def test_without_an_opening_the_auctioneer_gets_the_card_free_A37() -> None:
    """A37: also when no player has a coin."""
    state = sale(p0=(1, 0, 0), p2=(1, 0, 0)).state().apply("pass")
    assert gained(state, "pass", "pass") == {}
    position = after(state, "pass", "pass")
    assert position["theatre"]["won"] == {"white_blue": 0}
    assert position["auction"] is None
    assert after(sale(), "pass")["theatre"]["won"] == {"white_blue": 0}
    assert after(Table().poor().stand(theatrum=2, forum_1=1), "pass")["theatre"]["won"] == {"white_blue": 2}


def test_the_last_one_opens_with_one_coin_paid_to_the_auctioneer_A37_A40() -> None:
    """A37, A40: the winner pays exactly the bid."""
    state = sale(p0=(1, 0, 0), p1=(1, 0, 0), p3=(1, 0, 2)).state().apply("pass")
    changed = effect(state, "pass", "pass", "bid gold")
    assert (changed["p3.coins.gold"], changed["p0.coins.gold"], changed["theatre.won.white_blue"]) == (-1, 1, 3)


def test_a_bid_is_the_standing_bid_and_exactly_one_coin_A38_A39() -> None:
    """A38, A39: kind by kind, all of it within the stock; coins of one kind stand for no other."""
    table = sale(p0=(0, 2, 0), p1=(3, 2, 1), p2=(9, 1, 0), p3=(0, 3, 9))
    state = table.state().apply("pass").apply("bid silver").apply("bid silver")
    assert (state.current_player, legal(state)) == (3, ["bid gold", "bid silver", "pass"]), "seat 2 has one silver"
    assert state.to_dict()["auction"] == {
        "card": "white_blue", "auctioneer": 0, "bid": coins(silver=2), "bidder": 1, "out": [2],
    }  # fmt: skip
    state.apply("bid gold")
    assert state.current_player == 1, "seat 0 drops out unasked: she has no gold"
    assert legal(state) == ["bid bronze", "pass"]


def test_a_pass_is_out_for_good_A38() -> None:
    """A38: after an opening a player who passed is never asked again."""
    state = sale(p0=(5, 0, 0), p1=(5, 0, 0), p2=(5, 0, 0), p3=(5, 0, 0)).state().apply("pass")
    for action, asked in (("bid bronze", 1), ("pass", 2), ("bid bronze", 3), ("pass", 0), ("bid bronze", 2)):
        state.apply(action)
        assert state.current_player == asked
    assert state.to_dict()["auction"]["out"] == [1, 3]


def test_the_auctioneer_raises_again_and_pays_the_bank_A38_A40() -> None:
    """A38, A40: an auctioneer who opened may raise in turn, and wins as soon as all others are out."""
    state = sale(3, p0=(3, 0, 0), p1=(2, 0, 0), p2=(0, 0, 0)).state().apply("pass")
    state.apply("bid bronze").apply("bid bronze")
    assert state.current_player == 0
    assert gained(state, "bid bronze") == {"p0.coins.bronze": -3}
    assert after(state, "bid bronze")["theatre"]["won"] == {"white_blue": 0}
    assert gained(state, "pass") == {"p0.coins.bronze": 2, "p1.coins.bronze": -2}


def test_bid_coins_stay_in_stock_until_the_end_A40() -> None:
    """A40: and only the winner pays."""
    state = sale(3, p0=(2, 0, 0), p1=(2, 0, 0), p2=(2, 0, 0)).state().apply("pass")
    assert gained(state, "bid bronze", "bid bronze") == {"p0.coins.bronze": 2, "p1.coins.bronze": -2}
    assert gained(state, "bid bronze", "pass") == {}
    assert gained(state, "bid bronze", "pass", "pass") == {"p0.coins.bronze": -1}


def test_a_bid_of_all_coins_A40() -> None:
    """A40: nothing else happens meanwhile, so a player can bid the last coin."""
    state = sale(3, p1=(1, 0, 0), p2=(0, 1, 0)).state().apply("pass")
    assert gained(state, "bid bronze") == {"p0.coins.bronze": 1, "p1.coins.bronze": -1}


def test_the_worked_auction() -> None:
    """A37 to A40: Lisa opens silver; Chico 2 silver; Livia out; Stefan 2 silver 1 bronze; Lisa out; Chico out."""
    table = Table(players=4).stand(theatrum=1, forum_1=3).purse(0, 1, 2).purse(1, 0, 3).purse(2, 2, 2).purse(3, 1, 1, 1)
    state = table.state().apply("pass")
    for seat, action in ((1, "bid silver"), (2, "bid silver")):
        assert state.current_player == seat
        state.apply(action)
    assert state.current_player == 0, "Livia cannot bid two silver and one coin more"
    state.apply("bid bronze")
    assert state.current_player == 2, "Lisa has no bronze"
    assert gained(state, "pass") == {
        "p0.coins.bronze": -1, "p0.coins.silver": -2, "p1.coins.bronze": 1, "p1.coins.silver": 2,
    }  # fmt: skip
