"""Skill of a network's choices, judged by a published network: a learning curve beside the win rates.

A win rate needs an opponent of about equal strength.  A review (`agents.review`) needs none: it compares each choice
with the judge's own one, from what the player could know.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from agents.arena.ratings import Estimate, mean_of_deals
from agents.review.estimates import QUICK, Baseline
from agents.review.review import review
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.batch import BatchEnv
from training.run.evaluation import BestAction


def own_games(decide: BestAction, game: Game, seeds: Sequence[int]) -> list[list[int]]:
    """Return the action ids of games in which a network plays all seats."""
    env = BatchEnv(game, len(seeds), autoreset_mode="DISABLED", history=decide.history)
    step, games = env.reset(seed=list(seeds)), [list[int]() for _ in seeds]
    while len(rows := np.flatnonzero(step.current_player >= 0)):
        actions = np.zeros(len(seeds), dtype=np.int64)
        actions[rows] = decide(env, rows)
        for row in rows.tolist():
            games[row].append(int(actions[row]))
        step = env.step(actions)
    return games


def skill_of_choices(decide: BestAction, game: Game, seeds: Sequence[int], judge: Baseline) -> Estimate:
    """Return the mean skill of a choice, and its 95 % interval over games.

    Skill is in results (-1..1): 0 for the judge's best choices, negative for losses.

    Args:
        decide: the network that plays all seats.
        game: the game.
        seeds: of the games, at least two.
        judge: the network whose rollouts and values judge the choices.
    """
    games = own_games(decide, game, seeds)
    reviews = [review(game, seed, actions, judge, QUICK, stages=()) for seed, actions in zip(seeds, games, strict=True)]
    sums, choices = (
        np.array([[sum(getattr(seat, name) for seat in one.seats)] for one in reviews], dtype=np.float64)
        for name in ("skill", "choices")
    )
    (mean,) = mean_of_deals(sums, choices)
    return mean
