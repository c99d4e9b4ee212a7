"""The recorded games of a tournament, as playthroughs and data sets: ``python -m agents.arena.records FOLDER``.

A tournament with ``--record`` stores the actions of every game in its ``results.jsonl``; seed and actions are the whole
game.  ``--playthrough`` writes one of them as text (`porta_nigra_env.core.game.playthrough`) with the events of each
step, ``--parquet`` a row for each step of all games, ``--minari`` an episode for each seat of each game.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import tyro

from agents.arena import program
from agents.arena.matches import Played
from agents.arena.program import Program
from agents.arena.results import RESULTS, Header, read, tables_digest
from porta_nigra_env.core.files import write_whole
from porta_nigra_env.core.game import playthrough
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.results import outcome_returns
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.narration.history import TOKEN, check_history
from porta_nigra_env.core.narration.narrator import Narrator
from porta_nigra_env.envs.spaces import Watch
from porta_nigra_env.games import make_game

PROGRAM = Program("agents.arena.records")


class RecordError(ValueError):
    """Recorded games that cannot be read or written here."""


def recorded(folder: Path) -> tuple[Header, list[Played]]:
    """Return the tournament of a folder, and its games with actions; RecordError if there is none."""
    results = read(folder)
    games = [] if results is None else [game for game in results.games if game.actions]
    if results is None or not games:
        raise RecordError(f"{folder / RESULTS}: there are no recorded games; play with --record")
    return results.header, games


def game_of(header: Header, players: int, components: str = "standard") -> Game:
    """Return the game of a tournament; RecordError for another version or other components."""
    name = header.name
    game = make_game(name, players, components)
    if f"{name}_v{game.version}" != header.game:
        raise RecordError(f"the games are of {header.game}, here it is {name}_v{game.version}")
    if tables_digest(game) != header.tables[str(players)]:
        raise RecordError(f"the games have other components than {components!r}; name theirs with --components")
    return game


def playthrough_of(game: Game, played: Played) -> str:
    """Return a recorded game as a playthrough, with its seed and agents in a comment."""
    actions = iter(played.actions)
    state = State(game, game.new_states(played.seed))
    notes = f"seed {played.seed}, deal {played.match.deal}: {', '.join(played.match.agents)}"
    narrator = None if game.narration() is None else Narrator(game)

    def tell(before: State, after: State) -> str:
        """Return all changes of a step: a playthrough shows the cards of every seat."""
        assert narrator is not None
        return ", ".join(map(narrator.event, narrator.facts.changes(before.states, after.states)))

    return playthrough.record(
        state, lambda state: state.action_text(next(actions)), notes, None if narrator is None else tell
    )


def steps(game: Game, played: Played, history: int = 0) -> Iterator[dict[str, Any]]:
    """Yield the steps of a recorded game: rows of a data set.

    seed, deal, agent, seat, step: of the step; observation: float32 (observation_size,) and legal: int64 (k,), ids, in
    the view of the player to move; events: JSON, what the seat has seen since its last action (`EventLog.records`);
    history: int16 (history, 4), its last events as tokens; action: id; outcome: the final result of the seat in -1..1;
    score: its total.
    """
    state, outcomes = State(game, game.new_states(played.seed)), outcome_returns(played.places)
    watch = Watch(game, check_history(game, history), range(game.num_players) if game.narration() is not None else ())
    watch.begin(state.states)
    for step, action in enumerate(played.actions):
        seat = int(state.states["current_player"][0])
        view = state.view(seat)
        yield {
            "seed": played.seed,
            "deal": played.match.deal,
            "agent": played.match.agents[seat],
            "seat": seat,
            "step": step,
            "observation": view.observation,
            "legal": view.legal_ids(),
            "events": json.dumps(watch.info(seat).get("events", [])),
            **({"history": watch.tokens(seat)} if history else {}),
            "action": action,
            "outcome": float(outcomes[seat]),
            "score": played.scores[seat],
        }
        state.apply_id(action)
        watch.update(state.states, seat)


def _optional(module: str, package: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise RecordError(f"this needs {package}: pip install {package} ({error})") from error


def write_parquet(file: Path, games: Iterable[tuple[Game, Played]], history: int = 0) -> None:
    """Write a row for each step (`steps`), and a row group for each game; RecordError without pyarrow."""
    pyarrow, parquet = _optional("pyarrow", "pyarrow"), _optional("pyarrow.parquet", "pyarrow")
    writer = None
    for number, (game, played) in enumerate(games):
        rows = [{"game": number, "players": game.num_players, **row} for row in steps(game, played, history)]
        for row in rows if history else ():
            row["history"] = row["history"].tolist()  # parquet has no arrays of two dimensions
        table = pyarrow.Table.from_pylist(rows, schema=None if writer is None else writer.schema)
        writer = writer or parquet.ParquetWriter(file, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def episodes(game: Game, played: Played, history: int = 0) -> Iterator[dict[str, Any]]:
    """Yield the episode of each seat that moves: its steps with the outcome as the reward of the last.

    The last of the observations is zero: after its last step a seat sees no other one.
    """
    rows = list(steps(game, played, history))
    parts = ("observation", "history") if history else ("observation",)
    for seat in range(game.num_players):
        own = [row for row in rows if row["seat"] == seat]
        if not own:
            continue
        masks = np.zeros((len(own) + 1, game.actions.size), dtype=np.int8)
        for mask, row in zip(masks, own, strict=False):
            mask[row["legal"]] = 1
        last = np.arange(len(own)) == len(own) - 1
        yield {
            "seed": played.seed,
            "observations": {
                **{part: np.stack([*(row[part] for row in own), np.zeros_like(own[0][part])]) for part in parts},
                "action_mask": masks,
            },
            "actions": np.array([row["action"] for row in own]),
            "rewards": np.where(last, own[0]["outcome"], 0.0),
            "terminations": last,
            "truncations": np.zeros(len(own), dtype=np.bool_),
        }


def write_minari(dataset: str, games: Sequence[tuple[Game, Played]], history: int = 0) -> None:
    """Create a Minari data set with an episode for each seat of each game; RecordError without Minari."""
    minari, collector = _optional("minari", "minari"), _optional("minari.data_collector", "minari")
    spaces, game = import_module("gymnasium.spaces"), games[0][0]
    found = (episode for each, played in games for episode in episodes(each, played, history))
    buffers = [collector.EpisodeBuffer(**episode) for episode in found]
    for number, buffer in enumerate(buffers):
        buffer.id = number
    observation = spaces.Dict(
        observation=spaces.Box(-np.inf, np.inf, (game.observations.size,), np.float32),
        action_mask=spaces.Box(0, 1, (game.actions.size,), np.int8),
        **({"history": spaces.Box(-(2**15), 2**15 - 1, (history, TOKEN), np.int16)} if history else {}),
    )
    action = spaces.Discrete(game.actions.size)
    minari.create_dataset_from_buffers(dataset, buffers, observation_space=observation, action_space=action)


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Write the recorded games of a tournament as a playthrough or a data set; without options, list them."""

    folder: tyro.conf.Positional[Path]
    """of a tournament with --record"""

    game: int | None = None
    """number of one game; by default all"""

    components: str = "standard"
    """their component file"""

    playthrough: Path | None = None
    """text file of --game, for replays"""

    parquet: Path | None = None
    """parquet file; needs pyarrow"""

    history: int = 0
    """number of the last events in each row, as tokens (`porta_nigra_env.core.narration.history`)"""

    minari: str | None = None
    """Minari data set, NAME/DATA-v0; needs minari and games of one number of players"""


