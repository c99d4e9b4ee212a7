"""The value of an action to the scripted players: a weighted sum of its gains, compiled.

`weights` lists the weights and values stones and steps, `cards` values building cards and activations, `choice` every
action.
"""
