"""Run ``python -m training.league generations`` or ``python -m training.league exploit``."""

from training.league import main

if __name__ == "__main__":
    raise SystemExit(main())
