"""A small project of the study `questions` around one file, which tests make as bad as they like."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support import data_of, error_of, harness, outputs_of

ORACLE = "{oracle: {provider: baseline, behaviour: oracle}}"
TEXT = '"Question: {question}\\nAnswer:"'
PLAIN = "question,answer\nWhat is the capital of France?,Paris\nWhat is the capital of Italy?,Rome\n"
MANIFEST = """harness: 2
study: questions
name: q
about: Questions of a file.
models: {models}
datasets: {{mine: {{file: data/{file}, fields: {fields}{more}}}}}
prompts: {prompts}
generation: {{max_tokens: 8}}
settings: {{score: {score}}}
{rest}"""


class FileProject:
    """A project with a manifest `q` over one file in data/, locked and run by the public command line."""

    def __init__(self, folder: Path, data: bytes | str = PLAIN, file: str = "mine.csv") -> None:
        self.folder, self.file = folder, file
        for name in ("lockfiles", "manifests", "data"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        self.path = folder / "data" / file
        self.path.write_bytes(data.encode() if isinstance(data, str) else data)
        self.write()

    def write(
        self, *, fields: str = "{input: question, target: answer}", more: str = "", prompts: str = f"{{text: {TEXT}}}",
        score: str = "[exact]", models: str = ORACLE, rest: str = "",
    ) -> FileProject:  # fmt: skip
        """Write the manifest anew, with other parts."""
        text = MANIFEST.format(
            models=models,
            file=self.file,
            fields=fields,
            more=f", {more}" if more else "",
            prompts=prompts,
            score=score,
            rest=rest,
        )
        (self.folder / "manifests" / "q.yaml").write_text(text, encoding="utf-8")
        return self

    def refused(self, verb: str = "lock", code: int = 2) -> dict[str, Any]:
        """Run a verb that must be refused, and give the error: what, where, next."""
        error = error_of(harness(verb, "manifests/q.yaml", "--json", cwd=self.folder, check=code))
        assert error["what"] and error["next"]
        return error

    def lock(self) -> None:
        """Lock the manifest."""
        harness("lock", "manifests/q.yaml", cwd=self.folder, check=0)

    def run(self) -> dict[str, Any]:
        """Lock and run the manifest, and give what the run said."""
        self.lock()
        told: dict[str, Any] = data_of("run", "manifests/q.yaml", cwd=self.folder)
        return told

    def rows(self, ran: dict[str, Any], name: str) -> list[dict[str, Any]]:
        """Give the rows of an output of a run."""
        digest = outputs_of(ran)[name]
        blob = self.folder / ".harness" / "blobs" / "sha256" / digest[:2] / digest
        return [json.loads(line) for line in blob.read_bytes().splitlines()]

    def asked(self) -> list[tuple[str, str]]:
        """Lock and run, and give each item's question with the answer that a model shown the gold gave."""
        ran = self.run()
        items, answers = self.rows(ran, "items"), self.rows(ran, "responses")
        texts = {row["item"]: row["text"] for row in answers}
        return [(row["input"]["question"], texts[row["id"]]) for row in items]


QUESTIONS = [("What is the capital of France?", "Paris"), ("What is the capital of Italy?", "Rome")]
