"""A model that grades by the published wording, on tape: recorded, replayed without a network, graded and audited.

The published wording is none of this project. A stand-in for it, in a copy of the source whose digests are those of the
stand-in, goes the same way; the official file does so where somebody brought it (`BIOMED_CONFIG`).
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from e2e.long.test_biomed import GRADED, GRADER, QUESTIONS, RULE, edited, measured, project, table
from needs import needs
from support import REPOSITORY, SECONDS, clean_env, judging_once, outputs_of
from support_biomed_data import CONFIG, written
from toys.grading import KEY, grading, texts_of

from harness.digest import sha256
from harness.studies.biomed.terms import CONFIG_SHA256, PROMPT_SHA256

pytestmark = [pytest.mark.long, pytest.mark.together]
MODELS = ("oracle", "refuser", "always-no")
OUTPUTS = ("scores", "counts", "performance", "judgements", "graders", "deductions", "report.html")
# OURS: three texts of a settings file like the published one, with its fields and its literal backslash.
STAND_IN = {
    "system_prompt": "You stand in for an expert. Say so if you do not know.",
    "bioscore_system_prompt": "You stand in for a grader.",
    "bioscore_grading_prompt": "### Grading\nExact 3, close 2, part 1, none 0; 0.5 or 1 off for what is irrelevant; "
    "-1 for \\'I do not know\\'.\n**Asked:** {question}\n**Gold:** {gold_res}\n**Said:** {pred_res}\n## A number:",
}


class Wording:
    """A settings file and the harness that knows its digests, with everything a run by it left."""

    def __init__(self, folder: Path, file: bytes, prompts: Mapping[str, str], source: Path) -> None:
        self.prompts, self._source, self.folder = prompts, source, folder / "p"
        down = folder / "down"
        down.mkdir()
        (down / "default_config.yaml").write_bytes(file)
        asked = written(down / "set.csv", QUESTIONS)
        datasets = {
            "asked": {"make": "biomed.published_prompts", "set": "questions", "config": "config", "mode": "paper"},
            "questions": _fetched(asked),
            "config": _fetched(down / "default_config.yaml"),
        }
        with grading(prompts["bioscore_grading_prompt"]) as provider:
            instruments = {
                "grader": {**GRADED, "base_url": provider.url, "generation": {"max_tokens": 1024, "temperature": 0}}
            }
            project(self.folder, datasets, mode="paper", models=MODELS, outputs=OUTPUTS, instruments=instruments)
            self.call("import", "data", str(down))
            self.first = self.ran(TOY_KEY=KEY)
            self.asked, self.bodies = Counter(provider.asked), list(provider.bodies)
        edited(self.folder, '"tape": "record"', '"tape": "replay"')

    def call(self, *words: str, **env: str) -> Any:
        """Run a verb of the harness that knows the wording, and give what it says."""
        around = clean_env({"PYTHONPATH": str(self._source), "PYTHONDONTWRITEBYTECODE": "1", **env})
        start = judging_once("wording" if self._source != REPOSITORY else "checkout")
        done = subprocess.run(
            [*start, *words, "--json"], cwd=self.folder, env=around, capture_output=True, text=True, timeout=SECONDS,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-3000:]
        return json.loads(done.stdout)

    def ran(self, *words: str, **env: str) -> Any:
        """Lock and run the manifest."""
        self.call("lock", "manifests/m.yaml", **env)
        return self.call("run", "manifests/m.yaml", *words, **env)


def _fetched(file: Path) -> dict[str, str]:
    return {"licence": "ours", "fetch": f"https://localhost:1/{file.name}", "sha256": sha256(file.read_bytes())}


def _stand_in(folder: Path) -> Wording:
    """Make a copy of the source that takes the stand-in for the published file."""
    file = yaml.safe_dump({"prompts": STAND_IN}).encode()
    source = folder / "source"
    shutil.copytree(REPOSITORY / "harness", source / "harness", ignore=shutil.ignore_patterns("__pycache__"))
    terms = source / "harness" / "studies" / "biomed" / "terms.py"
    text = terms.read_text()
    for old, new in {
        CONFIG_SHA256: sha256(file),
        **{PROMPT_SHA256[name]: sha256(said.encode()) for name, said in STAND_IN.items()},
    }.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    terms.write_text(text)
    return Wording(folder, file, STAND_IN, source)


def _official(folder: Path) -> Wording:
    if not CONFIG.is_file():
        pytest.skip("the official settings file is not here")
    told = {name: text.rstrip() for name, text in yaml.safe_load(CONFIG.read_bytes())["prompts"].items()}
    assert {name: sha256(text.encode()) for name, text in told.items()} == dict(PROMPT_SHA256)
    return Wording(folder, CONFIG.read_bytes(), told, REPOSITORY)


@pytest.fixture(scope="module", params=["stand-in", "official"])
def worded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Wording:
    needs("openai", "aiohttp")
    folder = tmp_path_factory.mktemp("wording")
    return _stand_in(folder) if request.param == "stand-in" else _official(folder)


def test_the_grader_is_sent_the_wording_as_published_and_nothing_beside_it(worded: Wording) -> None:
    """One turn of the user an answer, twice as there are two repeats; no system turn, and the published numbers."""
    wording = worded.prompts["bioscore_grading_prompt"]
    assert len(worded.bodies) == 2 * len(MODELS) * len(QUESTIONS)
    for body in worded.bodies:
        [turn] = body["messages"]
        assert turn["role"] == "user" and (body["max_tokens"], body["temperature"]) == (1024, 0)
        filled = wording
        for name, text in zip(("question", "gold_res", "pred_res"), texts_of(turn["content"], wording), strict=True):
            filled = filled.replace(f"{{{name}}}", text)
        assert turn["content"] == filled
    asked = {texts_of(text, wording)[0] for text in worded.asked}
    assert asked == {row["question"] for row in QUESTIONS}


def test_the_answers_are_graded_by_the_published_parser_and_the_page_says_by_which_wording(worded: Wording) -> None:
    found = measured(worded.folder, worded.first, GRADER)
    assert (found["oracle"]["RQR"], found["refuser"]["AR"], found["refuser"]["SR"]) == (1, 1, 1)
    [told] = table(worded.folder, worded.first, "graders")
    assert told["pairs"][0]["a"] == GRADER and told["pairs"][0]["b"] == RULE and told["pairs"][0]["n"] > 0
    [counts] = table(worded.folder, worded.first, "counts")
    system = worded.prompts["system_prompt"]
    assert counts["biomed"]["system_prompt_sha256"] == sha256(system.encode())
    [off] = table(worded.folder, worded.first, "deductions")
    assert off["models"]["oracle"]["stated"] == {"missing": "the grader replies with one number"}
    digest = outputs_of(worded.first)["report.html"]
    page = (worded.folder / ".harness" / "blobs" / "sha256" / digest[:2] / digest).read_text()
    assert "asked in the published wording" in page and "our own wording" not in page


def test_its_tape_gives_the_same_bytes_in_an_empty_store_without_the_provider(worded: Wording) -> None:
    again = worded.ran("--store", "second")
    assert outputs_of(again) == outputs_of(worded.first)
    report = worded.call("audit", again["runs"][0]["run"], "--store", "second", "--budget", "900")
    assert report["verdict"] == "agreed", report
