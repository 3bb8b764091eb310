"""Arguments and results of the tools by which an operator's agent runs manifests and reads what came out."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from harness_tools.verb_shapes import MOST, Form, Limit, Offset

LONGEST_WAIT = 25  # seconds that get_run waits at most: many clients give up a call after 60
RUN = r"^[0-9]{8}T[0-9]{6}Z-([0-9a-f]{8}|[0-9a-f]{32}(\.[0-9]{1,4})?)$"

RunId = Annotated[str, Field(pattern=RUN, description="a run as start_run gives it, or another run's id")]
Key = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$",
        description="a text of your own: the same key gives the same run again, whatever became of the server",
    ),
]
Served = Annotated[str, Field(max_length=80, description="a manifest as list_manifests names it")]
Overrides = Annotated[
    dict[str, Any],
    Field(
        max_length=20,
        description="only names that list_manifests gives for the manifest, such as {'limit': 10, 'model': ['a']}",
    ),
]
Next = Annotated[str, Field(description="what to call next")]
Withheld = Annotated[
    dict[str, str] | None,
    Field(description="datasets of which less is told. summed: no items; sealed: nothing"),
]


class ServedForm(Form):
    """Arguments of the tool list_manifests: none."""


class ServedGiven(Form):
    """Result of the tool list_manifests: the manifests that the agent may run, and what it may override."""

    manifests: list[dict[str, Any]] = Field(description="manifest, study, about, overrides, budget, runs_left")


class PlanRunForm(Form):
    """Arguments of the tool plan_run: the manifest, and overrides of its values."""

    manifest: Served
    overrides: Overrides = Field(default_factory=dict)


class PlanRunGiven(Form):
    """Result of the tool plan_run: what a run would execute, ask, take and cost."""

    manifest: str
    overrides: dict[str, str]
    budget: dict[str, Any] = Field(description="seconds and dollars that one run may take at most")
    steps: dict[str, int] = Field(description="by what becomes of them: rerun, rescored, remade, reused")
    groups: list[dict[str, Any]]
    asking: list[dict[str, Any]] = Field(description="what each model would be asked")
    time: str
    money: str
    lock_fits: bool
    within_budget: bool


class StartRunForm(Form):
    """Arguments of the tool start_run: the manifest, a key, overrides, and the run's budget."""

    manifest: Served
    idempotency_key: Key
    overrides: Overrides = Field(default_factory=dict)
    budget_s: int | None = Field(default=None, ge=1, le=10**7, description="seconds; absent: all that it may take")
    budget_dollars: str | None = Field(
        default=None, pattern=r"^[0-9]{1,9}(\.[0-9]{1,6})?$", description='such as "0.50"; absent: all that it may take'
    )


class RunStateGiven(Form):
    """Result of start_run, get_run and cancel_run: the run's state, progress, cost and verdict."""

    run: str
    manifest: str
    key: str
    state: Literal["starting", "running", "done", "failed", "cancelled", "over-budget", "killed", "not-begun"]
    ended: bool
    done: int | None = Field(default=None, description="steps")
    total: int | None = None
    step: str | None = None
    answers: str | None = None
    dollars: str | None = None
    verdict: str | None = Field(default=None, description="agreed, disagreed, incomplete or unconfirmed")
    steps: dict[str, int] | None = None
    unanswered: dict[str, str] | None = None
    why: str | None = None
    asked: str
    updated: str | None = None
    resumed: Literal[True] | None = Field(default=None, description="this key started the run before")
    next: Next


class GetRunForm(Form):
    """Arguments of the tool get_run: the run, by its id or key, and how long to wait for its end."""

    run: RunId | None = None
    idempotency_key: Key | None = Field(default=None, description="instead of run: the key that started it")
    wait_s: int = Field(
        default=0, ge=0, le=LONGEST_WAIT, description="seconds to wait for the end; progress is told meanwhile"
    )


class CancelRunForm(Form):
    """Arguments of the tool cancel_run: the run, and the reason."""

    run: RunId
    reason: str = Field(default="", max_length=200, description="is written down")


class ScoresForm(Form):
    """Arguments of the tool scores: the run, and which page of its scores."""

    run: RunId
    limit: Limit = 20
    offset: Offset = 0


class RunScoresGiven(Form):
    """Result of the tool scores: a page of a run's table of scores."""

    run: str
    manifest: str
    study: str
    scores: list[dict[str, Any]] = Field(description="model, dataset, scorer, metric, value, interval, n, …")
    n_lines: int
    next_offset: int | None = None
    withheld: Withheld = None
    limit: int | None = Field(default=None, description="items of each dataset that the run was limited to")
    stand_ins: dict[str, bool] | None = Field(default=None, description="no models; whether shown right answers")
    dollars: dict[str, str] | None = None


class CompareForm(Form):
    """Arguments of the tool compare: two runs, or two models of one run, and which page."""

    run_a: RunId
    run_b: RunId | None = Field(default=None, description="absent: two models of run_a")
    models: list[Annotated[str, Field(max_length=80)]] = Field(
        default_factory=list, max_length=2, description="one of each run; absent: those of the same name"
    )
    limit: Limit = 20
    offset: Offset = 0


class CompareGiven(Form):
    """Result of the tool compare: differences by metric, and a page of the items whose scores differ."""

    run_a: str
    run_b: str
    lines: list[dict[str, Any]] = Field(description="of each metric both means, difference, interval, p")
    items: list[dict[str, Any]] = Field(description="a page of the items whose scores differ")
    n_items: int
    next_offset: int | None = None
    withheld: Withheld = None
    remarks: list[str] | None = None


class ClaimsForm(Form):
    """Arguments of the tool claims: a manifest, or none for all, and which page."""

    manifest: Served | None = Field(default=None, description="absent: all that are served")
    limit: Limit = MOST
    offset: Offset = 0


class ClaimsGiven(Form):
    """Result of the tool claims: a page of published numbers, each with its verdict."""

    claims: list[dict[str, Any]] = Field(description="published, tolerance, value, verdict, kind, where, run")
    n_claims: int
    next_offset: int | None = None
    withheld: Withheld = None


class ReadForm(Form):
    """The run or attempt that a resource's address names, and where to begin reading."""

    run: RunId | None = None
    attempt: str | None = Field(default=None, pattern=r"^[0-9]{8}T[0-9]{6}Z-[0-9a-f]{32}$")
    begin: int = Field(default=0, ge=0, le=10**8)


class PromptForm(Form):
    """The name of a prompt (a wording of a study), and the values that are filled into it."""

    name: str = Field(max_length=80)
    arguments: dict[str, Annotated[str, Field(max_length=65536)]] = Field(default_factory=dict, max_length=20)
