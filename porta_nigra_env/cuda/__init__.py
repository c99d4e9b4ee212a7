"""Games on a CUDA GPU; nothing outside this package needs one."""
