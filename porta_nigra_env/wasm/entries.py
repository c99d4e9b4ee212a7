"""Exports of a module: a game's kernel functions and policies over addresses of the module's memory.

All arguments are 32-bit integers: a 64-bit integer at the border to JavaScript costs five times the whole call. A seed
is passed as its low and high half. The functions are templates whose placeholders a game replaces (`entries_of`). An
address is the start of an array; the caller lays memory out by the sizes in the manifest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from porta_nigra_env.core.arrays import bits, rng
from porta_nigra_env.core.batch.policy import RANDOM, Policy, chain
from porta_nigra_env.core.compile.records import copy_row
from porta_nigra_env.core.compile.template import Replacements, Template
from porta_nigra_env.core.drawing.draw_list import COLUMNS
from porta_nigra_env.core.game import contract as kernel
from porta_nigra_env.core.game.component_game import ComponentGame
from porta_nigra_env.core.game.contract import Constants, ConstantsArray, State, States
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.narration.facts import Change
from porta_nigra_env.core.narration.reading import NUM_COLUMNS, read_all
from porta_nigra_env.wasm.arrays import (
    FLOAT32,
    FLOAT64,
    INT8,
    INT32,
    INT64,
    UINT8,
    UINT64,
    array_at,
    constants_at,
    layout_of,
    num_words,
    states_at,
)
from porta_nigra_env.wasm.forward import FORWARD


def paint(constants: Constants, state: State, viewer: int, rows: Any) -> None:
    """Write a game's draw list (`core.drawing.draw_list.Drawing.draw`): a placeholder that `entries_of` replaces."""
    raise NotImplementedError


def canvas_rows() -> int:
    """Return the number of rows of a canvas: another placeholder."""
    raise NotImplementedError


def change_by(remedy: int, constants: Constants, state: State, player: int, kind: int, first: int, second: int) -> bool:
    """Change a record by a remedy given by number (`core.narration.facts.Change`): a placeholder."""
    raise NotImplementedError


def refresh_record(constants: Constants, state: State) -> None:
    """Update the derived fields of a record (`core.narration.facts.Narration.refresh`): a placeholder."""
    raise NotImplementedError


def fill_sheet(constants: ConstantsArray, states: States, row: int, sheet: Any) -> None:
    """Write a game's score sheet (`core.game.component_game.ComponentGame.score_sheet`): a placeholder."""
    raise NotImplementedError


#: Exports of every game, and of games with a drawing, a narration or a score sheet.
template, drawing_template, narration_template, sheet_template = Template(), Template(), Template(), Template()


def joined(low: Any, high: Any) -> int:
    """Return the seed of two halves."""
    return (int(high) << 32) | (int(low) & 0xFFFFFFFF)


@template
def reset(constants: int, state: int, low: int, high: int, players: int) -> None:
    kernel.reset(constants_at(constants), states_at(state, 1), 0, joined(low, high), players)


@template
def step(constants: int, state: int, action: int) -> None:
    kernel.step(constants_at(constants), states_at(state, 1), 0, action)


@template
def legal(constants: int, state: int, words: int) -> None:
    kernel.legal(constants_at(constants), states_at(state, 1), 0, array_at(words, UINT64, (num_words(),)))


@template
def legal_ids(constants: int, state: int, words: int, ids: int) -> int:
    """Write the ids of the legal actions, int32 ascending, and return their number; `words` is scratch."""
    found = array_at(words, UINT64, (num_words(),))
    kernel.legal(constants_at(constants), states_at(state, 1), 0, found)
    count = 0
    out = array_at(ids, INT32, (64 * num_words(),))
    while True:
        action = bits.take_lowest(found)
        if action < 0:
            return count
        out[count] = action
        count += 1


@template
def observe(constants: int, state: int, player: int, out: int, size: int) -> None:
    found = array_at(out, FLOAT32, (size,))
    kernel.observe(constants_at(constants), states_at(state, 1), 0, player, found)


@template
def privileged(constants: int, state: int, out: int, size: int) -> None:
    kernel.privileged(constants_at(constants), states_at(state, 1), 0, array_at(out, FLOAT32, (size,)))


@template
def determinize(constants: int, state: int, player: int, low: int, high: int) -> None:
    kernel.determinize(constants_at(constants), states_at(state, 1), 0, player, joined(low, high))


@template
def redact(constants: int, state: int, player: int) -> None:
    kernel.redact(constants_at(constants), states_at(state, 1), 0, player)


@template
def score(constants: int, state: int, totals: int) -> None:
    states = states_at(state, 1)
    kernel.score(constants_at(constants), states, 0, array_at(totals, INT32, (int(states[0]["num_players"]),)))


@template
def rank(constants: int, state: int, totals: int, places: int) -> None:
    """Write totals like `score`, and the ranks computed from them."""
    states = states_at(state, 1)
    players = int(states[0]["num_players"])
    found = array_at(totals, INT32, (players,))
    kernel.score(constants_at(constants), states, 0, found)
    kernel.rank(constants_at(constants), states, 0, found, array_at(places, INT8, (players,)))


@template
def points(constants: int, state: int, out: int) -> None:
    states = states_at(state, 1)
    kernel.points(constants_at(constants), states, 0, array_at(out, INT32, (int(states[0]["num_players"]),)))


@template
def rounds(constants: int, state: int) -> int:
    return int(kernel.rounds(constants_at(constants), states_at(state, 1), 0))


@template
def current_player(state: int) -> int:
    return int(states_at(state, 1)[0]["current_player"])


@template
def seed_chance(policy_rng: int, low: int, high: int) -> None:
    """Seed the policy RNG, int64 (3,)."""
    rng.seed_policy_rng(array_at(policy_rng, INT64, (3,)), joined(low, high))


