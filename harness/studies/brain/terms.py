"""The words that the whole study shares: generations, splits, datasets, their alphas, participants and networks.

Facts of the paper and of its repository. It must never know a recording or a score.
"""

from __future__ import annotations

from collections.abc import Mapping

P, H = "P", "H"  # generations: as the paper computed, and as the repository's head does; the two never mix
GENERATIONS = (P, H)
CONTIGUOUS, SHUFFLED = "contiguous", "shuffled"
SPLITS = (CONTIGUOUS, SHUFFLED)
SHUFFLE_SEED = 42  # of H's legacy generator; P's shuffles were never published
PEREIRA, FEDORENKO, BLANK = "pereira", "fedorenko", "blank"
DATASETS = (PEREIRA, FEDORENKO, BLANK)
EXP1, EXP2 = "384", "243"  # of Pereira, by their rows: the paper's EXP1 and EXP2, in files the other way round
LANGUAGE = "language"
NETWORKS = (LANGUAGE, "DMN", "MD", "visual", "auditory")
INNER_ROWS = (48, 32)  # of an inner fold of Fedorenko: as the published code has it, and as the paper says
MOST_GAMMAS = 1000  # tried at most in one search
STOP_AFTER, STOP_GAIN = 50, 1e-4  # a search ends when its mean score gained less so many times in a row
INTERCEPT = "intercept"  # the model that predicts the mean of the training rows

ALPHAS: Mapping[str, tuple[float, ...]] = {
    P: tuple(2.0**power for power in range(-5, 35)),
    H: (0.0, *(2.0**power for power in range(-5, 20))),
}
SIGMAS: Mapping[str, tuple[str, ...]] = {  # of the features that know time alone; texts, since no key holds a float
    P: tuple(f"{number / 10:.1f}" for number in range(1, 51)),
    H: tuple(f"{number / 10:.1f}" for number in range(1, 49)),
}
UNTRAINED_SEEDS: Mapping[str, int] = {P: 10, H: 5}
