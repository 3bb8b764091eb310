"""How each task is asked and scored: its wordings, judges, trials and scorers, from the settings of the manifest.

Handles names and kinds only, no items and no scoring rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from harness.errors import InputError
from harness.kit.ask import How, Scorer
from harness.kit.encoder_layer import layer_of
from harness.kit.graded import UNASKED
from harness.kit.judge import Judge, RuleJudge
from harness.kit.study import Brief, Model
from harness.kit.trials import TrialSpec
from harness.studies.curie.code.pdb_programs import LIMITS
from harness.studies.curie.data.making import JUDGE_TEMPLATE
from harness.studies.curie.data.records import ILLUSTRATED
from harness.studies.curie.tasks import PAPER, STRICT, TASKS, Task

HERE = "harness.studies.curie"
JUDGE, GRADER, ENCODER = "judge", "grader", "encoder"  # roles: judge of LLMSim, grader of LMScore, encoder of BERTScore
RULE, PROGRAM = "rule", "program"
LLMSIM = ("dft-s", "dft-p", "mpv", "mpv-non-trivial", "mpv-specific")
FACTS = ("dft-c", "hfd", "hfe", "qecc", "geo")
BY_RULE, BY_JUDGE = "llmsim-rule", "llmsim-judge"  # scorers
AREAS_TOO = "areas"  # the setting, and the scorer that it adds
BUDGET = "max_tokens"  # the fact about a model that limits its answers


def how(task: Task, brief: Brief, *, rendered: bool) -> How:
    """Return how a brief's models are asked a task (prompts, budgets), and how their answers are scored.

    Raises InputError if the dataset brings no prompts and the manifest names no wordings for the task.
    """
    mode = brief.settings["mode"]
    return How(
        tuple(_scorers(task, brief, mode)),
        None if rendered else _templates(task, brief),
        judges=tuple(_judges(task, brief, mode, rendered=rendered)),
        trials=tuple(_trials(task, mode)),
        samples=_samples(task, brief),
        media=task.name in ILLUSTRATED,
        most=_most,
    )


def _templates(task: Task, brief: Brief) -> Any:
    names = [name for name in sorted(brief.templates) if name.startswith(f"curie/{task.name}@")]
    if not names:
        raise InputError(
            f"the manifest names no wordings for {task.name}",
            where="prompts.set",
            next=f"add curie/{task.name}@1 to `prompts: {{set: […]}}`",
        )
    return brief.templates[names[-1]]


def _samples(task: Task, brief: Brief) -> int | None:
    """Return the paper's number of runs if the manifest has only one seed; otherwise None, for one run per seed."""
    return task.runs if len(brief.seeds) == 1 and task.runs > 1 else None


def _most(model: Model) -> int | None:
    """Return the token budget that a model's facts state, if any; raises InputError if that is not a count."""
    text = model.facts.get(BUDGET)
    if text is not None and not (text.isascii() and text.isdigit() and int(text)):
        raise InputError(
            f"{text[:40]!r} is no budget of tokens", where=f"models.{model.name}.facts.{BUDGET}", next="write a count"
        )
    return int(text) if text else None


def _judges(task: Task, brief: Brief, mode: str, *, rendered: bool) -> Iterator[Judge | RuleJudge]:
    own = {"mode": mode, "task": task.name}
    if task.name in LLMSIM:
        yield RuleJudge(RULE, f"{HERE}.judging.rule:judge", params={"task": task.name})
        if JUDGE in brief.instruments:
            kind, worded = f"{HERE}.judging.llm", mode == PAPER and rendered
            yield Judge(JUDGE, f"{kind}:ask", f"{kind}:read", needs=(JUDGE_TEMPLATE,) if worded else (), params=own)
    if GRADER in brief.instruments:
        kind = f"{HERE}.judging.lmscore_judge"
        yield Judge(GRADER, f"{kind}:ask", f"{kind}:read", params=own)
    if ENCODER in brief.instruments:
        yield RuleJudge(ENCODER, f"{HERE}.judging.encoder:judge", params={**own, **layer_of(brief)}, role=ENCODER)


def _trials(task: Task, mode: str) -> Iterator[TrialSpec]:
    if task.name == "pdb":
        yield TrialSpec(PROGRAM, f"{HERE}.code.pdb_programs:take_{mode}", LIMITS)


def _scorers(task: Task, brief: Brief, mode: str) -> Iterator[Scorer]:
    own = {"mode": mode, "task": task.name}
    if task.name in LLMSIM:
        yield Scorer(BY_RULE, f"{HERE}.grading.llmsim_rule:score", judges=(RULE,), params=own)
        if JUDGE in brief.instruments:
            asked = {**own, UNASKED: True}
            yield Scorer(BY_JUDGE, f"{HERE}.grading.llmsim_judge:score", judges=(JUDGE,), params=asked)
    if task.name in FACTS and mode == STRICT:
        yield Scorer("facts", f"{HERE}.grading.facts:score", params=own)
    if task.name == "biogr":
        yield Scorer("boxes", f"{HERE}.grading.boxes:score", params=own)
        if brief.settings.get(AREAS_TOO):
            yield _areas(own, mode)
    if task.name == "pdb":
        yield Scorer("sequence", f"{HERE}.grading.sequences:score", trials=(PROGRAM,), params=own)
    if task.name in FACTS and mode == PAPER:
        yield Scorer("rouge", f"{HERE}.grading.rouge:score", params=own)  # for other tasks, the task's step has it
    if GRADER in brief.instruments:
        yield Scorer("lmscore", f"{HERE}.grading.lmscore:score", judges=(GRADER,), params={**own, UNASKED: True})
    if ENCODER in brief.instruments:
        yield Scorer("bertscore", f"{HERE}.grading.bertscore:score", judges=(ENCODER,), params=own)


def _areas(own: Mapping[str, Any], mode: str) -> Scorer:
    """Return the scorer of polygons and several boxes; raises InputError in paper mode, whose answers are one box."""
    if mode == PAPER:
        raise InputError(
            "the notebooks score one box and no polygons",
            where=f"settings.{AREAS_TOO}",
            next="leave it out, or write `mode: strict`",
        )
    return Scorer(AREAS_TOO, f"{HERE}.grading.areas:score", params=own)


def primary(brief: Brief, tasks: Sequence[str]) -> dict[str, list[str]]:
    """Return each task's primary scorer and metric; for LLMSim tasks the judge model's, if the brief has one."""
    mode, found = brief.settings["mode"], {}
    for name in tasks:
        task = TASKS[name]
        if name in LLMSIM:
            scorer = BY_JUDGE if JUDGE in brief.instruments else BY_RULE
        elif name in ("biogr", "pdb"):
            scorer = "boxes" if name == "biogr" else "sequence"
        else:
            scorer = "rouge" if mode == PAPER else "facts"
        found[name] = [scorer, task.paper if mode == PAPER else task.strict]
    return found
