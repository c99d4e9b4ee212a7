"""The measuring program of `benchmarks.compare`: run by path in the tree to be measured, with it on PYTHONPATH.

It stands alone and uses only what old commits have too, so that the same source measures both trees.  What a tree
cannot do is told line by line and stops nothing.  Prints one JSON object.

``python -P probe.py lines SECONDS`` gives every line at least SECONDS and prints ``{"from": folder of the package,
"games": digest of the games played, "lines": {name: {"us": microseconds each} or {"error": ..., "text": ...}}}``;
``python -P probe.py import`` and ``... first_step`` do so for the one line that needs a process of its own.
"""

from __future__ import annotations

import copy
import hashlib
import json
import random
import statistics
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

#: Numbers of players that are measured.
PLAYERS = (2, 4)
#: Games that are recorded and replayed.
GAMES = 10
#: Decisions after which a game is taken for endless; no game comes near it.
LIMIT = 100_000
#: Copies between two looks at the clock.
COPIES = 20
IMPORT = "import porta_nigra_env"
FIRST_STEP = "import and first step"


class Line(NamedTuple):
    """`play` is what the clock sees and returns how often it did the thing; `prepare` is called before, unseen."""

    play: Callable[[], int]
    prepare: Callable[[], object] = lambda: None


class Games:
    """Random games of one number of players, recorded with the kernel alone.

    actions: a list of action ids for each game, whose seed is its index.
    positions: (n,) states, every decision of every game; `choices`: int64 (n,), the action taken there.
    """

    def __init__(self, players: int) -> None:
        import numpy as np

        from porta_nigra_env import PortaNigra

        self.players = players
        self.game: Any = PortaNigra(players)
        self.words = np.zeros(self.game.num_words, dtype=np.uint64)
        self.actions: list[list[int]] = []
        state = np.zeros(1, dtype=self.game.dtype)
        positions = []
        for seed in range(GAMES):
            rng = random.Random(seed)
            self.game.kernel.reset(self.game.tables, state, 0, seed, players)
            actions: list[int] = []
            while int(state[0]["current_player"]) >= 0 and len(actions) < LIMIT:
                positions.append(state.copy())
                actions.append(rng.choice(self.legal(state)))
                self.game.kernel.step(self.game.tables, state, 0, actions[-1])
            self.actions.append(actions)
        self.positions = np.concatenate(positions)
        self.choices = np.array([action for actions in self.actions for action in actions], dtype=np.int64)

    def legal(self, state: Any) -> list[int]:
        """The legal action ids, ascending."""
        self.game.kernel.legal(self.game.tables, state, 0, self.words)
        ids = []
        for place, word in enumerate(self.words.tolist()):
            ids += [64 * place + bit for bit in range(64) if word >> bit & 1]
        return ids


# -- one verb on every row of a batch; compiled copies of these, with the verb in place of `verb`, keep the cost of a
# -- call from Python out of the figures


def verb(*_: Any) -> Any:
    raise NotImplementedError("stand-in for a verb of the kernel")


def each_reset(tables: Any, states: Any, players: int) -> None:
    for row in range(states.shape[0]):
        verb(tables, states, row, row, players)


def each_step(tables: Any, states: Any, choices: Any) -> None:
    for row in range(states.shape[0]):
        verb(tables, states, row, choices[row])


def each_out(tables: Any, states: Any, out: Any) -> None:
    for row in range(states.shape[0]):
        verb(tables, states, row, out)


def each_observe(tables: Any, states: Any, out: Any) -> None:
    for row in range(states.shape[0]):
        verb(tables, states, row, states[row]["current_player"], out)


def each_determinize(tables: Any, states: Any) -> None:
    for row in range(states.shape[0]):
        verb(tables, states, row, states[row]["current_player"], row)


def compiled(template: Callable[..., None], name: str, called: Any) -> Callable[..., None]:
    """A compiled copy of `template` that calls `called`, cached: a closure over it would be compiled every time."""
    import numba

    function = types.FunctionType(template.__code__, {**globals(), "verb": called}, f"each_{name}")
    function.__qualname__ = function.__name__
    function.__module__ = __name__
    dispatcher: Any = numba.njit(function, nogil=True, cache=True)
    return dispatcher  # type: ignore[no-any-return]


