"""Run ``python -m training.ppo``; see `training.ppo.program`."""

from training.ppo.program import main

if __name__ == "__main__":
    raise SystemExit(main())
