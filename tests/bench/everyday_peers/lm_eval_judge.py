"""What a person writes for lm-eval to have a model grade answers: one request for each, one after the other."""

import json
import os
import re
import urllib.request

ASK = "Grade the answer to a question. The best grade is 1, the worst is 0; end with `GRADE:` and the number."


def grade(doc, results):
    text = f"{ASK}\nQuestion: {doc['question']}\nRight answer: {doc['answer']}\nAnswer: {results[0]}"
    body = {"model": "judge", "messages": [{"role": "user", "content": text}], "temperature": 0}
    request = urllib.request.Request(
        os.environ["JUDGE_URL"] + "/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as reply:
        said = json.load(reply)["choices"][0]["message"]["content"]
    found = re.search(r"GRADE: ([01])", said)
    return {"grade": float(found[1]) if found else 0.0}
