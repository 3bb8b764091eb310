"""Score pairs with the package rouge-score, and say what that cost; it runs in the peer's own environment."""

import json
import sys
import time
from pathlib import Path

from rouge_score.rouge_scorer import RougeScorer

given = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
scorer = RougeScorer(given["kinds"], use_stemmer=given.get("stem", False))
begun = time.process_time()
values = [scorer.score(reference, response) for response, reference in given["pairs"]]
print(json.dumps({"cpu": time.process_time() - begun, "values": values}))
