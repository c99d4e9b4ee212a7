"""The rules of Aquileia as compiled functions, one module per chapter: legality and effect of its actions.

The kernel functions in `rules.kernel` take ``(constants, states, row, ...)``; all others take single records. They
allocate nothing, raise nothing and trust their input. Ruling numbers (A1-A57) refer to docs/aquileia_rules.md.

A function that returns a bool without saying more returns True while a player is asked. It returns False when the
action of a follower, or a whole fight, race or placement, is complete; then `rounds.proceed` continues.
"""
