"""The command line, giving its verdicts itself, on packages that were read once: `python judging_once.py FILE VERB …`.

The file keeps what reading every installed file gave, which takes longer than most verbs; whoever finds none reads
them and writes it. Whose verdicts count is held by `e2e/test_whose_eyes.py`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


def judge_here(kept: Path) -> None:
    """Take this process for a clean one, and what is kept for what reading every installed file gives."""
    from harness import clean_start

    vars(clean_start)["is_clean"] = lambda: True  # before any module has taken the name of it
    from pydantic import TypeAdapter

    from harness.run.installed import checked

    check, form = checked.check_installed, TypeAdapter(checked.InstallCheck)

    def read_once(place: checked.ImportPaths, *, full: bool) -> checked.InstallCheck:
        if not full:
            return check(place, full=False)
        if not kept.exists():
            half = kept.with_name(f"{kept.name}.{os.getpid()}")
            half.write_bytes(form.dump_json(check(place, full=True)))
            half.rename(kept)
        return form.validate_json(kept.read_bytes())

    vars(checked)["check"] = read_once


if __name__ == "__main__":
    judge_here(Path(sys.argv.pop(1)))
    from harness.cli.main import main

    main()
