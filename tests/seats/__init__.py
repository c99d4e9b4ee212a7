"""Seats for any program: the contract, the doors, and the checks that every door passes."""
