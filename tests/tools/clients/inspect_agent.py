"""An evaluation of Inspect AI whose agent calls our tools: run in the environment of other people's software.

    python inspect_agent.py JSON-OF {command, args, cwd, env, study, key, subset} LOGS

Inspect's own model `mockllm` stands for a model: what it says next is what our scripted agent calls next, made when
Inspect asks for it, from the last result that Inspect put into the messages. Prints what the attempt ended with.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import support_agents
import tiktoken
from inspect_ai import Task, eval
from inspect_ai.agent import react
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageTool, ModelOutput, get_model
from inspect_ai.tool import mcp_server_stdio


class Letters:
    """Stands for the table of tokens that Inspect would fetch to count them."""

    def encode(self, text: str, **_: Any) -> list[int]:
        """Count a letter as a token."""
        return list(text.encode())


def main(asked: dict[str, Any], logs: str) -> None:
    """Run the evaluation, and print the attempt's result."""
    tiktoken.get_encoding = lambda _name: Letters()
    tiktoken.encoding_for_model = lambda _name: Letters()
    server = mcp_server_stdio(name="harness", **{name: asked[name] for name in ("command", "args", "cwd", "env")})
    steps = support_agents.whole_attempt(asked["study"], asked["key"], subset=asked["subset"])
    ended: list[dict[str, Any]] = []
    call: tuple[str, dict[str, Any]] = ("", {})

    def say(messages: list[Any], *_: Any) -> ModelOutput:
        nonlocal call
        last = messages[-1]
        busy = isinstance(last, ChatMessageTool) and support_agents.BUSY in (last.error.message if last.error else "")
        try:
            if not busy:
                call = steps.send(json.loads(last.text)) if isinstance(last, ChatMessageTool) else next(steps)
        except StopIteration as done:
            ended.append(done.value)
            call = ("submit", {"answer": done.value["status"]})
        return ModelOutput.for_tool_call("mockllm/model", call[0], call[1])

    task = Task(dataset=[Sample(input="Take the evaluation.")], solver=react(tools=[server]))
    [log] = eval(task, model=get_model("mockllm/model", custom_outputs=say), log_dir=logs, display="none")
    if log.status != "success" or not ended:
        raise SystemExit(f"{log.status}: {log.error}; {[one.text[:300] for one in log.samples[0].messages[-3:]]}")
    print(
        json.dumps(
            {"ended": ended[0], "said": log.samples[0].output.completion, "messages": len(log.samples[0].messages)}
        )
    )


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), sys.argv[2])
