"""The weights of the scripted players, and their compiler."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from porta_nigra_env.core.compile.jit import compiler
from porta_nigra_env.games.gloria_mundi.rules.compiler import SOURCES

jit = compiler(*SOURCES, Path(__file__).parent)

# The quaestor's weights are weights by hand after 150 generations of
# `python -m training.tune --game gloria_mundi --generations 150 --population 20 --deals 100 --seed 2`: against
# himself as he was he wins 54.6 % at two players, 33.1 % at three, 28.2 % at four, 24.5 % at five and 18.9 % at six
# (2,000 deals; even: 50, 33, 25, 20, 17).
#: What is weighed: name, the greedy weight, the quaestor's weight, and what it stands for.  Weights are steps for one
#: of the thing, or factors of steps, unless their texts say something else.
WEIGHTS: Final = (
    ("stone", 0.2, 0.31, "a basic stone, as long as there are few of the kind"),
    ("glory", 0.3, 0.418, "a glory stone, as long as there are few"),
    ("enough", 6.0, 3.858, "stones of a kind that are few"),
    ("surplus", 0.4, 0.117, "share of a stone's worth that is left to one beyond those"),
    ("africa", 100.0, 106.6, "reaching Africa"),
    ("laurel", 1.0, 0.856, "factor of the laurel steps of a card bought"),
    ("rival", 0.0, 0.901, "factor of what the others gain, in the mean"),
    ("later", 0.0, 1.597, "factor of what a card adds to the activations to come"),
    ("repeat", 0.0, -0.126, "what the printed X adds to a card's ability, as a factor"),
    ("pace", 1.5, 0.391, "turns for each space of the Goth"),
    ("wall", 0.0, 0.126, "a wall, in each turn to come"),
    ("base", 0.3, 1.469, "a base card in the display, beside the stones it will produce"),
    ("wait", 0.0, 0.143, "each stone of the extra, beside its worth"),
    ("share", 1.0, 1.578, "factor of one's share of the tribute"),
    ("delay", 0.3, -4.304, "keeping the Goth where he is"),
    ("crowd", 0.0, 8.97, "the same, for each player beyond two"),
    ("march", 0.0, 0.387, "factor of what the others lose when he moves"),
    ("haste", 0.0, 1.313, "for each step of a lead, by the share of the way to Rome that he goes"),
)
(
    STONE, GLORY_STONE, ENOUGH, SURPLUS, AFRICA, LAUREL, RIVAL, LATER, AGAIN, PACE, WALLS, BASE_CARD, WAIT, SHARE,
    DELAY, CROWD, MARCH, HASTE,
) = range(len(WEIGHTS))  # fmt: skip
