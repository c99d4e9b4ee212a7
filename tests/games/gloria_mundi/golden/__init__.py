"""Golden playthroughs: whole games as text, replayed line by line; `make goldens` rewrites them."""
