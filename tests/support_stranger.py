"""A server whose user is another one: for tests of what does not belong to whoever asks. A program."""

from __future__ import annotations

import os
import sys

from harness_tools.__main__ import main

if __name__ == "__main__":
    os.geteuid = lambda: 4242
    sys.exit(main(sys.argv[1:]))
