"""Seats for any program: one contract of texts and answers, and a door to it for each kind of program.

`local.LocalTable` is the contract: what a seat sees, its legal actions in sentences, answers, forfeits, results.  Every
door is one module; only it imports the library that it serves.
"""
