"""A table in this process: some seats are live, agents play the others as soon as they are to move.

The table answers at once, keeps a few kilobytes a game, and depends on nothing but its seed and the answers.  So one
process can hold thousands of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np

from agents.agent import Agent
from agents.ladders import published_ratings
from agents.registry import make
from agents.seats import prompt as texts
from agents.seats.answers import AnswerError, chosen
from agents.seats.news import News
from agents.seats.prompt import Choice, said, seat_names
from agents.seats.results import Result, result_of
from agents.seats.terms import TERMS as TERMS
from agents.seats.terms import Conduct, Why
from agents.seats.terms import Terms as Terms
from porta_nigra_env.core.game.game import Game, IllegalActionError, check_player, check_seed
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.game.view import BatchView, View
from porta_nigra_env.core.narration.language import SOURCE
from porta_nigra_env.core.narration.narrator import GAME_OVER

#: A seat whose answers come from outside; all other seats hold agent strings.
LIVE: Final = "live"
#: Format of `LocalTable.replay`.
REPLAY_FORMAT: Final = "seats/1"


@dataclass(frozen=True)
class Reply:
    """The answer of a table to a seat.

    Attributes:
        action: the id that was played; None for a refused answer, after which nothing has changed but the count.
        reason: why the answer was refused; "" if it was not.
        forfeited: true if the seat has now forfeited the game.
    """

    action: int | None
    reason: str = ""
    forfeited: bool = False


class LocalTable:
    """A game with live seats and agents.

    Args:
        game: the game with its number of players.
        seats: `LIVE` or an agent string for each seat, at least one of them live.
        seed: of the game and of the agents, in 0..2**63-1.
        terms: retries, clock, language.
        names: of the seats in texts.
        clock: returns seconds; tests give their own.

    Raises:
        ValueError: seats, names or a seed that cannot be used, or an agent that cannot play here.

    Attributes:
        game, seats, seed, terms, names: as given; `names` is filled in.
        actions: ids of all steps so far.
    """

    __slots__ = ("_agents", "_conduct", "_news", "_state", "actions", "game", "names", "seats", "seed", "terms")

    def __init__(
        self,
        game: Game,
        seats: Sequence[str],
        seed: int,
        terms: Terms = TERMS,
        names: Sequence[str] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if len(seats) != game.num_players:
            raise ValueError(f"seats: {game.num_players} are needed, not {len(seats)}")
        if LIVE not in seats:
            raise ValueError(f'seats: at least one must be "{LIVE}"')
        self.game, self.seats, self.seed, self.terms = game, tuple(seats), check_seed(seed), terms
        self.names = None if names is None else seat_names(game, terms.language, names)
        self._agents = {seat: _agent(text, game, seed, seat) for seat, text in enumerate(seats) if text != LIVE}
        _shared(terms.fallback, game)  # raises for an agent that cannot play here
        self._conduct = Conduct(terms, self.live, clock)
        self.actions: list[int] = []
        self._news = News(game, self.live)
        self._state = State(game, game.new_states(seed))
        self._advance()

    # -- what a seat may know

    @property
    def live(self) -> list[int]:
        """The seats whose answers come from outside, the forfeited ones included."""
        return [seat for seat, text in enumerate(self.seats) if text == LIVE]

    @property
    def mover(self) -> int:
        """The live seat whose answer is awaited; -1 when the game is over."""
        return self._state.player

    @property
    def is_over(self) -> bool:
        return self._state.is_over

    @property
    def forfeits(self) -> dict[int, Why]:
        """Why seats forfeited, by seat, the first one first."""
        return self._conduct.forfeits

    @property
    def called(self) -> tuple[str, ...]:
        """The names of the seats in texts."""
        return seat_names(self.game, self.terms.language, self.names)

    def view(self, seat: int) -> View:
        """Return the view of a seat."""
        return self._state.view(check_player(seat, self.game.num_players))

    def events(self, seat: int) -> list[str]:
        """Return what a live seat has seen since its last decision, a line for each turn of a player."""
        return self._news.lines(self._live(seat), self._state.states, self.terms.language, self.names)

    def legal(self, seat: int) -> list[Choice]:
        """Return the legal actions of a seat with sentences; [] if another seat is to move."""
        return texts.choices(self.view(seat), self.terms.language, self.names)

    def prompt(self, seat: int) -> str:
        """Return the text of a decision of a live seat (`agents.seats.prompt.prompt`)."""
        return texts.prompt(self.view(seat), self.events(seat), self.terms.language, self.names, self.terms.tokens)

    def rules(self) -> str:
        """Return the rules in short as Markdown, and who sits where with published ratings."""
        return rules(self.game, self.seats, self.terms.language, self.names)

    def seconds_left(self, seat: int) -> float | None:
        """Return the thinking time that a live seat has left; None without a clock."""
        return self._conduct.left(self._live(seat))

    # -- answers

    def act(self, seat: int, answer: str | int) -> Reply:
        """Play the action that an answer names, and let agents answer.

        A refused answer changes nothing but the count of refused ones.  An answer at another seat's turn is refused and
        not counted.
        """
        self._live(seat)
        if self.check_time():
            return Reply(None, self._forfeit_reason(seat), seat in self.forfeits)
        if seat != self.mover:
            return Reply(None, self._forfeit_reason(seat) or self._not_now(), seat in self.forfeits)
        try:
            action = chosen(self.view(seat), answer, self.terms.language)
        except AnswerError as error:
            left = self._conduct.refuse()
            if not left:
                self.forfeit(seat, "answers")
            return Reply(None, said(self.terms.language, texts.REFUSED, reason=error, left=left), not left)
        self._conduct.stop()
        self._step(action)
        self._advance()
        return Reply(action)

    def check_time(self) -> bool:
        """Return true if the seat to move has no time left; it then forfeits."""
        late = self._conduct.late
        if late:
            self.forfeit(self.mover, "time")
        return late

    def forfeit(self, seat: int, why: Why = "left") -> None:
        """Let the fallback play a live seat from now on; without effect once the game is over or forfeited."""
        if self._live(seat) in self.forfeits or self.is_over:
            return
        self._conduct.forfeit(seat, why)
        self._news.drop(seat)
        self._agents[seat] = _agent(self.terms.fallback, self.game, self.seed, seat)
        self._advance()

    def _step(self, action: int) -> None:
        mover, before = self._state.player, self._state.states.tobytes()
        self._state.apply_id(action)
        self.actions.append(action)
        self._news.note(mover, before, action)

    def _advance(self) -> None:
        """Let agents play until a live seat is to move."""
        while self._state.player in self._agents:
            state, agent = self._state, self._agents[self._state.player]
            legal = state.legal_ids()
            self._step(int(legal[0]) if len(legal) == 1 else agent(state.view()))
        self._conduct.ask(self.mover)

    def _live(self, seat: int) -> int:
        if check_player(seat, self.game.num_players) not in self._conduct:
            raise ValueError(f"seat {seat} is played by {self.seats[seat]!r}; live are {self.live}")
        return seat

    def _not_now(self) -> str:
        language = self.terms.language
        if self.is_over:
            return said(language, GAME_OVER)
        return said(language, texts.NOT_YOUR_TURN, seat=self.called[self.mover])

    def _forfeit_reason(self, seat: int) -> str:
        return said(self.terms.language, texts.FORFEITED) if seat in self.forfeits else ""

    # -- results

    def result(self) -> Result:
        """Return the result. Raises ValueError before the end."""
        if not self.is_over:
            raise ValueError("the game is not over")
        return result_of(self.game, self._state.states, self.forfeits)

    def report(self) -> str:
        """Return the result in lines, the best place first. Raises ValueError before the end."""
        result, language = self.result(), self.terms.language
        lines = [said(language, GAME_OVER)]
        for seat in sorted(range(self.game.num_players), key=lambda seat: (result.places[seat], seat)):
            sources = " + ".join(f"{value} {name}" for name, value in result.sources[seat].items() if value)
            line = (
                f"{result.places[seat]}. {self.called[seat]}: {result.totals[seat]}{f' = {sources}' if sources else ''}"
            )
            lost = f" ({said(language, texts.FORFEITS[result.forfeits[seat]])})" if seat in result.forfeits else ""
            lines.append(line + lost)
        return "\n".join(lines)

    def replay(self) -> dict[str, Any]:
        """Return the whole game as a JSON-able dict, with the actions of all seats.

        Raises ValueError before the end.  ``(components, seed, actions)`` is the whole game (`core.game.playthrough`).
        """
        result = self.result()
        return {
            "format": REPLAY_FORMAT, "game": self.game.name, "version": self.game.version,
            "components": self.game.digest, "players": self.game.num_players, "seed": str(self.seed),
            "seats": list(self.seats), "names": list(self.called), "actions": list(self.actions),
            "result": result.record(),
        }  # fmt: skip


def rules(game: Game, seats: Sequence[str], language: str = SOURCE, names: Sequence[str] | None = None) -> str:
    """Return the rules in short as Markdown, and who sits where with published ratings; seats: agent strings."""
    ratings = published_ratings(game)
    lines = [texts.rules(game, language), f"## {said(language, texts.SEATED)}", ""]
    for name, text in zip(seat_names(game, language, names), seats, strict=True):
        rated = f", {said(language, texts.RATED, rating=round(ratings[text]))}" if text in ratings else ""
        lines.append(f"- {name}: {text}{rated}")
    return "\n".join(lines) + "\n"


def replayed(game: Game, replay: dict[str, Any]) -> State:
    """Return the last state of a replay.

    Raises:
        ValueError: another format, game, version or components, or an action that is not legal.
    """
    expected = {"format": REPLAY_FORMAT, "game": game.name, "version": game.version, "components": game.digest,
                "players": game.num_players}  # fmt: skip
    for name, value in expected.items():
        if replay.get(name) != value:
            raise ValueError(f"replay: {name} must be {value!r}, not {replay.get(name)!r}")
    state = State(game, game.new_states(check_seed(int(replay["seed"]))))
    for number, action in enumerate(replay["actions"]):
        try:
            state.apply_id(action)
        except IllegalActionError as error:
            raise ValueError(f"replay: action {number}: {error}") from None
    return state


# -- agents


def _agent(text: str, game: Game, seed: int, seat: int) -> Callable[[View], int]:
    """Return a function that chooses an agent's actions; tables share one agent where it takes seeds."""
    shared = _shared(text, game)
    seeded = seed % 2**62 + seat
    if shared is None:
        return make(text, game, seeded).act
    seeds = np.array([seeded])
    return lambda view: int(shared.act_seeded(_row(view), seeds)[0])


@lru_cache(maxsize=64)
def _shared(text: str, game: Game) -> Agent | None:
    agent = make(text, game)
    if agent.history:
        raise ValueError(f"agent {text!r} needs the last {agent.history} events, which tables do not give to agents")
    return agent if agent.batched else None


def _row(view: View) -> BatchView:
    """Return a view as a batch of one."""
    players, mask = np.array([view.player], dtype=np.int8), view.action_mask[None]
    return BatchView(view.game, players, view.observation[None], mask, view.state)
