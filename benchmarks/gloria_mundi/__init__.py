"""What the benchmarks know of Gloria Mundi alone: the moves that its decisions carry with them."""
