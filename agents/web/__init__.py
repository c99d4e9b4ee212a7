"""Programs that people look at: the page, the server of tables, notebooks, films."""
