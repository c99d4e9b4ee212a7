"""Language models as agents, against an endpoint of this process."""
