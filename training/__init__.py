"""Learning: programs that make players better."""

from porta_nigra_env.extras import explain_missing_modules

explain_missing_modules()
