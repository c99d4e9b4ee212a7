"""The checks that every door passes.  A door is given as a function that begins a game: `Play`.

Worlds are two states that a seat cannot tell apart: everything that it is shown must have the same bytes in both.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from agents.seats.local import LIVE, TERMS, Terms
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.state import State

#: Pairs of actions that are tried at a step before the other world is sampled again.
TRIES = 24
#: Answers that no game takes.
WRONG = ("", "no such action", "999999", "-1", "1.5", '{"action": "nothing"}', "build\x00", "9" * 40, "x" * 50_000)
#: A line of a prompt with a legal action.
LINE = re.compile(r"^(?P<id>[0-9]+) \S", re.M)


class Play(Protocol):
    """A game behind a door."""

    def ask(self) -> tuple[int, str]:
        """Return the seat to move and the text that its program reads; -1 at the end."""

    def answer(self, text: str) -> str:
        """Answer for the seat to move; return the text that its program gets: "" if the answer was taken."""

    def result(self) -> dict[str, Any]:
        """Return places and forfeits of the finished game, as the door tells them."""

    def state(self) -> State:
        """Return the true state."""

    def replace(self, state: State) -> None:
        """Replace the true state."""

    def shown(self, seat: int) -> str:
        """Return everything that a seat can ask for now."""


class Door(Protocol):
    """Begins games.

    name: of the door; asks, answers: the calls that show a decision and answer it, for transcripts; forfeits: whether
    it counts refused answers and time; seconds: the clock of its games.
    """

    name: str
    asks: str
    answers: str
    forfeits: bool
    seconds: float

    def begin(self, game: Game, seats: Sequence[str], seed: int, terms: Terms = TERMS) -> Play: ...


Reader = Callable[[str], str]


def reader(seed: int) -> Reader:
    """Return a program that reads nothing but the text and names one of its actions by the id."""
    rng = random.Random(seed)
    return lambda text: rng.choice(ids(text))


def ids(text: str) -> list[str]:
    """Return the ids of the legal actions in a text."""
    lists = text.rpartition("\nYour legal actions")[2] or text.rpartition("\nDeine erlaubten Aktionen")[2]
    found = [*re.findall(r"^([0-9]+) ", lists, re.M)]
    for line in re.findall(r"^.*\.\.\..*: (.*)$", lists, re.M):
        found += re.findall(r"(?:^|, )([0-9]+) ", line)
    return found


def playing(play: Play, program: Reader) -> list[str]:
    """Play to the end; return all texts."""
    texts = []
    while (asked := play.ask())[0] >= 0:
        texts.append(asked[1])
        assert play.answer(program(asked[1])) == ""
    return texts


def check_reading(door: Door, game: Game, opponent: str) -> None:
    """A program that reads only the texts finishes games, and every legal action is in them."""
    play = door.begin(game, [LIVE, *[opponent] * (game.num_players - 1)], 11)
    choose, count = reader(3), 0
    while (asked := play.ask())[0] >= 0:
        assert sorted(map(int, ids(asked[1]))) == play.state().legal_ids().tolist()
        assert play.answer(choose(asked[1])) == ""
        count += 1
    assert count > 5
    assert sorted(play.result()["places"]) == sorted(play.state().places().tolist())


def check_repeatable(door: Door, game: Game, opponent: str) -> None:
    """The same seed and answers give the same bytes; another seed gives others."""
    seats = [LIVE, *[opponent] * (game.num_players - 1)]
    one, same, other = (playing(door.begin(game, seats, seed), reader(5)) for seed in (21, 21, 22))
    assert one == same
    assert one != other


def check_refusals(door: Door, game: Game) -> None:
    """A wrong answer gets a reason and changes nothing."""
    play = door.begin(game, [LIVE] * game.num_players, 31, Terms(retries=1000))
    choose, rng = reader(4), random.Random(8)
    for _ in range(6):
        seat, text = play.ask()
        before, legal = play.state().to_bytes(), set(play.state().legal_ids().tolist())
        illegal = next(i for i in iter(lambda: rng.randrange(game.actions.size), None) if i not in legal)
        for wrong in (*WRONG, str(illegal), game.action_texts[illegal], f"I choose.\nAction: {illegal}"):
            assert play.answer(wrong) != "", wrong
            assert (play.ask()[0], play.state().to_bytes()) == (seat, before)
        assert play.answer(choose(text)) == ""
        assert play.state().to_bytes() != before


def check_forfeits(door: Door, game: Game) -> None:
    """One refused answer too many forfeits: the fallback plays on, and the seat ends last."""
    assert door.forfeits
    play = door.begin(game, [LIVE] * game.num_players, 41, Terms(retries=2))
    loser, _ = play.ask()
    assert [bool(play.answer("nothing")) for _ in range(3)] == [True] * 3
    while (asked := play.ask())[0] >= 0:
        assert asked[0] != loser
        play.answer(reader(1)(asked[1]))
    result = play.result()
    assert result["places"][loser] == game.num_players
    assert result["forfeits"] == {str(loser): "answers"}


def check_time(door: Door, game: Game, wait: Callable[[float], None]) -> None:
    """A seat without time forfeits, whether it answers or not; wait: lets time pass."""
    assert door.forfeits
    for late in (True, False):
        play = door.begin(game, [LIVE] * game.num_players, 41, Terms(seconds=door.seconds))
        loser, text = play.ask()
        wait(door.seconds * 1.01)
        if late:
            assert play.answer(reader(1)(text)) != ""
        while (asked := play.ask())[0] >= 0:
            assert asked[0] != loser
            play.answer(reader(1)(asked[1]))
        assert play.result()["forfeits"][str(loser)] == "time"


def check_reconnection(door: Door, game: Game) -> None:
    """Asking again gives the same bytes and changes nothing."""
    play = door.begin(game, [LIVE] * game.num_players, 51)
    choose = reader(2)
    for _ in range(8):
        _, text = play.ask()
        before = play.state().to_bytes()
        assert play.ask()[1] == play.ask()[1]
        assert play.state().to_bytes() == before
        assert play.answer(choose(text)) == ""


# -- two worlds


class Compared(NamedTuple):
    """Numbers of games, of compared steps, of steps with different actions, and of sampled worlds."""

    games: int
    steps: int
    different: int
    samples: int


def worlds(door: Door, game: Game, seat: int, seed: int) -> Compared:
    """Play a game in two worlds, and compare everything that a seat is shown at every step, and every refusal.

    The other world is sampled at the start, and again after each action that is possible in one of them only.
    """
    rng, terms = random.Random(seed), Terms(retries=10**6)
    here, there = (door.begin(game, [LIVE] * game.num_players, seed, terms) for _ in range(2))
    there.replace(here.state().determinize(seat, rng.randrange(2**62)))
    steps, different, samples = 0, 0, 1
    while not (state := here.state()).is_over:
        steps += 1
        assert here.shown(seat) == there.shown(seat), f"seed {seed}: seat {seat} is shown the world at step {steps}"
        if state.player == seat:
            wrong = rng.randrange(game.actions.size)
            for text in ("no such action", *([] if state.mask[wrong] else [str(wrong)])):
                reason, other_reason = here.answer(text), there.answer(text)
                assert reason == other_reason != "", f"seed {seed}: seat {seat} is told the world at step {steps}"
        for one, other in pairs(here, there, seat, rng):
            if after(here, one, seat) == after(there, other, seat):
                break
        else:
            # What the action reveals is true in one of the worlds only: both continue from that one.
            one = other = rng.choice(state.legal_ids().tolist())
            there.replace(state.clone())
            here.answer(str(one))
            there.answer(str(other))
            if not here.state().is_over:
                samples += 1
                there.replace(here.state().determinize(seat, rng.randrange(2**62)))
            continue
        different += one != other
        assert here.answer(str(one)) == there.answer(str(other)) == ""
    return Compared(1, steps, different, samples)


def pairs(here: Play, there: Play, seat: int, rng: random.Random) -> Iterator[tuple[int, int]]:
    """Yield pairs of actions for both worlds in random order; only secret ones of other seats may differ."""
    state, other = here.state(), there.state()
    game, legal = state.game, state.legal_ids().tolist()
    rng.shuffle(legal)
    if state.player != seat:
        secret = [[a for a in each.legal_ids().tolist() if game.told(a, to=seat, by=state.player) is None]
                  for each in (state, other)]  # fmt: skip
        yield from ((a, b) for a in secret[0][:4] for b in secret[1][:4] if a != b)
    yield from ((a, a) for a in legal[:TRIES] if other.mask[a])


def after(play: Play, action: int, seat: int) -> tuple[bytes, int]:
    """Return a seat's record after an action, and the next player."""
    state = play.state().clone().apply_id(action)
    return state.view(seat).state.tobytes(), state.player


def check_worlds(door: Door, game: Game, games: int) -> Compared:
    """Nothing that a seat is shown tells two worlds apart."""
    each = [worlds(door, game, number % game.num_players, number) for number in range(games)]
    compared = Compared(*map(sum, zip(*each, strict=True)))
    assert compared.samples >= compared.games == games
    if game.secret_choices and games >= game.num_players:
        assert compared.different > 0
    return compared
