"""The server of tables for several people and agents (`agents.web.serve`)."""
