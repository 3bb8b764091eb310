"""A project in which the study `reliability` runs on a small scale, with cities of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support import data_of, harness, outputs_of
from support_cities import simplemaps

# Names that differ in how often they are written; where they lie and how large they are is made up.
CITIES = [
    (name, 10 + place % 4 * 1.5, 20 + place // 4 * 1.5, 1000 * (place + 1))
    for place, name in enumerate(
        ("Lisbon", "Quito", "Oslo", "Lima", "Dakar", "Cairo", "Perth", "Turin", "Lagos", "Accra", "Basel", "Minsk")
    )
]


class Project:
    """A project with one manifest, its data imported into each store it is run in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "lockfiles").mkdir(parents=True)
        (folder / "manifests").mkdir()
        self.cities = simplemaps(folder / "cities.csv", CITIES)

    def bring(self, kind: str, file: Path, store: str = ".harness") -> str:
        digest: str = data_of("import", kind, file, "--store", store, cwd=self.folder)["sha256"]
        return digest

    def lock(self, name: str, text: str) -> None:
        (self.folder / "manifests" / f"{name}.yaml").write_text(text)
        harness("lock", f"manifests/{name}.yaml", cwd=self.folder, check=0)

    def run(self, name: str, *more: str, store: str = ".harness") -> dict[str, Any]:
        """Run to the end, and see to it that no step printed a word: a warning of any library would be one."""
        ran: dict[str, Any] = data_of("run", f"manifests/{name}.yaml", "--store", store, *more, cwd=self.folder)
        journal = self.folder / store / "runs" / ran["runs"][0]["run"] / "journal.jsonl"
        events = [json.loads(line) for line in journal.read_bytes().splitlines()]
        assert [event for event in events if event["event"] == "step.log"] == []
        assert ran["runs"][0]["steps"]["executed"] > 20 and ran["runs"][0]["steps"]["failed"] == 0
        return ran

    def blob(self, ran: dict[str, Any], name: str) -> bytes:
        digest = outputs_of(ran)[name]
        return (self.folder / ".harness" / "blobs" / "sha256" / digest[:2] / digest).read_bytes()

    def rows(self, ran: dict[str, Any], name: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.blob(ran, name).splitlines()]

    def document(self, ran: dict[str, Any], name: str) -> dict[str, Any]:
        [found] = self.rows(ran, name)
        return found
