"""Agents that play a network of `agents.networks.network`, alone or with guided search."""

from __future__ import annotations

import multiprocessing
import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from agents.agent import Agent, sources_digest
from agents.networks.network import PlayingNetwork, load_network, masked, to_tensor
from agents.options import GuidedOptions, MirrorOptions, NetworkOptions, PolicyOptions
from agents.sampling import NEVER
from agents.search.guided import Evaluator, GuidedResult, GuidedSearch
from agents.search.mirror import Effort, MirrorSearch
from porta_nigra_env.core.game.game import Game, States
from porta_nigra_env.core.game.view import BatchView, View, latest_events
from porta_nigra_env.players.checkpoint import Array, CheckpointError
from porta_nigra_env.players.published import published_file

#: Below this difference of logits an agent evaluates the observation alone: the last bits of a network's answer depend
#: on the batch size.
CLOSE: Final = 1e-3
#: Smallest batch of a search: matrix libraries compute smaller ones differently, and the last bits would depend on the
#: other games of the batch.
MIN_ROWS: Final = 16
#: Loaded networks by file, modification time, game and device: a tournament makes its agents again for every game.
_LOADED: Final[dict[tuple[Any, ...], PlayingNetwork]] = {}


class NetworkAgent(Agent):
    """Plays a network's most probable action, or samples from its probabilities.

    `act` and `act_batch` agree.  Two machines differ only where two actions are equal, or a draw falls on the boundary
    between two, within the rounding of float32.

    Args:
        name, game, seed: see `Agent`.
        network: in evaluation mode, on `device`.
        temperature: 0 for the most probable action; else the action is sampled from logits divided by it.
        device: device of the network.
    """

    batched = True

    def __init__(
        self,
        name: str,
        game: Game,
        network: PlayingNetwork,
        temperature: float = 0.0,
        device: str = "cpu",
        seed: int = 0,
    ) -> None:
        super().__init__(name, game, seed)
        self.network, self.temperature, self.device = network, temperature, device
        self._single = network.single()
        self.history = history_of(network)

    def knowledge(self) -> str:
        """Return the digest of the network."""
        return network_digest(self.network)

    def act(self, view: View) -> int:
        legal = view.legal_ids()
        if len(legal) == 1:
            return int(legal[0])
        logits = self._logits(view)
        return int(logits.argmax()) if self.temperature == 0 else self._draw(logits, view, self.seed)[0]

    def act_batch(self, views: BatchView) -> npt.NDArray[np.int64]:
        return self.act_seeded(views, np.full(len(views), self.seed))

    def act_seeded(self, views: BatchView, seeds: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        with torch.no_grad():
            raw, _ = self.network(to_tensor(views.observations, self.device), *self._histories(views))
            logits = masked(raw, torch.from_numpy(np.array(views.action_masks)).to(self.device))
        if self.temperature == 0:
            best = logits.topk(2, dim=1)
            actions: npt.NDArray[np.int64] = best.indices[:, 0].cpu().numpy().copy()
            margins = (best.values[:, 0] - best.values[:, 1]).cpu().numpy()
            for i in np.flatnonzero(margins < CLOSE).tolist():
                actions[i] = self._logits(views[i]).argmax()
            return actions
        actions = np.zeros(len(views), dtype=np.int64)
        for i, (row, seed) in enumerate(zip(logits.cpu().numpy(), seeds.tolist(), strict=True)):
            view = views[i]
            actions[i], margin = self._draw(row, view, seed)
            if margin < CLOSE:
                actions[i], _ = self._draw(self._logits(view), view, seed)
        return actions

    def policy(self, view: View) -> npt.NDArray[np.float32]:
        """Return the network's probabilities, float32 (num_actions,), at temperature 1 where the agent's is 0."""
        logits = self._logits(view).astype(np.float64) / (self.temperature or 1.0)
        weights = np.exp(logits - logits.max())
        shares: npt.NDArray[np.float32] = (weights / weights.sum()).astype(np.float32)
        return shares

    def drawn(self, view: View) -> npt.NDArray[np.float32] | None:
        return self.policy(view) if self.temperature else None

    def value(self, view: View) -> npt.NDArray[np.float32]:
        """Return the network's values by seat, float32 (players,), in units of its reward."""
        _, values = self._evaluate(view)
        scaled = values[: self.game.num_players] * float(self.network.value_scale)
        return np.roll(scaled, view.player)

    def estimate(self, view: View) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float64] | None]:
        """Return probabilities and expected results; None for a network that predicts points."""
        predicts_results = self.network.reward == "outcome"
        return self.policy(view), self.value(view).astype(np.float64) if predicts_results else None

    def _evaluate(self, view: View) -> tuple[Array, Array]:
        if not self.history:
            return self._single(view.observation)
        return self._single(view.observation, self._latest(view.history))

    def _histories(self, views: BatchView) -> list[torch.Tensor]:
        """Return the histories of a batch for the network, or nothing if it reads none."""
        if not self.history:
            return []
        return [torch.from_numpy(np.array(self._latest(views.histories))).to(self.device)]

    def _latest(self, tokens: npt.NDArray[np.int16] | None) -> npt.NDArray[np.int16]:
        return latest_events(tokens, self.history, f"{self.name}: its network")

    def _logits(self, view: View) -> npt.NDArray[np.float32]:
        logits, _ = self._evaluate(view)
        legal: npt.NDArray[np.float32] = np.where(view.action_mask != 0, logits, np.float32(NEVER))
        return legal

    def _draw(self, logits: npt.NDArray[np.float32], view: View, seed: int) -> tuple[int, float]:
        """Sample an action; return it and the distance of the draw from the next action, in probability."""
        weights = np.exp((logits - logits.max()).astype(np.float64) / self.temperature)
        sums = np.cumsum(weights)
        draw = np.random.default_rng(self.decision_seed(view, seed)).random() * sums[-1]
        return int(np.searchsorted(sums, draw, side="right")), float(np.abs(sums - draw).min() / sums[-1])


