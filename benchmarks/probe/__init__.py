"""The measuring program of `benchmarks.compare`, which runs it in processes of each tree, without the rest here.

It stands alone and uses only what old commits have too, so that the same source measures both trees.  What a tree
cannot do is told line by line and stops nothing.  Prints one JSON object.

``lines SECONDS GAME CLASS PLAYERS...`` gives every line at least SECONDS and prints ``{"from": folder of the package,
"games": digest of the games played, "lines": {name: {"us": microseconds each} or {"error": ..., "text": ...}}}``;
``import`` and ``first_step SECONDS GAME CLASS PLAYERS...`` do so for one line that needs a process of its own.
"""
