"""Networks that play, their files, and the agents made of them."""
