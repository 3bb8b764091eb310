r"""Model Hamiltonians of the demo's HFE and HFD papers (OURS), each with its mean-field form, term by term in LaTeX.

Sums over \langle i,j \rangle run over ordered pairs of neighbours; @t, @U and @V stand for letters drawn for a paper.
Independent of the wording of a paper and of scoring.
"""

from __future__ import annotations

from dataclasses import dataclass

Terms = tuple[str, ...]  # each begins with its sign


@dataclass(frozen=True, slots=True)
class MeanField:
    """A physical model and its mean-field form: the terms of both Hamiltonians, and the words that fix the decoupling.

    `single` stays unchanged; `interaction` becomes `direct`, `exchange` (or pairing) and `constants`. If `either` is
    true, the interaction may have either sign. `special` is a simpler Hamiltonian that holds in the case that it names.
    """

    name: str
    system: str
    single: Terms
    interaction: Terms
    direct: Terms
    constants: Terms
    kept: str
    special: tuple[str, Terms]
    exchange: Terms = ()
    definitions: Terms = ()
    extra: tuple[tuple[str, Terms], ...] = ()
    either: bool = False


_BONDS = r"\sum_{\langle i,j \rangle}"
_SPIN_BONDS = r"\sum_{\langle i,j \rangle,\sigma}"
_HOPS = rf"-@t {_SPIN_BONDS} c_{{i,\sigma}}^{{\dagger}} c_{{j,\sigma}}"
_UP, _DOWN = r"n_{i,\uparrow}", r"n_{i,\downarrow}"
_ON_SITE = rf"+@U \sum_{{i}} {_UP} {_DOWN}"
_DIRECT = (rf"+@U \sum_{{i}} \langle {_UP} \rangle {_DOWN}", rf"+@U \sum_{{i}} \langle {_DOWN} \rangle {_UP}")
_ON_SITE_CONSTANT = rf"-@U \sum_{{i}} \langle {_UP} \rangle \langle {_DOWN} \rangle"
_FILLING = ("a chemical potential", (r"-\mu \sum_{i,\sigma} n_{i,\sigma}",))
_ZEEMAN = ("a magnetic field along the axis of the spins", (rf"-h \sum_{{i}} {_UP}", rf"+h \sum_{{i}} {_DOWN}"))
_DISORDER = ("a random potential of the sites", (r"+\sum_{i,\sigma} \epsilon_{i} n_{i,\sigma}",))
_SPINFUL = (_FILLING, _ZEEMAN, _DISORDER)
_SPINLESS = (
    ("a chemical potential", (r"-\mu \sum_{i} n_{i}",)),
    ("a random potential of the sites", (r"+\sum_{i} \epsilon_{i} n_{i}",)),
)
_MAGNETIC = (
    ("a field along z", (r"-B \sum_{i} S_{i}^{z}",)),
    ("an anisotropy of the single ion", (r"+D \sum_{i} S_{i}^{z} S_{i}^{z}",)),
)
_NO_SPIN_FLIP = "averages that conserve particle number and the z component of spin are kept"
_ALL_NORMAL = "All averages of two operators that conserve particle number are kept."
_LOCAL_PAIRS = (
    r"-\sum_{i} \Delta_{i} c_{i,\uparrow}^{\dagger} c_{i,\downarrow}^{\dagger}",
    r"-\sum_{i} \Delta_{i}^{*} c_{i,\downarrow} c_{i,\uparrow}",
)
_BOND_PAIRS = (
    rf"-\frac{{1}}{{2}} {_BONDS} \Delta_{{i,j}} c_{{i}}^{{\dagger}} c_{{j}}^{{\dagger}}",
    rf"-\frac{{1}}{{2}} {_BONDS} \Delta_{{i,j}}^{{*}} c_{{j}} c_{{i}}",
)
_BAND = r"+\sum_{k,\sigma} \epsilon_{k} c_{k,\sigma}^{\dagger} c_{k,\sigma}"
_UP_DOWN, _DOWN_UP = r"c_{i,\uparrow}^{\dagger} c_{i,\downarrow}", r"c_{i,\downarrow}^{\dagger} c_{i,\uparrow}"
_D_UP, _D_DOWN = r"d_{\uparrow}^{\dagger} d_{\uparrow}", r"d_{\downarrow}^{\dagger} d_{\downarrow}"
_LEVEL = r"+\sum_{\sigma} \epsilon_{d} d_{\sigma}^{\dagger} d_{\sigma}"
_LEVEL_DIRECT = (rf"+@U \langle {_D_UP} \rangle {_D_DOWN}", rf"+@U \langle {_D_DOWN} \rangle {_D_UP}")
_A, _B = r"a_{i}^{\dagger} a_{i}", r"b_{i}^{\dagger} b_{i}"
_LAYERS = (
    rf"-t_{{a}} {_BONDS} a_{{i}}^{{\dagger}} a_{{j}}",
    rf"-t_{{b}} {_BONDS} b_{{i}}^{{\dagger}} b_{{j}}",
)
_LAYERS_DIRECT = (rf"+@U \sum_{{i}} \langle {_B} \rangle {_A}", rf"+@U \sum_{{i}} \langle {_A} \rangle {_B}")
_SPIN_PARTS = r"\sum_{\langle i,j \rangle,\alpha}"
_FLIPS = r"\sum_{\langle i,j \rangle,\sigma,\sigma'}"
_MOMENTA = r"\sum_{k,k',\sigma,\sigma'}"
_GAS_DIRECT = rf"+{_MOMENTA} V_{{0}} \langle n_{{k',\sigma'}} \rangle n_{{k,\sigma}}"
_PLACES = r"\sum_{i,j,\sigma,\sigma'}"
_CLUSTER = r"+\sum_{i,j,\sigma} h_{i,j} c_{i,\sigma}^{\dagger} c_{j,\sigma}"
_CLUSTER_DIRECT = rf"+{_PLACES} V_{{i,j}} \langle n_{{j,\sigma'}} \rangle n_{{i,\sigma}}"
_PLAIN_HOPS = rf"-@t {_BONDS} c_{{i}}^{{\dagger}} c_{{j}}"
_BOSONS = (
    r"+\frac{@U}{2} \sum_{i} b_{i}^{\dagger} b_{i}^{\dagger} b_{i} b_{i}",
    r"-\mu \sum_{i} b_{i}^{\dagger} b_{i}",
)

