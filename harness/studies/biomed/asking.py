"""How the models are asked and their answers graded: the judges and scorers that a manifest's settings select."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from harness.errors import InputError
from harness.kit.ask import How, Scorer
from harness.kit.encoder_layer import layer_of
from harness.kit.graded import ERROR
from harness.kit.judge import Judge, RuleJudge
from harness.kit.study import Brief
from harness.studies.biomed.judging.deducted import DEDUCTIONS, STATED
from harness.studies.biomed.terms import PAPER

HERE = "harness.studies.biomed"
GRADER, ENCODER = "grader", "encoder"  # roles: the model that grades, the encoder of BERTScore
RULE = "rule"  # the judge that is a rule of ours
BY_RULE, BY_GRADER = "bioscore-rule", "bioscore-judge"  # scorers
TEXT, BERTSCORE = "text", "bertscore"
ABSTENTIONS = "biomed/abstentions@1"
GRADING_PROMPT = "grading_prompt"  # the output of makers that includes the grader's published prompt
NOT_KNOWN = "-1"  # the published grade for the text of a failed request


def how(brief: Brief, outputs: Collection[str]) -> How:
    """Return how a brief's models are asked the questions of a dataset, and how their answers are scored.

    Raise InputError if deductions are to be stated in paper mode, or without a model that grades.
    """
    mode = brief.settings["mode"]
    _require_grader_that_states(brief, mode)
    return How(
        tuple(_scorers(brief, mode)),
        None,
        judges=tuple(_judges(brief, mode, outputs)),
    )


def graders(brief: Brief) -> list[str]:
    """Return the names of the scorers that give grades: the grading model first, if a brief has one, then the rule.

    The first scorer is the one that counts.
    """
    return [*([BY_GRADER] if GRADER in brief.instruments else []), BY_RULE]


def states_deductions(brief: Brief) -> bool:
    """Whether the grading model reports, beside its grade, how much it takes off for irrelevant text."""
    return bool(brief.settings.get(DEDUCTIONS) == STATED)


def _require_grader_that_states(brief: Brief, mode: str) -> None:
    if not states_deductions(brief):
        return
    if mode == PAPER:
        raise InputError(
            "the published grader replies with one number, which holds what is taken off",
            where=f"settings.{DEDUCTIONS}",
            next="leave it out, or write `mode: strict`",
        )
    if GRADER not in brief.instruments:
        raise InputError(
            "a model that grades states what it takes off, and there is none",
            where=f"settings.{DEDUCTIONS}",
            next="leave it out, or add `instruments: {grader: {provider: …}}`",
        )


def _judges(brief: Brief, mode: str, outputs: Collection[str]) -> Iterator[Judge | RuleJudge]:
    own = {"mode": mode}
    tables = {"abstentions": brief.tables[ABSTENTIONS]}
    yield RuleJudge(RULE, f"{HERE}.judging.rule:judge", params=own, tables=tables)
    if GRADER in brief.instruments:
        kind, published = f"{HERE}.judging.llm", mode == PAPER and GRADING_PROMPT in outputs
        yield Judge(
            GRADER,
            f"{kind}:ask",
            f"{kind}:read",
            rounds=1 if mode == PAPER else 2,
            needs=(GRADING_PROMPT,) if published else (),
            params={**own, DEDUCTIONS: STATED} if states_deductions(brief) else own,
        )
    if ENCODER in brief.instruments:
        yield RuleJudge(ENCODER, f"{HERE}.judging.encoder:judge", params={**own, **layer_of(brief)}, role=ENCODER)


def _scorers(brief: Brief, mode: str) -> Iterator[Scorer]:
    own = {"mode": mode}
    graded = {RULE: BY_RULE, **({GRADER: BY_GRADER} if GRADER in brief.instruments else {})}
    for judge, name in graded.items():
        instead: dict[str, int | str] = {ERROR: NOT_KNOWN} if mode == PAPER else {}
        params = {**own, "scorer": name}
        yield Scorer(name, f"{HERE}.grading.bioscore:score", judges=(judge,), instead=instead, params=params)
    yield Scorer(TEXT, f"{HERE}.grading.text:score", params=own)
    if ENCODER in brief.instruments:
        yield Scorer(BERTSCORE, f"{HERE}.grading.bertscore:score", judges=(ENCODER,), params=own)
