"""An oracle for the engine: the rules of the game a second time, slow and plain, written from the rules alone."""
