"""Reviews of the recorded games of a tournament, stored beside its results (`agents.arena.reviews`)."""

from __future__ import annotations

from pathlib import Path

from tqdm import tqdm  # type: ignore[import-untyped]

from agents.arena.matches import Played
from agents.arena.records import game_of, recorded
from agents.arena.results import LOCK, Header
from agents.arena.reviews import REVIEWS, SCHEMA, Loss, ReviewedGame, read_reviews, write_reviews
from agents.review.estimates import Baseline, Effort, baseline
from agents.review.recording import RecordingError
from agents.review.review import STAGES, Review, review
from porta_nigra_env.core.files import lock


def review_games(
    folder: Path, count: int, name: str, effort: Effort, components: str = "standard", progress: bool = False
) -> None:
    """Review the first recorded games of each number of players, and store them in the folder.

    The file is written after each game, and reviewed games are not reviewed again, so that a repeated call resumes.

    Args:
        folder: of the tournament.
        count: games of each number of players, in order of their deals; 0 for all.
        name: agent string of the network (`baseline`).
        effort: the size of the estimates.
        components: the component file of the games.
        progress: whether to show a progress bar.

    Raises:
        RecordError: no recorded games, or those of another version or other components (a ValueError).
        RecordingError: reviews of another network or size, or another process that writes there.
    """
    header, games = recorded(folder)
    wanted = first_games(header, games, count)
    tables = {players: game_of(header, players, components) for players in header.players}
    networks = {players: baseline(name, game) for players, game in tables.items()}
    baselines = {players: baseline_of(network, effort) for players, network in networks.items()}
    try:
        held = lock(folder / LOCK)
    except TimeoutError:
        raise RecordingError(f"{folder}: another process is writing there") from None
    try:
        done = read_reviews(folder, header)
        for one in done.values():
            if one.baseline != (asked := baselines[len(one.agents)]):
                file = folder / REVIEWS
                raise RecordingError(f"{file} has reviews by {one.baseline}, not by {asked}; delete it to start over")
        missing = [game for game in wanted if game.match not in done]
        for played in tqdm(missing, unit="game", disable=not progress):
            players = len(played.scores)
            found = review(tables[players], played.seed, played.actions, networks[players], effort, played.match.agents)
            done[played.match] = reviewed(found, played, baselines[players])
            write_reviews(folder, done.values())
    finally:
        held.release()


def first_games(header: Header, games: list[Played], count: int) -> list[Played]:
    """Return the first `count` games of each number of players in order of their deals, all of them for 0."""
    ordered = sorted(games, key=lambda game: (game.match.deal, game.match.agents))
    by_players = [[game for game in ordered if len(game.scores) == players] for players in header.players]
    return [game for some in by_players for game in some[: count or None]]


def baseline_of(network: Baseline, effort: Effort) -> str:
    """Return the text that identifies the estimates of a review."""
    size = f"{effort.samples} samples, {effort.candidates} candidates, {effort.plies} plies"
    return f"{network.digest}, {size}, in doubt {' and '.join(map(str, STAGES))} times as many"


def reviewed(found: Review, played: Played, baseline: str) -> ReviewedGame:
    """Return a review as a line of the file."""
    by_seat: list[Loss | None] = [None] * len(found.seats)
    for step in reversed(found.costliest(len(found.steps))):
        by_seat[step.seat] = Loss(step.number, step.skill, step.error, step.action, step.better)
    return ReviewedGame(
        SCHEMA,
        played.match.deal,
        played.match.agents,
        baseline,
        tuple(seat.skill for seat in found.seats),
        tuple(seat.choices for seat in found.seats),
        tuple(by_seat),
    )
