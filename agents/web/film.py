"""Draw a game as an animation, or one position: ``python -m agents.web.film builder --seed 7 --out film.webp``.

A picture precedes every step and marks the chosen action. The file's ending selects the format: .webp and .png are
animations, or pictures with ``--at``; .svg is a picture.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import tyro

from agents.arena import program
from agents.arena.program import Program
from agents.registry import listing, make
from porta_nigra_env.core.drawing.draw_list import Drawing, Rows
from porta_nigra_env.core.drawing.svg import check_theme, seen_rows
from porta_nigra_env.core.files import write_whole
from porta_nigra_env.core.game.game import check_player
from porta_nigra_env.core.game.state import State
from porta_nigra_env.envs.raster import Painter
from porta_nigra_env.games import DEFAULT_GAME, make_game

PROGRAM = Program("agents.web.film")
#: Duration of the last picture, in milliseconds.
_LAST: Final = 4000
#: Options of Pillow for each animated format.
_MOVING: Final[dict[str, dict[str, Any]]] = {
    ".webp": {"format": "WEBP", "lossless": True, "method": 4},
    ".png": {"format": "PNG"},
}
#: Number of colours of an animation; drawings have hardly more, except at the edges of letters.
COLOURS: Final = 64


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Draw a game that agents play."""

    agents: tyro.conf.Positional[tuple[str, ...]] = ("random",)
    """the agents: one for all seats, or one for each"""

    game: str = DEFAULT_GAME
    """a game that has a drawing"""

    players: int | None = None
    """number of players; by default the smallest"""

    seed: int = 1
    """seed of the game and the agents"""

    components: str = "standard"
    """a component file"""

    out: Path
    """the file, replaced if it exists"""

    at: int | None = None
    """draw only the position after this number of steps"""

    view: int | None = None
    """the seat whose view is drawn; by default the whole state"""

    theme: str = "light"
    """light or dark"""

    width: int = 480
    """width of the pictures in pixels"""

    milliseconds: int = 700
    """duration of each picture"""


def play_steps(state: State, agents: Sequence[str], seed: int) -> Iterator[tuple[State, int]]:
    """Play a game from `state`, which is changed; yield the state before each step, and the action's id."""
    names = list(agents) * state.num_players if len(agents) == 1 else list(agents)
    players = [make(name, state.game, seed + seat) for seat, name in enumerate(names)]
    while state.current_player is not None:
        action = int(players[state.current_player].act(state.view()))
        yield state, action
        state.apply_id(action)


def marked_rows(drawing: Drawing, state: State, view: int | None, action: int | None) -> Rows:
    """Return the shapes of a position, with an action marked where the view may know it."""
    rows = seen_rows(drawing, state.game, state.states, view)
    return rows if action is None else np.concatenate([rows, drawing.legal_rows(rows, [action])])


def paint_frames(arguments: Arguments, state: State, drawing: Drawing) -> Iterator[Any]:
    """Yield the pictures of an animation as images of Pillow."""
    from PIL import Image

    painter = Painter(drawing, state.num_players, arguments.theme, arguments.width)
    for position, action in play_steps(state, arguments.agents, arguments.seed):
        yield Image.fromarray(painter.paint(marked_rows(drawing, position, arguments.view, action)))
    yield Image.fromarray(painter.paint(marked_rows(drawing, state, arguments.view, None)))


def palette_of(frames: Sequence[Any], colours: int = COLOURS) -> Any:
    """Return an image of Pillow with the most frequent colours of all frames as its palette.

    Pillow's own palettes average rare colours with their neighbours: yellow bricks would be ochre.
    """
    from PIL import Image

    counts: Counter[tuple[int, int, int]] = Counter()
    for frame in frames:
        counts.update({colour: count for count, colour in frame.getcolors(frame.width * frame.height)})
    palette = Image.new("P", (1, 1))
    palette.putpalette([channel for colour, _ in counts.most_common(colours) for channel in colour])
    return palette


def animation(arguments: Arguments, state: State, drawing: Drawing) -> bytes:
    """Return the animation of a whole game."""
    frames = list(paint_frames(arguments, state, drawing))
    palette = palette_of(frames)
    first, *others = (frame.quantize(palette=palette, dither=0).convert("RGB") for frame in frames)
    times = [arguments.milliseconds] * len(others) + [_LAST]
    data = io.BytesIO()
    options = _MOVING[arguments.out.suffix]
    first.save(data, save_all=True, append_images=others, duration=times, loop=0, **options)
    return data.getvalue()


def still(arguments: Arguments, state: State, drawing: Drawing) -> bytes:
    """Return the picture of one position. Raises ValueError if the game ends earlier."""
    before = arguments.at
    for number, (_, _) in enumerate(play_steps(state, arguments.agents, arguments.seed)):
        if number == before:
            break
    else:
        raise ValueError(f"--at: the game is over before step {before}")
    if arguments.out.suffix == ".svg":
        return state.svg(arguments.view, arguments.theme).encode()
    from PIL import Image

    painter = Painter(drawing, state.num_players, arguments.theme, arguments.width)
    data = io.BytesIO()
    picture = Image.fromarray(painter.paint(marked_rows(drawing, state, arguments.view, None)))
    picture.save(data, optimize=True, **_MOVING[arguments.out.suffix])
    return data.getvalue()


def render(arguments: Arguments) -> bytes:
    """Return the contents of the file. Raises ValueError for invalid arguments."""
    game = make_game(arguments.game, arguments.players, arguments.components)
    drawing = game.drawing()
    if drawing is None:
        raise ValueError(f"--game: {game.name} has no drawing")
    if arguments.view is not None:
        check_player(arguments.view, game.num_players)
    check_theme(arguments.theme)
    program.at_least(width=arguments.width, milliseconds=arguments.milliseconds)
    if len(arguments.agents) not in (1, game.num_players):
        raise ValueError(f"agents: name one for all seats, or {game.num_players}, not {len(arguments.agents)}")
    if not arguments.out.parent.is_dir():
        raise ValueError(f"--out: there is no folder {arguments.out.parent}")
    kinds = [*_MOVING, *([] if arguments.at is None else [".svg"])]
    if arguments.out.suffix not in kinds:
        raise ValueError(f"--out: the name must end with one of {', '.join(kinds)}, not {arguments.out.name!r}")
    state = State(game, game.new_states(arguments.seed))
    return (animation if arguments.at is None else still)(arguments, state, drawing)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 2 for arguments that cannot be used."""
    arguments = program.arguments(Arguments, argv, PROGRAM.name, f"{Arguments.__doc__}\n\n{__doc__}\n{listing()}")
    with PROGRAM.refusing():
        data = render(arguments)
    write_whole(arguments.out, data)
    print(f"{arguments.out}: {len(data):,} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