def verb_line(games: Games, template: Callable[..., None], name: str, *extra: Any) -> Line:
    """One verb in a compiled loop over all recorded positions, on a copy that is made anew before each pass."""
    loop = compiled(template, name, getattr(games.game.kernel, name))
    tables, scratch = games.game.tables, games.positions.copy()

    def play() -> int:
        loop(tables, scratch, *extra)
        return len(scratch)

    def prepare() -> None:
        scratch[:] = games.positions

    return Line(play, prepare)


def playout(games: Games) -> Line:
    """Whole games from the compiled loop; it draws the actions itself."""
    import numpy as np

    game, kernel = games.game, games.game.kernel
    run = game.loops.playout
    state = np.zeros(1, dtype=game.dtype)
    rng = np.zeros(3, dtype=np.int64)

    def play() -> int:
        decisions = 0
        rng[:] = 1, games.players, 0  # the same games in every pass
        for seed in range(GAMES):
            kernel.reset(game.tables, state, 0, seed, games.players)
            decisions += int(run(game.tables, state, 0, games.words, rng, LIMIT))
        return decisions

    return Line(play)


def advance(games: Games) -> Line:
    """One compiled call for each decision: the step, then mask and observation."""
    import numpy as np

    game, kernel = games.game, games.game.kernel
    run, tables = game.loops.advance, game.tables
    state = np.zeros(1, dtype=game.dtype)
    mask = np.zeros(game.actions.size, dtype=np.int8)
    observation = np.zeros(game.observations.size, dtype=np.float32)
    none = np.zeros(0, dtype=np.int32)

    def play() -> int:
        for seed, actions in enumerate(games.actions):
            kernel.reset(tables, state, 0, seed, games.players)
            for action in actions:
                run(tables, state, 0, action, games.words, mask, observation, none)
        return len(games.choices)

    return Line(play)


def look(games: Games) -> Line:
    """One compiled call for each position: mask and observation."""
    import numpy as np

    game = games.game
    run, tables = game.loops.inspect, game.tables
    mask = np.zeros(game.actions.size, dtype=np.int8)
    observation = np.zeros(game.observations.size, dtype=np.float32)
    none = np.zeros(0, dtype=np.int32)

    def play() -> int:
        for row in range(len(games.positions)):
            run(tables, games.positions, row, games.words, mask, observation, none)
        return len(games.positions)

    return Line(play)


def apply_id(games: Games) -> Line:
    """`State.apply_id`, the game's start included."""
    from porta_nigra_env import State

    def play() -> int:
        for seed, actions in enumerate(games.actions):
            state = State.new(games.players, seed)
            for action in actions:
                state.apply_id(action)
        return len(games.choices)

    return Line(play)


def replay(games: Games, face: str) -> Line:
    """``last`` and ``step`` of the environment that `porta_nigra_v0` calls `face`, ``reset`` included."""
    from porta_nigra_env import porta_nigra_v0

    env = getattr(porta_nigra_v0, face)(games.players)

    def play() -> int:
        for seed, actions in enumerate(games.actions):
            env.reset(seed=seed)
            for action in actions:
                env.last()
                env.step(action)
        return len(games.choices)

    return Line(play)


def copies(games: Games) -> Line:
    """``deepcopy`` of a `raw_env` at the start of a game."""
    from porta_nigra_env import porta_nigra_v0

    env = porta_nigra_v0.raw_env(games.players)
    env.reset(seed=1)

    def play() -> int:
        for _ in range(COPIES):
            copy.deepcopy(env)
        return COPIES

    return Line(play)


def observed(games: Games) -> Any:
    import numpy as np

    return np.zeros(games.game.observations.size, dtype=np.float32)


def totals(games: Games) -> Any:
    import numpy as np

    return np.zeros(games.players, dtype=np.int32)


