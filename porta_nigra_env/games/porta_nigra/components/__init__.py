"""The printed material as data: component files, their names, the compiled constants, and the loader."""
