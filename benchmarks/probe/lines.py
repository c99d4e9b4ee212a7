"""The measured lines: functions that replay random games recorded with the kernel."""

from __future__ import annotations

import copy
import random
import types
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

#: Recorded games.
GAMES = 10
#: Steps after which a game stops; games are far shorter.
LIMIT = 100_000
#: Copies in a pass.
COPIES = 20
#: Games in a batch, and its steps in a pass.
ROWS, STEPS = 256, 50


class Line(NamedTuple):
    """A timed function `play`, which returns its count, and an untimed function `prepare` that runs before it."""

    play: Callable[[], int]
    prepare: Callable[[], object] = lambda: None


class Wanted(NamedTuple):
    """The name of the game and the numbers of players."""

    name: str
    seats: tuple[int, ...]


def made(wanted: Wanted, players: int) -> Any:
    """Return the game."""
    from porta_nigra_env.games import make_game

    return make_game(wanted.name, players)


def module(*names: str) -> Any:
    """Import the first of these modules of the package that exists: older commits have other paths."""
    for name in names[:-1]:
        try:
            return import_module(f"porta_nigra_env.{name}")
        except ModuleNotFoundError:
            continue
    return import_module(f"porta_nigra_env.{names[-1]}")


class Games:
    """Random games of one number of players, recorded with the kernel alone.

    actions: a list of action ids for each game, whose seed is its index.
    positions: (n,) states before every step of every game; `choices`: int64 (n,), the actions.
    """

    def __init__(self, game: Any) -> None:
        import numpy as np

        self.game, self.players = game, game.num_players
        players = self.players
        self.words = np.zeros(self.game.num_words, dtype=np.uint64)
        self.actions: list[list[int]] = []
        state = np.zeros(1, dtype=self.game.dtype)
        positions = []
        for seed in range(GAMES):
            rng = random.Random(seed)
            self.game.kernel.reset(self.game.constants, state, 0, seed, players)
            actions: list[int] = []
            while int(state[0]["current_player"]) >= 0 and len(actions) < LIMIT:
                positions.append(state.copy())
                actions.append(rng.choice(self.legal(state)))
                self.game.kernel.step(self.game.constants, state, 0, actions[-1])
            self.actions.append(actions)
        self.positions = np.concatenate(positions)
        self.choices = np.array([action for actions in self.actions for action in actions], dtype=np.int64)

    def legal(self, state: Any) -> list[int]:
        """Return the legal action ids, ascending."""
        self.game.kernel.legal(self.game.constants, state, 0, self.words)
        ids = []
        for index, word in enumerate(self.words.tolist()):
            ids += [64 * index + bit for bit in range(64) if word >> bit & 1]
        return ids


# -- A kernel function on every row.  Compiled copies of these loops, with the kernel function in place of `function`,
# -- exclude the cost of a call from Python.


def function(*_: Any) -> Any:
    raise NotImplementedError("placeholder for a kernel function")


def each_reset(constants: Any, states: Any, players: int) -> None:
    for row in range(states.shape[0]):
        function(constants, states, row, row, players)


def each_step(constants: Any, states: Any, choices: Any) -> None:
    for row in range(states.shape[0]):
        function(constants, states, row, choices[row])


def each_out(constants: Any, states: Any, out: Any) -> None:
    for row in range(states.shape[0]):
        function(constants, states, row, out)


def each_observe(constants: Any, states: Any, out: Any) -> None:
    for row in range(states.shape[0]):
        function(constants, states, row, states[row]["current_player"], out)


def each_determinize(constants: Any, states: Any) -> None:
    for row in range(states.shape[0]):
        function(constants, states, row, states[row]["current_player"], row)


def compiled(template: Callable[..., None], name: str, called: Any) -> Callable[..., None]:
    """Return a cached compiled copy of `template` that calls `called`; a closure would be compiled every time."""
    import numba

    loop = types.FunctionType(template.__code__, {**globals(), "function": called}, f"each_{name}")
    loop.__qualname__ = loop.__name__
    loop.__module__ = __name__
    dispatcher: Any = numba.njit(loop, nogil=True, cache=True)
    return dispatcher  # type: ignore[no-any-return]


def kernel_line(games: Games, template: Callable[..., None], name: str, *extra: Any) -> Line:
    """Measure a kernel function in a compiled loop over a fresh copy of all recorded positions."""
    loop = compiled(template, name, getattr(games.game.kernel, name))
    constants, scratch = games.game.constants, games.positions.copy()

    def play() -> int:
        loop(constants, scratch, *extra)
        return len(scratch)

    def prepare() -> None:
        scratch[:] = games.positions

    return Line(play, prepare)


def playout(games: Games) -> Line:
    """Measure whole games of the compiled loop, which draws the actions itself."""
    import numpy as np

    game, kernel = games.game, games.game.kernel
    run = game.loops.playout
    state = np.zeros(1, dtype=game.dtype)
    rng = np.zeros(3, dtype=np.int64)

    def play() -> int:
        steps = 0
        rng[:] = 1, games.players, 0  # the same games in every pass
        for seed in range(GAMES):
            kernel.reset(game.constants, state, 0, seed, games.players)
            steps += int(run(game.constants, state, 0, games.words, rng, LIMIT))
        return steps

    return Line(play)


