"""Everything random in an environment follows from the seed of `reset`, and from nothing else."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from porta_nigra_env.leaks.shown import Channel, Difference, Env, chosen, difference, legal_actions, shown


def assert_seed_matters(
    make_env: Callable[[], Env],
    *,
    seed: int = 0,
    games: int = 4,
    limit: int = 300,
    actions: Callable[[Env, str], Sequence[Any] | None] = legal_actions,
    also: Mapping[str, Channel] | None = None,
) -> None:
    """Check that the seed of `reset` decides everything random.

    - Games of the same seed and the same actions show every agent the same bytes (`shown.shown`): in new
      environments, under other seeds of `random` and `numpy.random`, and in an environment that has played before.
    - `reset`, `step` and `observe` leave the states of `random` and `numpy.random` as they are.
    - Some seeds give different games.

    The states of `random` and `numpy.random` are restored at the end.

    Args:
        make_env: a function that returns a new environment.
        seed: the first seed.
        games: number of seeds, at least 2.
        limit: the most steps of a game.
        actions: see `assert_no_leak`.
        also: see `assert_no_leak`.

    Raises:
        AssertionError: names the difference, with agent, step, path, both values and the seed.
        ValueError: an argument out of its range.
    """
    if games < 2 or limit < 1:
        raise ValueError(f"games must be at least 2 and limit at least 1, not {games} and {limit}")

    def play(env: Env, number: int, state: int) -> list[dict[str, Any]]:
        random.seed(state)
        np.random.seed(state)  # noqa: NPY002  # the global state is the subject
        return list(_shown_in_game(env, number, limit, actions, also or {}))

    with _restored():
        traces = []
        for number in range(seed, seed + games):
            used = make_env()
            traces.append(play(used, number, 1))
            play(used, number + 1, 1)
            _same(traces[-1], play(make_env(), number, 1), number, "two games of this seed differ")
            _same(traces[-1], play(make_env(), number, 2), number, "the global random state changes the game")
            _same(traces[-1], play(used, number, 1), number, "a game before changes the game")
        if all(difference(traces[0], other) is None for other in traces[1:]):
            raise AssertionError(f"the seeds {seed} to {seed + games - 1} give the same game: reset ignores its seed")


def _shown_in_game(
    env: Env, seed: int, limit: int, actions: Callable[[Env, str], Sequence[Any] | None], also: Mapping[str, Channel]
) -> Iterator[dict[str, Any]]:
    """Play a game with the same random choices for every seed; yield what all agents are shown at each step."""
    rng, step = np.random.default_rng(0), 0
    with _unchanged(seed, "reset"):
        env.reset(seed=seed)
    while env.agents and step < limit:
        agent = env.agent_selection
        over = env.terminations[agent] or env.truncations[agent]
        with _unchanged(seed, f"step {step}"):
            yield {one: shown(env, one, also) for one in env.agents}
            env.step(None if over else chosen(env, agent, actions, rng))
        step += 1


def _same(left: list[dict[str, Any]], right: list[dict[str, Any]], seed: int, problem: str) -> None:
    for step, (one, other) in enumerate(zip(left, right, strict=False)):
        for agent in one:
            found = difference(one[agent], other.get(agent))
            if found is not None:
                raise AssertionError(_message(problem, seed, f"step {step}, {agent}", found))
    found = difference([sorted(one) for one in left], [sorted(one) for one in right], "agents")
    if found is not None:
        raise AssertionError(_message(problem, seed, "agents that are shown something", found))


def _message(problem: str, seed: int, place: str, found: Difference) -> str:
    return f"{problem}: {found.path} is {found.left}, then {found.right}. Seed {seed}, {place}."


def _global_states() -> dict[str, Any]:
    return {"random": random.getstate(), "numpy.random": np.random.get_state()}  # noqa: NPY002  # see above


@contextmanager
def _unchanged(seed: int, place: str) -> Iterator[None]:
    """Raise AssertionError if the code inside draws from global random numbers."""
    before = _global_states()
    yield
    for name, after in _global_states().items():
        if difference(before[name], after) is not None:
            raise AssertionError(f"the environment changes the global state of {name}. Seed {seed}, {place}.")


@contextmanager
def _restored() -> Iterator[None]:
    before = _global_states()
    try:
        yield
    finally:
        random.setstate(before["random"])
        np.random.set_state(before["numpy.random"])  # noqa: NPY002  # see above
