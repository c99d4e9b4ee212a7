"""Time of each part of a step with your own agent.

The agent plays all seats.  A table shows the cost of a step: the agent, its views, and the environment's step down to
the kernel functions.  ``--svg FILE`` also writes an icicle diagram.

An agent is one of

* an agent of a tournament (`agents.registry`): ``builder``, ``ismcts:simulations=100``, ``my_module:MyAgent:depth=3``,
* a batched agent: an object with ``act_batch(views) -> ids`` (`envs.opponents.BatchAgent`), or a class of such made
  without arguments,
* a plain function of a view, ``agent(view) -> id or action string`` (`core.game.view.View`),
* a compiled policy (`core.batch.policy.Policy`).

A sampler cannot see inside compiled code: kernel functions are measured separately, on positions of the run.
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from agents.agent import Agent
from agents.registry import entries, make
from benchmarks.icicle import Node, write_icicle
from benchmarks.options import Seated, Timed, at_folder, at_least, read, refuse
from benchmarks.report import machine_lines, write_json
from benchmarks.verbs import compile_kernel_loops
from porta_nigra_env.core.batch.policy import RANDOM, Policy
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.view import BatchView
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.opponents import BatchAgent
from porta_nigra_env.envs.pettingzoo import GameAEC
from porta_nigra_env.envs.play import play_games

#: Rounds over the positions of the kernel functions.
REPEATS = 20
#: Minimum share of the time of a frame in the diagram.
SMALLEST_SHARE = 0.002


class RandomAgent:
    """Uniformly random legal actions, the default of ``--agent``."""

    def __init__(self) -> None:
        self._rng = np.random.default_rng(1)

    def act_batch(self, views: BatchView) -> Any:
        """Return an id for each view."""
        masks = views.action_masks
        return (masks * self._rng.random(masks.shape, dtype=np.float32)).argmax(axis=1)


@dataclass
class Profile:
    """The result of a run.

    Attributes:
        decisions: steps of the agent.
        seconds: seconds of the whole run.
        parts: seconds by part, in total at most `seconds`.
        kernel: nanoseconds of the kernel functions for one step, parts of "environment: step".
        tree: the sampled frames, for a diagram.
    """

    decisions: int = 0
    seconds: float = 0.0
    parts: dict[str, float] = field(default_factory=dict)
    kernel: dict[str, float] = field(default_factory=dict)
    tree: Node | None = None

    def lines(self) -> list[tuple[str, float]]:
        """Return name and nanoseconds for one step, in the order of the table; kernel functions are indented."""
        lines: list[tuple[str, float]] = []
        for name, seconds in self.parts.items():
            lines.append((name, seconds / self.decisions * 1e9))
            if name == STEP:
                rest = seconds / self.decisions * 1e9 - sum(self.kernel.values())
                lines += [(f"    {name}", cost) for name, cost in self.kernel.items()]
                lines.append(("    resets, rewards, checks, Python", max(rest, 0.0)))
        rest = self.seconds - sum(self.parts.values())
        lines.append(("the loop itself", max(rest, 0.0) / self.decisions * 1e9))
        return lines


AGENT, SHOWN, STEP = "agent", "views", "environment: step"
#: Kernel functions of a step.
STEP_PARTS = ("rules", "legal actions", "mask as bytes", "observation")


def kernel_costs(game: Game, states: Any, wanted: Sequence[str]) -> dict[str, float]:
    """Return nanoseconds of kernel functions on states with a player to move."""
    loops, constants = compile_kernel_loops(game), game.constants
    n = len(states)
    words = np.zeros((n, game.num_words), dtype=np.uint64)
    masks = np.zeros((n, game.actions.size), dtype=np.int8)
    observations = np.zeros((n, game.observations.size), dtype=np.float32)
    scratch = states.copy()
    loops.legal(constants, states, words, 1)
    loops.unpack(words, masks, 1)
    actions = masks.argmax(axis=1)
    rounds: dict[str, Callable[[int], Any]] = {
        "rules": lambda k: loops.step(constants, states, scratch, actions, k),
        "legal actions": lambda k: loops.legal(constants, states, words, k),
        "mask as bytes": lambda k: loops.unpack(words, masks, k),
        "observation": lambda k: loops.observe(constants, states, observations, k),
        "redacted state": lambda k: loops.redact(constants, states, scratch, k),
    }
    costs = {}
    for name in wanted:
        rounds[name](1)
        times = []
        for _ in range(5):
            start = time.perf_counter()
            rounds[name](REPEATS)
            times.append((time.perf_counter() - start) / REPEATS / n * 1e9)
        costs[name] = sorted(times)[2]
    return costs


def profile_batch(game: Game, agent: BatchAgent, size: int, seconds: float, sampled: bool) -> Profile:
    """Profile a batched agent on all seats of `size` games."""
    env = BatchEnv(game, size)
    env.reset(seed=1)
    env.step(agent.act_batch(env.views()))
    env.reset(seed=1)
    positions: list[Any] = []
    clock = time.perf_counter
    shown = decided = stepped = 0.0
    steps = 0
    with Sampler(sampled) as sampler:
        start = clock()
        while (now := clock()) - start < seconds:
            views = env.views()
            seen = clock()
            actions = agent.act_batch(views)
            chosen = clock()
            env.step(actions)
            done = clock()
            shown, decided, stepped = shown + seen - now, decided + chosen - seen, stepped + done - chosen
            steps += 1
            if steps % 7 == 0 and len(positions) * size < 4096:
                positions.append(views.states)
        spent = clock() - start
    states = np.concatenate(positions) if positions else views.states
    return Profile(
        steps * size,
        spent,
        {AGENT: decided, SHOWN: shown, STEP: stepped},
        kernel_costs(game, states.copy(), STEP_PARTS),
        sampler.tree(),
    )


def profile_function(game: Game, agent: Callable[[Any], Any], seconds: float, sampled: bool) -> Profile:
    """Profile a function of a view on all seats of one game after the other, in the AEC environment."""
    env = GameAEC(game)
    env.reset(seed=1)
    positions: list[Any] = []
    clock = time.perf_counter
    shown = decided = stepped = 0.0
    decisions = 0
    with Sampler(sampled) as sampler:
        start = clock()
        while (now := clock()) - start < seconds:
            if env.terminations[env.agent_selection]:
                env.reset()
                continue
            view = env.view(env.agent_selection)
            seen = clock()
            answer = agent(view)
            chosen = clock()
            env.step(game.action_id(answer) if isinstance(answer, str) else answer)
            done = clock()
            shown, decided, stepped = shown + seen - now, decided + chosen - seen, stepped + done - chosen
            decisions += 1
            if decisions % 7 == 0 and len(positions) < 1024:
                positions.append(view.state)
        spent = clock() - start
    states = np.concatenate(positions or [view.state]).copy()
    parts = {AGENT: decided, SHOWN: shown, STEP: stepped}
    return Profile(max(decisions, 1), spent, parts, kernel_costs(game, states, STEP_PARTS), sampler.tree())


def profile_policy(game: Game, policy: Policy, seconds: float) -> Profile:
    """Profile a compiled policy on all seats of whole games; its time is the total without the kernel functions."""
    policies = [policy] * game.num_players
    play_games(game, policies, range(2))
    decisions, spent, first = 0, 0.0, 0
    while spent < seconds:
        start = time.perf_counter()
        decisions += int(play_games(game, policies, range(first, first + 200)).lengths.sum())
        spent += time.perf_counter() - start
        first += 200
    env = BatchEnv(game, 512, autoreset_mode="disabled", observations="none")
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    for _ in range(40):
        env.step(env.random_actions(rng))
    states = env.states[env.current_player >= 0].copy()
    costs = kernel_costs(game, states, ("rules", "legal actions", *(["redacted state"] if policy.reads_state else [])))
    rest = max(spent / decisions * 1e9 - sum(costs.values()), 0.0)
    parts = {name: cost * decisions / 1e9 for name, cost in {f"policy {policy.name}, loop": rest, **costs}.items()}
    boxes = [Node(name, part, [], "kernel" if name in costs else "python") for name, part in parts.items()]
    return Profile(decisions, spent, parts, {}, Node("play_games", spent, boxes))


class Sampler:
    """A sampler of Python frames as a context manager, if `wanted`; needs pyinstrument."""

    def __init__(self, wanted: bool) -> None:
        self._profiler: Any = None
        if wanted:
            from pyinstrument import Profiler

            self._profiler = Profiler(interval=0.0005)

    def __enter__(self) -> Sampler:
        if self._profiler is not None:
            self._profiler.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._profiler is not None:
            self._profiler.stop()

    def tree(self) -> Node | None:
        """Return the frames as boxes; None if nothing was sampled."""
        if self._profiler is None or self._profiler.last_session is None:
            return None
        root = self._profiler.last_session.root_frame()
        return None if root is None else _diagram(_boxes([root], SMALLEST_SHARE * root.time))


def _boxes(frames: Sequence[Any], smallest: float) -> Node:
    """Return one box for all frames of a function below the same callers."""
    first = frames[0]
    name = "own time" if first.is_synthetic else f"{first.function}  {Path(first.file_path or '').name}"
    groups: dict[str, list[Any]] = {}
    for frame in frames:
        for child in frame.children:
            groups.setdefault(child.identifier, []).append(child)
    children = [_boxes(group, smallest) for group in groups.values() if sum(frame.time for frame in group) >= smallest]
    return Node(name, sum(frame.time for frame in frames), children)


def _diagram(thread: Node) -> Node:
    """Return the measuring loop as the root.

    The sampler reports compiled functions next to their callers, not below: they become parts of the loop.
    """
    compiled = [child for child in thread.children if child.name.startswith("_") and "runpy" not in child.name]
    node = thread
    while not node.name.startswith("profile_"):
        callers = [child for child in node.children if child not in compiled]
        if not callers:
            return thread
        node = max(callers, key=lambda child: child.seconds)
    for child in compiled:
        node.children.append(Node(f"compiled {child.name}", child.seconds, [], "kernel"))
        node.seconds += child.seconds
    return node


def enter_kernel(root: Node, profile: Profile) -> None:
    """Divide the compiled step among the kernel functions, which were measured separately."""
    measured = sum(profile.kernel.values())
    for node in root.children:
        if node.name.startswith(("compiled _step", "compiled _advance")) and measured:
            # Measured separately, they may sum to more than the step.
            scale = min(profile.decisions / 1e9, node.seconds / measured)
            node.children = [Node(name, cost * scale, [], "kernel") for name, cost in profile.kernel.items()]


def load_agent(text: str, game: Game) -> Any:
    """Return the agent of "random", "random:policy", "module:name" or a tournament; ValueError if there is none."""
    if text == "random":
        return RandomAgent()
    if text == "random:policy":
        return RANDOM
    module, _, name = text.partition(":")
    if not name or ":" in name or module in entries():
        return make(text, game)
    try:
        agent = getattr(importlib.import_module(module), name)
    except ImportError as error:
        raise ValueError(f"module {module!r} cannot be imported: {error}") from error
    except AttributeError:
        raise ValueError(f"module {module!r} has no {name!r}") from None
    if isinstance(agent, type):
        try:
            agent = make(text, game) if issubclass(agent, Agent) else agent()
        except TypeError as error:
            raise ValueError(f"{text} cannot be made: {error}; name an object instead of a class") from error
    if not isinstance(agent, Policy | BatchAgent) and not callable(agent):
        raise ValueError(f"{text} is neither a compiled policy nor an agent with act_batch nor a function of a view")
    return agent


@dataclass(frozen=True, kw_only=True)
class Arguments(Seated, Timed):
    """Options of the program."""

    seconds: float = 3.0
    """Length of the run."""
    agent: str = "random"
    """An agent of a tournament, or MODULE:NAME of a batched agent, a function of a view or a compiled policy; "random"
    and "random:policy" are built in."""
    batch: int = 1024
    """Games at once for a batched agent."""
    svg: Path | None = None
    """Write an icicle diagram to this file."""

    def check(self) -> None:
        super().check()
        at_least("batch", self.batch, 1)
        at_folder("svg", self.svg)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 2 for invalid arguments."""
    about = (
        "Show the time of each part of a step when an agent plays all seats: a table, and an icicle diagram.  "
        "Example: python -m benchmarks profile --agent mymodule:MyAgent --batch 256 --svg profile.svg"
    )
    options = read(Arguments, "profile", about, argv)
    sys.path.insert(0, ".")
    game = options.made()
    try:
        agent = load_agent(options.agent, game)
    except ValueError as error:
        refuse("profile", f"--agent: {error}")
    if options.svg and not isinstance(agent, Policy):
        try:
            import pyinstrument  # noqa: F401
        except ImportError as error:
            refuse("profile", f"--svg: {error}; make .venv/dev")

    sampled = options.svg is not None
    if isinstance(agent, Policy):
        profile, api = profile_policy(game, agent, options.seconds), "play_games"
    elif isinstance(agent, BatchAgent):
        profile = profile_batch(game, agent, options.batch, options.seconds, sampled)
        api = f"BatchEnv of {options.batch} games"
    else:
        profile, api = profile_function(game, agent, options.seconds, sampled), "raw_env"

    total = profile.seconds / profile.decisions * 1e9
    title = f"{options.agent} on all seats of {api}, {game.num_players} players"
    print(f"{title}: {profile.decisions:,} steps, {1e9 / total:,.0f} a second\n")
    print(f"{'':<40}{'ns a step':>14}{'share':>8}")
    for name, cost in profile.lines():
        print(f"{name:<40}{cost:>14,.0f}{cost / total:>8.1%}")
    print(f"{'all':<40}{total:>14,.0f}{1:>8.0%}")
    print("\nIndented lines are parts of the line above, measured separately on positions of the run.")
    print(machine_lines())
    if options.svg and profile.tree is not None:
        enter_kernel(profile.tree, profile)
        write_icicle(profile.tree, f"{title}: {1e9 / total:,.0f} steps per second", options.svg)
        print(f"diagram: {options.svg}")
    if options.json:
        costs = {name.strip(): cost for name, cost in profile.lines()}
        write_json(
            options.json,
            {"benchmark": "profile", **options.settings(), "svg": str(options.svg), "ns_a_decision": costs},
        )
    return 0
