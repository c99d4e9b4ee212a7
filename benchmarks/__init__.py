"""Programs that measure this environment: each prints one table and, with ``--json FILE``, writes its figures.

``python -m benchmarks.envs``: decisions a second through every way of playing, beside PettingZoo's own connect four.
``python -m benchmarks.startup``: time to import, and from the start of a process to the first step.
"""
