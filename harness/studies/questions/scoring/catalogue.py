"""The scorers of a brief as steps: which kind scores by which name, and what judges and trials it reads.

Names and kinds only; it must never know an answer or a rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.errors import InputError
from harness.studies.ask import Scorer
from harness.studies.judge import Judge, RuleJudge
from harness.studies.questions.code.programs import code_trial
from harness.studies.questions.judging.rubric_judge import rubric_judge
from harness.studies.study import Brief, Dataset
from harness.studies.trials import TrialSpec

HERE = "harness.studies.questions"
JUDGE, ENCODER = "judge", "encoder"  # roles of instruments
LOGLIKELIHOOD = "loglikelihood"
TARGET, OPTIONS, TESTS = "target", "options", "tests"  # fields of a dataset
KINDS: Mapping[str, str] = {
    "exact": f"{HERE}.scoring.exact:score",
    "match": f"{HERE}.scoring.match:score",
    "number": f"{HERE}.scoring.number:score",
    "regex": f"{HERE}.scoring.pattern:score",
    "choice": f"{HERE}.scoring.letter:score",
    "f1": f"{HERE}.scoring.f1:score",
    "rouge": f"{HERE}.scoring.rouge:score",
    "bleu": f"{HERE}.scoring.bleu:score",
    "bertscore": f"{HERE}.scoring.bertscore:score",
    "json": f"{HERE}.scoring.json_answer:score",
    "code": f"{HERE}.code.outcomes:score",
    "judge": f"{HERE}.judging.grades:score",
}
NO_TARGET = ("regex", "json", "judge", "code", "perplexity")  # kinds that may do without a target


@dataclass(frozen=True)
class AskedScorers:
    """The scorers of answers of a dataset, the judges of those answers, and the trials of code in them."""

    scorers: tuple[Scorer, ...] = ()
    judges: tuple[Judge | RuleJudge, ...] = ()
    trials: tuple[TrialSpec, ...] = ()


def of_answers(score: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """List the entries that score an answer; the others score how likely texts are, and nobody is asked for them."""
    return [one for one in score if one["scorer"] != "perplexity" and one.get("by") != LOGLIKELIHOOD]


def wants(entry: Mapping[str, Any]) -> frozenset[str]:
    """Name the fields of a dataset that an entry cannot do without: target, options, tests."""
    kind, found = entry["scorer"], set[str]()
    if kind not in NO_TARGET or (kind == "regex" and not entry["matches"]) or (kind == "json" and compares(entry)):
        found.add(TARGET)
    if kind == "choice":
        found.add(OPTIONS)
    if kind == "code":
        found.add(TESTS)
    return frozenset(found)


def compares(entry: Mapping[str, Any]) -> bool:
    """Whether an entry `json` holds an answer against the target, and not only against a schema."""
    return bool(entry.get("equal", "schema" not in entry))


def asked_scorers(brief: Brief, dataset: Dataset) -> AskedScorers:
    """Give the scorers of answers that a brief names for a dataset, with the judges and trials that they read.

    InputError where a scorer measures by an instrument that the manifest has not.
    """
    for place, entry in enumerate(brief.settings["score"]):
        _require_instrument(brief, entry, f"settings.score.{place}")
    entries = of_answers(brief.settings["score"])
    judges: list[Judge | RuleJudge] = [rubric_judge(one) for one in entries if one["scorer"] == JUDGE]
    if any(one["scorer"] == "bertscore" for one in entries):
        judges.append(RuleJudge(ENCODER, f"{HERE}.judging.likeness:judge", role=ENCODER))
    trials = tuple(code_trial(one) for one in entries if one["scorer"] == "code")
    return AskedScorers(tuple(_scorers(entries)), tuple(judges), trials)


def _scorers(entries: Sequence[Mapping[str, Any]]) -> Iterator[Scorer]:
    for entry in entries:
        kind, name = str(entry["scorer"]), str(entry["name"])
        params = {key: value for key, value in entry.items() if key != "scorer"}
        reads = {JUDGE: (name,), "bertscore": (ENCODER,)}.get(kind, ())
        yield Scorer(name, KINDS[kind], judges=reads, trials=(name,) if kind == "code" else (), params=params)


def _require_instrument(brief: Brief, entry: Mapping[str, Any], where: str) -> None:
    role = {JUDGE: JUDGE, "bertscore": ENCODER}.get(str(entry["scorer"]))
    if role and role not in brief.instruments:
        raise InputError(
            f"the scorer {entry['name']!r} measures by an instrument `{role}`, which the manifest has not",
            where=where, next=f"add `instruments: {{{role}: {{provider: …}}}}`, or take the scorer out",
        )  # fmt: skip
