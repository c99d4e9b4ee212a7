"""The referee: the rules of Gloria Mundi in plain Python, to settle disputes and to judge what the engine does.

It works on position dicts of the format `gloria_mundi/1`, follows the rules page phase by phase and cites the ruling
(G1..G44) at each decision.  Payments are searched for, and what is forced is found by asking for the legal set again
after every move.  It shares no code with the engine.
"""

from tests.games.gloria_mundi.oracle.referee.cards import BASES, PRODUCT, STONES, Board, Card
from tests.games.gloria_mundi.oracle.referee.judge import KEYS, Referee, copied
from tests.games.gloria_mundi.oracle.referee.table import Position, RefereeError

__all__ = [
    "BASES",
    "KEYS",
    "PRODUCT",
    "STONES",
    "Board",
    "Card",
    "Position",
    "Referee",
    "RefereeError",
    "copied",
]
