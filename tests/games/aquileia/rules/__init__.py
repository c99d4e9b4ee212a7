"""The rules of Aquileia, ruling by ruling, as texts: positions and actions."""
