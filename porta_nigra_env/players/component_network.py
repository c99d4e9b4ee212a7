"""Weights of networks that play with any component set (`agents.networks.components`), as those of a plain network.

Such a network is linear in the component numbers (`core.positions.pieces`) at its first and its last layer.  For one
component set it therefore is a plain network with other weights (`fold`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.positions.pieces import ComponentNumbers
from porta_nigra_env.players.checkpoint import Array
from porta_nigra_env.players.network import Shape


class Links(NamedTuple):
    """The pieces that observations and actions mean; "attributes" below are those of all pieces, piece by piece.

    order: int64 (attributes,), where each stands in the component numbers.
    kinds: int64 (attributes,), the same number for one attribute of all pieces of a kind.
    observed: int64 (observation_size, 3): the first attribute of the piece that an entry of an observation means, their
        number, and the first of the sums that they are part of.
    chosen: int64 (num_actions, 3): the same for actions, and the first of the entries that the attributes meet.
        Entries and actions without a piece have zeros.
    """

    order: Any
    kinds: Any
    observed: Any
    chosen: Any

    @classmethod
    def of(cls, game: Game) -> Links:
        """Return the links of a game; ValueError for one without component numbers."""
        numbers = numbers_of(game)
        order, kinds = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        observed = np.zeros((game.observations.size, 3), dtype=np.int64)
        chosen = np.zeros((game.actions.size, 3), dtype=np.int64)
        first = totals = 0
        met = {"observed": 0, "chosen": 0}
        for kind in numbers.kinds:
            columns = numbers.columns(kind)
            pieces, count = columns.shape
            starts = first + count * np.arange(pieces)
            for name, links, means in (("observed", observed, kind.observed), ("chosen", chosen, kind.chosen)):
                for entries in means.T:
                    links[entries, 0], links[entries, 1], links[entries, 2] = starts, count, met[name]
                    met[name] += count
            order.append(columns.reshape(-1))
            kinds.append(np.tile(totals + np.arange(count), pieces))
            first, totals = first + columns.size, totals + count
        return cls(np.concatenate(order), np.concatenate(kinds), observed, chosen)

    @classmethod
    def within(cls, arrays: Mapping[str, Array], shape: ComponentShape) -> Links:
        """Return the links among the arrays of a network; ValueError for links beyond it, which loops would trust."""
        links = cls(*(arrays[f"links_{name}"].astype(np.int64) for name in cls._fields))
        limits = [(links.order, shape.numbers), (links.kinds, shape.totals)]
        for linked, width in ((links.observed, shape.summed), (links.chosen, shape.asked)):
            ends = linked[:, :1] + linked[:, 1:2], linked[:, 2:] + linked[:, 1:2]
            limits += [(linked, max(shape.numbers, width) + 1), (ends[0], shape.numbers + 1), (ends[1], width + 1)]
        if not all(((array >= 0) & (array < limit)).all() for array, limit in limits):
            raise ValueError("links: not those of a network of this shape")
        return links


def numbers_of(game: Game) -> ComponentNumbers:
    """Return the component numbers of a game; ValueError for a game without."""
    numbers = game.component_numbers()
    if numbers is None:
        raise ValueError(f"{game.name} has no component numbers")
    return numbers


@dataclass(frozen=True)
class ComponentShape(Shape):
    """Sizes of such a network; `observation_size` counts the component numbers, too.

    Attributes:
        numbers: component numbers.
        totals: kinds of attributes.
        summed: sums of attributes, weighted by observations.
        asked: entries that meet attributes in logits.
    """

    numbers: int = 0
    totals: int = 0
    summed: int = 0
    asked: int = 0

    @classmethod
    def with_components(cls, shape: Shape, game: Game) -> ComponentShape:
        """Return a shape with the component numbers of a game; ValueError for a game without."""
        links, size = Links.of(game), numbers_of(game).layout.size
        totals = int(links.kinds.max()) + 1
        summed, asked = (int((linked[:, 1] + linked[:, 2]).max()) for linked in (links.observed, links.chosen))
        return cls(
            shape.observation_size + size, shape.num_actions, shape.seats, shape.width, shape.blocks, shape.normed,
            size, totals, summed, asked,
        )  # fmt: skip

    @property
    def seen(self) -> int:
        """Size of an observation without component numbers."""
        return self.observation_size - self.numbers

    @property
    def summing(self) -> Shape:
        """The sizes of its layers, the first of which also takes the sums."""
        return self._plain(self.seen + self.summed)

    @property
    def folded(self) -> Shape:
        """The sizes of the plain network for one component set."""
        return self._plain(self.seen)

    def _plain(self, inputs: int) -> Shape:
        return Shape(inputs, self.num_actions, self.seats, self.width, self.blocks, self.normed)

    @property
    def more(self) -> dict[str, tuple[int, ...]]:
        """Sizes of the arrays that a plain network lacks, by name."""
        return {
            "totals.weight": (self.width, self.totals),
            "asked.weight": (self.asked, self.width),
            "asked.bias": (self.asked,),
            "links_order": (self.numbers,),
            "links_kinds": (self.numbers,),
            "links_observed": (self.seen, 3),
            "links_chosen": (self.num_actions, 3),
        }


class Sets(NamedTuple):
    """Component sets as such networks read them.

    printed: float32 (sets, attributes), their numbers in the order `Links.order`.
    totals: float32 (sets, kinds of attributes), the sums over all pieces.
    """

    printed: Any
    totals: Any

    @classmethod
    def of(cls, numbers: Array, links: Links, shape: ComponentShape) -> Sets:
        """Return component sets, given by their numbers, float32 (sets, size)."""
        printed = np.ascontiguousarray(numbers[:, links.order], dtype=np.float32)
        totals = np.zeros((len(printed), shape.totals), dtype=np.float32)
        np.add.at(totals.T, links.kinds, printed.T)
        return cls(printed, totals)


def fold(arrays: Mapping[str, Array], shape: ComponentShape, game: Game) -> dict[str, Array]:
    """Return the weights of the plain network, of the shape `folded`, that plays alike with a game's components.

    Args:
        arrays: those of the network, by name, of the sizes of `check_arrays`.
        shape: the sizes.
        game: the game.

    Raises:
        ValueError: a game without component numbers, or links beyond the network.
    """
    links = Links.within(arrays, shape)
    (printed,), totals = Sets.of(numbers_of(game).vector[None], links, shape)
    observed = np.zeros((shape.seen, shape.summed), dtype=np.float32)
    chosen = np.zeros((shape.num_actions, shape.asked), dtype=np.float32)
    for matrix, linked in ((observed, links.observed), (chosen, links.chosen)):
        for row, (first, count, met) in enumerate(linked.tolist()):
            matrix[row, met : met + count] = printed[first : first + count]
    entered, more = arrays["enter.weight"], shape.more
    return {name: array for name, array in arrays.items() if name not in more} | {
        "enter.weight": entered[:, : shape.seen] + entered[:, shape.seen :] @ observed.T,
        "enter.bias": arrays["enter.bias"] + arrays["totals.weight"] @ totals[0],
        "policy.weight": arrays["policy.weight"] + chosen @ arrays["asked.weight"],
        "policy.bias": arrays["policy.bias"] + chosen @ arrays["asked.bias"],
    }
