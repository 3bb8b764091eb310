"""Entry point of `python -m harness_tools`: the server of agents' tools, as `harness serve` starts it."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from harness_tools.starting import Answering, options


def main(argv: Sequence[str]) -> int:
    """Serve agents over standard input and output until the client goes away."""
    asked = options(argv)
    begun = Answering(asked.profile, None) if asked.agent_uid is None else None  # else it is asked first who we are
    from harness_tools.supervisor import supervise  # noqa: PLC0415 - while the other process starts

    return supervise(asked, begun)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
