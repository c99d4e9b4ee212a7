"""Tests of the games, one room each."""
