"""No agent uses hidden information: equal information states get the same action."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
import pytest

from agents.registry import Entry, entries, make
from porta_nigra_env.core.game.game import Game, States, copied
from porta_nigra_env.core.game.view import BatchView, View
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.games import DEFAULT_GAME, GAMES, game_entry, make_game

#: Agent strings of agents with options; the others are tested by their names.
SAMPLES: Final = {
    "ismcts": (
        "ismcts:simulations=40",
        "ismcts:simulations=40,observers=multiple",
        "ismcts:simulations=40,widening=1,rounds=0",
        "ismcts:simulations=40,opponents=rollout",
        "ismcts:simulations=20,threads=3",
    ),
    "pimc": ("pimc:simulations=60,worlds=5",),
    "flat": ("flat:simulations=60,utility=win",),
    "network": ("network", "network:temperature=1"),
    "guided": ("guided:simulations=12", "guided:simulations=12,root=puct"),
    "mirror": ("mirror:worlds=6,plies=3,rows=40",),
}


def own(entry: Entry) -> bool:
    """Return whether an agent belongs to `agents`, not to other tests in this process.

    `tests/llm` tests language models, which need an endpoint.
    """
    return entry.name != "llm" and getattr(entry.make, "func", entry.make).__module__.startswith("agents.")


OWN: Final = {name: entry for name, entry in sorted(entries().items()) if own(entry)}

#: Agents of every game at the tables of the first one, those that know a game at its own, by default the smallest.
CASES: Final = [
    pytest.param(game, players, name, marks=[] if players == game_entry(game).seats[0] else pytest.mark.long)
    for game in GAMES
    for players in game_entry(game).seats
    for name, entry in OWN.items()
    if game in (entry.games or (DEFAULT_GAME,))
]


def situations(game: str, players: int) -> tuple[BatchEnv, list[int]]:
    """Return games after 90 random steps, and the rows with a choice."""
    env = BatchEnv(make_game(game, players), 24)
    env.reset(seed=5)
    for _ in range(90):
        env.step(env.random_actions())
    return env, np.flatnonzero(env.action_masks.sum(axis=1) > 1)[:6].tolist()


def together(game: Game, views: list[View]) -> BatchView:
    """Return views as one batch."""
    return BatchView(
        game,
        np.array([view.player for view in views], dtype=np.int8),
        np.stack([view.observation for view in views]),
        np.stack([view.action_mask for view in views]),
        np.concatenate([view.state for view in views]),
    )


def hidden(game: Game, states: States, row: int) -> npt.NDArray[np.float32]:
    """Return the hidden information of a state."""
    vector = np.zeros(game.privileged.size, dtype=np.float32)
    game.kernel.privileged(game.constants, states, row, vector)
    return vector


def swapped(game: Game, states: States, row: int, player: int, seed: int) -> States:
    """Return the same information state with other hidden cards."""
    others = copied(states[row : row + 1])
    game.kernel.determinize(game.constants, others, 0, player, seed)
    assert hidden(game, others, 0).tobytes() != hidden(game, states, row).tobytes()
    return others


@pytest.mark.parametrize(("table", "players", "name"), CASES)
def test_the_same_information_state_is_answered_alike_whatever_is_hidden(table: str, players: int, name: str) -> None:
    """Same view, same seed, same action, and a legal one; alone and in a batch."""
    assert name in SAMPLES or not OWN[name].parameters, f"{name} has no text in SAMPLES"
    env, rows = situations(table, players)
    if name == "best":  # another agent of these, which takes its whole time
        rows = rows[:2]
    game, movers = env.game, env.current_player
    views = [View(game, env.states, row, int(movers[row])) for row in rows]
    worlds = [[swapped(game, env.states, row, int(movers[row]), seed) for row in rows] for seed in (98, 99)]
    others = [[View(game, state, 0, view.player) for state, view in zip(one, views, strict=True)] for one in worlds]
    for text in SAMPLES.get(name, (name,)):
        agent = make(text, game, seed=1)
        actions = [agent.act(view) for view in views]
        batch = agent.act_batch(together(game, views)).tolist()
        for view, action, one in zip(views, actions, batch, strict=True):
            assert view.action_mask[action]
            assert view.action_mask[one]
        for swap in others:
            agent = make(text, game, seed=1)
            assert [agent.act(view) for view in swap] == actions, text
            assert agent.act_batch(together(game, swap)).tolist() == batch, text
