"""Errors that are shown to a user: each says what is wrong, where, and what to do next, and has an exit code."""

from __future__ import annotations

AGREED, DISAGREED, BAD_INPUT, MISSING, STEP_FAILED, INTERRUPTED = 0, 1, 2, 3, 4, 130


class HarnessError(Exception):
    """Base class of errors that end a command with a message and an exit code instead of a traceback."""

    code = DISAGREED
    name = "disagreed"

    def __init__(self, what: str, *, where: str = "", next: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.next = next

    def __str__(self) -> str:
        """Format the error for a terminal."""
        lines = [self.what]
        if self.where:
            lines.append(f"  where: {self.where}")
        if self.next:
            lines.append(f"  next:  {self.next}")
        return "\n".join(lines)

    def as_data(self) -> dict[str, dict[str, str | int]]:
        """Format the error as JSON for a script (`--json`)."""
        return {
            "error": {
                "code": self.code,
                "name": self.name,
                "what": self.what,
                "where": self.where,
                "next": self.next,
            }
        }


class InputError(HarnessError):
    """Invalid input by the user: a manifest, an option, a file."""

    code = BAD_INPUT
    name = "bad-input"


class MissingError(HarnessError):
    """Something that the machine lacks: an engine, a package, data, disk space, write permission."""

    code = MISSING
    name = "missing"


class RefusedError(HarnessError):
    """Refusal of all requests by a remote model; no response was stored, and the next run asks again."""

    name = "refused"


class StepError(HarnessError):
    """Failure of a step; none of its outputs was stored."""

    code = STEP_FAILED
    name = "step-failed"


class Defect(HarnessError):  # noqa: N818 - the word a user reads
    """Bug in the harness itself; never the user's fault."""

    code = STEP_FAILED
    name = "defect"


class Interrupted(HarnessError):  # noqa: N818 - the word a user reads
    """Interruption of a run by a person; finished work is kept."""

    code = INTERRUPTED
    name = "interrupted"


class DamageError(HarnessError):
    """Damaged stored data: bytes that do not match their digest, a broken log, a link in place of a file.

    Nothing made from damaged data is delivered.
    """

    code = DISAGREED
    name = "damaged"
