"""The study `curie` from manifest to page: extremes, cheap strategies, code in answers, judges on a real tape."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from needs import needs
from support import data_of, harness, outputs_of
from support_draws import drawn
from support_slices import require_equal_slices
from toys.matching import KEY, judging

from harness.engines.local import available_isolations
from harness.studies.curie.tasks import AVERAGED

pytestmark = [
    pytest.mark.together,
    pytest.mark.skipif("bubblewrap" not in available_isolations(), reason="code in answers is run in bubblewrap"),
]
STAND_INS = ("oracle", "noisy-oracle", "empty", "forger", "shotgun")
FEW = ("oracle", "empty", "forger", "shotgun")
INSTRUMENTS = """\
instruments:
  judge: {provider: openai, model: matcher-1, tape: TAPE, base_url: "URL", key: TOY_KEY}
  grader: {provider: openai, model: rater-1, tape: TAPE, base_url: "URL", key: TOY_KEY, logprobs: 5}
"""
OUTPUTS = ("items", "scores", "means", "slices", "comparisons", "tables", "breakdowns", "published")


def project(
    folder: Path, tasks: Sequence[str], mode: str = "strict", models: Sequence[str] = STAND_INS, more: str = "",
    outputs: Sequence[str] = OUTPUTS,
) -> Path:  # fmt: skip
    """Lay out a project with one manifest of three records a task."""
    (folder / "manifests").mkdir(parents=True)
    (folder / "lockfiles").mkdir()
    lines = ["harness: 2", "study: curie", f"name: {mode}", "about: A few records of each task.", "models:"]
    lines += [f"  {name}: {{provider: baseline, behaviour: {name}}}" for name in models]
    lines += ["datasets:", *(f"  {task}: {{make: curie.demo_{task}, seed: 7, count: 3}}" for task in tasks)]
    lines += [f"prompts: {{set: [{', '.join(f'curie/{task}@1' for task in tasks)}]}}", f"settings: {{mode: {mode}}}"]
    lines += ["generation: {temperature: 0, max_tokens: 64}", "resources: {gpus: 0, memory: 2GiB, timeout: 10m}"]
    lines += [f"outputs: {{{', '.join(f'{name}: exact' for name in outputs)}}}"]
    (folder / "manifests" / "m.yaml").write_text("\n".join(lines) + "\n" + more)
    return folder


def ran(folder: Path, *words: str, **more: Any) -> Any:
    harness("lock", "manifests/m.yaml", cwd=folder, check=0, **more)
    return data_of("run", "manifests/m.yaml", *words, cwd=folder, **more)


def table(folder: Path, run: Mapping[str, Any], name: str, store: str = ".harness") -> list[Any]:
    digest = outputs_of(run)[name]
    data = (folder / store / "blobs" / "sha256" / digest[:2] / digest).read_bytes()
    return [json.loads(line) for line in data.splitlines()]


def values(folder: Path, run: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Give the mean of each task's primary metric, by model."""
    [means] = table(folder, run, "means")
    return {
        task: {name: one["primary"]["value"] for name, one in told["models"].items()}
        for task, told in means["tasks"].items()
    }


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    place, outputs = tmp_path_factory.mktemp("few") / "p", ("items", "scores", "means")
    folder = project(place, ("pdb", "hfe", "biogr"), models=FEW, outputs=outputs)
    return folder, ran(folder)


@pytest.mark.long
def test_oracle_is_right_forger_empty_and_shotgun_are_wrong(few: tuple[Path, Any]) -> None:
    for task, found in values(*few).items():
        assert [found[name] for name in STAND_INS if name != "noisy-oracle"] == [1, 0, 0, 0], task


@pytest.mark.long
def test_cheap_strategies_stand_beside_every_model_and_do_not_win(few: tuple[Path, Any]) -> None:
    found = values(*few)
    assert found["pdb"]["strategy: unrelated sequence"] < 0.1
    assert found["biogr"]["strategy: world box"] < 0.01
    assert found["hfe"]["strategy: copy the document"] == 0
    assert all(found[task]["strategy: another record's answer"] < 0.3 for task in found)


@pytest.mark.long
def test_three_runs_of_a_map_are_told_apart(few: tuple[Path, Any]) -> None:
    [means] = table(*few, "means")
    assert means["tasks"]["biogr"]["models"]["oracle"]["primary"]["runs"]


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("mode", drawn(["strict", "paper"], 1))
def test_all_ten_tasks_run_in_either_mode_and_the_audit_agrees(mode: str, tmp_path: Path) -> None:
    folder = project(tmp_path / "p", AVERAGED, mode, FEW[:3])
    run = ran(folder)
    found = values(folder, run)
    assert set(found) == set(AVERAGED)
    if mode == "strict":
        for task, by_model in found.items():
            assert [by_model[name] for name in FEW[:3]] == [1, 0, 0], task
    [means] = table(folder, run, "means")
    assert means["averages"]["ten"]["oracle"]["value"] == (1 if mode == "strict" else pytest.approx(0.8, abs=0.2))
    report = data_of("audit", run["runs"][0]["run"], "--budget", "900", cwd=folder, check=None)
    assert report["verdict"] in ("agreed", "unconfirmed"), report


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any, int]:
    """Give a project that judges were recorded in, its run, and how often they were asked; their provider is gone."""
    needs("openai", "aiohttp")
    models, outputs, key = ("oracle", "noisy-oracle"), (*OUTPUTS, "agreement", "judgements"), {"TOY_KEY": KEY}
    with judging() as provider:
        more = INSTRUMENTS.replace("URL", provider.url).replace("TAPE", "record")
        place = tmp_path_factory.mktemp("judged") / "p"
        folder = project(place, ("mpv", "hfe"), models=models, more=more, outputs=outputs)
        return folder, ran(folder, env=key), len(provider.asked)


@pytest.mark.long
def test_judges_rate_what_is_right_and_are_compared_with_the_words(judged: tuple[Path, Any, int]) -> None:
    folder, first, asked = judged
    scores = table(folder, first, "scores")
    by_judge = [row["value"] for row in scores if row["scorer"] == "llmsim-judge" and row["model"] == "oracle"]
    assert by_judge == [1, 1, 1], "the judge names each item of a perfect answer, first places included"
    rated = {row["model"]: row["value"] for row in scores if row["scorer"] == "lmscore"}
    assert rated["oracle"] > 0.9 and asked > 10
    [agreement] = table(folder, first, "agreement")
    assert agreement["answers"]["n"] > 0 and 0.5 < agreement["together"]["kappa"]["value"] < 1
    assert len(agreement["parted"]) == agreement["answers"]["n_parted"] > 0


@pytest.mark.nightly  # that a judge is replayed to the same bytes `long/test_judge.py` holds, and `long/test_biomed.py`
def test_judges_are_recorded_and_replayed_without_their_provider(judged: tuple[Path, Any, int]) -> None:
    folder, first, _ = judged
    manifest = folder / "manifests" / "m.yaml"
    manifest.write_text(manifest.read_text().replace("tape: record", "tape: replay"))
    again = ran(folder, "--store", "second")
    assert outputs_of(again) == outputs_of(first)


@pytest.mark.nightly  # of scorers of a study `long/test_biomed.py` holds it, of all `test_verdict_coverage.py`
@pytest.mark.exhaustive
def test_an_audit_agrees_also_where_it_makes_rows_of_each_scorer_again(few: tuple[Path, Any]) -> None:
    folder, run = few
    assert require_equal_slices(folder / ".harness", run["runs"][0]["run"], drawn(FEW, 2)) > 10
