"""Searches against each other: what simulations, and what is hidden, are worth; sections of `agents.arena.analysis`."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from matplotlib.figure import Figure

from agents.arena.plots import png
from agents.arena.ratings import Estimate
from agents.arena.sections import section
from agents.arena.tables import markdown
from agents.files import write_whole
from agents.tournament import arena_of, run


def share_text(one: Estimate) -> str:
    """A share with its interval, in percent."""
    return f"{one.value:.1%} ({one.low:.1%} to {one.high:.1%})"


class Counterpart(NamedTuple):
    """Who sees what a search does not: its agent, and what that is."""

    agent: str
    sees: str


#: Of the searches that have one.
COUNTERPARTS: Final = {
    "ismcts": Counterpart("cheating-mcts", "everything, the future included"),
    "mirror": Counterpart("seeing-mirror", "all hands, but not the order of the piles"),
}


def unit(text: str) -> str:
    """What a search's budget counts.

    >>> unit("ismcts:rounds=1"), unit("seeing-mirror")
    ('simulations', 'worlds')
    """
    return "worlds" if text.partition(":")[0].endswith("mirror") else "simulations"


def budgeted(text: str, budget: int) -> str:
    """A search with so many simulations, or worlds."""
    return f"{text}{',' if ':' in text else ':'}{unit(text)}={budget}"


def seeing(text: str) -> str:
    """The same search that sees what is hidden; ValueError if there is none."""
    name, colon, rest = text.partition(":")
    if name not in COUNTERPARTS:
        raise ValueError(f"only {' and '.join(COUNTERPARTS)} have a counterpart that sees more, {name} has not")
    return f"{COUNTERPARTS[name].agent}{colon}{rest}"


@dataclass(frozen=True)
class Duels:
    """Two agents against each other, at the fewest players of a game.

    Attributes:
        game: its name.
        players: how many sit there; the others' seats are shared evenly.
        games: of each pair.
        seed: of the deals.
        folder: where the games are kept.
        jobs: processes.
    """

    game: str
    players: int
    games: int
    seed: int
    folder: Path
    jobs: int = 1

    def play(self, first: str, second: str, name: str) -> tuple[Estimate, str]:
        """How often the first of two agents wins, and in how many games of how many deals; kept under `name`."""
        arena = arena_of((first, second), self.seed, self.game)
        results = run(arena, [self.players], self.games, self.folder / name, self.jobs, progress=True)
        found = section(results.games, [first, second], self.players, second)
        assert found is not None
        share = next(one.win for one in found.standings if one.agent == first)
        return share, f"{found.games:,} games, {found.deals:,} deals"


def growth(text: str, budgets: Sequence[int], duels: Duels) -> str:
    """Neighbouring budgets of a search against each other: a section; its plot goes into the folder."""
    counted = unit(text)
    rows, shares = [], []
    pairs = list(itertools.pairwise(budgets))
    for less, more in pairs:
        one, counts = duels.play(budgeted(text, more), budgeted(text, less), f"growth/{less}_{more}")
        shares.append(one)
        rows.append([f"{more:,}", f"{less:,}", counts, share_text(one)])
    figure = Figure(figsize=(6, 0.5 * len(shares) + 1.0), layout="constrained")
    axes = figure.subplots()
    labels = [f"{more:,} against {less:,}" for less, more in pairs]
    errors = [[one.value - one.low for one in shares], [one.high - one.value for one in shares]]
    axes.errorbar([one.value for one in shares], labels, xerr=errors, fmt="o", capsize=4)
    axes.axvline(1 / duels.players, color="grey", linewidth=1)
    axes.set_xlim(0, 1)
    axes.margins(y=0.4)
    axes.set_xlabel(f"win share of the larger number of {counted}, 95 %")
    write_whole(duels.folder / "game_growth.png", png(figure))
    return (
        f"## Strength and {counted}\n\n`{text}` against itself with fewer {counted}, {duels.players} players.\n\n"
        f"{markdown([counted, 'against', 'games', 'win share'], rows, left=0)}\n\n![Growth](game_growth.png)"
    )


def price(text: str, budget: int, duels: Duels) -> str:
    """A search that sees what is hidden against the same one that does not: a section."""
    fair, cheating = budgeted(text, budget), budgeted(seeing(text), budget)
    one, counts = duels.play(cheating, fair, "information")
    even = 1 / duels.players
    place = "above" if one.high < even else "below" if one.low > even else "within"
    return (
        f"## The price of hidden information\n\n`{cheating}`, which sees "
        f"{COUNTERPARTS[text.partition(':')[0]].sees}, wins "
        f"{share_text(one)} against `{fair}`, which does not ({counts}, {duels.players} players). The 95 % interval "
        f"excludes that it wins more than {one.high:.1%} or less than {one.low:.1%}; even play, {100 * even:.0f} %, "
        f"is {place} it."
    )
