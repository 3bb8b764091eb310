"""On a disk where no file can have a second name all is done as elsewhere: what is linked there is copied here."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import NoReturn

import pytest
from support import outputs_of, small_project
from support_inside import inner_data, inside


def test_a_project_is_run_accepted_and_audited_where_nothing_can_be_linked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"
    small_project(project)
    elsewhere = inner_data("run", "manifests/small.yaml", "--store", "linked", cwd=project)
    tried = list[object]()

    def refused(*given: object, **_: object) -> NoReturn:
        tried.append(given)
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refused)
    here = inner_data("run", "manifests/small.yaml", cwd=project)
    assert tried and outputs_of(here) == outputs_of(elsewhere)
    inside("lock", "--accept", "last", cwd=project, check=0)
    assert inner_data("audit", "last", cwd=project)["verdict"] == "agreed"
