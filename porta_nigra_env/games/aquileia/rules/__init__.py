"""The rules of Aquileia as compiled functions, one file per chapter.

Functions named in `kernel.verbs` take ``(constants, states, row, ...)``; all others take the records themselves: `t` (the
tables) and `s` (one state).  They allocate nothing, raise nothing and trust their input; ruling numbers (A1-A55)
refer to docs/aquileia_rules.md.

A chapter's functions answer whether the game waits: True while somebody is asked, False when a follower's action (or
a whole fight, race or placement) is complete; then `rounds.proceed` goes on.
"""
