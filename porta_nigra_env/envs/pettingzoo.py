"""PettingZoo: a game as an AEC environment, one agent at a time."""

from __future__ import annotations

import copy
from functools import cached_property
from typing import Any, Final, Self

import gymnasium
import numpy as np
import numpy.typing as npt
from pettingzoo import AECEnv
from pettingzoo.utils.env import AECIterable
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper, TerminateIllegalWrapper

from porta_nigra_env.core.arrays.rng import later_seed
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.game.view import View
from porta_nigra_env.envs.render import RENDER_FPS, RENDER_MODES, check_render_mode
from porta_nigra_env.envs.rewards import Rewards, check_illegal, check_reward
from porta_nigra_env.envs.spaces import (
    ObservationFormat,
    OneGame,
    Watch,
    action_space,
    begin_game,
    check_options,
    final_info,
    next_game,
)

Observed = dict[str, npt.NDArray[Any]]

#: Attributes that change during a game, and the lazy spaces.
_COPIED: Final = ("agents", "rewards", "_cumulative_rewards", "terminations", "truncations")
_SPACES: Final = ("_action_space", "_observation_space", "state_space")


def wrap(raw: GameAEC, illegal_reward: float | None = None) -> OrderEnforcingWrapper[str, Observed, int | None]:
    """Wrap in PettingZoo's usual three wrappers: an illegal action ends the game with a reward, by default -1."""
    reward = check_illegal("terminate", illegal_reward)
    return _Wrapped(_ActionStrings(_Terminating(raw, illegal_reward=reward)))


class _Wrapped(OrderEnforcingWrapper[str, Observed, int | None]):  # type: ignore[misc]  # no type information
    """PettingZoo's check of the order of calls; `clone` copies all wrappers."""

    def clone(self) -> Self:
        """Return an independent copy, see `GameAEC.clone`."""
        return copy.deepcopy(self)

    def __str__(self) -> str:
        return str(self.env)


class _Terminating(TerminateIllegalWrapper):  # type: ignore[misc]  # PettingZoo has no type information
    """PettingZoo's end of a game by an illegal action; masks may be in infos while observations are dicts."""

    def observe(self, agent: str) -> Any:
        """Return `GameAEC.observe`."""
        observation = super().observe(agent)
        if self._prev_info and "action_mask" in self._prev_info:
            self._prev_obs = ()  # PettingZoo looks for the mask in every observation that is a dict
        return observation


class _ActionStrings(AssertOutOfBoundsWrapper):  # type: ignore[misc]  # PettingZoo has no type information
    """PettingZoo's check that an action is in the space; it takes action strings and ids."""

    def step(self, action: int | str | None) -> None:
        """Call `GameAEC.step`; AssertionError for an id outside the space."""
        super().step(self.unwrapped.game.action_id(action) if isinstance(action, str) else action)


