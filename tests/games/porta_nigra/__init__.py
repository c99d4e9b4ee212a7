"""Tests of Porta Nigra."""
