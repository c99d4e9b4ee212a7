"""Two worlds that an agent cannot distinguish: everything it is shown must be the same in both, byte for byte."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from porta_nigra_env.leaks.shown import Channel, Env, any_over, chosen, difference, legal_actions, shown

#: Function of an environment, an agent and a seed: an independent environment with everything redrawn that is hidden.
Resample = Callable[[Env, str, int], Env]


@dataclass
class Report:
    """Counts of `assert_no_leak`.

    Attributes:
        games: games played.
        steps: their steps.
        worlds: resampled worlds by agent.
        changed: those among them in which something hidden from the agent has changed.
        followed: comparisons after further steps.
    """

    games: int = 0
    steps: int = 0
    worlds: Counter[str] = field(default_factory=Counter)
    changed: Counter[str] = field(default_factory=Counter)
    followed: int = 0


@dataclass
class _World:
    """A resampled world that plays the game's further actions, with its origin for messages."""

    env: Env
    agent: str
    seed: int
    step: int
    age: int = 0


@dataclass
class _Check:
    """The arguments of `assert_no_leak`, its report, and the place in the running game."""

    env: Env
    resample: Resample
    worlds: int
    further: int
    agents: Collection[str] | None
    actions: Callable[[Env, str], Sequence[Any] | None]
    also: Mapping[str, Channel]
    known: Channel
    hidden: Channel
    report: Report = field(default_factory=Report)
    seed: int = 0
    step: int = 0

    def play(self, seed: int, limit: int, rate: float) -> None:
        """Play one random game and check about `rate` of its steps."""
        env, rng, worlds = self.env, np.random.default_rng(seed), list[_World]()
        self.seed, self.step = seed, 0
        env.reset(seed=seed)
        while env.agents and self.step < limit:
            agent = env.agent_selection
            if env.terminations[agent] or env.truncations[agent]:
                env.step(None)
                worlds.clear()
                continue
            if not any_over(env) and (self.step == 0 or rng.random() < rate):
                worlds += self._resampled(rng)
            action = chosen(env, agent, self.actions, rng)
            allowed = [world for world in worlds if self._legal(world, agent, action)]
            env.step(action)
            self.step += 1
            worlds = self._followed(allowed, action)
        self.report.games += 1
        self.report.steps += self.step

    def _legal(self, world: _World, agent: str, action: Any) -> bool:
        """Return True if an action is legal in another world too; that may depend on the actor's hidden cards."""
        legal = self.actions(world.env, agent)
        return legal is None or action in legal

    def _everything(self) -> dict[str, dict[str, Any]]:
        return {agent: shown(self.env, agent, self.also) for agent in self.env.agents}

    def _resampled(self, rng: np.random.Generator) -> list[_World]:
        """Return other worlds of every agent, compared with the game."""
        env, before, worlds = self.env, self._everything(), list[_World]()
        for agent in [one for one in env.agents if self.agents is None or one in self.agents]:
            secret = self.hidden(env, agent)
            for _ in range(self.worlds):
                seed = int(rng.integers(2**31))
                twin = self.resample(env, agent, seed)
                if twin is None or twin is env:
                    raise ValueError(f"resample(env, {agent!r}, {seed}) must return another environment, not {twin!r}")
                world = _World(twin, agent, seed, self.step)
                self._same(before[agent], world)
                self._untouched(before, world)
                self.report.worlds[agent] += 1
                self.report.changed[agent] += difference(secret, self.hidden(twin, agent)) is not None
                worlds.append(world)
        return worlds

    def _followed(self, worlds: list[_World], action: Any) -> list[_World]:
        """Play the game's action in other worlds; return those that their agents still cannot distinguish from it."""
        if not worlds or any_over(self.env):
            return []
        before, kept = self._everything(), list[_World]()
        for world in worlds:
            env, twin, agent = self.env, world.env, world.agent
            twin.step(action)
            world.age += 1
            self._untouched(before, world)
            same_turn = (twin.agent_selection, list(twin.agents)) == (env.agent_selection, list(env.agents))
            if any_over(twin) or not same_turn or difference(self.known(env, agent), self.known(twin, agent)):
                continue
            self._same(before[agent], world)
            self.report.followed += 1
            if world.age < self.further:
                kept.append(world)
        return kept

    def _same(self, expected: dict[str, Any], world: _World) -> None:
        found = difference(expected, shown(world.env, world.agent, self.also))
        if found is not None:
            raise AssertionError(
                f"{world.agent} is shown something hidden from it: {found.path} is {found.left} in the game, and "
                f"{found.right} in a world that it cannot distinguish. {self._place(world)}"
            )

    def _untouched(self, before: dict[str, dict[str, Any]], world: _World) -> None:
        """Raise AssertionError if another world has changed the game."""
        found = difference(before, self._everything())
        if found is not None:
            raise AssertionError(
                f"the environment that `resample` returned shares state with the one that it got: {found.path} was "
                f"{found.left} and became {found.right}; resample a copy. {self._place(world)}"
            )

    def _place(self, world: _World) -> str:
        later = f", {world.age} common steps later" if world.age else ""
        return (
            f"Game of seed {self.seed}, step {world.step}, resample(env, {world.agent!r}, {world.seed}){later}. "
            f"Reproduce it with seed={self.seed}, games=1."
        )


