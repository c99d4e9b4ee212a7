"""Gloria Mundi: its tables, kernel and notation bound together, and `State`, the face for one game."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from porta_nigra_env.core.batch.loops import compile_loops
from porta_nigra_env.core.batch.policy import Policy
from porta_nigra_env.core.game import state
from porta_nigra_env.core.game.component_game import ComponentGame, Notation
from porta_nigra_env.games.gloria_mundi import text as notation
from porta_nigra_env.games.gloria_mundi.actions import ACTIONS, NUM_WORDS
from porta_nigra_env.games.gloria_mundi.components.load import SETS, Components
from porta_nigra_env.games.gloria_mundi.components.names import PHASES, SEATS
from porta_nigra_env.games.gloria_mundi.observation import OBSERVATION, PRIVILEGED
from porta_nigra_env.games.gloria_mundi.rules.compiler import SOURCES, jit
from porta_nigra_env.games.gloria_mundi.rules.kernel import KERNEL, score_sheet
from porta_nigra_env.games.gloria_mundi.rules.result import NUM_COLUMNS
from porta_nigra_env.games.gloria_mundi.state import STATE, VERSION

if TYPE_CHECKING:
    from porta_nigra_env.core.drawing.draw_list import Drawing


class GloriaMundi(ComponentGame):
    """The game for one component set and number of players, see `core.game.game.Game`.

    Totals are steps.  Stones count for places alone, where steps are equal (G41): so the reward "points" pays steps,
    and "margin", the steps a seat is ahead of the mean of the others, is 0 between two players who are told apart by
    their stones.
    """

    name = "gloria_mundi"
    version = VERSION
    seats = SEATS
    component_sets = SETS
    point_sources = ("steps",)
    about = (
        "Romans flee to Africa while the Goth marches on Rome.  In a turn a base card is played (farm, city, peace),\n"
        "which lets everybody's base cards of the type produce stones, or the building cards on them work; then a\n"
        "building card may be bought in the forum, which moves one's Roman; then tribute is paid or the Goth moves\n"
        "on and base cards are lost.  Nothing is hidden but the deck's order.  The Roman farthest from Rome wins,\n"
        "of equal ones the one with more stones."
    )
    position_format = notation.FORMAT
    texts: ClassVar[Notation] = notation
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

    def drawing(self) -> Drawing:
        from porta_nigra_env.games.gloria_mundi.drawing import drawing_of

        return drawing_of(self.components)

    @classmethod
    def policies(cls) -> Mapping[str, Policy]:
        from porta_nigra_env.games.gloria_mundi.players import POLICIES

        return POLICIES

    @classmethod
    def networks(cls) -> Mapping[int, Path]:
        from porta_nigra_env.games.gloria_mundi.players import NETWORKS

        return NETWORKS


class State(state.State):
    """One game of Gloria Mundi: texts in, texts out.

    >>> state = State.new(num_players=2, seed=7)
    >>> state.legal_actions()
    ['play city', 'play farm', 'play peace']
    """

    __slots__ = ()

    game_class = GloriaMundi
    game: GloriaMundi

    def scores(self) -> list[dict[str, Any]]:
        """Steps, stones in stock and rank of each player, as if the game ended now.

        Keys: "steps", "stones", "rank" (1 for the first, shared where both are equal).
        """
        record = self.states[0]
        columns = zip(record["steps"].tolist(), record["stones"].tolist(), self.game.places(self.states), strict=False)
        return [{"steps": steps, "stones": sum(stones), "rank": int(place)} for steps, stones, place in columns]
