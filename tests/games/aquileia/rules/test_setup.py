"""Setup, words, and the numbers of the component file (A1 to A4, A51, A52, A56)."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from porta_nigra_env.games.aquileia.components.load import Components, load
from porta_nigra_env.games.aquileia.game import Aquileia, State
from tests.games.aquileia.rules.positions import OTHER, Table, after, data_of, effect, gained, legal


@pytest.mark.parametrize("players", [3, 4, 5])
def test_a_game_begins_alike_at_every_number_of_players_A1_A4(components: Components, players: int) -> None:
    """A1, A4: stock, followers, crest and houses of the file, an open row and stadium card, nothing else."""
    data, position = data_of(components), State.new(players, 3, components).to_dict()
    assert position["num_players"] == len(position["players"]) == players
    for player in position["players"]:
        assert player["vp"] == 0
        assert {kind: number for kind, number in player["coins"].items() if number} == data["start"]
        assert not any((*player["slaves"].values(), *player["equi"].values(), *player["equi_known"].values()))
    assert len(position["equi"]["row"]) == len(data["mercatus"]["equi"])
    assert None not in position["equi"]["row"]
    assert position["stadium"]["open"] is not None
    assert (position["round"], position["phase"], position["blue_dice"]) == (1, "place", None)
    assert position["spaces"] == position["buildings"] == position["theatre"]["won"] == {}
    assert position["current_player"] == position["starting_player"]


def test_other_numbers_of_players_are_refused_A1() -> None:
    """A1: three to five."""
    assert Aquileia.seats == (3, 4, 5)
    for players in (2, 6):
        with pytest.raises(ValueError, match="3, 4"):
            State.new(players, 1)


def test_there_are_four_decks_A2(components: Components) -> None:
    """A2: slaves; horses and weapons together; stadium; theatre: all cards of the file, in the setup's piles."""
    data, position = data_of(components), State.new(4, 5, components).to_dict()
    slaves, equi, stadium = (position[deck] for deck in ("slaves", "equi", "stadium"))
    copies = {f"slave_{show}": number for show, number in data["slave_cards"].items()}
    assert Counter(slaves["draw"]) == Counter(copies)
    copies = {
        f"{group}_{show}": number for group, cards in data["equi_cards"].items() for show, number in cards.items()
    }
    assert Counter(equi["draw"] + equi["row"]) == Counter(copies)
    copies = dict(data["stadium_cards"]["colours"])
    copies |= {f"laurel_{points}": 1 for points in data["stadium_cards"]["laurels"]}
    assert Counter([stadium["open"], *stadium["draw"]]) == Counter(copies)
    assert sorted(position["theatre"]["draw"]) == sorted("_".join(pair) for pair in data["theatre_cards"]["pairs"])


def test_the_starting_player_is_uniformly_random_A3() -> None:
    """A3: every seat begins about as often."""
    begins = Counter(State.new(5, seed).current_player for seed in range(400))
    assert set(begins) == set(range(5))
    assert min(begins.values()) > 50


def test_every_deck_is_shuffled_A4() -> None:
    """A4: different seeds give different orders of each deck."""
    starts = [State.new(3, seed).to_dict() for seed in range(6)]
    for deck in ("slaves", "equi", "stadium", "theatre"):
        assert len({tuple(start[deck]["draw"]) for start in starts}) > 1, deck


def test_an_empty_pile_is_rebuilt_from_its_shuffled_discard_A51() -> None:
    """A51: only when a card is needed; then the discard is empty."""
    table = Table().stand(servi_middle=1, forum_1=2).purse(1, silver=2).pile("slaves", 1)
    discarded = sum(table.position["slaves"]["discard"].values())
    position = after(table, "pass", "buy 1")
    assert position["slaves"]["draw"] == []
    assert sum(position["slaves"]["discard"].values()) == discarded
    orders = set()
    for seed in range(4):
        position = table.state(seed).apply("pass").apply("buy 2").to_dict()
        assert position["slaves"]["discard"] == {"slave_1": 0, "slave_2": 0}
        assert len(position["slaves"]["draw"]) == discarded - 1
        orders.add(tuple(position["slaves"]["draw"]))
    assert len(orders) > 1


