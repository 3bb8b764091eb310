"""The last part of `make setup`: compiles the bytecode that steps load, and checks the installed packages once.

It also replaces the program `harness` by one that starts verdicts cleanly, and reports what the isolation will lack.
"""

from __future__ import annotations

import sys
from pathlib import Path

from harness.clean_start import launcher
from harness.engines.local import ISOLATIONS, advise_isolation, available_isolations
from harness.errors import HarnessError
from harness.files import translating_os_errors, write_atomic
from harness.run.installed import bytecode, checked


def main() -> int:
    """Compile the bytecode, fill the digest cache by a full check, write the program; return an exit code.

    The exit code is not 0 if files are altered.
    """
    place = checked.import_paths()
    try:
        bytecode.make_bytecode(place.bytecode, [place.stdlib, place.site], place.site)
        found = checked.check_installed(place, full=True)
        if found.files_altered:
            raise checked.altered_error(found)
        if found.unread:
            sys.stderr.write(f"{checked.unread_text(checked.unread_fact(found))}\n")
        _write_program(Path(sys.prefix, "bin", "harness"))
        if (best := available_isolations()[0]) != ISOLATIONS[0]:
            sys.stderr.write(f"steps will run in {best}, and code in answers not at all: {advise_isolation()}\n")
    except HarnessError as bad:
        sys.stderr.write(f"error: {bad}\n")
        return bad.code
    return 0


def _write_program(path: Path) -> None:
    """Replace the program that pip made, if there is one and its path has no single quote."""
    if path.is_file() and "'" not in sys.prefix + str(path):
        with translating_os_errors(path):
            write_atomic(path, launcher().encode(), 0o755)


if __name__ == "__main__":
    sys.exit(main())
