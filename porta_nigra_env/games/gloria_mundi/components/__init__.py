"""Component files: the printed material as data, its validation, and the constants compiled from it."""
