"""Component files and positions: loading, checking, error messages."""
