"""The kernel's face: the verbs over the chapters' functions of records, and what positions are completed with."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.core.game.record_kernel import Records, compile_kernel
from porta_nigra_env.games.gloria_mundi.rules.compiler import jit
from porta_nigra_env.games.gloria_mundi.rules.determinize import determinize_record, redact_record
from porta_nigra_env.games.gloria_mundi.rules.observe import observe_record, privileged_record
from porta_nigra_env.games.gloria_mundi.rules.options import found_options, legal_record
from porta_nigra_env.games.gloria_mundi.rules.reset import reset_record
from porta_nigra_env.games.gloria_mundi.rules.result import fill_sheet, rank_record
from porta_nigra_env.games.gloria_mundi.rules.step import step_record


@jit
def rank(constants: Any, states: Any, row: int, totals: Any, places: Any) -> None:
    """By steps, then by stones; the rest share a place (G41, G42); int8 (players,)."""
    rank_record(states[row], places)


# Steps are never lost again and everybody sees them; in every turn all players act, so turns are what rollouts count.
KERNEL, score_sheet = compile_kernel(
    "gloria_mundi",
    Records(
        reset=reset_record,
        step=step_record,
        legal=legal_record,
        observe=observe_record,
        determinize=determinize_record,
        redact=redact_record,
        privileged=privileged_record,
        sheet=fill_sheet,
        points="steps",
        rounds="turn",
    ),
    jit,
    rank,
)


@jit
def find_options(constants: Any, states: Any, row: int) -> None:
    """Fill in the field `options` of a position whose other fields are given."""
    states[row]["options"] = found_options(constants[0], states[row])
