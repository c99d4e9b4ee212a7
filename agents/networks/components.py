"""A network that plays with any component set of a game.

A plain network learns what each card does by its index, so it knows one component file.  This one reads the component
numbers (`core.positions.pieces`):

- the attributes of pieces, weighted by what an observation says about each piece and summed, enter the network: "the
  cards in the hand" become "the icons in the hand";
- the sums of the attributes over all pieces enter it;
- an action that chooses a piece gets a part of its logit from the attributes of this piece.

All three are linear in the weights of the first and the last layer.  For one component set the network therefore is a
plain `Network` with other weights, as fast as any, and agents and searches use that (`ComponentNetwork.for_game`).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from agents.networks.network import Network, PlayingNetwork, SingleRow
from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.players.component_network import ComponentShape, Links, Sets, fold

jit = compiler(*CORE_SOURCES, Path(__file__))

#: Divisors of the numbers of a piece, and of their sums over all pieces, while a network learns.  Adam changes all
#: weights by as much, and the numbers are many: undivided, they would multiply the learning rate and wipe out a start.
#: Files hold the weights of undivided numbers.  Powers of two, so that the conversion is exact.
PRINTED_DIVISOR, TOTALS_DIVISOR = 4.0, 64.0


# ------------------------------------------------------------------------------------------------ compiled loops


@jit
def sum_attributes(seen: Any, units: Any, printed: Any, sets: Any, observed: Any, out: Any) -> None:
    """Write the attributes of pieces, weighted by observations and summed.

    Args:
        seen: float32 or uint8 (k, observation_size), without component numbers.
        units: float32 (observation_size,), the weight of a unit of each entry.
        printed: float32 (sets, attributes), the numbers of each set in the order `Links.order`.
        sets: int64 (k,), the component set of each row.
        observed: `Links.observed`.
        out: float32 (k, summed), written.
    """
    for row in range(seen.shape[0]):
        entries, numbers, sums = seen[row], printed[sets[row]], out[row]
        sums[:] = 0.0
        for entry in range(observed.shape[0]):
            if entries[entry] != 0:
                weight = entries[entry] * units[entry]
                first, count, met = observed[entry, 0], observed[entry, 1], observed[entry, 2]
                # Slices, whose indices cannot be negative: the compiler turns the loop into vector instructions.
                attributes, met_sums = numbers[first : first + count], sums[met : met + count]
                for i in range(count):
                    met_sums[i] += weight * attributes[i]


@jit
def add_products(logits: Any, asked: Any, printed: Any, sets: Any, chosen: Any, masks: Any) -> None:
    """Add the products with attributes to the logits of legal actions.

    Args:
        logits: float32 (k, num_actions), changed; asked: float32 (k, asked).
        printed, sets: as in `sum_attributes`; chosen: `Links.chosen`.
        masks: int8 (k, num_actions).
    """
    for row in range(logits.shape[0]):
        for action in range(logits.shape[1]):
            if masks[row, action] != 0:
                first, met = chosen[action, 0], chosen[action, 2]
                total = np.float32(0.0)
                for i in range(chosen[action, 1]):
                    total += asked[row, met + i] * printed[sets[row], first + i]
                logits[row, action] += total


@jit
def sum_products(gradients: Any, printed: Any, sets: Any, chosen: Any, masks: Any, out: Any) -> None:
    """Write the gradients of `add_products` with respect to `asked`, float32 (k, asked); the other arguments as there.

    gradients: float32 (k, num_actions), with respect to the logits.
    """
    for row in range(gradients.shape[0]):
        for i in range(out.shape[1]):
            out[row, i] = 0.0
        for action in range(gradients.shape[1]):
            gradient = gradients[row, action]
            if masks[row, action] != 0 and gradient != 0.0:
                first, met = chosen[action, 0], chosen[action, 2]
                for i in range(chosen[action, 1]):
                    out[row, met + i] += gradient * printed[sets[row], first + i]


class _Products(torch.autograd.Function):
    """`add_products` for torch, on the CPU."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor, asked: Tensor, tables: tuple[Any, ...]) -> Tensor:
        ctx.tables, ctx.size = tables, asked.shape
        out = logits.detach().float().numpy().copy()
        add_products(out, np.ascontiguousarray(asked.detach().float().numpy()), *tables)
        return torch.from_numpy(out)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        whole = np.ascontiguousarray(gradients[0].float().numpy())
        out = np.empty(ctx.size, dtype=np.float32)
        printed, sets, chosen, masks = ctx.tables
        sum_products(whole, printed, sets, chosen, masks, out)
        return gradients[0], torch.from_numpy(out), None


# ------------------------------------------------------------------------------------------------ the network


def _to_undivided(network: ComponentNetwork, state: dict[str, Any], prefix: str, _: Any) -> None:
    """Turn the weights of a state dict into those of undivided numbers."""
    for name, divisor in network.divisors().items():
        state[prefix + name] = state[prefix + name] / divisor


def _from_undivided(network: ComponentNetwork, state: dict[str, Any], prefix: str, *_: Any) -> None:
    """Turn the weights of undivided numbers in a state dict, which is to be loaded, into those of the network."""
    for name, divisor in network.divisors().items():
        if prefix + name in state:
            state[prefix + name] = state[prefix + name] * divisor