@template
def later_seed(low: int, high: int, number: int, out: int) -> None:
    """Write the seed of the game `number` after that of a seed, int32 (2,): its low and high half."""
    seed = rng.later_seed(joined(low, high), number)
    halves = array_at(out, INT32, (2,))
    halves[0] = seed & 0xFFFFFFFF
    halves[1] = seed >> 32


@template
def choose(
    policy: int, constants: int, state: int, parameters: int, count: int, policy_rng: int, words: int, scratch: int
) -> int:
    """Return the action that a policy chooses for the player to move; -1 when the game is over.

    The policy reads a redacted copy in `scratch`, as large as a state. `words` is scratch, too.
    parameters: float64 (count,), of the policy.
    """
    states, seen = states_at(state, 1), states_at(scratch, 1)
    player = int(states[0]["current_player"])
    if player < 0:
        return -1
    copy_row(seen, 0, states, 0)
    given, found = constants_at(constants), array_at(words, UINT64, (num_words(),))
    kernel.redact(given, seen, 0, player)
    kernel.legal(given, seen, 0, found)
    return int(
        kernel.choose_by(
            policy, given, seen, 0, player, found, array_at(parameters, FLOAT64, (count,)),
            array_at(policy_rng, INT64, (3,)),
        )
    )  # fmt: skip


@drawing_template
def draw(constants: int, state: int, viewer: int, canvas: int) -> None:
    """Write the draw list of a state redacted for the viewer, or of the full state for -1 (`core.drawing.draw_list`).

    canvas: int32 (rows + 1, columns), with the maximum number of rows of the drawing.
    """
    rows = array_at(canvas, INT32, (canvas_rows(), len(COLUMNS)))
    rows[0, 0] = 0
    paint(constants_at(constants)[0], states_at(state, 1)[0], viewer, rows)


@sheet_template
def score_sheet(constants: int, state: int, out: int, columns: int) -> None:
    """Write the points of all seats by column as if the game ended now, int32 (players, columns)."""
    states = states_at(state, 1)
    sheet = array_at(out, INT32, (int(states[0]["num_players"]), columns))
    for seat in range(sheet.shape[0]):
        for column in range(columns):
            sheet[seat, column] = 0
    fill_sheet(constants_at(constants), states, 0, sheet)


@narration_template
def read_facts(layout: int, facts: int, state: int, size: int, values: int, count: int) -> None:
    """Write the values of all facts of a redacted state (`core.narration.reading.read_all`), int64 (count,).

    layout: int64 (facts, columns); size: of the state, in bytes.
    """
    table = array_at(layout, INT64, (facts, NUM_COLUMNS))
    read_all(table, array_at(state, UINT8, (size,)), array_at(values, INT64, (count,)))


@narration_template
def remedy(number: int, constants: int, state: int, player: int, kind: int, first: int, second: int) -> int:
    """Change a state by a remedy; return 0 where it does not apply to the action (`core.narration.facts.Change`)."""
    return int(change_by(number, constants_at(constants)[0], states_at(state, 1)[0], player, kind, first, second))


@narration_template
def refresh(constants: int, state: int) -> None:
    """Update the derived fields of a state after remedies."""
    refresh_record(constants_at(constants)[0], states_at(state, 1)[0])


def _chained(changes: Sequence[Change]) -> Any:
    """Return one function that calls a change by number; it halves them, as `core.batch.policy.chain` does."""
    if len(changes) == 1:
        (only,) = changes

        def alone(number: int, constants: Any, state: Any, player: int, kind: int, first: int, second: int) -> bool:
            return only(constants, state, player, kind, first, second)

        return alone
    even, odd = _chained(changes[::2]), _chained(changes[1::2])

    def half(number: int, constants: Any, state: Any, player: int, kind: int, first: int, second: int) -> bool:
        if number % 2 == 0:
            return bool(even(number // 2, constants, state, player, kind, first, second))
        return bool(odd(number // 2, constants, state, player, kind, first, second))

    return half


def _never(constants: Any, state: Any, player: int, kind: int, first: int, second: int) -> bool:
    return False


def _unchanged(constants: Any, state: Any) -> None:
    pass


def policies_of(kind: type[Game]) -> dict[str, Policy]:
    """Return the policies of `choose` by number, in this order: the random policy and those of the game."""
    return {RANDOM.name: RANDOM, **kind.policies()}


def export(template: Template, game: Game, replacements: Replacements) -> dict[str, Callable[..., Any]]:
    """Return the functions of a template over a game, by name; nothing is compiled yet."""
    made = template.specialize(game.name, replacements, lambda function: function)
    return {function.__name__: made[function] for function in template.functions}


def entries_of(kind: type[Game]) -> dict[str, Callable[..., Any]]:
    """Return the functions that the module of a game exports, by name."""
    game = kind()
    policies = list(policies_of(kind).values())
    replacements = {
        **kind.kernel.replacements,
        **layout_of(game),
        kernel.choose_by: chain(kind.name, policies, lambda function: function),
    }
    exported = export(template, game, replacements)
    if (drawing := game.drawing()) is not None:
        rows = drawing.max_rows + 1
        exported |= export(drawing_template, game, {**replacements, paint: drawing.draw, canvas_rows: lambda: rows})
    if (narration := game.narration()) is not None:
        changes = [remedy.change for remedy in narration.remedies] or [_never]
        words = {change_by: _chained(changes), refresh_record: narration.refresh or _unchanged}
        exported |= export(narration_template, game, {**replacements, **words})
    if issubclass(kind, ComponentGame):
        exported |= export(sheet_template, game, {**replacements, fill_sheet: kind.score_sheet})
    return exported | FORWARD
