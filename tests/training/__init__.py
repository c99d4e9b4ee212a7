"""Learning programs: they learn, go on, and refuse what they cannot use."""
