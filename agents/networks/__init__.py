"""Networks: torch modules, their files, and agents that play them."""
