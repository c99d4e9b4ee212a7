"""A game at the terminal against agents: ``python -m agents.human ismcts:simulations=2000``.

The person sees the view of their seat as a text board and types action strings; the tabulator key completes them.
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
from porta_nigra_env.core.narration.language import SOURCE, check_language
from porta_nigra_env.core.narration.narrator import Narrator
from porta_nigra_env.games import DEFAULT_GAME, make_game

PROGRAM = Program("agents.human")

HELP: Final = """\
  an action           plays it; a prefix that only one legal action has is enough
  legal               lists the legal actions with their effects
  explain [THING]     explains a component with the number of its rule, or lists the components
  board               shows the board again
  undo                takes back your last action of this turn, unless you have seen something new since
  hint [AGENT]        shows the action of an agent, by default that of --hints
  help                shows this list
  quit                ends the game
"""


class Quit(Exception):
    """The person left the game."""


class TerminalGame:
    """One game at the terminal.

    Args:
        game: the game.
        seed: of the game, in 0..2**63-1.
        person: the seat of the person.
        agents: the agents of all other seats.
        hints: the agent string of hints.
        ask: shows a prompt and returns a line, like `input`; EOFError ends the game.
        show: shows a line.
        language: of the sentences, one of `core.narration.language.LANGUAGES`.
    """

    def __init__(
        self,
        game: Game,
        seed: int,
        person: int,
        agents: Mapping[int, Agent],
        hints: str = "random",
        ask: Callable[[str], str] | None = None,
        show: Callable[[str], object] = print,
        language: str = SOURCE,
    ) -> None:
        if set(agents) != set(range(game.num_players)) - {person}:
            raise ValueError(f"agents: every seat but the person's, {person}, needs one; there are {sorted(agents)}")
        self.state = State(game, game.new_states(check_seed(seed)))
        self.person = person
        self._agents, self._hints, self._ask, self._show = agents, hints, ask or input, show
        self._narrator = None if game.narration() is None else Narrator(game, person, language)
        self._undoable: list[State] = []  # states before the actions of this turn

    def play(self) -> None:
        """Play until the game is over; `Quit` if the person leaves before."""
        shown = False
        while not self.state.is_over:
            player = self.state.current_player
            assert player is not None
            if player == self.person:
                if not shown:
                    self._show(f"\n{self.state.game.board(self.state.states, 0, player)}")
                shown = not self._prompt()
            else:
                shown = False
                self._undoable.clear()
                agent = self._agents[player]
                action = int(agent.act(self.state.view(player)))
                visible = self.state.game.told(action, to=self.person, by=player) is not None
                text = self.state.action_text(action) if visible else "something that you do not see"
                before = self.state.clone()
                self.state.apply_id(action)
                self._show(f"player {player} ({agent.name}): {text}{self._told(before)}")
        self._show(f"\n{self.state}")
        for seat, total in enumerate(self.state.totals().tolist()):
            name = "you" if seat == self.person else self._agents[seat].name
            self._show(f"player {seat} ({name}): {total}{'   wins' if seat in self.state.winners() else ''}")

    def complete(self, text: str) -> list[str]:
        """Return the commands and legal actions that start with a text."""
        commands = ["legal", "board", "undo", "hint ", "explain ", "help", "quit"]
        return [line for line in (*self.state.legal_actions(), *commands) if line.startswith(text)]

    def _prompt(self) -> bool:
        """Handle one line of the person; return True if the state has changed."""
        try:
            line = " ".join(self._ask(f"player {self.person}> ").split())
        except EOFError:
            raise Quit from None
        command, _, rest = line.partition(" ")
        if line in ("", "help", "?"):
            self._show(HELP.rstrip("\n"))
        elif line == "quit":
            raise Quit
        elif line == "legal":
            self._show("  " + "\n  ".join(map(self._described, self.state.legal_actions())))
        elif line == "board":
            self._show(self.state.game.board(self.state.states, 0, self.person))
        elif line == "undo":
            return self._undo()
        elif command == "explain":
            self._explain(rest.replace(" ", "_"))
        elif command == "hint":
            self._hint(rest or self._hints)
        else:
            return self._apply(line)
        return False

    def _apply(self, line: str) -> bool:
        legal = self.state.legal_actions()
        matching = [text for text in legal if text.startswith(line)]
        if line not in legal and len(matching) > 1:
            self._show(f"  that may be {', '.join(matching)}")
            return False
        before, text = self.state.clone(), matching[0] if line not in legal and matching else line
        try:
            self.state.apply(text)
        except IllegalActionError as error:
            self._show(f"  {error}{self._reason(text)}")
            return False
        if told := self._told(before):
            self._show(f"  {told.removeprefix(': ')}")
        if shows_news(before, self.state.game.action_id(text), self.person):
            self._undoable.clear()
        else:
            self._undoable.append(before)
        return True

    # -- sentences, for games that have them

    def _described(self, action: str) -> str:
        if self._narrator is None:
            return action
        return f"{action}  ({self._narrator.describe(self.state.view(), self.state.action_id(action))})"

    def _told(self, before: State) -> str:
        """Return the events that the person has seen since a state, after a colon; "" for none."""
        if self._narrator is None:
            return ""
        return ": " + ", ".join(map(self._narrator.event, self.state.events(before, self.person)))

    def _reason(self, text: str) -> str:
        """Return why an action of the game is not legal; "" for a text that names none."""
        if self._narrator is None or text not in self.state.game.action_texts:
            return ""
        return f"\n  {self._narrator.why_not(self.state.view(), self.state.action_id(text))}"

    def _explain(self, name: str) -> None:
        if self._narrator is None:
            self._show("  this game has no explanations")
        elif name in self._narrator.narration.explanations:
            self._show(f"  {self._narrator.explain(name)}")
        else:
            self._show(f"  explain one of: {', '.join(self._narrator.narration.explanations)}")

    def _undo(self) -> bool:
        if not self._undoable:
            self._show("  there is nothing to take back: you have seen something new since, or the turn has just begun")
            return False
        self.state = self._undoable.pop()
        return True

    def _hint(self, name: str) -> None:
        try:
            agent = make(name, self.state.game)
        except AgentError as error:
            self._show(f"  {error}")
            return
        self._show(f"  {name}: {self.state.action_text(agent.act(self.state.view(self.person)))}")


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Play against agents at the terminal."""

    opponents: tyro.conf.Positional[tuple[str, ...]] = ("ismcts:simulations=1000",)
    """agents of the other seats, clockwise from your left, or one for all of them"""

    game: str = DEFAULT_GAME
    """name of the game"""

    players: int | None = None
    """number of players (default: the smallest)"""

    seat: int = 0
    """your seat"""

    seed: int | None = None
    """seed of game and agents (default: a new one, which is printed)"""

    hints: str = "ismcts:simulations=2000"
    """agent of the hints"""

    language: str = SOURCE
    """language of the sentences: en or de"""

    components: str = "standard"
    """a component file"""


