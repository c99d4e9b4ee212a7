"""Check every invariant of a game on random games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from porta_nigra_env.core.conformance import (
    event_invariants,
    game_invariants,
    kernel_invariants,
    redaction_invariants,
    step_invariants,
)
from porta_nigra_env.core.conformance.moments import (
    EPISODE_INVARIANTS,
    GAME_INVARIANTS,
    POSITION_INVARIANTS,
    Finding,
    Moment,
    named,
    play_episode,
)
from porta_nigra_env.core.game.game import Game

#: The modules that add the invariants when they are imported, in this order.
MODULES: Final = (game_invariants, kernel_invariants, redaction_invariants, step_invariants, event_invariants)
#: Steps after which a game counts as endless.
LIMIT: Final = 20_000
#: Names of all invariants, in the order of the checks.
INVARIANTS: Final = tuple(
    invariant.__name__ for invariant in (*GAME_INVARIANTS, *EPISODE_INVARIANTS, *POSITION_INVARIANTS)
)


@dataclass(frozen=True)
class Violation:
    """A violated invariant: its name, its sentence, the position and the finding."""

    invariant: str
    sentence: str
    where: str
    finding: str

    def __str__(self) -> str:
        return f"{self.sentence}  Violated ({self.invariant}) in {self.where}: {self.finding}"


@dataclass
class Report:
    """Counts of `check_game`: games, their steps, checked positions, and checks of each invariant."""

    game: str
    games: int = 0
    steps: int = 0
    positions: int = 0
    checks: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        return (
            f"{self.game}: {len(self.checks)} invariants checked {self.checks.total()} times on {self.positions} "
            f"positions of {self.games} games ({self.steps} steps)"
        )


def chosen_plies(last: int, count: int) -> list[int]:
    """Return about `count` evenly spread plies of 0..last, including the first and the last two."""
    if last < count:
        return list(range(last + 1))
    return sorted({round(i * last / (count - 1)) for i in range(count)} | {0, last - 1, last})


def _sentence(invariant: Callable[..., Finding]) -> str:
    """Return the first paragraph of the docstring of an invariant."""
    return " ".join((invariant.__doc__ or "").split("\n\n")[0].split())


def _check(invariant: Callable[[Any], Finding], subject: Any, where: str, report: Report) -> Iterator[Violation]:
    report.checks[invariant.__name__] += 1
    try:
        finding = invariant(subject)
    except Exception as error:  # any error of a game is a finding
        finding = f"{type(error).__name__}: {error}"
    if finding is not None:
        yield Violation(invariant.__name__, _sentence(invariant), where, finding)


def violations(
    game: Game, games: int = 20, seed: int = 0, positions: int = 12, limit: int = LIMIT, report: Report | None = None
) -> Iterator[Violation]:
    """Yield the violations of all invariants in `games` random games; see `check_game`.

    After a first violation, compiled kernel functions may write outside their arrays: run such a game interpreted, or
    stop there.
    """
    report = Report(named(game)) if report is None else report
    for game_invariant in GAME_INVARIANTS:
        yield from _check(game_invariant, game, named(game), report)
    for number in range(seed, seed + games):
        try:
            episode = play_episode(game, number, limit)
        except Exception as error:
            yield Violation(
                game_invariants.game_ends.__name__,
                _sentence(game_invariants.game_ends),
                f"{named(game)}, seed {number}",
                repr(error),
            )
            continue
        report.games += 1
        report.steps += len(episode.actions)
        for episode_invariant in EPISODE_INVARIANTS:
            yield from _check(episode_invariant, episode, str(episode), report)
        for ply in chosen_plies(len(episode.actions), positions):
            moment = Moment(episode, ply)
            report.positions += 1
            for position_invariant in POSITION_INVARIANTS:
                yield from _check(position_invariant, moment, str(moment), report)


def check_game(game: Game, games: int = 20, seed: int = 0, positions: int = 12, limit: int = LIMIT) -> Report:
    """Check every invariant on random games.

    Args:
        game: the game.
        games: number of games, with the seeds ``seed, seed + 1, ...``.
        seed: the first seed.
        positions: approximate number of checked positions in each game, at least 3.
        limit: steps after which a game counts as endless.

    Returns:
        The counts of games, steps, positions and checks.

    Raises:
        AssertionError: an invariant is violated; the message names invariant, game, seed, ply and finding.
        ValueError: `games` is below 1 or `positions` below 3.
    """
    if games < 1 or positions < 3:
        raise ValueError(f"`games` must be at least 1 and `positions` at least 3, got {games} and {positions}")
    report = Report(named(game))
    for violation in violations(game, games, seed, positions, limit, report):
        raise AssertionError(str(violation))
    return report
