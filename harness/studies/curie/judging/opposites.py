"""Words by which two texts on one material cannot be of one sample or measurement (OURS): a table of opposites.

Independent of what a text is about. Does not read numbers or names.
"""

from __future__ import annotations

import re
from functools import lru_cache

_READ = 1600  # letters of a text that are read
# In each row, what stands against each other: two texts contradict each other if each has some of a row and they have
# none in common. Each entry is a pattern of whole words.
_TABLE = r"""
forward[- ](?:scan|sweep|bias)|scanned forward; reverse[- ](?:scan|sweep|bias)|scanned (?:in )?reverse
  |backward scan
champion|best[- ](?:cell|device|performing)|record (?:cell|device); average(?:d)? (?:over|of)|mean (?:of|over)
  |median|typical device
front[- ](?:side )?illuminat\w+|front-?side; (?:back|rear)[- ](?:side )?illuminat\w+|(?:back|rear)-?side
zero[- ]field[- ]cool\w+|\bZFC\b; (?<!zero[- ])field[- ]cool\w+|(?<!Z)\bFC\b
on heating|heating (?:run|scan|branch|cycle)|upon heating|(?:first|second) heating; on cooling|cooling (?:run
  |scan|branch|cycle)|upon cooling
in the dark|dark current|dark conduct\w+; under illumination|illuminated|photocurrent|under (?:white |UV
  |one[- ]sun )?light|AM ?1\.5
in tension|tensile|under tension; in compression|compressive|under compression; in bending|flexural|three-point
  |four-point; in torsion|torsional|in shear
rolling direction|\bRD\b|longitudinal direction; transverse direction|\bTD\b; normal direction|\bND\b
  |through[- ]thickness
(?:built|build|printed)[- ](?:horizontal\w*|in (?:the )?xy)|horizontal(?:ly)?[- ](?:built|printed|orient\w+)
  ; (?:built|build|printed)[- ](?:vertical\w*|along z)|vertical(?:ly)?[- ](?:built|printed|orient\w+)
parallel to (?:the )?(?:fib(?:er|re)s?|grain|field|layers?|plane|chains?|tubes?|pressing|build\w*|growth
  |extrusion|rolling)|along (?:the )?(?:fib(?:er|re)s?|grain|chains?|tubes?|growth|extrusion|rolling)
  ; perpendicular to|normal to (?:the )?(?:fib(?:er|re)s?|grain|field|layers?|plane|chains?|growth|extrusion
  |rolling)|transverse to|across (?:the )?(?:fib(?:er|re)s?|grain|layers?|chains?)
s-polari[sz]ed|TE[- ](?:mode|polari[sz]\w+)|\bTE\b; p-polari[sz]ed|TM[- ](?:mode|polari[sz]\w+)|\bTM\b
(?<!un-)notched; un-?notched|smooth (?:bar|specimen)
suspended|free-?standing|self-?supporting; (?<!self-)supported|on (?:an? )?(?:SiO2|substrate|glass|sapphire
  |silicon)
encapsulated; un-?encapsulated|without encapsulation
coated; uncoated|bare (?:particles?|surface|electrode|substrate)
as[- ](?:built|printed|fabricated|cast|deposited|grown|sprayed|rolled|spun|synthesi[sz]ed|prepared|received
  |milled|welded|forged|extruded|drawn|sputtered|quenched)(?! (?:and|then))|without (?:any )?(?:heat treatment
  |annealing)|un-?annealed|before annealing; annealed|heat[- ]treated|\bT[4-7]\b|(?:peak|over|under)?-?aged (?:at
  |for|\d)|solution[- ]treated|stress[- ]relieved|\bHIP(?:ed|ped)?\b|calcined|sintered|tempered
hot[- ](?:rolled|rolling); cold[- ](?:rolled|rolling)|cold[- ]drawn
unirradiated|before irradiation|non-?irradiated; (?<!un)(?<!non-)irradiated|after irradiation|under irradiation
un-?poled; (?<!un)poled
undoped|nominally pure|intrinsic; (?<!un)(?<!un-)doped
single[- ]crystal(?:line|s)?|monocrystal\w*; polycrystal\w*|nanocrystalline|ceramics?|sintered|pellets?|powders?
amorphous|glassy|vitreous; (?<!poly)(?<!nano)crystalline|single[- ]crystal\w*
monolayer|single[- ]layer|one layer|\b1L\b; bilayer|double[- ]layer|two[- ]layer|\b2L\b; trilayer
  |three[- ]layer|\b3L\b; bulk (?:crystal|single|sample|form|material)
nanorods?; nanocubes?; nanosheets?|nanoplates?|nanoplatelets?|nanoflakes?; nanospheres?|hollow spheres?
  |microspheres?; nanotubes?; nanowires?; nanofib(?:er|re)s?|electrospun; quantum dots?|\bQDs?\b
hydrophilic; hydrophobic
dry (?:sliding|friction|condition\w*|air|wear)|unlubricated|\bdry\b; lubricated|in (?:serum|oil|water|saline)
  |(?:serum|oil|water)[- ]lubricat\w+|under lubrication
face-?on; edge-?on
woven|fabric; unidirectional|\bUD\b
isotactic; atactic; syndiotactic
linear (?:chain|polymer|low); branched; (?<!un)cross-?linked
low[- ]density polyethylene|LDPE; high[- ]density polyethylene|HDPE
\bcis\b; \btrans\b
anhydrous|dehydrated|dry(?: state| gas| air| argon| Ar| H2)?; hydrated|wet|humid\w*|moist
planar (?:cell|device|perovskite|hetero\w+|n-i-p|p-i-n); mesoporous (?:cell|device|TiO2|scaffold)|mesoscopic
n-i-p|regular (?:architecture|structure); p-i-n|inverted (?:architecture|structure|cell)
top[- ]gat\w+; (?:back|bottom)[- ]gat\w+
top[- ]emit\w+; bottom[- ]emit\w+
duplex; (?:fully |near[- ])?lamellar; equiaxed; columnar; bimodal; martensitic; bainitic; pearlitic; ferritic
  ; austenitic; dendritic; ultrafine-?grained; coarse-?grained
flat|terrace; stepped|step[- ]edges?|kinked|vicinal
sub-?surface; surface (?:O|oxygen|vacanc\w+)|in the (?:top|topmost|outermost) (?:\w+ )?layer
flat|smooth|planar (?:film|surface); (?:micro|nano)?-?(?:pillared|textured|structured|rough\w*
  |porous) (?:surface|film)|(?:micro|nano)-?(?:pillar|patterned)\w*
grain interior|bulk (?:contribution|conduct\w+|of the grains?|resist\w+)|intragrain
  ; grain[- ]boundar\w+(?! (?:free|conducts|is|are|has))|intergrain
half[- ]cell; full[- ]cell|coin[- ]type full|pouch
two[- ]electrode; three[- ]electrode
acidic|acid electrolyte|in acid; alkaline|basic electrolyte|in base|in alkali; neutral (?:electrolyte|pH|medium)
in air|ambient air|air atmosphere; in vacuum|under vacuum|\bUHV\b; in (?:Ar|argon|N2|nitrogen|an inert)
  |under (?:Ar|argon|N2|nitrogen)|inert atmosphere; in (?:O2|oxygen)|under (?:O2|oxygen); in (?:H2|hydrogen)
  |under (?:H2|hydrogen)|forming gas
first[- ](?:cycle|charge|discharge|heating)|1st cycle|initial (?:cycle|charge|discharge); second cycle|2nd cycle
on charge|charge capacity|charging; on discharge|discharge capacity|discharging
static (?:friction|contact angle); (?:kinetic|dynamic|sliding) friction
advancing; receding; (?:static|equilibrium|sessile)
onset; midpoint|mid-point; offset|zero[- ]resistance; peak (?:temperature|position)
ultimate tensile|tensile strength|\bUTS\b; yield strength|proof stress|\bYS\b
number[- ]average|\bMn\b; weight[- ]average|\bMw\b
Vickers|\bHV; Knoop|\bHK; Brinell|\bHB|\bHBW; Rockwell|\bHRC|\bHRB; Shore|\bMohs
real part; imaginary part
electronic (?:part|contribution|component); lattice (?:part|contribution|component)|phonon (?:part
  |contribution)|ionic (?:part|contribution)
calculated|computed|theor\w+|predicted|simulat\w+|\bDFT\b|first[- ]principles; measured|experiment\w*|observed
left[- ]handed; right[- ]handed
hot[- ]pressed|hot pressing; spark[- ]plasma|\bSPS\b; pressureless|conventionally sintered; cold[- ]pressed
PECVD|plasma[- ]enhanced CVD; LPCVD|low[- ]pressure CVD; thermal(?:ly)? (?:oxide|grown|oxidi[sz]ed)
  |by thermal oxidation; sputter\w+; \bALD\b|atomic layer dep\w+; sol[- ]gel; evaporated|evaporation
  ; spin[- ]coat\w+; pulsed laser dep\w+|\bPLD\b; \bMBE\b|molecular beam epitaxy; MOCVD|MOVPE; electrodeposit\w+
  |electroplated; spray(?:ed)?[- ](?:pyrolysis|coat\w+|dep\w+); chemical bath|\bCBD\b; hydrothermal\w*; exfoliated
electroless; electrodeposit\w+|electroplat\w+
wrought|forged; (?:as-?)?cast(?:ing)?|die-?cast; additive\w*|\bL?PBF\b|selective laser|\bSLM\b|\bEBM\b
  |3D[- ]printed
"""
_ROWS = tuple(
    tuple(re.compile(rf"(?<![\w])(?:{part})(?![\w])", re.IGNORECASE) for part in row.split("; "))
    for row in _TABLE.strip().replace("\n  ", "").splitlines()
)


@lru_cache(4096)
def _sides(text: str) -> tuple[frozenset[int], ...]:
    return tuple(frozenset(place for place, part in enumerate(row) if part.search(text[:_READ])) for row in _ROWS)


def opposed(one: str, two: str) -> str:
    """Return what two plain texts say against each other, as the patterns of a row; empty if they do not."""
    for row, mine, theirs in zip(_ROWS, _sides(one), _sides(two), strict=True):
        if mine and theirs and not mine & theirs:
            return f"{row[min(mine)].pattern[12:32]} against {row[min(theirs)].pattern[12:32]}"
    return ""
