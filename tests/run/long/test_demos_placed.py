"""The demos have the outputs that were accepted wherever their steps are executed; docs/scale.md shows the table.

`ACCEPT=1` writes the table with what was run; a place that was not tried keeps its old cell.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from needs import needs
from support import REPOSITORY, clean_env, command, harness
from support_hosts import HOSTS, Hosts, two_hosts

from harness.digest import canonical_json, sha256

needs("distributed", "cryptography")
pytestmark = [pytest.mark.together, pytest.mark.long]
DEMOS = ("addition", "questions")
PLACES = ("local", "docker", "dask")
PAGE = REPOSITORY / "docs" / "scale.md"
BEGIN, END = "<!-- written by ACCEPT=1 pytest tests/run/long/test_demos_placed.py -->\n", "<!-- end -->"


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    """Give two hosts with a scheduler and a worker each."""
    with two_hosts(tmp_path_factory.mktemp("hosts")) as made:
        made.start_scheduler()
        for host in HOSTS:
            made.start_worker(host)
        yield made


def reproduced(demo: str, folder: Path, *options: str, env: dict[str, str]) -> tuple[str, int]:
    """Reproduce a demo and give the digest of all its outputs' digests, and their number; each must agree."""
    words = command("reproduce", f"manifests/demo/{demo}.yaml", "--store", str(folder), "--json", *options)
    done = subprocess.run(words, cwd=REPOSITORY, env=clean_env(env), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    [ran] = json.loads(done.stdout)["runs"]
    assert ran["verdict"] == "agreed"
    outputs = {output["name"]: output["sha256"] for output in ran["outputs"]}
    return sha256(canonical_json(outputs))[:12], len(outputs)


@pytest.mark.parametrize("demo", DEMOS)
def test_a_demo_agrees_in_this_process_and_on_two_hosts(demo: str, tmp_path: Path, hosts: Hosts) -> None:
    here, count = reproduced(demo, tmp_path / "local", env={"XDG_CONFIG_HOME": str(tmp_path / "none")})
    there, _ = reproduced(demo, tmp_path / "dask", env=hosts.settings())
    record = json.loads(next((tmp_path / "dask").glob("runs/*/record.json")).read_bytes())
    assert len([one for one in record["workers"].values() if one["steps"]]) == len(HOSTS)
    assert here == there
    settle(demo, count, {"local": here, "dask": there})


@pytest.mark.parametrize("demo", DEMOS)
def test_a_demo_agrees_in_containers(demo: str, tmp_path: Path, docker_host: str) -> None:
    env, images = {"XDG_CONFIG_HOME": str(tmp_path / "none"), "DOCKER_HOST": docker_host}, REPOSITORY / ".harness"
    listed = harness("images", "ls", "--json", "--store", images, cwd=REPOSITORY, env=env)
    pinned = [one["name"] for one in json.loads(listed.stdout or "{}").get("images", ()) if one["state"] == "pinned"]
    if "cpu" not in pinned:
        pytest.skip("the pinned image `cpu` is not built here: `make images` builds it")
    made, count = reproduced(demo, tmp_path / "docker", "--engine", "docker", "--images", str(images), env=env)
    settle(demo, count, {"docker": made})


def settle(demo: str, count: int, found: dict[str, str]) -> None:
    """Hold what was found against the page's table, or write it there."""
    text = PAGE.read_text()
    head, rest = text.split(BEGIN)
    table, tail = rest.split(END)
    rows = {row[0]: (row[1], dict(zip(PLACES, row[2:], strict=True))) for row in ROW.findall(table)}
    if os.environ.get("ACCEPT"):
        _, cells = rows.get(demo, ("", dict.fromkeys(PLACES, "not tried")))
        rows[demo] = (str(count), cells | found)
        said = "".join(f"| {' | '.join((name, rows[name][0], *rows[name][1].values()))} |\n" for name in sorted(rows))
        heading = f"| demo | outputs | {' | '.join(PLACES)} |\n|---|---|---|---|---|\n"
        PAGE.write_text(f"{head}{BEGIN}{heading}{said}{END}{tail}")
    else:
        assert rows[demo][0] == str(count) and found.items() <= rows[demo][1].items()


ROW = re.compile(r"^\| ([a-z-]+) \| (\d+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
