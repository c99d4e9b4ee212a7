"""Time of each part of a step with your own agent, which plays all seats.

A table shows the cost of a step: the agent, its views, and the environment's step down to the kernel functions, which
are measured separately on positions of the run.  An agent is one of

* an agent of a tournament (`agents.registry`): ``builder``, ``ismcts:simulations=100``, ``my_module:MyAgent:depth=3``,
* a batched agent: an object with ``act_batch(views) -> ids`` (`envs.opponents.BatchAgent`), or a class of such made
  without arguments,
* a plain function of a view, ``agent(view) -> id or action string`` (`core.game.view.View`),
* a compiled policy (`core.batch.policy.Policy`).
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from agents.registry import AgentError, entries, make
from benchmarks.kernel import kernel_lines
from benchmarks.lines import measure
from benchmarks.options import Seated, Timed, at_folder, at_least, read
from porta_nigra_env.core.batch.policy import RANDOM, Policy
from porta_nigra_env.core.files import write_whole
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.view import BatchView
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.opponents import BatchAgent
from porta_nigra_env.envs.pettingzoo import GameAEC
from porta_nigra_env.envs.play import play_games


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
        steps: steps of the agent.
        seconds: seconds of the whole run.
        parts: seconds by part, in total at most `seconds`.
        kernel: nanoseconds of the kernel functions for one step, parts of "environment: step".
    """

    steps: int = 0
    seconds: float = 0.0
    parts: dict[str, float] = field(default_factory=dict)
    kernel: dict[str, float] = field(default_factory=dict)

    def lines(self) -> list[tuple[str, float]]:
        """Return name and nanoseconds for one step, in the order of the table; kernel functions are indented."""
        lines: list[tuple[str, float]] = []
        for name, seconds in self.parts.items():
            lines.append((name, seconds / self.steps * 1e9))
            if name == STEP:
                rest = seconds / self.steps * 1e9 - sum(self.kernel.values())
                lines += [(f"    {name}", cost) for name, cost in self.kernel.items()]
                lines.append(("    resets, rewards, checks, Python", max(rest, 0.0)))
        rest = self.seconds - sum(self.parts.values())
        lines.append(("the loop itself", max(rest, 0.0) / self.steps * 1e9))
        return lines


@dataclass(frozen=True, kw_only=True)
class Arguments(Seated, Timed):
    """Options of the program."""

    seconds: float = 3.0
    """Length of the run."""
    agent: str = "random"
    """An agent of a tournament, or MODULE:NAME of a batched agent, a function of a view or a compiled policy;
    "random:policy" is the compiled random policy."""
    batch: int = 1024
    """Games at once for a batched agent."""
    html: Path | None = None
    """Write the call tree of an agent in Python to this file, with pyinstrument."""

    def check(self) -> None:
        super().check()
        at_least("batch", self.batch, 1)
        at_folder("html", self.html)


BUILT_IN: Final = {"random": RandomAgent(), "random:policy": RANDOM}
AGENT, SHOWN, STEP = "agent", "views", "environment: step"
#: Names of parts, and of their lines in `benchmarks.kernel`.
STEP_PARTS = {
    "rules": "step (and clone)",
    "legal actions": "legal",
    "mask as bytes": "bit set to int8",
    "observation": "observe",
    "redacted state": "redact (and clone)",
}


def kernel_costs(game: Game, states: Any, wanted: Sequence[str]) -> dict[str, float]:
    """Return nanoseconds of kernel functions on states with a player to move."""
    lines = {line.name: line for line in kernel_lines(game, states.copy())}
    chosen = {name: lines[STEP_PARTS[name]] for name in wanted}
    measure([*chosen.values()], 0.01, 5)
    return {name: 1e9 / line.rate for name, line in chosen.items()}


def profile_loop(
    game: Game,
    view: Callable[[], Any],
    act: Callable[[Any], Any],
    step: Callable[[Any], object],
    options: Arguments,
    profiler: Any,
) -> Profile:
    """Profile rounds of `view`, `act` and `step` on one game or on a batch."""
    positions: list[Any] = []
    clock, rounds = time.perf_counter, 0
    shown = decided = stepped = 0.0
    with profiler:
        start = clock()
        while (now := clock()) - start < options.seconds or not rounds:
            views = view()
            seen = clock()
            actions = act(views)
            chosen = clock()
            step(actions)
            done = clock()
            shown, decided, stepped = shown + seen - now, decided + chosen - seen, stepped + done - chosen
            if rounds % 7 == 0 and sum(map(len, positions)) < 4096:
                positions.append(views.states if isinstance(views, BatchView) else views.state)
            rounds += 1
        spent = clock() - start
    count = len(views) if isinstance(views, BatchView) else 1
    costs = kernel_costs(game, np.concatenate(positions), [*STEP_PARTS][:4])
    return Profile(rounds * count, spent, {AGENT: decided, SHOWN: shown, STEP: stepped}, costs)


