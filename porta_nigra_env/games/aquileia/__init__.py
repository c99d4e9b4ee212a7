"""The game package of Aquileia (Cielo d'Oro)."""
