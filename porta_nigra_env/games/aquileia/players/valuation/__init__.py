"""The worth of an action for the scripted players: a compiled weighted sum of its gains.

`weights` holds the table of weights, `means` values coins, slaves, buildings and colours, `contests` values fight and
race, `spaces` a placement, and `choice` an action of any phase.
"""
