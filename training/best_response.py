"""How far a player can be exploited: ``python -m training.best_response network --ppo.players 2``.

Trains an exploiter by `training.ppo`: it learns on one seat, and the victim, which never changes, has all the others.
The share of games that it wins is a lower bound of what a best response wins: one that stays at an even share shows
that this exploiter found nothing, not that there is nothing to find (Timbers and others, *Approximate exploitability:
Learning a best response*, arXiv 2004.09677).

Every number of players has an exploiter of its own.  The folder holds their runs, ``players-N/``, with the exploiters'
networks, and the curves of win shares over decisions: ``best_response.json``, ``best_response.png``.  The same command
goes on after an interruption.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import tyro

from agents.arena.matches import deal_seed
from agents.networks.network import load_network
from agents.networks.neural import NetworkAgent
from agents.registry import make, parse
from porta_nigra_env.core.files import write_whole
from porta_nigra_env.core.game.game import Game
from training.cards import Exploiter, read_card, text_of
from training.ppo import program as ppo
from training.ppo.arguments import games_of
from training.publish import page
from training.run import resume as going_on
from training.run.checks import check_least
from training.run.evaluation import answers_of, strength
from training.run.folder import CHECKPOINT, EVALUATIONS, NETWORK, RunError, make_folder, read_lines
from training.run.opponents import opponent
from training.run.trainer import answer

FIGURES: Final = "best_response.json"
PICTURE: Final = "best_response.png"
#: What played under the victim's name, by number of players (`Agent.fingerprint`).
VICTIMS: Final = "victims.json"
#: Iterations after which a past self would enter the pool: never.
NEVER: Final = 1 << 40

#: The deals of searches follow from the seed plus this: those of evaluations are others.
SEARCHED: Final = 5_000_011

#: Decisions played, the exploiter's share of wins, and the bounds of its 95 % interval.
Point = tuple[int, float, float, float]


def _defaults() -> ppo.Arguments:
    return ppo.Arguments(decisions=30_000_000, deals=500)


@dataclass(frozen=True)
class Arguments:
    """Train an exploiter of an agent, and tell the share of games that it wins."""

    victim: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="AGENT")]
    """Who is exploited (python -m agents.registry): network, network:checkpoint=FILE,temperature=1, ..."""
    out: Path = Path("runs/best_response")
    """Folder; an existing one goes on."""
    simulations: int = 0
    """Measure at the end also a search that the exploiter guides, of so many simulations a decision; 0: do not."""
    search_deals: int = 50
    """Duplicate deals of that search, each from every seat."""
    publish: bool = False
    """Write what was found into the cards of the published networks that the victim plays with."""
    ppo: ppo.Arguments = field(default_factory=_defaults)
    """How exploiters learn; of several `players` each has an exploiter of its own.  --ppo.start begins with a network,
    the victim's own for example.  Whom the exploiter meets follows from the victim and cannot be given."""


def arguments_of(asked: Arguments, players: int) -> ppo.Arguments:
    """Those of the run for a number of players."""
    return replace(
        asked.ppo, out=folder_of(asked, players), players=(players,), pool=1.0, pool_agents=(asked.victim,),
        pool_size=1, pool_every=NEVER, evaluate=(asked.victim,),
    )  # fmt: skip


def folder_of(asked: Arguments, players: int) -> Path:
    """Where the exploiter for a number of players learns."""
    return asked.out / f"players-{players}"


def trained(asked: Arguments, players: int) -> list[Point]:
    """The curve of the exploiter for a number of players, trained to its end; what is there already is not done again.

    Raises:
        ValueError: the folder has another run, or one that cannot be gone on with.
    """
    folder = going_on.trained(arguments_of(asked, players)).parent
    lines = read_lines(folder / EVALUATIONS)
    # The victim is the only one that it was measured against.
    return [(line["decisions"], *share) for line in lines for share in line["shares"].values()]


def meet(asked: Arguments, games: Sequence[Game]) -> None:
    """Write down who the victim is, before an exploiter learns against it.

    Raises:
        RunError: exploiters in the folder have learned against another of that name.
    """
    file = asked.out / VICTIMS
    known: dict[str, str] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    found = {str(game.num_players): make(asked.victim, game).fingerprint for game in games}
    for players, fingerprint in found.items():
        folder = folder_of(asked, int(players))
        if (folder / CHECKPOINT).exists() and known.get(players) != fingerprint:
            raise RunError(f"{folder}: its exploiter has learned against another {asked.victim!r}; name another --out")
    make_folder(asked.out)
    write_whole(file, json.dumps(known | found, indent=1) + "\n")


def searcher(asked: Arguments, players: int) -> str:
    """The search that an exploiter guides, as `agents.registry` reads it."""
    return f"guided:checkpoint={folder_of(asked, players) / NETWORK},simulations={asked.simulations}"


def searched(asked: Arguments, game: Game) -> tuple[float, ...]:
    """The share of wins, and its bounds, of a search that the exploiter guides."""
    guided = make(searcher(asked, game.num_players), game, asked.ppo.seed)
    seeds = [deal_seed(asked.ppo.seed + SEARCHED, deal) for deal in range(asked.search_deals)]
    found = strength(answers_of(guided), opponent(asked.victim, game), game, seeds)
    return tuple(round(value, 4) for value in found.share)