class GameAEC(OneGame, AECEnv[str, Observed, int | None]):  # type: ignore[misc]  # PettingZoo has no type information
    """A game for agents ``player_0``, ``player_1``, ... that act one after the other, often several times in a row.

    An observation is ``{"observation": float32, "action_mask": int8}``; the mask is zeros unless it is the agent's
    turn.  Returned arrays belong to the caller.  The environment checks its input and is safe without wrappers: an
    error changes nothing.  At the end infos hold "scores" and "places" of all seats (1: the first); before, they are
    empty or hold the masks.

    Args:
        game: the game.
        reward: one of `envs.rewards.REWARDS`.
        mask_in: "observation", or "info": the mask is ``infos[agent]["action_mask"]`` and the observation is the
            float32 array alone, for wrappers of a Box.
        history: number of events in the entry "history" of observations, int16 (history, 4): the last ones that the
            agent has seen (`core.narration.history`); 0 for none.
        events: true for ``infos[agent]["events"]``: dicts of what the agent has seen since its last action
            (`core.narration.events.Facts.record`).
        observe_components: append the component numbers to observations (`core.positions.pieces`).
        render_mode: None, or one of `envs.render.RENDER_MODES`.
        render_view: the player whose cards the board shows: "current" (the selected agent; all players at the end), an
            agent's name, or "all".
    """

    metadata: dict[str, Any]

    def __init__(
        self,
        game: Game,
        reward: str = "outcome",
        render_mode: str | None = None,
        render_view: str = "current",
        mask_in: str = "observation",
        history: int = 0,
        events: bool = False,
        observe_components: bool = False,
    ) -> None:
        self.game = game
        self.possible_agents = [f"player_{seat}" for seat in range(game.num_players)]
        self._format = ObservationFormat(game, mask_in, history=history, observe_components=observe_components)
        self._watch = Watch(game, history, range(game.num_players) if events else ()) if history or events else None
        if render_view not in ("current", "all", *self.possible_agents):
            raise ValueError(f"render_view must be 'current', 'all' or an agent, not {render_view!r}")
        self.render_mode = check_render_mode(render_mode)
        self.render_view = render_view
        self.metadata = {
            "name": f"{game.name}_v{game.version}",
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": RENDER_FPS,
        }
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._scheme = check_reward(reward)
        self._rewards: Any = None  # those of the running game
        self._root: int | None = None
        self._games = 0
        # There are no agents before the first reset.
        self.agents: list[str] = []
        self.agent_selection = self.possible_agents[0]
        self.rewards: dict[str, float] = {}
        self._cumulative_rewards: dict[str, float] = {}
        self.terminations: dict[str, bool] = {}
        self.truncations: dict[str, bool] = {}
        self.infos: dict[str, dict[str, Any]] = {}
        self._skip_agent_selection: str | None = None

    # -- spaces: lazy, since most copies of an environment never need them

    @cached_property
    def _observation_space(self) -> gymnasium.spaces.Space[Any]:
        return self._format.space()

    @cached_property
    def _action_space(self) -> gymnasium.spaces.Discrete:
        return action_space(self.game)

    @cached_property
    def state_space(self) -> gymnasium.spaces.Box:
        """The space of `state`."""
        return gymnasium.spaces.Box(0.0, self.game.privileged.high(), dtype=np.float32)

    def observation_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """Return the same object for every agent."""
        return self._observation_space

    def action_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        """Return the same object for every agent."""
        return self._action_space

    # -- episodes

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game.

        Args:
            seed: in 0..2**63-1.  Without it the seed follows from the last one and the number of games since, or
                comes from the operating system.
            options: ``{"position": a dict, a JSON string or a state}`` begins there; the seed determines the future if
                the position has no random state.

        Raises:
            ValueError: an unknown option, an impossible position, or one that is already over.
        """
        known = check_options(options, ("position",))
        root, games = next_game(self._root, self._games, seed)
        state = begin_game(self.game, later_seed(root, games), known.get("position"))
        self._root, self._games, self._state = root, games, state
        self._rewards = Rewards(self.game, self._scheme, state.states)
        self.agents = list(self.possible_agents)
        self.agent_selection = self.possible_agents[state.player]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        if self._watch is not None:
            self._watch.begin(state.states)
        self._skip_agent_selection = None
        self._show()

    def step(self, action: int | str | None) -> None:
        """Play an action of `agent_selection`, an id or an action string; None only for an agent whose game is over.

        Raises:
            IllegalActionError: not a legal action (a ValueError); nothing has changed.
            RuntimeError: no game is running.
        """
        if not self.agents:
            raise RuntimeError("no game is running; call reset() first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        state: State = self._state  # type: ignore[assignment]  # there are agents, so a game runs
        state.apply_id(action if type(action) is int else state.chosen_id(action))
        self._cumulative_rewards[agent] = 0.0
        player = state.player
        if player >= 0:
            self.agent_selection = self.possible_agents[player]
        if player < 0 or self._rewards.in_play:
            self._finish_step(state)
        if self._watch is not None:
            self._watch.update(state.states, self._seats[agent])
            self._show()
        elif self._format.mask_in_info or self.render_mode is not None:
            self._show()

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable[str, Observed, int | None]:
        """Iterate over the agents in turn; RuntimeError before the first `reset`."""
        self._running()
        return super().agent_iter(max_iter)

    def _finish_step(self, state: State) -> None:
        """Assign the rewards, and end the game if it is over."""
        player = state.player
        gains = self._rewards.gained(state.states, player < 0)
        for agent, gain in zip(self.possible_agents, gains, strict=True):
            self.rewards[agent] = gain
            self._cumulative_rewards[agent] += gain
        if player < 0:
            self.terminations = dict.fromkeys(self.agents, True)
            self.infos = {agent: final_info(state) for agent in self.agents}
            self.agent_selection = self.agents[0]

    def _show(self) -> None:
        """Update the masks in infos, and the window."""
        self._update_infos()
        super()._show()

    def _update_infos(self) -> None:
        if self._format.mask_in_info:
            self.infos = {agent: {**self.infos[agent], "action_mask": self._mask(agent)} for agent in self.agents}
        if self._watch is not None:
            self.infos = {agent: self.infos[agent] | self._watch.info(self._seats[agent]) for agent in self.agents}

    def _deads_step_first(self) -> str:
        # Called by a wrapper that has ended the game for an illegal action of `agent_selection`.
        offender = self._seats[self.agent_selection]
        self.infos = {agent: final_info(self._running(), offender) for agent in self.agents}
        self._update_infos()
        first: str = super()._deads_step_first()
        return first

    # -- views

    def observe(self, agent: str) -> Any:
        """Return the agent's observation in new arrays; the mask is zeros unless it is the agent's turn.

        Returns:
            `Observed`, or with ``mask_in="info"`` and no history float32 (observation_size,).
        """
        state = self._state or self._running()
        seat = self._seat(agent)
        vector = state.seen.copy() if seat == state.player else state.observation(seat)
        if self._format.observe_components:
            vector = self._format.vector(vector)
        mask = None if self._format.mask_in_info else self._mask(agent)
        if self._watch is not None:
            return self._format.observation(vector, mask, self._watch.tokens(seat))
        return vector if mask is None else {"observation": vector, "action_mask": mask}

    def _mask(self, agent: str) -> npt.NDArray[np.int8]:
        state = self._state or self._running()
        # A wrapper may have ended the game while the state still waits for this seat.
        acts = self._seats[agent] == state.player and not self.terminations.get(agent)
        return state.mask.copy() if acts else np.zeros(state.mask.size, dtype=np.int8)

    def state(self) -> npt.NDArray[np.float32]:
        """Return the privileged vector, hidden cards included, for centralised critics in training."""
        return self._running().privileged()

    def view(self, agent: str) -> View:
        """Return the view of an agent."""
        state, seat = self._running(), self._seat(agent)
        return View(self.game, state.states, 0, seat, None if self._watch is None else self._watch.tokens(seat))

    def _seat(self, agent: str) -> int:
        if agent not in self._seats:
            raise ValueError(f"agent must be one of {', '.join(self.possible_agents)}, not {agent!r}")
        return self._seats[agent]

    def legal_actions(self) -> list[str]:
        """Return the sorted strings of the selected agent's legal actions."""
        return self._running().legal_actions()

    def _viewer(self) -> int | None:
        seat = self._running().player if self.render_view == "current" else self._seats.get(self.render_view, -1)
        return None if seat < 0 else seat

    # -- copies

    def determinize(self, agent: str, seed: int) -> None:
        """Draw everything again that an agent cannot know, future chance included; see `View.sample`.

        Apply it to a copy: `porta_nigra_env.leaks` compares both.  The recorded events and histories of the other
        agents stay.
        """
        state = self._running()
        state.states[:] = self.view(agent).sample(seed)
        state.touch()
        self._update_infos()

    def clone(self) -> Self:
        """Return an independent copy, the same as `copy.deepcopy`; it plays the same later games."""
        twin = object.__new__(type(self))
        own = twin.__dict__
        own.update(self.__dict__)
        if self._state is not None:
            own["_state"], own["_rewards"] = self._state.clone(), self._rewards.clone()
        if self._watch is not None:
            own["_watch"] = self._watch.clone()
        for name in _COPIED:
            own[name] = own[name].copy()
        own["infos"] = {agent: info.copy() for agent, info in self.infos.items()}
        for name in _SPACES:
            space = own.pop(name, None)
            if space is not None and _has_random_state(space):
                own[name] = copy.deepcopy(space)
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.clone()


def _has_random_state(space: gymnasium.spaces.Space[Any]) -> bool:
    """Return True if a space has been seeded or sampled from; otherwise it equals a new one."""
    parts = space.spaces.values() if isinstance(space, gymnasium.spaces.Dict) else ()
    return getattr(space, "_np_random", True) is not None or any(_has_random_state(part) for part in parts)
