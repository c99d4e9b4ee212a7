"""A network that also reads the last events of its seat: policies with memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import torch
from torch import Tensor, nn

from agents.networks.network import Network, to_tensor
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.narration.history import check_history, vocabulary
from porta_nigra_env.players.checkpoint import Array
from porta_nigra_env.players.network import Shape

#: Sizes of the encoder: numbers for each event, and queries that each gather one sum of them.
FEATURES: Final = 32
QUERIES: Final = 4
#: More actors than any game has seats, and none.
_ACTORS: Final = 9


@dataclass(frozen=True)
class HistoryShape(Shape):
    """Sizes of a `HistoryNetwork`: those of a network, the events of a history, and the entries of their vocabulary."""

    history: int = 0
    entries: int = 0

    @classmethod
    def with_history(cls, shape: Shape, game: Game, length: int) -> HistoryShape:
        """Return the shape of a network for a game whose histories have `length` events; see `check_history`."""
        return cls(**vars(shape), history=check_history(game, length), entries=len(vocabulary(game)))


class HistoryNetwork(Network):
    """A `Network` whose first layer also gets the attention-weighted sums of embedded events.

    Every event is the sum of embeddings of its entry, actor and place in the history, and of a layer over its values
    before and after.  Learned queries weight the events (arXiv 1409.0473), zeros count as none.
    """

    shape_class: ClassVar[type[Any]] = HistoryShape

    def __init__(self, shape: HistoryShape) -> None:
        super().__init__(shape)
        self.entries = nn.Embedding(shape.entries + 1, FEATURES)
        self.actors = nn.Embedding(_ACTORS, FEATURES)
        self.places = nn.Parameter(torch.zeros(shape.history, FEATURES))
        self.numbers = nn.Linear(3, FEATURES)
        self.queries = nn.Linear(FEATURES, QUERIES)
        self.join = nn.Linear(QUERIES * FEATURES, shape.width, bias=False)
        for table in (self.entries, self.actors):
            nn.init.normal_(table.weight, std=0.5)
        nn.init.orthogonal_(self.join.weight, 0.5)

    def forward(self, observations: Tensor, histories: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Return logits (k, num_actions) and values (k, seats).

        Args:
            observations: (k, observation_size).
            histories: int16 (k, history, 4) of `core.narration.history`; ValueError without them.
        """
        if histories is None:
            raise ValueError(f"this network reads histories: make the environment with history={self.shape.history}")
        return self.heads(self.enter(observations) + self.join(self.encode(histories)))

    def encode(self, histories: Tensor) -> Tensor:
        """Return the sums of each query, (k, QUERIES * FEATURES)."""
        entry, before, after, actor = histories.int().unbind(2)
        numbers = torch.stack([_squashed(before), _squashed(after), _squashed(after - before)], dim=2)
        embedded = self.entries(entry) + self.actors(actor) + self.places + self.numbers(numbers)
        events = torch.relu(embedded)
        weights = self.queries(events).float().masked_fill(entry[..., None] == 0, -1e9).softmax(dim=1)
        # Without any event the weights are those of padding.
        weights = weights * (entry > 0).any(dim=1)[:, None, None]
        return torch.einsum("knq,knf->kqf", weights.to(events.dtype), events).flatten(1)

    def single(self) -> Callable[..., tuple[Array, Array]]:
        """Return a function of one observation (observation_size,) and one history (history, 4), in torch."""

        def evaluate(observation: Array, history: Array) -> tuple[Array, Array]:
            device = self.value_scale.device
            with torch.no_grad():
                tokens = torch.from_numpy(history[None].copy()).to(device)
                logits, values = self(to_tensor(observation[None], device), tokens)
            return logits[0].float().cpu().numpy(), values[0].float().cpu().numpy()

        return evaluate


def _squashed(numbers: Tensor) -> Tensor:
    """Return the signed logarithm of 1 + the absolute value."""
    return numbers.sign() * numbers.abs().float().log1p()
