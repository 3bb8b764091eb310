"""Tools of the profiles `operate` and `audit`: verbs of the harness for people's own agents, never for one under test.

None of them changes a record; runs are started from the command line.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel

from harness_tools import verb_shapes as forms
from harness_tools.tool_spec import ToolSpec


def _tool(name: str, title: str, asks: type[BaseModel], gives: type[BaseModel], *said: str) -> ToolSpec:
    return ToolSpec(name, title, " ".join(said), asks, gives)


_MANIFESTS = _tool(
    "list_manifests",
    "Manifests",
    forms.PageForm,
    forms.ManifestsGiven,
    "Lists the project's manifests: study, whether the lock still fits, and how the newest run ended.",
    "Use the `manifest` of an entry in audit_run.",
)
_RUNS = _tool(
    "list_runs",
    "Runs",
    forms.ListRunsForm,
    forms.RunsGiven,
    "Lists runs of the store, newest first; attempts that were scored are runs named by their attempt_id.",
)
_AUDIT = _tool(
    "audit_run",
    "Audit a run",
    forms.AuditRunForm,
    forms.AuditGiven,
    "Checks that manifest, lock, record and store of a run agree, and makes steps again with the installed code.",
    "Name a run or a manifest, not both. Long audits answer E_BUSY: repeat the same call to fetch the verdict.",
    "`hashes` reads alone; `full` makes every deterministic step again.",
)
_DIFF = _tool(
    "diff_runs",
    "Compare two runs",
    forms.DiffRunsForm,
    forms.DiffGiven,
    "Says where two runs first part, and how: settings, inputs, code, or outputs.",
)
_VERIFY = _tool(
    "verify_transcript",
    "Verify a transcript",
    forms.VerifyForm,
    forms.VerifiedGiven,
    "Checks the hash chain of an attempt's log from its first line to its end, replays its reads on the view and",
    "compares the results, and counts uses of the control item.",
)
_AUDITING = (_MANIFESTS, _RUNS, _AUDIT, _DIFF, _VERIFY)

VERB_TOOLS: Mapping[str, tuple[ToolSpec, ...]] = {
    "audit": _AUDITING,
    "operate": (
        _tool(
            "list_scorers",
            "Scorers",
            forms.PageForm,
            forms.NamedToolsGiven,
            "Lists the scorers by name. describe_tool says what one takes; score runs it.",
        ),
        _tool(
            "list_analyses",
            "Analyses",
            forms.PageForm,
            forms.NamedToolsGiven,
            "Lists the analyses by name. describe_tool says what one takes; analyse runs it.",
        ),
        _tool(
            "describe_tool",
            "Describe a scorer or an analysis",
            forms.DescribeForm,
            forms.DescribedGiven,
            "Gives the fields that a scorer or an analysis takes and gives, in words and as JSON Schema.",
        ),
        _tool(
            "score",
            "Score rows",
            forms.ScoreRowsForm,
            forms.ScoresGiven,
            "Runs one scorer over 1 to 50 rows that you give, and gives a score for each, in their order. The rows",
            "hold everything it needs, right answers too: no item of a benchmark is looked up.",
        ),
        _tool(
            "analyse",
            "Run an analysis",
            forms.AnalyseObjectForm,
            forms.AnalysisGiven,
            "Runs one analysis over an object that you give. Arrays are lists of numbers; large ones belong on the",
            "command line, which reads them from files.",
        ),
        *_AUDITING,
    ),
}
