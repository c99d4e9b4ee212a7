"""The kernel's face: the verbs over the chapters' functions of records, and the score sheet."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.core.game.record_kernel import Records, compile_kernel
from porta_nigra_env.games.aquileia.rules.compiler import jit
from porta_nigra_env.games.aquileia.rules.determinize import determinize_record, redact_record
from porta_nigra_env.games.aquileia.rules.legal import legal_record
from porta_nigra_env.games.aquileia.rules.observe import observe_record
from porta_nigra_env.games.aquileia.rules.privileged import privileged_record
from porta_nigra_env.games.aquileia.rules.reset import reset_record
from porta_nigra_env.games.aquileia.rules.scoring import colour_counted, fill_sheet
from porta_nigra_env.games.aquileia.rules.step import step_record

KERNEL, score_sheet = compile_kernel(
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
def theatre_colour(constants: Any, states: Any, row: int, seat: int, card: int) -> int:
    """The colour that a theatre card would count for in the hands of a seat (A54)."""
    return colour_counted(constants[0], states[row], seat, card)
