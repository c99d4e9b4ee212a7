"""Distillation of lookahead into a policy."""
