"""Agents that play any game of `porta_nigra_env.core.game.game`; `agents.registry` makes them from agent strings.

>>> from agents.registry import make
>>> from porta_nigra_env import State
>>> state = State.new(num_players=2, seed=7)
>>> agent = make("random", state.game, seed=1)
>>> state.action_text(agent.act(state.view(state.current_player))) in state.legal_actions()
True
"""

from porta_nigra_env.extras import explain_missing_modules

explain_missing_modules()
