"""Score pairs with rouge-score, and with sacrebleu where it is; it runs in the peers' own environment."""

import json
import sys
import time
from pathlib import Path
from typing import Any

from rouge_score.rouge_scorer import RougeScorer

try:
    from sacrebleu.metrics import BLEU
except ImportError:
    BLEU = None

pairs = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
scorer = RougeScorer(["rouge2", "rougeL"], use_stemmer=False)
begun = time.process_time()
found = [scorer.score(reference, response) for response, reference in pairs]
told: dict[str, Any] = {"rouge_cpu": time.process_time() - begun}
told["ROUGE2"] = [each["rouge2"].fmeasure for each in found]
told["ROUGEL"] = [each["rougeL"].fmeasure for each in found]
if BLEU:
    bleu = BLEU(smooth_method="none", tokenize="13a", effective_order=False)
    begun = time.process_time()
    told["BLEU"] = [bleu.sentence_score(response, [reference]).score / 100 for response, reference in pairs]
    told["bleu_cpu"] = time.process_time() - begun
print(json.dumps(told))
