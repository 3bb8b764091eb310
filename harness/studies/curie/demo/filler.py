"""Sentences for synthetic papers (OURS) that state no values: they make a paper long and answer no question.

They hold no digit, no formula and no fact that a task asks for.
"""

from __future__ import annotations

from harness.studies.curie.demo.documents import sentences

GENERAL = sentences("""
The question has been asked for decades, and every generation of instruments has made the answer a little sharper.
We found it useful to write down every decision at the time it was taken, including those that were later reversed.
Several laboratories have reported similar trends, although their procedures differ in ways that are seldom described.
What is gained in speed is often lost in transparency, and we have tried to keep a fair balance between the two.
Readers who are mainly interested in the outcome may skip this part and return to it when a doubt arises.
A comparison is only as good as the care with which its two sides were prepared.
Most of the difficulty lies in the details that a short report has no room for.
The authors discussed at length whether the effect might be an artefact, and designed a control for each objection.
None of these points changes the conclusions, but together they explain why earlier attempts disagreed.
It would be premature to draw a general law from a handful of cases.
The trend is easily understood once the competition between the two contributions is recognised.
There is no single reason for the spread among published results, and a part of it will remain unexplained.
We thank the many colleagues who tried to reproduce an early version of this study and told us where it failed.
In hindsight a simpler plan would have served as well, although we could not have known this at the outset.
The limits of the approach are set by its assumptions rather than by the available resources.
Such agreement is encouraging, yet it must not be mistaken for a proof.
A more systematic study is under way and will be described in a separate report.
Particular attention was paid to the order of the operations, which turned out to matter more than expected.
The picture that emerges is consistent with the intuition of those who have worked in the field for long.
All files that are needed to repeat the work are kept in a public archive together with a short guide.
Where two readings were possible we followed the more cautious one and say so in the text.
Nothing in the procedure is specific to the cases chosen here, and we expect it to carry over to others.
The discussion below is deliberately elementary, because the literature has been confusing on exactly this point.
Terminology varies between communities, so we state explicitly what is meant by each word.
We repeated a part of the work after several months, with the same result within the scatter.
One of us prepared the input and another one checked it without knowing what was expected.
Statistical scatter is small compared with the systematic differences between the procedures.
The remaining disagreement is probably due to causes that lie outside the scope of this contribution.
Similar reasoning has been applied to related problems with good success.
It is tempting to neglect the weaker contribution, but the balance turns out to be delicate.
A referee pointed out that the argument can be shortened, and the present version follows that advice.
Reports from industry suggest that the matter is of practical as well as of academic interest.
We do not attempt a complete review and refer to the monographs on the subject instead.
The choice was guided by experience rather than by any formal criterion.
Whether the same holds far from ambient conditions is an open question.
Early reports were received with some scepticism, which has faded as independent confirmations accumulated.
The figures were drawn with the same scripts throughout, so that they can be compared by eye.
Practical advice of this kind is rarely published, although beginners need it most.
The most instructive cases are those in which a plausible expectation fails.
An estimate on the back of an envelope already gives the right order of magnitude.
What remains is bookkeeping, tedious but free of pitfalls.
Any residual doubt could be removed by a direct measurement, which is unfortunately hard to carry out.
We expect the community to converge on a common protocol within the next few years.
The students who joined the project midway deserve special thanks for their patience.
The following paragraphs go through the individual contributions one by one.
Different starting points led to the same end, which we take as a sign that the procedure is robust.
The simplest explanation would be a trivial mistake, and we looked for one for several weeks.
Careful records of failures turned out to be as valuable as the successes.
This part of the work was repeated by hand for one case in order to rule out errors in the scripts.
The effect is weak in absolute terms and yet decisive for the ordering of the candidates.
Much of the earlier literature is silent about this choice, so a comparison in detail is not possible.
The remarks of this paragraph are meant as a warning rather than as criticism of any particular study.
""")

