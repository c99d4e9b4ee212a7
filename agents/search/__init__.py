"""Searches: Monte Carlo tree search on information sets, alone or guided by a network, and mirror-descent search."""
