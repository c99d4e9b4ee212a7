"""The weights of the scripted players, and their compiler."""

from __future__ import annotations

from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.compile.jit import compiler
from porta_nigra_env.games.aquileia.rules.compiler import SOURCES

Weights: TypeAlias = npt.NDArray[np.float64]
#: Bronze, silver, gold, slaves.
Means: TypeAlias = tuple[float, float, float, float]
#: Points by colour.
Colours: TypeAlias = tuple[float, ...]

jit = compiler(*SOURCES, Path(__file__).parent)

# The patrician's weights: set by hand, then tuned in 32 generations of
# `python -m training.tune --game aquileia --players 3 4 --deals 8 --sigma 0.25 --seed 3`: the mean of the last five.
#: Name, greedy weight, patrician's weight, and meaning. Weights are victory points per unit, factors of victory points,
#: or as documented.
WEIGHTS: Final = (
    ("coin", 0.5, 1.772, "the first coin of a kind"),
    ("slave", 0.5, 3.965, "the first slave"),
    ("sated", 0.0, 0.197, "share by which each coin or slave in hand makes the next one cheaper"),
    ("weapon", 0.5, 2.014, "a strength of a weapon"),
    ("horse", 0.5, 0.73, "a strength of a horse"),
    ("drawn", 0.5, 3.532, "an equi card drawn unseen"),
    ("plan", 0.0, 0.684, "factor of the best building if an own follower will build in this round"),
    ("aim", 0.0, 0.367, "factor of the best building if none will"),
    ("short", 0.0, 0.582, "share of a building's worth that remains for each missing coin or slave"),
    ("forum", 1.0, 1.029, "factor of the buildings of a Forum space"),
    ("villa", 1.0, 0.543, "factor of a villa's final score with own cards"),
    ("card_later", 0.0, 0.004, "cards of a villa's colour expected in each round to come"),
    ("villa_later", 0.0, 1.072, "values of villas of a card's colour expected in each round to come"),
    ("activation", 0.0, -0.066, "activations expected in each round to come"),
    ("fight", 1.0, 0.52, "factor of the fight's prizes"),
    ("race", 1.0, 0.705, "factor of the race's prizes"),
    ("spread", 1.5, 0.842, "strengths that make an even contest one of 73 %"),
    ("rivalry", 0.9, 1.436, "share of a contest's prizes that remains for each player who may still join"),
    ("armed", 0.3, 0.781, "share of own equi cards that counts before a contest"),
    ("manned", 0.0, 0.545, "share of own slaves that counts before a fight"),
    ("threat", 0.5, 0.758, "strength of each card that another contestant holds"),
    ("dice", 0.5, 0.007, "the blue dice, besides their gain in own contests"),
    ("exchange", 0.0, 0.117, "a space to exchange coins, besides its points"),
    ("auction", 0.0, 0.173, "factor of a theatre card for the auctioneer"),
    ("first", 0.5, 4.415, "being the next starting player"),
    ("track", 0.1, 0.165, "another rank on the advantage track"),
    ("rival", 0.0, 0.272, "factor of the gain of others by a choice of prizes"),
)
(
    COIN, SLAVE, SATED, WEAPON_STRENGTH, HORSE_STRENGTH, DRAWN, PLAN, AIM, SHORT, BUILDS, VILLAS, CARD_LATER,
    VILLA_LATER, ACTIVATION, FIGHT, RACE, SPREAD, RIVALRY, ARMED, MANNED, THREAT, DICE, EXCHANGE, AUCTIONEER, FIRST,
    TRACK, RIVAL,
) = range(len(WEIGHTS))  # fmt: skip
