"""Porta Nigra in words: the texts of actions, events, reasons and components."""

from porta_nigra_env.games.porta_nigra.narration.table import narration_of

__all__ = ["narration_of"]
