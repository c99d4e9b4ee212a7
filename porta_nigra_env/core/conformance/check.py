"""The check of a game: every law tried on random games, and what was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from porta_nigra_env.core.conformance.api_invariants import (
    position_round_trips,
    state_refuses_by_name,
    states_are_values,
    views_show_no_more,
)
from porta_nigra_env.core.conformance.episode_invariants import COURSE_LAWS, game_ends
from porta_nigra_env.core.conformance.game_invariants import GAME_LAWS
from porta_nigra_env.core.conformance.information_invariants import (
    choices_are_told_or_secret,
    determinization_is_seeded,
    determinization_keeps_what_is_known,
    determinization_plays_to_the_end,
    determinization_reseeds,
    redacted_is_enough_to_look,
    redacted_is_enough_to_sample,
    redaction_is_one_for_all,
)
from porta_nigra_env.core.conformance.kernel_invariants import (
    advance_is_step_and_inspect,
    illegal_is_refused,
    looking_changes_nothing,
    mask_is_legality,
    observation_is_in_bounds,
    one_step_counts_the_legal_actions,
    privileged_vector_is_in_bounds,
    row_stands_alone,
    somebody_is_asked,
    something_is_legal_until_the_end,
    tables_are_only_read,
)
from porta_nigra_env.core.conformance.moments import Moment, play_course
from porta_nigra_env.core.conformance.readings import Finding, named
from porta_nigra_env.core.conformance.result_invariants import (
    places_are_counted,
    points_are_public,
    rank_only_reads_the_totals,
    result_is_public,
    rounds_are_public,
    sources_add_up,
    totals_are_overwritten,
)
from porta_nigra_env.core.game.game import Game

#: Decisions after which a game is taken for endless.
LIMIT: Final = 20_000

POSITION_LAWS: Final[tuple[Callable[[Moment], Finding], ...]] = (
    somebody_is_asked,
    something_is_legal_until_the_end,
    tables_are_only_read,
    row_stands_alone,
    looking_changes_nothing,
    observation_is_in_bounds,
    privileged_vector_is_in_bounds,
    totals_are_overwritten,
    rank_only_reads_the_totals,
    places_are_counted,
    sources_add_up,
    mask_is_legality,
    one_step_counts_the_legal_actions,
    determinization_is_seeded,
    determinization_reseeds,
    redacted_is_enough_to_look,
    redacted_is_enough_to_sample,
    determinization_keeps_what_is_known,
    points_are_public,
    rounds_are_public,
    result_is_public,
    position_round_trips,
    determinization_plays_to_the_end,
    redaction_is_one_for_all,
    choices_are_told_or_secret,
    views_show_no_more,
    illegal_is_refused,
    advance_is_step_and_inspect,
    states_are_values,
    state_refuses_by_name,
)
#: Names of all laws, in the order in which they are tried.
LAWS: Final = tuple(law.__name__ for law in (*GAME_LAWS, *COURSE_LAWS, *POSITION_LAWS))


@dataclass(frozen=True)
class Breach:
    """A law that does not hold: its name, its sentence, where it was tried and what was found."""

    law: str
    sentence: str
    where: str
    found: str

    def __str__(self) -> str:
        return f"{self.sentence}  Not so ({self.law}) in {self.where}: {self.found}"


@dataclass
class Report:
    """What `check_game` has looked at: games, decisions in them, positions, and how often each law was tried."""

    game: str
    games: int = 0
    decisions: int = 0
    positions: int = 0
    checks: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        return (
            f"{self.game}: {len(self.checks)} laws tried {self.checks.total()} times on {self.positions} positions "
            f"of {self.games} games ({self.decisions} decisions)"
        )


def chosen_plies(last: int, count: int) -> list[int]:
    """About `count` plies out of 0..last, spread evenly; the first, the last and the one before it are among them."""
    if last < count:
        return list(range(last + 1))
    return sorted({round(i * last / (count - 1)) for i in range(count)} | {0, last - 1, last})


def _sentence(law: Callable[..., Finding]) -> str:
    """The first paragraph of a law's docstring."""
    return " ".join((law.__doc__ or "").split("\n\n")[0].split())


def _tried(law: Callable[[Any], Finding], subject: Any, where: str, report: Report) -> Iterator[Breach]:
    report.checks[law.__name__] += 1
    try:
        found = law(subject)
    except Exception as error:  # whatever a game raises is a finding
        found = f"{type(error).__name__}: {error}"
    if found is not None:
        yield Breach(law.__name__, _sentence(law), where, found)


def breaches(
    game: Game, games: int = 20, seed: int = 0, positions: int = 12, limit: int = LIMIT, report: Report | None = None
) -> Iterator[Breach]:
    """Every breach of a law in `games` random games, as they are found; see `check_game`.

    After a first breach the compiled verbs of an unlawful game may write outside their arrays: run such a game
    interpreted, or stop there.
    """
    report = Report(named(game)) if report is None else report
    for game_law in GAME_LAWS:
        yield from _tried(game_law, game, named(game), report)
    for number in range(seed, seed + games):
        try:
            course = play_course(game, number, limit)
        except Exception as error:
            yield Breach(game_ends.__name__, _sentence(game_ends), f"{named(game)}, seed {number}", repr(error))
            continue
        report.games += 1
        report.decisions += len(course.actions)
        for course_law in COURSE_LAWS:
            yield from _tried(course_law, course, str(course), report)
        for ply in chosen_plies(len(course.actions), positions):
            moment = Moment(course, ply)
            report.positions += 1
            for position_law in POSITION_LAWS:
                yield from _tried(position_law, moment, str(moment), report)


def check_game(game: Game, games: int = 20, seed: int = 0, positions: int = 12, limit: int = LIMIT) -> Report:
    """Try every law on random games.

    Args:
        game: the game.
        games: how many games are played, with the seeds ``seed, seed + 1, ...``.
        seed: the first seed.
        positions: at how many positions of a game, about, the laws of positions are tried; at least 3.
        limit: decisions after which a game is taken for endless.

    Returns:
        What was looked at.

    Raises:
        AssertionError: the first breach: the law, the game, seed and ply, and what was found.
        ValueError: no games, or fewer than 3 positions.
    """
    if games < 1 or positions < 3:
        raise ValueError(f"at least 1 game and 3 positions are needed, not {games} and {positions}")
    report = Report(named(game))
    for breach in breaches(game, games, seed, positions, limit, report):
        raise AssertionError(str(breach))
    return report
