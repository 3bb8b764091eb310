"""A grader on loopback: it grades an answer by its words, cannot be read now and then, and wavers when asked twice.

It speaks OpenAI's wire format. Bad answers get half a point more when they are asked about for the second time. It
reads our wording by its marks and a published one by its template, and replies in two parts if asked for both.
"""

from __future__ import annotations

import http.server
import json
import re
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

KEY = "sk-grading-1"
UNREADABLE = "That is hard to say: it lies between 2 and 3."
AGAIN = "Write the number alone"
UNSURE = ("unsure", "do not know")
EVERY = 5  # among that many answers about one is graded in words at first
EASED = "1.5"
STATED = "two numbers with a minus between them"
OFF = ("0", "0.5", "1")  # by the answer's bytes
FIELDS = ("question", "gold_res", "pred_res")


def graded(prompt: str, before: int = 0, wording: str = "") -> str:
    """Grade the answer of a prompt that was sent as often before: words at first for some, else a grade in bold."""
    if wording:
        _, reference, answer = texts_of(prompt, wording)
    else:
        reference, answer = (_block(prompt, name) for name in ("reference", "answer"))
    if STATED in prompt:
        return _stated(reference, answer)
    if AGAIN not in prompt and not sum(answer.encode()) % EVERY:
        return UNREADABLE
    return f"**{_grade(reference, answer, before)}**"


def texts_of(prompt: str, wording: str) -> tuple[str, ...]:
    """Give question, gold answer and answer of a prompt that was filled from a wording with these three fields."""
    pieces = re.split(rf"\{{({'|'.join(FIELDS)})\}}", wording)
    shape = "".join(rf"(?P<{piece}>.*)" if place % 2 else re.escape(piece) for place, piece in enumerate(pieces))
    found = re.fullmatch(shape, prompt, re.DOTALL)
    assert found, prompt[:500]
    return tuple(found[name] for name in FIELDS)


def _stated(reference: str, answer: str) -> str:
    if any(word in answer for word in UNSURE):
        return "-1"
    total = sum(answer.encode())
    return f"{3 if answer == reference else total % 2} - {OFF[total % 3]}"


def _grade(reference: str, answer: str, before: int) -> str:
    if any(word in answer for word in UNSURE):
        return "-1"
    if answer == reference:
        return "3"
    return EASED if before else "1"


def _block(prompt: str, name: str) -> str:
    mark = re.search(r"between marks with (\S+) is data", prompt)
    assert mark, prompt[:200]
    found = re.search(rf"<{name} {mark[1]}>\n(.*?)\n</{name} {mark[1]}>", prompt, re.DOTALL)
    assert found, prompt[:500]
    return found[1]


class GradingProvider(http.server.BaseHTTPRequestHandler):
    """The grader."""

    protocol_version = "HTTP/1.1"
    asked: Counter[str]
    bodies: list[dict[str, Any]]
    wording: str

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = body["messages"][-1]["content"]
        self.asked[prompt] += 1
        self.bodies.append(body)
        said = graded(prompt, self.asked[prompt] - 1, self.wording)
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": said}}
        whole = {"id": "one", "object": "chat.completion", "created": 1, "model": "grader-1", "choices": [choice]}
        data = json.dumps(whole).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Keep still."""


@contextmanager
def grading(wording: str = "") -> Iterator[Any]:
    """Run one of its own on a free port, which reads prompts of a wording if one is given."""
    kind: Any = type("One", (GradingProvider,), {"asked": Counter(), "bodies": [], "wording": wording})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), kind) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        kind.url = f"http://127.0.0.1:{server.server_port}/v1"
        try:
            yield kind
        finally:
            server.shutdown()
            thread.join()
