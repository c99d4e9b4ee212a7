"""The game Porta Nigra, and `State`, the interface to one game."""

from __future__ import annotations

from typing import Any, ClassVar

from porta_nigra_env.core.batch.loops import compile_loops
from porta_nigra_env.core.game import state
from porta_nigra_env.core.game.component_game import ComponentGame, Notation
from porta_nigra_env.games.porta_nigra import text as notation
from porta_nigra_env.games.porta_nigra.actions import NUM_WORDS
from porta_nigra_env.games.porta_nigra.components import names
from porta_nigra_env.games.porta_nigra.components.load import SETS, Components
from porta_nigra_env.games.porta_nigra.rules import scoring
from porta_nigra_env.games.porta_nigra.rules.compiler import SOURCES, jit
from porta_nigra_env.games.porta_nigra.rules.kernel import KERNEL, score_sheet
from porta_nigra_env.games.porta_nigra.state import STATE, VERSION


class PortaNigra(ComponentGame):
    """Porta Nigra for one component set and number of players, see `core.game.game.Game`."""

    name = "porta_nigra"
    version = VERSION
    seats = tuple(range(2, names.MAX_PLAYERS + 1))
    component_sets = SETS
    about = (
        "The players build Roman Trier.  In a turn a player plays a card of the hand.  Its icons allow the player to\n"
        "buy bricks in five colours and to build elements of them with Romans.  The master builder walks to the place\n"
        "of the purchase or build, and the way costs sesterces.  Elements give points and building cards.  Rounds end\n"
        "with an interim scoring; the end of the game scores majorities in the rows of the buildings and sets of\n"
        "cards.  Hands are hidden.  The most victory points win."
    )
    point_sources = ("marker", "sets", "final cards", "play area", "rows", "heights")
    position_format = notation.FORMAT
    texts: ClassVar[Notation] = notation
    kernel = KERNEL
    score_sheet = score_sheet
    num_columns = scoring.NUM_COLUMNS
    source_columns = (*range(scoring.ROWS_COLUMN + 1), scoring.HEIGHTS_COLUMN)
    loops = compile_loops("porta_nigra", KERNEL, jit)
    sources = SOURCES
    dtype = STATE
    num_words = NUM_WORDS
    phases = names.PHASES

    components: Components


class State(state.State):
    """One game of Porta Nigra; actions are strings.

    >>> state = State.new(num_players=2, seed=7)
    >>> state.legal_actions()
    ['place amphitheatre', 'place basilica', 'place city_wall', 'place porta_nigra']
    >>> state.apply("place basilica").to_dict()["phase"]
    'choose_card'
    """

    __slots__ = ()

    game_class = PortaNigra
    game: PortaNigra

    def scores(self) -> list[dict[str, Any]]:
        """Return the points of each player by source, as if the game ended now.

        Keys: "vp" (the marker), "sets", "final_cards", "play_area", "majorities" {building: {row or height: points}},
        "total".
        """
        constants = self.game.constants[0]
        heights = range(int(constants["porta_nigra_min_height"]), int(constants["porta_nigra_max_height"]) + 1)
        scores = []
        for line in self.game.sheets(self.states)[0].tolist():
            majorities: dict[str, dict[str, int]] = {building: {} for building in names.BUILDINGS}
            for row, (building, letter, _) in enumerate(names.ROWS[:-1]):
                majorities[building][letter] = line[scoring.ROWS_COLUMN + row]
            majorities[names.BUILDINGS[names.PORTA_NIGRA]] = {
                str(height): line[scoring.HEIGHTS_COLUMN + height - names.LOWEST_HEIGHT] for height in heights
            }
            scores.append(
                {
                    "vp": line[scoring.VP_COLUMN],
                    "sets": line[scoring.SETS_COLUMN],
                    "final_cards": line[scoring.FINALS_COLUMN],
                    "play_area": line[scoring.PLAY_AREA_COLUMN],
                    "majorities": majorities,
                    "total": sum(line),
                }
            )
        return scores
