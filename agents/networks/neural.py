"""Agents that are networks: `Network` files of `agents.networks.network` as players."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch

from agents.agent import Agent
from agents.networks.network import NEVER, PlayingNetwork, load_network, masked, seen
from agents.search.guided import Evaluator, Found, GuidedSearch
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.view import BatchView, View
from porta_nigra_env.players.checkpoint import CheckpointError

#: Logits that differ by less are told apart by one observation at a time: the last bits of what a network says of many
#: depend on how many they are.
CLOSE: Final = 1e-3
#: Observations that a search lets a network judge at once, at least: matrix libraries handle fewer in another way, so
#: that the last bits would depend on what is searched beside it.
LEAST_ROWS: Final = 16
#: Networks that were loaded, by file, its age, game and device: a tournament makes its agents anew for every game.
_LOADED: Final[dict[tuple[Any, ...], PlayingNetwork]] = {}


class NetworkAgent(Agent):
    """Plays what a network thinks best, or draws from its probabilities.

    `act` and `act_batch` answer alike; different machines do but where two actions are equal, or a draw falls on the
    boundary between two, within the rounding of float32.

    Args:
        name, game, seed: see `Agent`.
        network: in evaluation mode, on `device`.
        temperature: 0 for the most probable action; else logits are divided by it, and the action is drawn.
        device: where the network is.
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

    @property
    def fingerprint(self) -> str:
        """That of the network."""
        return self.network.fingerprint()

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
            found, _ = self.network(seen(views.observations, self.device))
            logits = masked(found, torch.from_numpy(np.array(views.action_masks)).to(self.device))
        if self.temperature == 0:
            best = logits.topk(2, dim=1)
            answers: npt.NDArray[np.int64] = best.indices[:, 0].cpu().numpy().copy()
            margins = (best.values[:, 0] - best.values[:, 1]).cpu().numpy()
            for i in np.flatnonzero(margins < CLOSE).tolist():
                answers[i] = self._logits(views[i]).argmax()
            return answers
        drawn = np.zeros(len(views), dtype=np.int64)
        for i, (one, seed) in enumerate(zip(logits.cpu().numpy(), seeds.tolist(), strict=True)):
            view = views[i]
            drawn[i], margin = self._draw(one, view, seed)
            if margin < CLOSE:
                drawn[i], _ = self._draw(self._logits(view), view, seed)
        return drawn

    def policy(self, view: View) -> npt.NDArray[np.float32]:
        """The network's probabilities, float32 (num_actions,), at temperature 1 where the agent's is 0."""
        logits = self._logits(view).astype(np.float64) / (self.temperature or 1.0)
        weights = np.exp(logits - logits.max())
        shares: npt.NDArray[np.float32] = (weights / weights.sum()).astype(np.float32)
        return shares

    def value(self, view: View) -> npt.NDArray[np.float32]:
        """What the network expects for every seat, float32 (players,), seat 0 first, in the units of its reward."""
        _, values = self._single(view.observation)
        scaled = values[: self.game.num_players] * float(self.network.value_scale)
        return np.roll(scaled, view.player)

    def estimate(self, view: View) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float64] | None]:
        """Probabilities, and the results that the network expects; None for one that expects points."""
        expects = self.network.reward == "outcome"
        return self.policy(view), self.value(view).astype(np.float64) if expects else None

    def _logits(self, view: View) -> npt.NDArray[np.float32]:
        logits, _ = self._single(view.observation)
        legal: npt.NDArray[np.float32] = np.where(view.action_mask != 0, logits, np.float32(NEVER))
        return legal

    def _draw(self, logits: npt.NDArray[np.float32], view: View, seed: int) -> tuple[int, float]:
        """An action, drawn with an agent's seed, and how far the draw is from being another one's, in probability."""
        weights = np.exp((logits - logits.max()).astype(np.float64) / self.temperature)
        sums = np.cumsum(weights)
        drawn = np.random.default_rng(self.decision_seed(view, seed)).random() * sums[-1]
        return int(np.searchsorted(sums, drawn, side="right")), float(np.abs(sums - drawn).min() / sums[-1])


def check_reward(network: PlayingNetwork) -> None:
    """CheckpointError if a network expects points, where a search needs results in -1..1."""
    if network.reward != "outcome":
        raise CheckpointError(
            f"the network was trained with the reward {network.reward!r}; a search needs one of the reward 'outcome'"
        )


def evaluator_of(network: PlayingNetwork, device: str = "cpu") -> Evaluator:
    """What a guided search asks: logits, and values in units of the reward; CheckpointError as of `check_reward`."""
    check_reward(network)
    scale = float(network.value_scale)

    def evaluate(observations: Any, masks: Any) -> tuple[Any, Any]:
        rows = len(observations)
        if rows < LEAST_ROWS:
            observations = np.pad(observations, ((0, LEAST_ROWS - rows), (0, 0)))
        with torch.no_grad():
            logits, values = network(seen(observations, device))
        return logits[:rows].float().cpu().numpy(), values[:rows].float().cpu().numpy() * scale

    return evaluate


