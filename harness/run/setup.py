"""What `make setup` does last: makes the bytecode that steps load, and reads once what was installed."""

from __future__ import annotations

import sys

from harness.errors import HarnessError
from harness.run import bytecode, installed


def main() -> int:
    """Make and hold it; the first run then need not read what is known already."""
    place = installed.here()
    try:
        bytecode.make(place.bytecode, [place.stdlib, place.site])
        found = installed.check(place, full=True)
        if found.files_altered:
            raise installed.altered_error(found)
    except HarnessError as bad:
        sys.stderr.write(f"error: {bad}\n")
        return bad.code
    return 0


if __name__ == "__main__":
    sys.exit(main())
