"""Texts on the fields of a manifest, each with an example, by the class that types the field.

A test checks that every field of the schema is here once, and that the schema accepts its example. Types and defaults
are not repeated here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import yaml


class FieldText(NamedTuple):
    """Text on a field, and an example of its value as a manifest has it."""

    about: str
    example: str

    @property
    def value(self) -> Any:
        """The example as a value, parsed from YAML."""
        return yaml.safe_load(self.example)


_FIELD_TEXTS_DATA = {
    "Made": {
        "make": FieldText("The maker that draws the data; its own parameters stand beside it.", "reliability.addition"),
    },
    "Fetched": {
        "fetch": FieldText(
            "Where the file is published, or `private:NAME` where nobody publishes it.",
            "https://example.org/questions.csv",
        ),
        "sha256": FieldText("The digest without which it is not the same data.", "a" * 64),
        "unresolved": FieldText(
            "Why there is no digest; what needs the data says so instead of running.",
            "its publisher states no checksum",
        ),
        "licence": FieldText("Under what terms the data may be used.", "CC BY 4.0"),
    },
    "FetchedFiles": {
        "fetch": FieldText(
            "The files of a published dataset, by the path that each has in their folder.",
            f'{{parts/a.csv: {{url: "https://example.org/a.csv", sha256: {"a" * 64}}}}}',
        ),
        "licence": FieldText("Under what terms the data may be used.", "CC BY 4.0"),
    },
    "File": {
        "url": FieldText("Where the file is published.", "https://example.org/a.csv"),
        "sha256": FieldText("Its digest.", "a" * 64),
        "size": FieldText("Its size in bytes, where that is known.", "1204"),
    },
    "Prompts": {
        "set": FieldText(
            "A prompt set of the study with its version, or one for each benchmark.", "reliability/addition@1"
        ),
    },
}

_ASKED = {
    "Generation": {
        "temperature": FieldText(
            "How freely a model draws: 0 takes the likeliest token, which is what version 1 sends "
            "where nothing is written.",
            "0.7",
        ),
        "max_tokens": FieldText(
            "How long an answer may be, in tokens; `benchmark`: as the benchmark says. Version 1 sends 256.", "256"
        ),
        "top_p": FieldText("Draw only from the likeliest tokens that make up this share. Version 1 sends 1.", "0.95"),
        "stop": FieldText("Texts at which an answer ends.", '["Question:"]'),
        "max_completion_tokens": FieldText(
            "In the place of `max_tokens`, for models that count their thinking, too.", "4096"
        ),
        "reasoning_effort": FieldText("How much a model thinks, in its provider's own words.", "low"),
        "thinking": FieldText(
            "Whether a model thinks before it answers, as Anthropic's API takes it.",
            "{type: enabled, budget_tokens: 2048}",
        ),
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
}

_HELD = {
    "Within": {"within": FieldText("How far each number may lie from what is expected.", "1e-6 relative")},
    "Interval": {"interval": FieldText("The level of the interval in which a run's statistic must lie.", "0.95")},
    "Claim": {
        "of": FieldText(
            "Where the value stands: an output and a JSON pointer into it; or several.", "scores#/tiny/exact"
        ),
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
    "RunBudget": {
        "seconds": FieldText("Seconds after which a run is stopped.", "3600"),
        "dollars": FieldText("Dollars that providers may be paid in a run; unset, nothing.", "2.50"),
    },
    "AgentRuns": {
        "budget": FieldText("What one run may take.", "{seconds: 3600, dollars: '2.50'}"),
        "overrides": FieldText(
            "What whoever starts a run may set: limit, model, dataset, seeds, generation.NAME, settings.NAME.",
            "[limit, seeds]",
        ),
        "max_runs": FieldText("How many runs each principal may start; unset, any number.", "20"),
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
        "runs": FieldText(
            "Runs that an operator's agent may start; left out, it may if the manifest is named to its server.",
            "{budget: {seconds: 3600}, overrides: [limit]}",
        ),
        "agents": FieldText(
            "What agents may attempt; left out, nothing.",
            "{splits: {dev: {public: true}}, budget: {calls: 1000, seconds: 86400}}",
        ),
        "claims": FieldText(
            "Published numbers, and how near a run must come to them.",
            '[{of: "scores#/tiny/exact", published: "0.82", within: "0.02", where: Table 2}]',
        ),
        "settings": FieldText("The study's own switches; which there are, the study says.", "{mode: strict}"),
        "instruments": FieldText(
            "Models that measure and are never asked the items, by role.",
            "{judge: {provider: openai, model: gpt-4.1-mini, tape: replay}}",
        ),
        "tables": FieldText("Tables of the study that take the place of its newest.", "[biomed/costs@1]"),
        "numerics": FieldText(
            "Where bytes are equal: `portable`, on all x86-64 processors with AVX2; `machine`, "
            "faster, on one class of them.",
            "machine",
        ),
        "derived": FieldText(
            "What `harness run` writes into a manifest that it made by options; nobody else does.",
            f'{{from: manifests/capitals.yaml, sha256: {"a" * 64}, changes: ["--only model=a"]}}',
        ),
        "shard": FieldText(
            "How many answers of a model a shard has at most; unset, the study decides. `harness plan` proposes it.",
            "400",
        ),
        "sandbox": FieldText("The image in which code of answers runs; unset, that of the run.", "sandbox"),
    },
}

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
        "source": FieldText(
            "Where the weights are: a folder of the project, `folder:NAME` in the folder of "
            "`--models-dir`, `package:NAME` or `hf:OWNER/NAME`.",
            "assets/tiny-shaped",
        ),
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
        "tape": FieldText(
            "`record` asks and keeps the answers, `replay` asks nobody, `live` asks and keeps none.", "replay"
        ),
        "tapes": FieldText("The folder of its tape; unset, `tapes/` and the manifest's name.", "tapes/mine"),
        "endpoint": FieldText("Turns of a chat, or plain text.", "completions"),
        "system": FieldText("A system turn before every prompt.", "Answer in a word."),
        "base_url": FieldText("Where it is asked; unset, at the provider's own address.", '"http://127.0.0.1:8000/v1"'),
        "same_as": FieldText(
            "Where its server was before it moved: what is recorded there counts as its answers.",
            '"http://127.0.0.1:9000/v1"',
        ),
        "key": FieldText("The variable that holds the key, which no manifest ever holds.", "MY_API_KEY"),
        "prices": FieldText("Dollars per million tokens.", '{input: "0.40", output: "1.60"}'),
        "limits": FieldText("How it may be asked, how fast, and what may be spent.", '{dollars: "5"}'),
        "logprobs": FieldText("How many of the likeliest tokens are told with each token.", "5"),
    },
    "Prices": {
        "input": FieldText("Of tokens that are sent.", "0.40"),
        "output": FieldText("Of tokens that are answered.", "1.60"),
        "cached_input": FieldText("Of tokens that the provider had in its cache.", "0.10"),
        "cache_write": FieldText("Of tokens that go into its cache.", "0.50"),
    },
    "RequestLimits": {
        "requests_per_minute": FieldText("The most requests in a minute.", "60"),
        "tokens_per_minute": FieldText("The most tokens in a minute.", "100000"),
        "dollars": FieldText("The most dollars in a run; needs `prices`.", "5"),
        "concurrency": FieldText("The most requests at once; unset, the number adapts to the server.", "64"),
        "timeout": FieldText("Seconds that one request may take; unset, 600.", "120"),
        "retries": FieldText("How often a request that failed for a moment is made again; unset, 6.", "2"),
    },
    "ImportedSettings": {
        "provider": FieldText("Answers of somebody else's run: nobody is asked.", "imported"),
        "source": FieldText(
            "A file of the project, or with `sha256` what `harness import responses` called it.", "answers/mine.jsonl"
        ),
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
}

_STUDIES = {
    "BiomedSettings": {
        "mode": FieldText("Counted as published, or as the paper's words say.", "paper"),
        "deductions": FieldText("Whether a model that grades states what it takes off for irrelevant text.", "stated"),
        "encoder_layer": FieldText("The layer whose vectors BERTScore compares; the last if left out.", "17"),
    },
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
    "CurieSettings": {
        "mode": FieldText("Scored as published, or as the paper describes.", "paper"),
        "areas": FieldText("Whether polygons and several boxes are scored too, beside one box.", "true"),
        "encoder_layer": FieldText("The layer whose vectors BERTScore compares; the last if left out.", "17"),
    },
    "ReliabilitySettings": {"rules": FieldText("The rule set by which answers are labelled.", "OURS-v1")},
}

FIELDS: Mapping[str, Mapping[str, FieldText]] = {**_FIELD_TEXTS_DATA, **_ASKED, **_HELD, **_MODELS, **_STUDIES}


_AS = {"as": FieldText("The name of its rows; unset, the scorer's own.", "strict")}

_QUESTION_FIELD_TEXTS_DATA = {
    "OwnFile": {
        "file": FieldText(
            "A file of the project (CSV, TSV, JSON Lines, Parquet, XLSX), a list or a pattern of files, a folder "
            "(`data/texts/`), or a data set of the Hugging Face hub (`hf:OWNER/NAME@REVISION[/PATTERN]`); pinned by "
            "digest.",
            "data/capitals.csv",
        ),
        "part": FieldText("The sheet of a workbook, or `[CONFIG/]SPLIT` of a data set of the hub.", "test"),
        "score": FieldText(
            "Scorers of this dataset, instead of `settings.score`; or those of rows with options and of rows without.",
            "{with_options: [choice], without_options: [exact]}",
        ),
        "fields": FieldText("Which column is what.", "{input: question, target: answer, group: continent}"),
        "where": FieldText("Only rows whose columns have these values; of a list, one of them.", "{split: test}"),
        "shots": FieldText("Examples with their answers, drawn from rows that are never asked.", "{count: 3, seed: 7}"),
        "count": FieldText("Draw so many rows; unset, all are asked.", "100"),
        "seed": FieldText("The seed by which rows are drawn.", "7"),
        "encoding": FieldText("How the file spells letters; a byte order mark is understood.", "latin-1"),
        "format": FieldText("What the file is; unset, what its name ends with.", "csv"),
    },
    "FieldColumns": {
        "input": FieldText("What is asked: a column, or several.", "question"),
        "target": FieldText("The right answer; no wording may name this column.", "answer"),
        "accepted": FieldText("Further right answers: a JSON list, or texts between `|`.", "spellings"),
        "options": FieldText(
            "The options of a choice: a column each, or one column with a JSON list.", "[first, second, third, fourth]"
        ),
        "target_is": FieldText("How the target names an option; unset, it is seen from the cells.", "letter"),
        "group": FieldText("By what scores are also counted apart.", "[continent, language]"),
        "cluster": FieldText("Rows of one value belong together: intervals are drawn by it.", "document"),
        "id": FieldText("What a row is called; unset, it is counted.", "id"),
        "show": FieldText("Further columns that a wording may name.", "hint"),
        "tests": FieldText("Code that tries an answer that is code; no wording may name this column.", "tests"),
        "scorer": FieldText("Names the scorers of its row, with `|` between several.", "scored_by"),
        "image": FieldText("Of a folder: the image that is shown with the question.", "image"),
    },
    "Examples": {
        "count": FieldText("How many examples stand before each question.", "3"),
        "seed": FieldText("The seed by which they are drawn.", "7"),
        "where": FieldText("Draw them from rows of these values, which are then not asked.", "{split: train}"),
        "file": FieldText("Draw them from this file; unset, from the one that is asked.", "data/train.csv"),
    },
    "OneWording": {
        "text": FieldText("The wording, with `{column}` where a cell stands.", '"Question: {question}\\nAnswer:"'),
        "shot": FieldText(
            "How an example is written; unset, as the wording and its answer.",
            '"Question: {question}\\nAnswer: {answer}\\n\\n"',
        ),
    },
    "SeveralWordings": {
        "texts": FieldText(
            "Several wordings of one question; each is asked.", '["{question}", "Question: {question}\\nAnswer:"]'
        ),
        "shot": FieldText(
            "How an example is written; unset, as the wording and its answer.",
            '"Question: {question}\\nAnswer: {answer}\\n\\n"',
        ),
    },
    "ChatWording": {
        "turns": FieldText(
            "The turns of a chat: `system` first if at all, `user` last.",
            '[{system: Answer in a word.}, {user: "{question}"}]',
        ),
        "shot": FieldText(
            "How an example is written; unset, as the last turn and its answer.",
            '"Question: {question}\\nAnswer: {answer}\\n\\n"',
        ),
    },
    "WordingsFile": {
        "file": FieldText(
            "Wordings in JSON Lines, `{id, text | turns, shot?}` each, pinned by their digest.", "prompts/mine.jsonl"
        ),
    },
    "QuestionsSettings": {
        "score": FieldText(
            "The scorers of each answer: a name, or a name with what it is told.",
            "[exact, {choice: {by: loglikelihood}}]",
        ),
        "samples": FieldText("Answers to each prompt for each seed.", "5"),
    },
}

_SCORERS = {
    "ScorerEntry": {
        "exact": FieldText("The answer is the target, letter by letter.", "{as: strict}"),
        "match": FieldText("The answer is the target once both are normalised.", "{where: end}"),
        "number": FieldText("A number in the answer is the target's.", '{tolerance: "0.01"}'),
        "regex": FieldText("What an expression finds in the answer is the target.", '{pattern: "#### (-?[0-9]+)"}'),
        "choice": FieldText(
            "The option the answer names, or a model holds for the likeliest, is right.",
            "{from: options, by: loglikelihood}",
        ),
        "f1": FieldText("The words that answer and target share.", "{as: words}"),
        "rouge": FieldText("ROUGE of the answer beside the target.", "{kind: rougeL}"),
        "bleu": FieldText("BLEU of the answer beside the target.", "{as: bleu-4}"),
        "bertscore": FieldText(
            "BERTScore of the answer beside the target, by the instrument `encoder`.", "{as: meaning}"
        ),
        "json": FieldText(
            "The answer is JSON that says what the target says, or that a schema allows.",
            """{schema: '{"type": "object"}'}""",
        ),
        "code": FieldText("The answer's Python passes the item's tests.", "{timeout: 20}"),
        "judge": FieldText(
            "The instrument `judge` grades the answer by a rubric.", "{rubric: The answer is polite., best: 5}"
        ),
        "perplexity": FieldText("How well a model foretells the item's own text.", "{as: nats}"),
    },
    "ExactSwitches": _AS,
    "F1Switches": _AS,
    "BleuSwitches": _AS,
    "PerplexitySwitches": _AS
    | {
        "column": FieldText("Whose text is foretold, where the input is several columns.", "passage"),
    },
    "BertscoreSwitches": _AS
    | {
        "layer": FieldText("The encoder's layer: 0 the embedding, negative from the last; unset, the last.", "17"),
        "idf": FieldText("Whether a token counts by how few of the dataset's targets hold it.", "true"),
        "rescale": FieldText("The language of bert-score's baseline of this very encoder and layer.", "en"),
    },
    "MatchSwitches": _AS
    | {
        "case": FieldText("Whether capitals make no difference.", "false"),
        "space": FieldText("Whether spaces make no difference.", "false"),
        "punctuation": FieldText("Whether punctuation makes no difference.", "false"),
        "articles": FieldText("Whether a, an and the make no difference.", "false"),
        "where": FieldText("Where in the answer the target stands, in whole words.", "end"),
    },
    "NumberSwitches": _AS
    | {
        "tolerance": FieldText("How far it may lie from the target.", "0.01"),
        "relative": FieldText("The same, as a share of the target; the wider of the two holds.", "0.05"),
        "take": FieldText("Which of several numbers is the answer.", "first"),
        "decimal": FieldText("The mark before a fraction.", "comma"),
    },
    "RegexSwitches": _AS
    | {
        "pattern": FieldText("The expression; one that could run for ever is refused.", '"#### (-?[0-9]+)"'),
        "group": FieldText("Which group of it is taken; unset, the first, or the whole.", "1"),
        "take": FieldText("Which of several places is taken.", "last"),
        "matches": FieldText("Whether it is enough that it finds anything.", "true"),
        "normalised": FieldText("Whether what it finds is compared as `match` does.", "true"),
    },
    "ChoiceSwitches": _AS
    | {
        "from": FieldText("`fields.options`; where there is none, the column with the options.", "options"),
        "by": FieldText("By the letter that the answer names, or by the model's log-likelihoods.", "loglikelihood"),
        "normalise": FieldText(
            "By what a log-likelihood is divided; `unconditional` takes off that without the question.", "token"
        ),
        "show": FieldText("What of an option is measured: its text, or its letter.", "letter"),
    },
    "RougeSwitches": _AS
    | {
        "kind": FieldText("The measure that is the score; the others stand beside it.", "rouge1"),
        "stem": FieldText("Whether words are cut to their stems.", "true"),
    },
    "JsonSwitches": _AS
    | {
        "schema": FieldText("JSON Schema, written as JSON.", """'{"type": "object", "required": ["name"]}'"""),
        "equal": FieldText("Whether the target must be met; unset, where there is no schema.", "true"),
    },
    "CodeSwitches": _AS
    | {
        "timeout": FieldText("Seconds of a trial.", "20"),
        "memory": FieldText("Memory of a trial, in MiB.", "1024"),
    },
    "JudgeSwitches": _AS
    | {
        "rubric": FieldText("What the judge is to grade by.", "The answer is polite and answers the question."),
        "best": FieldText("The best grade; the worst is 0.", "5"),
        "target": FieldText("Whether the judge is shown the right answer.", "false"),
    },
}

QUESTION_FIELDS: Mapping[str, Mapping[str, FieldText]] = {**_QUESTION_FIELD_TEXTS_DATA, **_SCORERS}
