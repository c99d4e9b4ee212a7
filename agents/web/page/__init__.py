"""A page to play, replay and study games in the browser: a static folder that ``python -m agents.web.page`` makes."""
