"""The page in a headless Chromium: its size, the time to the first move, and the speed of its module.

The page measures its own times.  "First move" is the time from the request of the address to the first legal action
on offer, with an empty browser cache, an immediate start of the game, and a CPU slowed by the given factor.  The rates
of the module are those of one thread.

``--steps`` measures the legibility instead, for all games and numbers of seats, on a computer and on a phone
(`benchmarks.legible`).

``--pictures`` writes pictures of the screens instead (`benchmarks.screens`).

``--review`` measures the review of a replay instead: a game of at least that length between the network and a player
that chooses greedily.
"""

from __future__ import annotations

import gzip
import statistics
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from agents.registry import make
from agents.web.page.links import link
from agents.web.page.products import released
from agents.web.page.serving import serve
from agents.web.page.site import Site
from benchmarks.browser import find_chromium, why_not
from benchmarks.legible import SIZES, legible
from benchmarks.options import OfGame, Repeated, read
from benchmarks.screens import ENDINGS, LOOKS, SCREENS, Recorded, pictures
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import game_class, make_game

#: Slowdown factors of the CPU; a phone may be 4 times slower.
SLOWED: Final = (1, 4)
#: Milliseconds of waiting for the first move.
PATIENCE: Final = 300_000
#: Games of which one is to be long enough.
SEEDS: Final = 50
#: Starts a game as soon as there is a button for it, and records the time of the first offered action.
_FIRST_MOVE: Final = """
new MutationObserver(() => {
    const start = document.querySelector("button[type=submit]");
    if (start && !window.started) { window.started = true; start.click(); }
    if (!window.offered && document.querySelector(".option, .cover button")) window.offered = performance.now();
}).observe(document, { subtree: true, childList: true });
"""
#: Rates of the module, by name; each for `seconds`.
_RATES: Final = """async ({ name, players, seconds }) => {
    const { catalogue, open } = await import("./games.js");
    const { Players } = await import("./players.js");
    const entry = (await catalogue()).find((one) => one.name === name), game = await open(entry);
    const table = await Players.open(game, players), { kernel } = table, { exports } = game;
    const measured = (work) => {
        let count = 0;
        const begun = performance.now();
        while (performance.now() - begun < 1000 * seconds) count += work();
        return (1000 * count) / (performance.now() - begun);
    };
    let seed = 0, chance = 1;
    const below = (count) => (chance = (Math.imul(chance, 1103515245) + 12345) >>> 0) % count;
    const found = { decisions: measured(() => {
        exports.reset(kernel.tables, kernel.state, seed++, 0, players);
        let decisions = 0;
        for (; exports.current_player(kernel.state) >= 0; decisions += 1) {
            const count = exports.legal_ids(kernel.tables, kernel.state, kernel.words, kernel.ids);
            const ids = new Int32Array(game.heap.memory.buffer, kernel.ids, count);
            exports.step(kernel.tables, kernel.state, ids[below(count)]);
        }
        return decisions;
    }) };
    const state = kernel.start(7n), seat = kernel.mover(state), seen = kernel.seen(state, seat);
    found.drawings = measured(() => (kernel.rows(state, seat), 1));
    if (table.evaluator) {
        const one = kernel.observed(seen, seat), many = Array(16).fill(one);
        found.evaluations = measured(() => (table.evaluator.network.evaluate([one]), 1));
        found.evaluations_16 = measured(() => (table.evaluator.network.evaluate(many), 16));
    }
    if (game.canSearch(players)) {
        const result = await table.search.run(seen, 1n, 4 * seconds, async () => true);
        found.simulations = result.simulations / result.seconds;
    }
    return found;
}"""
#: Reviews the game of a link; the account, with times in seconds.
_REVIEW: Final = """async (href) => {
    const { catalogue, open } = await import("./games.js"), { lineOfLink } = await import("./load.js");
    const { Reviewer } = await import("./reviewer.js");
    const entries = await catalogue(), game = (name) => open(entries.find((one) => one.name === name));
    const { line } = await lineOfLink({ entries, game }, new URLSearchParams(href.split("?")[1]));
    const begun = performance.now(), since = () => (performance.now() - begun) / 1000;
    let coarse = 0;
    const reviewer = new Reviewer(line, () => -1, () => {
        const [done, all] = reviewer.progress;
        if (done === all) coarse ||= since();
    });
    await reviewer.start();
    const seconds = since(), { account } = reviewer;
    reviewer.stop();
    if (reviewer.message) throw new Error(reviewer.message);
    return {
        seconds, coarse, costliest: account.costliest(Infinity).map(({ at }) => at),
        seats: Array.from({ length: account.players }, (_, seat) => account.seat(seat)),
        steps: account.steps.filter(Boolean).map(({ compared, ...step }) => step),
    };
}"""
_TITLES: Final = {
    "decisions": "random steps per second",
    "drawings": "draw lists per second",
    "evaluations": "network evaluations per second, one at a time",
    "evaluations_16": "network evaluations per second, sixteen at a time",
    "simulations": "search simulations per second",
}


@dataclass(frozen=True, kw_only=True)
class Arguments(Repeated, OfGame):
    """Measure the page in a browser."""

    seconds: float = 1.0
    """for each rate and run"""
    steps: int = 0
    """Measure the legibility of all games instead, over this number of random steps."""
    review: int = 0
    """Measure the review of a game of at least this number of steps instead."""
    pictures: Path | None = None
    """Write pictures of screens, <screen>_<look>.<ending>, into this folder instead; all of them take a few minutes."""
    screens: tuple[str, ...] = tuple(SCREENS)
    """Screens for --pictures."""
    looks: tuple[str, ...] = LOOKS
    """Windows with theme and language for --pictures."""
    ending: str = ENDINGS[0]
    """Format of --pictures: webp or png."""

    def check(self) -> None:
        super().check()
        if self.pictures is not None and not self.pictures.is_dir():
            raise ValueError(f"--pictures: {self.pictures} is not a folder")
        for option, named, known in (
            ("screens", self.screens, SCREENS),
            ("looks", self.looks, LOOKS),
            ("ending", (self.ending,), ENDINGS),
        ):
            if unknown := [one for one in named if one not in known]:
                raise ValueError(f"--{option} must be out of {', '.join(known)}, not {unknown[0]!r}")


