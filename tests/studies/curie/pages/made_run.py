"""A made-up run for the tests of its page: score rows of models and strategies, and the documents made of them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from studies.curie.measures.score_rows import failed, item, made, score

from harness import rows
from harness.studies.curie.measures import agreement, breakdowns, comparisons, means, published, run_tables, slices
from harness.studies.curie.pages import figures, figures_benchmarks, outputs, report

TASKS = (
    "dft-s", "dft-p", "dft-c", "mpv", "mpv-non-trivial", "mpv-specific", "hfd", "hfe", "qecc", "geo", "biogr", "pdb",
)  # fmt: skip
TEN = tuple(task for task in TASKS if not task.startswith("mpv-"))
LLMSIM = ("dft-s", "dft-p", "mpv", "mpv-non-trivial", "mpv-specific")
PRIMARY: dict[str, list[str]] = {
    **{task: ["llmsim-rule", "f1"] for task in LLMSIM},
    **{task: ["facts", "facts_f1"] for task in ("dft-c", "hfd", "hfe", "qecc", "geo")},
    "biogr": ["boxes", "iou"], "pdb": ["sequence", "chance_corrected"],
}  # fmt: skip
MODELS: dict[str, dict[str, Any]] = {
    "mistral-large-2407": {"family": "others", "provider": "openai", "stand_in": False},
    "llama-3.3-70b-instruct-turbo-with-a-rather-long-name": {"family": "Llama", "provider": "openai"},
    "tiny": {"family": "tiny", "provider": "transformers"},
    "shotgun": {"family": "stand-ins", "provider": "baseline", "stand_in": True},
}
STRATEGIES = {
    "strategy: copy the document": "answers with the document itself",
    "strategy: another record's answer": "answers with the ideal answer to another record",
    "strategy: world box": "answers with the box of the whole world",
    "strategy: pretty-printed gold": "answers with the ground-truth file, indented",
}
ORACLES = ["strategy: pretty-printed gold"]
SKILL = {"mistral-large-2407": 0.55, "tiny": 0.12, "shotgun": 0.05, "strategy: copy the document": 0.2,
         "strategy: another record's answer": 0.08, "strategy: world box": 0.02,
         "strategy: pretty-printed gold": 0.97}  # fmt: skip
LEVELS = ("easy", "medium", "hard")
HOSTILE = {"<script>alert(1)</script>": {}, "]]>&amp;\"'": {}, "m" * 400: {}, "\u202edetsurt $x$\x00\nline": {}}


def params(models: Mapping[str, Any] = MODELS, **more: Any) -> dict[str, Any]:
    """Give the parameters of the steps that draw figures and write the page."""
    usual = {"mode": "strict", "tasks": list(TASKS), "models": models, "strategies": STRATEGIES, "oracles": ORACLES,
             "instruments": {"judge": "judge-7b", "grader": "grader-8b", "encoder": "mini-encoder"}}  # fmt: skip
    return {**usual, **more}


def _answers(name: str, task: str) -> bool:
    """Whether somebody answers a task: a strategy does where it makes sense."""
    if name == "strategy: world box":
        return task == "biogr"
    return not (name == "strategy: copy the document" and task == "biogr")


def _value(name: str, task: str, place: int) -> float:
    """Give a record's value: a skill of its own, and what differs from record to record."""
    wave = math.sin(12.9898 * place + 78.233 * TASKS.index(task)) * 0.18
    skill = SKILL.get(name, 0.35) - (0.08 * (place % 3) if name in MODELS else 0)
    return round(min(1.0, max(0.0, skill + wave)), 6)


def _scores(name: str, task: str, record: str, place: int, mode: str) -> Iterator[dict[str, Any]]:
    value, (scorer, metric) = _value(name, task, place), PRIMARY[task]
    more: dict[str, Any] = {"mode": mode, "model": name}
    rouge = round(100 * _value(name, task, place + 5), 3)
    yield score(task, record, rouge, scorer="rouge", metrics={"rouge1": rouge, "rougeLsum": rouge}, **more)
    if name in MODELS:
        yield score(task, record, _value(name, task, place + 1), scorer="lmscore", metrics={"lmscore": value}, **more)
        bert = {"bert_f1": 0.8 + value / 10}
        yield score(task, record, bert["bert_f1"], scorer="bertscore", metrics=bert, **more)
    if place == 3 and name == "tiny":
        yield failed(task, record, name, scorer=scorer)
        return
    outcome = "invalid" if place == 4 and name in ("tiny", "shotgun") else "valid"
    value = 0.0 if outcome == "invalid" else value
    if task in LLMSIM:
        gold = 4 + place % 3
        for judge, share in (("llmsim-rule", value), ("llmsim-judge", _value(name, task, place + 1))):
            pairs = [[at, at] for at in range(round(share * gold))]
            metrics = {"f1": share, "precision": min(1.0, share * 1.2), "recall": share * 0.9}
            yield score(task, record, share, scorer=judge, metrics=metrics, outcome=outcome, gold=gold, pairs=pairs,
                        judge_errors=int(place == 2 and judge == "llmsim-judge"), set_aside=place % 2,
                        **more)  # fmt: skip
        return
    metrics = {metric: value, **_beside(task, value, place)}
    swap: dict[str, Any] = {"suspected_swap": place == 5} if task == "biogr" else {}
    for sample in range(3 if task == "biogr" and name in MODELS else 1):
        again = {**metrics, metric: round(max(0.0, value - sample / 50), 6)}
        yield score(task, record, again[metric], scorer=scorer, metrics=again, outcome=outcome, sample=sample, **swap,
                    **more)  # fmt: skip


