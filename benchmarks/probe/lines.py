"""What is measured: random games, recorded with the kernel alone, and every line as a function that plays them."""

from __future__ import annotations

import copy
import random
import types
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

#: Games that are recorded and replayed.
GAMES = 10
#: Decisions after which a game is taken for endless; no game comes near it.
LIMIT = 100_000
#: Copies between two looks at the clock.
COPIES = 20
#: Games in a batch, and its steps in a pass.
ROWS, STEPS = 256, 50


class Line(NamedTuple):
    """`play` is what the clock sees and returns how often it did the thing; `prepare` is called before, unseen."""

    play: Callable[[], int]
    prepare: Callable[[], object] = lambda: None


class Wanted(NamedTuple):
    """What is played: the game's name, its class, and the numbers of players."""

    name: str
    game_class: str
    seats: tuple[int, ...]


def made(wanted: Wanted, players: int) -> Any:
    """The game, in old trees too, which have one game alone, of a class in the package itself."""
    import porta_nigra_env

    try:
        from porta_nigra_env.games import make_game
    except ImportError:
        return getattr(porta_nigra_env, wanted.game_class)(players)
    return make_game(wanted.name, players)


class Games:
    """Random games of one number of players, recorded with the kernel alone.

    actions: a list of action ids for each game, whose seed is its index.
    positions: (n,) states, every decision of every game; `choices`: int64 (n,), the action taken there.
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
        """The legal action ids, ascending."""
        self.game.kernel.legal(self.game.constants, state, 0, self.words)
        ids = []
        for place, word in enumerate(self.words.tolist()):
            ids += [64 * place + bit for bit in range(64) if word >> bit & 1]
        return ids


# -- one verb on every row of a batch; compiled copies of these, with the verb in place of `verb`, keep the cost of a
# -- call from Python out of the figures


def verb(*_: Any) -> Any:
    raise NotImplementedError("stand-in for a verb of the kernel")


def each_reset(constants: Any, states: Any, players: int) -> None:
    for row in range(states.shape[0]):
        verb(constants, states, row, row, players)


def each_step(constants: Any, states: Any, choices: Any) -> None:
    for row in range(states.shape[0]):
        verb(constants, states, row, choices[row])


def each_out(constants: Any, states: Any, out: Any) -> None:
    for row in range(states.shape[0]):
        verb(constants, states, row, out)


def each_observe(constants: Any, states: Any, out: Any) -> None:
    for row in range(states.shape[0]):
        verb(constants, states, row, states[row]["current_player"], out)


def each_determinize(constants: Any, states: Any) -> None:
    for row in range(states.shape[0]):
        verb(constants, states, row, states[row]["current_player"], row)


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
    constants, scratch = games.game.constants, games.positions.copy()

    def play() -> int:
        loop(constants, scratch, *extra)
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
            kernel.reset(game.constants, state, 0, seed, games.players)
            decisions += int(run(game.constants, state, 0, games.words, rng, LIMIT))
        return decisions

    return Line(play)


def advance(games: Games) -> Line:
    """One compiled call for each decision: the step, then mask and observation."""
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
    """One compiled call for each position: mask and observation."""
    import numpy as np

    game = games.game
    # Before it had its present name it was called `look`.
    run, constants = getattr(game.loops, "inspect", None) or game.loops.look, game.constants
    mask = np.zeros(game.actions.size, dtype=np.int8)
    observation = np.zeros(game.observations.size, dtype=np.float32)
    none = np.zeros(0, dtype=np.int32)

    def play() -> int:
        for row in range(len(games.positions)):
            run(constants, games.positions, row, games.words, mask, observation, none)
        return len(games.positions)

    return Line(play)


def state_maker(game: Any) -> Callable[[int], Any]:
    """What makes the `State` of a seed."""
    try:
        from porta_nigra_env.core.game.state import State
    except ImportError:  # when there was one game, its state was the package's
        old = import_module("porta_nigra_env").State
        return lambda seed: old.new(game.num_players, seed)
    return lambda seed: State(game, game.new_states(seed))


def apply_id(games: Games) -> Line:
    """`State.apply_id`, the game's start included."""
    new = state_maker(games.game)

    def play() -> int:
        for seed, actions in enumerate(games.actions):
            state = new(seed)
            for action in actions:
                state.apply_id(action)
        return len(games.choices)

    return Line(play)


def aec(game: Any, wrapped: bool = False) -> Any:
    """The PettingZoo environment."""
    from porta_nigra_env.envs.pettingzoo import GameAEC, wrap

    return wrap(GameAEC(game)) if wrapped else GameAEC(game)


def replay(games: Games, wrapped: bool) -> Line:
    """``last`` and ``step`` of the PettingZoo environment, ``reset`` included."""
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
    """``deepcopy`` of a `raw_env` at the start of a game."""
    env = aec(games.game)
    env.reset(seed=1)

    def play() -> int:
        for _ in range(COPIES):
            copy.deepcopy(env)
        return COPIES

    return Line(play)


def seat(games: Games) -> Line:
    """Own steps of a `SeatEnv` among random opponents; each takes the first legal action."""
    from porta_nigra_env.envs.gymnasium import SeatEnv

    env = SeatEnv(games.game, seat=0)

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
    """Steps of many games at once, ``reset`` included; each takes the first legal action."""

    def play() -> int:
        env.reset(seed=1)
        for _ in range(STEPS):
            env.step(masks().argmax(axis=1))
        return ROWS * STEPS

    return Line(play)


def batch(games: Games, **options: Any) -> Line:
    """`BatchEnv` with masks and observations."""
    from porta_nigra_env.envs.batch import BatchEnv

    env = BatchEnv(games.game, ROWS, **options)
    return rows(env, lambda: env.action_masks)


def vector(games: Games) -> Line:
    """The Gymnasium vector environment, one learner's seat among random opponents."""
    from porta_nigra_env.envs.vector import SeatVectorEnv

    env = SeatVectorEnv(games.game, ROWS, seat="rotate")
    return rows(env, env.action_masks)


def whole_games(games: Games) -> Line:
    """Compiled games of the policy "random", a decision each."""
    from porta_nigra_env.core.batch.policy import RANDOM

    try:
        play_games = import_module("porta_nigra_env.envs.play").play_games
    except ImportError:  # its place before
        play_games = import_module("porta_nigra_env.envs.batch").play_games
    return Line(lambda: int(play_games(games.game, [RANDOM] * games.players, range(10 * GAMES))[-1].sum()))


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
    "reset, compiled": lambda games: verb_line(games, each_reset, "reset", games.players),
    "step, compiled": lambda games: verb_line(games, each_step, "step", games.choices),
    "legal, compiled": lambda games: verb_line(games, each_out, "legal", games.words),
    "observe, compiled": lambda games: verb_line(games, each_observe, "observe", observed(games)),
    "determinize, compiled": lambda games: verb_line(games, each_determinize, "determinize"),
    "score, compiled": lambda games: verb_line(games, each_out, "score", totals(games)),
}
