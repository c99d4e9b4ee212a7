"""Tournaments: schedule the missing games, play them, write the results and the report."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

from tqdm import tqdm  # type: ignore[import-untyped]

from agents.arena import program
from agents.arena.executors import Jobs
from agents.arena.matches import Played, Setup, schedule
from agents.arena.playing import Arena, MatchError, play_all
from agents.arena.report import PAGE, Report, opener, report
from agents.arena.results import Header, Results, Writer, check_same, header, read, read_times
from agents.arena.reviews import read_reviews
from porta_nigra_env.core.game.game import check_seed
from porta_nigra_env.games import DEFAULT_GAME, game_entry, make_game


def run(
    arena: Arena,
    players: Sequence[int],
    games: int | Mapping[int, int],
    folder: Path,
    jobs: Jobs | int = 1,
    progress: bool = False,
    until: Callable[[Sequence[Played]], bool] = lambda _: False,
) -> Results:
    """Play the missing games of a tournament, and return the results in the folder.

    Args:
        arena: game and agents.
        players: numbers of players.
        games: games of each line-up, rounded up to whole deals (`agents.arena.matches.schedule`): one number, or one
            for each number of players.
        folder: created if it is missing.
        jobs: the executor (`agents.arena.executors`); an int is a number of processes.
        progress: whether to show a bar.
        until: called with all games played so far, in any order; True ends the tournament.

    Raises:
        AgentError: an invalid agent string; nothing has been played.
        ForeignFolderError: the folder holds another tournament; nothing has been played.
        ResultsError: the folder's results cannot be read.
        BusyFolderError: another process is writing to the folder (an OSError).
        MatchError: an agent returned an illegal action, cannot be made again or differs on another machine, or a
            process died.  The games played before are saved.
    """
    jobs = Jobs(jobs) if isinstance(jobs, int) else jobs
    wanted = header(arena, players)
    for count in wanted.players:
        arena.agents(count)
    stored = read(folder)
    if stored is not None:
        check_same(folder, stored.header, wanted)
    known = list(stored.games) if stored else []
    done = {game.match for game in known}
    counts = games if isinstance(games, Mapping) else dict.fromkeys(players, games)
    matches = [match for count in wanted.players for match in schedule(arena.setup, count, counts[count])]
    missing = [match for match in matches if match not in done]
    if (missing or stored is None) and not until(known):
        remote_arena = partial(_same_arena, arena.setup, wanted)
        with (
            closing(play_all(arena, arena.batches(missing), jobs, remote_arena)) as tasks,
            Writer(folder, wanted, stored, str(jobs)) as writer,
            tqdm(total=len(matches), initial=len(matches) - len(missing), unit="game", disable=not progress) as bar,
        ):
            for played, paces in tasks:
                writer.add(played, paces)
                bar.update(len(played))
                known += played
                if until(known):
                    break
    results = read(folder)
    assert results is not None
    return results


def _same_arena(setup: Setup, wanted: Header) -> Arena:
    """Make the arena of another process; MatchError unless its game, constants and agents are the tournament's.

    Another machine may have other files under the same names.
    """
    arena = Arena(setup)
    try:
        check_same(Path(socket.gethostname()), header(arena, wanted.players), wanted)
    except ValueError as error:
        raise MatchError(f"an agent cannot be made in another process: {error}") from error
    return arena


def write_report(
    folder: Path, results: Results, anchor: str | None = None, page: str = PAGE, components: str = "standard"
) -> Report:
    """Write the report of a folder into it.

    Args:
        folder: of the tournament.
        results: its contents.
        anchor: the agent rated 1500; None for the default of `report`.
        page: address of the page that opens recorded games.
        components: the component file of the games.

    Raises:
        ValueError: an anchor that does not play, or recorded games of another version or other components.
        ResultsError: an invalid review.
    """
    times, machines = read_times(folder)
    is_recorded = any(game.actions for game in results.games)
    open_game = opener(results.header, page, components) if is_recorded else None
    written = report(results, anchor, times, machines, read_reviews(folder, results.header), open_game)
    written.write(folder)
    return written


@contextmanager
def accounts(arena: Arena, players: Sequence[int]) -> Iterator[None]:
    """Print what the agents' play has cost, after errors too."""
    try:
        yield
    finally:
        agents = {text: agent for count in players for text, agent in arena.agents(count).items()}
        for account in filter(None, (agent.account() for agent in agents.values())):
            print(f"\n{account}")


def arena_of(
    agents: Sequence[str],
    seed: int,
    game: str = DEFAULT_GAME,
    components: str = "standard",
    alone: str = "",
    record: bool = False,
) -> Arena:
    """Return the arena of a game; ValueError for an unknown game or an invalid seed."""
    game_entry(game)
    return Arena(Setup(partial(make_game, game, components=components), tuple(agents), check_seed(seed), alone, record))


def checked_arena(arguments: program.Tournament, players: Sequence[int], alone: str = "") -> tuple[Arena, Path]:
    """Return the arena and the folder of a command line; ValueError for an invalid argument."""
    folder = arguments.checked()
    arena = arena_of(arguments.agents, arguments.seed, arguments.game, arguments.components, alone, arguments.record)
    for count in players:
        arena.agents(count)
    return arena, folder
