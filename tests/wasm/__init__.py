"""A game's WebAssembly module beside its compiled kernel."""
