"""Stories in code; `python -m notebooks.execute` makes notebooks of them."""
