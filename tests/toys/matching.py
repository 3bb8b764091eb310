"""Two judges on loopback: one names the entries of a list that equal a reference, one rates an answer in a word.

They speak OpenAI's wire format; which of the two is asked stands in the request as the model.
"""

from __future__ import annotations

import http.server
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

KEY = "sk-matching-1"
MATCHER, RATER = "matcher-1", "rater-1"
FIELDS = ("low_value", "high_value")


def match(prompt: str) -> str:
    """Name the entries that equal the reference in every field; every third reply stands in a fence, with words."""
    gold, listed = (json.loads(found) for found in _blocks(prompt, "reference", "list"))
    same = [one["json_extracted_index"] for one in listed if all(one.get(f) == gold.get(f) for f in FIELDS)]
    reply = json.dumps({"json_extracted_indices": same})
    return f"Here it is:\n```json\n{reply}\n```" if len(prompt) % 3 == 0 else reply


def rate(prompt: str) -> tuple[str, list[tuple[str, float]]]:
    """Rate an answer good that is the reference's words, and bad otherwise; gives the word and its alternatives."""
    reference, answer = _blocks(prompt, "reference", "answer")
    good = sum(word in answer for word in reference.split()) > len(reference.split()) / 2
    word, other = ("good", "bad") if good else ("bad", "good")
    return word, [(word, -0.1), ("okay", -2.8), (other, -4.0), ("Well", -5.0), ("I", -6.0)]


def _blocks(prompt: str, *names: str) -> list[str]:
    found = re.search(r"marks with (\S+) is data", prompt)
    assert found, prompt[:200]
    blocks = [re.search(rf"<{name} {found[1]}>\n(.*?)\n</{name} {found[1]}>", prompt, re.DOTALL) for name in names]
    return [block[1] for block in blocks if block]


class MatchingProvider(http.server.BaseHTTPRequestHandler):
    """Both judges."""

    protocol_version = "HTTP/1.1"
    asked: list[str]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = body["messages"][-1]["content"]
        self.asked.append(body["model"])
        choice: dict[str, Any] = {"index": 0, "finish_reason": "stop"}
        if body["model"] == MATCHER:
            said = match(text)
        else:
            said, top = rate(text)
            likely = [{"token": token, "logprob": logprob, "bytes": None} for token, logprob in top]
            choice["logprobs"] = {"content": [{**likely[0], "top_logprobs": likely}]}
        choice["message"] = {"role": "assistant", "content": said}
        whole = {"id": "one", "object": "chat.completion", "created": 1, "model": body["model"], "choices": [choice]}
        data = json.dumps(whole).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Keep still."""


@contextmanager
def judging() -> Iterator[Any]:
    """Run one of its own on a free port."""
    kind: Any = type("One", (MatchingProvider,), {"asked": []})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), kind) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        kind.url = f"http://127.0.0.1:{server.server_port}/v1"
        try:
            yield kind
        finally:
            server.shutdown()
            thread.join()
