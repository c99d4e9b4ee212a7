"""Component files and positions: loading, validation, error messages."""
