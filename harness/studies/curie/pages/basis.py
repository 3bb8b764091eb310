"""The section on what a run is based on: mode and version, changes of strict mode, encoder, records and coverage.

Uses names of rules and counts of records, not results.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from harness.kit.documents import number, section
from harness.kit.pages import NONE, Html, bullets, count, el, word_table
from harness.studies.curie.pages.run_facts import MODE, RunFacts, task_title
from harness.studies.curie.pages.tables_judges import ENCODER
from harness.studies.curie.tasks import REPOSITORY, TASKS

PUBLISHED_ENCODER, PUBLISHED_LAYER = "roberta-large", 17  # the paper's encoder for BERTScore: that of its library
OWN = "of our own (OURS): none of the paper's"
CHANGES = (
    (
        "Primary metric of HFD, HFE, QECC, GEO, DFT-C",
        "ROUGE-L, which cannot tell a right sign from a wrong one",
        "a fact score of our own; ROUGE-L stands beside it",
    ),
    ("Reference of ROUGE-L", "the ground-truth file as one escaped line", "its texts as they read, one a line"),
    (
        "LLMSim: pairs",
        "one prediction an item, never the first of the list; several items may share one",
        "every pair that the judge admits, matched one to one",
    ),
    ("LLMSim: an answer without a list", "no number, and so left out of the mean", "0"),
    (
        "Gold of DFT",
        "items twice, structures among the parameter sets, repaired by a model where they break",
        "the statements of the task's own program, by class",
    ),
    ("BIOGR: what is no box", "taken as it is written, however odd", "0, counted, and outside of the distances"),
    ("BIOGR: distances", "means, where a record without any box counts 0", "medians of valid boxes, with their number"),
    (
        "PDB",
        "a longest common subsequence, of one line of the answer",
        "an alignment of the whole record, less what chance gives",
    ),
    ("No score", "0 where any model has one", "blank and invalid answers are 0; errors are outside, and counted"),
)


def basis(run: RunFacts, means: Mapping[str, Any], counts: Mapping[str, Any]) -> list[Html]:
    """Return what the run is based on, with the table of strict mode's changes and the table of each task's records."""
    version = means.get("version")
    said = [
        MODE.get(run.mode, run.mode),
        f"Version of the rules: {version}." if version else "",
        f"Published code: {REPOSITORY[0]} at commit {REPOSITORY[1][:12]}.",
        *_encoder(run),
        *_absent(means),
    ]
    head = ["What", "Paper mode: as the notebooks score", "Strict mode (OURS): as the paper describes"]
    changes = word_table("What strict mode changes", head, CHANGES)
    return [bullets(each for each in said if each), changes, *_coverage(run, counts)]


def _encoder(run: RunFacts) -> Iterator[str]:
    name = run.instruments.get(ENCODER)
    if name is None:
        yield "BERTScore was not run: no encoder is part of this run."
        return
    of = "the last layer" if run.layer is None else f"layer {run.layer}"
    if (name, run.layer) == (PUBLISHED_ENCODER, PUBLISHED_LAYER):
        yield f"BERTScore by {of} of {name}, without idf weights and not rescaled, as the paper's library does."
    else:
        yield (
            f"BERTScore by {of} of the encoder {name}, which is not layer {PUBLISHED_LAYER} of {PUBLISHED_ENCODER}: "
            "its values are never compared with the paper's."
        )


def _absent(means: Mapping[str, Any]) -> Iterator[str]:
    tasks = section(means, "absent").get("tasks") or []
    if tasks:
        yield f"Tasks of the paper that are no part of this run: {', '.join(map(task_title, map(str, tasks)))}."


def is_own(counts: Mapping[str, Any]) -> bool:
    """Whether a task's records are our own: their counts hold no number of published records."""
    return "expected" not in counts


def _coverage(run: RunFacts, counts: Mapping[str, Any]) -> Iterator[Html]:
    body = [
        [
            task_title(task),
            _source(found),
            count(found.get("kept")),
            NONE if is_own(found) else count(found.get("expected")),
            NONE if is_own(found) else count(found.get("absent")),
            f"{len(section(found, 'unusable')):,}",
            count(found.get("unlabelled")),
        ]
        for task in TASKS
        if task in run.tasks and (found := section(counts, task))
    ]
    if not body:
        yield el("p", "How many records of each task are here was not counted.")
        return
    head = ["Task", "Records", "Here", "Published", "Absent", "Unusable", "Without a level"]
    yield word_table("Coverage: the records of each task", head, body)


def _source(found: Mapping[str, Any]) -> str:
    if is_own(found):
        return OWN
    official = found.get("official")
    words = "" if official is None else "the official archive" if official is True else "not the official archive"
    return "; ".join(part for part in (str(found.get("source") or "published"), words) if part)


def origin(run: RunFacts, counts: Mapping[str, Any]) -> str:
    """Return one sentence on the origin of the records of this run."""
    known = [section(counts, task) for task in run.tasks if section(counts, task)]
    own = sum(is_own(found) for found in known)
    if not known:
        return "A re-implementation of CURIE (arXiv 2503.13517)."
    if own == len(known):
        return "A re-implementation of CURIE (arXiv 2503.13517) on records of our own: not a replication."
    here, whole = (
        math.fsum(number(found.get(name)) or 0 for found in known if not is_own(found)) for name in ("kept", "expected")
    )
    words = f"A re-implementation of CURIE (arXiv 2503.13517) on {here:,.0f} of {whole:,.0f} published records"
    return f"{words}, and on records of our own for {own} tasks." if own else f"{words}."
