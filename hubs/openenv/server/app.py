"""The server of `agents.seats.openenv_door`, where OpenEnv looks for it."""

from importlib import import_module
from importlib.util import find_spec

import uvicorn

# An installed wheel has the programs inside the package, a checkout next to it.
_PROGRAMS = "porta_nigra_env.agents" if find_spec("porta_nigra_env.agents") else "agents"
app = import_module(f"{_PROGRAMS}.seats.openenv_door").make_app()


def main(host: str = "0.0.0.0", port: int = 8000) -> None:
    """Serve until the process ends."""
    uvicorn.run(app, host=host, port=port)


if __name__ == "__main__":
    main()