MODELS = (
    MeanField(
        "collinear magnetism of the Hubbard model",
        "electrons with spin that feel each other on one site of a lattice",
        (_HOPS,),
        (_ON_SITE,),
        _DIRECT,
        (_ON_SITE_CONSTANT,),
        "Only the averages of the local densities are kept.",
        ("the paramagnet at half filling", (_HOPS, r"+\frac{@U}{2} \sum_{i,\sigma} n_{i,\sigma}")),
        extra=_SPINFUL,
        either=True,
    ),
    MeanField(
        "spinless fermions with neighbour interaction",
        "spinless fermions on a lattice that feel their neighbours",
        (_PLAIN_HOPS,),
        (rf"+\frac{{@V}}{{2}} {_BONDS} n_{{i}} n_{{j}}",),
        (rf"+@V {_BONDS} \langle n_{{j}} \rangle n_{{i}}",),
        (
            rf"-\frac{{@V}}{{2}} {_BONDS} \langle n_{{i}} \rangle \langle n_{{j}} \rangle",
            rf"+\frac{{@V}}{{2}} {_BONDS} \langle c_{{i}}^{{\dagger}} c_{{j}} \rangle"
            r" \langle c_{j}^{\dagger} c_{i} \rangle",
        ),
        _ALL_NORMAL,
        ("the limit without bond averages", (_PLAIN_HOPS, rf"+@V {_BONDS} \langle n_{{j}} \rangle n_{{i}}")),
        (rf"-@V {_BONDS} \langle c_{{j}}^{{\dagger}} c_{{i}} \rangle c_{{i}}^{{\dagger}} c_{{j}}",),
        extra=_SPINLESS,
        either=True,
    ),
    MeanField(
        "the reduced pairing Hamiltonian",
        "electrons that attract each other in pairs of opposite momentum",
        (r"+\sum_{k,\sigma} \xi_{k} c_{k,\sigma}^{\dagger} c_{k,\sigma}",),
        (r"-g \sum_{k,k'} c_{k,\uparrow}^{\dagger} c_{-k,\downarrow}^{\dagger} c_{-k',\downarrow} c_{k',\uparrow}",),
        (
            r"-\Delta \sum_{k} c_{k,\uparrow}^{\dagger} c_{-k,\downarrow}^{\dagger}",
            r"-\Delta^{*} \sum_{k} c_{-k,\downarrow} c_{k,\uparrow}",
        ),
        (r"+\frac{\Delta^{*} \Delta}{g}",),
        "The operator that annihilates a pair is replaced by its average plus a fluctuation, whose square is left out.",
        ("the normal state", (r"+\sum_{k,\sigma} \xi_{k} c_{k,\sigma}^{\dagger} c_{k,\sigma}",)),
        definitions=(r"\Delta = g \sum_{k} \langle c_{-k,\downarrow} c_{k,\uparrow} \rangle",),
        extra=(
            (
                "a magnetic field along the axis of the spins",
                (
                    r"-h \sum_{k} c_{k,\uparrow}^{\dagger} c_{k,\uparrow}",
                    r"+h \sum_{k} c_{k,\downarrow}^{\dagger} c_{k,\downarrow}",
                ),
            ),
        ),
    ),
    MeanField(
        "local pairs in the attractive Hubbard model",
        "electrons with spin that attract each other on one site",
        (_HOPS,),
        (_ON_SITE.replace("+", "-"),),
        tuple(term.replace("+", "-") for term in _DIRECT),
        (_ON_SITE_CONSTANT.replace("-", "+"), r"+\frac{1}{@U} \sum_{i} \Delta_{i}^{*} \Delta_{i}"),
        "Averages of the local densities and of the local pair operator are kept, and those that flip a spin vanish.",
        ("the uniform state, whose density only shifts the energy", (_HOPS, *_LOCAL_PAIRS)),
        _LOCAL_PAIRS,
        (r"\Delta_{i} = @U \langle c_{i,\downarrow} c_{i,\uparrow} \rangle",),
        extra=_SPINFUL,
    ),
    MeanField(
        "the Ising model in a transverse field",
        "quantum spins on a lattice, coupled along z",
        (r"-h \sum_{i} S_{i}^{x}",),
        (rf"-\frac{{@V}}{{2}} {_BONDS} S_{{i}}^{{z}} S_{{j}}^{{z}}",),
        (rf"-@V {_BONDS} \langle S_{{j}}^{{z}} \rangle S_{{i}}^{{z}}",),
        (rf"+\frac{{@V}}{{2}} {_BONDS} \langle S_{{i}}^{{z}} \rangle \langle S_{{j}}^{{z}} \rangle",),
        "Correlations between different sites are neglected.",
        ("the paramagnet", (r"-h \sum_{i} S_{i}^{x}",)),
        extra=_MAGNETIC,
        either=True,
    ),
    MeanField(
        "molecular fields of the Heisenberg model",
        "quantum spins on a lattice, coupled isotropically",
        (r"-h \sum_{i} S_{i}^{x}",),
        (rf"-\frac{{@V}}{{2}} {_SPIN_PARTS} S_{{i}}^{{\alpha}} S_{{j}}^{{\alpha}}",),
        (rf"-@V {_SPIN_PARTS} \langle S_{{j}}^{{\alpha}} \rangle S_{{i}}^{{\alpha}}",),
        (rf"+\frac{{@V}}{{2}} {_SPIN_PARTS} \langle S_{{i}}^{{\alpha}} \rangle \langle S_{{j}}^{{\alpha}} \rangle",),
        r"Correlations between different sites are neglected, and \alpha runs over the components x, y and z.",
        (
            "spins that are polarised along x",
            (r"-h \sum_{i} S_{i}^{x}", rf"-@V {_BONDS} \langle S_{{j}}^{{x}} \rangle S_{{i}}^{{x}}"),
        ),
        extra=_MAGNETIC,
        either=True,
    ),
    MeanField(
        "lattice bosons with decoupled hopping",
        "bosons that repel each other on one site of a lattice",
        _BOSONS,
        (rf"-@t {_BONDS} b_{{i}}^{{\dagger}} b_{{j}}",),
        (
            rf"-@t {_BONDS} \langle b_{{j}} \rangle b_{{i}}^{{\dagger}}",
            rf"-@t {_BONDS} \langle b_{{i}}^{{\dagger}} \rangle b_{{j}}",
        ),
        (rf"+@t {_BONDS} \langle b_{{i}}^{{\dagger}} \rangle \langle b_{{j}} \rangle",),
        "The hopping is decoupled, because correlations between different sites are neglected.",
        ("the insulator without a condensate", _BOSONS),
        extra=(("a random potential of the sites", (r"+\sum_{i} \epsilon_{i} b_{i}^{\dagger} b_{i}",)),),
    ),
    MeanField(
        "a magnetic impurity in a metal",
        "a localised level that hybridises with a band of conduction electrons",
        (
            _BAND,
            _LEVEL,
            r"+\sum_{k,\sigma} @V c_{k,\sigma}^{\dagger} d_{\sigma}",
            r"+\sum_{k,\sigma} @V d_{\sigma}^{\dagger} c_{k,\sigma}",
        ),
        (rf"+@U {_D_UP} {_D_DOWN}",),
        _LEVEL_DIRECT,
        (rf"-@U \langle {_D_UP} \rangle \langle {_D_DOWN} \rangle",),
        "Only the averages of the occupations of the localised level are kept.",
        ("the level that is decoupled from the band", (_LEVEL, *_LEVEL_DIRECT)),
        extra=(("a magnetic field that acts on the level", (rf"-h {_D_UP}", rf"+h {_D_DOWN}")),),
    ),
    MeanField(
        "excitons in a bilayer",
        "spinless fermions in two layers that feel each other on the same site",
        _LAYERS,
        (rf"+@U \sum_{{i}} {_A} {_B}",),
        _LAYERS_DIRECT,
        (
            rf"-@U \sum_{{i}} \langle {_A} \rangle \langle {_B} \rangle",
            r"+@U \sum_{i} \langle a_{i}^{\dagger} b_{i} \rangle \langle b_{i}^{\dagger} a_{i} \rangle",
        ),
        _ALL_NORMAL,
        ("the semiconductor without excitons", (*_LAYERS, *_LAYERS_DIRECT)),
        (
            r"-@U \sum_{i} \langle b_{i}^{\dagger} a_{i} \rangle a_{i}^{\dagger} b_{i}",
            r"-@U \sum_{i} \langle a_{i}^{\dagger} b_{i} \rangle b_{i}^{\dagger} a_{i}",
        ),
        extra=(
            ("an offset of the second layer", (rf"+\epsilon \sum_{{i}} {_B}",)),
            (
                "tunnelling between the layers",
                (r"-w \sum_{i} a_{i}^{\dagger} b_{i}", r"-w \sum_{i} b_{i}^{\dagger} a_{i}"),
            ),
        ),
    ),
    MeanField(
        "charge and bond order of the extended Hubbard model",
        "electrons with spin that feel each other on one site and on neighbouring sites of a lattice",
        (_HOPS,),
        (_ON_SITE, rf"+\frac{{@V}}{{2}} {_FLIPS} n_{{i,\sigma}} n_{{j,\sigma'}}"),
        (*_DIRECT, rf"+@V {_FLIPS} \langle n_{{j,\sigma'}} \rangle n_{{i,\sigma}}"),
        (
            _ON_SITE_CONSTANT,
            rf"-\frac{{@V}}{{2}} {_FLIPS} \langle n_{{i,\sigma}} \rangle \langle n_{{j,\sigma'}} \rangle",
            rf"+\frac{{@V}}{{2}} {_SPIN_BONDS} \langle c_{{i,\sigma}}^{{\dagger}} c_{{j,\sigma}} \rangle"
            r" \langle c_{j,\sigma}^{\dagger} c_{i,\sigma} \rangle",
        ),
        f"All {_NO_SPIN_FLIP}.",
        ("the limit without interaction between neighbours", (_HOPS, *_DIRECT)),
        (
            rf"-@V {_SPIN_BONDS} \langle c_{{j,\sigma}}^{{\dagger}} c_{{i,\sigma}} \rangle"
            r" c_{i,\sigma}^{\dagger} c_{j,\sigma}",
        ),
        extra=_SPINFUL,
    ),
    MeanField(
        "spirals in the Hubbard model",
        "electrons with spin on a lattice, whose moments may point anywhere",
        (_HOPS,),
        (_ON_SITE,),
        _DIRECT,
        (_ON_SITE_CONSTANT, rf"+@U \sum_{{i}} \langle {_UP_DOWN} \rangle \langle {_DOWN_UP} \rangle"),
        "All local averages of two operators that conserve particle number are kept, those that flip a spin too.",
        ("moments along one axis", (_HOPS, *_DIRECT)),
        (
            rf"-@U \sum_{{i}} \langle {_DOWN_UP} \rangle {_UP_DOWN}",
            rf"-@U \sum_{{i}} \langle {_UP_DOWN} \rangle {_DOWN_UP}",
        ),
        extra=_SPINFUL,
        either=True,
    ),
    MeanField(
        "the homogeneous electron gas",
        "electrons in a homogeneous background, described by their momenta",
        (_BAND,),
        (
            r"+\frac{1}{2} \sum_{k,k',q,\sigma,\sigma'} V_{q} c_{k+q,\sigma}^{\dagger} c_{k'-q,\sigma'}^{\dagger}"
            r" c_{k',\sigma'} c_{k,\sigma}",
        ),
        (_GAS_DIRECT,),
        (
            rf"-\frac{{1}}{{2}} {_MOMENTA} V_{{0}} \langle n_{{k',\sigma'}} \rangle \langle n_{{k,\sigma}} \rangle",
            r"+\frac{1}{2} \sum_{k,k',\sigma} V_{k-k'} \langle n_{k',\sigma} \rangle \langle n_{k,\sigma} \rangle",
        ),
        "Only the averages of occupations are kept: translations and rotations of the spin about z are not broken.",
        ("electrons without exchange", (_BAND, _GAS_DIRECT)),
        (r"-\sum_{k,k',\sigma} V_{k-k'} \langle n_{k',\sigma} \rangle n_{k,\sigma}",),
        extra=(
            ("a chemical potential", (r"-\mu \sum_{k,\sigma} n_{k,\sigma}",)),
            (
                "a magnetic field along the axis of the spins",
                (r"-h \sum_{k} n_{k,\uparrow}", r"+h \sum_{k} n_{k,\downarrow}"),
            ),
        ),
    ),
    MeanField(
        "unrestricted mean fields of a cluster",
        "electrons with spin that feel each other anywhere on a cluster",
        (_CLUSTER,),
        (
            rf"+\frac{{1}}{{2}} {_PLACES} V_{{i,j}} c_{{i,\sigma}}^{{\dagger}} c_{{j,\sigma'}}^{{\dagger}}"
            r" c_{j,\sigma'} c_{i,\sigma}",
        ),
        (_CLUSTER_DIRECT,),
        (
            rf"-\frac{{1}}{{2}} {_PLACES} V_{{i,j}} \langle n_{{j,\sigma'}} \rangle \langle n_{{i,\sigma}} \rangle",
            rf"+\frac{{1}}{{2}} {_PLACES} V_{{i,j}} \langle c_{{j,\sigma'}}^{{\dagger}} c_{{i,\sigma}} \rangle"
            r" \langle c_{i,\sigma}^{\dagger} c_{j,\sigma'} \rangle",
        ),
        _ALL_NORMAL,
        ("the approximation of Hartree", (_CLUSTER, _CLUSTER_DIRECT)),
        (
            rf"-{_PLACES} V_{{i,j}} \langle c_{{j,\sigma'}}^{{\dagger}} c_{{i,\sigma}} \rangle"
            r" c_{i,\sigma}^{\dagger} c_{j,\sigma'}",
        ),
        extra=_SPINFUL,
    ),
    MeanField(
        "pairs of spinless fermions",
        "spinless fermions on a lattice that attract their neighbours",
        (_PLAIN_HOPS,),
        (rf"-\frac{{@V}}{{2}} {_BONDS} n_{{i}} n_{{j}}",),
        (rf"-@V {_BONDS} \langle n_{{j}} \rangle n_{{i}}",),
        (
            rf"+\frac{{@V}}{{2}} {_BONDS} \langle n_{{i}} \rangle \langle n_{{j}} \rangle",
            rf"-\frac{{@V}}{{2}} {_BONDS} \langle c_{{i}}^{{\dagger}} c_{{j}} \rangle"
            r" \langle c_{j}^{\dagger} c_{i} \rangle",
            rf"+\frac{{1}}{{2 @V}} {_BONDS} \Delta_{{i,j}}^{{*}} \Delta_{{i,j}}",
        ),
        "All averages of two operators are kept, those that change the number of particles too.",
        ("the case of pairs alone", (_PLAIN_HOPS, *_BOND_PAIRS)),
        (rf"+@V {_BONDS} \langle c_{{j}}^{{\dagger}} c_{{i}} \rangle c_{{i}}^{{\dagger}} c_{{j}}", *_BOND_PAIRS),
        (r"\Delta_{i,j} = @V \langle c_{j} c_{i} \rangle",),
        extra=_SPINLESS,
    ),
)
WITH_EXCHANGE = tuple(model for model in MODELS if model.exchange)
