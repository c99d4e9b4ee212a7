"""Run ``python -m training.publish network``, ``gate``, ``strongest``, ``pages`` or ``reproduce``."""

from training.publish import main

if __name__ == "__main__":
    raise SystemExit(main())