def profile_batch(game: Game, agent: BatchAgent, options: Arguments, profiler: Any) -> Profile:
    """Profile a batched agent on all seats of a `BatchEnv`."""
    env = BatchEnv(game, options.batch)
    env.reset(seed=1)
    env.step(agent.act_batch(env.views()))
    env.reset(seed=1)
    return profile_loop(game, env.views, agent.act_batch, env.step, options, profiler)


def profile_function(game: Game, agent: Callable[[Any], Any], options: Arguments, profiler: Any) -> Profile:
    """Profile a function of a view on all seats of one game after the other, in the AEC environment."""
    env = GameAEC(game)
    env.reset(seed=1)

    def step(answer: Any) -> None:
        env.step(game.action_id(answer) if isinstance(answer, str) else answer)
        if env.terminations[env.agent_selection]:
            env.reset()

    return profile_loop(game, lambda: env.view(env.agent_selection), agent, step, options, profiler)


def profile_policy(game: Game, policy: Policy, seconds: float) -> Profile:
    """Profile a compiled policy on all seats of whole games; its time is the total without the kernel functions."""
    policies = [policy] * game.num_players
    play_games(game, policies, range(2))
    steps, spent, first = 0, 0.0, 0
    while spent < seconds:
        start = time.perf_counter()
        steps += int(play_games(game, policies, range(first, first + 200)).lengths.sum())
        spent += time.perf_counter() - start
        first += 200
    env = BatchEnv(game, 512, autoreset_mode="disabled", observations="none")
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    for _ in range(40):
        env.step(env.random_actions(rng))
    states = env.states[env.current_player >= 0].copy()
    costs = kernel_costs(game, states, ("rules", "legal actions", *(["redacted state"] if policy.reads_state else [])))
    rest = max(spent / steps * 1e9 - sum(costs.values()), 0.0)
    parts = {name: cost * steps / 1e9 for name, cost in {f"policy {policy.name}, loop": rest, **costs}.items()}
    return Profile(steps, spent, parts)


def load_agent(text: str, game: Game) -> Any:
    """Return the agent of a tournament, or the object or class MODULE:NAME; ValueError if there is none."""
    if text in BUILT_IN:
        return BUILT_IN[text]
    try:
        return make(text, game)
    except AgentError as error:
        module, _, name = text.partition(":")
        if module in entries() or not name.isidentifier():
            raise
        try:
            agent = getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError):
            raise error from None
        try:
            agent = agent() if isinstance(agent, type) else agent
        except TypeError as problem:
            raise ValueError(f"{text} cannot be made: {problem}; name an object instead of a class") from problem
        if not isinstance(agent, Policy | BatchAgent) and not callable(agent):
            raise ValueError(f"{text} is no compiled policy, agent with act_batch or function of a view") from error
        return agent


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line."""
    options = read(Arguments, argv)
    sys.path.insert(0, ".")
    game = options.made()
    try:
        agent = load_agent(options.agent, game)
    except ValueError as error:
        options.refuse(f"--agent: {error}")
    profiler: Any = nullcontext()
    if options.html:
        from pyinstrument import Profiler

        profiler = Profiler(interval=0.0005)
    if isinstance(agent, Policy):
        profile, api = profile_policy(game, agent, options.seconds), "play_games"
    elif isinstance(agent, BatchAgent):
        profile = profile_batch(game, agent, options, profiler)
        api = f"BatchEnv of {options.batch} games"
    else:
        profile, api = profile_function(game, agent, options, profiler), "raw_env"

    total = profile.seconds / profile.steps * 1e9
    print(
        f"{options.agent} on all seats of {api}, {game.num_players} players: {profile.steps:,} steps, "
        f"{1e9 / total:,.0f} per second\n"
    )
    print(f"{'':<40}{'ns a step':>14}{'share':>8}")
    for name, cost in profile.lines():
        print(f"{name:<40}{cost:>14,.0f}{cost / total:>8.1%}")
    print(f"{'all':<40}{total:>14,.0f}{1:>8.0%}")
    print("\nIndented lines are parts of the line above, measured separately on positions of the run.")
    if options.html and not isinstance(agent, Policy):
        write_whole(options.html, profiler.output_html())
    options.finish(ns_a_step={name.strip(): cost for name, cost in profile.lines()})
    return 0
