"""The programs under benchmarks/, as far as a table can be right or wrong."""