def advance(games: Games) -> Line:
    """Measure one compiled call for each step, with mask and observation."""
    import numpy as np

    game, kernel = games.game, games.game.kernel
    run, constants = game.loops.advance, game.constants
    state = np.zeros(1, dtype=game.dtype)
    mask = np.zeros(game.actions.size, dtype=np.int8)
    observation = np.zeros(game.observations.size, dtype=np.float32)
    none = np.zeros(0, dtype=np.int32)

    def play() -> int:
        for seed, actions in enumerate(games.actions):
            kernel.reset(constants, state, 0, seed, games.players)
            for action in actions:
                run(constants, state, 0, action, games.words, mask, observation, none)
        return len(games.choices)

    return Line(play)


def inspect(games: Games) -> Line:
    """Measure one compiled call for each position: mask and observation."""
    import numpy as np

    game = games.game
    run, constants = game.loops.inspect, game.constants
    mask = np.zeros(game.actions.size, dtype=np.int8)
    observation = np.zeros(game.observations.size, dtype=np.float32)
    none = np.zeros(0, dtype=np.int32)

    def play() -> int:
        for row in range(len(games.positions)):
            run(constants, games.positions, row, games.words, mask, observation, none)
        return len(games.positions)

    return Line(play)


def apply_id(games: Games) -> Line:
    """Measure `State.apply_id`, the start of the game included."""
    game, state_class = games.game, module("core.game.state", "core.state").State

    def play() -> int:
        for seed, actions in enumerate(games.actions):
            state = state_class(game, game.new_states(seed))
            for action in actions:
                state.apply_id(action)
        return len(games.choices)

    return Line(play)


def aec(game: Any, wrapped: bool = False) -> Any:
    """Return the PettingZoo environment."""
    api = module("envs.pettingzoo", "envs.aec")
    return api.wrap(api.GameAEC(game)) if wrapped else api.GameAEC(game)


def replay(games: Games, wrapped: bool) -> Line:
    """Measure ``last`` and ``step`` of the PettingZoo environment, ``reset`` included."""
    env = aec(games.game, wrapped)

    def play() -> int:
        for seed, actions in enumerate(games.actions):
            env.reset(seed=seed)
            for action in actions:
                env.last()
                env.step(action)
        return len(games.choices)

    return Line(play)


def copies(games: Games) -> Line:
    """Measure ``deepcopy`` of a `raw_env` at the start of a game."""
    env = aec(games.game)
    env.reset(seed=1)

    def play() -> int:
        for _ in range(COPIES):
            copy.deepcopy(env)
        return COPIES

    return Line(play)


def seat(games: Games) -> Line:
    """Measure the learner's steps of a `SeatEnv` among random opponents, with the first legal action."""
    env = module("envs.gymnasium", "envs.single").SeatEnv(games.game, seat=0)

    def play() -> int:
        steps = 0
        for seed in range(GAMES):
            _, info = env.reset(seed=seed)
            over = False
            while not over:
                _, _, over, _, info = env.step(int(info["action_mask"].argmax()))
                steps += 1
        return steps

    return Line(play)


def rows(env: Any, masks: Callable[[], Any]) -> Line:
    """Measure steps of many games at once, ``reset`` included, with the first legal actions."""

    def play() -> int:
        env.reset(seed=1)
        for _ in range(STEPS):
            env.step(masks().argmax(axis=1))
        return ROWS * STEPS

    return Line(play)


def batch(games: Games, **options: Any) -> Line:
    """Measure `BatchEnv` with masks and observations."""
    from porta_nigra_env.envs.batch import BatchEnv

    env = BatchEnv(games.game, ROWS, **options)
    return rows(env, lambda: env.action_masks)


def vector(games: Games) -> Line:
    """Measure the Gymnasium vector environment, one learner's seat among random opponents."""
    from porta_nigra_env.envs.vector import SeatVectorEnv

    env = SeatVectorEnv(games.game, ROWS, seat="rotate", autoreset_mode="same_step")
    return rows(env, env.action_masks)


def whole_games(games: Games) -> Line:
    """Measure compiled games of the policy "random"."""
    from porta_nigra_env.envs.play import play_games

    policies = [module("core.batch.policy", "core.policy").RANDOM] * games.players
    return Line(lambda: int(play_games(games.game, policies, range(10 * GAMES)).lengths.sum()))


def zeros(count: int, dtype: str) -> Any:
    import numpy as np

    return np.zeros(count, dtype=dtype)


#: Every line is made when it is measured, so that a missing feature of a tree affects only its line.
LINES: dict[str, Callable[[Games], Line]] = {
    "playout": playout,
    "advance, mask and observation": advance,
    "inspect, mask and observation": inspect,
    "State.apply_id": apply_id,
    "raw_env, last and step": lambda games: replay(games, wrapped=False),
    "env (wrapped), last and step": lambda games: replay(games, wrapped=True),
    "SeatEnv, random opponents": seat,
    f"BatchEnv {ROWS}, mask and observation": batch,
    f"BatchEnv {ROWS}, one seat, random opponents": lambda games: batch(games, seat="rotate"),
    f"VectorEnv {ROWS}, one seat, random opponents": vector,
    "play_games, random": whole_games,
    "deepcopy of raw_env": copies,
    "reset, compiled": lambda games: kernel_line(games, each_reset, "reset", games.players),
    "step, compiled": lambda games: kernel_line(games, each_step, "step", games.choices),
    "legal, compiled": lambda games: kernel_line(games, each_out, "legal", games.words),
    "observe, compiled": lambda games: kernel_line(
        games, each_observe, "observe", zeros(games.game.observations.size, "float32")
    ),
    "determinize, compiled": lambda games: kernel_line(games, each_determinize, "determinize"),
    "score, compiled": lambda games: kernel_line(games, each_out, "score", zeros(games.players, "int32")),
}
