"""The captions of the figures on the page: what each shows, and what it does not show."""

from __future__ import annotations

from collections.abc import Mapping

from harness.studies.brain.pages import outputs

CAPTIONS: Mapping[str, str] = {
    outputs.WORLDS: "OASM knows where in a passage a row stands, and nothing of its text. Under shuffled splits it can "
    "score well in both worlds: where a drift that no text explains was planted, and where every part of the passage "
    "signal lies in the text. So a high shuffled score of OASM tells nothing of where a signal comes from. Contiguous "
    "splits alone separate the worlds. This is sufficient, not proof about real data: it shows that the pattern can "
    "arise without nuisance, and says nothing of which world a real recording is.",
    outputs.TIME: "The width of OASM and the layer are the highest on test data, as published. The starred score takes "
    "in each unit the higher of the model with and without OASM, on test data too: it is biased upward. OASM above a "
    "language model occurs also where the text carries all of the passage signal. Ratios by participants and by units "
    "can part, even on both sides of 100 %: both stand in the table.",
    outputs.ADDED: "After the paper's fourth figure. With a star the highest in each unit of many subsets on test "
    "data: biased upward, the more so the more subsets there are. Of models that part by the seed of their weights "
    "alone each is drawn; their mean stands in the table. No test stands behind a difference of bars.",
    outputs.STARRED: "Without: the highest in each unit over subsets that hold no language model. With: over subsets "
    "that hold it. Both are biased upward, the second over as many subsets or one more. The diamond is the choice "
    "inside the training folds (OURS), which is not.",
    outputs.LAYERS: "Layer 0 is what a model looks up before any context. The mark is the layer with the highest score "
    "on test data, as published, so it is biased upward; the diamond is the choice inside the training folds (OURS).",
    outputs.SIGMAS: "The ring is the width with the highest score on test data, as published; the diamond the choice "
    "inside the training folds (OURS). Under contiguous splits all widths score about 0, and the highest means "
    "nothing.",
    outputs.SEEDS: "The best layer of each seed is chosen on test data, so every bar is biased upward, and the mean "
    "too. A seed alone is an accident: no layer is better than another because more seeds chose it.",
    outputs.NETWORKS: "Contiguous splits. The paper draws four networks and leaves auditory out. Layers are neighbours "
    "of each other, so no test is made along a line; a network with few units is noisier than one with many.",
    outputs.SUBSETS: "A starred model takes in each unit the highest score on test data over many subsets: it is "
    "biased upward, the more so the more subsets there are. The diamond is the choice inside the training folds.",
    outputs.UNITS: "Above the line the best subset with the language model scores higher on test data than the best "
    "without it; that the two go together (r, Pearson's, over the units shown) carries no test. Squares are darker the "
    "more units they hold; values outside of the panel stand in its outermost squares.",
    outputs.MAPS: "A square is a unit. Neighbours in a row are neighbours in the file, which need not be neighbours in "
    "the brain. The language model is the one of the highest score on test data. A dark square is a higher score and "
    "no result of a test.",
    outputs.BRAINS: "A maximum along an axis shows the highest of many units, and looks the better the more there are "
    "behind one another: all participants are laid over each other. No square stands for a test.",
    outputs.SIZES: "Measured on simulated recordings without any effect, with the rows and blocks of this run (OURS). "
    "A test that keeps its promise stands at 5 % or left of it; what stands right of it is called significant nowhere "
    "here.",
    outputs.POSITIONS: "Computed from the layout of the rows alone, the same for every passage, sentence or story of "
    "this length. They hold no word and no recording, so what they predict is no knowledge of language.",
    outputs.LENGTH: "A numerical check of the argument of the paper's appendix A.9 on a small model with random "
    "weights, which read random tokens (OURS): it shows that a length can be read off sums over tokens, and nothing "
    "about brains.",
}
