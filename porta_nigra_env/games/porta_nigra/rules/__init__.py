"""The rules of Porta Nigra as compiled functions, one file per chapter.

Functions named in `kernel.verbs` take ``(constants, states, row, ...)``; all others take the records themselves: `t` (the
tables) and `s` (one state).  They allocate nothing, raise nothing and trust their input; ruling numbers (R1-R36)
refer to docs/rules.md.
"""
