"""A person at the terminal against agents: ``python -m agents.human ismcts:simulations=2000``.

She sees what her seat may see as a text board and types the texts of actions; the tabulator key completes them.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import tyro

from agents.agent import Agent
from agents.arena import program
from agents.arena.program import Program
from agents.registry import AgentError, listing, make
from porta_nigra_env.core.game.game import Game, IllegalActionError, check_seed, new_seed
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.game.undo import shows_news
from porta_nigra_env.games import DEFAULT_GAME, make_game

PROGRAM = Program("agents.human")

HELP: Final = """\
  an action's text    plays it; a beginning that only one legal action has is enough
  legal               the legal actions
  board               the board once more
  undo                takes back your last decision of this turn, as long as nothing new was seen since
  hint [AGENT]        what an agent would do; without a name, the one that was named with --hints
  help                this list
  quit                ends the game
"""


class Quit(Exception):
    """The person has left the table."""


class TerminalGame:
    """One game at the terminal.

    Args:
        game: the game.
        seed: of the game, in 0..2**63-1.
        person: her seat.
        agents: who plays the other seats, all of them.
        hints: name of the agent that is asked for hints.
        ask: shows a prompt and returns a line, as `input` does; EOFError ends the game.
        tell: shows a line.
    """

    def __init__(
        self,
        game: Game,
        seed: int,
        person: int,
        agents: Mapping[int, Agent],
        hints: str = "random",
        ask: Callable[[str], str] | None = None,
        tell: Callable[[str], object] = print,
    ) -> None:
        if set(agents) != set(range(game.num_players)) - {person}:
            raise ValueError(f"agents: every seat but the person's, {person}, needs one; there are {sorted(agents)}")
        if any(agent.cheats for agent in agents.values()):
            raise ValueError("agents: one that cheats does not play with people")
        self.state = State(game, game.new_states(check_seed(seed)))
        self.person = person
        self._agents, self._hints, self._ask, self._tell = agents, hints, ask or input, tell
        self._taken: list[State] = []  # positions to go back to

    def play(self) -> None:
        """Until the game is over; `Quit` if the person leaves before."""
        shown = False
        while not self.state.is_over:
            player = self.state.current_player
            assert player is not None
            if player == self.person:
                if not shown:
                    self._tell(f"\n{self.state.game.board(self.state.states, 0, player)}")
                shown = not self._decide()
            else:
                shown = False
                self._taken.clear()
                agent = self._agents[player]
                action = int(agent.act(self.state.view(player)))
                known = self.state.game.told(action, to=self.person, by=player) is not None
                text = self.state.action_text(action) if known else "something that you do not see"
                self.state.apply_id(action)
                self._tell(f"player {player} ({agent.name}): {text}")
        self._tell(f"\n{self.state}")
        for seat, total in enumerate(self.state.totals().tolist()):
            who = "you" if seat == self.person else self._agents[seat].name
            self._tell(f"player {seat} ({who}): {total}{'   wins' if seat in self.state.winners() else ''}")

    def complete(self, text: str) -> list[str]:
        """What a line that begins so may become."""
        commands = ["legal", "board", "undo", "hint ", "help", "quit"]
        return [one for one in (*self.state.legal_actions(), *commands) if one.startswith(text)]

    def _decide(self) -> bool:
        """One line of the person; True if the position has changed."""
        try:
            line = " ".join(self._ask(f"player {self.person}> ").split())
        except EOFError:
            raise Quit from None
        command, _, rest = line.partition(" ")
        if line in ("", "help", "?"):
            self._tell(HELP.rstrip("\n"))
        elif line == "quit":
            raise Quit
        elif line == "legal":
            self._tell("  " + "\n  ".join(self.state.legal_actions()))
        elif line == "board":
            self._tell(self.state.game.board(self.state.states, 0, self.person))
        elif line == "undo":
            return self._undo()
        elif command == "hint":
            self._hint(rest or self._hints)
        else:
            return self._apply(line)
        return False

    def _apply(self, line: str) -> bool:
        legal = self.state.legal_actions()
        found = [text for text in legal if text.startswith(line)]
        if line not in legal and len(found) > 1:
            self._tell(f"  that may be {', '.join(found)}")
            return False
        before, text = self.state.clone(), found[0] if line not in legal and found else line
        try:
            self.state.apply(text)
        except IllegalActionError as error:
            self._tell(f"  {error}")
            return False
        if shows_news(before, self.state.game.action_id(text), self.person):
            self._taken.clear()
        else:
            self._taken.append(before)
        return True

    def _undo(self) -> bool:
        if not self._taken:
            self._tell("  there is nothing to take back: something new was seen since, or the turn has just begun")
            return False
        self.state = self._taken.pop()
        return True

    def _hint(self, name: str) -> None:
        try:
            agent = make(name, self.state.game)
        except AgentError as error:
            self._tell(f"  {error}")
            return
        if agent.cheats:
            self._tell(f"  {name} cheats, and gives no hints")
            return
        self._tell(f"  {name}: {self.state.action_text(agent.act(self.state.view(self.person)))}")


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Play against agents at the terminal."""

    opponents: tyro.conf.Positional[tuple[str, ...]] = ("ismcts:simulations=1000",)
    """agents of the other seats, from your left on, or one for all of them"""

    game: str = DEFAULT_GAME
    """what is played"""

    players: int | None = None
    """number of players (the fewest there may be)"""

    seat: int = 0
    """your seat"""

    seed: int | None = None
    """of the game and the agents (a new one, which is shown)"""

    hints: str = "ismcts:simulations=2000"
    """the agent that gives hints"""

    components: str = "standard"
    """a component file"""


def started(arguments: Arguments) -> tuple[TerminalGame, int]:
    """The game that a command line asks for, and its seed; ValueError for what cannot be used."""
    game = make_game(arguments.game, arguments.players, arguments.components)
    others, names = game.num_players - 1, arguments.opponents
    if len(names) not in (1, others):
        raise ValueError(f"opponents: name one for all other seats, or {others}, not {len(names)}")
    if not 0 <= arguments.seat < game.num_players:
        raise ValueError(f"--seat must be in 0..{game.num_players - 1}")
    names = names * others if len(names) == 1 else names
    seed = new_seed() if arguments.seed is None else check_seed(arguments.seed)
    make(arguments.hints, game)
    seats = [(arguments.seat + 1 + i) % game.num_players for i in range(others)]
    agents = {seat: make(name, game, seed % 2**62 + seat) for seat, name in zip(seats, names, strict=True)}
    return TerminalGame(game, seed, arguments.seat, agents, arguments.hints), seed


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 2 for arguments it cannot use."""
    description = f"{Arguments.__doc__}\n\nat the prompt:\n{HELP}\n{listing()}"
    arguments = program.arguments(Arguments, argv, PROGRAM.name, description)
    with PROGRAM.refusing():
        played, seed = started(arguments)
    with contextlib.suppress(ImportError):  # not on every system
        import readline

        readline.set_completer_delims("")
        readline.set_completer(lambda text, place: [*played.complete(text), None][place])
        readline.parse_and_bind("tab: complete")
    print(f"seed {seed}; `help` lists what can be typed")
    try:
        played.play()
    except (Quit, KeyboardInterrupt):
        print(f"\nthe game of seed {seed} was left", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
