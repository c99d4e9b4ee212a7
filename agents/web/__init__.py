"""User interfaces: the page, the server of tables, notebook widgets, films."""
