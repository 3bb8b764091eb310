"""The manifests of the published study: what they pin, what they plan, and that every claim leads to its number."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from importlib import import_module
from typing import Any

import pytest
from studies.curie.measures.score_rows import item, score
from support import REPOSITORY
from support_curie_records import CURIE, RECORDS
from support_inside import inner_data

from harness import rows
from harness.digest import sha256
from harness.evidence.claims.claims import PointerReader
from harness.manifest.datasets import Fetched, FetchedFiles, Made
from harness.manifest.documents import ModelPin
from harness.manifest.load import LoadedManifest, load_manifest
from harness.manifest.lockfile import Lock
from harness.run.lock import static_pins
from harness.run.planning.plan import check_manifest, make_plan
from harness.steps import Plan
from harness.studies.curie.data import archive
from harness.studies.curie.measures import lengths, run_tables
from harness.studies.curie.measures.paper_models import TABLE_1, TABLE_7
from harness.studies.curie.tasks import PROMPT_SHA256, TASKS
from harness.studies.curie.tasks import REPOSITORY as OFFICIAL

PAPER = REPOSITORY / "manifests" / "paper"
DIGEST = "ab" * 32
BLIND = ("mixtral-gcp", "command-r-plus", "longllama")  # models that the paper did not show images
# What a table calls the model of a result file: docs/curie.md#paper-models.
PRINTED = {
    "mixtral-gcp": "Mixtral", "command-r-plus": "Command-R+", "longllama": "LongLLaMa",
    "gemini-1.0-pro": "Gemini 1.0 Pro", "gpt-4o": "GPT-4o", "gemini-1.5-pro-latest": "Gemini 1.5 Pro",
    "gemini-1.5-flash-latest": "Gemini 1.5 Flash", "gemini-2.0-flash-latest": "Gemini 2.0 Flash",
    "claude-3-opus-20240229": "Claude 3 Opus",
}  # fmt: skip
EXPECTED = {"dft": 74, "mpve": 17, "hfd": 15, "hfe": 38, "qecc_65": 65, "geo": 19, "biogr": 138, "pdb": 64}
FORK = "https://raw.githubusercontent.com/iammpy/curie/db53d1187c7410aa6ccea24f94321da765ae2b73/"
MAPS = (
    "https://raw.githubusercontent.com/google-research/ecology-georeferencing/b629766431350993193f0198005c1984aa488b4d/"
)
METRICS = {
    "llmsim-judge": {"f1": 0.5, "precision": 0.5, "recall": 0.5}, "rouge": {"rougeLsum": 10.0},
    "boxes": {"iou": 0.5, "normalized_distance_error": 2.0, "relative_box_size": 1.5},
    "sequence": {"identity_ratio": 0.25},
    "bertscore-17": {"bert_f1": 0.75}, "lmscore": {"lmscore": 0.5},  # nothing here makes these two as published
}  # fmt: skip
here = pytest.mark.skipif(not RECORDS.is_dir(), reason="the real records are not here")


def paper(name: str) -> LoadedManifest:
    return load_manifest(PAPER / f"{name}.yaml")


def files(loaded: LoadedManifest, name: str) -> dict[str, Any]:
    found = loaded.manifest.datasets[name]
    assert isinstance(found, FetchedFiles)
    return dict(found.fetch)


def planned(loaded: LoadedManifest) -> Plan:
    """Plan a manifest as if everything were there: the published records, tapes, weights."""
    pins, datasets = static_pins(loaded), loaded.manifest.datasets
    made: dict[str, Any] = {
        name: {"items": {"sha256": DIGEST, "rows": EXPECTED[TASKS[name].domain]}}
        for name, each in datasets.items() if isinstance(each, Made)
    }  # fmt: skip
    one: dict[str, Any] = {name: {"sha256": DIGEST} for name, each in datasets.items() if isinstance(each, Fetched)}
    many: dict[str, Any] = {
        name: {"sha256": DIGEST, "files": {path: file.sha256 for path, file in each.fetch.items()}}
        for name, each in datasets.items() if isinstance(each, FetchedFiles)
    }  # fmt: skip
    pinned: Mapping[bool, ModelPin] = {True: {"files": {"model.safetensors": DIGEST}}, False: {"tape": DIGEST}}
    pins["models"] = {
        name: {"sha256": DIGEST, **pinned[bool(model.weights)]} for name, model in loaded.manifest.models.items()
    }
    pins["instruments"] = {name: {"sha256": DIGEST, "tape": DIGEST} for name in loaded.manifest.instruments}
    pins["tables"] = {"curie/published@1": {"sha256": DIGEST, "file": "published@1.csv"}}
    lock = Lock(loaded.manifest.intent(), loaded.sha256, {**pins, "datasets": {**made, **one, **many}})
    return make_plan(check_manifest(loaded), lock)


@pytest.fixture(scope="module")
def whole() -> LoadedManifest:
    return paper("curie-archive")


@pytest.fixture(scope="module")
def steps(whole) -> Plan:
    return planned(whole)


def test_the_models_are_the_nine_of_table_1_and_none_pretends_to_a_pin(whole):
    models = whole.manifest.models
    assert tuple(models) == TABLE_1 == tuple(PRINTED)
    local = {name for name, model in models.items() if model.weights}
    assert local == {"mixtral-gcp", "longllama"} and all(models[name].unresolved for name in local)
    remote = [model for name, model in models.items() if name not in local]
    assert {model.tape for model in (*remote, whole.manifest.instruments["judge"].model)} == {"replay"}
    assert all(model.model == name for name, model in models.items() if name not in local)
    assert whole.manifest.instruments["judge"].model.model == "gemini-1.5-pro-latest"


def test_the_archive_and_the_prompts_are_those_of_the_pinned_commit(whole):
    pinned = whole.manifest.datasets["archive"]
    assert (pinned.sha256, f"/{'/'.join(OFFICIAL)}/data/data.zip" in pinned.fetch) == (archive.SHA256, True)
    asked = files(whole, "prompts")
    assert {path: file.sha256 for path, file in asked.items()} == {
        f"prompts/{name}.txt": digest for name, digest in PROMPT_SHA256.items()
    }
    for loaded in (whole, paper("curie-public-copy"), paper("curie-biogr")):
        for path, file in files(loaded, "prompts").items():
            assert file.url == f"https://raw.githubusercontent.com/{'/'.join(OFFICIAL)}/{path}"
            assert file.sha256 == asked[path].sha256


def test_every_task_is_asked_of_every_model_as_it_was_published(whole, steps):
    asked = [step for step in steps.steps if "/responses/" in step.name]
    who = {tuple(step.name.split("/")[::2][:2]) for step in asked}
    assert {(task, model) for task, model in who if model != "strategies"} == {
        (task, model) for task in TASKS for model in PRINTED
    }
    shown = {step.name.split("/")[2] for step in asked if "media" in step.inputs}
    assert shown == set(PRINTED) - set(BLIND) == set(TABLE_7)
    runs = {step.name.split("/")[0]: len(step.params["seeds"]) for step in asked}
    assert runs == {task: 3 if task == "biogr" else 1 for task in TASKS}
    assert {step.kind for step in steps.steps if "/prompts/" in step.name} == {"harness.kit.prompts:pick"}
    assert {step.params["mode"] for step in steps.steps if "/scores/" in step.name} == {"paper"}
    assert set(whole.manifest.outputs) <= set(steps.outputs)


def test_a_model_is_sent_its_own_budget_of_tokens_and_nothing_else(steps):
    sent = {step.name.split("/")[2]: step.params["generation"] for step in steps.steps if "/responses/" in step.name}
    del sent["strategies"]
    assert set(sent) == set(PRINTED) and sent["command-r-plus"] == {"max_tokens": 4000}
    assert all(list(each) == ["max_tokens"] and isinstance(each["max_tokens"], int) for each in sent.values())


def test_the_published_judge_is_asked_in_its_own_wording(steps):
    asked = [step for step in steps.steps if step.kind == "harness.studies.curie.judging.llm:ask"]
    assert {step.name.split("/")[0] for step in asked} == {"dft-s", "dft-p", "mpv", "mpv-non-trivial", "mpv-specific"}
    assert all("judge_template" in step.inputs for step in asked)
    assert steps_of(steps, "tables").params["primary"]["mpv"] == ["llmsim-judge", "f1"]


def steps_of(steps: Plan, name: str) -> Any:
    [found] = [step for step in steps.steps if step.name == name]
    return found


def scorers_of(task: str) -> tuple[str, ...]:
    """Name the scorers that give a task's published metrics."""
    if task in ("biogr", "pdb"):
        return ("boxes",) if task == "biogr" else ("sequence",)
    texts = ("rouge", "bertscore-17", "lmscore")
    return ("llmsim-judge", *texts) if task[:3] in ("dft", "mpv") and task != "dft-c" else texts


