"""The kernel's face: the verbs over the chapters' functions of records, and the score sheet."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.core.verbs import Records, bind_verbs
from porta_nigra_env.games.aquileia.kernel.compiler import jit
from porta_nigra_env.games.aquileia.kernel.determinize import determinize_record, redact_record
from porta_nigra_env.games.aquileia.kernel.legal import legal_record
from porta_nigra_env.games.aquileia.kernel.observe import observe_record
from porta_nigra_env.games.aquileia.kernel.privileged import privileged_record
from porta_nigra_env.games.aquileia.kernel.reset import reset_record
from porta_nigra_env.games.aquileia.kernel.scoring import colour_counted, fill_sheet
from porta_nigra_env.games.aquileia.kernel.step import step_record

KERNEL, score_sheet = bind_verbs(
    "aquileia",
    Records(
        reset=reset_record,
        step=step_record,
        legal=legal_record,
        observe=observe_record,
        determinize=determinize_record,
        redact=redact_record,
        privileged=privileged_record,
        sheet=fill_sheet,
    ),
    jit,
)


@jit
def theatre_colour(tables: Any, states: Any, row: int, seat: int, card: int) -> int:
    """The colour that a theatre card would count for in the hands of a seat (A54)."""
    return colour_counted(tables[0], states[row], seat, card)
