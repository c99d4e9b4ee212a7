"""Deliberate mistakes in the kernel, and which test finds each: the proof that the tests can fail."""
