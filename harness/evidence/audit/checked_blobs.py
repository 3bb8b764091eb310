"""Blob checks of an audit: every blob that a run refers to is read once and held against its digest and size.

It never trusts a digest that it has not computed itself, and repairs nothing.
"""

from __future__ import annotations

from harness.errors import HarnessError
from harness.evidence.audit.checks import Report
from harness.evidence.run_documents import closure_files, read_environment
from harness.store.limits import MOST_DOCUMENT
from harness.store.store import Store


class CheckedBlobs:
    """The blobs of one run that an audit has read, each with whether its bytes have the digest that names it."""

    def __init__(self, store: Store, report: Report) -> None:
        self.store = store
        self.report = report
        self.sound: dict[str, bool] = {}  # whether it is what its name says, of each blob that was read
        self.sizes: dict[str, int] = {}  # of sound blobs, where somebody said one
        self.closures: dict[str, dict[str, str]] = {}  # the files of each closure that was read
        self.flawed = 0

    def check(self, digest: str, subject: str, size: int | None = None, most: int | None = None) -> bool:
        """Check one blob against its digest and, if given, a size; report a flaw; return whether it has its digest.

        Its bytes are read at most once, and not at all where they are more than `most`.
        """
        if digest not in self.sound:
            state = self.store.blobs.check(digest, size, most)
            self.sound[digest] = state == "sound"
            if state != "sound":
                self._flaw(state, digest, subject)
            elif size is not None:
                self.sizes[digest] = size
        elif size is not None and self.sound[digest]:
            if digest not in self.sizes:
                self.sizes[digest] = self.store.blobs.size(digest)
            if self.sizes[digest] != size:
                self._flaw("changed", digest, f"{subject} has {self.sizes[digest]} bytes, not {size}")
        return self.sound[digest]

    def closure(self, digest: str, step: str) -> None:
        """Check the code closure of a step, the list of its code files, and then each file; report every flaw."""
        if digest in self.closures or not self.check(digest, f"code of {step}", most=MOST_DOCUMENT):
            return
        self.closures[digest] = {}
        try:
            self.closures[digest] = closure_files(self.store.blobs.read(digest), "closure")
        except HarnessError as bad:
            self.report.fail("entry.changed", step, f"its code is no closure: {bad.what}")
        for path, file in self.closures[digest].items():
            self.check(file, path, most=MOST_DOCUMENT)

    def environment(self, digest: str, image: str) -> None:
        """Check an environment document, and that its image is the one the run says it ran in."""
        if not self.check(digest, "environment", most=MOST_DOCUMENT):
            return
        try:
            found = read_environment(self.store.blobs.read(digest), "environment")["image"]
        except HarnessError as bad:
            self.report.fail("entry.changed", "environment", f"it is none: {bad.what}")
            return
        if found != image:
            self.report.fail("pin.differs", "image", f"its steps ran in {found[:19]}, the run says {image[:19]}")

    def settle(self) -> None:
        """Report that all blobs are sound, if no flaw was found."""
        if not self.flawed:
            self.report.held("blob.changed", "blobs", f"{len(self.sound)} blobs")

    def _flaw(self, state: str, digest: str, subject: str) -> None:
        self.flawed += 1
        self.report.fail(f"blob.{state}", f"blobs/sha256/{digest[:2]}/{digest}", subject)
