"""The pages in a real browser: every page at both widths, light and dark, by axe-core and by keyboard; labels in two
windows; a run under way; and a run of 140,000 answers.
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from bench.view import ITEMS, MODELS, WORDINGS, many_answers
from models.misbehaving import misbehaving
from needs import needs
from support import clean_env, command, unlocked_project
from support_answers_run import answers_run
from support_inside import inside
from view.screenshots import SCORER, axe, browse, lacking, served

pytestmark = pytest.mark.skipif(bool(lacking()), reason=lacking())


def test_every_page_can_be_used_by_everybody_and_by_keyboard(tmp_path: Path) -> None:
    run, store = (
        answers_run(tmp_path, {"good": 90, "poor": 40}, 30, 2, strange=True, long=40_000),
        tmp_path / ".harness",
    )
    with served(tmp_path, store) as url:
        assert browse(url=url, run=run) == []
    with served(tmp_path, store, "--label", "A. Reader") as url:
        assert browse(url=url, run=run, scorer=SCORER, acts=True) == []
    if not axe():
        pytest.skip("all but axe-core, which is not here: `make peers` installs it where there is npm")


SMALL = "manifests/small.yaml"
KEY = {"TOY_KEY": "sk-planted-4f1c9b27e8a0d3"}
SLOW = (
    "  slow{n}: {{provider: openai, model: toy-{n}, tape: record, base_url: {url}/v1, key: TOY_KEY,"
    " limits: {{concurrency: 1}}}}\n"
)


def test_a_run_under_way_is_followed_to_its_end_without_a_reload(tmp_path: Path) -> None:
    needs("openai", "aiohttp")
    folder = tmp_path / "p"
    with misbehaving() as server:
        server.delay = 0.1
        manifest = unlocked_project(folder, count=6, models=("oracle",))
        models = "".join(SLOW.format(n=number, url=server.url) for number in range(6))
        manifest.write_text(manifest.read_text().replace("models:\n", f"models:\n{models}"))
        inside("lock", SMALL, cwd=folder, check=0)
        argv = command("run", SMALL, "--jobs", "1", "--json")  # a model after the other, each for seconds
        with (
            served(folder, folder / ".harness") as url,
            subprocess.Popen(argv, cwd=folder, env=clean_env(KEY), stdout=subprocess.PIPE) as process,
        ):
            try:
                assert browse(url=url, walk="follow") == []
                assert process.wait(60) == 0
            finally:
                process.kill()


def test_140_000_answers_are_paged_filtered_searched_and_sorted(tmp_path: Path) -> None:
    run, store = many_answers(tmp_path), tmp_path / ".harness"
    responses = json.loads((store / "runs" / run / "record.json").read_bytes())["outputs"]["responses"]["sha256"]
    rows = map(json.loads, (store / "blobs" / "sha256" / responses[:2] / responses).read_bytes().splitlines())
    wanted = [one for one in rows if (one["model"], one["template"]) == ("m6", 3) and is_wrong(one) and has_both(one)]
    with served(tmp_path, store) as url:
        asked = {"answers": MODELS * ITEMS * WORDINGS, "with_words": len(wanted)}
        assert 50 < len(wanted) < 1000 and browse(url=url, walk="many", run=run, **asked) == []


def is_wrong(row: dict[str, str]) -> bool:
    """Whether an answer's number is not the sum that was asked for: the item's number, and seven."""
    return int(row["text"].rpartition("= ")[2]) != int(row["item"].rpartition("-")[2]) + 7


def has_both(row: dict[str, str]) -> bool:
    return bool(re.search(r"\bcarry\b", row["text"]) and re.search(r"\bcolumn\b", row["text"]))
