"""Tests of the words of all games: sentences, events, reasons, explanations and their translations."""
