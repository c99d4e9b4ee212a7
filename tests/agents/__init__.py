"""Tests of agents and tournaments."""
