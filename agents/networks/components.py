"""A network that plays with any component set of a game.

A plain network learns what each card does by its index, so it knows one component file.  This one reads the component
numbers behind the observation (``observe_components=True``).  For every kind of pieces (`core.positions.pieces`):

- what an observation says about the pieces is summed over them, weighted by their attributes, and enters the network;
  "the hand" becomes "the icons in the hand";
- the sums of the attributes over all pieces enter it;
- an action that chooses a piece gets a part of its logit from the attributes of this piece.

All three are linear in the weights of the first and the last layer.  For one component set the network therefore is a
plain `Network` with other weights (`ComponentNetwork.for_game`), as fast as any, and agents and searches use that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from agents.networks.network import Network, PlayingNetwork, SingleRow
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.positions.pieces import ComponentNumbers
from porta_nigra_env.players.network import Shape


@dataclass(frozen=True)
class ComponentShape(Shape):
    """Sizes of a `ComponentNetwork`; `observation_size` counts the component numbers, too.

    Attributes:
        numbers: component numbers.
        summed: sums over pieces that enter the network.
        totals: sums of attributes that enter it.
        chosen: products with attributes in the logits.
        structure: length of the description of the pieces.
    """

    numbers: int = 0
    summed: int = 0
    totals: int = 0
    chosen: int = 0
    structure: int = 0

    @classmethod
    def with_components(cls, shape: Shape, game: Game) -> ComponentShape:
        """Return a shape with the component numbers of a game; ValueError for a game without."""
        kinds, size = _kinds_of(game)
        return cls(
            shape.observation_size + size, shape.num_actions, shape.seats, shape.width, shape.blocks, shape.normed,
            size,
            sum(kind.observed.shape[1] * kind.columns.shape[1] for kind in kinds),
            sum(kind.columns.shape[1] for kind in kinds),
            sum(kind.chosen.shape[1] * kind.columns.shape[1] for kind in kinds),
            len(_flattened(kinds)),
        )  # fmt: skip


class Kind(NamedTuple):
    """The indices of the pieces of a kind, int64 (pieces, k) each; see `core.positions.pieces.Pieces`.

    columns: of their attributes in the component numbers; observed: in the observation; chosen: action ids.
    """

    columns: Any
    observed: Any
    chosen: Any


def _kinds_of(game: Game) -> tuple[list[Kind], int]:
    """Return the kinds of pieces of a game, and the size of its component numbers."""
    numbers = game.component_numbers()
    if numbers is None:
        raise ValueError(f"{game.name} has no component numbers")
    return [Kind(numbers.columns(kind), kind.observed, kind.chosen) for kind in numbers.kinds], numbers.layout.size


def _flattened(kinds: list[Kind]) -> list[int]:
    """Return kinds as one list of integers: for each the number of pieces, three widths, and the indices."""
    flat: list[int] = []
    for kind in kinds:
        flat += [len(kind.columns), *(array.shape[1] for array in kind)]
        for array in kind:
            flat += array.reshape(-1).tolist()
    return flat


def _unflattened(flat: list[int], shape: ComponentShape) -> list[Kind]:
    """Return the kinds of `_flattened`; ValueError if the list does not describe pieces of this shape."""
    limits = shape.numbers, shape.observation_size - shape.numbers, shape.num_actions
    kinds, at = [], 0
    while at < len(flat):
        count, *widths = flat[at : at + 4]
        at += 4
        arrays = []
        for width, limit in zip(widths, limits, strict=True):
            part = flat[at : at + count * width]
            if count < 1 or width < 0 or len(part) != count * width or not all(0 <= one < limit for one in part):
                raise ValueError("structure: not a description of pieces of this shape")
            arrays.append(torch.tensor(part, dtype=torch.int64).reshape(count, width))
            at += count * width
        kinds.append(Kind(*arrays))
    return kinds


class ComponentNetwork(Network):
    """`Network` with inputs and logits from the attributes of pieces.

    The indices of the pieces come from a game (`described`) or from a file.
    """

    any_components = True
    shape_class = ComponentShape
    shape: ComponentShape
    structure: Tensor

    def __init__(self, shape: ComponentShape) -> None:
        seen = shape.observation_size - shape.numbers
        super().__init__(Shape(seen, shape.num_actions, shape.seats, shape.width, shape.blocks, shape.normed))
        self.shape = shape
        self.summed = nn.Linear(shape.summed, shape.width, bias=False)
        self.totals = nn.Linear(shape.totals, shape.width, bias=False)
        self.chosen = nn.Linear(shape.width, shape.chosen)
        # Small: the sums have large variances, and the network begins with what it sees without them.
        for layer, size in ((self.summed, 0.5), (self.totals, 0.1), (self.chosen, 0.01)):
            nn.init.orthogonal_(layer.weight, size)
        nn.init.zeros_(self.chosen.bias)
        self.register_buffer("structure", torch.zeros(shape.structure, dtype=torch.int64))
        self.kinds: list[Kind] = []

    @classmethod
    def described(cls, shape: ComponentShape, game: Game) -> ComponentNetwork:
        """Return a new network for the pieces of a game, which made the shape."""
        network = cls(shape)
        network.structure.copy_(torch.tensor(_flattened(_kinds_of(game)[0])))
        network.kinds = _unflattened(network.structure.tolist(), shape)
        return network

    def load_state_dict(self, state_dict: Mapping[str, Any], *args: Any, **options: Any) -> Any:
        """Load weights and the description of the pieces; ValueError for one that does not fit."""
        loaded = super().load_state_dict(state_dict, *args, **options)
        self.kinds = _unflattened(self.structure.cpu().tolist(), self.shape)
        return loaded

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits (k, num_actions) and values (k, seats).

        observations: (k, observation_size), the component numbers last.
        """
        end = self.shape.observation_size - self.shape.numbers
        seen, numbers = observations[:, :end], observations[:, end:]
        attributes = [_taken(numbers, kind.columns) for kind in self.kinds]
        sums = [
            torch.bmm(_taken(seen, kind.observed).transpose(1, 2), printed).flatten(1)
            for kind, printed in zip(self.kinds, attributes, strict=True)
        ]
        totals = torch.cat([printed.sum(1) for printed in attributes], 1)
        hidden = self.trunk(self.enter(seen) + self.summed(torch.cat(sums, 1)) + self.totals(totals))
        logits, asked = self.policy(hidden), self.chosen(hidden)
        at = 0
        for kind, printed in zip(self.kinds, attributes, strict=True):
            size = printed.shape[2] * kind.chosen.shape[1]
            if size:
                weights = asked[:, at : at + size].reshape(len(asked), kind.chosen.shape[1], printed.shape[2])
                parts = torch.bmm(printed, weights.transpose(1, 2)).flatten(1)
                logits = logits.index_add(1, kind.chosen.reshape(-1).to(logits.device), parts)
            at += size
        return logits, self.value(hidden)

    def single(self) -> SingleRow:
        """Return a function of one observation, see `PlayingNetwork.single`."""
        return PlayingNetwork.single(self)

    def for_game(self, game: Game) -> PlayingNetwork:
        """Return the plain network that plays as this one does with the components of a game."""
        known = game.component_numbers()
        if known is None:
            raise ValueError(f"{game.name} has no component numbers")
        shape = self.shape
        seen = self.enter.in_features
        with torch.random.fork_rng(devices=[]):  # the weights drawn here are replaced
            plain = Network(Shape(seen, shape.num_actions, shape.seats, shape.width, shape.blocks, shape.normed))
        weights = {name: one for name, one in self.state_dict().items() if name in plain.state_dict()}
        plain.load_state_dict(weights)
        plain.to(self.value_scale.device).eval()
        plain.reward = self.reward
        with torch.no_grad():
            self._fold(plain, known)
        return plain

    def _fold(self, plain: Network, known: ComponentNumbers) -> None:
        """Add the parts that depend on the components to the weights of a plain network."""
        numbers = torch.tensor(known.vector, device=self.value_scale.device)
        enter, policy, summed, totals, chosen = (
            one.weight for one in (plain.enter, plain.policy, self.summed, self.totals, self.chosen)
        )
        summed_at = totals_at = chosen_at = 0
        for kind in self.kinds:
            printed = numbers[kind.columns]  # (pieces, attributes)
            count = printed.shape[1]
            for column in kind.observed.T:
                enter[:, column] += summed[:, summed_at : summed_at + count] @ printed.T
                summed_at += count
            plain.enter.bias.add_(totals[:, totals_at : totals_at + count] @ printed.sum(0))
            totals_at += count
            for column in kind.chosen.T:
                rows = slice(chosen_at, chosen_at + count)
                policy[column] += printed @ chosen[rows]
                plain.policy.bias[column] += printed @ self.chosen.bias[rows]
                chosen_at += count


def _taken(rows: Tensor, indices: Tensor) -> Tensor:
    """Return ``rows[:, indices]``, (k, *indices.shape)."""
    return rows.index_select(1, indices.reshape(-1).to(rows.device)).reshape(len(rows), *indices.shape)
