"""The rules of Gloria Mundi as compiled functions, one file per chapter.

Functions named in `kernel.verbs` take ``(constants, states, row, ...)``; all others take the records themselves: `t` (the
tables) and `s` (one state).  They allocate nothing, raise nothing and trust their input; ruling numbers (G1-G44) refer
to docs/gloria_mundi_rules.md.

A chapter begins with a function `open_...`: it finds out whether somebody has to be asked, writes down who and what she
may choose (`options`), or goes straight on to the next chapter.  So the chapters call each other in the order of a turn
and never back.  A decision with a single option is left standing there like any other; `step.settle` carries it out
(G5).
"""
