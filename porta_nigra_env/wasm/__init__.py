"""A game's kernel as a WebAssembly module, for browsers and whatever else runs one: ``python -m porta_nigra_env.wasm``."""
