"""Pages of published networks: ``python -m training.publish pages`` writes them from cards and the published ladder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from agents.arena.ladder import PUBLISHED, Row, read_ladder
from porta_nigra_env.core.files import write_whole
from porta_nigra_env.games import DEFAULT_GAME, game_class, game_entry
from training import ppo
from training.publish.cards import Card, cards, encode_card, read_card
from training.publish.reproduce import SETS
from training.run.folder import NETWORK
from training.run.ranges import option
from training.run.trainer import run_program


@dataclass(frozen=True)
class Options:
    """Rewrite the pages of all published cards."""


def page(card: Card, name: str) -> str:
    """Return the page of a card, in Markdown."""
    runs = card.options()
    commands = [command_of(run, number, number + 1 < len(runs)) for number, run in enumerate(runs)]
    remark = [card.remark, ""] if card.remark else []
    pooled = [run.with_game_defaults() for run in runs if run.pool_fraction]
    met = sorted({f"`{agent}`" for run in pooled for agent in run.pool_agents or ()})
    if any(run.pool_size and run.pool_interval < run.total_timesteps / run.rows for run in pooled) or not met:
        met.append("past selves")
    pool = f" and in games against {', '.join(met)}" if pooled else ""
    named = [f"`{run.teacher}`" for run in runs if run.teacher is not None]
    taught = [*dict.fromkeys(named), *(["the network before it"] if any(run.start_teaches for run in runs) else [])]
    teacher = f", with {' and '.join(taught)} as teacher{'s' if taught[1:] else ''}," if taught else ""
    lines = [
        f"# {name}", "",
        f"Trained by self-play{pool}{teacher} for {', '.join(card.against)} "
        f"players: {' and '.join(format(run.total_timesteps / 1e6, '.0f') for run in runs)} million steps, "
        f"seed {' and '.join(str(run.seed) for run in runs)}, "
        f"{' and '.join(f'{one.minutes:.0f} minutes on {one.machine}' for one in card.spent)}.", "",
        "```", *commands, f"python -m training.publish reproduce {name}", "```", "", *remark,
        f"Most probable action, no search, against `{card.opponent}` on {card.deals} duplicate deals, each from every "
        f"seat{f', with {SETS} drawn component sets that training had not' if runs[-1].component_sets else ''}:", "",
        "| players | wins | 95 % | even | margin | a reproduction may land in |", "|---|---|---|---|---|---|",
    ]  # fmt: skip
    for players, one in card.against.items():
        share, low, high = one.share
        least, most = one.lands_in
        lines.append(
            f"| {players} | {share:.1%} | {low:.1%} to {high:.1%} | {1 / int(players):.0%} | {one.margin:+.1f} "
            f"| {least:.0%} to {most:.0%} |"
        )
    ladder, game = read_ladder(PUBLISHED), runs[-1].game
    ranks = ladder.players if ladder.game == f"{game}_v{game_entry(game).version}" else {}
    rows = [line for players in card.against for line in _ladder_row(game, name, players, ranks.get(players, ()))]
    if rows:
        head = ["", "On [the ladder](../../../../../docs/agents.md#the-ladder), as the agent `network`:", ""]
        lines += [*head, "| players | rank | rating | 95 % | win rate | 95 % |", "|---|---|---|---|---|---|", *rows]
    lines += _gates(card) + _strongest(card) + _exploiters(card)
    for number in range(len(runs)):
        lines += ["", f"![learning curve]({curve_name(name, number)})"]
    return "\n".join([*lines, ""])


def write_card(file: Path, card: Card) -> None:
    """Write a card and its page."""
    write_whole(file, encode_card(card))
    write_whole(file.with_suffix(".md"), page(card, file.stem))


def _gates(card: Card) -> list[str]:
    """Return the lines about sequential tests against other networks."""
    if not card.gates:
        return []
    lines = [
        "", "Sequential tests against other networks on all other seats (`python -m training.publish gate`):", "",
        "| players | against | H0, H1 (Elo) | result | games | wins |", "|---|---|---|---|---|---|",
    ]  # fmt: skip
    for players, ones in card.gates.items():
        for one in ones:
            low, high = one.elo
            lines.append(
                f"| {players} | {one.against} | {low:g}, {high:g} | {'passed' if one.passed else 'not passed'} "
                f"| {one.games} | {one.share:.1%} |"
            )
    return lines


def _strongest(card: Card) -> list[str]:
    """Return the lines about the strongest agents found against the network."""
    if not card.strongest:
        return []
    lines = [
        "", "The agents with the largest win rates found against this network alone, by the lower bounds, on one seat "
        "with the network on all others. A best response wins at least as much.", "",
        "| players | agent | wins | 95 % | even |", "|---|---|---|---|---|",
    ]  # fmt: skip
    for players, one in card.strongest.items():
        share, low, high = one.share
        lines.append(f"| {players} | `{one.agent}` | {share:.1%} | {low:.1%} to {high:.1%} | {1 / int(players):.0%} |")
    return [*lines, "", "```", *dict.fromkeys(one.command for one in card.strongest.values()), "```"]


def _exploiters(card: Card) -> list[str]:
    """Return the lines about exploiters."""
    if not card.exploiters:
        return []
    commands = dict.fromkeys(" ".join(one.options) for one in card.exploiters.values())
    lines = [
        "", "Exploiters, each trained against the most probable action of this network on all other seats: win rates "
        "in their first, best and last evaluation. The best of several on the same deals is somewhat too high.", "",
        "```", *(f"python -m training.league exploit {options}" for options in commands), "```", "",
        "| players | exploiter's steps | wins | 95 % | even | with search |", "|---|---|---|---|---|---|",
    ]  # fmt: skip
    for players, one in card.exploiters.items():
        best = max(one.curve, key=lambda point: point[1])
        for steps, share, low, high in sorted({one.curve[0], best, one.curve[-1]}):
            search = f"{one.search[0]:.1%}" if one.search and steps == one.curve[-1][0] else ""
            lines.append(
                f"| {players} | {steps / 1e6:.1f} M | {share:.1%} | {low:.1%} to {high:.1%} "
                f"| {1 / int(players):.0%} | {search} |"
            )
    return lines


def _ladder_row(game: str, name: str, players: str, rows: Sequence[Row]) -> list[str]:
    """Return the row of the agent `network` on the ladder, if it plays this network at this number of players."""
    file = game_class(game).networks().get(int(players))
    if file is None or file.stem != name:
        return []
    lines = []
    for rank, one in enumerate(rows, 1):
        if one.agent == "network":
            rating, lowest, highest = one.rating
            share, low, high = one.win
            lines.append(
                f"| {players} | {rank} of {len(rows)} | {rating:.0f} | {lowest:.0f} to {highest:.0f} "
                f"| {share:.1%} | {low:.1%} to {high:.1%} |"
            )
    return lines


def curve_name(model: str, number: int) -> str:
    """Return the file name of a run's learning curve, next to the card."""
    return f"{model}_{number + 1}.png" if number else f"{model}.png"


def command_of(run: ppo.Options, number: int = 0, more: bool = False) -> str:
    """Return the command of run `number` of a card; with `more` it names the folder for the next run."""
    words = ["python -m training.ppo"]
    if run.game != DEFAULT_GAME:
        words += ["--game", run.game]
    if number:
        words += ["--start", f"runs/part-{number}/{NETWORK}"]
    defaults = asdict(ppo.Options(game=run.game).with_game_defaults())
    for name, value in asdict(run.with_game_defaults()).items():
        if value == defaults[name]:
            continue
        if isinstance(value, bool):
            words.append(option(name if value else f"no_{name}"))
        else:
            words += [option(name), *map(str, value if isinstance(value, tuple) else [value])]
    return " ".join([*words, "--out", f"runs/part-{number + 1}"] if more else words)


def run() -> int:
    """Write the pages of all cards once all can be read; return the exit code."""

    def write(pages: dict[str, str]) -> int:
        for name, text in pages.items():
            write_whole(cards()[name].with_suffix(".md"), text)
        return 0

    return run_program(lambda: {name: page(read_card(file), name) for name, file in cards().items()}, write)
