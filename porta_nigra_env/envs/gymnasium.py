"""Gymnasium: one learner's seat; `step` plays the other seats."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import gymnasium
import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.arrays.rng import later_seed, random_seat, seed_policy_rng
from porta_nigra_env.core.game.game import Game, IllegalActionError
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.game.view import View
from porta_nigra_env.envs.opponents import Opponents, SinglePlayer, assign_seats, single_player
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

_SCORE: Final = np.dtype(np.int32)
_PLACE: Final = np.dtype(np.int8)
#: The info "illegal_action" of legal ones.
_LEGAL: Final = np.int64(-1)
#: In place of the answer of an opponent that failed to give one.
_NO_ANSWER: Final = object()


class SeatEnv(OneGame, gymnasium.Env[Any, Any]):
    """A game from the learner's seat.

    After ``reset(seed=s)`` it plays the episodes of a row of a batch with the seed s: the same cards, learner's seats
    and actions of compiled opponents.

    The reward of a step is the learner's gain since its last action, the moves of the others included.  Infos always
    have the same keys: "action_mask", "seat", and "scores", "places" (1: the first) of all seats and "illegal_action",
    the id.  Before the end the last three are zeros, zeros and -1.  Sample legal actions with
    ``env.action_space.sample(info["action_mask"])``.

    Args:
        game: the game.
        seat: the learner's seat: a number, "random" (drawn for each episode) or "rotate" (the next one in each episode;
            ``reset(seed=s)`` takes seat ``s % num_players``).
        opponents: one for all other seats; a list of num_players - 1 in turn order from the learner's left; or a dict
            by seat, in which missing seats are random.  Each is a function of a view that returns an action id or
            string, a compiled policy, an agent with act_batch, or a name such as "random"; see `envs.opponents`.
        reward: one of `envs.rewards.REWARDS`.
        illegal_action: "terminate" ends the episode with `illegal_reward`; "raise" raises IllegalActionError and
            changes nothing.  A value that is not an id raises in both cases.
        illegal_reward: -1 by default, the worst "outcome".  Lower it for the other rewards, where most ends are worse,
            unless the learner uses the masks.
        render_mode: None, or one of `envs.render.RENDER_MODES`: the board as the learner sees it.
        mask_in, mask_dtype, history, observe_components: see `envs.spaces.ObservationFormat`.
        events: true for the info "events": dicts of what the learner has seen since its last action
            (`core.narration.events.Facts.record`).
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}  # noqa: RUF012  # as Gymnasium has it

    def __init__(
        self,
        game: Game,
        seat: int | str = "random",
        opponents: Opponents = None,
        reward: str = "outcome",
        illegal_action: str = "terminate",
        illegal_reward: float | None = None,
        render_mode: str | None = None,
        mask_in: str = "info",
        mask_dtype: str = "int8",
        history: int = 0,
        events: bool = False,
        observe_components: bool = False,
    ) -> None:
        self.game = game
        if seat not in ("random", "rotate"):
            _check_seat(seat, game.num_players, "seat must be 'random', 'rotate' or")
        self._illegal_reward = check_illegal(illegal_action, illegal_reward)
        assign_seats(opponents, game.num_players, seat)
        self._format = ObservationFormat(game, mask_in, mask_dtype, history, observe_components)
        self._events, self._watch = events, Watch(game, history, [0] if events else ()) if history or events else None
        self._mask_dtype = np.dtype(mask_dtype)
        self.observation_space = self._format.space()
        self.action_space = action_space(game)
        self.render_mode = check_render_mode(render_mode)
        self._seat_rule = seat
        self._opponents = opponents
        self._scheme = check_reward(reward)
        # Numpy numbers, since TorchRL makes tensors only of values with a dtype.
        self._seats = [np.int64(number) for number in range(game.num_players)]
        self._seat = 0
        self._turn = 0
        self._root: Any = None
        self._games = 0
        self._policy_rng = np.zeros(3, dtype=np.int64)
        self._players = self._make_players()
        self._line: list[SinglePlayer] = []  # the players by seat in the running episode
        self._rewards: Any = None  # those of the running episode
        self._is_running = False

    # -- episodes

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode and play until the learner's first turn.

        Args:
            seed: in 0..2**63-1; seeds the game, the learner's seat and the compiled opponents.  Without it they
                continue from the last seed, or from one of the operating system.
            options: "position" (a dict, a JSON string or a state) to begin there; "seat" for this episode's seat.

        Raises:
            ValueError: an unknown option, an impossible position, or one that ends before the learner's turn; the
                running episode stays.
            RuntimeError: an opponent's answer was not a legal action.
        """
        known = check_options(options, ("position", "seat"))
        if "seat" in known:
            _check_seat(known["seat"], self.game.num_players, "option 'seat' must be")
            assign_seats(self._opponents, self.game.num_players, known["seat"])
        root, games = next_game(self._root, self._games, seed)
        state = begin_game(self.game, later_seed(root, games), known.get("position"))
        before = vars(self).copy()
        self._is_running = False  # until the learner's turn
        self._root, self._games, self._state = root, games, state
        self._rewards, self._policy_rng = Rewards(self.game, self._scheme, state.states), self._policy_rng.copy()
        if games == 0:
            seed_policy_rng(self._policy_rng, root)
            self._turn = 0 if seed is None else root % self.game.num_players
        self._seat = self._next_seat(known.get("seat"))
        self._line = self._by_seat()
        if self._watch is not None:
            self._watch = Watch(self.game, self._format.history, [self._seat] if self._events else ())
            self._watch.begin(state.states)
        self._play_others(state)
        if state.is_over:
            seat = self._seat
            vars(self).update(before)
            raise ValueError(f"the game ended before the learner on seat {seat} was asked; begin earlier")
        super().reset(seed=None if seed is None else root)
        self._is_running = True
        self._show()
        return self._outputs(state)

    def step(self, action: int | str) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play the learner's action and the others' until its next turn or the end.

        Args:
            action: an id, an array of one id, or an action string.

        Raises:
            IllegalActionError: not an action, or not a legal one with ``illegal_action="raise"``; nothing changed.
            RuntimeError: no episode is running, or an opponent's answer was not a legal action.
        """
        if not self._is_running:
            raise RuntimeError("no episode is running; call reset() first")
        state: State = self._state  # type: ignore[assignment]  # it has an episode
        if isinstance(action, np.ndarray) and action.size == 1:
            action = action.item()
        number = state.chosen_id(action)
        if not state.mask[number]:
            if self._illegal_reward is None:
                raise IllegalActionError(state.why_illegal(number))
            self._is_running = False
            result = {**final_info(state, self._seat), "illegal_action": np.int64(number)}
            observation, info = self._outputs(state, result)
            return observation, self._illegal_reward, True, False, info
        self._is_running = False  # until the others have answered
        state.apply_id(number)
        if self._watch is not None:
            self._watch.update(state.states, self._seat)
        self._play_others(state)
        over = state.player < 0
        # `gained` sums the rewards since the learner's last action.
        reward = self._rewards.gained(state.states, over)[self._seat] if over or self._rewards.in_play else 0.0
        if self.render_mode is not None:
            self._show()
        self._is_running = not over
        observation, info = self._outputs(state, final_info(state) if over else None)
        return observation, reward, over, False, info

    def _play_others(self, state: State) -> None:
        """Play until the learner's turn or the end; RuntimeError names an opponent that answers wrongly."""
        learner, policy_rng = self._seat, self._policy_rng
        while (seat := state.player) >= 0 and seat != learner:
            answer: Any = _NO_ANSWER
            try:
                answer = self._line[seat].act(state, policy_rng)
                state.apply_id(answer if type(answer) is int else state.chosen_id(answer))
                if self._watch is not None:
                    self._watch.update(state.states, seat)
            except IllegalActionError as error:
                name = f"the opponent on seat {seat}, {self._line[seat].name}"
                answered = "" if answer is _NO_ANSWER else f", answered {answer!r}"
                raise RuntimeError(f"{name}{answered}: {error}") from error

    # -- seats

    def _next_seat(self, wanted: int | None) -> int:
        """Return the learner's seat in the episode that begins; `wanted` is not counted by "rotate"."""
        if wanted is not None:
            return int(wanted)
        if self._seat_rule == "random":
            return int(random_seat(self._root, self._games, self.game.num_players))
        if self._seat_rule == "rotate":
            self._turn = (self._turn + 1) % self.game.num_players
            return (self._turn - 1) % self.game.num_players
        return int(self._seat_rule)

    def _make_players(self) -> list[SinglePlayer]:
        line = assign_seats(self._opponents, self.game.num_players, None)[0]
        players = {id(opponent): single_player(self.game, opponent) for opponent in line}
        return [players[id(opponent)] for opponent in line]

    def _by_seat(self) -> list[SinglePlayer]:
        """Return the opponents by seat; lists are in turn order from the learner."""
        start = 0 if isinstance(self._opponents, Mapping) else len(self._players) - self._seat
        return self._players[start:] + self._players[:start]

    # -- views

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions, bool (num_actions,), for MaskablePPO of sb3-contrib."""
        return self._mask().astype(np.bool_)

    def view(self) -> View:
        """Return the view of the learner's seat."""
        history = None if self._watch is None else self._watch.tokens(self._seat)
        return View(self.game, self._running().states, 0, self._seat, history)

    def _viewer(self) -> int:
        return self._seat

    def _mask(self) -> npt.NDArray[Any]:
        mask = (self._state or self._running()).mask
        if not self._is_running:
            return np.zeros(mask.size, self._mask_dtype)
        return mask.copy() if self._mask_dtype is mask.dtype else mask.astype(self._mask_dtype)

    def _outputs(self, state: State, result: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Return the observation and the infos; result: infos of an episode that ended."""
        seat, mask = self._seat, self._mask()
        vector = state.seen.copy() if state.player == seat else state.observation(seat)
        if self._format.observe_components:
            vector = self._format.vector(vector)
        scores, places = np.zeros(self.game.num_players, _SCORE), np.zeros(self.game.num_players, _PLACE)
        info = {"seat": self._seats[seat], "illegal_action": _LEGAL, "scores": scores, "places": places}
        if result is not None:
            info |= result
        if self._format.mask_in_info:
            info["action_mask"] = mask
        if self._watch is not None:
            return self._format.observation(vector, mask, self._watch.tokens(seat)), info | self._watch.info(seat)
        return vector if self._format.mask_in_info else {"observation": vector, "action_mask": mask}, info

    def __getstate__(self) -> dict[str, Any]:
        # Compiled functions are not copied: the players are made again.
        return {name: value for name, value in vars(self).items() if name not in ("_players", "_line")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._players = self._make_players()
        self._line = self._by_seat()


def _check_seat(seat: object, players: int, subject: str) -> None:
    if isinstance(seat, bool) or not isinstance(seat, int | np.integer) or not 0 <= seat < players:
        raise ValueError(f"{subject} a seat in 0..{players - 1}, not {seat!r}")