def network_digest(network: PlayingNetwork) -> str:
    """Return a digest of a network's weights and of the sources of its class."""
    return network.fingerprint() + sources_digest(type(network))


def history_of(network: PlayingNetwork) -> int:
    """Return the number of events that a network reads."""
    return int(getattr(network.shape, "history", 0))


def check_reward(network: PlayingNetwork, memory: bool = False) -> None:
    """Raise CheckpointError unless a network predicts results in -1..1, as a search needs; memory: allow histories."""
    if history_of(network) and not memory:
        raise CheckpointError(
            "the network reads histories, which this search does not extend; use 'mirror' or 'network'"
        )
    if network.reward != "outcome":
        raise CheckpointError(
            f"the network was trained with the reward {network.reward!r}; a search needs one of the reward 'outcome'"
        )


def evaluator_of(network: PlayingNetwork, device: str = "cpu", memory: bool = False) -> Evaluator:
    """Return the evaluator of a search: logits, and values in units of the reward; see `check_reward` for errors."""
    check_reward(network, memory)
    scale = float(network.value_scale)

    def evaluate(observations: Any, masks: Any, *histories: Any) -> tuple[Any, Any]:
        rows = len(observations)
        inputs = [observations, *histories]
        if rows < MIN_ROWS:
            inputs = [np.pad(array, ((0, MIN_ROWS - rows), *[(0, 0)] * (array.ndim - 1))) for array in inputs]
        memories = [torch.from_numpy(np.ascontiguousarray(tokens)).to(device) for tokens in inputs[1:]]
        with torch.no_grad():
            logits, values = network(to_tensor(inputs[0], device), *memories)
        return logits[:rows].float().cpu().numpy(), values[:rows].float().cpu().numpy() * scale

    return evaluate


def clock(seconds: float) -> Callable[[], float]:
    """Return a function that returns the spent share of a time limit from now on; always 0 without a limit."""
    start = time.perf_counter()
    return (lambda: (time.perf_counter() - start) / seconds) if seconds else (lambda: 0.0)


class SearchingAgent(Agent):
    """Searches before every step with a choice, with a network.

    Args:
        name, game, seed: see `Agent`.
        network: the network of the search, for fingerprints; None without.
        seconds: time limit of a step; 0 for none.  Without one the answer depends only on view and seed, as far as
            the network's numbers agree: their last bits may differ between machines.
    """

    def __init__(
        self, name: str, game: Game, network: PlayingNetwork | None, seconds: float = 0.0, seed: int = 0
    ) -> None:
        super().__init__(name, game, seed)
        self.network, self.seconds = network, seconds

    def knowledge(self) -> str:
        """Return the digest of the network."""
        return "" if self.network is None else network_digest(self.network)

    @abstractmethod
    def look_ahead(self, view: View) -> Outlook:
        """Search for the player to move of a view."""

    def act(self, view: View) -> int:
        legal = view.legal_ids()
        return int(legal[0]) if len(legal) == 1 else self.look_ahead(view).action

    def policy(self, view: View) -> npt.NDArray[np.float32]:
        """Return the improved probabilities, float32 (num_actions,)."""
        return view.action_mask.astype(np.float32) if len(view.legal_ids()) == 1 else self.estimate(view)[0]

    def estimate(self, view: View) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float64] | None]:
        """Return the improved probabilities and the network's expected results."""
        _, improved, expected = self.look_ahead(view)
        return improved.astype(np.float32), expected


class Outlook(NamedTuple):
    """The result of a search: the choice, improved probabilities (num_actions,), expected results (players,)."""

    action: int
    improved: npt.NDArray[np.float64]
    expected: npt.NDArray[np.float64]


