"""The maker `biomed.generated` from manifest to scores, over five tables of the real numbers of rows (31 million).

The tables are made up by DuckDB, which shares no code with the maker and counts candidates beside it. The forty
templates keep 2,000 pairs each, and 270 of these are sampled as published.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from bench.biomed_tables import WRITE
from needs import needs
from support import REPOSITORY, SECONDS, clean_env, data_of, harness, outputs_of

from harness.digest import sha256_file
from harness.studies.biomed.templates.catalogue import TEMPLATES
from harness.studies.biomed.templates.drawing import MOST, MOST_YES
from harness.studies.biomed.templates.pair import TABLES

pytestmark = [pytest.mark.long, pytest.mark.together]
BENCH = REPOSITORY / "tests" / "bench"
SHARES = {"a tenth": 0.1, "whole": 1.0}  # of the real numbers of rows
SAMPLED = 270  # questions of a template in the published test split
MOST_MIB = {"a tenth": 1024, "whole": 2048}  # of the largest process that makes the questions
MOST_CPU = {"a tenth": 60, "whole": 600}  # seconds of a processor, which a busy machine stretches little
PAIRS = {"a tenth": 40_000, "whole": 60_000}  # at least so many are kept


class Generated:
    """Tables of a share of the real size, a run of the maker over them, and how long it took."""

    def __init__(self, folder: Path, size: str) -> None:
        self.size, self.folder, self.tables = size, folder / "p", folder / "tables"
        self.tables.mkdir()
        words = [sys.executable, "-c", WRITE, str(BENCH / "biomed_tables.sql"), str(self.tables), str(SHARES[size])]
        subprocess.run(words, env=clean_env(), check=True, timeout=SECONDS)
        made = {"make": "biomed.generated", "seed": 7, "rows": SAMPLED, **{name: name for name in TABLES}}
        fetched = {
            name: {"licence": "ours", "fetch": f"https://localhost:1/{name}.parquet",
                   "sha256": sha256_file(self.tables / f"{name}.parquet")[0]}
            for name in TABLES
        }  # fmt: skip
        manifest = {
            "harness": 2, "study": "biomed", "name": "real-size", "about": "Forty templates over large tables.",
            "models": {name: {"provider": "baseline", "behaviour": name} for name in ("oracle", "refuser")},
            "datasets": {"asked": made, **fetched}, "settings": {"mode": "strict"},
            "generation": {"temperature": 0, "max_tokens": 64},
            "resources": {"gpus": 0, "memory": "4GiB", "timeout": "1h"},
            "outputs": dict.fromkeys(("items", "counts", "performance"), "exact"),
        }  # fmt: skip
        for name in ("manifests", "lockfiles"):
            (self.folder / name).mkdir(parents=True)
        (self.folder / "manifests" / "m.yaml").write_text(json.dumps(manifest, indent=1))
        harness("import", "data", self.tables, cwd=self.folder, check=0)
        # The lock makes the questions, and the run takes them from the store.
        harness("lock", "manifests/m.yaml", cwd=self.folder, check=0)
        self.run = data_of("run", "manifests/m.yaml", cwd=self.folder)

    def table(self, name: str) -> list[Any]:
        """Give the rows of an output."""
        digest = outputs_of(self.run)[name]
        data = (self.folder / ".harness" / "blobs" / "sha256" / digest[:2] / digest).read_bytes()
        return [json.loads(line) for line in data.splitlines()]

    def usage(self, step: str) -> Mapping[str, int]:
        """Give what a step took when it was executed, as the run's journal has it."""
        [run] = self.run["runs"]
        journal = self.folder / ".harness" / "runs" / run["run"] / "journal.jsonl"
        events = [json.loads(line) for line in journal.read_bytes().splitlines()]
        [usage] = [event["usage"] for event in events if event["event"] == "step.done" and event["step"] == step]
        return dict(usage)

    def counts(self) -> Mapping[str, Mapping[str, int | None]]:
        """Give candidates, those answered yes, and drawn pairs of each template."""
        [found] = self.table("counts")
        counts: Mapping[str, Mapping[str, int | None]] = found["biomed"]["templates"]
        return counts


@pytest.fixture(scope="module", params=["a tenth", pytest.param("whole", marks=pytest.mark.nightly)])
def generated(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Generated:
    needs("duckdb")
    return Generated(tmp_path_factory.mktemp("real-size"), request.param)


def test_every_template_keeps_its_pairs_by_the_papers_rule(generated: Generated) -> None:
    counts = generated.counts()
    assert set(counts) == set(TEMPLATES)
    for name, each in counts.items():
        candidates, yes = each["candidates"] or 0, each["candidates_yes"]
        assert each["drawn"] == min(candidates, MOST) > 0, name
        assert (yes is not None) is TEMPLATES[name].yes_no, name
    assert sum(each["drawn"] or 0 for each in counts.values()) >= PAIRS[generated.size]
    many = [each for each in counts.values() if (each["candidates"] or 0) > MOST and each["candidates_yes"]]
    assert any((each["candidates_yes"] or 0) >= MOST_YES for each in many), "1,500 with yes and 500 with no"
    assert any((each["candidates_yes"] or 0) < MOST_YES for each in many), "all with yes, the rest with no"


def test_the_candidates_are_those_that_sql_counts(generated: Generated) -> None:
    words = [sys.executable, str(BENCH / "counts_biomed.py"), str(generated.tables)]
    done = subprocess.run(words, env=clean_env(), check=True, timeout=SECONDS, capture_output=True, text=True)
    counts = generated.counts()
    counted = json.loads(done.stdout)
    assert len(counted) >= 10 and {name: counts[name]["candidates"] for name in counted} == counted


def test_at_most_270_of_a_template_are_asked_and_the_oracle_is_right_on_all(generated: Generated) -> None:
    times = Counter(row["meta"]["template"] for row in generated.table("items"))
    drawn = {name: each["drawn"] or 0 for name, each in generated.counts().items()}
    assert times == {name: min(count, SAMPLED) for name, count in drawn.items()}
    [found] = generated.table("performance")
    models = found["graders"]["bioscore-rule"]["models"]
    assert sum(models["oracle"]["states"].values()) == sum(times.values()) > 8_000
    assert models["refuser"]["rates"]["AR"]["value"] == 1 and models["oracle"]["rates"]["RQR"]["value"] > 0.999


def test_the_questions_are_made_in_bounded_memory_and_time(generated: Generated) -> None:
    """No table is ever held as a whole. `make bench` measures the same work and says what it takes."""
    usage = generated.usage("asked/make")
    assert 100 < usage["rss_kib"] / 1024 < MOST_MIB[generated.size], usage
    assert 0 < usage["cpu_ms"] / 1000 < MOST_CPU[generated.size], usage
