"""The referee: the rules of Gloria Mundi in plain Python, to check the engine.

It works on position dicts of the format `gloria_mundi/1`, follows the rules page phase by phase and cites the ruling
(G1..G44) at each decision.  Payments are found by search, and forced actions by computing the legal set after
every move.  It shares no code with the engine.
"""

from tests.games.gloria_mundi.oracle.referee.cards import BASES, PRODUCT, STONES, Board, Card
from tests.games.gloria_mundi.oracle.referee.judge import KEYS, Referee, copied
from tests.games.gloria_mundi.oracle.referee.table import Position, RefereeError

__all__ = ["BASES", "KEYS", "PRODUCT", "STONES", "Board", "Card", "Position", "Referee", "RefereeError", "copied"]
