"""Expert iteration: a network learns policies and values from the search that it guides."""
