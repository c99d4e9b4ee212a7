"""Tutorial notebooks as scripts; `python -m notebooks.execute` writes the notebooks."""
