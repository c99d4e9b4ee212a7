"""Reviews of recorded games, which separate skill from luck (`agents.review.review` has the formula)."""
