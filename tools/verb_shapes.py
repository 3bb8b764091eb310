"""Arguments and results of the tools for operators and auditors: those of the verbs, with bounds and without paths.

A run is named by its id, and a manifest as list_manifests names it. No tool takes the name of a file to read or write.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from harness.verbs.requests import AnalyseRequest, AuditRequest, RunsRequest, ScoreRequest, describe_field

MOST = 50  # entries of one reply
ROWS = 50  # rows of one call of score


class Form(BaseModel):
    """Base class of tools' arguments and results: unknown fields and converted types are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


RunName = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$", description="a run id as list_runs gives it, a prefix, or `last`"
    ),
]
ManifestName = Annotated[str, Field(max_length=200, description="a manifest as list_manifests names it")]
AttemptName = Annotated[str, Field(pattern=r"^[0-9A-Za-z-]{1,64}$", description="an attempt_id")]
ToolName = Annotated[str, Field(max_length=80)]
Limit = Annotated[int, Field(ge=1, le=MOST, description="entries of a page")]
Offset = Annotated[int, Field(ge=0, le=100_000, description="entries to leave out: `next_offset` of the page before")]


class PageForm(Form):
    """Arguments of a tool that lists something: which page of the list."""

    limit: Limit = 20
    offset: Offset = 0


class NamedTool(Form):
    """A scorer or an analysis in a list: its name, and what it does."""

    name: str
    about: str


class NamedToolsGiven(Form):
    """Result of the tools list_scorers and list_analyses: a page of names."""

    tools: list[NamedTool]
    next_offset: int | None = Field(default=None, description="absent on the last page")


class DescribeForm(Form):
    """Arguments of the tool describe_tool: the name of a scorer or an analysis."""

    kind: Literal["scorer", "analysis"] = Field(description="which of the two lists names it")
    name: ToolName = Field(description="as list_scorers or list_analyses names it")


class DescribedGiven(Form):
    """Result of the tool describe_tool: what a scorer or an analysis takes and gives."""

    name: str
    about: str
    takes: dict[str, str] = Field(description="its fields, in words")
    gives: dict[str, str]
    schemas: dict[str, Any] = Field(description="both as JSON Schema, by `takes` and `gives`")


class ScoreRowsForm(Form):
    """Arguments of a tool that scores rows: the scorer, the rows, and fields that all rows share."""

    scorer: ToolName = Field(description=describe_field(ScoreRequest, "scorer"))
    rows: list[dict[str, Any]] = Field(
        min_length=1, max_length=ROWS, description="rows with the fields that describe_tool names"
    )
    shared: dict[str, Any] | None = Field(default=None, description=describe_field(ScoreRequest, "shared"))


class ScoresGiven(Form):
    """Result of a tool that scores rows: one score for each row, in their order."""

    scores: list[dict[str, Any]]


class AnalyseObjectForm(Form):
    """Arguments of a tool that runs an analysis: its name, and the object that it takes."""

    analysis: ToolName = Field(description=describe_field(AnalyseRequest, "analysis"))
    given: dict[str, Any] = Field(description="the object with the fields that describe_tool names")


class AnalysisGiven(Form):
    """Result of a tool that runs an analysis: what the analysis returns."""

    result: dict[str, Any]


class ManifestsGiven(Form):
    """Result of list_manifests: one page of the project's manifests."""

    manifests: list[dict[str, str]] = Field(description="manifest, name, study, lock, verdict, about")
    next_offset: int | None = Field(default=None, description="absent on the last page")


class ListRunsForm(Form):
    """Arguments of the tool list_runs: the manifest whose runs are listed, and how many at most."""

    manifest: str | None = Field(default=None, max_length=80, description=describe_field(RunsRequest, "manifest"))
    limit: Limit = 20


class RunsGiven(Form):
    """Result of the tool list_runs: runs, newest first, and how many more there are."""

    runs: list[dict[str, Any]] = Field(description="run, manifest, started, engine, status, steps, its limit if any")
    more: int = Field(description="older runs that are not shown")


class AuditRunForm(Form):
    """Arguments of the tool that audits a run: the run, and how much of it is executed again."""

    run: RunName | None = Field(default=None, description="a run id, a prefix of one, or `last`")
    manifest: ManifestName | None = Field(default=None, description="instead of run: the newest run of a manifest")
    level: Literal["hashes", "derive", "rescore", "full"] = Field(
        default="full", description=describe_field(AuditRequest, "level")
    )
    budget_s: int = Field(default=300, ge=0, le=3600, description=describe_field(AuditRequest, "budget"))


class AuditGiven(Form):
    """Result of the tool that audits a run: the verdict, and its checks with failing ones first."""

    run: str
    verdict: str = Field(description="agreed, disagreed, incomplete or unconfirmed")
    coverage: str = Field(description="what was made again and what was taken on trust")
    checks: list[dict[str, str]] = Field(description="id, verdict, subject, detail; failing first, 50 at most")
    n_checks: dict[str, int] = Field(description="checks by verdict")
    limit: int = Field(default=0, description="items of each dataset that the run was limited to; 0: it was not")


class DiffRunsForm(Form):
    """Arguments of the tool that compares runs: the two runs."""

    run_a: RunName
    run_b: RunName


class DiffGiven(Form):
    """Result of the tool that compares runs: where they differ, the cause, and the rows."""

    level: str = Field(description="bytes (nothing differs), decisions, numbers, statistics or differs")
    cause: str
    first: dict[str, Any] | None = Field(default=None, description="the first step that differs")
    stages: list[dict[str, Any]]
    rows: list[dict[str, Any]] = Field(description="rows that differ, 20 at most")
    more_rows: int


class VerifyForm(Form):
    """Arguments of the tool that verifies a transcript: the attempt, and heads that its agent kept."""

    attempt_id: AttemptName
    heads: list[str] | None = Field(
        default=None, max_length=MOST, description="heads that the agent was told: each must be in the chain"
    )


class VerifiedGiven(Form):
    """Result of the tool that verifies a transcript: the verdict, and what is wrong."""

    attempt: str
    verdict: str = Field(description="agreed, disagreed or incomplete")
    status: str
    n_records: int
    head: str
    first_bad_seq: int | None = Field(default=None, description="the first record that is wrong")
    flaws: list[str]
    torn: str = Field(description="what of a last line was cut short")
    budget_ok: bool
    manifest_match: bool
    canary_hits: int = Field(description="answers that hold the control word, which stands in no prompt")
    reads: int = Field(description="reads that were made again")
    differing: list[int] = Field(description="records whose result differs when made again")
    unread: str
    gold_reachable: bool | None = Field(default=None, description="whether the agent's user could read right answers")
