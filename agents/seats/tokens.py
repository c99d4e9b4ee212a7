"""The length of prompts in tokens: ``python -m agents.seats.tokens``.

Agents play whole games, and every prompt of every seat is counted.  A tokenizer of the package tiktoken counts exactly;
without it, `agents.seats.prompt.tokens_of` estimates.  If the package litellm is installed, its copy of cl100k_base
serves without a network.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import tyro

from agents.arena import program
from agents.arena.program import Program, at_least
from agents.registry import make
from agents.seats.local import LIVE, LocalTable, Terms
from agents.seats.prompt import BASE, EACH, tokens_of
from porta_nigra_env.core.game.game import Game, check_seats, check_seed
from porta_nigra_env.core.narration.language import SOURCE
from porta_nigra_env.extras import imported
from porta_nigra_env.games import GAMES, game_entry, make_game

PROGRAM = Program("agents.seats.tokens")


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Count the tokens of prompts and rules."""

    games: tyro.conf.Positional[tuple[str, ...]] = ()
    """names of games (default: all)"""

    players: tuple[int, ...] = ()
    """numbers of players (default: all that a game allows)"""

    agent: str = "builder"
    """agent on all seats; random where a game does not have it"""

    deals: int = 2
    """games for each number of players"""

    seed: int = 1
    """seed of the first game"""

    language: str = SOURCE
    """language of the sentences: en or de"""

    tokenizer: str = "cl100k_base"
    """an encoding of tiktoken, or estimate"""


def counter(name: str) -> Callable[[str], int]:
    """Return a function that counts the tokens of a text. Raises ValueError for an unknown tokenizer."""
    if name == "estimate":
        return tokens_of
    found = find_spec("litellm")
    if found is not None and found.submodule_search_locations and "TIKTOKEN_CACHE_DIR" not in os.environ:
        folder = Path(found.submodule_search_locations[0], "litellm_core_utils", "tokenizers")
        os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    try:
        encoding = imported("tiktoken", "seats").get_encoding(name)
    except ImportError as error:
        raise ValueError(f"--tokenizer {name}: {error}; --tokenizer estimate needs nothing") from None
    return lambda text: len(encoding.encode(text, disallowed_special=()))


def prompts(game: Game, agent: str, seed: int, terms: Terms) -> Iterator[str]:
    """Yield every prompt of a game in which agents of one string play all seats."""
    table = LocalTable(game, [LIVE] * game.num_players, seed, terms)
    agents = [make(agent, game, seed + seat) for seat in range(game.num_players)]
    while not table.is_over:
        seat = table.mover
        yield table.prompt(seat)
        table.act(seat, int(agents[seat].act(table.view(seat))))


def measured(arguments: Arguments, name: str, players: int, count: Callable[[str], int]) -> str:
    """Return the line of a game with a number of players."""
    game, terms = make_game(name, players), Terms(language=arguments.language)
    agent = (
        arguments.agent if arguments.agent not in known_policies() or arguments.agent in game.policies() else "random"
    )
    seeds = range(arguments.seed, arguments.seed + arguments.deals)
    sizes = sorted(count(text) for seed in seeds for text in prompts(game, agent, seed, terms))
    rules = count(LocalTable(game, [LIVE] * players, 1, terms).rules())
    shown = sizes[len(sizes) // 2], sizes[len(sizes) * 99 // 100], sizes[-1], BASE + EACH * players, rules
    return f"{name:<16}{players:>7}{len(sizes):>9}" + "".join(f"{size:>8}" for size in shown)


def known_policies() -> set[str]:
    """Return the names of the compiled players of all games."""
    return {policy for name in GAMES for policy in make_game(name).policies()}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; invalid arguments exit with 2."""
    arguments = program.arguments(Arguments, argv, PROGRAM.name, __doc__ or "")
    with PROGRAM.refusing():
        at_least(1, deals=arguments.deals)
        check_seed(arguments.seed)
        Terms(language=arguments.language)
        count = counter(arguments.tokenizer)
        asked = {name: game_entry(name).seats for name in arguments.games or GAMES}
        numbers = {
            name: [check_seats(one, seats) for one in arguments.players] or seats for name, seats in asked.items()
        }
    print(f"{'game':<16}players  prompts  median     99%    most  budget   rules   ({arguments.tokenizer})")
    for name, players in numbers.items():
        for one in players:
            print(measured(arguments, name, one, count), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
