"""Games between agents: matches, results, ratings, reports."""
