"""The printed material as data: component files, their names, the tables made of them, and the loader."""