def test_the_bank_never_runs_out_A52() -> None:
    """A52: a player with more coins than the box still gains some."""
    table = Table().stand(dolus=1, forum_1=2).purse(1, 500, 500, 500)
    assert sum(gained(table, "pass").values()) == 2


def test_faces_without_copies_do_not_exist_A56() -> None:
    """A56: names of cards and ids of `play` follow the file."""
    other = load(OTHER)
    assert other.slave_faces == ("slave_2",)
    texts = Aquileia(3, other).action_texts
    assert [text for text in texts if text.startswith("play slave")] == ["play slave_2"]
    plays = [f"play {face}" for face in (*other.slave_faces, *other.equi_faces)]
    assert [text for text in texts if text.startswith("play")] == plays
    assert len(Aquileia(3).action_texts) == 90


def test_dice_of_a_game_do_not_depend_on_other_dice_A57() -> None:
    """A57: with one seed Latro rolls the same, whether Dolus and fighters have rolled before or not."""
    rolls = set()
    for spaces in ({}, {"dolus": 1}, {"dolus": 1, "arena_1": 2, "arena_2": 1}):
        state = Table().stand(latro=0, **spaces).state(seed=5).apply("pass")
        if spaces.get("arena_1"):
            state.apply("take points")
        rolls.add(tuple(state.to_dict()["dice"]["latro"]))
    assert len(rolls) == 1


def test_points_and_returns_follow_the_table_A54_A55() -> None:
    """A54, A55: marker, laurels and villas; wins and ties pay out when the game is over."""
    table = Table().past("blue", "laurel_3", 0, 1, "open").built(0, "villa_blue_10").round(6)
    table.player(0)["vp"] = 5
    state, points = table.state(), np.zeros(3, dtype=np.int32)
    assert state.game.points_by_source(state.states)[0].tolist() == [[5, 0, 10], [0, 3, 0], [0, 0, 0]]
    assert state.game.totals(state.states).tolist() == [15, 3, 0]
    state.game.kernel.points(state.game.constants, state.states, 0, points)
    assert points.tolist() == [5, 0, 0]
    assert state.game.kernel.rounds(state.game.constants, state.states, 0) == 6
    assert list(state.returns()) == [0.0] * 3
    assert list(state.apply("pass").returns()) == [1.0, -0.5, -0.5]
    for seat, vp in enumerate((30, 53, 56)):
        table.player(seat)["vp"] = vp
    assert list(table.state().apply("pass").returns()) == [-0.5, 0.25, 0.25]


def test_the_standard_set_has_the_counts_of_the_rulebook_A2_A36() -> None:
    """A2, A36: 28 spaces of 11 areas, 27 first actions, the cards of four decks, two stadium cards a round."""
    components, data = load(), data_of(load())
    assert len(components.spaces) == 28
    assert len({space.partition("_")[0] for space in components.spaces} - {"silver"}) == 11
    assert len(legal(Table().no_passes())) == 27
    decks = [Table().position[deck]["draw"] for deck in ("slaves", "equi", "stadium", "theatre")]
    assert [len(deck) for deck in decks] == [22, 17 - 3, 12 - 1, 6]
    assert 2 * data["constants"]["rounds"] == 12
    assert sum(space["builds"] for space in data["forum"]["spaces"]) == 6


def test_a_new_game_depends_on_nothing_before() -> None:
    game = Aquileia(4)
    clean = game.new_states(7)
    for before in (b"\xff", b"\x5a"):
        states = np.frombuffer(bytearray(before * game.dtype.itemsize), dtype=game.dtype)
        game.kernel.reset(game.constants, states, 0, 7, 4)
        assert states.tobytes() == clean.tobytes()


def test_effects_of_nothing_are_empty() -> None:
    # The tests of this folder compare effects: one that saw nothing would prove nothing.
    assert effect(Table(), "place dolus")["spaces.dolus"] == 0
