"""Turns the scorers of a brief into steps: the kind and name of each, and the judges and trials that it reads.

Handles names and kinds only; independent of answers and rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.errors import InputError
from harness.kit.ask import Scorer, Taking
from harness.kit.judge import Judge, RuleJudge
from harness.kit.study import Brief, Dataset
from harness.kit.trials import TrialSpec
from harness.scorers.overlap.bertscore import LAST
from harness.scorers.overlap.bertscore_package import find_baseline
from harness.studies.questions.code.programs import code_trial
from harness.studies.questions.data.row_scorers import SCORERS
from harness.studies.questions.judging.rubric_judge import rubric_judge

HERE = "harness.studies.questions"
JUDGE, ENCODER = "judge", "encoder"  # roles of instruments
LOGLIKELIHOOD = "loglikelihood"
SCORE_OF = "score_of"  # a setting of the brief: by dataset the names of its scorers, if datasets have some of their own
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
NO_TARGET = ("regex", "json", "judge", "code", "perplexity")  # kinds that do not always need a target


@dataclass(frozen=True)
class AskedScorers:
    """The scorers of a dataset's answers, the judge models that they need, and the runs of the answers' code."""

    scorers: tuple[Scorer, ...] = ()
    judges: tuple[Judge | RuleJudge, ...] = ()
    trials: tuple[TrialSpec, ...] = ()


def of_answers(score: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the scorers that score generated answers; the others score log-likelihoods, without an answer."""
    return [one for one in score if one["scorer"] != "perplexity" and one.get("by") != LOGLIKELIHOOD]


def wants(entry: Mapping[str, Any]) -> frozenset[str]:
    """Return the fields of a dataset that a scorer needs: target, options, tests."""
    kind, found = entry["scorer"], set[str]()
    if kind not in NO_TARGET or (kind == "regex" and not entry["matches"]) or (kind == "json" and compares(entry)):
        found.add(TARGET)
    if kind == "choice":
        found.add(OPTIONS)
    if kind == "code":
        found.add(TESTS)
    return frozenset(found)


def compares(entry: Mapping[str, Any]) -> bool:
    """Whether a scorer `json` compares an answer with the target, and not only with a schema."""
    return bool(entry.get("equal", "schema" not in entry))


def entries_of(brief: Brief, dataset: Dataset) -> list[Mapping[str, Any]]:
    """Return the scorers of a dataset: those that the settings name for it, or else those of all datasets."""
    said = brief.settings.get(SCORE_OF, {}).get(dataset.name)
    if said is None:
        return list(brief.settings["score"])
    names = {name for part in (said.values() if isinstance(said, Mapping) else [said]) for name in part}
    return [one for one in brief.settings["score"] if one["name"] in names]


def asked_scorers(brief: Brief, dataset: Dataset) -> AskedScorers:
    """Return the scorers of answers that a brief names for a dataset, with the judges and trials that they read.

    Raises InputError if a scorer needs an instrument that the manifest does not have.
    """
    likeness: dict[str, RuleJudge] = {}
    said = entries_of(brief, dataset)
    for place, entry in enumerate(said):
        where = f"datasets.{dataset.name}.score" if SCORE_OF in brief.settings else f"settings.score.{place}"
        _require_instrument(brief, entry, where)
        if entry["scorer"] == "bertscore":
            likeness.setdefault(_encoder_judge(entry), _likeness(brief, entry, where))
    entries = of_answers(said)
    judges: list[Judge | RuleJudge] = [rubric_judge(one) for one in entries if one["scorer"] == JUDGE]
    judges += likeness.values()
    trials = tuple(code_trial(one) for one in entries if one["scorer"] == "code")
    return AskedScorers(tuple(_scorers(entries)), tuple(judges), trials)


def taking(brief: Brief, dataset: Dataset) -> Taking | None:
    """Return the step that selects the answers that each scorer scores; None if every scorer scores every row."""
    if not scores_rows_apart(dataset):
        return None
    readers: dict[str, tuple[str, ...]] = {}
    for entry in of_answers(entries_of(brief, dataset)):
        name, kind = str(entry["name"]), str(entry["scorer"])
        readers[f"scorer {name}"] = (name,)
        readers |= {f"judge {name}": (name,)} if kind == JUDGE else {f"trial {name}": (name,)} if kind == "code" else {}
        if kind == "bertscore":
            judge = f"judge {_encoder_judge(entry)}"
            readers[judge] = (*readers.get(judge, ()), name)
    return Taking(f"{HERE}.scoring.by_row:take_answers", readers)


def scores_rows_apart(dataset: Dataset) -> bool:
    """Whether different rows of a dataset have different scorers."""
    return SCORERS in dataset.params


def _scorers(entries: Sequence[Mapping[str, Any]]) -> Iterator[Scorer]:
    for entry in entries:
        kind, name = str(entry["scorer"]), str(entry["name"])
        params = {key: value for key, value in entry.items() if key != "scorer"}
        reads = {JUDGE: (name,), "bertscore": (_encoder_judge(entry),)}.get(kind, ())
        yield Scorer(name, KINDS[kind], judges=reads, trials=(name,) if kind == "code" else (), params=params)


def _encoder_judge(entry: Mapping[str, Any]) -> str:
    """Return the name of the judge that an entry of BERTScore reads; entries with the same switches share one."""
    layer = f"-layer{entry['layer']}" if "layer" in entry else ""
    rescale = f"-{entry['rescale']}" if entry.get("rescale") else ""
    return f"{ENCODER}{layer}{'-idf' if entry.get('idf') else ''}{rescale}"


def _likeness(brief: Brief, entry: Mapping[str, Any], where: str) -> RuleJudge:
    """Return the judge of an entry of BERTScore, with a baseline if the package has one for this encoder."""
    name = _encoder_judge(entry)
    if name == ENCODER:
        return RuleJudge(ENCODER, f"{HERE}.judging.likeness:judge", role=ENCODER)
    params: dict[str, Any] = {"layer": entry["layer"]} if "layer" in entry else {}
    if language := entry.get("rescale"):
        encoder = brief.instruments[ENCODER].model.hub
        params["baseline"] = list(find_baseline(language, encoder, entry.get("layer", LAST), f"{where}.rescale"))
    params |= {"idf": True} if entry.get("idf") else {}
    needs = ("items", "gold") if "idf" in params else ()  # of the whole dataset, not only of the shard
    return RuleJudge(name, f"{HERE}.judging.weighted_likeness:judge", needs, params, role=ENCODER)


EXAMPLES = {  # how an instrument may be written, by its role
    JUDGE: "{provider: openai, model: …, tape: record}",
    ENCODER: "{provider: transformers, source: …}",
}


def _require_instrument(brief: Brief, entry: Mapping[str, Any], where: str) -> None:
    role = {JUDGE: JUDGE, "bertscore": ENCODER}.get(str(entry["scorer"]))
    if role and role not in brief.instruments:
        raise InputError(
            f"the scorer {entry['name']!r} measures by an instrument `{role}`, which the manifest has not",
            where=where,
            next=f"add `instruments: {{{role}: {EXAMPLES[role]}}}`, or take the scorer out",
        )
