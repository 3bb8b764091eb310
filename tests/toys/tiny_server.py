"""A server of a model in assets/ on this machine, in the dialect of completions: a local model for clients to ask.

As a program it serves the folder it is given, prints its port, and ends with its standard input.
"""

from __future__ import annotations

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any


def load(folder: str) -> Any:
    """Load a model, and give a function that answers a prompt greedily."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    torch.set_num_threads(1)
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder)

    def answer(prompt: str, most: int) -> str:
        asked = tokenizer(prompt, return_tensors="pt")["input_ids"]
        made = model.generate(asked, max_new_tokens=most, do_sample=False, pad_token_id=tokenizer.eos_token_id)
        return str(tokenizer.decode(made[0][asked.shape[1] :], skip_special_tokens=True))

    return answer


def server(folder: str) -> HTTPServer:
    """Make the server; it listens once it is made."""
    answer = load(folder)

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            text = answer(asked["prompt"], asked.get("max_tokens", 16))
            choice = {"index": 0, "text": text, "finish_reason": "stop", "logprobs": None}
            usage = {"prompt_tokens": len(asked["prompt"]), "completion_tokens": len(text)}
            said = {"id": "cmpl-1", "object": "text_completion", "created": 1, "model": asked["model"]}
            body = json.dumps({**said, "choices": [choice], "usage": {**usage, "total_tokens": sum(usage.values())}})
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

    return HTTPServer(("127.0.0.1", 0), Handler)


if __name__ == "__main__":
    one = server(sys.argv[1])
    Thread(target=one.serve_forever, daemon=True).start()
    print(one.server_port, flush=True)
    sys.stdin.read()
    os._exit(0)
