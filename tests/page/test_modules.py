"""JavaScript modules of the page agree with their Python counterparts."""

from __future__ import annotations

import hashlib
import random
from typing import Any

import numpy as np
import pytest

from agents.search.halving import Halving
from agents.web.page.links import link
from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import DEFAULT_GAME, GAMES, game_class, make_game
from tests.page.fixtures import Opened
from tests.page.playing import phrase


@pytest.mark.parametrize("length", [0, 1, 55, 56, 63, 64, 65, 432, 5000])
def test_digests_are_those_of_sha_256(modules: Any, length: int) -> None:
    data = np.random.default_rng(length).integers(256, size=length).tolist()
    script = "async data => (await import('./sha256.js')).sha256(Uint8Array.from(data))"
    assert modules.evaluate(script, data) == hashlib.sha256(bytes(data)).hexdigest()


def test_actions_in_a_link_are_read_as_they_were_written(modules: Any) -> None:
    actions = np.random.default_rng(1).integers(1 << 16, size=301).tolist()
    script = "async all => { const m = await import('./share.js'); return all.map((a) => m.unpacked(m.packed(a))); }"
    assert modules.evaluate(script, [actions, [], [0]]) == [actions, [], [0]]


@pytest.mark.parametrize("name", GAMES)
def test_hidden_actions_are_those_of_the_game(modules: Any, name: str) -> None:
    game = make_game(name)
    script = """async ({ name, players }) => {
        const { catalogue, open } = await import("./games.js");
        const kernel = (await open((await catalogue()).find((one) => one.name === name))).kernel(players);
        return kernel.texts.map((_, action) => [0, 1, -1].map((to) => kernel.told(action, to, 0)));
    }"""
    found = modules.evaluate(script, {"name": name, "players": game.num_players})
    assert found == [[game.told(action, to, 0) for to in (0, 1)] + [action] for action in range(game.actions.size)]


def test_the_log_hides_the_secrets_of_the_others(open_page: Opened) -> None:
    name = next(name for name in GAMES if game_class(name).secret_choices)
    game = make_game(name)
    state, actions, chance = State(game, game.new_states(3)), [], random.Random(3)
    by: list[int] = []
    while not state.is_over:
        by.append(state.player)
        actions.append(chance.choice(state.legal_ids().tolist()))
        state.apply_id(actions[-1])
    hidden = [game.told(action, 0, seat) is None for action, seat in zip(actions, by, strict=True)]
    assert any(hidden)
    for view, secrets in ((0, hidden), (-1, [False] * len(actions))):
        page = open_page(link(game, 3, actions, view=view))
        page.wait_for_selector(".log li")
        told = page.eval_on_selector_all(
            ".log .entry .spoken > span:first-child", "all => all.map((one) => one.textContent)"
        )
        texts = [phrase(game, action, seat == view) for action, seat in zip(actions, by, strict=True)]
        assert told == [
            "chooses something hidden" if secret else text for text, secret in zip(texts, secrets, strict=True)
        ]


@pytest.mark.parametrize("seed", range(4))
def test_halving_tries_and_chooses_as_in_python(modules: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    count, simulations, rounds = int(rng.integers(2, 30)), int(rng.integers(8, 200)), 12
    logits = rng.normal(size=(1, count))
    scores, spent = rng.normal(size=(rounds, 1, count)), np.linspace(0, 1, rounds)
    expected = Halving(logits, np.zeros((1, count)), simulations)
    tried = [expected.next(8, scores[i], float(spent[i])).tolist() for i in range(rounds)]
    visits = np.bincount(np.array(tried).reshape(-1), minlength=count)[None]
    script = """async ({ logits, scores, spent, simulations, visits }) => {
        const { Halving } = await import("./halving.js");
        const one = new Halving(logits.map((_, action) => action), logits, simulations);
        const tried = scores.map((some, i) => one.next(8, some, spent[i]));
        return [tried, one.best(scores.at(-1), visits)];
    }"""
    given = {"logits": logits[0].tolist(), "scores": scores[:, 0].tolist(), "spent": spent.tolist()}
    found = modules.evaluate(script, {**given, "simulations": simulations, "visits": visits[0].tolist()})
    assert found == [tried, int(expected.best(scores[-1], visits)[0])]


def test_the_networks_numbers_are_those_of_the_published_one(modules: Any) -> None:
    from porta_nigra_env.players.published import load_numpy

    game = make_game(DEFAULT_GAME)
    network = load_numpy(game.networks()[game.num_players], game)
    observation = np.zeros(game.observations.size, dtype=np.float32)
    states = game.new_states(7)
    game.kernel.observe(game.constants, states, 0, int(states["current_player"][0]), observation)
    logits, values = network(observation)
    script = """async ({ name, players }) => {
        const { catalogue, open } = await import("./games.js"), { loadNetwork } = await import("./network.js");
        const game = await open((await catalogue()).find((one) => one.name === name)), kernel = game.kernel(players);
        const state = kernel.start(7n), network = await loadNetwork(game, players);
        const [{ logits, values }] = network.evaluate([kernel.observed(state, kernel.mover(state))]);
        return [[...logits], [...values].map((one) => one / network.described.scale)];
    }"""
    found = modules.evaluate(script, {"name": game.name, "players": game.num_players})
    # The page has the weights with fewer bits.
    np.testing.assert_allclose(found[0], logits, atol=0.02)
    np.testing.assert_allclose(found[1], values, atol=0.02)
