"""File ownership of a step's folder: another user's while a step of root's runs, root's again afterwards."""

from __future__ import annotations

import os
from pathlib import Path

NOBODY = 65534  # the user and the group that a step of root's runs as


def chown_to_step(*folders: Path, user: int = NOBODY) -> None:
    """Give folders, without their contents, to the user that a step of root's runs as, so that it can write there."""
    for folder in folders:
        os.chown(folder, user, user)


def chown_back(out: Path) -> None:
    """Give a step's output folder and its direct entries back to root; links and subfolders are not entered."""
    os.chown(out, 0, 0, follow_symlinks=False)
    if out.is_symlink() or not out.is_dir():
        return  # the step put something else in its place, and is told so
    with os.scandir(out) as found:
        for one in found:
            os.chown(one.path, 0, 0, follow_symlinks=False)
