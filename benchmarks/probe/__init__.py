"""The measuring program of `benchmarks.compare`, which runs it in processes of each tree.

It uses only the package and names that older commits have, so that the same source measures both trees.  An error
affects one line.  It prints one JSON object.

``lines SECONDS GAME PLAYERS...`` runs every line for at least SECONDS and prints ``{"from": folder of the package,
"games": digest of the games played, "lines": {name: {"us": microseconds each} or {"error": ..., "text": ...}}}``;
``import`` and ``first_step SECONDS GAME PLAYERS...`` do so for one line that needs a separate process.
"""
