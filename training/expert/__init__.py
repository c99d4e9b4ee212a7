"""Expert iteration: policy and value targets from search."""
