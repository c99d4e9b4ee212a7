"""Agents that know Porta Nigra: compiled heuristics that read the redacted state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from agents.agent import Agent
from agents.networks.published import NETWORKS
from agents.players.scripted import ScriptedAgent
from agents.porta_nigra.heuristics import BUILDER, GREEDY, STYLES, policy, weights
from agents.porta_nigra.valuation import WEIGHTS
from agents.registry import Entry, register
from porta_nigra_env.core.game import Game
from porta_nigra_env.core.policy import Policy
from porta_nigra_env.games import room_of

GAME: Final = "porta_nigra"

#: Agents that others are measured against, the strongest one last.
RIVALS: Final = (GREEDY.name, BUILDER.name)


def tunable() -> tuple[tuple[str, ...], npt.NDArray[np.float64], Callable[[str, npt.NDArray[np.float64]], Policy]]:
    """What can be tuned by play: the weights' names, their values (k,), and the policy of a name and other values."""
    return tuple(name for name, *_ in WEIGHTS), weights(1), policy


def _scripted(policy: Policy, text: str, game: Game, seed: int, _: Mapping[str, Any]) -> Agent:
    return ScriptedAgent(text, game, policy, seed)


for _policy, _doc in (
    (GREEDY, "Chooses what adds most to the final score at once."),
    (BUILDER, "Plans spots, counts bricks, coins and moves, values rewards, majorities, sets and the end."),
    *STYLES.values(),
):
    register(Entry(_policy.name, _doc, partial(_scripted, _policy), games=(GAME,)))

for _players in room_of(GAME).seats:
    NETWORKS[GAME, _players] = Path(__file__).with_name("models") / "all_players.safetensors"