def figures(asked: Arguments, games: Sequence[Game]) -> dict[str, Any]:
    """Train all exploiters, and write what they found after each; returns it.

    Raises:
        ValueError: as of `meet` and `trained`.
    """
    meet(asked, games)
    found: dict[str, Any] = {"game": asked.ppo.game, "victim": asked.victim, "curves": {}, "searches": {}}
    if (file := asked.out / FIGURES).exists():
        # Of exploiters for other numbers of players.
        known = json.loads(file.read_text(encoding="utf-8"))
        going_on.check_same(asked.out, known, {"game": asked.ppo.game, "victim": asked.victim})
        found |= known
    for game in games:
        players = game.num_players
        found["curves"][str(players)] = trained(asked, players)
        write_whole(asked.out / PICTURE, picture(found["curves"], asked.victim))
        write_whole(asked.out / FIGURES, json.dumps(found, indent=1) + "\n")
        if asked.simulations:
            found["searches"][str(players)] = searched(asked, game)
            write_whole(asked.out / FIGURES, json.dumps(found, indent=1) + "\n")
    return found


def published_cards(asked: Arguments, games: Sequence[Game]) -> dict[str, Path]:
    """The cards of the networks that the victim plays with, by the number of players.

    Raises:
        ValueError: it is no published network that plays its most probable actions.
    """
    found = {}
    for game in games:
        file, victim = game.networks().get(game.num_players), make(asked.victim, game)
        best = isinstance(victim, NetworkAgent) and victim.temperature == 0.0
        if not best or file is None or victim.fingerprint != load_network(file, game).fingerprint():
            raise ValueError(f"--publish: {asked.victim!r} is no published network, {game.num_players} players")
        found[str(game.num_players)] = file.with_suffix(".json")
    return found


def publish(found: Mapping[str, Any], options: Sequence[str], files: Mapping[str, Path]) -> None:
    """Write what was found into cards, and their pages anew."""
    for players, file in files.items():
        curve = tuple(tuple(point) for point in found["curves"][players])
        exploiter = Exploiter(tuple(options), curve, tuple(found["searches"].get(players, ())))
        card = read_card(file)
        card = msgspec.structs.replace(card, exploiters={**card.exploiters, players: exploiter})
        write_whole(file, text_of(card))
        write_whole(file.with_suffix(".md"), page(card, file.stem))


def picture(curves: Mapping[str, Sequence[Point]], victim: str) -> bytes:
    """A PNG: the exploiters' win shares over decisions, with their intervals and even shares."""
    from matplotlib.figure import Figure

    from agents.arena.plots import png

    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.subplots()
    for players, points in curves.items():
        decisions, shares, low, high = zip(*points, strict=True)
        millions = [one / 1e6 for one in decisions]
        (line,) = axes.plot(millions, shares, marker="o", markersize=3, label=f"{players} players")
        axes.fill_between(millions, low, high, alpha=0.2, color=line.get_color())
        axes.axhline(1 / int(players), color=line.get_color(), linestyle=":", linewidth=1)
    axes.set(xlabel="million decisions of the exploiter", ylabel="games won (95 %); dotted: even", ylim=(0, 1.02))
    axes.set_title(f"Exploiters of {victim}")
    axes.grid(alpha=0.3)
    axes.legend(loc="upper left")
    return png(figure)


def summary(found: Mapping[str, Any]) -> str:
    """A line for each number of players."""
    lines = []
    for players, points in found["curves"].items():
        decisions, share, low, high = points[-1]
        line = f"{players} players: wins {share:.1%} ({low:.1%} to {high:.1%}, even is {1 / int(players):.0%}) "
        line += f"after {decisions / 1e6:.1f} M decisions"
        if players in found["searches"]:
            share, low, high = found["searches"][players]
            line += f"; with search {share:.1%} ({low:.1%} to {high:.1%})"
        lines.append(line)
    return "\n".join(lines)


def check(asked: Arguments) -> list[Game]:
    """The games; ValueError that names the first argument that cannot be used."""
    check_least(asked, {"simulations": 0, "search_deals": 1})
    if asked.search_deals != Arguments.search_deals and not asked.simulations:
        raise ValueError("--search-deals: of a search; say how many --simulations, or leave it out")
    untouched = ppo.Arguments()
    for name in ("out", "resume", "rivals", "evaluate", "pool", "pool_agents", "pool_size", "pool_every"):
        if getattr(asked.ppo, name) != getattr(untouched, name):
            raise ValueError(f"--ppo.{name.replace('_', '-')}: that follows from the victim")
    if asked.simulations and asked.ppo.reward != "outcome":
        raise ValueError(f"--simulations: a search needs --ppo.reward outcome, not {asked.ppo.reward!r}")
    games = games_of(asked.ppo)
    for game in games:
        ppo.check(arguments_of(asked, game.num_players))
        if asked.simulations:
            parse(searcher(asked, game.num_players))
        opponent(asked.victim, game)
    return games


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; its answers are those of `trainer.answer`."""
    options = sys.argv[1:] if argv is None else argv
    asked = tyro.cli(Arguments, args=options, prog="python -m training.best_response")

    def checked() -> tuple[list[Game], dict[str, Path]]:
        games = check(asked)
        return games, published_cards(asked, games) if asked.publish else {}

    def to_its_end(with_whom: tuple[list[Game], dict[str, Path]]) -> int:
        games, cards = with_whom
        found = figures(asked, games)
        publish(found, [one for one in options if one != "--publish"], cards)
        print(f"{summary(found)}\ncurves: {asked.out / FIGURES}, {asked.out / PICTURE}")
        return 0

    return answer(checked, to_its_end)


if __name__ == "__main__":
    raise SystemExit(main())
