"""The rules of Porta Nigra as compiled functions, one module per chapter; a chapter holds legality and effects.

`kernel.KERNEL` takes ``(constants, states, row, ...)``; all other functions take a `Constants` and a `State` record.
They allocate nothing, raise nothing and trust their input.  Ruling numbers (R1-R36) refer to docs/rules.md.
"""
