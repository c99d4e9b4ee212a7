"""Every worked example and every edge position, by texts only, before both judges."""
