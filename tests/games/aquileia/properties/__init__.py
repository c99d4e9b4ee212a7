"""Properties that hold in every game: conservation, hidden information, symmetry, determinism."""
