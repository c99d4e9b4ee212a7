"""Tables for several people and agents: games that a server keeps, and what it tells each seat (`agents.web.serve`)."""
