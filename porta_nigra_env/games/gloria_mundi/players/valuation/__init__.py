"""What an action is worth to the scripted players: a sum of what it gains, each part weighed; compiled.

`weights` lists what is weighed, `stocks` says what stones and steps are worth, `cards` what building cards and a turn's
activation bring, `choice` what each action does.
"""
