"""Check every invariant of a game on random games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from porta_nigra_env.core.conformance.api_invariants import (
    position_round_trips,
    state_refuses_illegal_actions,
    states_are_values,
    views_hide_information,
)
from porta_nigra_env.core.conformance.episode_invariants import EPISODE_INVARIANTS, game_ends
from porta_nigra_env.core.conformance.game_invariants import GAME_INVARIANTS
from porta_nigra_env.core.conformance.information_invariants import (
    choices_are_visible_or_secret,
    determinization_is_seeded,
    determinization_keeps_known_information,
    determinization_plays_to_the_end,
    determinization_reseeds,
    indistinguishable_states_redact_equally,
    redacted_state_gives_the_determinizations,
    redacted_state_gives_the_observation,
)
from porta_nigra_env.core.conformance.kernel_invariants import (
    advance_is_step_and_inspect,
    constants_are_read_only,
    current_player_is_a_seat,
    illegal_is_refused,
    legal_actions_exist_until_the_end,
    mask_matches_legal_actions,
    observation_is_in_bounds,
    perft_counts_the_legal_actions,
    privileged_vector_is_in_bounds,
    reading_changes_nothing,
    rows_are_independent,
)
from porta_nigra_env.core.conformance.moments import Moment, play_episode
from porta_nigra_env.core.conformance.readings import Finding, named
from porta_nigra_env.core.conformance.result_invariants import (
    points_are_public,
    rank_does_not_write_totals,
    ranks_are_consistent,
    result_is_public,
    rounds_are_public,
    sources_add_up,
    totals_are_overwritten,
)
from porta_nigra_env.core.game.game import Game

#: Steps after which a game counts as endless.
LIMIT: Final = 20_000

POSITION_INVARIANTS: Final[tuple[Callable[[Moment], Finding], ...]] = (
    current_player_is_a_seat,
    legal_actions_exist_until_the_end,
    constants_are_read_only,
    rows_are_independent,
    reading_changes_nothing,
    observation_is_in_bounds,
    privileged_vector_is_in_bounds,
    totals_are_overwritten,
    rank_does_not_write_totals,
    ranks_are_consistent,
    sources_add_up,
    mask_matches_legal_actions,
    perft_counts_the_legal_actions,
    determinization_is_seeded,
    determinization_reseeds,
    redacted_state_gives_the_observation,
    redacted_state_gives_the_determinizations,
    determinization_keeps_known_information,
    points_are_public,
    rounds_are_public,
    result_is_public,
    position_round_trips,
    determinization_plays_to_the_end,
    indistinguishable_states_redact_equally,
    choices_are_visible_or_secret,
    views_hide_information,
    illegal_is_refused,
    advance_is_step_and_inspect,
    states_are_values,
    state_refuses_illegal_actions,
)
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
            yield Violation(game_ends.__name__, _sentence(game_ends), f"{named(game)}, seed {number}", repr(error))
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
