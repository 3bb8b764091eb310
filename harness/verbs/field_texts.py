"""What each field of a manifest says, and an example of it: texts for people, by the class that types the field.

A test holds that every field of the schema stands here once, and that its example is one that the schema takes. What
is typed where (and with which default) is never said here.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.verbs.field_text import FieldText

_DATA = {
    "Made": {
        "make": FieldText("The maker that draws the data; its own parameters stand beside it.", "reliability.addition"),
    },
    "Fetched": {
        "fetch": FieldText("Where the file is published, or `private:NAME` where nobody publishes it.",
                           "https://example.org/questions.csv"),
        "sha256": FieldText("The digest without which it is not the same data.", "a" * 64),
        "unresolved": FieldText("Why there is no digest; what needs the data says so instead of running.",
                                "its publisher states no checksum"),
        "licence": FieldText("Under what terms the data may be used.", "CC BY 4.0"),
    },
    "FetchedFiles": {
        "fetch": FieldText("The files of a published dataset, by the path that each has in their folder.",
                           f'{{parts/a.csv: {{url: "https://example.org/a.csv", sha256: {"a" * 64}}}}}'),
        "licence": FieldText("Under what terms the data may be used.", "CC BY 4.0"),
    },
    "File": {
        "url": FieldText("Where the file is published.", "https://example.org/a.csv"),
        "sha256": FieldText("Its digest.", "a" * 64),
        "size": FieldText("Its size in bytes, where that is known.", "1204"),
    },
    "Prompts": {
        "set": FieldText("A prompt set of the study with its version, or one for each benchmark.",
                         "reliability/addition@1"),
    },
}  # fmt: skip

_ASKED = {
    "Generation": {
        "temperature": FieldText("How freely a model draws: 0 takes the likeliest token, which is what version 1 sends "
                                 "where nothing is written.", "0.7"),
        "max_tokens": FieldText("How long an answer may be, in tokens; `benchmark`: as the benchmark says. "
                                "Version 1 sends 256.", "256"),
        "top_p": FieldText("Draw only from the likeliest tokens that make up this share. Version 1 sends 1.", "0.95"),
        "stop": FieldText("Texts at which an answer ends.", '["Question:"]'),
        "max_completion_tokens": FieldText("In the place of `max_tokens`, for models that count their thinking, too.",
                                           "4096"),
        "reasoning_effort": FieldText("How much a model thinks, in its provider's own words.", "low"),
        "thinking": FieldText("Whether a model thinks before it answers, as Anthropic's API takes it.",
                              "{type: enabled, budget_tokens: 2048}"),
        "seed": FieldText("The seed that a provider is told, instead of the run's own.", "7"),
        "top_k": FieldText("Draw only from this many of the likeliest tokens.", "40"),
        "extra": FieldText("Further fields of a request, sent as they are: plain JSON.", "{verbosity: low}"),
    },
    "Thinking": {
        "type": FieldText("Whether the model thinks.", "enabled"),
        "budget_tokens": FieldText("How many tokens it may think.", "2048"),
        "display": FieldText("Whether its thinking is told.", "omitted"),
    },
    "Resources": {
        "gpus": FieldText("How many GPUs a step gets; `prefer` takes one where there is one.", "prefer"),
        "memory": FieldText("The memory of a step; more ends it. It gets at most `--max-memory`.", "8GiB"),
        "disk": FieldText("What a step may write.", "16GiB"),
        "timeout": FieldText("How long a step may take.", "30m"),
        "threads": FieldText("The threads of a step; unset, one. It is part of the key: sums are rounded by it.", "4"),
    },
    "Asking": {
        "generation": FieldText("How the instrument is asked; only what is written is sent.", "{temperature: 0}"),
        "repeats": FieldText("How often it is asked of each answer.", "3"),
    },
}  # fmt: skip

_HELD = {
    "Within": {"within": FieldText("How far each number may lie from what is expected.", "1e-6 relative")},
    "Interval": {"interval": FieldText("The level of the interval in which a run's statistic must lie.", "0.95")},
    "Claim": {
        "of": FieldText("Where the value stands: an output and a JSON pointer into it; or several.",
                        "scores#/tiny/exact"),
        "published": FieldText("The number that was published.", "0.82"),
        "within": FieldText("How near a run must come to it.", "0.02"),
        "order": FieldText("The order of the values in `of`.", "increasing"),
        "where": FieldText("Where it was published.", "Table 2"),
        "ties": FieldText("Whether neighbours in an order may be equal.", "true"),
        "at_least": FieldText("The least that the value may be.", "0.5"),
        "at_most": FieldText("The most that the value may be.", "1"),
        "id": FieldText("The claim's own name.", "accuracy-table-2"),
        "status": FieldText("What is known of the claim otherwise.", "recomputed from the published file"),
        "waits": FieldText("What a run would need to decide it.", "the published recordings"),
    },
    "Agents": {
        "splits": FieldText("What agents may attempt, by name.", "{dev: {public: true}}"),
        "budget": FieldText("What one attempt may use.", "{calls: 1000, seconds: 86400}"),
    },
    "AttemptBudget": {
        "calls": FieldText("Calls of one attempt.", "1000"),
        "seconds": FieldText("Seconds of one attempt.", "86400"),
    },
    "Split": {
        "public": FieldText("Whether an agent may see the scores of its attempts.", "true"),
        "hidden": FieldText("Whether no agent may learn an answer or a score.", "true"),
        "max_attempts": FieldText("How many attempts each agent has.", "3"),
        "datasets": FieldText("Which datasets it asks; unset, all that are made.", "[addition]"),
        "items": FieldText("How many items of each dataset, the first of them; unset, all.", "20"),
        "templates": FieldText("The numbers of the wordings it asks; unset, all.", "[1, 6]"),
    },
    "Derivation": {
        "from": FieldText("The manifest it was made from.", "manifests/capitals.yaml"),
        "sha256": FieldText("The digest of that manifest as it was.", "a" * 64),
        "changes": FieldText("The options, as they were written.", '["--set seeds=[1]"]'),
    },
    "Manifest": {
        "harness": FieldText("The version of the schema; 2 sends models no setting that is not written.", "2"),
        "study": FieldText("Which study makes the items, prompts, scores and analyses.", "questions"),
        "name": FieldText("The name of the manifest, its lock and its runs.", "capitals"),
        "about": FieldText("What is evaluated, in a sentence.", "Capitals of the world, answered in a word."),
        "models": FieldText("The models that are asked, by name.", "{right: {provider: baseline, behaviour: oracle}}"),
        "datasets": FieldText("The data, by name.", "{small: {make: reliability.small_addition, seed: 7, count: 20}}"),
        "prompts": FieldText("How the items are put.", "{set: reliability/addition@1}"),
        "generation": FieldText("What models are told of how to answer.", "{temperature: 0, max_tokens: 64}"),
        "seeds": FieldText("Each prompt is asked once for each of these.", "[0, 1, 2]"),
        "image": FieldText("The image that steps run in on a container engine.", "cpu"),
        "resources": FieldText("The limits of a step.", "{memory: 8GiB, timeout: 1h}"),
        "outputs": FieldText("What `reproduce` compares, and how exactly.", '{summary: {within: "1e-9"}}'),
        "agents": FieldText("What agents may attempt; left out, nothing.",
                            "{splits: {dev: {public: true}}, budget: {calls: 1000, seconds: 86400}}"),
        "claims": FieldText("Published numbers, and how near a run must come to them.",
                            '[{of: "scores#/tiny/exact", published: "0.82", within: "0.02", where: Table 2}]'),
        "settings": FieldText("The study's own switches; which there are, the study says.", "{mode: strict}"),
        "instruments": FieldText("Models that measure and are never asked the items, by role.",
                                 "{judge: {provider: openai, model: gpt-4.1-mini, tape: replay}}"),
        "tables": FieldText("Tables of the study that take the place of its newest.", "[biomed/costs@1]"),
        "numerics": FieldText("Where bytes are equal: `portable`, on all x86-64 processors with AVX2; `machine`, "
                              "faster, on one class of them.", "machine"),
        "derived": FieldText("What `harness run` writes into a manifest that it made by options; nobody else does.",
                             f'{{from: manifests/capitals.yaml, sha256: {"a" * 64}, changes: ["--only model=a"]}}'),
        "sandbox": FieldText("The image in which code of answers runs; unset, that of the run.", "sandbox"),
    },
}  # fmt: skip

_MODELS = {
    "Settings": {
        "provider": FieldText("Who answers; the other settings are this provider's.", "transformers"),
        "facts": FieldText("What is known of the model, for pages and analyses; never sent.", "{family: tiny}"),
    },
    "BaselineSettings": {
        "provider": FieldText("A stand-in: a program in a model's place, which proves the scorer.", "baseline"),
        "behaviour": FieldText("How the stand-in answers.", "oracle"),
    },
    "TransformersSettings": {
        "provider": FieldText("Open weights, which answer on this machine.", "transformers"),
        "source": FieldText("Where the weights are: a folder of the project, `folder:NAME` in the folder of "
                            "`--models-dir`, `package:NAME` or `hf:OWNER/NAME`.", "assets/tiny-shaped"),
        "revision": FieldText("The commit of a model of the hub.", "b" * 40),
        "dtype": FieldText("The numbers of the weights.", "bfloat16"),
        "batch": FieldText("How many prompts at a time; `reference` is one, bit for bit the same.", '"32"'),
        "chat": FieldText("Whether a prompt goes through the model's chat template.", "true"),
        "logprobs": FieldText("How many of the likeliest tokens are told with each token.", "5"),
        "quantisation": FieldText("How weights are packed.", "nf4"),
        "unresolved": FieldText("Why there is no revision; such a model is never run.", "no revision is verified"),
        "untrained": FieldText("The seed of weights that are drawn instead of read.", "0"),
    },
    "RemoteSettings": {
        "provider": FieldText("A model behind an API of this dialect.", "openai"),
        "model": FieldText("Its name there.", "gpt-4.1-mini"),
        "tape": FieldText("`record` asks and keeps the answers, `replay` asks nobody, `live` asks and keeps none.",
                          "replay"),
        "tapes": FieldText("The folder of its tape; unset, `tapes/` and the manifest's name.", "tapes/mine"),
        "endpoint": FieldText("Turns of a chat, or plain text.", "completions"),
        "system": FieldText("A system turn before every prompt.", "Answer in a word."),
        "base_url": FieldText("Where it is asked; unset, at the provider's own address.", '"http://127.0.0.1:8000/v1"'),
        "key": FieldText("The variable that holds the key, which no manifest ever holds.", "MY_API_KEY"),
        "prices": FieldText("Dollars per million tokens.", '{input: "0.40", output: "1.60"}'),
        "limits": FieldText("How fast it may be asked, and what may be spent.", '{dollars: "5"}'),
        "logprobs": FieldText("How many of the likeliest tokens are told with each token.", "5"),
    },
    "Prices": {
        "input": FieldText("Of tokens that are sent.", "0.40"),
        "output": FieldText("Of tokens that are answered.", "1.60"),
        "cached_input": FieldText("Of tokens that the provider had in its cache.", "0.10"),
        "cache_write": FieldText("Of tokens that go into its cache.", "0.50"),
    },
    "Allowance": {
        "requests_per_minute": FieldText("The most requests in a minute.", "60"),
        "tokens_per_minute": FieldText("The most tokens in a minute.", "100000"),
        "dollars": FieldText("The most dollars in a run; needs `prices`.", "5"),
    },
    "ImportedSettings": {
        "provider": FieldText("Answers of somebody else's run: nobody is asked.", "imported"),
        "source": FieldText("A file of the project, or with `sha256` what `harness import responses` called it.",
                            "answers/mine.jsonl"),
        "sha256": FieldText("The digest of rows that were imported into the store.", "a" * 64),
        "model": FieldText("Whose rows these are, where the file has those of several.", "my-model"),
    },
    "AgentSettings": {
        "provider": FieldText("Answers that an agent gave; `harness attempts` writes such a model.", "agent"),
        "attempt": FieldText("The attempt's id.", "attempt-1"),
        "transcript": FieldText("The digest of the attempt's transcript.", "a" * 64),
        "split": FieldText("The split that was attempted.", "dev"),
        "templates": FieldText("The numbers of the wordings that were asked; none: all.", "[1, 6]"),
    },
}  # fmt: skip

_STUDIES = {
    "BiomedSettings": {"mode": FieldText("Counted as published, or as the paper's words say.", "paper")},
    "BrainSettings": {
        "generation": FieldText("Whose rules hold: those of the preprint's code, or of the later one's.", "H"),
        "fedorenko_inner_rows": FieldText("Rows of an inner fold of that dataset.", "32"),
        "iterations": FieldText("How many ways to share a penalty among bands are tried at most.", "100"),
        "sigmas": FieldText("Widths of the features that know time alone, after commas.", '"1.0, 2.2, 4.0"'),
        "simple": FieldText("Simple feature spaces in the place of the generation's own.", "position, length"),
        "pool": FieldText("What stands for the tokens of a sentence.", "mean"),
        "dtype": FieldText("The numbers in which candidates are scored; float64 takes twice as long.", "float64"),
        "solver": FieldText(
            "Whose arithmetic fits: himalaya computes by numpy, himalaya-torch by torch, and both by torch on CUDA.",
            "himalaya",
        ),
        "families": FieldText("Families of simulated noise, by which the tests are measured.", "20"),
    },
    "CurieSettings": {"mode": FieldText("Scored as published, or as the paper describes.", "paper")},
    "ReliabilitySettings": {"rules": FieldText("The rule set by which answers are labelled.", "OURS-v1")},
}  # fmt: skip

FIELDS: Mapping[str, Mapping[str, FieldText]] = {**_DATA, **_ASKED, **_HELD, **_MODELS, **_STUDIES}