def start(arguments: Arguments) -> tuple[TerminalGame, int]:
    """Return the game of a command line and its seed; ValueError for an invalid argument."""
    game = make_game(arguments.game, arguments.players, arguments.components)
    others, names = game.num_players - 1, arguments.opponents
    if len(names) not in (1, others):
        raise ValueError(f"opponents: name one for all other seats, or {others}, not {len(names)}")
    if not 0 <= arguments.seat < game.num_players:
        raise ValueError(f"--seat must be in 0..{game.num_players - 1}")
    names = names * others if len(names) == 1 else names
    seed = new_seed() if arguments.seed is None else check_seed(arguments.seed)
    make(arguments.hints, game)
    check_language(arguments.language)
    seats = [(arguments.seat + 1 + i) % game.num_players for i in range(others)]
    agents = {seat: make(name, game, seed % 2**62 + seat) for seat, name in zip(seats, names, strict=True)}
    return TerminalGame(game, seed, arguments.seat, agents, arguments.hints, language=arguments.language), seed


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; invalid arguments exit with 2."""
    description = f"{Arguments.__doc__}\n\nat the prompt:\n{HELP}\n{listing()}"
    arguments = program.arguments(Arguments, argv, PROGRAM.name, description)
    with PROGRAM.refusing():
        game, seed = start(arguments)
    with contextlib.suppress(ImportError):  # not on every system
        import readline

        readline.set_completer_delims("")
        readline.set_completer(lambda text, index: [*game.complete(text), None][index])
        readline.parse_and_bind("tab: complete")
    print(f"seed {seed}; `help` lists the commands")
    try:
        game.play()
    except (Quit, KeyboardInterrupt):
        print(f"\nthe game of seed {seed} was left", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
