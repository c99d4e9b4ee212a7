"""Aquileia in words: the texts of actions, events, reasons and components."""

from porta_nigra_env.games.aquileia.narration.table import narration_of

__all__ = ["narration_of"]
