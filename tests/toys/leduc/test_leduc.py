"""Rules, hidden cards and exact values of Leduc poker with the general code."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import chisquare  # type: ignore[import-untyped]

from porta_nigra_env.core.compile.cache import COMPILED
from porta_nigra_env.core.game.game import IllegalActionError
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.game.view import View
from tests.toys.leduc.game import ACTIONS, CALL, CARDS, FOLD, NUM_CARDS, RAISE, Leduc, LeducState, dealt
from tests.toys.leduc.strategy import Policy, deals, exact_value, expected, exploitability, futures, uniform

SAMPLES = 2_000 if COMPILED else 200
#: Histories of a round: those before a step, and those that end it without a fold.
DECISIONS = ("", "c", "r", "cr", "rr", "crr")
CALLED = ("cc", "rc", "crc", "rrc", "crrc")


def always(action: int) -> Policy:
    """Return a policy that chooses one action."""
    return lambda view: np.eye(len(ACTIONS), dtype=np.float32)[action]


def shown(state: State) -> int:
    """Return the public card, -1 before it is shown."""
    return int(state.states[0]["public"]) if state.states[0]["round"] else -1


def histories(state: State, played: str = "") -> Iterator[tuple[str, State]]:
    yield played, state
    for action in state.legal_actions():
        yield from histories(state.clone().apply(action), played + action[0])


def fits(counts: Counter[int], kinds: set[int]) -> bool:
    """Return whether samples fit a uniform draw of these kinds, at 1 in 10,000."""
    return counts.keys() == kinds and (len(kinds) == 1 or bool(chisquare(list(counts.values())).pvalue > 1e-4))


# ---------------------------------------------------------------------------------------------------------- rules


def test_there_are_9457_histories() -> None:
    """A public card counts from the end of the first round on, as in the literature."""
    nodes = {
        (*state.states[0]["cards"].tolist(), shown(state), played, state.is_over)
        for deal in deals()
        for played, state in histories(deal)
    }
    over = sum(node[-1] for node in nodes)
    assert over == 30 * 4 + 120 * len(CALLED) * (4 + len(CALLED)) == 5520
    assert len(nodes) - over == 30 * len(DECISIONS) + 120 * len(CALLED) * len(DECISIONS) == 3780
    assert len(nodes) + 1 + 6 + 30 * len(CALLED) == 9457  # with the nodes of chance


def test_observations_are_the_936_information_states() -> None:
    """Ranks without suits leave 288."""
    seen: dict[bytes, set[tuple[int, int, int, str]]] = {}
    for deal in deals():
        for played, state in histories(deal):
            if not state.is_over:
                seat = state.player
                known = seat, int(state.states[0]["cards"][seat]), shown(state), played
                seen.setdefault(state.observation(seat).tobytes(), set()).add(known)
    assert len(seen) == len(set.union(*seen.values())) == 36 + 900 == 936
    ranks = {(seat, card // 2, public // 2, played) for known in seen.values() for seat, card, public, played in known}
    assert len(ranks) == 18 + 270 == 288


@pytest.mark.parametrize(
    ("cards", "history", "won"),
    [
        (("Js", "Qs", "Ks"), "rf", 1),  # the ante
        (("Js", "Qs", "Ks"), "crf", -1),
        (("Js", "Qs", "Ks"), "rrf", -3),
        (("Js", "Qs", "Ks"), "crrf", 3),
        (("Js", "Qs", "Ks"), "cccc", -1),
        (("Ks", "Qs", "Js"), "cccc", 1),
        (("Js", "Qs", "Jh"), "cccc", 1),  # a pair beats a higher card
        (("Js", "Qs", "Qh"), "cccc", -1),
        (("Qs", "Qh", "Ks"), "crrccrrc", 0),  # equal ranks
        (("Js", "Qs", "Jh"), "rccc", 3),
        (("Js", "Qs", "Jh"), "ccrc", 5),
        (("Js", "Qs", "Jh"), "rrcrc", 9),
        (("Js", "Qs", "Jh"), "rrcrrc", 13),
        (("Js", "Qs", "Jh"), "rrcrrf", -9),  # seat 0 folds its pair
        (("Js", "Qs", "Qh"), "ccrf", 1),  # seat 1 folds its pair
    ],
)
def test_payoffs(cards: tuple[str, ...], history: str, won: int) -> None:
    state = dealt(cards, history)
    assert state.is_over
    assert state.totals().tolist() == [won, -won]
    assert state.returns() == [np.sign(won), -np.sign(won)]
    assert state.winners() == ([0, 1] if won == 0 else [int(won < 0)])


def test_legal_actions() -> None:
    """No fold without a raise, and at most two raises in a round."""
    for first, history in itertools.product(("", *CALLED), DECISIONS):
        raises = history.count("r")
        allowed = [FOLD] * (raises > 0) + [CALL] + [RAISE] * (raises < 2)
        assert dealt(("Js", "Qs", "Ks"), first + history).legal_ids().tolist() == allowed


def test_every_end_is_zero_sum() -> None:
    ends = [state for deal in deals() for _, state in histories(deal) if state.is_over]
    assert len(ends) == 120 * 49
    assert all(sum(state.totals().tolist()) == sum(state.returns()) == 0 for state in ends)


def test_the_deal_is_uniform() -> None:
    records = [Leduc().new_states(seed)[0] for seed in range(SAMPLES)]
    dealt_cards = [(*record["cards"].tolist(), int(record["public"])) for record in records]
    for slot in range(3):
        assert fits(Counter(cards[slot] for cards in dealt_cards), {*range(NUM_CARDS)})
    assert all(len({*cards}) == 3 for cards in dealt_cards)


# --------------------------------------------------------------------------------------------------- hidden cards


@pytest.mark.parametrize("history", ["", "cr", "crr", "rf"])
def test_a_redrawn_public_card_is_any_that_no_player_holds(history: str) -> None:
    state = dealt(("Js", "Qs", "Kh"), history)
    before = state.states[0]
    twins = [state.redraw(seed).states[0] for seed in range(SAMPLES)]
    assert fits(Counter(int(twin["public"]) for twin in twins), {1, 3, 4, 5})
    for name in {*(before.dtype.names or ())} - {"public", "key", "counters"}:
        assert all((twin[name] == before[name]).all() for twin in twins), name
    assert len({twin["key"].tobytes() for twin in twins}) == SAMPLES


@pytest.mark.parametrize("history", ["cc", "rrccr", "cccc", "ccrf"])
def test_redrawing_keeps_a_public_card_that_was_shown(history: str) -> None:
    state = dealt(("Js", "Qs", "Kh"), history)
    for seed in range(50):
        twin = state.redraw(seed).states[0].copy()
        twin["key"], twin["counters"] = state.states[0]["key"], state.states[0]["counters"]
        assert twin == state.states[0]


def test_a_redrawn_card_is_the_one_shown() -> None:
    state = dealt(("Js", "Qs", "Kh"), "r")
    for seed in range(20):
        twin = state.redraw(seed)
        assert twin.clone().apply("call").to_dict(view=0)["public"] == twin.states[0]["public"]


@pytest.mark.parametrize(
    ("history", "cards", "public"),
    [
        ("", [0, -1], -1),
        ("rc", [0, -1], 5),
        ("rf", [0, -1], -1),
        ("crf", [0, -1], -1),
        ("cccc", [0, 2], 5),
        ("ccrf", [0, -1], 5),
    ],
)
def test_views_hide_cards(history: str, cards: list[int], public: int) -> None:
    state = dealt(("Js", "Qs", "Kh"), history)
    seen = state.to_dict(view=0)
    assert (seen["cards"], seen["public"]) == (cards, public)
    assert not state.view(0).state[0]["key"].any()


@pytest.mark.parametrize(("history", "kinds"), [("c", 20), ("rf", 20), ("cc", 4), ("ccrf", 4), ("cccc", 1)])
def test_determinization_samples_unseen_cards_uniformly(history: str, kinds: int) -> None:
    state = dealt(("Js", "Qs", "Kh"), history)
    sampled = [state.determinize(0, seed).states[0] for seed in range(SAMPLES)]
    assert all(record["cards"][0] == 0 for record in sampled)
    unseen = {1, 2, 3, 4, 5}
    pairs = {20: set(itertools.permutations(unseen, 2)), 4: {(card, 5) for card in unseen - {5}}, 1: {(2, 5)}}
    codes = Counter(10 * int(record["cards"][1]) + int(record["public"]) for record in sampled)
    assert fits(codes, {10 * other + public for other, public in pairs[kinds]})


def test_the_public_card_is_told_when_it_is_shown() -> None:
    for seat in range(2):
        state = dealt(("Js", "Qs", "Kh"))
        for history, told in (("c", 0), ("r", 0), ("c", 1), ("c", 0), ("c", 0)):
            before = state.clone()
            state.apply_id("fcr".index(history))
            events = [event for event in state.events(before, seat) if event.kind == "public"]
            assert [event.after for event in events] == [5] * told


def test_descriptions_do_not_foresee_the_public_card() -> None:
    for cards, history in itertools.product(itertools.permutations(CARDS, 2), CALLED):
        public = next(card for card in CARDS if card not in cards)
        text = dealt((*cards, public), history[:-1]).describe("call")
        assert "public" not in text
        assert "Chance decides" in text


def test_round_trips_and_invalid_positions() -> None:
    state = dealt(("Js", "Qs", "Kh"), "crccr")
    assert LeducState.from_dict(state.to_dict()) == state
    assert [state.action_text(state.action_id(text)) for text in ACTIONS] == list(ACTIONS)
    good = state.to_dict()
    for change in ({"format": "x"}, {"cards": [0, 0]}, {"public": 0}, {"public": 6}, {"public": -1},
                   {"history": [[1, 2, 1, -1], [0, -1, -1, -1]]}, {"history": [[1, 2, -1, 1], [1, 2, -1, -1]]},
                   {"round": 0}, {"paid": [1, 3]}, {"current_player": 1}, {"num_players": 3},
                   {"rng": [1]}):  # fmt: skip
        field = next(iter(change))
        with pytest.raises(ValueError, match="cards" if field == "public" else field):
            LeducState.from_dict({**good, **change})


# --------------------------------------------------------------------------------------------------- exact values


def plain_value(ranks: tuple[int, ...], chips: bool, stake: int = 1, bet: int = 2, history: str = "") -> Fraction:
    """Return the value of uniform play for seat 0, without the code under test.

    ranks: of both hands and the public card; stake: chips that both seats have paid; history: of the current round.
    """
    called = stake + bet * history.endswith("r")
    mover = len(history) % 2

    def after(letter: str) -> Fraction:
        if letter == "r" or (letter == "c" and not history):
            return plain_value(ranks, chips, called, bet, history + letter)
        if letter == "c" and bet == 2:
            return plain_value(ranks, chips, called, 4)
        if letter == "f":
            won = stake if mover == 1 else -stake
        else:
            hands = [(rank == ranks[2], rank) for rank in ranks[:2]]
            won = called * ((hands[0] > hands[1]) - (hands[0] < hands[1]))
        return Fraction(won if chips else (won > 0) - (won < 0))

    letters = "f" * history.endswith("r") + "c" + "r" * (history.count("r") < 2)
    return sum(map(after, letters), Fraction(0)) / len(letters)


@pytest.mark.parametrize(("chips", "value"), [(True, Fraction(-5, 64)), (False, Fraction(13, 192))])
def test_the_value_of_uniform_play(chips: bool, value: Fraction) -> None:
    """The first player loses 5/64 chips a game, but wins more games than the second."""
    values = [plain_value(ranks, chips) for ranks in itertools.permutations((0, 0, 1, 1, 2, 2), 3)]
    assert sum(values, Fraction(0)) / len(values) == value
    assert expected([uniform, uniform], chips=chips) == pytest.approx([float(value), -float(value)], abs=1e-12)


def test_a_policy_is_asked_once_for_each_information_state() -> None:
    asked: list[bytes] = []

    def policy(view: View) -> npt.NDArray[np.float32]:
        asked.append(view.state.tobytes())
        return uniform(view)

    expected([policy, uniform])
    assert len(asked) == len({*asked}) == 936 / 2


def test_the_exploitability_of_uniform_play() -> None:
    """OpenSpiel gives the sum of both gains as 4.747222222222222 (`open_spiel/python/algorithms/cfr_br_test.py`)."""
    assert exploitability([uniform, uniform], chips=True) == pytest.approx(4.747222222222222 / 2, abs=1e-12)


def test_a_player_that_folds_to_every_raise_loses_the_ante() -> None:
    def folds(view: View) -> npt.NDArray[np.float32]:
        return always(FOLD if view.action_mask[FOLD] else CALL)(view)

    assert exploitability([folds, folds], chips=True) == pytest.approx(1.0)
    assert exploitability([folds, folds]) == pytest.approx(1.0)


def test_the_exact_value_averages_over_the_public_card() -> None:
    calls = [always(CALL), always(CALL)]
    for cards in (("Js", "Qs", "Jh"), ("Js", "Qs", "Kh")):
        # The jack wins with the other jack only, one of four cards.
        state = dealt(cards, "c")
        before = state.to_bytes()
        assert exact_value(state, calls).tolist() == [-0.5, 0.5]
        assert exact_value(dealt(cards, "r"), calls, chips=True).tolist() == [-1.5, 1.5]
        assert state.to_bytes() == before
    assert exact_value(dealt(("Js", "Qs", "Jh"), "cc"), calls).tolist() == [1, -1]
    assert exact_value(dealt(("Js", "Qs", "Kh"), "rc"), calls, chips=True).tolist() == [-3, 3]
    assert exact_value(dealt(("Js", "Qs", "Kh"), "rf"), calls, chips=True).tolist() == [1, -1]
    assert len(futures(dealt(("Js", "Qs", "Kh")))) == 4
    with pytest.raises(IllegalActionError):
        exact_value(dealt(("Js", "Qs", "Kh")), [always(FOLD), always(FOLD)])


@pytest.mark.parametrize("history", ["", "r", "cr", "rrc", "ccr"])
@pytest.mark.parametrize("chips", [True, False])
def test_the_exact_value_is_the_mean_of_redrawn_rollouts(history: str, chips: bool) -> None:
    state = dealt(("Js", "Qs", "Jh"), history)
    ends = [state.redraw(seed).rollout(seed=seed) for seed in range(SAMPLES)]
    won = np.array([end.totals()[0] if chips else end.returns()[0] for end in ends])
    error = won.std() / SAMPLES**0.5
    assert abs(won.mean() - exact_value(state, [uniform, uniform], chips=chips)[0]) < 4.5 * error


def test_the_exact_value_is_the_mean_over_actions() -> None:
    policies = [uniform, uniform]
    for history in ("", "r", "ccr", "rrcr"):
        state = dealt(("Js", "Qs", "Jh"), history)
        children = [
            np.mean([exact_value(future.clone().apply(action), policies) for future in futures(state)], axis=0)
            for action in state.legal_actions()
        ]
        assert exact_value(state, policies) == pytest.approx(np.mean(children, axis=0))
