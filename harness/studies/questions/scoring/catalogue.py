"""The scorers of a brief as steps: which kind scores by which name, and what judges and trials it reads.

Names and kinds only; it does not know an answer or a rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.errors import InputError
from harness.kit.ask import Scorer
from harness.kit.judge import Judge, RuleJudge
from harness.kit.study import Brief, Dataset
from harness.kit.trials import TrialSpec
from harness.scorers.overlap.bertscore import LAST
from harness.scorers.overlap.bertscore_package import find_baseline
from harness.studies.questions.code.programs import code_trial
from harness.studies.questions.judging.rubric_judge import rubric_judge

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
    """Return the scorers of answers that a brief names for a dataset, with the judges and trials that they read.

    InputError where a scorer measures by an instrument that the manifest has not.
    """
    likeness: dict[str, RuleJudge] = {}
    for place, entry in enumerate(brief.settings["score"]):
        _require_instrument(brief, entry, f"settings.score.{place}")
        if entry["scorer"] == "bertscore":
            likeness.setdefault(_encoder_judge(entry), _likeness(brief, entry, f"settings.score.{place}"))
    entries = of_answers(brief.settings["score"])
    judges: list[Judge | RuleJudge] = [rubric_judge(one) for one in entries if one["scorer"] == JUDGE]
    judges += likeness.values()
    trials = tuple(code_trial(one) for one in entries if one["scorer"] == "code")
    return AskedScorers(tuple(_scorers(entries)), tuple(judges), trials)


def _scorers(entries: Sequence[Mapping[str, Any]]) -> Iterator[Scorer]:
    for entry in entries:
        kind, name = str(entry["scorer"]), str(entry["name"])
        params = {key: value for key, value in entry.items() if key != "scorer"}
        reads = {JUDGE: (name,), "bertscore": (_encoder_judge(entry),)}.get(kind, ())
        yield Scorer(name, KINDS[kind], judges=reads, trials=(name,) if kind == "code" else (), params=params)


def _encoder_judge(entry: Mapping[str, Any]) -> str:
    """Name the judge that an entry of BERTScore reads: entries that are told the same share one."""
    layer = f"-layer{entry['layer']}" if "layer" in entry else ""
    rescale = f"-{entry['rescale']}" if entry.get("rescale") else ""
    return f"{ENCODER}{layer}{'-idf' if entry.get('idf') else ''}{rescale}"


def _likeness(brief: Brief, entry: Mapping[str, Any], where: str) -> RuleJudge:
    """Return the judge of an entry of BERTScore; with a baseline, where the package has one for this very encoder."""
    name = _encoder_judge(entry)
    if name == ENCODER:
        return RuleJudge(ENCODER, f"{HERE}.judging.likeness:judge", role=ENCODER)
    params: dict[str, Any] = {"layer": entry["layer"]} if "layer" in entry else {}
    if language := entry.get("rescale"):
        encoder = brief.instruments[ENCODER].model.hub
        params["baseline"] = list(find_baseline(language, encoder, entry.get("layer", LAST), f"{where}.rescale"))
    params |= {"idf": True} if entry.get("idf") else {}
    needs = ("items", "gold") if "idf" in params else ()  # of the whole dataset, and not of the shard
    return RuleJudge(name, f"{HERE}.judging.weighted_likeness:judge", needs, params, role=ENCODER)


def _require_instrument(brief: Brief, entry: Mapping[str, Any], where: str) -> None:
    role = {JUDGE: JUDGE, "bertscore": ENCODER}.get(str(entry["scorer"]))
    if role and role not in brief.instruments:
        raise InputError(
            f"the scorer {entry['name']!r} measures by an instrument `{role}`, which the manifest has not",
            where=where,
            next=f"add `instruments: {{{role}: {{provider: …}}}}`, or take the scorer out",
        )
