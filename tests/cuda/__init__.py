"""What needs numba-cuda, and in part a GPU: `make test-gpu` runs it in an environment of its own."""
