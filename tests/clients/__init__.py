"""Other libraries, in an environment of their own: `make test-clients`."""
