"""The game's kernel and score sheet, bound to the functions of the chapters."""

from __future__ import annotations

from porta_nigra_env.core.game.record_kernel import Records, compile_kernel
from porta_nigra_env.games.porta_nigra.rules.compiler import jit
from porta_nigra_env.games.porta_nigra.rules.determinize import determinize_record, redact_record, redraw_record
from porta_nigra_env.games.porta_nigra.rules.dispatch import legal_record, step_record
from porta_nigra_env.games.porta_nigra.rules.observe import observe_record, privileged_record
from porta_nigra_env.games.porta_nigra.rules.reset import reset_record
from porta_nigra_env.games.porta_nigra.rules.scoring import fill_sheet

KERNEL, score_sheet = compile_kernel(
    "porta_nigra",
    Records(
        reset=reset_record,
        step=step_record,
        legal=legal_record,
        observe=observe_record,
        determinize=determinize_record,
        redact=redact_record,
        redraw=redraw_record,
        privileged=privileged_record,
        sheet=fill_sheet,
    ),
    jit,
)
