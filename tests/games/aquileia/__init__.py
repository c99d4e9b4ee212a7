"""Tests of Aquileia."""