class GuidedAgent(SearchingAgent):
    """Searches the tree of `agents.search.guided`, in many games at once."""

    def __init__(
        self,
        name: str,
        game: Game,
        search: GuidedSearch,
        seconds: float = 0.0,
        seed: int = 0,
        network: PlayingNetwork | None = None,
    ) -> None:
        super().__init__(name, game, network, seconds, seed)
        self.search = search
        # A time limit would be shared by all games of a batch.
        self.batched = seconds == 0
        self.last: GuidedResult | None = None

    def act_batch(self, views: BatchView) -> npt.NDArray[np.int64]:
        return self.act_seeded(views, np.full(len(views), self.seed))

    def act_seeded(self, views: BatchView, seeds: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        actions: npt.NDArray[np.int64] = views.action_masks.argmax(axis=1).astype(np.int64)
        rows = np.flatnonzero(views.action_masks.sum(axis=1) > 1)
        if len(rows):
            step_seeds = [self.decision_seed(views[row], seeds[row]) for row in rows.tolist()]
            actions[rows] = self._search(views.states[rows], views.players[rows], step_seeds).actions
        return actions

    def look_ahead(self, view: View) -> Outlook:
        result = self._search(view.state, np.array([view.player], dtype=np.int8), [self.decision_seed(view)])
        return Outlook(int(result.actions[0]), result.improved[0], result.expected[0].copy())

    def _search(self, roots: States, players: npt.NDArray[np.int8], seeds: Sequence[int]) -> GuidedResult:
        self.last = self.search.run(roots, players, np.array(seeds, dtype=np.int64), spent=clock(self.seconds))
        return self.last


class MirrorAgent(SearchingAgent):
    """Plays the most probable action of the policy that `agents.search.mirror` improves."""

    def __init__(
        self, name: str, game: Game, search: MirrorSearch, seconds: float, network: PlayingNetwork, seed: int = 0
    ) -> None:
        super().__init__(name, game, network, seconds, seed)
        self.search, self.history = search, search.history

    def look_ahead(self, view: View) -> Outlook:
        result = self.search.run(view, self.decision_seed(view), clock(self.seconds))
        return Outlook(int(result.improved.argmax()), result.improved, result.expected)


def network_file(checkpoint: str, game: Game) -> Path:
    """Return the file of a checkpoint option: "published" (`published_file`, which raises its errors), or a path."""
    return published_file(game) if checkpoint == "published" else Path(checkpoint)


def load_cached(file: Path, game: Game, device: str) -> PlayingNetwork:
    """Apply `load_network` once to each version of a file."""
    try:
        stamp = (file.resolve(), file.stat().st_mtime_ns)
    except OSError:
        raise CheckpointError(f"checkpoint {file}: there is no such file") from None
    key = (*stamp, game.name, game.num_players, game.constants.tobytes(), device)
    if key not in _LOADED:
        # Worker processes share the cores: threads of each would slow down the others.
        if multiprocessing.parent_process() is not None:
            torch.set_num_threads(1)
        _LOADED[key] = load_network(file, game, device).for_game(game)
    return _LOADED[key]


def network_of(game: Game, options: NetworkOptions) -> PlayingNetwork:
    """Return the network of an agent's options; ValueError for a missing CUDA device."""
    if options.device == "cuda" and not torch.cuda.is_available():
        raise ValueError("device: there is no CUDA device here; device=cpu")
    return load_cached(network_file(options.checkpoint, game), game, options.device)


def make_network_agent(text: str, game: Game, seed: int, options: PolicyOptions) -> NetworkAgent:
    """Make the agent `network` of the registry."""
    return NetworkAgent(text, game, network_of(game, options), options.temperature, options.device, seed)


def make_guided_agent(text: str, game: Game, seed: int, options: GuidedOptions) -> GuidedAgent:
    """Make the agent `guided` of the registry."""
    network = network_of(game, options)
    search = GuidedSearch(
        game, evaluator_of(network, options.device), options.simulations, options.parallel, options.exploration,
        options.root == "gumbel", options.observers, options.prior_temperature, options.threads,
    )  # fmt: skip
    return GuidedAgent(text, game, search, options.seconds, seed, network)


def make_mirror_agent(text: str, game: Game, seed: int, options: MirrorOptions) -> MirrorAgent:
    """Make the agent `mirror` of the registry."""
    network = network_of(game, options)
    # Without a clock there is no remaining time for deeper rollouts.
    deepest = options.deepest if options.seconds else 0
    effort = Effort(options.worlds, options.candidates, options.plies, options.rows, deepest, options.doubt)
    evaluator, history = evaluator_of(network, options.device, memory=True), history_of(network)
    search = MirrorSearch(game, evaluator, effort, options.step, options.magnet, history)
    return MirrorAgent(text, game, search, options.seconds, network, seed)
