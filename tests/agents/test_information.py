"""No agent knows what its player may not see: worlds that she cannot tell apart are answered with the same action."""

from __future__ import annotations

from typing import Final

import numpy as np
import pytest

from agents.registry import Entry, entries, make
from porta_nigra_env.core.game import Game, States, copied
from porta_nigra_env.core.view import BatchView, View
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.games.porta_nigra.game import PortaNigra

#: Texts that are tried of agents with parameters; those without are tried by their names.
SAMPLES: Final = {
    "ismcts": (
        "ismcts:simulations=40",
        "ismcts:simulations=40,observers=multiple",
        "ismcts:simulations=40,widening=1,rounds=0",
        "ismcts:simulations=40,opponents=rollout",
        "ismcts:simulations=40,reuse=true,observers=multiple",
        "ismcts:simulations=20,threads=3",
    ),
    "pimc": ("pimc:simulations=60,worlds=5",),
    "flat": ("flat:simulations=60,utility=win",),
    "network": ("network", "network:temperature=1"),
    "guided": ("guided:simulations=12", "guided:simulations=12,root=puct"),
}
#: They are shown the true state, and must refuse to be asked about a view.
CHEATING: Final = ("cheating-mcts",)


#: Fields of the state that hold hidden cards.
CARDS: Final = ("hand", "action_cards", "supply_cards", "building_cards", "honour_cards")


def own(entry: Entry) -> bool:
    """Whether it is an agent of `agents`, not one of other tests in this process."""
    return getattr(entry.make, "func", entry.make).__module__.startswith("agents.")


OWN: Final = sorted(name for name, entry in entries().items() if own(entry))


def situations(players: int) -> tuple[BatchEnv, list[int]]:
    """Games that have gone on for a while, and those of them in which there is a choice."""
    env = BatchEnv(PortaNigra(players), 24)
    env.reset(seed=5)
    for step in range(90):
        env.step(env.random_actions(7 + step))
    return env, np.flatnonzero(env.action_masks.sum(axis=1) > 1)[:6].tolist()


def together(game: Game, views: list[View]) -> BatchView:
    """Views as one batch."""
    return BatchView(
        game,
        np.array([view.player for view in views], dtype=np.int8),
        np.stack([view.observation for view in views]),
        np.stack([view.action_mask for view in views]),
        np.concatenate([view.state for view in views]),
    )


def swapped(game: Game, states: States, row: int, player: int, seed: int) -> States:
    """The same information state with other hidden cards."""
    others = copied(states[row : row + 1])
    game.kernel.determinize(game.tables, others, 0, player, seed)
    assert any(others[name].tobytes() != states[name][row : row + 1].tobytes() for name in CARDS)
    return others


@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_same_information_state_is_answered_alike_whatever_is_hidden(players: int, name: str) -> None:
    """Same view, same seed, same action, and a legal one; alone and in a batch."""
    assert name in SAMPLES or name in CHEATING or not entries()[name].parameters, f"{name} has no text in SAMPLES"
    env, rows = situations(players)
    game, movers = env.game, env.current_player
    views = [View(game, env.states, row, int(movers[row])) for row in rows]
    worlds = [[swapped(game, env.states, row, int(movers[row]), seed) for row in rows] for seed in (98, 99)]
    others = [[View(game, state, 0, view.player) for state, view in zip(one, views, strict=True)] for one in worlds]
    for text in SAMPLES.get(name, (name,)):
        agent = make(text, game, seed=1)
        assert agent.cheats == (name in CHEATING)
        if agent.cheats:
            for ask in (agent.act, agent.policy):
                with pytest.raises(TypeError, match="cheats"):
                    ask(views[0])
            with pytest.raises(TypeError, match="cheats"):
                agent.act_batch(together(game, views))
            continue
        actions = [agent.act(view) for view in views]
        batch = agent.act_batch(together(game, views)).tolist()
        for view, action, one in zip(views, actions, batch, strict=True):
            assert view.action_mask[action]
            assert view.action_mask[one]
        for swap in others:
            agent = make(text, game, seed=1)
            assert [agent.act(view) for view in swap] == actions, text
            assert agent.act_batch(together(game, swap)).tolist() == batch, text
