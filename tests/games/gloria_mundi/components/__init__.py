"""Tests of the component files and of the loader."""
