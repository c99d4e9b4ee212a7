"""The game of Aquileia: constants, kernel and text bound together, and `State`, a single game."""

from __future__ import annotations

from typing import Any, ClassVar

from porta_nigra_env.core.batch.loops import compile_loops
from porta_nigra_env.core.game import state
from porta_nigra_env.core.game.component_game import ComponentGame, Notation
from porta_nigra_env.games.aquileia import text as notation
from porta_nigra_env.games.aquileia.actions import NUM_WORDS
from porta_nigra_env.games.aquileia.components.load import SETS, Components
from porta_nigra_env.games.aquileia.components.names import PHASES, SEATS
from porta_nigra_env.games.aquileia.rules import scoring
from porta_nigra_env.games.aquileia.rules.compiler import SOURCES, jit
from porta_nigra_env.games.aquileia.rules.kernel import KERNEL, score_sheet, theatre_colour
from porta_nigra_env.games.aquileia.state import STATE, VERSION


class Aquileia(ComponentGame):
    """The game for one component set and number of players, see `core.game.game.Game`."""

    name = "aquileia"
    version = VERSION
    seats = SEATS
    component_sets = SETS
    point_sources = ("marker", "laurels", "villas")
    secret_choices = ("keep",)
    about = (
        "Patricians of a Roman harbour town send followers to its places in turn, for six rounds; then the places act\n"
        "in a fixed order: markets for coins, cards and slaves, a fight and a race with dice and cards, an auction,\n"
        "building sites, the harbour.  Villas, workshops and money houses cost coins of three kinds and slaves.\n"
        "Stadium and theatre cards multiply the villas of a colour at the end.  Hands are hidden.  The most points win."
    )
    position_format = notation.FORMAT
    texts: ClassVar[Notation] = notation
    kernel = KERNEL
    score_sheet = score_sheet
    num_columns = scoring.NUM_COLUMNS
    source_columns = (scoring.VP_COLUMN, scoring.LAURELS_COLUMN, scoring.VILLAS_COLUMN)
    loops = compile_loops("aquileia", KERNEL, jit)
    sources = SOURCES
    dtype = STATE
    num_words = NUM_WORDS
    phases = PHASES

    components: Components

    def fixed_constants(self) -> bytes:
        """Return the first space of each area: layouts have the number of all spaces alone."""
        return self.constants["area_start"].tobytes()


class State(state.State):
    """One game of Aquileia.

    >>> state = State.new(num_players=3, seed=7)
    >>> state.apply("place dolus").apply("place crest").to_dict()["spaces"]
    {'dolus': 0}
    """

    __slots__ = ()

    game_class = Aquileia
    game: Aquileia

    def scores(self) -> list[dict[str, Any]]:
        """Return each player's points by source, as if the game ended now; before the end this reads hidden cards.

        Keys: "vp" (the marker), "laurels", "villas" {colour: points}, "theatre" {own card: the colour it counts for},
        "total".
        """
        components, record = self.game.components, self.states[0]
        scores, owners = [], record["theatre_owner"].tolist()
        for seat, line in enumerate(self.game.sheets(self.states)[0].tolist()):
            theatre = {
                card: components.colours[theatre_colour(self.game.constants, self.states, 0, seat, place)]
                for place, card in enumerate(components.theatre_cards)
                if owners[place] == seat
            }
            scores.append(
                {
                    "vp": line[scoring.VP_COLUMN],
                    "laurels": line[scoring.LAURELS_COLUMN],
                    "villas": dict(zip(components.colours, line[scoring.VILLAS_COLUMN :], strict=False)),
                    "theatre": theatre,
                    "total": sum(line),
                }
            )
        return scores
