"""Drawings of positions: draw lists, SVG, fonts."""
