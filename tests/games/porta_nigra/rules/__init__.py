"""The rules, ruling by ruling: hand-made positions, action strings, and the changes they make."""
