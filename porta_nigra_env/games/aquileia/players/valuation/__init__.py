"""What an action is worth to the scripted players: a sum of what it gains, each part weighed; compiled.

`weights` has the table of weights, `means` the worth of coins, slaves, buildings and colours, `contests` that of fight
and race, `spaces` that of a placement; `choice.choose_best` is the choice function of all players.
"""
