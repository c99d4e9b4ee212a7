"""The rules of Gloria Mundi as compiled functions, one file per chapter of the rules.

Kernel functions take ``(constants, states, row, ...)``; all other functions take the records `constants` and `state`.
They allocate nothing, raise nothing and trust their input.  Ruling numbers (G1-G44) refer to
docs/gloria_mundi_rules.md.

A chapter holds the legality and the effect of its decisions.  It begins with a function `open_...`, which either asks
a player (it writes the player and the `options`) or opens the next chapter.  So the chapters call each other in the
order of a turn and never backwards.  `dispatch` chooses the chapter of a phase and carries out forced decisions (G5).
"""
