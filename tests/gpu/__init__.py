"""Games on a GPU: in numba's simulator, as PTX, and, where there is a GPU, on it."""