#: Every line, made only when it is measured: what a tree lacks then costs it that line and no other.
LINES: dict[str, Callable[[Games], Line]] = {
    "playout": playout,
    "advance, mask and observation": advance,
    "look, mask and observation": look,
    "State.apply_id": apply_id,
    "raw_env, last and step": lambda games: replay(games, "raw_env"),
    "env (wrapped), last and step": lambda games: replay(games, "env"),
    "deepcopy of raw_env": copies,
    "reset, compiled": lambda games: verb_line(games, each_reset, "reset", games.players),
    "step, compiled": lambda games: verb_line(games, each_step, "step", games.choices),
    "legal, compiled": lambda games: verb_line(games, each_out, "legal", games.words),
    "observe, compiled": lambda games: verb_line(games, each_observe, "observe", observed(games)),
    "determinize, compiled": lambda games: verb_line(games, each_determinize, "determinize"),
    "score, compiled": lambda games: verb_line(games, each_out, "score", totals(games)),
}


def microseconds(line: Line, seconds: float) -> float:
    """Microseconds each: the median over as many passes as fill `seconds`; at least one, after one that warms up."""
    passes: list[float] = []
    line.prepare()
    line.play()
    end = time.perf_counter() + seconds
    while not passes or time.perf_counter() < end:
        line.prepare()
        begun = time.perf_counter()
        done = line.play()
        passes.append((time.perf_counter() - begun) / done)
    return 1e6 * statistics.median(passes)


def attempt(measured: Callable[[], float]) -> dict[str, Any]:
    """The figure, or why there is none."""
    try:
        return {"us": measured()}
    except Exception as error:  # whatever an old tree does here, its other lines are still to be measured
        return reason(error)


def reason(error: Exception) -> dict[str, str]:
    """The kind of an error and the first line of its message."""
    return {"error": type(error).__name__, "text": str(error).strip().partition("\n")[0]}


def all_lines(seconds: float) -> dict[str, Any]:
    """Every line of `LINES` for every number of players."""
    lines: dict[str, Any] = {}
    played = []
    for players in PLAYERS:
        try:
            games = Games(players)
        except Exception as error:
            lines |= {f"{name}, {players} players": reason(error) for name in LINES}
            continue
        played.append(games.actions)
        for name, make in LINES.items():
            # Bound at once: the loop goes on only after `attempt` has called it.
            lines[f"{name}, {players} players"] = attempt(
                lambda games=games, make=make: microseconds(make(games), seconds)  # type: ignore[misc]
            )
    return {"games": hashlib.sha256(repr(played).encode()).hexdigest() if played else "", "lines": lines}


def import_time() -> float:
    """Microseconds of the import, interpreter not included."""
    begun = time.perf_counter()
    import porta_nigra_env

    spent = 1e6 * (time.perf_counter() - begun)
    if porta_nigra_env.__file__ is None:
        raise ImportError("porta_nigra_env has no __init__.py, importing it does nothing")
    return spent


def first_step_time() -> float:
    """Microseconds from nothing imported to the first step taken."""
    begun = time.perf_counter()
    from porta_nigra_env import porta_nigra_v0

    env = porta_nigra_v0.env()
    env.reset(seed=1)
    env.step(int(env.last()[0]["action_mask"].argmax()))
    return 1e6 * (time.perf_counter() - begun)


def source() -> str | None:
    """The folder that the measured package came from; None where there is none."""
    try:
        import porta_nigra_env
    except ImportError:
        return None
    return str(next(iter(porta_nigra_env.__path__)))  # there is no __file__ where a tree has no __init__.py


def only_this_tree() -> None:
    """Take every other folder with the package off the path, as of an editable installation.

    It would stand in for a tree that lacks the package, or wholly for one whose package has no ``__init__.py``.
    """
    tree = Path.cwd()
    sys.path[:] = [
        entry for entry in sys.path if Path(entry).resolve() == tree or not (Path(entry) / "porta_nigra_env").exists()
    ]


def main(argv: list[str]) -> int:
    only_this_tree()
    if argv[0] == "lines":
        found = all_lines(float(argv[1]))
    elif argv[0] == "import":
        found = {"lines": {IMPORT: attempt(import_time)}}
    else:
        found = {"lines": {FIRST_STEP: attempt(first_step_time)}}
    json.dump({"from": source(), **found}, sys.stdout)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