MATERIALS = sentences("""
Samples were stored in a dry box between the measurements, because some of the surfaces are sensitive to moisture.
The instruments were calibrated at the beginning of each session against certified standards.
Grain boundaries and residual stress are common reasons why films differ from single crystals.
Suppliers seldom state how their nominal compositions were verified.
A clean surface is a prerequisite for any optical measurement, and the usual solvents were applied in the usual order.
Polishing introduces damage below the surface that only a gentle etch removes.
Reference data of this kind are needed whenever a component is designed on a computer before it is built.
Anisotropic crystals were oriented by means of their Laue patterns.
Handling marks were visible on some pieces and were avoided in the measurements.
Many textbooks quote such constants without a source, which makes it difficult to judge their accuracy.
The purity of the starting material affects transport properties far more than it affects elastic ones.
Heating and cooling were slow in order to avoid cracks.
Impurities at the level found here have no visible influence on the lattice.
Diffraction patterns showed no trace of a second phase.
The geometry of the specimen was chosen such that corrections for its ends could be neglected.
A good window material must be transparent, hard and cheap, and no candidate is all three.
Thermal cycling in vacuum left the surfaces unchanged as far as an optical microscope can tell.
The scatter between specimens from one batch is smaller than that between batches.
Contacts were made with silver paint after a short plasma treatment.
For metals the electronic contribution dominates the transport of heat, as is well known.
Tables in handbooks often mix values from different sources, and we have tried to keep them apart.
Elastic data are commonly obtained from the velocity of ultrasonic pulses.
Colour centres were not observed in any of the halides.
Oxidation in air is slow at room temperature and can be ignored for the present purpose.
""")

CALCULATIONS = sentences("""
Approximate functionals have well documented weaknesses, and no single choice is best for all properties.
The structures were inspected by eye after each relaxation in order to catch unphysical distortions.
Symmetry was switched off whenever a distortion was conceivable.
Finite-size effects were estimated by repeating the most delicate case in a larger cell.
The input decks were generated by scripts and kept under version control.
Restarting from a previous charge density saved time but had no influence on the outcome.
Charge was partitioned among the atoms only for the purpose of illustration.
Total energies of different codes should never be subtracted from each other.
Smearing of the occupations was used for metals, and the energies were extrapolated in the customary manner.
Zero-point motion is left out of the discussion because it cancels to a large extent.
Dispersion forces matter for layered solids and for weakly bound molecules alike.
Core levels were not of interest here and were kept frozen.
The dipole that an asymmetric slab carries was compensated in the usual way.
A coarse mesh is a common source of silent errors, so convergence was looked at case by case.
Visualisation was done with freely available programs.
The computing centre granted a generous amount of time, most of which was spent on tests.
Bond lengths came out slightly too long, as is typical for this family of approximations.
Spurious interactions between periodic images decay slowly and deserve attention.
We did not attempt to treat temperature beyond the harmonic level.
The density of states was interpolated for plotting only.
Whether strong correlation must be treated explicitly depends on the occupation of the localised shells.
Different relaxation algorithms led to the same minimum in all cases that were compared.
Adsorption geometries were chosen on the basis of chemical intuition and then refined.
The reference state of the molecule is the gas phase in every formula below.
""")

MANY_BODY = sentences("""
Mean-field theories owe their popularity to their simplicity, and their failures are at least as well understood.
Fluctuations around the saddle point are left out throughout, which is justified away from critical points.
The self-consistency equations are solved by iteration, starting from a weak random perturbation.
Several symmetry-broken solutions may coexist, and the one of lowest free energy is the physical one.
Where the theory is quadratic, a canonical transformation brings it to diagonal shape.
We set the reduced Planck constant and the lattice spacing to unity.
Averages are taken over the grand canonical ensemble wherever particles can be exchanged.
In low dimensions true long-range order is forbidden at finite temperature, and the results must be read with care.
The order parameters are determined at the end of the calculation rather than assumed at its beginning.
Different ways of grouping the operators lead to different channels, which must not be counted twice.
Constant contributions drop out of the equations of motion, yet they are needed for comparing energies.
The spectrum is obtained by numerical diagonalisation on a large cluster.
Periodic boundary conditions are used in all directions.
Mixing a fraction of the previous solution into the new one stabilises the iteration.
The phase diagram contains a first-order line that ends in a critical point.
Quantum Monte Carlo studies of related models support the overall picture.
Experiments with ultracold atoms have realised a number of such models with tunable parameters.
The extension to several orbitals is straightforward but cumbersome.
A small cluster suffices to illustrate the point, and a large one adds nothing but time.
Readers familiar with the formalism will recognise a special case of the general variational principle.
Ladder diagrams would be the first correction to the present level of theory.
It is customary to speak of molecular fields in the case of spins and of condensates in the case of bosons.
Matsubara sums are evaluated analytically wherever this is possible.
Symmetries simplify the analysis at special points but are of no help elsewhere.
The convergence of the iteration slows down close to a phase boundary, as one would expect.
""")
