"""The standalone analyses `biomed.batch_grading` and `biomed.batch_all_cached`: grading in batches.

Nothing is sent to a grader.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from harness.errors import InputError
from harness.scorers.given import Flag, Text, ToolOutput, one_of_words
from harness.scorers.tool import Tool
from harness.studies.biomed.judging import batches
from harness.studies.biomed.judging.batches import GradingRow
from harness.studies.biomed.judging.llm import AS_READ_BACK, filled
from harness.studies.biomed.measures.paper_columns import plain
from harness.studies.biomed.standalone.columns import Parametrised, Rows, keys

ENDING = "_response"
STATES = (batches.COMPLETED, "failed", "expired", "cancelled", "cancelling", "validating", "in_progress", "finalizing")
PLACE = re.compile(r"prompt_index_([0-9]{1,9})")
TEXT_OF_NOTHING = (None, "")


class BatchCache(Parametrised):
    """Input: rows to be graded, and the grader's cache of earlier grades."""

    template: Text = Field(default="{question}{gold_res}{pred_res}", description="the wording, with its three places")
    rows: Rows = Field(default_factory=list, description="uuid, question, answer, and one column MODEL_response")
    cache_before: dict[str, Text] = Field(
        default_factory=dict, description="replies by prompt, or by `prompt_index_N` for the prompt of row N"
    )
    model: Text = Field(default="", description="whose column of responses is graded, where there are several")
    grader: Text = Field(default="grader-x", description="the grader's name in requests and in the cache's keys")
    system: Text = Field(default="", description="the system prompt: a part of the cache's keys, and never sent")

    def asked(self) -> list[GradingRow]:
        """Return the rows with their prompts; raise InputError if a field or the column of responses is missing."""
        column = self._column() if self.rows else ""
        return [
            GradingRow(str(_cell(row, "uuid", place)), self._prompt(row, column, place)) for place, row in _n(self.rows)
        ]

    def cache(self, asked: Sequence[GradingRow]) -> dict[str, str]:
        """Return the cache by its keys; raise InputError if it names a row that does not exist."""
        found = {}
        for name, reply in self.cache_before.items():
            place = PLACE.fullmatch(name)
            if place and int(place[1]) >= len(asked):
                raise InputError("the cache names a row that there is not", where="cache_before", next="count from 0")
            prompt = asked[int(place[1])].prompt if place else name
            found[batches.cache_key(self.grader, self.system, prompt)] = reply
        return found

    def _column(self) -> str:
        found = [name for name in keys(self.rows) if name.endswith(ENDING)]
        wanted = f"{self.model}{ENDING}" if self.model else ""
        if (wanted and wanted not in found) or (not wanted and len(found) != 1):
            raise InputError(f"{len(found)} columns of responses", where="rows", next="give one, or name its `model`")
        return wanted or found[0]

    def _prompt(self, row: Mapping[str, Any], column: str, place: int) -> str:
        names = {"question": "question", "gold_res": "answer", "pred_res": column}
        return filled(self.template, {field: str(_cell(row, name, place)) for field, name in names.items()})


class BatchInput(BatchCache):
    """Input: rows to be graded, the grader's cache, and the replies and final status of a batch of requests."""

    grader_replies: Rows = Field(default_factory=list, description="lines of the batch's file of results")
    status: Annotated[str, one_of_words("a state of a batch", *STATES)] = Field(
        default=batches.COMPLETED, description="any state but completed ends the analysis with an error"
    )


class AllCachedInput(BatchCache):
    """Input: rows to be graded, the grader's cache, and whether a batch file of an earlier run exists."""

    old_file: Flag = Field(default=True, description="whether there is an older batch file")


class BatchOutput(ToolOutput):
    """Output: the grading requests of a batch, and the scores read from its replies."""

    batch_created: bool = Field(description="whether there was anything to send")
    requests: list[dict[str, Any]] = Field(description="the lines of the batch file")
    parsed_results: dict[str, float] = Field(description="scores of the readable replies by custom_id")
    n_cached_after: int = Field(description="replies in the cache at the end")
    save_calls: int = Field(description="how often the cache is saved: once for each batch")
    final_scores: list[float | str] = Field(description="of each row: by reply, else by the cache, else nan")
    printed: str = Field(description="the lines that the published code prints")


class CachedOutput(ToolOutput):
    """Output: whether a batch file was made, and whether an older one was removed."""

    created: bool = Field(description="false where every prompt is cached")
    old_file_removed: bool = Field(description="an older batch file is removed, whether a new one is made or not")


def _n(rows: Sequence[Mapping[str, Any]]) -> list[tuple[int, Mapping[str, Any]]]:
    return list(enumerate(rows))


def _cell(row: Mapping[str, Any], name: str, place: int) -> Any:
    if name not in row:
        raise InputError(f"a row has no {name[:80]}", where=f"rows[{place}]", next="give it")
    return AS_READ_BACK if row[name] in TEXT_OF_NOTHING else row[name]


def batch_grading(given: BatchInput) -> dict[str, Any]:
    """Return the requests for rows that are not cached, and the scores from replies and cache.

    Raise InputError for a batch that is not completed, and for rows that lack a field.
    """
    asked = given.asked()
    cache = given.cache(asked)
    sent = batches.requests(asked, cache, given.grader, given.system)
    if sent:
        batches.require_completed(given.status)
    found = batches.settle(asked, given.grader_replies if sent else [], cache, given.grader, given.system)
    return {
        "batch_created": bool(sent),
        "requests": sent,
        "parsed_results": found.scores,
        "n_cached_after": len(cache),
        "save_calls": int(bool(sent)),
        "printed": "".join(f"{line}\n" for line in found.printed),
        "final_scores": plain([float("nan") if score is None else score for score in found.final]),
    }


def batch_all_cached(given: AllCachedInput) -> dict[str, bool]:
    """Return whether the published code makes a batch file for these rows, and whether it removes an older one."""
    asked = given.asked()
    sent = batches.requests(asked, given.cache(asked), given.grader, given.system)
    return {"created": bool(sent), "old_file_removed": given.old_file}


ANALYSES: Mapping[str, Tool] = {
    "biomed.batch_grading": Tool(
        about="Gives the requests of a grading batch, and the scores that its replies and the cache give.",
        takes=BatchInput,
        gives=BatchOutput,
        run=batch_grading,
    ),
    "biomed.batch_all_cached": Tool(
        about="Says whether a grading batch is made of rows that a cache may hold.",
        takes=AllCachedInput,
        gives=CachedOutput,
        run=batch_all_cached,
    ),
}
