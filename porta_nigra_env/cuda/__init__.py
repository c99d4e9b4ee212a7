"""Games on a CUDA GPU; no other package requires a GPU."""