def export(arguments: Arguments) -> int:
    """Write the files of a command line, or list the games."""
    header, found = recorded(arguments.folder)
    if arguments.game is not None and not 0 <= arguments.game < len(found):
        raise RecordError(f"--game must be in 0..{len(found) - 1}, not {arguments.game}")
    chosen = found if arguments.game is None else [found[arguments.game]]
    made = {players: game_of(header, players, arguments.components) for players in {len(one.scores) for one in chosen}}
    games = [(made[len(played.scores)], played) for played in chosen]
    if arguments.playthrough is not None:
        if len(games) > 1:
            raise RecordError("--playthrough needs one game: add --game NUMBER")
        write_whole(arguments.playthrough, playthrough_of(*games[0]))
    if arguments.parquet is not None:
        write_parquet(arguments.parquet, games, arguments.history)
    if arguments.minari is not None:
        if len(made) > 1:
            raise RecordError("--minari needs games of one number of players")
        write_minari(arguments.minari, games, arguments.history)
    if not (arguments.playthrough or arguments.parquet or arguments.minari):
        for number, one in enumerate(found):
            print(f"{number}  seed {one.seed}  {', '.join(one.match.agents)}  scores {one.scores}")
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status of `Program.attempt`; invalid arguments exit with 2."""
    arguments = program.arguments(Arguments, argv, PROGRAM.name, Arguments.__doc__ or "")
    return PROGRAM.attempt(lambda: export(arguments), RecordError)


if __name__ == "__main__":
    raise SystemExit(main())
