"""The weights of the scripted players, and their compiler."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from porta_nigra_env.core.jit import compiler
from porta_nigra_env.games.aquileia.kernel.compiler import SOURCES

jit = compiler(*SOURCES, Path(__file__).parent)

#: What is weighed: name, the greedy weight, the patrician's weight, and what it stands for.  Weights are victory points
#: for one of the thing, factors of victory points, or (chances, strengths) what their texts say.
WEIGHTS: Final = (
    ("coin", 0.5, 1.2, "the first coin of a kind"),
    ("slave", 0.5, 1.5, "the first slave"),
    ("sated", 0.0, 0.08, "by what share each coin or slave in hand makes the next one cheaper"),
    ("weapon", 0.5, 1.5, "a strength of a weapon"),
    ("horse", 0.5, 1.2, "a strength of a horse"),
    ("drawn", 0.5, 1.5, "an equi card drawn unseen"),
    ("plan", 0.0, 0.9, "factor of the best building where an own follower will build in this round"),
    ("aim", 0.0, 0.4, "factor of the best building where none will"),
    ("short", 0.0, 0.5, "what each coin or slave that is missing leaves of a building"),
    ("forum", 1.0, 1.0, "factor of what a place in the Forum builds"),
    ("villa", 1.0, 1.0, "factor of what a villa scores with own cards at the end"),
    ("card_later", 0.0, 0.25, "cards of a villa's colour expected in each round to come"),
    ("villa_later", 0.0, 2.0, "values of villas of a card's colour expected in each round to come"),
    ("activation", 0.0, 0.4, "activations expected in each round to come"),
    ("fight", 1.0, 1.0, "factor of the fight's prizes"),
    ("race", 1.0, 1.0, "factor of the race's prizes"),
    ("spread", 1.5, 1.2, "strengths that make an even contest one of 73 %"),
    ("rivalry", 0.9, 0.85, "what each player who may still join leaves of a contest's prizes"),
    ("armed", 0.3, 0.5, "share of own equi cards that counts before a contest"),
    ("manned", 0.0, 0.3, "share of own slaves that counts before a fight"),
    ("threat", 0.5, 0.5, "strength of each card that another contestant holds"),
    ("dice", 0.5, 1.0, "the blue dice, beside what they add to contests one is in"),
    ("exchange", 0.0, 0.3, "a place to exchange coins, beside its points"),
    ("auction", 0.0, 0.6, "factor of a theatre card for the auctioneer"),
    ("first", 0.5, 1.5, "being the next starting player"),
    ("track", 0.1, 0.2, "another place on the advantage track"),
    ("rival", 0.0, 0.3, "factor of what others gain by a choice of prizes"),
)
(
    COIN, SLAVE, SATED, WEAPON_STRENGTH, HORSE_STRENGTH, DRAWN, PLAN, AIM, SHORT, BUILDS, VILLAS, CARD_LATER,
    VILLA_LATER, ACTIVATION, FIGHT, RACE, SPREAD, RIVALRY, ARMED, MANNED, THREAT, DICE, EXCHANGE, AUCTIONEER, FIRST,
    TRACK, RIVAL,
) = range(len(WEIGHTS))  # fmt: skip
