"""General sentences about quantum codes (OURS) for papers of the demo; they name no code and state no value.

They hold no digit, parameter or fact that the task asks for.
"""

from __future__ import annotations

from harness.studies.curie.demo.documents import sentences

QUANTUM = sentences("""
A quantum memory loses its contents to an environment that nobody can shield completely.
Copying is forbidden by linearity, so redundancy has to be built from entanglement instead of from repetition.
Errors form a continuum, yet measuring a few parities turns any of them into one of finitely many Pauli operators.
The stabiliser formalism describes a code by the operators that leave every encoded state alone.
A syndrome is the list of signs that these operators show when they are measured.
Decoding means to choose, for each syndrome, a correction that is right as often as possible.
The distance counts the qubits touched by the smallest operator that changes encoded states without being noticed.
Degenerate codes map different errors to the same effect, for which there is no classical counterpart.
Whether a parity check can be measured quickly depends on how many qubits it touches and where they lie.
Ancillary qubits take up the syndrome, and they fail about as often as the qubits they watch.
An error in a check can spread to the data unless the circuit is arranged with care.
Hardware with fixed couplings favours checks between neighbours on a plane.
Ions and atoms that can be moved are free of this restriction but pay for it in time.
No code admits a universal set of transversal gates, so that every architecture needs a second mechanism.
Noise in experiments is neither independent nor symmetric, and models that assume so are a starting point only.
A bias towards phase errors can be turned into an advantage by codes that treat the two kinds differently.
Leakage out of the two levels in use is a nuisance that Pauli models leave out.
Simulations of Clifford circuits are cheap, which is why most numerical work stays within them.
Comparisons between codes should hold fixed what is scarce, and communities disagree on what that is.
A short code is the natural choice for a first experiment, since it can be prepared by hand.
Long codes reward good hardware and punish bad hardware, in both cases exponentially.
Tables of known codes have been compiled for decades, and their entries differ widely in practical worth.
The classical theory supplies many constructions, of which only those survive whose checks commute.
Post-selection helps to detect what cannot be corrected, at the price of repeating the run.
""")
