"""The command line with steps on another processor: `python tests/emulated.py EPYC-Rome run MANIFEST`.

Steps run under `qemu-x86_64 -cpu NAME`, whatever else is as it is. No variable or option of the product does this.
"""

from __future__ import annotations

import sys

from harness.cli.main import main
from harness.engines.local import LocalEngine

EMULATOR = "qemu-x86_64"


def emulate(processor: str) -> tuple[str, ...]:
    """Spell what runs a program on another processor, of those that `qemu-x86_64 -cpu help` lists."""
    return (EMULATOR, "-cpu", processor)


if __name__ == "__main__":
    LocalEngine.emulator = emulate(sys.argv.pop(1))
    main()
