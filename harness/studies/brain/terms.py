"""The terms that the whole study shares: generations, splits, datasets, their alphas, participants and networks.

Facts of the paper and of its repository.
"""

from __future__ import annotations

from collections.abc import Mapping

P, H = "P", "H"  # generations: as the paper computed, and as the repository's head does; they are never mixed
GENERATIONS = (P, H)
CONTIGUOUS, SHUFFLED = "contiguous", "shuffled"
SPLITS = (CONTIGUOUS, SHUFFLED)
SHUFFLE_SEED = 42  # of H's legacy generator; P's shuffles were never published
PEREIRA, FEDORENKO, BLANK = "pereira", "fedorenko", "blank"
DATASETS = (PEREIRA, FEDORENKO, BLANK)
EXP1, EXP2 = "384", "243"  # of Pereira, by number of rows: the paper's EXP1 and EXP2; in files, EXP2 comes first
LANGUAGE = "language"
NETWORKS = (LANGUAGE, "DMN", "MD", "visual", "auditory")
INNER_ROWS = (48, 32)  # of an inner fold of Fedorenko: in the published code, and in the paper
MOST_GAMMAS = 1000  # the most that one search tries
STOP_AFTER, STOP_GAIN = 50, 1e-4  # a search ends when its mean score gained less than 1e-4 for 50 times in a row
INTERCEPT = "intercept"  # the model that predicts the mean of the training rows

ALPHAS: Mapping[str, tuple[float, ...]] = {
    P: tuple(2.0**power for power in range(-5, 35)),
    H: (0.0, *(2.0**power for power in range(-5, 20))),
}
SIGMAS: Mapping[str, tuple[str, ...]] = {  # of the features of time alone; texts, because keys may not contain floats
    P: tuple(f"{number / 10:.1f}" for number in range(1, 51)),
    H: tuple(f"{number / 10:.1f}" for number in range(1, 49)),
}
UNTRAINED_SEEDS: Mapping[str, int] = {P: 10, H: 5}
