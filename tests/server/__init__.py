"""The server of tables: what it keeps, what it tells, and what it refuses."""
