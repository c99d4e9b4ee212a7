"""Networks as the page has them, in 16 or 8 bits a number: they choose as the originals do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from agents.web.page.products import LARGE, Weights, weights_of
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.games import GAMES, game_class
from porta_nigra_env.players.network import NumpyNetwork
from porta_nigra_env.players.published import load_numpy


def unpacked(weights: Weights) -> NumpyNetwork:
    """The network of a file of the page, read as its description says."""
    shape, bits = weights.described["shape"], weights.described["bits"]
    sizes = {"enter": (shape["width"], shape["observation_size"])}
    sizes |= {f"blocks.{number}": (shape["width"], shape["width"]) for number in range(shape["blocks"])}
    sizes |= {"policy": (shape["num_actions"], shape["width"]), "value": (shape["seats"], shape["width"])}
    arrays: dict[str, Any] = {}
    offset = 0

    def taken(kind: str, count: int) -> Any:
        nonlocal offset
        found = np.frombuffer(weights.data, kind, count, offset)
        offset += found.nbytes
        return found

    for name, (outputs, inputs) in sizes.items():
        whole = taken(f"<i{bits // 8}", outputs * inputs).reshape(outputs, inputs)
        units, bias = taken("<f4", outputs), taken("<f4", outputs)
        arrays |= {f"{name}.weight": whole * units[:, None], f"{name}.bias": bias}
    assert offset == len(weights.data)
    return NumpyNetwork(arrays, shape["normed"])


@pytest.mark.parametrize("name", GAMES)
def test_the_pages_network_chooses_as_the_original_in_its_own_games(name: str) -> None:
    kind, same, asked = game_class(name), 0, 0
    for players, weights in weights_of(kind).items():
        game = kind(players)
        original, kept = load_numpy(kind.networks()[players], game), unpacked(weights)
        assert (len(weights.data) < LARGE) or weights.described["bits"] == 8
        env = BatchEnv(game, 4, autoreset_mode="disabled")
        step = env.reset(seed=players)
        while len(rows := np.flatnonzero(step.current_player >= 0)):
            choices = [
                np.where(step.action_masks[rows] != 0, network(step.observations[rows])[0], -np.inf).argmax(axis=1)
                for network in (original, kept)
            ]
            several = step.action_masks[rows].sum(axis=1) > 1
            same += int((choices[0] == choices[1])[several].sum())
            asked += int(several.sum())
            actions = np.zeros(env.num_envs, dtype=np.int64)
            actions[rows] = choices[0]
            step = env.step(actions)
    print(f"{name}: {same} of {asked}")
    assert same >= 0.98 * asked
