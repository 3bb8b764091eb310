"""What the fields say by which one's own questions are asked and scored, and an example of each.

As in `field_texts.py`: texts by the class that types a field, whose type and default are never said here.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.verbs.field_text import FieldText

_AS = {"as": FieldText("The name of its rows; unset, the scorer's own.", "strict")}

_DATA = {
    "OwnFile": {
        "file": FieldText("A file of the project: CSV, TSV, JSON Lines or Parquet, pinned by its digest.",
                          "data/capitals.csv"),
        "fields": FieldText("Which column is what.", "{input: question, target: answer, group: continent}"),
        "where": FieldText("Only rows whose columns have these values; of a list, one of them.", "{split: test}"),
        "shots": FieldText("Examples with their answers, drawn from rows that are never asked.",
                           "{count: 3, seed: 7}"),
        "count": FieldText("Draw so many rows; unset, all are asked.", "100"),
        "seed": FieldText("The seed by which rows are drawn.", "7"),
        "encoding": FieldText("How the file spells letters; a byte order mark is understood.", "latin-1"),
        "format": FieldText("What the file is; unset, what its name ends with.", "csv"),
    },
    "FieldColumns": {
        "input": FieldText("What is asked: a column, or several.", "question"),
        "target": FieldText("The right answer; no wording may name this column.", "answer"),
        "accepted": FieldText("Further right answers: a JSON list, or texts between `|`.", "spellings"),
        "options": FieldText("The options of a choice: a column each, or one column with a JSON list.",
                             "[first, second, third, fourth]"),
        "target_is": FieldText("How the target names an option; unset, it is seen from the cells.", "letter"),
        "group": FieldText("By what scores are also counted apart.", "[continent, language]"),
        "cluster": FieldText("Rows of one value belong together: intervals are drawn by it.", "document"),
        "id": FieldText("What a row is called; unset, it is counted.", "id"),
        "show": FieldText("Further columns that a wording may name.", "hint"),
        "tests": FieldText("Code that tries an answer that is code; no wording may name this column.", "tests"),
    },
    "Examples": {
        "count": FieldText("How many examples stand before each question.", "3"),
        "seed": FieldText("The seed by which they are drawn.", "7"),
        "where": FieldText("Draw them from rows of these values, which are then not asked.", "{split: train}"),
        "file": FieldText("Draw them from this file; unset, from the one that is asked.", "data/train.csv"),
    },
    "OneWording": {
        "text": FieldText("The wording, with `{column}` where a cell stands.", '"Question: {question}\\nAnswer:"'),
        "shot": FieldText("How an example is written; unset, as the wording and its answer.",
                          '"Question: {question}\\nAnswer: {answer}\\n\\n"'),
    },
    "SeveralWordings": {
        "texts": FieldText("Several wordings of one question; each is asked.",
                           '["{question}", "Question: {question}\\nAnswer:"]'),
        "shot": FieldText("How an example is written; unset, as the wording and its answer.",
                          '"Question: {question}\\nAnswer: {answer}\\n\\n"'),
    },
    "ChatWording": {
        "turns": FieldText("The turns of a chat: `system` first if at all, `user` last.",
                           '[{system: Answer in a word.}, {user: "{question}"}]'),
        "shot": FieldText("How an example is written; unset, as the last turn and its answer.",
                          '"Question: {question}\\nAnswer: {answer}\\n\\n"'),
    },
    "WordingsFile": {
        "file": FieldText("Wordings in JSON Lines, `{id, text | turns, shot?}` each, pinned by their digest.",
                          "prompts/mine.jsonl"),
    },
    "QuestionsSettings": {
        "score": FieldText("The scorers of each answer: a name, or a name with what it is told.",
                           "[exact, {choice: {by: loglikelihood}}]"),
        "samples": FieldText("Answers to each prompt for each seed.", "5"),
    },
}  # fmt: skip

_SCORERS = {
    "ScorerEntry": {
        "exact": FieldText("The answer is the target, letter by letter.", "{as: strict}"),
        "match": FieldText("The answer is the target once both are normalised.", "{where: end}"),
        "number": FieldText("A number in the answer is the target's.", '{tolerance: "0.01"}'),
        "regex": FieldText("What an expression finds in the answer is the target.", '{pattern: "#### (-?[0-9]+)"}'),
        "choice": FieldText("The option the answer names, or a model holds for the likeliest, is right.",
                            "{from: options, by: loglikelihood}"),
        "f1": FieldText("The words that answer and target share.", "{as: words}"),
        "rouge": FieldText("ROUGE of the answer beside the target.", "{kind: rougeL}"),
        "bleu": FieldText("BLEU of the answer beside the target.", "{as: bleu-4}"),
        "bertscore": FieldText("BERTScore of the answer beside the target, by the instrument `encoder`.",
                               "{as: meaning}"),
        "json": FieldText("The answer is JSON that says what the target says, or that a schema allows.",
                          """{schema: '{"type": "object"}'}"""),
        "code": FieldText("The answer's Python passes the item's tests.", "{timeout: 20}"),
        "judge": FieldText("The instrument `judge` grades the answer by a rubric.",
                           "{rubric: The answer is polite., best: 5}"),
        "perplexity": FieldText("How well a model foretells the item's own text.", "{as: nats}"),
    },
    "ExactSwitches": _AS,
    "F1Switches": _AS,
    "BleuSwitches": _AS,
    "PerplexitySwitches": _AS | {
        "column": FieldText("Whose text is foretold, where the input is several columns.", "passage"),
    },
    "BertscoreSwitches": _AS | {
        "layer": FieldText("The encoder's layer: 0 the embedding, negative from the last; unset, the last.", "17"),
        "idf": FieldText("Whether a token counts by how few of the dataset's targets hold it.", "true"),
        "rescale": FieldText("The language of bert-score's baseline of this very encoder and layer.", "en"),
    },
    "MatchSwitches": _AS | {
        "case": FieldText("Whether capitals make no difference.", "false"),
        "space": FieldText("Whether spaces make no difference.", "false"),
        "punctuation": FieldText("Whether punctuation makes no difference.", "false"),
        "articles": FieldText("Whether a, an and the make no difference.", "false"),
        "where": FieldText("Where in the answer the target stands, in whole words.", "end"),
    },
    "NumberSwitches": _AS | {
        "tolerance": FieldText("How far it may lie from the target.", "0.01"),
        "relative": FieldText("The same, as a share of the target; the wider of the two holds.", "0.05"),
        "take": FieldText("Which of several numbers is the answer.", "first"),
        "decimal": FieldText("The mark before a fraction.", "comma"),
    },
    "RegexSwitches": _AS | {
        "pattern": FieldText("The expression; one that could run for ever is refused.", '"#### (-?[0-9]+)"'),
        "group": FieldText("Which group of it is taken; unset, the first, or the whole.", "1"),
        "take": FieldText("Which of several places is taken.", "last"),
        "matches": FieldText("Whether it is enough that it finds anything.", "true"),
        "normalised": FieldText("Whether what it finds is compared as `match` does.", "true"),
    },
    "ChoiceSwitches": _AS | {
        "from": FieldText("`fields.options`; where there is none, the column with the options.", "options"),
        "by": FieldText("By the letter that the answer names, or by the model's log-likelihoods.", "loglikelihood"),
        "normalise": FieldText("By what a log-likelihood is divided; `unconditional` takes off that without the "
                               "question.", "token"),
        "show": FieldText("What of an option is measured: its text, or its letter.", "letter"),
    },
    "RougeSwitches": _AS | {
        "kind": FieldText("The measure that is the score; the others stand beside it.", "rouge1"),
        "stem": FieldText("Whether words are cut to their stems.", "true"),
    },
    "JsonSwitches": _AS | {
        "schema": FieldText("JSON Schema, written as JSON.", """'{"type": "object", "required": ["name"]}'"""),
        "equal": FieldText("Whether the target must be met; unset, where there is no schema.", "true"),
    },
    "CodeSwitches": _AS | {
        "timeout": FieldText("Seconds of a trial.", "20"),
        "memory": FieldText("Memory of a trial, in MiB.", "1024"),
    },
    "JudgeSwitches": _AS | {
        "rubric": FieldText("What the judge is to grade by.", "The answer is polite and answers the question."),
        "best": FieldText("The best grade; the worst is 0.", "5"),
        "target": FieldText("Whether the judge is shown the right answer.", "false"),
    },
}  # fmt: skip

FIELDS: Mapping[str, Mapping[str, FieldText]] = {**_DATA, **_SCORERS}
