"""Run ``python -m training.distil``; see `training.distil.program`."""

from training.distil.program import main

if __name__ == "__main__":
    raise SystemExit(main())
