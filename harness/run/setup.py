"""The last part of `make setup`: compiles the bytecode that steps load, and checks the installed packages once."""

from __future__ import annotations

import sys

from harness.errors import HarnessError
from harness.run import bytecode, installed


def main() -> int:
    """Compile the bytecode and fill the digest cache by a full check; return an exit code, not 0 on altered files."""
    place = installed.import_paths()
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
