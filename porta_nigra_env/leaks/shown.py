"""Everything that an environment shows an agent, and the first difference of two such things, byte for byte."""

from __future__ import annotations

import copy
import pickle
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from pettingzoo import AECEnv

#: Any AEC environment; PettingZoo has no type information.
Env = Any
#: Function of an environment and an agent's name.
Channel = Callable[[Env, str], Any]

#: The most characters of a value in a message.
_WIDTH: Final = 80


class Difference(NamedTuple):
    """The first place where two things differ, and the values there as text."""

    path: str
    left: str
    right: str


def shown(env: Env, agent: str, also: Mapping[str, Channel]) -> dict[str, Any]:
    """Return copies of everything that an agent is shown, by channel; `also` adds channels.

    The selected agent also sees the result of `last`.  The selected agent and the list of agents are public.
    """
    seen = {
        "observation": env.observe(agent),
        "info": env.infos[agent],
        "reward": env.rewards[agent],
        "termination": env.terminations[agent],
        "truncation": env.truncations[agent],
        "selected agent": env.agent_selection,
        "agents": list(env.agents),
    }
    if agent == env.agent_selection:
        seen["last()"] = env.last()
    # A copy, since the next call of the environment, or of a twin that shares its buffers, may overwrite an array.
    return copy.deepcopy(seen | {name: channel(env, agent) for name, channel in also.items()})


def duplicate(env: Env, memo: dict[int, Any] | None = None) -> Env:
    """Return an independent copy of an environment with its running game.

    `copy.deepcopy` begins a new environment instead if the class is an `EzPickle`, as many of PettingZoo are.
    """
    memo = {} if memo is None else memo
    if hasattr(type(env), "__deepcopy__"):
        return copy.deepcopy(env, memo)
    inner = vars(env).get("env")
    if isinstance(inner, AECEnv):
        memo[id(inner)] = duplicate(inner, memo)
    twin = memo[id(env)] = object.__new__(type(env))
    vars(twin).update(copy.deepcopy(vars(env), memo))
    return twin


def any_over(env: Env) -> bool:
    """Return True if the game has ended for some agent."""
    return any(env.terminations.values()) or any(env.truncations.values())


def legal_actions(env: Env, agent: str) -> Sequence[Any] | None:
    """Return the legal actions of an agent by its mask in the observation or the infos; None without a mask."""
    observation = env.observe(agent)
    for place in (observation, env.infos[agent]):
        if isinstance(place, Mapping) and "action_mask" in place:
            return [int(action) for action in np.flatnonzero(place["action_mask"])]
    return None


def chosen(env: Env, agent: str, actions: Callable[[Env, str], Sequence[Any] | None], rng: np.random.Generator) -> Any:
    """Return a random legal action; without legal actions one of the action space, whose random state stays."""
    legal = actions(env, agent)
    if legal is None:
        space = copy.deepcopy(env.action_space(agent))
        space.seed(int(rng.integers(2**31)))
        return space.sample()
    if not len(legal):
        raise ValueError(f"{agent} is to act and has no legal action; check its mask, or give `actions`")
    return legal[int(rng.integers(len(legal)))]


def difference(left: Any, right: Any, path: str = "") -> Difference | None:
    """Return the first difference of two nested structures; None if types and bytes are equal everywhere.

    Dicts, lists, tuples and arrays are entered; other objects are compared by their pickled bytes.
    """
    if type(left) is not type(right):
        return Difference(path, f"{_short(left)} ({type(left).__name__})", f"{_short(right)} ({type(right).__name__})")
    if isinstance(left, Mapping):
        if list(left) != list(right):
            return Difference(f"the keys of {path}", _short(list(left)), _short(list(right)))
        return _first(difference(left[key], right[key], _inside(path, key)) for key in left)
    if isinstance(left, list | tuple):
        pairs = enumerate(zip(left, right, strict=False))
        found = _first(difference(one, other, _inside(path, index)) for index, (one, other) in pairs)
        if found is None and len(left) != len(right):
            return Difference(f"the length of {path}", str(len(left)), str(len(right)))
        return found
    if isinstance(left, np.ndarray | np.generic):
        return _array_difference(np.asarray(left), np.asarray(right), path)
    return None if _bytes(left, path) == _bytes(right, path) else Difference(path, _short(left), _short(right))


def _array_difference(left: Any, right: Any, path: str) -> Difference | None:
    if left.dtype != right.dtype or left.shape != right.shape:
        kinds = [f"{array.dtype} {array.shape}" for array in (left, right)]
        return Difference(f"the dtype and shape of {path}", *kinds)
    if left.dtype.hasobject:
        return difference(left.tolist(), right.tolist(), path)
    if left.tobytes() == right.tobytes():
        return None
    sides = [np.frombuffer(array.tobytes(), np.uint8).reshape(array.size, -1) for array in (left, right)]
    first = int((sides[0] != sides[1]).any(axis=1).argmax())
    index = tuple(int(one) for one in np.unravel_index(first, left.shape))
    place = f"{path}[{', '.join(map(str, index))}]" if index else path
    return Difference(place, _short(left[index].item()), _short(right[index].item()))


def _bytes(value: Any, path: str) -> bytes:
    if type(value) is float:
        return struct.pack("d", value)
    try:
        return pickle.dumps(value)
    except Exception as error:
        raise TypeError(f"{path}: cannot compare a {type(value).__name__} by its bytes: {error}") from error


def _inside(path: str, key: Any) -> str:
    name = f'"{key}"' if isinstance(key, str) else repr(key)
    return f"{path}[{name}]" if path else str(key)


def _first(found: Any) -> Difference | None:
    return next((one for one in found if one is not None), None)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _WIDTH else text[: _WIDTH - 3] + "..."
