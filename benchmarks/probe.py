"""The measuring program of `benchmarks.compare`, which runs it in processes of each tree.

It uses only public names of the package, so that the same source measures old commits; an error affects one line.  It
prints one JSON object: ``{"from": folder of the package, "games": digest of the games played, "lines": {name: {"us":
microseconds each} or {"error": ..., "text": ...}}}``.

``lines SECONDS GAME PLAYERS...`` runs every line for at least SECONDS; ``import`` and ``first_step SECONDS GAME
PLAYERS...`` measure one line that needs a separate process.
"""

from __future__ import annotations

import copy
import hashlib
import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

PACKAGE = "porta_nigra_env"
#: Recorded games, copies in a pass, games in a batch and its steps in a pass.
GAMES, COPIES, ROWS, STEPS = 10, 20, 256, 100


def environments(game: str) -> Any:
    """Return the module of a game's environments, such as ``chess_v0``."""
    names = import_module(PACKAGE).__all__
    return import_module(f"{PACKAGE}.{next(name for name in names if name.startswith(f'{game}_v'))}")


def each(work: Callable[[Any], object], items: Sequence[Any]) -> Callable[[], int]:
    """Return a function that works on each item and returns their number."""

    def play() -> int:
        for item in items:
            work(item)
        return len(items)

    return play


def record(env: Any) -> list[list[int]]:
    """Return the actions of random games of a PettingZoo environment; the seed of a game is its index."""
    games: list[list[int]] = []
    for seed in range(GAMES):
        env.reset(seed=seed)
        rng, actions = random.Random(seed), []
        while not (env.terminations[env.agent_selection] or env.truncations[env.agent_selection]):
            actions.append(rng.choice(env.last()[0]["action_mask"].nonzero()[0].tolist()))
            env.step(actions[-1])
        games.append(actions)
    return games


def replay(
    games: Sequence[Sequence[int]], reset: Callable[..., object], step: Callable[[int], object]
) -> Callable[[], int]:
    """Return a function that plays the recorded games and returns their number of actions."""

    def play() -> int:
        for seed, actions in enumerate(games):
            reset(seed=seed)
            for action in actions:
                step(action)
        return sum(map(len, games))

    return play


def replay_aec(env: Any, games: Sequence[Sequence[int]] | None = None) -> Callable[[], int]:
    """Measure ``last`` and ``step`` of a PettingZoo environment in random games, ``reset`` included."""
    return replay(games or record(env), env.reset, lambda action: (env.last(), env.step(action)))


