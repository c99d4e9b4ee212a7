"""Ray: what `make test-ray` runs in an environment of its own."""
