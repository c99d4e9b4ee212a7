"""The referee: the rules of Aquileia in plain Python, the oracle of the engine.

It works on position dicts of the format `aquileia/1`, follows the rules page area by area and cites the ruling
(A1..A57) at each decision. It is slow on purpose and shares no code with the engine.
"""

from tests.games.aquileia.oracle.referee.board import Board
from tests.games.aquileia.oracle.referee.chance import Chance, Outcome, Position, RefereeError
from tests.games.aquileia.oracle.referee.judge import KEYS, Referee, copied

__all__ = ["KEYS", "Board", "Chance", "Outcome", "Position", "Referee", "RefereeError", "copied"]