def _beside(task: str, value: float, place: int) -> dict[str, Any]:
    if task == "biogr":
        distance = (1 - value) * 10 ** (place % 4 - 1)
        return {"normalized_distance_error": distance, "relative_box_size": 0.4 + distance / 3}
    if task == "pdb":
        return {"identity_ratio": value * 0.8 + 0.2, "chance_level": 0.2}
    return {"precision": value, "recall": value}


def documents(
    folder: Path, models: Mapping[str, Any] = MODELS, tasks: Sequence[str] = TASKS, records: int = 16, **more: Any
) -> dict[str, Any]:
    """Give the documents of the measures over a run of so many records a task."""
    everybody = (*models, *STRATEGIES)
    names = {task: [f"r{place:02}" for place in range(records)] for task in tasks}
    items = [item(task, record, LEVELS[place % 3], "word " * (600 + 40 * place))
             for task in tasks for place, record in enumerate(names[task])]  # fmt: skip
    mode = str(more.get("mode", "strict"))
    given = [row for task in tasks for place, record in enumerate(names[task]) for name in everybody
             if _answers(name, task) for row in _scores(name, task, record, place, mode)]  # fmt: skip
    usual = {"models": list(models), "strategies": list(STRATEGIES), "tasks": list(tasks), "primary": PRIMARY,
             "averaged": list(TEN), **more}  # fmt: skip

    def run(analyse: Callable[..., None], **beside: Any) -> dict[str, Any]:
        return made(folder, analyse, items, given, **{**usual, **beside})

    gold = [{"id": one["id"], "gold": {"target": "A " * (20 + place), "truth": _protein(place)}}
            for place, one in enumerate(items)]  # fmt: skip
    trials = [{"item": one["item"], "template": 1, "model": one["model"], "sample": 0, "trial": "program",
               "program": "0", "outcome": ("done", "error", "time")[place % 3], "stdout": ""}
              for place, one in enumerate(given) if one["scorer"] == "sequence" and place % 4 == 0]  # fmt: skip
    found = {
        "means": run(means.analyse), "comparisons": run(comparisons.analyse), "tables": run(run_tables.analyse),
        "slices": run(slices.analyse, tables={"gold": gold}),
        "breakdowns": run(breakdowns.analyse, tables={"gold": gold, "trials": trials}),
        "agreement": run(agreement.analyse, rule="llmsim-rule", judge="llmsim-judge"),
        "published": paper(folder), "counts": counts(tasks, records),
    }  # fmt: skip
    return found


def _protein(place: int) -> str:
    return json.dumps({"sequence": "A" * (50 + 7 * place)})


def paper(folder: Path) -> dict[str, Any]:
    """Give the document of the paper's printed numbers."""
    table = Path(means.__file__).parents[1] / "tables" / "published@1.csv"
    out = folder / "paper"
    out.mkdir(exist_ok=True)
    published.analyse({}, {"published": table}, out)
    found: dict[str, Any] = json.loads((out / "published").read_text())
    return found


def counts(tasks: Sequence[str], records: int) -> dict[str, Any]:
    """Give the counts of a run's makers: two tasks are of the paper, the others of our own records."""
    own: dict[str, Any] = {task: {"absent": 0, "kept": records} for task in tasks}
    theirs = {"expected": 38, "absent": 22, "first_absent": ["2001.00001"], "unlabelled": 0, "unusable": {"x": "bad"},
              "source": "public copy", "official": False}  # fmt: skip
    return {**own, **{task: {**theirs, "kept": records} for task in ("mpv", "hfe") if task in own}}


def laid(folder: Path, given: Mapping[str, Any]) -> dict[str, Path]:
    """Write documents as the inputs of a step; gives them by name."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, document in given.items():
        rows.write_one(folder / name, document)
    return {name: folder / name for name in given}


def drawn(folder: Path, given: Mapping[str, Any], **asked: Any) -> dict[str, Path]:
    """Draw the figures of documents; gives the files by name, all of those that were promised."""
    told = params(**asked)
    out = folder / "figures"
    out.mkdir(parents=True, exist_ok=True)
    laid_down = laid(folder / "given", given)
    figures.draw(told, laid_down, out)
    promised = set(outputs.figures(told["tasks"], told["instruments"]))
    if "published" in laid_down:
        figures_benchmarks.draw(told, laid_down, out)
        promised |= set(outputs.benchmarks())
    assert {path.name for path in out.iterdir()} == promised
    return {path.name: path for path in out.iterdir()}


def written(folder: Path, given: Mapping[str, Any], more: Mapping[str, Path] | None = None, **asked: Any) -> str:
    """Write the page of documents, with further inputs (figures, a certificate); gives its HTML."""
    out = folder / "page"
    out.mkdir(parents=True, exist_ok=True)
    report.write(params(**asked), {**laid(folder / "in", given), **(more or {})}, out)
    [path] = out.iterdir()
    assert path.name == outputs.REPORT
    return path.read_text("utf-8")
