"""Gloria Mundi: constants, kernel and position format combined, and `State`, a single game."""

from __future__ import annotations

from typing import Any, ClassVar

from porta_nigra_env.core.batch.loops import compile_loops
from porta_nigra_env.core.game import state
from porta_nigra_env.core.game.component_game import ComponentGame, Notation
from porta_nigra_env.games.gloria_mundi import text
from porta_nigra_env.games.gloria_mundi.actions import ACTIONS, NUM_WORDS
from porta_nigra_env.games.gloria_mundi.components.load import SETS, Components
from porta_nigra_env.games.gloria_mundi.components.names import PHASES, SEATS
from porta_nigra_env.games.gloria_mundi.observation import OBSERVATION, PRIVILEGED
from porta_nigra_env.games.gloria_mundi.rules.compiler import SOURCES, jit
from porta_nigra_env.games.gloria_mundi.rules.kernel import KERNEL, NUM_COLUMNS, score_sheet
from porta_nigra_env.games.gloria_mundi.state import STATE, VERSION


class GloriaMundi(ComponentGame):
    """The game for one component set and number of players, see `core.game.game.Game`.

    Totals are steps; stones only break ties between ranks (G41).  So the reward "points" pays steps, and "margin", the
    lead in steps over the mean of the others, is 0 between two players whom only stones tell apart.
    """

    name = "gloria_mundi"
    version = VERSION
    seats = SEATS
    component_sets = SETS
    point_sources = ("steps",)
    about = (
        "Romans flee to Africa while the Goth marches on Rome.  In a turn the player plays a base card (farm, city or\n"
        "peace): all players' base cards of the type produce stones, or the building cards on them work.  Then the\n"
        "player may buy a building card in the forum, which moves the own Roman.  Then the player pays tribute, or\n"
        "the Goth moves and base cards are lost.  Only the deck's order is hidden.  The Roman farthest from\n"
        "Rome wins; stones break ties."
    )
    position_format = text.FORMAT
    texts: ClassVar[Notation] = text
    kernel = KERNEL
    score_sheet = score_sheet
    num_columns = NUM_COLUMNS
    source_columns = (0,)
    loops = compile_loops("gloria_mundi", KERNEL, jit)
    sources = SOURCES
    dtype = STATE
    num_words = NUM_WORDS
    phases = PHASES
    actions = ACTIONS
    observations = OBSERVATION
    privileged = PRIVILEGED

    components: Components


class State(state.State):
    """One game of Gloria Mundi, with actions as strings.

    >>> state = State.new(num_players=2, seed=7)
    >>> state.legal_actions()
    ['play city', 'play farm', 'play peace']
    """

    __slots__ = ()

    game_class = GloriaMundi
    game: GloriaMundi

    def scores(self) -> list[dict[str, Any]]:
        """Return "steps", "stones" and "rank" of each player as if the game ended now; equal players share a rank."""
        record = self.states[0]
        columns = zip(record["steps"].tolist(), record["stones"].tolist(), self.game.places(self.states), strict=False)
        return [{"steps": steps, "stones": sum(stones), "rank": int(place)} for steps, stones, place in columns]