class ComponentNetwork(Network):
    """`Network` with inputs and logits from the attributes of pieces.

    The links come from a game (`described`) or from a file.
    """

    any_components = True
    shape_class = ComponentShape
    shape: ComponentShape

    def __init__(self, shape: ComponentShape) -> None:
        super().__init__(shape.summing)
        self.shape = shape
        self.totals = nn.Linear(shape.totals, shape.width, bias=False)
        self.asked = nn.Linear(shape.width, shape.asked)
        for layer, size in ((self.totals, 0.1), (self.asked, 0.01)):
            nn.init.orthogonal_(layer.weight, size)
        nn.init.zeros_(self.asked.bias)
        for name in Links._fields:
            self.register_buffer(f"links_{name}", torch.zeros(shape.more[f"links_{name}"], dtype=torch.int64))
        self._set_links()
        self.register_state_dict_post_hook(_to_undivided)  # type: ignore[no-untyped-call]
        self.register_load_state_dict_pre_hook(_from_undivided)  # type: ignore[no-untyped-call]

    def divisors(self) -> dict[str, Tensor]:
        """Return what divides the numbers that each weight meets, by the name of the weights."""
        entered = torch.ones(self.enter.in_features, device=self.enter.weight.device)
        entered[self.shape.seen :] = PRINTED_DIVISOR
        printed, totals = torch.tensor(PRINTED_DIVISOR), torch.tensor(TOTALS_DIVISOR)
        return {"enter.weight": entered, "asked.weight": printed, "asked.bias": printed, "totals.weight": totals}

    @classmethod
    def described(cls, shape: ComponentShape, game: Game) -> ComponentNetwork:
        """Return a new network for the pieces of a game, which made the shape."""
        network = cls(shape)
        for name, array in Links.of(game)._asdict().items():
            network.get_buffer(f"links_{name}").copy_(torch.from_numpy(array))
        network._set_links()
        return network

    @classmethod
    def ignoring_components(cls, plain: Network, game: Game) -> ComponentNetwork:
        """Return a network that plays as a plain one with every component set, until it learns what pieces are."""
        shape = ComponentShape.with_components(plain.shape, game)
        network = cls.described(shape, game)
        with torch.no_grad():
            for layer in (network.enter, network.totals, network.asked):
                layer.weight.zero_()
            network.enter.weight[:, : shape.seen] = plain.enter.weight
        rest = {name: weights for name, weights in plain.state_dict().items() if name != "enter.weight"}
        network.load_state_dict(network.state_dict() | rest)
        network.reward = plain.reward
        return network.eval()

    def load_state_dict(self, state_dict: Mapping[str, Any], *args: Any, **options: Any) -> Any:
        """Load weights and links; ValueError for links beyond the network."""
        loaded = super().load_state_dict(state_dict, *args, **options)
        self._set_links()
        return loaded

    def _set_links(self) -> None:
        """Copy the links from the buffers into arrays for compiled loops."""
        buffers = {f"links_{name}": self.get_buffer(f"links_{name}").cpu().numpy().copy() for name in Links._fields}
        self.links = Links.within(buffers, self.shape)

    def sets(self, numbers: Any) -> Sets:
        """Return component sets, given by their numbers, float32 (sets, size), as the network reads them."""
        sets = Sets.of(numbers, self.links, self.shape)
        return Sets(sets.printed / np.float32(PRINTED_DIVISOR), sets.totals / np.float32(TOTALS_DIVISOR))

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits (k, num_actions) and values (k, seats).

        observations: (k, observation_size), the component numbers last.
        """
        rows, device = observations.detach().float().cpu().numpy(), observations.device
        seen, order = np.ascontiguousarray(rows[:, : self.shape.seen]), np.arange(len(rows))
        sets = self.sets(rows[:, self.shape.seen :])
        sums = np.empty((len(rows), self.shape.summed), dtype=np.float32)
        units = np.ones(self.shape.seen, dtype=np.float32)
        sum_attributes(seen, units, sets.printed, order, self.links.observed, sums)
        masks = np.ones((len(rows), self.shape.num_actions), dtype=np.int8)
        inputs = torch.from_numpy(np.concatenate([seen, sums], axis=1)).to(device)
        return self.choose(inputs, sets, order, masks)

    def choose(self, inputs: Tensor, sets: Sets, numbers: Any, masks: Any) -> tuple[Tensor, Tensor]:
        """Return logits, float32 (k, num_actions), right for legal actions only, and values (k, seats).

        Args:
            inputs: (k, seen + summed), observations without component numbers, and the sums of `sum_attributes`.
            sets: the component sets; numbers: int64 (k,), the set of each row.
            masks: int8 (k, num_actions).
        """
        totals = self.totals(torch.from_numpy(sets.totals).to(inputs.device, inputs.dtype))
        entered = self.enter(inputs) + totals[torch.from_numpy(numbers).to(inputs.device)]
        features = self.trunk(entered)
        tables = sets.printed, numbers, self.links.chosen, masks
        logits: Tensor = _Products.apply(self.policy(features), self.asked(features), tables)  # type: ignore[no-untyped-call]
        return logits, self.value(features)

    def single(self) -> SingleRow:
        """Return a function of one observation, see `PlayingNetwork.single`."""
        return PlayingNetwork.single(self)

    def for_game(self, game: Game) -> PlayingNetwork:
        """Return the plain network that plays as this one does with the components of a game."""
        arrays = {name: tensor.cpu().numpy() for name, tensor in self.state_dict().items()}
        with torch.random.fork_rng(devices=[]):  # the weights drawn here are replaced
            plain = Network(self.shape.folded)
        plain.load_state_dict({name: torch.from_numpy(array) for name, array in fold(arrays, self.shape, game).items()})
        plain.reward = self.reward
        return plain.to(self.value_scale.device).eval()
