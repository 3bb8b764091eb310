"""Held against lm-eval itself: each log-likelihood to 1e-4, each item's choice by each rule, and perplexities."""

from __future__ import annotations

import json
import math
import os
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from needs import needs
from support_models import REPOSITORY

from harness import rows
from harness.models.local.likelihood import LikelihoodModel, Measured
from harness.models.local.load import LoadedModel, open_causal
from harness.rowtypes import Prompt
from harness.studies.questions.likelihood import prompts, scores

needs("torch", "transformers")
pytestmark = pytest.mark.together  # one process of lm-eval serves them all

TINY = REPOSITORY / "assets" / "tiny-shaped"
RULES = {"sum": "acc", "character": "acc_norm", "byte": "acc_bytes", "unconditional": "acc_mutual_info"}
WORDS = [
    "the",
    "of",
    "to",
    "in",
    "\u00e9t\u00e9",
    "that",
    "12",
    "was",
    "7",
    "for",
    "\u4f60\u597d",
    "as",
    "they",
    "at",
    "345",
]
SHOTS = "Question: What is 1 plus 1?\nAnswer: 2\n\nQuestion: What is 2 plus 3?\nAnswer: 5\n\n"
FLOAT32 = 1e-6  # of sums below -100 nats, of which a model in float32 gives no ten-thousandth
ITEMS, TEXTS, WINDOW = 96, 12, 512
PEER = """
import json, sys
from lm_eval import simple_evaluate
from lm_eval.models.huggingface import HFLM
from lm_eval.tasks import TaskManager
folder, batch, *models = sys.argv[1:]
tasks = TaskManager(include_path=folder, include_defaults=False)
for model in models:
    lm = HFLM(pretrained=model, device="cpu", dtype="float32", batch_size=int(batch))
    found = simple_evaluate(model=lm, tasks=["our_choice", "our_texts"], task_manager=tasks, log_samples=True,
                            bootstrap_iters=0)
    print("FOUND " + json.dumps({"results": found["results"], "samples": found["samples"]}, default=str))
"""


def items() -> list[dict[str, Any]]:
    """Make up items: long and short, examples before some, letters, a space at the end, two to six options."""
    draw = random.Random(23)

    def text(least: int, most: int) -> str:
        return " ".join(draw.choice(WORDS) for _ in range(draw.randint(least, most)))

    found = []
    for number in range(ITEMS):
        shape, sum_of = number % 6, (draw.randint(1, 40), draw.randint(1, 40))
        asked = f"Question: What is {sum_of[0]} plus {sum_of[1]}?\nAnswer:"
        options = [str(sum(sum_of) + more) for more in range(4)]
        if shape in (1, 4):
            asked, options = SHOTS + asked, options if shape == 1 else list("ABCDEF")
        elif shape in (2, 3):
            asked, options = text(5, 40), [text(1, 9) for _ in range(2 + number % 5)]
        elif shape == 5:
            asked += " "
        found.append({"text": asked, "options": options, "gold": draw.randrange(len(options))})
    return found


def texts() -> list[str]:
    """Make up texts, some longer than the window twice over, one that fills it and one with a letter more."""
    draw = random.Random(5)
    found = [" ".join(draw.choice(WORDS) for _ in range(size)) for size in range(1, 40 * TEXTS, 40)]
    return [*found, "x" * WINDOW, "y" * (WINDOW + 1), "two\n\n lines  and \u00e9"]


def write_tasks(folder: Path) -> None:
    """Write both tasks in lm-eval's own format; JSON is YAML."""
    folder.mkdir()
    tables = {"our_choice": items(), "our_texts": [{"text": each} for each in texts()]}
    metrics = {"our_choice": list(RULES.values()), "our_texts": ["word_perplexity", "byte_perplexity", "bits_per_byte"]}
    told = {
        "our_choice": {"output_type": "multiple_choice", "doc_to_text": "text", "doc_to_choice": "options",
                       "doc_to_target": "gold"},
        "our_texts": {"output_type": "loglikelihood_rolling", "doc_to_text": "", "doc_to_target": "text"},
    }  # fmt: skip
    for name, table in tables.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in table), encoding="utf-8")
        task = {
            "task": name, "dataset_path": "json", "test_split": "test", **told[name],
            "dataset_kwargs": {"data_files": {"test": str(folder / f"{name}.jsonl")}},
            "metric_list": [{"metric": metric} for metric in metrics[name]],
        }  # fmt: skip
        (folder / f"{name}.yaml").write_text(json.dumps(task), encoding="utf-8")


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Give the tiny model, as it is and with a tokenizer that begins each text with a token of its own."""
    folder: Path = shutil.copytree(TINY, tmp_path_factory.mktemp("begins") / "m")
    tokenizer = json.loads((folder / "tokenizer.json").read_bytes())
    first = {"SpecialToken": {"id": "<|pad|>", "type_id": 0}}
    parts = [{"Sequence": {"id": name, "type_id": 0}} for name in "AB"]
    tokenizer["post_processor"] = {
        "type": "TemplateProcessing", "single": [first, parts[0]], "pair": [first, *parts],
        "special_tokens": {"<|pad|>": {"id": "<|pad|>", "ids": [257], "tokens": ["<|pad|>"]}},
    }  # fmt: skip
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    config = json.loads((folder / "tokenizer_config.json").read_bytes())
    (folder / "tokenizer_config.json").write_text(json.dumps({**config, "bos_token": "<|pad|>"}))
    return {"bare": TINY, "begins": folder}


@pytest.fixture(scope="module", params=["bare", "begins"])
def model(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def found_by_lm_eval(models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Run lm-eval over each model, in one process: its imports take longer than what it measures."""
    from e2e.long.test_third_party import peer

    python, home = peer("lm_eval", "torch", "transformers"), tmp_path_factory.mktemp("peer")
    write_tasks(home / "tasks")
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(home / "hf"), "LC_ALL": "C.UTF-8"}
    env = {"HOME": str(home), "PATH": os.environ.get("PATH", ""), **offline}
    command = [python, "-c", PEER, str(home / "tasks"), "8", *map(str, models.values())]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    said = [json.loads(line[6:]) for line in done.stdout.splitlines() if line.startswith("FOUND ")]
    return dict(zip(models, said, strict=True))