class GuidedAgent(Agent):
    """Searches before every decision that leaves a choice, guided by a network.

    Args:
        name, game, seed: see `Agent`.
        search: what it searches with.
        seconds: at most so long for a decision; 0 for as long as it takes.  With a limit the answer depends on the
            machine's speed; without one only on view and seed, as far as the network's numbers are the same, whose last
            bits may differ between machines.
        network: that the search asks, for `fingerprint`.
    """

    def __init__(
        self,
        name: str,
        game: Game,
        search: GuidedSearch,
        seconds: float = 0.0,
        seed: int = 0,
        network: PlayingNetwork | None = None,
    ) -> None:
        super().__init__(name, game, seed)
        self.search, self.seconds, self.network = search, seconds, network
        # A limit of time would be that of all games together.
        self.batched = seconds == 0
        self.last: Found | None = None

    @property
    def fingerprint(self) -> str:
        """That of the network."""
        return "" if self.network is None else self.network.fingerprint()

    def act(self, view: View) -> int:
        legal = view.legal_ids()
        if len(legal) == 1:
            return int(legal[0])
        return int(self._found_for(view).actions[0])

    def act_batch(self, views: BatchView) -> npt.NDArray[np.int64]:
        return self.act_seeded(views, np.full(len(views), self.seed))

    def act_seeded(self, views: BatchView, seeds: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        answers: npt.NDArray[np.int64] = views.action_masks.argmax(axis=1).astype(np.int64)
        open_rows = np.flatnonzero(views.action_masks.sum(axis=1) > 1)
        if len(open_rows):
            drawn = [self.decision_seed(views[row], seeds[row]) for row in open_rows.tolist()]
            answers[open_rows] = self._found(views.states[open_rows], views.players[open_rows], drawn).actions
        return answers

    def policy(self, view: View) -> npt.NDArray[np.float32]:
        """Probabilities from network and search together, float32 (num_actions,)."""
        if len(view.legal_ids()) == 1:
            return view.action_mask.astype(np.float32)
        shares: npt.NDArray[np.float32] = self._found_for(view).improved[0].astype(np.float32)
        return shares

    def estimate(self, view: View) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float64] | None]:
        """Probabilities from network and search together, and the results that the network expects."""
        found = self._found_for(view)
        return found.improved[0].astype(np.float32), found.expected[0].copy()

    def _found_for(self, view: View) -> Found:
        return self._found(view.state, np.array([view.player], dtype=np.int8), [self.decision_seed(view)])

    def _found(self, roots: Any, players: Any, seeds: Sequence[int]) -> Found:
        begun = time.perf_counter()
        spent = (lambda: (time.perf_counter() - begun) / self.seconds) if self.seconds else (lambda: 0.0)
        self.last = self.search.run(roots, players, np.array(seeds, dtype=np.int64), spent=spent)
        return self.last


def network_file(checkpoint: str, game: Game) -> Path:
    """The file a name stands for: "published", or a path.

    Raises:
        CheckpointError: there is no published network for this game and number of players.
    """
    if checkpoint != "published":
        return Path(checkpoint)
    networks = game.networks()
    if game.num_players not in networks:
        raise CheckpointError(
            f"no network is published for {game.name} with {game.num_players} players; name a file with checkpoint=FILE"
        )
    return networks[game.num_players]


def loaded(file: Path, game: Game, device: str) -> PlayingNetwork:
    """`load_network`, once for each version of a file."""
    try:
        stamp = (file.resolve(), file.stat().st_mtime_ns)
    except OSError:
        raise CheckpointError(f"checkpoint {file}: there is no such file") from None
    key = (*stamp, game.name, game.num_players, game.constants.tobytes(), device)
    if key not in _LOADED:
        # Worker processes, those of a tournament for example, share the cores: threads of each would be in their way.
        if multiprocessing.parent_process() is not None:
            torch.set_num_threads(1)
        _LOADED[key] = load_network(file, game, device)
    return _LOADED[key]


def chosen_network(game: Game, values: Mapping[str, Any]) -> tuple[PlayingNetwork, str]:
    """The network of a registry entry's parameters, and the device that it is on."""
    device = str(values["device"])
    if device == "cuda" and not torch.cuda.is_available():
        raise ValueError("device: there is no CUDA device here; device=cpu")
    return loaded(network_file(str(values["checkpoint"]), game), game, device), device


def make_network_agent(text: str, game: Game, seed: int, values: Mapping[str, Any]) -> Agent:
    """The agent of a registry entry: the network alone, or with `simulations` a search that it guides."""
    network, device = chosen_network(game, values)
    if "simulations" not in values:
        return NetworkAgent(text, game, network, float(values["temperature"]), device, seed)
    search = GuidedSearch(
        game, evaluator_of(network, device), int(values["simulations"]), int(values["parallel"]),
        float(values["exploration"]), values["root"] == "gumbel", str(values["observers"]),
        float(values["prior_temperature"]), int(values["threads"]),
    )  # fmt: skip
    return GuidedAgent(text, game, search, float(values["seconds"]), seed, network)
