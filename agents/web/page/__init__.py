"""A page to play, replay and study games in the browser: one static folder, made by ``python -m agents.web.page``."""
