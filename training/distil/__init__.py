"""Distil lookahead into the policy."""