@pytest.fixture(scope="module")
def theirs(model: str, found_by_lm_eval: dict[str, Any]) -> Any:
    return found_by_lm_eval[model]


@pytest.fixture(scope="module", params=[1, 8])
def loaded(request: pytest.FixtureRequest, model: str, models: dict[str, Path]) -> tuple[LoadedModel, int]:
    batch = "reference" if request.param == 1 else str(request.param)
    return open_causal(models[model], {"batch": batch, "dtype": "float32"}), request.param


def measured(loaded: tuple[LoadedModel, int], asked: Path, what: Measured, out: Path) -> list[Any]:
    """Measure as the step does, and give the rows that are written."""
    reader = LikelihoodModel("m", *loaded)
    rows.write(out, reader.rows(rows.read(asked, Prompt), what))
    return list(rows.read(out))


def test_choices_are_lm_evals_by_every_rule(loaded: tuple[LoadedModel, int], theirs: Any, tmp_path: Path) -> None:
    samples = sorted(theirs["samples"]["our_choice"], key=lambda sample: sample["doc_id"])
    assert [sample["doc"] for sample in samples] == items() and len(samples) == ITEMS
    tables: dict[str, list[Any]] = {"items": [], "gold": [], "asked": []}
    for number, one in enumerate(items()):
        lettered = dict(zip("ABCDEF", one["options"], strict=False))
        tables["items"].append({"id": f"{number}", "options": lettered})
        tables["gold"].append({"id": f"{number}", "gold": {"target": "ABCDEF"[one["gold"]]}})
        tables["asked"].append({"item": f"{number}", "template": 0, "text": one["text"]})
    for name, table in tables.items():
        rows.write(tmp_path / name, table)
    inputs = {name: tmp_path / name for name in ("items", "gold", "likelihoods", "alone")}
    prompts.add_options(
        {"show": "text", "chat": False}, {"items": tmp_path / "items", "prompts": tmp_path / "asked"}, tmp_path
    )
    found = measured(loaded, tmp_path / "prompts", "continuations", tmp_path / "likelihoods")
    alone = measured(loaded, tmp_path / "prompts", "alone", tmp_path / "alone")
    for sample, row, apart in zip(samples, found, alone, strict=True):
        ours = [*row["continuations"], *apart["continuations"]]
        pairs = [(float(total), greedy in (True, "True")) for ((total, greedy),) in sample["resps"]]
        assert [one["logprob"] for one in ours] == pytest.approx([total for total, _ in pairs], abs=1e-4, rel=FLOAT32)
        assert [one["greedy"] for one in ours] == [greedy for _, greedy in pairs]
    for rule, metric in RULES.items():
        scores.choice({"name": rule, "normalise": rule, "show": "text"}, inputs, tmp_path)
        values = [row["value"] for row in rows.read(tmp_path / "scores")]
        assert values == [sample[metric] for sample in samples]
        assert 0.05 < sum(values) / ITEMS < 0.95


def test_perplexities_are_lm_evals(loaded: tuple[LoadedModel, int], theirs: Any, tmp_path: Path) -> None:
    asked = [{"item": f"{number}", "template": 0, "text": text} for number, text in enumerate(texts())]
    rows.write(tmp_path / "prompts", asked)
    found = measured(loaded, tmp_path / "prompts", "rolling", tmp_path / "likelihoods")
    samples = sorted(theirs["samples"]["our_texts"], key=lambda sample: sample["doc_id"])
    for row, sample in zip(found, samples, strict=True):
        [[total]] = [[float(each) for each in resp] for resp in sample["resps"]]
        assert row["continuations"][0]["logprob"] == pytest.approx(total, abs=1e-4, rel=FLOAT32)
    inputs = {name: tmp_path / name for name in ("prompts", "likelihoods")}
    scores.perplexity({"name": "perplexity"}, inputs, tmp_path)
    details = [row["detail"] for row in rows.read(tmp_path / "scores")]
    total = sum(each["logprob"] for each in details)
    results = theirs["results"]["our_texts"]
    for metric, part in (("word_perplexity", "words"), ("byte_perplexity", "bytes")):
        whole = math.exp(-total / sum(each[part] for each in details))
        assert whole == pytest.approx(float(results[f"{metric},none"]), rel=1e-6)
    bits = -total / sum(each["bytes"] for each in details) / math.log(2)
    assert bits == pytest.approx(float(results["bits_per_byte,none"]), rel=1e-6)
