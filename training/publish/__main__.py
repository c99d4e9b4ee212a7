"""Run ``python -m training.publish network``, ``gate``, ``pages`` or ``reproduce``."""

from training.publish import main

if __name__ == "__main__":
    raise SystemExit(main())
