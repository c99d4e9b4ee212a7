"""Component files of Aquileia: names, validation, and the constants compiled from them."""
