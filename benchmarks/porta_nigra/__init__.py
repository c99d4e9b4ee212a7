"""What the benchmarks know of Porta Nigra alone: a twin of its hottest verb in C, and its scripted agents."""
