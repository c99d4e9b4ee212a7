"""Gymnasium: one learner's seat, the other seats played inside `step`."""

from __future__ import annotations

from typing import Any, Final

import gymnasium
import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.arrays.rng import later_seed, random_seat, seed_policy_rng
from porta_nigra_env.core.game.game import Game, IllegalActionError, States, check_seed, new_seed
from porta_nigra_env.core.game.state import Observation, State
from porta_nigra_env.core.game.view import View
from porta_nigra_env.envs.opponents import Opponent, Opponents, SinglePlayer, checked, seated, single_player
from porta_nigra_env.envs.render import (
    RENDER_FPS,
    RENDER_MODES,
    check_render_mode,
    close_window,
    rendered,
    warn_without_mode,
)
from porta_nigra_env.envs.rewards import Rewards, check_illegal
from porta_nigra_env.envs.spaces import action_space, begun, check_options, observation_space, result


class SeatEnv(gymnasium.Env[Any, Any]):
    """A game from one seat: observation, reward and end are all the learner's.

    After ``reset(seed=s)`` it plays what the row of a batch plays that was given the seed s, in this episode and in
    those that follow: cards, the learner's seat, and what compiled opponents choose.

    The reward of a step is what the learner has gained since her last action, the moves of the others included.  Infos
    hold "action_mask" (int8) and "seat", and at the end "scores" and "places" (of all seats; 1: the first).
    Gymnasium has no masks of its own: sample with ``env.action_space.sample(info["action_mask"])``.

    Args:
        game: the game.
        seat: the learner's: a number, "random" (drawn anew for each episode) or "rotate" (the next one in each episode;
            ``reset(seed=s)`` goes to seat ``s % num_players``).
        opponents: one for all others; a list of num_players - 1 in turn order from the learner's left; or a dict by
            seat, in which missing seats are random.  Each is a function of a view that answers with an action id or
            text, a compiled policy, an agent with act_batch, or "random"; see `envs.opponents`.
        reward: one of `envs.rewards.REWARDS`.
        illegal_action: "terminate" ends the episode with `illegal_reward` and ``info["illegal_action"]``, the id;
            "raise" raises IllegalActionError and changes nothing.  What is no id at all is an error in both cases.
        illegal_reward: -1 by default, which is as bad as the worst "outcome"; lower it for the other rewards, where
            most ends are worse, unless the learner is given the masks.
        render_mode: None, or one of `envs.render.RENDER_MODES`: the board as the learner sees it.
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
    ) -> None:
        self.game: Final = game
        if seat not in ("random", "rotate"):
            _check_seat(seat, game.num_players, "seat must be 'random', 'rotate' or")
        self._illegal_reward = check_illegal(illegal_action, illegal_reward)
        for one in seated(opponents, game.num_players, seat)[0]:
            checked(one, game)
        self.observation_space = observation_space(game)
        self.action_space = action_space(game)
        self.render_mode = check_render_mode(render_mode)
        self._seat_rule = seat
        self._opponents = opponents
        self._state: State | None = None
        self._rewards = Rewards(game, reward)
        self._seat = 0
        self._turn = 0
        self._root, self._games = 0, -1  # the seed that all follows from, and the episodes begun since
        self._chance = np.zeros(3, dtype=np.int64)
        self._by_seat: list[SinglePlayer] = []
        self._met: list[tuple[Opponent, SinglePlayer]] = []
        self._running = False

    # -- a game's course

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode and play on to the learner's first decision.

        Args:
            seed: in 0..2**63-1; seeds the game, the learner's seat and the compiled opponents.  Without it they
                go on from the last one given, or from one of the operating system's.
            options: "position" (a dict, a JSON text or a state) to begin there; "seat" for this episode's seat.

        Raises:
            ValueError: an unknown option, an impossible position, or one that ends before the learner is asked.
            RuntimeError: an opponent's answer was not a legal action.
        """
        known = check_options(options, ("position", "seat"))
        if "seat" in known:
            _check_seat(known["seat"], self.game.num_players, "option 'seat' must be")
            seated(self._opponents, self.game.num_players, known["seat"])
        root, games = self._root, self._games + 1
        if seed is not None or games == 0:
            root, games = new_seed() if seed is None else check_seed(seed), 0
        super().reset(seed=None if seed is None else root)
        self._running = False
        state = self._state = begun(self.game, self._state, later_seed(root, games), known.get("position"))
        self._root, self._games = root, games
        if games == 0:
            seed_policy_rng(self._chance, root)
            self._turn = 0 if seed is None else root % self.game.num_players
        self._seat = self._next_seat(known.get("seat"))
        self._by_seat = self._seated()
        self._rewards.restart(state.states)
        self._play_others(state)
        if state.player < 0:
            raise ValueError(f"the game ended before the learner on seat {self._seat} was asked; begin earlier")
        self._running = True
        self._show()
        return state.seen.copy(), self._info()

    def step(self, action: int | str) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """The learner's decision, an id or the text of an action, and the others' up to her next one or the end.

        Raises:
            IllegalActionError: no action at all, or no legal one with ``illegal_action="raise"``; nothing changed.
            RuntimeError: no episode is running, or an opponent's answer was not a legal action.
        """
        if not self._running:
            raise RuntimeError("no episode is running; call reset() first")
        state = self._begun()
        number = state.chosen_id(action)
        if not state.mask[number]:
            if self._illegal_reward is None:
                raise IllegalActionError(state.why_illegal(number))
            self._running = False
            told = {**self._info(), **result(state, self._seat), "illegal_action": np.int64(number)}
            return state.seen.copy(), self._illegal_reward, True, False, told
        self._running = False  # until the others have answered
        state.apply_id(number)
        self._play_others(state)
        over = state.is_over
        # Everything since the learner's last action, or since the beginning, in one sum.
        reward = self._rewards.gained(state.states, over)[self._seat] if over or self._rewards.in_play else 0.0
        self._show()
        if over:
            return state.observation(self._seat), reward, True, False, {**self._info(), **result(state)}
        self._running = True
        return state.seen.copy(), reward, False, False, self._info()

    def _play_others(self, state: State) -> None:
        """Play until the learner is asked or the game is over."""
        while not state.is_over and state.player != self._seat:
            seat = state.player
            opponent = self._by_seat[seat]
            answer = opponent.act(state, self._chance)
            try:
                state.apply_id(answer if type(answer) is int else state.chosen_id(answer))
            except IllegalActionError as error:
                told = f"the opponent on seat {seat}, {opponent.name}, answered {answer!r}"
                raise RuntimeError(f"{told}: {error}") from error

    # -- seats

    def _next_seat(self, wanted: int | None) -> int:
        if wanted is not None:
            return int(wanted)
        if self._seat_rule == "random":
            return int(random_seat(self._root, self._games, self.game.num_players))
        if self._seat_rule == "rotate":
            seat = self._turn
            self._turn = (seat + 1) % self.game.num_players
            return seat
        return int(self._seat_rule)

    def _seated(self) -> list[SinglePlayer]:
        """Who plays each seat; nobody will ask on the learner's."""
        players = self.game.num_players
        line, by_seat = seated(self._opponents, players, None)
        if not by_seat:
            line = [line[(seat - self._seat) % players] for seat in range(players)]
        return [self._asked(one) for one in line]

    def _asked(self, opponent: Opponent) -> SinglePlayer:
        """An opponent as somebody who is asked for one decision at a time; made once."""
        for one, player in self._met:
            if one is opponent:
                return player
        self._met.append((opponent, single_player(self.game, opponent)))
        return self._met[-1][1]

    # -- what the learner sees

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The legal actions, bool (num_actions,), as MaskablePPO of sb3-contrib asks for them."""
        return self._mask().astype(np.bool_)

    def view(self) -> View:
        """What a program that plays the learner's seat may hold."""
        return self._begun().view(self._seat)

    @property
    def states(self) -> States:
        """The (1,) state array of the running game, hidden cards included; not to be written to."""
        return self._begun().states

    def render(self) -> Any:
        """The board as the learner sees it, see `envs.render`; None, with a warning, without a render mode."""
        if self.render_mode is None:
            warn_without_mode()
            return None
        return rendered(self.render_mode, self.game, self._begun().states, 0, self._seat)

    def close(self) -> None:
        """Close the window that the game is shown in, if it is."""
        if self.render_mode == "human":
            close_window()

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def __getstate__(self) -> dict[str, Any]:
        # Opponents are asked anew: compiled functions are not copied.
        return {name: value for name, value in vars(self).items() if name not in ("_met", "_by_seat")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._met, self._by_seat = [], []
        if self._state is not None:
            self._by_seat = self._seated()

    def _begun(self) -> State:
        if self._state is None:
            raise RuntimeError("no episode has begun; call reset() first")
        return self._state

    def _mask(self) -> npt.NDArray[np.int8]:
        mask = self._begun().mask
        return mask.copy() if self._running else np.zeros_like(mask)

    def _info(self) -> dict[str, Any]:
        # Numbers of numpy, since TorchRL makes tensors of what has a dtype.
        return {"action_mask": self._mask(), "seat": np.int64(self._seat)}


def _check_seat(seat: object, players: int, what: str) -> None:
    if isinstance(seat, bool) or not isinstance(seat, int | np.integer) or not 0 <= seat < players:
        raise ValueError(f"{what} a seat in 0..{players - 1}, not {seat!r}")