class Games:
    """Recorded random games with a number of players, and `rows` games at once in batches."""

    def __init__(self, game: str, players: int, rows: int = ROWS) -> None:
        self.api, self.players, self.rows = environments(game), players, rows
        self.actions = record(self.api.raw_env(num_players=players))

    def new(self, seed: int) -> Any:
        """Return the state of a new game."""
        return self.api.State.new(num_players=self.players, seed=seed)

    def middles(self) -> list[Any]:
        """Return the state of each game after half of its actions."""
        states = [self.new(seed) for seed in range(GAMES)]
        for state, actions in zip(states, self.actions, strict=True):
            for action in actions[: len(actions) // 2]:
                state.apply_id(action)
        return states

    def apply_id(self) -> Callable[[], int]:
        """Measure `State.apply_id`, the start of the game included."""
        state: Any = None

        def reset(seed: int) -> None:
            nonlocal state
            state = self.new(seed)

        return replay(self.actions, reset, lambda action: state.apply_id(action))

    def aec(self, make: str, **options: Any) -> Callable[[], int]:
        """Measure `env` or `raw_env`."""
        return replay_aec(getattr(self.api, make)(num_players=self.players, **options), self.actions)

    def copies(self) -> Callable[[], int]:
        """Measure ``deepcopy`` of a `raw_env` at the start of a game."""
        env = self.api.raw_env(num_players=self.players)
        env.reset(seed=1)
        return each(copy.deepcopy, [env] * COPIES)

    def seat(self) -> Callable[[], int]:
        """Measure the learner's steps of `seat_env` among random opponents, whose moves follow from the seed."""
        env = self.api.seat_env(num_players=self.players, seat=0)
        games: list[list[int]] = []
        for seed in range(GAMES):
            _, info = env.reset(seed=seed)
            rng, actions, over = random.Random(seed), [], False
            while not over:
                actions.append(rng.choice(info["action_mask"].nonzero()[0].tolist()))
                _, _, over, _, info = env.step(actions[-1])
            games.append(actions)
        return replay(games, env.reset, env.step)

    def batch(self, make: str, **options: Any) -> Callable[[], int]:
        """Measure recorded random steps of many games at once, ``reset`` included."""
        # Packed masks are not read: another batch records the games.
        readable = {name: value for name, value in options.items() if name != "masks"}
        env = getattr(self.api, make)(self.rows, num_players=self.players, **readable)
        masks = env.action_masks if callable(env.action_masks) else lambda: env.action_masks
        env.reset(seed=1)
        rng, actions = random.Random(1), []
        for _ in range(STEPS):
            legal = [mask.nonzero()[0].tolist() for mask in masks()]
            actions.append(masks().argmax(axis=1))
            actions[-1][:] = [rng.choice(ids) for ids in legal]
            env.step(actions[-1])
        if "masks" in options:
            env = getattr(self.api, make)(self.rows, num_players=self.players, **options)

        def play() -> int:
            env.reset(seed=1)
            for chosen in actions:
                env.step(chosen)
            return self.rows * STEPS

        return play


#: Every line is made when it is measured, so that a missing feature of a tree affects only its line.
LINES: dict[str, Callable[[Games], Callable[[], int]]] = {
    "State.new": lambda games: each(games.new, range(GAMES)),
    "State.apply_id": Games.apply_id,
    "State.rollout": lambda games: each(games.new(1).rollout, range(10 * GAMES)),
    "State.observation": lambda games: each(lambda state: state.observation(0), games.middles()),
    "State.totals": lambda games: each(lambda state: state.totals(), games.middles()),
    "State.view and View.sample": lambda games: each(lambda state: state.view().sample(1), games.middles()),
    "raw_env, last and step": lambda games: games.aec("raw_env"),
    "raw_env, reward points": lambda games: games.aec("raw_env", reward="points"),
    "env (wrapped), last and step": lambda games: games.aec("env"),
    "deepcopy of raw_env": Games.copies,
    "seat_env, random opponents": Games.seat,
    "batch_env": lambda games: games.batch("batch_env"),
    "batch_env, no observations": lambda games: games.batch("batch_env", observations="none"),
    "batch_env, history of 32": lambda games: games.batch("batch_env", history=32),
    "batch_env, one seat, random opponents": lambda games: games.batch("batch_env", seat="rotate"),
    "vector_env, one seat, random opponents": lambda games: games.batch(
        "vector_env", seat="rotate", autoreset_mode="same_step"
    ),
}


def microseconds(play: Callable[[], int], seconds: float) -> float:
    """Return microseconds each: the median over the passes within `seconds`, at least one, after a warm-up pass."""
    passes: list[float] = []
    play()
    end = time.perf_counter() + seconds
    while not passes or time.perf_counter() < end:
        start = time.perf_counter()
        done = play()
        passes.append((time.perf_counter() - start) / done)
    return 1e6 * statistics.median(passes)


def attempt(measured: Callable[[], float]) -> dict[str, Any]:
    """Return the figure, or the type of the error and the first line of its message."""
    try:
        return {"us": measured()}
    except Exception as error:  # the other lines of an old tree are still measured
        return {"error": type(error).__name__, "text": str(error).strip().partition("\n")[0]}


def all_lines(seconds: float, game: str, seats: list[int]) -> dict[str, Any]:
    """Measure every line of `LINES` for every number of players."""
    found: dict[str, Any] = {}
    played = []
    for players in seats:
        games = Games(game, players)
        played.append(games.actions)
        for name, make in LINES.items():
            line = f"{name}, {players} players"
            found[line] = attempt(lambda make=make, games=games: microseconds(make(games), seconds))  # type: ignore[misc]
    return {"games": hashlib.sha256(repr(played).encode()).hexdigest(), "lines": found}


def import_time() -> float:
    """Return microseconds of the import, without the interpreter."""
    start = time.perf_counter()
    package = import_module(PACKAGE)
    spent = 1e6 * (time.perf_counter() - start)
    if package.__file__ is None:
        raise ImportError(f"{PACKAGE} has no __init__.py, importing it does nothing")
    return spent


def first_step_time(game: str, players: int) -> float:
    """Return microseconds from the import to the first step."""
    start = time.perf_counter()
    env = environments(game).env(num_players=players)
    env.reset(seed=1)
    env.step(int(env.last()[0]["action_mask"].argmax()))
    return 1e6 * (time.perf_counter() - start)


def source() -> str | None:
    """Return the folder of the measured package, or None."""
    try:
        return str(next(iter(import_module(PACKAGE).__path__)))  # without an __init__.py there is no __file__
    except ImportError:
        return None


def main(mode: str, seconds: str = "0", game: str = "", *seats: str) -> None:
    """Run the command line."""
    # Other folders with the package, such as an editable installation, would replace one that the tree lacks.
    tree = Path.cwd()
    sys.path[:] = [one for one in sys.path if Path(one).resolve() == tree or not (Path(one) / PACKAGE).exists()]
    sys.meta_path[:] = [finder for finder in sys.meta_path if finder.__module__.startswith("_frozen_importlib")]
    players = list(map(int, seats))
    if mode == "import":
        found = {"lines": {"import": attempt(import_time)}}
    elif mode == "lines":
        found = all_lines(float(seconds), game, players)
    else:
        found = {"lines": {"import and first step": attempt(lambda: first_step_time(game, players[0]))}}
    json.dump({"from": source(), **found}, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