def _observation(env: Env, agent: str) -> Any:
    return env.observe(agent)


def _others(env: Env, agent: str) -> Any:
    """Return the observations of all other agents."""
    return {other: env.observe(other) for other in env.agents if other != agent}


def assert_no_leak(
    env: Env,
    resample: Resample,
    *,
    seed: int = 0,
    games: int = 5,
    limit: int = 1000,
    rate: float = 0.25,
    worlds: int = 2,
    further: int = 4,
    agents: Collection[str] | None = None,
    actions: Callable[[Env, str], Sequence[Any] | None] = legal_actions,
    also: Mapping[str, Channel] | None = None,
    known: Channel = _observation,
    hidden: Channel = _others,
) -> Report:
    """Check that an environment shows no agent anything hidden from it, in random games.

    At some steps everything that an agent does not know is drawn again. The agent cannot distinguish the new world
    from the game, so everything it is shown must have the same bytes. That is `observe`, `last`, infos, reward,
    termination, truncation, the selected agent, the list of agents, and the channels of `also`. Masks are parts of
    observations or infos.

    The game's next actions are then played in the new world too, because an environment may store what it shows at a
    step, where drawing again does not change it. An action may legitimately tell the agent something hidden: a card
    that it draws, a result. The worlds have then parted, and this one is dropped. They have parted if `known` differs,
    if another agent is selected, if the action is illegal in the new world, or if the game is over for an agent in one
    of them. Otherwise all of the above is compared again.

    A resampler that changes nothing would hide every leak. Each checked agent therefore needs a world in which
    something hidden has changed.

    Args:
        env: any AEC environment; it is reset.
        resample: function of the running environment, an agent's name and a seed. It returns an independent environment
            in which everything that the agent does not know is drawn again, and nothing else is changed. Copies come
            from `duplicate`.
        seed: of the first game; the others have the next seeds.
        games: number of games.
        limit: the most steps of a game.
        rate: share of the steps that are checked; the first one always is.
        worlds: worlds for each agent at a checked step.
        further: the most further steps of a world.
        agents: those to check; all by default. Leave out an agent that knows everything.
        actions: legal actions of the agent to move; those of its mask by default. None stands for the action space.
        also: more channels by name: functions of environment and agent, such as a text board.
        known: the knowledge of an agent after a step; the observation by default. Give more if observations omit
            something that infos or rewards tell.
        hidden: something hidden from an agent; the observations of all others by default.

    Returns:
        The counts of games, steps, worlds and comparisons.

    Raises:
        AssertionError: a leak, with agent, step, path, both values and the seeds; or a resampler that changes nothing
            or changes the environment that it gets.
        ValueError: an argument out of its range.
    """
    for name, value, least in (
        ("games", games, 1),
        ("limit", limit, 1),
        ("worlds", worlds, 1),
        ("further", further, 0),
    ):
        if value < least:
            raise ValueError(f"{name} must be at least {least}, not {value}")
    if not 0 < rate <= 1:
        raise ValueError(f"rate must be above 0 and at most 1, not {rate}")
    unknown = set(agents or ()) - set(env.possible_agents)
    if unknown or (agents is not None and not agents):
        raise ValueError(f"agents must be some of {', '.join(env.possible_agents)}, not {sorted(agents or ())}")
    check = _Check(env, resample, worlds, further, agents, actions, dict(also or {}), known, hidden)
    for number in range(seed, seed + games):
        check.play(number, limit, rate)
    for agent in agents or env.possible_agents:
        if not check.report.changed[agent]:
            raise AssertionError(
                f"nothing hidden from {agent} changed in {check.report.worlds[agent]} resampled worlds, so no leak "
                f"could be found: `resample` changes nothing, or observations do not follow the changed state, or "
                f"`hidden` must name what changes. Games of the seeds {seed} to {seed + games - 1}."
            )
    return check.report
