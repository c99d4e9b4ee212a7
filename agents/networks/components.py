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
from typing import Any, NamedTuple

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
def add_products(logits: Any, asked: Any, printed: Any, sets: Any, chosen: Any, actions: Any, masks: Any) -> None:
    """Add the products with attributes to the logits of legal actions.

    Args:
        logits: float32 (k, n), changed; asked: float32 (k, asked).
        printed, sets: as in `sum_attributes`; chosen: `Links.chosen`.
        actions: integers (k, n), the action of each logit; masks: int8 (k, n), nonzero where it is legal.
    """
    for row in range(logits.shape[0]):
        for column in range(logits.shape[1]):
            if masks[row, column] != 0:
                action = actions[row, column]
                first, count, met = chosen[action, 0], chosen[action, 1], chosen[action, 2]
                total = np.float32(0.0)
                for i in range(count):
                    total += asked[row, met + i] * printed[sets[row], first + i]
                logits[row, column] += total


@jit
def sum_products(gradients: Any, printed: Any, sets: Any, chosen: Any, actions: Any, masks: Any, out: Any) -> None:
    """Write the gradients of `add_products` with respect to `asked`, float32 (k, asked); the other arguments as there.

    gradients: float32 (k, n), with respect to the logits.
    """
    for row in range(gradients.shape[0]):
        for i in range(out.shape[1]):
            out[row, i] = 0.0
        for column in range(gradients.shape[1]):
            gradient = gradients[row, column]
            if masks[row, column] != 0 and gradient != 0.0:
                action = actions[row, column]
                first, count, met = chosen[action, 0], chosen[action, 1], chosen[action, 2]
                for i in range(count):
                    out[row, met + i] += gradient * printed[sets[row], first + i]


class _Products(torch.autograd.Function):
    """`add_products` for torch, on the CPU; `tables` are its arguments from `printed` on."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor, asked: Tensor, tables: tuple[Any, ...]) -> Tensor:
        ctx.tables, ctx.size = tables, asked.shape
        out = logits.detach().float().cpu().numpy().copy()
        add_products(out, np.ascontiguousarray(asked.detach().float().cpu().numpy()), *tables)
        return torch.from_numpy(out).to(logits.device)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        whole = np.ascontiguousarray(gradients[0].float().cpu().numpy())
        out = np.empty(ctx.size, dtype=np.float32)
        printed, sets, chosen, actions, masks = ctx.tables
        sum_products(whole, printed, sets, chosen, actions, masks, out)
        return gradients[0], torch.from_numpy(out).to(gradients[0].device), None


# ------------------------------------------------------------------------------------------------ the network


def _to_undivided(network: ComponentNetwork, state: dict[str, Any], prefix: str, _: Any) -> None:
    """Turn the weights of a state dict into those of undivided numbers."""
    for name, divisor in network.divisors().items():
        state[prefix + name] = state[prefix + name] / divisor.to(state[prefix + name].device)


def _from_undivided(network: ComponentNetwork, state: dict[str, Any], prefix: str, *_: Any) -> None:
    """Turn the weights of undivided numbers in a state dict, which is to be loaded, into those of the network."""
    for name, divisor in network.divisors().items():
        if prefix + name in state:
            state[prefix + name] = state[prefix + name] * divisor.to(state[prefix + name].device)


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

    def rows(self, seen: Any, units: Any, sets: Sets, numbers: Any) -> ComponentRows:
        """Return what the network reads next to observations; arguments as in `sum_attributes` and `ComponentRows`."""
        sums = np.empty((len(seen), self.shape.summed), dtype=np.float32)
        sum_attributes(seen, units, sets.printed, numbers, self.links.observed, sums)
        return ComponentRows(self, sums, sets, numbers)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits (k, num_actions) and values (k, seats).

        observations: (k, observation_size), the component numbers last.
        """
        whole, size = observations.detach().float().cpu().numpy(), self.shape.seen
        seen, numbers = np.ascontiguousarray(whole[:, :size]), np.arange(len(whole))
        rows = self.rows(seen, np.ones(size, dtype=np.float32), self.sets(whole[:, size:]), numbers)
        return rows.choose(observations[:, :size], np.ones((len(whole), self.shape.num_actions), dtype=np.int8))

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


class ComponentRows(NamedTuple):
    """Components of k rows, as a network reads them next to the observations.

    network: the network.
    sums: float32 (k, summed), see `sum_attributes`.
    sets: component sets; numbers: int64 (k,), the set of each row.
    """

    network: ComponentNetwork
    sums: Any
    sets: Sets
    numbers: Any

    def choose(self, seen: Tensor, masks: Any) -> tuple[Tensor, Tensor]:
        """Return logits, float32 (k, num_actions), right for legal actions only, and values (k, seats).

        seen: (k, seen), observations without component numbers; masks: int8 (k, num_actions).
        """
        network = self.network
        entered = nn.functional.linear(seen, network.enter.weight[:, : seen.shape[1]], network.enter.bias)
        features = network.trunk(entered + self.enter())
        actions = np.broadcast_to(np.arange(masks.shape[1], dtype=np.int16), masks.shape)
        return self.add_products(network.policy(features), features, actions, masks), network.value(features)

    def enter(self) -> Tensor:
        """Return the part of the first layer's outputs, (k, width), that comes from components."""
        weight = self.network.enter.weight[:, self.network.shape.seen :]
        arrays = self.sums, self.sets.totals, self.numbers
        sums, totals, numbers = (torch.from_numpy(array).to(weight.device) for array in arrays)
        return nn.functional.linear(sums, weight) + nn.functional.embedding(numbers, self.network.totals(totals))

    def add_products(self, logits: Tensor, features: Tensor, actions: Any, masks: Any) -> Tensor:
        """Return logits with the parts from attributes, float32 (k, n), right for legal actions only.

        Args:
            logits: (k, n); features: (k, width), the inputs of the heads.
            actions: int16 (k, n), the action of each logit; masks: int8 (k, n), nonzero where it is legal.
        """
        tables = self.sets.printed, self.numbers, self.network.links.chosen, actions, masks
        added: Tensor = _Products.apply(logits, self.network.asked(features), tables)  # type: ignore[no-untyped-call]
        return added