def answered(models: Sequence[str]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Give two records of each task, and a score of each model that was asked it by each metric."""
    items = [item(task, record) for task in TASKS for record in ("a", "b")]
    found = [
        score(task, record, next(iter(METRICS[name].values())), model, scorer=name, metrics=METRICS[name], mode="paper")
        for task in TASKS for model in models if not (task == "biogr" and model in BLIND)
        for name in scorers_of(task) for record in ("a", "b")
    ]  # fmt: skip
    return items, found


@pytest.fixture(scope="module")
def documents(whole, steps, tmp_path_factory) -> PointerReader:
    """The documents of a made-up run, written by the very steps that the manifest plans."""
    folder = tmp_path_factory.mktemp("made-up")
    inputs = {name: folder / name for name in ("items", "scores")}
    for path, table in zip(inputs.values(), answered(list(whole.manifest.models)), strict=True):
        rows.write(path, table)
    inputs["gold"] = folder / "gold"
    rows.write(inputs["gold"], [{"id": row["id"], "gold": {"target": "so"}} for row in rows.read(inputs["items"])])
    inputs["published"] = REPOSITORY / "harness" / "studies" / "curie" / "tables" / "published@1.csv"
    for name in ("means", "tables", "published", "lengths"):
        step = steps_of(steps, name)
        module, _, function = step.kind.partition(":")
        again = {"resamples": 20} if "resamples" in step.params else {}
        getattr(import_module(module), function)({**step.params, **again}, {x: inputs[x] for x in step.inputs}, folder)
    rows.write_one(folder / "counts", {task: {"kept": EXPECTED[TASKS[task].domain]} for task in TASKS})
    return PointerReader(
        {name: {"sha256": name} for name in ("means", "tables", "published", "counts", "lengths")}, folder.joinpath
    )


def test_every_claim_leads_to_a_number_in_the_documents_of_a_run(whole, documents):
    assert len(whole.manifest.claims) == 12 + 69 + 120 + 12 + 8 + 4 + 9 + (54 + 48 + 32) + 9
    for claim in whole.manifest.claims:
        for pointer in claim.pointers:
            found = documents.at(pointer)
            assert found.number is not None, f"{claim.id}: {pointer}: {found.lacks or found.flaw}"


def test_what_is_said_of_the_printed_tables_alone_is_met_without_a_run(whole, documents):
    said = [claim for claim in whole.manifest.claims if claim.of.startswith(("published#", "counts#"))]
    assert len(said) == 4 + 9 + 12
    for claim in said:
        assert abs(documents.at(claim.of).number - Decimal(claim.published)) <= Decimal(claim.within), claim.id


@pytest.mark.skipif(not CURIE.is_dir(), reason="the shared table is not here")
def test_a_claimed_cell_is_the_one_printed_for_its_model_and_column(whole):
    with open(CURIE / "published_tables.csv", encoding="utf-8", newline="") as file:
        known = {(row["table"], row["model"], row["task"].upper(), row["metric"]): row["value"]
                 for row in csv.DictReader(file)}  # fmt: skip
    called = {
        "rougeLsum": "rougeL",
        "bert_f1": "bertscore_f1",
        **{name: f"llmsim_{name}" for name in ("precision", "recall", "f1")},
    }
    cells = [claim for claim in whole.manifest.claims if claim.of.startswith("tables#")]
    for claim in cells:
        _, _, table, _, model, place = claim.of.split("/")
        column = run_tables.TABLES[table][1][int(place)]
        task = "DFT-AVG" if column.heading == "DFT" else column.heading
        assert claim.published == known[table, PRINTED[model], task, called.get(column.metric, column.metric)], claim.id
        # half of the second digit; a zero there is lost in print
        assert claim.within == "0.005" and 1 <= len(claim.published.partition(".")[2]) <= 2


def test_no_claim_speaks_of_a_model_by_numbers_of_another(whole):
    """Table 2's row of Gemini 2.0 Flash is of gemini-v3-s-thinking, and a BIOGR of the blind is filled in."""
    pointed = " ".join(claim.of for claim in whole.manifest.claims)
    assert "/gemini-1.5-pro-latest/" in pointed
    assert "table2/rows/gemini-2.0-flash-latest" not in pointed and "/ten/gemini-2.0-flash-latest" not in pointed
    for name in BLIND:
        assert f"table1/rows/{name}/13" in pointed
        assert f"table1/rows/{name}/12" not in pointed and f"table7/rows/{name}" not in pointed


def test_the_public_copy_asks_six_tasks_in_strict_mode_without_a_network():
    copy = paper("curie-public-copy")
    tasks = [name for name, task in TASKS.items() if task.domain in ("dft", "mpve")]
    steps = planned(copy)
    made = {name: each.make for name, each in copy.manifest.datasets.items() if isinstance(each, Made)}
    assert made == {task: f"curie.public_copy_prompts_{task}" for task in tasks} and len(tasks) == 6
    assert {step.params["mode"] for step in steps.steps if "/scores/" in step.name} == {"strict"}
    assert not any(step.calls or step.infers for step in steps.steps)
    words = {"dft": "5818", "mpve": "1687"}
    assert {claim.of: claim.published for claim in copy.manifest.claims} == {
        **{f"counts#/{task}/kept": str(EXPECTED[TASKS[task].domain]) for task in tasks},
        **{f"lengths#/tasks/{task}/document/spaces": words[TASKS[task].domain] for task in tasks[:4]},
    }


def test_what_nothing_here_makes_as_published_says_what_it_waits_for(whole):
    unmade = [claim for claim in whole.manifest.claims if claim.id.endswith(("-bert", "-lmscore")) and claim.waits]
    assert len(unmade) == 54 + 48 + 32 and all(claim.status.startswith("UNVERIFIED") for claim in unmade)
    places = {run_tables.TABLES[claim.of.split("/")[2]][1][int(claim.of.split("/")[-1])].metric for claim in unmade}
    assert places == {"bert_f1", "lmscore"}


@pytest.mark.skipif(not CURIE.is_dir(), reason="the shared table is not here")
def test_a_claimed_length_is_the_one_printed_and_both_readings_are_given(whole, documents):
    with open(CURIE / "published_tables.csv", encoding="utf-8", newline="") as file:
        printed = {row["task"].lower(): row["value"] for row in csv.DictReader(file)
                   if (row["table"], row["metric"]) == ("table3", "avg_input_words")}  # fmt: skip
    said = {claim.of.split("/")[2]: claim for claim in whole.manifest.claims if claim.of.startswith("lengths#")}
    assert {task: claim.published for task, claim in said.items()} == printed
    assert all(claim.status == "OURS: parted at single spaces; UNVERIFIED" for claim in said.values())
    texts: list[Any] = [item("dft-s", "a", text="one two\nthree  four"), item("dft-s", "b", text="one")]
    golds: list[Any] = [{"id": row["id"], "gold": {"target": "a b"}} for row in texts]
    assert lengths.lengths(texts, golds, ["dft-s", "mpv"]) == {
        "dft-s": {
            "document": {"n": 2, "white_space": 2.5, "spaces": 2.5},
            "answer": {"n": 2, "white_space": 2, "spaces": 2},
        }
    }
    assert lengths.lengths(texts[:1], [], ["dft-s"])["dft-s"]["document"] == {"n": 1, "white_space": 4, "spaces": 4}
    texts[0]["input"]["text"] = "one two\nthree"
    assert lengths.lengths(texts[:1], [], ["dft-s"])["dft-s"]["document"] == {"n": 1, "white_space": 3, "spaces": 2}


@here
def test_the_public_copy_pins_each_file_of_the_table_of_records():
    pinned = {path: file.sha256 for path, file in files(paper("curie-public-copy"), "copy").items()}
    with open(CURIE / "records.csv", encoding="utf-8", newline="") as file:
        listed = [row for row in csv.DictReader(file) if row["input_sha256"]]
    wanted = {
        f"data/{row['domain']}/{kind}/{row['record_id']}.json": row[f"{column}_sha256"]
        for row in listed for kind, column in (("inputs", "input"), ("ground_truth", "ground_truth"))
    }  # fmt: skip
    assert Counter(row["domain"] for row in listed) == {"dft": 74, "mpve": 17}
    labels = {"data/difficulty_levels.json": sha256((RECORDS / "difficulty_levels.json").read_bytes())}
    assert pinned == {**wanted, **labels}
    assert all(file.url == FORK + path for path, file in files(paper("curie-public-copy"), "copy").items())


@here
def test_the_maps_pin_the_eight_records_at_hand_and_no_other():
    pinned = files(paper("curie-biogr"), "repository")
    folder = RECORDS / "biogr"
    assert {path: file.sha256 for path, file in pinned.items()} == {
        path.relative_to(folder).as_posix(): sha256(path.read_bytes()) for path in folder.rglob("*.*")
    }
    assert len(pinned) == 17 and all(file.url == MAPS + path for path, file in pinned.items() if "/" in path)
    assert pinned["index.jsonl"].url == f"{MAPS}index.csv"  # where its rows come from


def test_the_maps_are_asked_three_times_of_who_sees_them():
    steps = planned(paper("curie-biogr"))
    asked = [step for step in steps.steps if "/responses/oracle/" in step.name]
    assert asked and all(step.params["seeds"] == [0, 1, 2] for step in asked)
    assert {step.params["mode"] for step in steps.steps if "/scores/" in step.name} == {"strict"}
    assert set(paper("curie-biogr").manifest.outputs) <= set(steps.outputs)


def test_claims_of_the_archive_say_what_they_need_and_miss_nothing(whole, tmp_path):
    words = ("claims", "manifests/paper/curie-archive.yaml", "--store", tmp_path / "none")
    found = inner_data(*words, cwd=REPOSITORY, check=0)["claims"]
    assert [row["id"] for row in found] == [claim.id for claim in whole.manifest.claims]
    assert all(row["verdict"].startswith("not run: needs ") for row in found)
