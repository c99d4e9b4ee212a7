"""Tests that compare a game's WebAssembly module with its compiled kernel."""
