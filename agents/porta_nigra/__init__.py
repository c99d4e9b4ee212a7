"""Agents that know Porta Nigra: compiled heuristics that read the redacted state."""
