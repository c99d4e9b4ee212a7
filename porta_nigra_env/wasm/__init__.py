"""A game's kernel as a WebAssembly module, for browsers: ``python -m porta_nigra_env.wasm``."""