@contextmanager
def browsing(files: dict[str, bytes]) -> Iterator[tuple[Any, str]]:
    """Yield a browser and the address of the page."""
    from playwright.sync_api import sync_playwright

    with serve(files) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        yield browser, address
        browser.close()


def first_move(browser: Any, address: str, slowed: int) -> float:
    """Return the seconds to the first offered action."""
    context = browser.new_context()
    page = context.new_page()
    page.add_init_script(_FIRST_MOVE)
    context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slowed})
    page.goto(address)
    page.wait_for_function("() => window.offered", timeout=PATIENCE)
    seconds = page.evaluate("window.offered") / 1000
    context.close()
    return float(seconds)


def rates(browser: Any, address: str, game: str, players: int, seconds: float) -> dict[str, float]:
    """Return the rates of the module, by name."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("form")
    found: dict[str, float] = page.evaluate(_RATES, {"name": game, "players": players, "seconds": seconds})
    context.close()
    return found


def reviewed(browser: Any, address: str, link_of_game: str) -> dict[str, Any]:
    """Return the page's review of the game of a link."""
    context = browser.new_context()
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("form")
    found: dict[str, Any] = page.evaluate(_REVIEW, link_of_game)
    context.close()
    return found


def recorded(game: Game, steps: int, others: str = "greedy") -> Recorded:
    """Return a game of at least a number of steps between the network and other players."""
    for seed in range(SEEDS):
        agents = [make(name, game, seed) for name in ("network", *[others] * (game.num_players - 1))]
        state, actions = State(game, game.new_states(seed)), list[int]()
        while not state.is_over:
            actions.append(int(agents[state.player].act(state.view())))
            state.apply_id(actions[-1])
        if len(actions) >= steps:
            return Recorded(game, seed, actions)
    raise ValueError(f"--review must be a number of steps that games have, not {steps}: {SEEDS} games were shorter")


def reviews(name: str, steps: int, runs: int) -> list[dict[str, Any]]:
    """Print and return the times of reviews of one game."""
    game = make_game(name, min(game_class(name).seats))
    one = recorded(game, steps)
    played = link(game, one.seed, one.actions)
    with browsing(dict(Site.of((name,)).files)) as (browser, address):
        found = [reviewed(browser, address, played) for _ in range(runs)]
    print(f"{name}, {game.num_players} players, a game of at least {steps} steps, medians of {runs} runs\n")
    for key, title in (("coarse", "all choices are compared once"), ("seconds", "the review is complete")):
        print(f"{statistics.median(one[key] for one in found):>12.1f}  seconds until {title}")
    return [{key: one[key] for key in ("seconds", "coarse")} for one in found]


def looked(options: Arguments) -> dict[str, int]:
    """Write the pictures of screens; print and return their sizes in bytes."""
    assert options.pictures is not None
    game, found = make_game(options.game), {}
    # A close game: the others play like the network, with mistakes.
    played = recorded(game, 1, "network:temperature=1")
    with browsing(dict(Site.of().files)) as (browser, address):
        for path in pictures(
            browser, address, played, options.pictures, options.screens, options.looks, options.ending
        ):
            found[path.name] = path.stat().st_size
            print(f"{found[path.name]:>9,}  {path}", flush=True)
    return found


def layouts(steps: int) -> dict[str, dict[str, float]]:
    """Print and return the legibility of every game, number of seats and size of the window."""
    found = {}
    print(f"{'':24}   map  panels  zoomed  squeeze  scales  in view")
    with browsing(dict(Site.of().files)) as (browser, address):
        for game in released():
            for players in game_class(game).seats:
                for size in SIZES:
                    one = legible(browser, address, game, players, size, steps)
                    found[f"{game} {players} {size}"] = one.as_dict()
                    print(f"{game:>16} {players} {size:5} {one.line}", flush=True)
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line."""
    options = read(Arguments, argv)
    if reason := why_not():
        options.refuse(reason)
    if options.steps:
        options.finish(layouts=layouts(options.steps))
        return 0
    if options.pictures:
        options.finish(pictures=looked(options))
        return 0
    if options.review:
        options.finish(reviews=reviews(options.game, options.review, options.runs))
        return 0
    site = Site.of((options.game,))
    players = min(map(int, site.manifest(options.game)["players"]))
    weight, packed = site.weight(options.game), sum(len(gzip.compress(file)) for file in site.files.values())
    with browsing(dict(site.files)) as (browser, address):
        moves = {slowed: [first_move(browser, address, slowed) for _ in range(options.runs)] for slowed in SLOWED}
        measured = [rates(browser, address, options.game, players, options.seconds) for _ in range(options.runs)]
    print(f"{options.game}, {players} players, medians of {options.runs} runs\n")
    print(f"{weight:>12,}  bytes of page, module and network ({packed:,} with gzip)")
    for slowed, times in moves.items():
        print(f"{statistics.median(times):>12.2f}  seconds to the first move, CPU slowed {slowed} times")
    medians = {name: statistics.median(run[name] for run in measured) for name in measured[0]}
    for name, value in medians.items():
        print(f"{value:>12,.0f}  {_TITLES[name]}")
    options.finish(weight=weight, gzip=packed, first_move=moves, rates=measured)
    return 0
