"""The errors a user can meet: each says what, where and what to do next, and carries its exit code."""

from __future__ import annotations

AGREED, DISAGREED, BAD_INPUT, MISSING, STEP_FAILED, INTERRUPTED = 0, 1, 2, 3, 4, 130


class HarnessError(Exception):
    """The base of everything that ends a verb with a message instead of a traceback."""

    code = DISAGREED
    name = "disagreed"

    def __init__(self, what: str, *, where: str = "", next: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.next = next

    def __str__(self) -> str:
        """Spell the error the way a terminal shows it."""
        lines = [self.what]
        if self.where:
            lines.append(f"  where: {self.where}")
        if self.next:
            lines.append(f"  next:  {self.next}")
        return "\n".join(lines)

    def as_data(self) -> dict[str, dict[str, str | int]]:
        """Give a script the same message as data (`--json`)."""
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
    """What the user gave is wrong: a manifest, a flag, a file."""

    code = BAD_INPUT
    name = "bad-input"


class MissingError(HarnessError):
    """The machine lacks something: an engine, a package, data, room on the disk, the right to write."""

    code = MISSING
    name = "missing"


class RefusedError(HarnessError):
    """A model elsewhere refused whatever it was asked; nothing of that was stored, and the next run asks again."""

    name = "refused"


class StepError(HarnessError):
    """A step failed; nothing of it was stored."""

    code = STEP_FAILED
    name = "step-failed"


class Defect(HarnessError):  # noqa: N818 - the word a user reads
    """The harness itself failed: never the user's fault."""

    code = STEP_FAILED
    name = "defect"


class Interrupted(HarnessError):  # noqa: N818 - the word a user reads
    """Somebody stopped the run; what was finished is kept."""

    code = INTERRUPTED
    name = "interrupted"


class DamageError(HarnessError):
    """Stored bytes are not what their name says; nothing made from them is delivered."""

    code = DISAGREED
    name = "damaged"
