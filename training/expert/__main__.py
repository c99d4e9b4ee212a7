"""Run ``python -m training.expert``; see `training.expert.program`."""

from training.expert.program import main

if __name__ == "__main__":
    raise SystemExit(main())
