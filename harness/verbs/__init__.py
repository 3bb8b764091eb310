"""Verbs: one function each, with a typed request and result, which the command line, Python and agents' tools call.

    from harness import verbs
    project = verbs.Project.at("llm-harness")
    ran = verbs.run(project, verbs.RunRequest(manifests=["manifests/demo/addition.yaml"]))

A verb takes a `Project` and a request where it needs them and, where it works for long, a `Watch`. It reads by itself
no working directory and no environment, prints nothing and never exits; what goes wrong is raised as a
`HarnessError`. A module is loaded when one of its names is first used; the verbs of images are called by their
module, `harness.verbs.images`.
"""

# ruff: noqa: F403 - what a type checker sees is what the table below names
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.parts import part

if TYPE_CHECKING:
    from harness.verbs.accepting import *
    from harness.verbs.attempting import *
    from harness.verbs.attempts import *
    from harness.verbs.certifying import *
    from harness.verbs.describing import *
    from harness.verbs.importing import *
    from harness.verbs.measuring import *
    from harness.verbs.pins import *
    from harness.verbs.project import *
    from harness.verbs.published import *
    from harness.verbs.recordings import *
    from harness.verbs.review import *
    from harness.verbs.running import *
    from harness.verbs.scoring import *
    from harness.verbs.starting import *
    from harness.verbs.upkeep import *

_NAMES = {
    "accepting": "AcceptRequest AcceptResult CarryRequest CarryResult accept carry",
    "attempting": "AttemptDoor ServeRequest attempt_backend finish_attempt get_item list_items list_studies new_key "
    "score_text start_attempt submit_answers",
    "attempts": "AttemptRequest AttemptsRequest AttemptsResult RescoreRequest ShowAttemptResult "
    "VerifyTranscriptRequest VerifyTranscriptResult abandon_attempt attempt_named list_attempts rescore_attempt "
    "show_attempt verify_transcript",
    "certifying": "CarryCertificateRequest CertifyRequest CertifyResult CheckCertificateRequest CheckCertificateResult "
    "carry_certificate certify check_certificate",
    "describing": "SchemaRequest SchemaResult schema",
    "importing": "ImportFolderRequest ImportFolderResult ImportRequest ImportResult import_ import_folder",
    "measuring": "AnalyseRequest AnalyseResult ScoreRequest ScoreResult ToolsResult analyse list_analyses list_scorers "
    "score",
    "pins": "ListResult LockRequest LockResult ShowRequest ShowResult list_ lock show",
    "project": "Progress Project Request Result Watch",
    "published": "ClaimsRequest ClaimsResult RunsRequest RunsResult claims runs",
    "recordings": "ExportTapeRequest ExportTapeResult GatewayModel GatewayReady GatewayRequest GatewayResult "
    "ImportTapeRequest ImportTapeResult LsTapeResult MergeTapesRequest MergeTapesResult RedactTapeRequest "
    "RedactTapeResult TapeRequest VerifyTapeResult export_tape gateway import_tape ls_tape merge_tapes "
    "redact_tape verify_tape",
    "review": "AuditRequest AuditResult DiffRequest DiffResult ExplainRequest ExplainResult GetRequest GetResult audit "
    "diff explain get",
    "running": "DryRunResult ReproduceRequest ReproduceResult RunRequest RunResult dry_run reproduce run",
    "scoring": "CompareRequest CompareResult ScoresRequest ScoresResult ShowItemsRequest ShowItemsResult compare "
    "scores show_items",
    "starting": "InitRequest InitResult NewRequest NewResult init new",
    "upkeep": "DoctorResult FsckResult GcRequest GcResult doctor fsck gc",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"harness.verbs has no {name!r}")
    return part(f"harness.verbs.{_MODULES[name]}:{name}")


def __dir__() -> list[str]:
    return sorted(_MODULES)
